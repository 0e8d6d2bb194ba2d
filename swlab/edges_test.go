package swlab

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// edge is a pair of small clouds, or a setting, at the edge of the numbers.
type edge struct {
	name string
	x, y *datasets.Set
	set  func(*loss.Config) // changes the settings; nil: none
	// by how much the clouds lie closer together than to the origin: the roundings of projections
	// count that much more
	near float64
}

// edges are the cases of docs/results/edges.md.
func edges() (out []edge) {
	const m = 6
	scaled := func(s *datasets.Set, by float64) *datasets.Set {
		c := *s
		c.Coords = nil
		for _, v := range s.Coords {
			c.Coords = append(c.Coords, float32(float64(v)*by))
		}
		return &c
	}
	mapped := func(s *datasets.Set, f func(point, axis int, v float64) float64) *datasets.Set {
		c := *s
		c.Coords = nil
		for i, v := range s.Coords {
			c.Coords = append(c.Coords, float32(f(i/s.Dim, i%s.Dim, float64(v))))
		}
		return &c
	}
	x, y := gaussian(1, 1, m, 3, 1), gaussian(2, 1, m, 3, 1)
	add := func(name string, x, y *datasets.Set, set func(*loss.Config)) {
		out = append(out, edge{name, x, y, set, 1})
	}
	for _, by := range []float64{1e-20, 1e-15, 1e-10, 1e-5, 1, 1e5, 1e10, 1e15, 1e20} {
		add(fmt.Sprintf("scale %g", by), scaled(x, by), scaled(y, by), nil)
	}
	add("equal clouds", x, x, nil)
	collapse := func(s *datasets.Set) *datasets.Set {
		return mapped(s, func(_, axis int, _ float64) float64 { return float64(s.Coords[axis]) })
	}
	add("every point the same", collapse(x), collapse(y), nil)
	line := func(s *datasets.Set) *datasets.Set {
		return mapped(s, func(point, axis int, _ float64) float64 { return float64(s.Coords[point]) * float64(axis+1) })
	}
	add("collinear", line(x), line(y), nil)
	add("each point twice", mapped(x, func(p, a int, _ float64) float64 { return float64(x.Coords[p/2*3+a]) }),
		mapped(y, func(p, a int, _ float64) float64 { return float64(y.Coords[p/2*3+a]) }), nil)
	outlier := func(by float64) *datasets.Set {
		return mapped(y, func(p, _ int, v float64) float64 {
			if p == 0 {
				return by
			}
			return v
		})
	}
	add("outlier at 1e3", x, outlier(1e3), nil)
	add("outlier at 1e6", x, outlier(1e6), nil)
	near := func(by float64) *datasets.Set {
		return mapped(x, func(p, a int, v float64) float64 { return v + by*float64(y.Coords[3*p+a]) })
	}
	for _, by := range []float64{1e-3, 1e-6} {
		out = append(out, edge{fmt.Sprintf("%g apart", by), x, near(by), nil, 1 / by})
	}
	far := func(s *datasets.Set, by float64) *datasets.Set {
		return mapped(s, func(_, _ int, v float64) float64 { return v + by })
	}
	for _, by := range []float64{100, 1e6} {
		out = append(out, edge{fmt.Sprintf("%g from the origin", by), far(x, by), far(y, by), nil, by})
	}
	for _, n := range []int{1, 2} {
		add(fmt.Sprintf("m = %d", n), gaussian(1, 1, n, 3, 1), gaussian(2, 1, n, 3, 1), nil)
	}
	for _, d := range []int{1, 2, 64, 512} {
		add(fmt.Sprintf("d = %d", d), gaussian(1, 1, m, d, 1), gaussian(2, 1, m, d, 1), nil)
	}
	add("L = 1", x, y, func(c *loss.Config) { c.Slices = 1 })
	for _, p := range []float64{1, 1.5, 3, 8} {
		add(fmt.Sprintf("p = %g", p), x, y, func(c *loss.Config) { c.P = p })
	}
	for _, by := range []float64{1e-20, 1e-5, 1e5, 1e20} {
		add(fmt.Sprintf("p = 8, scale %g", by), scaled(x, by), scaled(y, by), func(c *loss.Config) { c.P = 8 })
	}
	for _, by := range []float64{1e-20, 1e20} {
		add(fmt.Sprintf("p = 1, scale %g", by), scaled(x, by), scaled(y, by), func(c *loss.Config) { c.P = 1 })
		add(fmt.Sprintf("p = 1.5, scale %g", by), scaled(x, by), scaled(y, by), func(c *loss.Config) { c.P = 1.5 })
	}
	for _, by := range []float64{1e-17, 1e-5, 1, 1e5} {
		add(fmt.Sprintf("root, scale %g", by), scaled(x, by), scaled(y, by), func(c *loss.Config) { c.Root = true })
	}
	add("root, p = 60", x, y, func(c *loss.Config) { c.P, c.Root = 60, true })
	for _, k := range []float64{0, 100, 1e6} {
		add(fmt.Sprintf("kappa = %g", k), x, y, func(c *loss.Config) { c.Kappa = k })
	}
	return out
}

