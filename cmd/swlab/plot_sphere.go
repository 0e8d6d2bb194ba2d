package main

import (
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
	kappas                            []float64
	distribution, location, view, out string
	n                                 int
	flat                              bool
}

func newPlotSphere(c *common) *cobra.Command {
	p := &plotSphere{common: c}
	cmd := &cobra.Command{
		Use:   "sphere --kappa K [--kappa K2 ...] --out P",
		Short: "directions of a slicing distribution on the sphere; as .html it turns",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return p.run() },
	}
	f := cmd.Flags()
	f.Float64SliceVar(&p.kappas, "kappa", nil, "concentrations, a sphere for each; required if the distribution has one")
	f.StringVar(&p.distribution, "distribution", "vmf", strings.Join(slicing.Names(), ", "))
	f.StringVar(&p.location, "location", "0.6,0.48,0.64", "location: three numbers, divided by their norm")
	f.IntVar(&p.n, "n", 400, "directions on every sphere")
	f.BoolVar(&p.flat, "map", false, "equal-area maps of both halves in the place of spheres")
	viewFlag(f, &p.view, "default 35,22; z is up, azimuth 0 is on the x axis")
	f.StringVar(&p.out, "out", "", "picture to write: .png, .svg, .pdf, or .html, a page with a sphere that turns and, for vmf, a slider of kappa")
	writes(cmd, "out", append([]string{".html"}, picture...)...)
	return required(refuse(cmd, p.unused), "out")
}

// unused says why a flag has no effect in this call.
func (p *plotSphere) unused(flag string) (string, error) {
	switch flag {
	case "kappa":
		if reads, err := p.readsKappa(); err != nil || !reads {
			return fmt.Sprintf("slicing distribution %q has no concentration", p.distribution), err
		}
	case "location":
		if d, err := p.with(1); err != nil || !d.HasLocation() {
			return fmt.Sprintf("slicing distribution %q has no location", p.distribution), err
		}
	case "map":
		if p.html() {
			return "a .html page turns the sphere", nil
		}
	}
	return "", nil
}

func (p *plotSphere) html() bool { return strings.EqualFold(filepath.Ext(p.out), ".html") }

// with returns the distribution with that concentration.
func (p *plotSphere) with(kappa float64) (slicing.Distribution, error) {
	return slicing.New(p.distribution, slicing.Config{Kappa: kappa, Chain: loss.Defaults().Chain})
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
	view, err := parseView(p.view)
	if err != nil {
		return err
	}
	location, err := parseLocation(p.location)
	if err == nil && len(location) != 3 {
		err = fmt.Errorf("expected 3 coordinates, found %d", len(location))
	}
	if err != nil {
		return usageError(fmt.Errorf("--location: %w", err))
	}
	kappas := p.kappas
	switch reads, err := p.readsKappa(); {
	case err != nil:
		return usageError(err)
	case !reads:
		kappas = []float64{1} // one panel
	case len(kappas) == 0:
		return usageError(fmt.Errorf("--kappa is missing: slicing distribution %q has a concentration", p.distribution))
	}
	if err := memory.Check(fmt.Sprintf("--n: %d directions on each of %d spheres", p.n, len(kappas)), memory.Bytes(4, p.n, len(kappas), 3)); err != nil {
		return usageError(err)
	}
	var panels []vmfviz.SpherePanel
	for i, kappa := range kappas {
		if err := vmf.CheckKappa(kappa); err != nil {
			return usageError(fmt.Errorf("--kappa: %w", err))
		}
		if p.html() && p.distribution == "vmf" && kappa > sliderEnd {
			return usageError(fmt.Errorf("--kappa: expected at most %d, the end of the slider of a .html page, found %g", sliderEnd, kappa))
		}
		panel, err := p.panel(kappa, p.seed+uint64(i), single(location))
		if err != nil {
			return err
		}
		panels = append(panels, panel)
	}
	o := vmfviz.SphereOptions{View: view}
	answer := map[string]any{"distribution": p.distribution, "n": p.n}
	if p.html() {
		return p.page(o, panels, answer)
	}
	draw := vmfviz.Sphere
	if p.flat {
		draw = vmfviz.SphereMap
	}
	picture, err := draw(o, panels...)
	if err != nil {
		return err
	}
	return p.savePicture(p.out, picture, answer)
}

// panel draws directions around the location. In a page vMF's are noise, from which the page makes
// the samples of every concentration.
func (p *plotSphere) panel(kappa float64, seed uint64, location []float32) (vmfviz.SpherePanel, error) {
	d, err := p.with(kappa)
	if err != nil {
		return vmfviz.SpherePanel{}, usageError(err)
	}
	panel := vmfviz.SpherePanel{Caption: p.distribution}
	if reads, err := p.readsKappa(); err == nil && reads {
		panel.Caption += fmt.Sprintf(", κ = %g", kappa)
	}
	if d.HasLocation() {
		panel.Location = location
	}
	if _, is := d.(slicing.VMF); is && p.html() {
		panel.Caption, panel.VMF = p.distribution, &vmfviz.VMF{Kappa: kappa, Noise: make([]float32, 2*p.n)}
		source := rand.New(rand.NewPCG(seed, 0))
		for i := range panel.VMF.Noise {
			panel.VMF.Noise[i] = source.Float32()
		}
		return panel, nil
	}
	panel.Points, err = drawDirections(d, location, p.n, seed)
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
	out, err := engine.NewProgram[drawIn[*tensors.Tensor], *tensors.Tensor](e, drawKey{d.Name(), n}, func(in drawIn[*graph.Node]) *graph.Node {
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

// drawKey identifies the graph of drawDirections.
type drawKey struct {
	distribution string
	n            int
}

// page saves the sphere that turns as a page of its own.
func (p *plotSphere) page(o vmfviz.SphereOptions, panels []vmfviz.SpherePanel, answer map[string]any) error {
	code, err := vmfviz.SphereHTML(o, panels...)
	if err != nil {
		return usageError(err)
	}
	written := save("out", p.out, func(path string) error {
		return durable.Write(path, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>%s on the sphere</title>\n<body>\n%s</body>\n</html>\n", p.distribution, code)
			return err
		})
	})
	answer["out"] = written
	if err := p.print(answer, written.row("a page with a sphere that turns")); err != nil {
		return err
	}
	return written.err
}

// single rounds to float32.
func single(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}
