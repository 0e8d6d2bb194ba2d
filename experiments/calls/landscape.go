package calls

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// landscapeSettings choose functions of the direction.
type landscapeSettings struct {
	// Blur has concentrations κ with commas: J_κ in place of F, which +Inf stands for.
	Blur string `json:"blur"`
}

// landscapes are F of one pair of clouds, or J for every concentration.
func (r *Request) landscapes(blur string) (all []*experiments.Landscape, kappas []float64, err error) {
	x, y, err := r.onePair()
	if err != nil {
		return nil, nil, err
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return nil, nil, err
	}
	for text := range strings.SplitSeq(blur, ",") {
		kappa, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, nil, fmt.Errorf("blur: expected numbers, found %q", text)
		}
		l := f
		if !math.IsInf(kappa, 1) {
			if l, err = f.Around(kappa); err != nil {
				return nil, nil, err
			}
		}
		all, kappas = append(all, l), append(kappas, kappa)
	}
	return all, kappas, nil
}

// landscape answers with a function of all directions: its mean, its extremes, and its values at directions [n, d].
func landscape(r *Request, a *Answer) error {
	var s landscapeSettings
	if err := r.apply(&s); err != nil {
		return err
	}
	all, _, err := r.landscapes(s.Blur)
	if err != nil {
		return err
	}
	l := all[0]
	add(a, "mean", []float64{l.Mean})
	add(a, "values", l.Values, len(l.Values))
	add(a, "grid", l.Grid, len(l.Values), len(l.Grid)/len(l.Values))
	for _, name := range []string{"lowest", "highest"} {
		at, value, err := l.Extreme(name == "highest")
		if err != nil {
			return err
		}
		add(a, name, []float64{value})
		add(a, name+"_at", at, len(at))
	}
	return nil
}

// sliceCosts answers with F, or J, at directions [n, d] of any length but 0.
func sliceCosts(r *Request, a *Answer) error {
	var s landscapeSettings
	if err := r.apply(&s); err != nil {
		return err
	}
	x, y, err := r.onePair()
	if err != nil {
		return err
	}
	given, shape := r.wide("directions")
	if len(shape) != 2 || shape[1] != x.Dim {
		return fmt.Errorf("directions: expected rows of %d coordinates, found shape %v", x.Dim, shape)
	}
	var at []float32
	for v := range slices.Chunk(given, x.Dim) {
		norm := 0.0
		for _, c := range v {
			norm += c * c
		}
		if !(norm > 0) {
			return fmt.Errorf("directions: expected one other than 0, found %v", v)
		}
		for _, c := range v {
			at = append(at, float32(c/math.Sqrt(norm)))
		}
	}
	var values []float64
	if s.Blur == "+Inf" {
		values, err = experiments.SliceCosts(x, y, at)
	} else {
		all, _, e := r.landscapes(s.Blur)
		if e != nil {
			return e
		}
		values, err = all[0].At(at)
	}
	add(a, "values", values, len(values))
	return err
}

// drawLandscape draws functions of all directions, with the location of a distance on them.
func drawLandscape(r *Request, s pictureSettings) (*vmfviz.Picture, error) {
	all, kappas, err := r.landscapes(s.Blur)
	if err != nil {
		return nil, err
	}
	const label = "cost of a slice (mean over points)"
	name := func(i int) string {
		if math.IsInf(kappas[i], 1) {
			return "one direction, F"
		}
		return fmt.Sprintf("mean around it, κ = %g", kappas[i])
	}
	if len(all[0].Grid) == 2*len(all[0].Values) {
		half := len(all[0].Values)/2 + 1
		angles := make([]float64, half)
		for i := range angles {
			angles[i] = 180 * float64(i) / float64(half-1)
		}
		p := vmfviz.CurvePanel{XLabel: "angle of the direction in degrees", YLabel: label}
		for i, l := range all {
			c := vmfviz.Series{X: angles, Y: l.Values[:half]}
			if len(all) > 1 {
				c.Label = name(i)
			}
			p.Series = append(p.Series, c)
		}
		return vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title}, p)
	}
	var panels []vmfviz.SpherePanel
	for i, l := range all {
		p := vmfviz.SpherePanel{Heat: &vmfviz.Heat{Values: l.Values, Label: label, Contours: true}}
		if len(all) > 1 {
			p.Caption = name(i)
		}
		if at := r.floats("location"); len(at) >= 3 {
			p.Location = at[:3]
		}
		p.Marks = r.floats("optimum")
		panels = append(panels, p)
	}
	return vmfviz.SphereMap(vmfviz.SphereOptions{Title: s.Title}, panels...)
}

// curveSettings are those of a curve.
type curveSettings struct {
	Label string `json:"label"`
	Dots  bool   `json:"dots"`
	Thin  bool   `json:"thin"`
}

// drawCurves draws the curves y0 against x0, y1 against x1, ..., with errors e0, e1, ... where they have some. An axis is
// logarithmic where the values are positive and span a factor of 100.
func drawCurves(r *Request, s pictureSettings) (*vmfviz.Picture, error) {
	p := vmfviz.CurvePanel{XLabel: s.X, YLabel: s.Y}
	var all []curveSettings
	if err := json.Unmarshal([]byte(s.Lines), &all); err != nil {
		return nil, fmt.Errorf("lines: %w", err)
	}
	var xs, ys []float64
	for i, c := range all {
		line := vmfviz.Series{Label: c.Label, Dots: c.Dots, Thin: c.Thin}
		line.X, _ = r.wide(fmt.Sprintf("x%d", i))
		line.Y, _ = r.wide(fmt.Sprintf("y%d", i))
		errors, _ := r.wide(fmt.Sprintf("e%d", i))
		if len(line.X) == 0 || len(line.X) != len(line.Y) || errors != nil && len(errors) != len(line.Y) {
			return nil, fmt.Errorf("curve: expected as many y as x, and at least one, found %d and %d", len(line.Y), len(line.X))
		}
		for k, e := range errors {
			line.Low, line.High = append(line.Low, line.Y[k]-e), append(line.High, line.Y[k]+e)
		}
		xs, ys = append(xs, line.X...), append(append(ys, line.Y...), line.Low...)
		p.Series = append(p.Series, line)
	}
	if len(xs) == 0 {
		return nil, fmt.Errorf("curves: expected at least one")
	}
	wide := func(v []float64) bool { return slices.Min(v) > 0 && slices.Max(v) >= 100*slices.Min(v) }
	p.LogX, p.LogY = wide(xs), len(all) > 1 && wide(ys)
	return vmfviz.Curves(vmfviz.CurvesOptions{Title: s.Title, Height: s.Height}, p)
}
