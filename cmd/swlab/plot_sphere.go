package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/spf13/cobra"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// sliderEnd is the largest concentration of [vmfviz.SphereHTML].
const sliderEnd = 1000

type plotSphere struct {
	*common
	Kappas       []float64 `flag:"kappa" unit:"K1,K2,..." help:"concentrations, a sphere for each; required if the distribution has one"`
	Distribution string    `flag:"distribution" unit:"NAME" help:"slicing distribution: %s"`
	Location     string    `flag:"location" unit:"X,Y,Z" help:"location of the distribution: three numbers, divided by their norm"`
	N            int       `flag:"n" range:"1.." help:"directions on every sphere"`
	Map          bool      `flag:"map" help:"draw equal-area maps of both halves in place of spheres"`
	View         string    `flag:"view" unit:"AZIMUTH,ELEVATION" help:"where the reader stands, in degrees (default 35,22); z is up, azimuth 0 is on the x axis"`
	Out          string    `flag:"out" need:"x" unit:"FILE" writes:".png .svg .pdf .html" group:"Output" help:"picture to write: .png, .svg, .pdf, or .html, a page with a sphere that turns and, for vmf, a slider of kappa"`
}

func newPlotSphere(c *common) *cobra.Command {
	return c.command("sphere --kappa K1,K2,... --out FILE", "Draw directions of a slicing distribution on the sphere; as .html it turns", `swlab plot sphere --kappa 1,10,100 --out vmf.png
swlab plot sphere --kappa 10 --out vmf.html`, &plotSphere{common: c, Distribution: "vmf", Location: "0.6,0.48,0.64", N: 400})
}

type sphereAnswer struct {
	drawn
	Distribution string `json:"distribution"`
	N            int    `json:"n"`
}

// unused says why a flag has no effect in this call.
func (p *plotSphere) unused(flag string) (string, error) {
	switch flag {
	case "kappa":
		if reads, err := p.readsKappa(); err != nil || !reads {
			return fmt.Sprintf("slicing distribution %q has no concentration", p.Distribution), err
		}
	case "location":
		if d, err := p.with(1); err != nil || !d.HasLocation() {
			return fmt.Sprintf("slicing distribution %q has no location", p.Distribution), err
		}
	case "map":
		if p.html() {
			return "a .html page turns the sphere", nil
		}
	}
	return "", nil
}

func (p *plotSphere) html() bool { return strings.EqualFold(filepath.Ext(p.Out), ".html") }

// with returns the distribution with that concentration.
func (p *plotSphere) with(kappa float64) (slicing.Distribution, error) {
	return slicing.New(p.Distribution, slicing.Config{Kappa: kappa, Chain: loss.Defaults().Chain})
}

func (p *plotSphere) readsKappa() (bool, error) {
	one, err := p.with(1)
	if err != nil {
		return false, err
	}
	two, err := p.with(2)
	return !reflect.DeepEqual(one, two), err
}

func (p *plotSphere) run() error {
	view, err := parseView(p.View)
	if err != nil {
		return err
	}
	location, err := parseLocation(p.Location)
	if err == nil && len(location) != 3 {
		err = fmt.Errorf("expected 3 coordinates, found %d", len(location))
	}
	if err != nil {
		return usageError(fmt.Errorf("--location: %w", err))
	}
	kappas := p.Kappas
	switch reads, err := p.readsKappa(); {
	case err != nil:
		return usageError(err)
	case !reads:
		kappas = []float64{1} // one panel
	case len(kappas) == 0:
		return usageError(fmt.Errorf("--kappa is missing: slicing distribution %q has a concentration", p.Distribution))
	}
	if err := memory.Check(fmt.Sprintf("--n: %d directions on each of %d spheres", p.N, len(kappas)), memory.Bytes(4, p.N, len(kappas), 3)); err != nil {
		return usageError(err)
	}
	var panels []vmfviz.SpherePanel
	for i, kappa := range kappas {
		if err := vmf.CheckKappa(kappa); err != nil {
			return usageError(fmt.Errorf("--kappa: %w", err))
		}
		if p.html() && p.Distribution == "vmf" && kappa > sliderEnd {
			return usageError(fmt.Errorf("--kappa: expected at most %d, the end of the slider of a .html page, found %g", sliderEnd, kappa))
		}
		panel, err := p.panel(kappa, p.Seed+uint64(i), single(location))
		if err != nil {
			return err
		}
		panels = append(panels, panel)
	}
	o := vmfviz.SphereOptions{View: view}
	if p.html() {
		return p.page(o, panels)
	}
	sphere := vmfviz.Sphere
	if p.Map {
		sphere = vmfviz.SphereMap
	}
	picture, err := sphere(o, panels...)
	if err != nil {
		return err
	}
	a := sphereAnswer{draw(p.Out, picture), p.Distribution, p.N}
	return errors.Join(p.print(a), a.Out.err)
}

