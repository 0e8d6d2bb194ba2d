package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// fixedLocation is a map whose only weights are the direction that it gives to all pairs.
type fixedLocation struct{ amortizer.Amortizer }

func (fixedLocation) Name() string          { return "fixed" }
func (fixedLocation) Specs() []weights.Spec { return []weights.Spec{{Name: "at", Shape: []int{3}}} }
func (fixedLocation) Direction(w weights.Nodes, x, _ *graph.Node) *graph.Node {
	return slicing.Unit(graph.BroadcastToDims(graph.InsertAxes(w.Get("at"), 0), x.Shape().Dimensions[0], 3))
}

// TestPlanGradient: the gradient of the mean cost of plans around a location is that of an integral over
// the sphere, within its standard error of many draws.
func TestPlanGradient(t *testing.T) {
	const points, slices, kappa = 20, 20000, 6.0
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float32, points*3), make([]float32, points*3)
	for i := range x {
		spread := []float64{2, 1, 0.3}[i%3]
		x[i], y[i] = float32(spread*r.NormFloat64()), float32(spread*r.NormFloat64()+0.5)
	}
	l := loss.Sliced{Label: "V-DSW", Slicer: slicing.Slicer{Distribution: slicing.VMF{Kappa: kappa, Reflection: vmf.Exact}, Slices: slices, Amortizer: fixedLocation{}}}
	m := Model{Loss: l, Plan: true}
	must.M(m.checkUpdates())
	e := must.M1(engine.Open("go"))
	cloud := func(v []float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(v, 1, points, 3) }
	pairs := must.M1(l.HostPairs(cloud(x), cloud(y)))

	// J(at) over a grid of directions of equal areas
	grid := make([]float64, 0, 3*40000)
	for i := range cap(grid) / 3 {
		z, a := 1-(2*float64(i)+1)*3/float64(cap(grid)), 2.399963229728653*float64(i)
		grid = append(grid, math.Sqrt(1-z*z)*math.Cos(a), math.Sqrt(1-z*z)*math.Sin(a), z)
	}
	costs := make([]float64, len(grid)/3)
	one := must.M1(ot1d.NewHostPairs(ot1d.Clouds{Coords: x, Batch: 1, Points: points, Dim: 3}, ot1d.Clouds{Coords: y, Batch: 1, Points: points, Dim: 3},
		ot1d.Config{Reduce: ot1d.Mean}))
	must.M(one.Plans(grid, len(costs), func(_, i int, plan []ot1d.Match) { costs[i] = ot1d.Lift(plan, x, y, 3) }))
	mean := func(at []float64) float64 {
		at = vec.Unit(append([]float64{}, at...))
		top, bottom := 0.0, 0.0
		for i, c := range costs {
			w := math.Exp(kappa * (at[0]*grid[3*i] + at[1]*grid[3*i+1] + at[2]*grid[3*i+2] - 1))
			top, bottom = top+w*c, bottom+w
		}
		return top / bottom
	}
	for round, at := range [][]float32{{0.6, 0.64, 0.48}, {-0.36, 0.48, 0.8}} {
		state := must.M1(graph.RNGStateFromSeed(int64(5 + round)))
		psi := AmortizerState[*tensors.Tensor]{Weights: map[string]*tensors.Tensor{"at": tensors.FromFlatDataAndDimensions(at, 3)}}
		draw := engine.NewProgram[drawIn[tensor], drawOut[tensor]](e, fmt.Sprint("plan draw", round), m.draw)
		drawn := must.M1(draw.Call(drawIn[tensor]{X: cloud(x), Y: cloud(y), Random: state, Weights: psi.Weights}))
		in := ascendIn[tensor]{X: cloud(x), Y: cloud(y), Random: state, Costs: must.M1(pairs.PlanCosts(drawn.Directions)), Amortizer: psi}
		type out[T any] struct{ Gradient T }
		slope := engine.NewProgram[ascendIn[tensor], out[tensor]](e, fmt.Sprint("plan slope", round), func(in ascendIn[node]) out[node] {
			gain, _ := m.planGain(slicing.Seeded(in.Random), in, in.X, in.Y)
			return out[node]{graph.Gradient(graph.Neg(gain), in.Amortizer.Weights["at"])[0]}
		})
		got := tensors.MustCopyFlatData[float32](must.M1(slope.Call(in)).Gradient)
		for j := range at {
			const step = 1e-4
			up, down := []float64{float64(at[0]), float64(at[1]), float64(at[2])}, []float64{float64(at[0]), float64(at[1]), float64(at[2])}
			up[j], down[j] = up[j]+step, down[j]-step
			want := (mean(up) - mean(down)) / (2 * step)
			if math.Abs(float64(got[j])-want) > 0.04 {
				t.Errorf("at %v: derivative %d is %.4f, expected %.4f", at, j, got[j], want)
			}
			t.Logf("at %v: derivative %d is %.4f, expected %.4f", at, j, got[j], want)
		}
	}
}

// TestPlanRun: a run whose amortizer lowers the cost of plans logs that cost, which is not the loss, and
// other runs keep the bytes of their configurations.
func TestPlanRun(t *testing.T) {
	c := config("v-dsw", "la")
	c.Objective, c.Steps = planObjective, 2
	var objectives []float64
	must.M1(Run(t.Context(), goBackend(t), boxes(5, 32), c, Options{Out: filepath.Join(t.TempDir(), "run"), Progress: func(r Record, _ int) {
		objectives = append(objectives, *r.Objective)
		if *r.Objective <= 0 || *r.Objective > r.Loss { // a mean over 32 points is less than the loss, a sum over them
			t.Errorf("cost %g of plans, loss %g", *r.Objective, r.Loss)
		}
	}}))
	if len(objectives) != 2 {
		t.Errorf("costs %v", objectives)
	}
	if raw := must.M1(json.Marshal(DefaultConfig())); bytes.Contains(raw, []byte("objective")) {
		t.Errorf("%s", raw)
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.Loss = "max-sw" }, func(c *Config) { c.Slicing = "point" }, func(c *Config) { c.Kappa = 0 }, func(c *Config) { c.Slices = 1 },
		func(c *Config) { c.FineTune = true }, func(c *Config) { c.Objective = "plans" },
	} {
		wrong := c
		change(&wrong)
		if _, err := wrong.Model(); err == nil || !strings.Contains(err.Error(), "objective: ") {
			t.Errorf("%v, expected an error on the objective", err)
		}
	}
}
