package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// largest is the largest product of points and directions with which POT and NumPy are called:
// about 20 seconds of POT. Only ours does larger cases.
const largest = 4e7

// pots are POT, and numpys NumPy on all cores, in both precisions.
var (
	pots   = []string{"POT, float64", "POT, float32"}
	numpys = []string{"NumPy, float64", "NumPy, float32"}
)

// inBlocks is NumPy in float32 with a loop over blocks of directions, or of pairs, that fit a cache.
const inBlocks = "NumPy, float32, in blocks"

// avx2 ends the name of NumPy without AVX-512. Its sort for AVX-512 stores compressed vectors, which
// some processors do slowly (AMD's Zen 4): there its sort for AVX2 is several times as fast.
const avx2 = ", AVX2"

var withoutAVX512 = []string{"NPY_DISABLE_CPU_FEATURES=X86_V4"}

// exact is this project with Path: HostPath, graphAlone the compiled graph of a distance without the
// rest of the call.
const (
	exact      = "swlab, exact"
	graphAlone = "swlab, graph alone"
)

// scaling plans cost curves of this project only: steps against B, losses against L and T. Every
// sample of a curve is of so many whole steps that its work is about that of one step at the
// curve's end.
func (p *planner) scaling() {
	on := func(axis, curve string, at []int, samples int, flags func(at int) []any) {
		for _, n := range at {
			together := at[len(at)-1] / n
			command := append(flags(n), "--warmup", max(1, together/2), "--steps", p.atMost(samples), "--together", together)
			p.add(testCase{Group: "scaling", Name: fmt.Sprintf("%s, %s=%d", curve, axis, n), On: []point{{axis, curve, float64(n)}},
				Programs: []program{{Name: swlab, Command: p.ours("step", command...)}}})
		}
	}
	m, b := p.small(512), p.small(32)
	for _, l := range []string{"sw", "la"} {
		on("B", name(l)+" step", p.of([]int{16, 32, 64, 128, 256, 512}, []int{4, 8, 16}), 6, func(batch int) []any {
			return []any{"--loss", l, "--batch", batch, "--points", m}
		})
	}
	on("L", "SW loss alone", p.of([]int{10, 20, 50, 100, 200, 500, 1000}, []int{4, 8, 16}), 20, func(slices int) []any {
		return []any{"--loss", "sw", "--loss-only", "--batch", b, "--points", m, "--slices", slices}
	})
	on("T", "v-DSW loss alone", p.of([]int{1, 2, 5, 10, 20, 50}, []int{2, 4, 8}), 8, func(steps int) []any {
		return []any{"--loss", "v-dsw", "--loss-only", "--batch", b, "--points", m, "--ascent-steps", steps}
	})
}

// amortizers plans the attention amortizers alone against m: A in blocks of rows as trained here, A
// with its m x m scores stored as released, EA and LA.
func (p *planner) amortizers() {
	for _, a := range []struct {
		name, curve string
		batch       int // enough for the memory to exceed what any first call takes
		more        []any
	}{{"a", "A", 4, nil}, {"a", "A, scores stored", 4, []any{"--stored-scores"}}, {"ea", "EA", 32, nil}, {"la", "LA", 32, nil}} {
		for _, m := range p.of([]int{256, 512, 1024, 2048, 4096, 8192}, []int{32, 64, 128}) {
			flags := append([]any{"--name", a.name, "--batch", p.small(a.batch), "--points", m, "--seconds", p.atMost(2)}, a.more...)
			p.add(testCase{Group: "amortizers", Name: fmt.Sprintf("%s, m=%d", a.curve, m), On: []point{{pointsAxis, a.curve, float64(m)}, {memoryAxis, a.curve, float64(m)}},
				Programs: []program{{Name: swlab, Command: p.ours("amortizer", flags...)}}})
		}
	}
}

func (p *planner) of(all, quick []int) []int {
	if p.quick {
		return quick
	}
	return all
}