// expected is the loss of the edge's pair in 256 bits, with the directions that a result has; ok is
// false where the reference does not converge.
func (e edge) expected(l loss.Loss, c loss.Config, d *Result) (value real, ok bool) {
	x, y := points(e.x.Coords, e.x.Dim), points(e.y.Coords, e.y.Dim)
	m := len(x)
	share := func(v real, r loss.Reduction) real {
		if r == loss.Mean {
			return v.over(number(float64(m)))
		}
		return v
	}
	switch l := l.(type) {
	case loss.Chamfer:
		return realChamfer(x, y, l.Exponent()), true
	case loss.ApproximateEMD:
		return share(realApproximateEMD(x, y), l.Reduce), true
	case loss.ExactEMD:
		return share(realEMD(realTable(x, y, l.Exponent())), l.Reduce), true
	case loss.Sinkhorn:
		return expectedSinkhorn(l, x, y)
	case loss.Sliced:
		theta := points(d.Directions, e.x.Dim)
		var costs []real
		for _, t := range theta {
			costs = append(costs, share(realSlice(x, y, t, l.Exponent()), l.Reduce))
		}
		if len(costs) == 1 { // on the line too
			l.Estimator = nil
		}
		switch r := l.Estimator.(type) {
		case nil, loss.SliceMean:
			value = meanOf(costs)
		case loss.Energy:
			value = realEnergy(costs, m)
		case loss.Adaptive:
			value, _ = realAdaptive(costs, r.Epsilon)
		case loss.Control:
			value = realUpper(costs, x, y, theta)
		}
		if l.Root {
			value = value.root(l.Exponent())
		}
		return value, true
	}
	panic(l)
}

// expectedSinkhorn is the transport part, or the divergence of three objectives.
func expectedSinkhorn(l loss.Sinkhorn, x, y [][]real) (real, bool) {
	transport, objective, ok := realSinkhorn(realTable(x, y, l.Exponent()), l.Reg)
	if !l.Debiased {
		return transport, ok
	}
	_, xx, okX := realSinkhorn(realTable(x, x, l.Exponent()), l.Reg)
	_, yy, okY := realSinkhorn(realTable(y, y, l.Exponent()), l.Reg)
	return objective.minus(xx.plus(yy).over(number(2))), ok && okX && okY
}

// regularisation is the mean cost between the clouds, with which the iterations of the
// reference converge.
func (e edge) regularisation(p float64) float64 {
	if p == 0 {
		p = 2
	}
	var all []real
	for _, row := range realTable(points(e.x.Coords, e.x.Dim), points(e.y.Coords, e.y.Dim), p) {
		all = append(all, row...)
	}
	return meanOf(all).float()
}

