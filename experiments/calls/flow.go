package calls

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/flow"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// descendSettings are those of descend; all others are of distance.
type descendSettings struct {
	Steps int     `json:"steps" range:"0.."`
	Rate  float64 `json:"learning_rate" range:">0.."`  // η times the curvature of the loss
	Every int     `json:"every" range:"1.." unset:"0"` // steps between frames; 0: there are about 30
	Fresh bool    `json:"fresh"`                       // new directions in every step
}

const (
	searched    = 200 // fixed directions that Max-SW looks among
	ascentSteps = 10  // of v-DSW's location, along the tangent
	ascentRate  = 0.1
)

// descend moves y to x down the gradients of a grid of losses, with directions that are drawn or given:
// [L, d], or for every step its own, [steps, L, d]. It answers with the frames of each flow, their
// distances W_2 to x, and the losses of all steps.
func descend(r *Request, a *Answer) error {
	x, y, err := r.Pair("x", "y")
	if err != nil {
		return err
	}
	x, y = datasets.Aligned(x.Select([]int{0}), y.Select([]int{0}))
	fixed := maps.Clone(r.Settings)
	grid, err := gridOf(fixed["vary"])
	delete(fixed, "vary")
	if err != nil {
		return err
	}
	var labels []string
	var settings []map[string]string
	var losses, distances []float64
	var steps []int32
	for k, point := range grid {
		all := maps.Clone(fixed)
		maps.Copy(all, point)
		s := descendSettings{Steps: 100, Rate: 0.2}
		if err := Take(all, &s); err != nil {
			return err
		}
		if os.Getenv("FAST") == "1" {
			s.Steps = min(s.Steps, 12)
		}
		l, name, curvature, err := r.lossOf(x, all, point, s.Fresh)
		if err != nil {
			return err
		}
		f, err := flow.Descend(r.ctx, x, y, l, flow.Config{Steps: s.Steps, LearningRate: s.Rate / curvature, Every: cmp.Or(s.Every, s.Steps/30)})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		labels, settings, losses = append(labels, label(name, point)), append(settings, point), append(losses, f.Losses...)
		var points []float32
		steps = nil
		for _, frame := range f.Frames {
			points = append(points, frame.Points...)
			distances, steps = append(distances, frame.EMD), append(steps, int32(frame.Step))
		}
		Add(a, fmt.Sprintf("frames%d", k), points, len(f.Frames), y.Points, y.Dim)
		if len(grid) > 1 {
			r.Show(Event{ID: "flows", Text: fmt.Sprintf("%d of %d", k+1, len(grid))})
		}
	}
	Add(a, "target", x.Coords, 1, x.Points, x.Dim)
	Add(a, "losses", losses, len(grid), len(losses)/len(grid))
	Add(a, "w2", distances, len(grid), len(steps))
	Add(a, "steps", steps, len(steps))
	texts, err := json.Marshal(labels)
	if err != nil {
		return err
	}
	rows, err := json.Marshal(settings)
	a.Text = map[string]string{"labels": string(texts), "rows": string(rows)}
	return err
}

// lossOf is the loss to x of the settings all, of which those in point vary, its name, and its curvature: the largest
// second derivative of n/2 times the loss as the points move, by which a step is divided.
func (r *Request) lossOf(x *datasets.Set, all, point map[string]string, fresh bool) (l flow.Loss, name string, curvature float64, err error) {
	if all["loss"] == "" {
		all["loss"] = "sw"
	}
	if all["loss"] == "emd-exact" {
		all["p"] = "2"
	}
	given := r.Array("directions")
	if err := drop(all, point, given != nil); err != nil {
		return nil, "", 0, err
	}
	s := NewDistanceSettings("")
	call := Request{Settings: all, Seed: r.Seed, Arrays: r.Arrays}
	if err := call.Apply(&s); err != nil {
		return nil, "", 0, err
	}
	o, err := s.config(&call)
	if err != nil {
		return nil, "", 0, err
	}
	known := s.Config
	known.Maps.Points = x.Points
	named, err := loss.New(s.Loss, known)
	if err != nil {
		return nil, "", 0, err
	}
	d := float64(x.Dim)
	switch s.Loss {
	case "max-sw":
		var directions []float32
		for _, v := range vmf.Uniform(rand.New(rand.NewPCG(r.Seed, 0)), x.Dim, searched) {
			directions = append(directions, float32(v))
		}
		o.Config = loss.Defaults()
		return flow.Max(x, directions, o), named.Name(), 1, nil
	case "v-dsw": // the mean of (ε'θ)²
		o.AscentSteps, o.AscentLearningRate, o.AscentTangent = ascentSteps, ascentRate, true
		return flow.Fresh(s.Loss, x, o), named.Name(), 1 - (d-1)*vmf.MeanResultantLength(x.Dim, s.Kappa)/s.Kappa, nil
	case "chamfer":
		curvature = 2
	case "emd-exact":
		curvature = 1
	default:
		curvature = 1 / d
	}
	if given != nil {
		values, err := given.narrow()
		rounds, shape := 1, given.Shape
		if len(shape) == 3 && shape[0] > 0 {
			rounds, shape = shape[0], shape[1:]
		}
		return func(y *datasets.Set, step int) (float64, []float32, error) {
			size := len(values) / rounds
			at := min(step, rounds-1) * size
			o.Directions = &swlab.Directions{Values: values[at : at+size], Shape: shape}
			return flow.Distance(s.Loss, x, o)(y, step)
		}, named.Name(), curvature, err
	}
	if fresh {
		return flow.Fresh(s.Loss, x, o), named.Name(), curvature, nil
	}
	return flow.Distance(s.Loss, x, o), named.Name(), curvature, nil
}

// label names a flow by what varies.
func label(name string, point map[string]string) string {
	words := []string{}
	if _, varies := point["loss"]; varies || len(point) == 0 {
		words = append(words, name)
	}
	for _, setting := range slices.Sorted(maps.Keys(point)) {
		switch v := point[setting]; {
		case setting == "loss":
		case setting == "fresh":
			words = append(words, map[string]string{"true": "new in every step", "false": "fixed"}[v])
		case setting == "slices" && v == "1":
			words = append(words, "1 slice")
		case setting == "slices":
			words = append(words, v+" slices")
		default:
			words = append(words, setting+" "+v)
		}
	}
	return strings.Join(words, ", ")
}