// panel draws directions around the location. In a page vMF's are noise, from which the page makes
// the samples of every concentration.
func (p *plotSphere) panel(kappa float64, seed uint64, location []float32) (vmfviz.SpherePanel, error) {
	d, err := p.with(kappa)
	if err != nil {
		return vmfviz.SpherePanel{}, usageError(err)
	}
	panel := vmfviz.SpherePanel{Caption: p.Distribution}
	if reads, err := p.readsKappa(); err == nil && reads {
		panel.Caption += fmt.Sprintf(", κ = %g", kappa)
	}
	if d.HasLocation() {
		panel.Location = location
	}
	if p.Distribution == "vmf" && p.html() {
		panel.Caption, panel.VMF = p.Distribution, &vmfviz.VMF{Kappa: kappa, Noise: make([]float32, 2*p.N)}
		source := rand.New(rand.NewPCG(seed, 0))
		for i := range panel.VMF.Noise {
			panel.VMF.Noise[i] = source.Float32()
		}
		return panel, nil
	}
	panel.Points, err = drawDirections(d, location, p.N, seed)
	return panel, err
}

// drawDirections draws n directions in space, on the pure-Go backend as a distance does.
func drawDirections(d slicing.Distribution, location []float32, n int, seed uint64) ([]float32, error) {
	if _, is := d.(slicing.CloudDependent); is {
		return nil, usageError(fmt.Errorf("--distribution: expected one that does not depend on clouds, found %s", d.Name()))
	}
	if err := d.Check(3); err != nil {
		return nil, usageError(fmt.Errorf("--distribution: %w", err))
	}
	e, err := engine.Open("go")
	if err != nil {
		return nil, err
	}
	state, err := graph.RNGStateFromSeed(int64(seed))
	if err != nil {
		return nil, err
	}
	in := drawIn[*tensors.Tensor]{state, tensors.FromFlatDataAndDimensions(location, 1, 3)}
	defer engine.Free(in)
	out, err := engine.NewProgram[drawIn[*tensors.Tensor], *tensors.Tensor](e, nil, func(in drawIn[*graph.Node]) *graph.Node {
		return d.Draw(slicing.Request{Source: slicing.Seeded(in.Noise), Location: in.Location, X: graph.InsertAxes(in.Location, 1), Slices: n})
	}).Call(in)
	if err != nil {
		return nil, err
	}
	defer engine.Free(out)
	return tensors.CopyFlatData[float32](out)
}

// drawIn are the inputs of the graph of drawDirections.
type drawIn[T any] struct{ Noise, Location T }

// pageAnswer is that of a page, which has no size.
type pageAnswer struct {
	Out          saved  `json:"out"`
	Distribution string `json:"distribution"`
	N            int    `json:"n"`
}

func (a pageAnswer) String() string { return lines(a.Out.row("a page with a sphere that turns")) }

// page saves the sphere that turns as a page of its own.
func (p *plotSphere) page(o vmfviz.SphereOptions, panels []vmfviz.SpherePanel) error {
	code, err := vmfviz.SphereHTML(o, panels...)
	if err != nil {
		return usageError(err)
	}
	written := save("out", p.Out, func(path string) error {
		return durable.Write(path, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>%s on the sphere</title>\n<body>\n%s</body>\n</html>\n", p.Distribution, code)
			return err
		})
	})
	return errors.Join(p.print(pageAnswer{written, p.Distribution, p.N}), written.err)
}

// single rounds to float32.
func single(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}