// distances plans distances between two clouds, over a grid of m and L and along two lines of it.
func (p *planner) distances() {
	const line, points = 100, 2048
	ms := p.of([]int{1000, points, 10_000, 100_000, 1_000_000}, []int{500, 1000})
	grid := map[[2]int]bool{}
	add := func(m, l int) {
		if grid[[2]int{m, l}] {
			return
		}
		grid[[2]int{m, l}] = true
		dir := filepath.Join(p.work, "clouds")
		flags := []any{"--clouds", dir, "--points", m, "--slices", l, "--seconds", p.atMost(2)}
		c := testCase{Group: "distance", Name: fmt.Sprintf("sliced W_2^2, m=%d L=%d", m, l),
			Needs:    []file{{filepath.Join(dir, fmt.Sprintf("%d-directions.npy", m)), p.ours("distances", "--clouds", dir, "--points", m)}},
			Programs: []program{{Name: swlab, Command: p.ours("distances", flags...)}, {Name: exact, Command: p.ours("distances", append(flags, "--exact")...)}}}
		if m*l <= largest {
			c.Programs = append(c.Programs, numpy(flags)...)
			for _, name := range pots {
				flags := append(slices.Clone(flags), "--dtype", strings.TrimPrefix(name, "POT, "))
				c.Programs = append(c.Programs, program{Name: name, Command: peer(".venv-pot", "pot_peer.py", flags...)})
			}
		}
		if l == line {
			c.On = append(c.On, point{"m", fmt.Sprintf("distance, L = %d", line), float64(m)})
		}
		if m == points {
			c.On = append(c.On, point{"L", fmt.Sprintf("distance, m = %d", points), float64(l)})
		}
		p.add(c)
	}
	for _, l := range p.of([]int{10, 100, 1000}, []int{10, line}) {
		for _, m := range ms {
			add(m, l)
		}
	}
	for _, m := range p.of([]int{30_000, 300_000}, []int{2000}) {
		add(m, line)
	}
	for _, l := range p.of([]int{200, 500}, nil) {
		add(points, l)
	}
	p.pairs()
}

// numpy returns NumPy in both precisions, on all cores and on one thread, and in blocks.
func numpy(flags []any) (out []program) {
	for _, name := range numpys {
		flags := append(slices.Clone(flags), "--dtype", strings.TrimPrefix(name, "NumPy, "))
		out = append(out, onBoth(program{Name: name, Command: peer(".venv-pot", "numpy_peer.py", flags...)})...)
		out = append(out, program{Name: name + ", one thread", Command: peer(".venv-pot", "numpy_peer.py", append(flags, "--threads", 1)...)})
	}
	return append(out, onBoth(program{Name: inBlocks, Command: peer(".venv-pot", "numpy_peer.py", append(slices.Clone(flags), "--blocks")...)})...)
}

// onBoth returns a program of NumPy with and without AVX-512.
func onBoth(p program) []program {
	return []program{p, {Name: p.Name + avx2, Command: p.Command, Env: withoutAVX512}}
}