// inFloat64 is the loss of a pair by its graph in float64, on the directions of a result.
func inFloat64(l loss.Graph, e edge, d *Result) (float64, error) {
	b := must.M1(goBackend())
	in := values{
		X: tensors.FromFlatDataAndDimensions(vec.To[float64](e.x.Coords), 1, e.x.Points, e.x.Dim),
		Y: tensors.FromFlatDataAndDimensions(vec.To[float64](e.y.Coords), 1, e.y.Points, e.y.Dim),
	}
	if s, ok := l.(loss.Sliced); ok {
		s.Slicer.Slices = len(d.Directions) / e.x.Dim
		in.Directions = tensors.FromFlatDataAndDimensions(vec.To[float64](d.Directions), 1, s.Slicer.Slices, e.x.Dim)
		l = s
	}
	out, err := call(b, "float64", fmt.Sprintf("%+v", l), in, func(in nodes) nodes {
		l := l
		if s, ok := l.(loss.Sliced); ok {
			s.Slicer = slicing.Slicer{Distribution: slicing.Fixed{Directions: in.Directions}, Slices: s.Slicer.Slices}
			l = s
		}
		return nodes{Pairs: l.Build(loss.BuildArgs{}, in.X, in.Y).Pairs}
	})
	if err != nil {
		return 0, err
	}
	return numbers(out.Pairs)[0], nil
}

// applies reports whether the edge's settings mean something to the loss.
func (e edge) applies(l loss.Loss) bool {
	_, sliced := l.(loss.Sliced)
	_, approximate := l.(loss.ApproximateEMD)
	around := strings.Contains(fmt.Sprintf("%+v", l), "Kappa") // its directions have a concentration
	switch word, _, _ := strings.Cut(e.name, " "); word {
	case "root,", "L":
		return sliced
	case "kappa":
		return sliced && around
	case "p":
		return !approximate
	}
	return true
}

// The places where a loss is computed are the columns of the page.
var columns = []string{"host", "graph, float32", "graph, float64"}

// compute is the loss at an edge, with the directions used; found is false where the loss is not
// computed there.
func (e edge) compute(name, column string, c loss.Config) (value float64, d *Result, found bool, err error) {
	l, err := loss.New(name, c)
	if err != nil && l == nil { // settings that no loss takes
		return 0, nil, column == "host", err
	}
	_, sliced := l.(loss.Sliced)
	_, host := l.(loss.Host)
	g, isGraph := l.(loss.Graph)
	if err != nil {
		return 0, nil, true, err
	}
	if column == "host" && !sliced && !host || column != "host" && !isGraph {
		return 0, nil, false, nil
	}
	b := must.M1(goBackend())
	o := DistanceConfig{Config: c, Seed: 5, Engine: b, Path: HostPath, Gradient: true}
	switch {
	case column == "graph, float32":
		o.Path = GraphPath
	case column == "graph, float64" && !sliced:
		value, err = inFloat64(g, e, nil)
		return value, nil, true, err
	}
	if d, err = Distance(name, e.x, e.y, o); err != nil {
		return 0, d, true, err
	}
	for _, v := range d.Gradient {
		if v-v != 0 {
			return 0, d, true, fmt.Errorf("the gradient holds %v", v)
		}
	}
	if column == "graph, float64" {
		value, err = inFloat64(g, e, d)
		return value, d, true, err
	}
	return d.Value, d, true, nil
}

// bound is the relative and the absolute error that docs/results/edges.md allows.
func (e edge) bound(l loss.Loss, column string) (relative, absolute float64) {
	relative = 3e-14 * e.near
	if column == "graph, float32" {
		relative, absolute = 3e-6*e.near, 1e-43
	}
	switch l.(type) {
	case loss.Sinkhorn:
		relative = 1e-7 * e.near
	case loss.ApproximateEMD:
		absolute = 1e-10 * float64(e.x.Points)
	}
	return relative, absolute
}

var update = flag.Bool("update", false, "write docs/results/edges.md anew")