// pairs plans one call for many small pairs, what POT computes besides, and calls whose compiled graphs are
// kept.
func (p *planner) pairs() {
	dir := filepath.Join(p.work, "clouds")
	on := func(pairs, m int) ([]any, []file) {
		flags := []any{"--clouds", dir, "--points", m, "--pairs", pairs}
		name := fmt.Sprintf("%dx%d-directions.npy", pairs, m)
		if pairs == 1 {
			name = fmt.Sprintf("%d-directions.npy", m)
		}
		return flags, []file{{filepath.Join(dir, name), p.ours("distances", flags...)}}
	}
	pairs, m := p.small(1000), 512
	flags, clouds := on(pairs, m)
	flags = append(flags, "--slices", 100, "--seconds", p.atMost(2))
	p.add(testCase{Group: "distance", Name: fmt.Sprintf("sliced W_2^2, %d pairs, m=%d L=100", pairs, m), Needs: clouds,
		Programs: append([]program{{Name: swlab, Command: p.ours("distances", flags...)}, {Name: exact, Command: p.ours("distances", append(flags, "--exact")...)}}, numpy(flags)...)})
	for _, c := range []struct {
		loss, name    string
		pairs, points int
	}{
		{"min-swgg", "min-SWGG", 1, 2048}, {"expected-plan", "expected plan", 1, 2048}, {"ssw", "spherical SW", 1, 2048},
		{"partial-sw", "partial SW of half of the points", 1, 2048}, {"pairwise", "all pairs of 50 clouds", 50, 512},
	} {
		flags, clouds := on(c.pairs, p.small(c.points))
		flags = append(flags, "--slices", 100, "--seconds", p.atMost(2), "--loss", c.loss)
		p.add(testCase{Group: "distance", Name: fmt.Sprintf("%s, m=%d L=100", c.name, p.small(c.points)), Needs: clouds, Programs: []program{
			{Name: swlab, Command: p.ours("distances", flags...)}, {Name: "POT, float64", Command: peer(".venv-pot", "pot_peer.py", flags...)}}})
	}
	for _, name := range []string{"chamfer", "emd-approx", "max-sw", "v-dsw"} {
		flags, clouds := on(p.small(32), 1024)
		flags = append(flags, "--slices", 100, "--seconds", p.atMost(2), "--loss", name)
		p.add(testCase{Group: "kept graphs", Name: name, Needs: clouds, Programs: []program{
			{Name: swlab, Command: p.ours("distances", flags...)}, {Name: graphAlone, Command: p.ours("distances", append(flags, "--graph-alone")...)}}})
	}
}

func (p *planner) evaluation() {
	dir, points := filepath.Join(p.work, "clouds"), 2*p.small(1024)
	flags := []any{"--clouds", dir, "--points", points, "--seconds", p.atMost(2), "--metric"}
	pairs := []file{{filepath.Join(dir, fmt.Sprintf("pairs-%d-y.npy", points)), p.ours("evaluation", "--clouds", dir, "--points", points)}}
	for _, m := range []struct{ flag, name string }{{"cd", "CD"}, {"sw", "SW, L=100"}, {"emd", "EMD of the kernel"}, {"emd-exact", "exact EMD"}} {
		c := testCase{Group: "evaluation", Name: fmt.Sprintf("%s, m=%d", m.name, points), Needs: pairs,
			Programs: []program{{Name: swlab, Command: p.ours("evaluation", append(flags, m.flag)...)}}}
		if m.flag == "emd-exact" {
			for _, other := range []string{"pot", "scipy"} {
				c.Programs = append(c.Programs, program{Name: map[string]string{"pot": "POT", "scipy": "SciPy"}[other],
					Command: peer(".venv-pot", "evaluation_peer.py", append(flags, m.flag, "--program", other)...)})
			}
		} else {
			command := peer(".venv-torch", "evaluation_peer.py", append(flags, m.flag)...)
			c.Programs = append(c.Programs, program{Name: torch, Command: command}, program{Name: huge, Command: command, Env: hugePages})
		}
		p.add(c)
	}
}

func (p *planner) sampling() {
	for _, dist := range []struct {
		dim   int
		kappa float64
	}{{3, 1}, {10, 10.5}} {
		samples := 1_000_000
		if p.quick {
			samples = 10_000
		}
		flags := []any{"--dim", dist.dim, "--kappa", dist.kappa, "--samples", samples, "--seconds", p.atMost(2)}
		c := testCase{Group: "vMF samples", Name: fmt.Sprintf("d=%d kappa=%g", dist.dim, dist.kappa),
			Programs: []program{{Name: "swlab, host", Command: p.ours("sampling", append(flags, "--on", "host")...)}}}
		others := []struct{ venv, program, name string }{{".venv-torch", "torch", torch}, {".venv-pot", "scipy", "SciPy"}}
		if dist.dim == 3 {
			c.Programs = append(c.Programs, program{Name: "swlab, graph", Command: p.ours("sampling", append(flags, "--on", "graph")...)})
			others = append(others, struct{ venv, program, name string }{".venv-pot", "numpy", "NumPy"})
		}
		for _, o := range others {
			c.Programs = append(c.Programs, program{Name: o.name, Command: peer(o.venv, "sampling_peer.py", append(flags, "--program", o.program)...)})
		}
		p.add(c)
	}
}