// TestNumbersAtTheEdge: every loss at the edge of the numbers is right, or an error. Its errors are
// those of docs/results/edges.md.
func TestNumbersAtTheEdge(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	worst := map[[2]string]float64{} // by loss or edge, and column
	refused := map[[2]string]int{}   // losses that return an error, likewise
	for _, name := range inSpace() {
		for _, e := range edges() {
			c := loss.Defaults()
			c.Slices, c.AscentSteps = 12, 3
			if e.set != nil {
				e.set(&c)
			}
			if reg := e.regularisation(c.P); reg > 0 && strings.HasPrefix(name, "sinkhorn") {
				c.Reg = reg
			}
			if !e.applies(must.M1(loss.New(name, loss.Defaults()))) {
				continue
			}
			for _, column := range columns {
				got, d, found, err := e.compute(name, column, c)
				if !found {
					continue
				}
				if err != nil {
					if strings.Contains(err.Error(), "gradient holds") {
						t.Errorf("%s, %s, %s: %v", name, e.name, column, err)
					}
					refused[[2]string{e.name, column}]++
					continue
				}
				l, _ := loss.New(name, c)
				want, ok := e.expected(l, c, d)
				if !ok {
					t.Errorf("%s, %s: the reference does not converge", name, e.name)
					continue
				}
				if math.IsNaN(got) || math.IsInf(got, 0) {
					t.Errorf("%s, %s, %s: %v, want %v or an error", name, e.name, column, got, want.float())
					continue
				}
				off := number(got).minus(want).abs()
				relative, absolute := e.bound(l, column)
				if number(absolute).plus(want.abs().times(number(relative))).less(off) {
					t.Errorf("%s, %s, %s: %v, want %v", name, e.name, column, got, want.float())
				}
				if number(absolute).less(off) || absolute == 0 && !want.zero() {
					for _, key := range [][2]string{{name, column}, {e.name, column}} {
						_, entropic := l.(loss.Sinkhorn) // is solved to 1e-9
						if key[0] == name && e.near == 1 || key[0] == e.name && !entropic {
							worst[key] = max(worst[key], off.over(want.abs()).float())
						}
					}
				} else if _, ok := worst[[2]string{e.name, column}]; !ok {
					worst[[2]string{e.name, column}] = 0
				}
			}
		}
	}
	var page strings.Builder
	row := func(name string) {
		fmt.Fprintf(&page, "| %s |", name)
		for _, column := range columns {
			cell := " -"
			if v, ok := worst[[2]string{name, column}]; ok {
				cell = fmt.Sprintf(" %.0e", v)
			}
			if n := refused[[2]string{name, column}]; n > 0 {
				cell += fmt.Sprintf(" (%d refused)", n)
			}
			page.WriteString(cell + " |")
		}
		page.WriteString("\n")
	}
	head := "| host | graph, float32 | graph, float64 |\n|---|---|---|---|\n"
	page.WriteString("| loss " + head)
	for _, name := range inSpace() {
		row(name)
	}
	page.WriteString("\n| case " + head)
	for _, e := range edges() {
		row(e.name)
	}
	samePage(t, "numbers", page.String())
}

// samePage compares the part of docs/results/edges.md between two marks with a fresh one: the words
// are equal, the errors agree within a factor of 4 or are both below 1e-15.
func samePage(t *testing.T, mark, fresh string) {
	t.Helper()
	const path = "../docs/results/edges.md"
	raw := must.M1(os.ReadFile(path))
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->"
	before, rest, ok := strings.Cut(string(raw), begin)
	stored, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: expected the marks %q and %q", path, begin, end)
	}
	if *update {
		must.M(os.WriteFile(path, []byte(before+begin+fresh+end+after), 0o644))
		return
	}
	a, b := strings.Fields(stored), strings.Fields(fresh)
	if len(a) != len(b) {
		t.Fatalf("%s: %d words, now %d: go test ./swlab -run %s -update, and read what changed", path, len(a), len(b),
			t.Name())
	}
	for i := range a {
		v, errA := strconv.ParseFloat(a[i], 64)
		w, errB := strconv.ParseFloat(b[i], 64)
		if a[i] == b[i] || errA == nil && errB == nil && v <= 4*w+1e-15 && w <= 4*v+1e-15 {
			continue
		}
		t.Errorf("%s: %q is now %q, after %q", path, a[i], b[i], strings.Join(a[max(0, i-8):i], " "))
	}
}
