package main

import (
	"fmt"
	"path/filepath"
	"slices"
)

// testCase is work that several programs do.
type testCase struct {
	Group, Name string
	Programs    []program // the others are compared with the first
	Needs       []file
	On          []point // its places on curves
}

// program says how to call one of them.
type program struct {
	Name    string
	Command []string
	Env     []string
}

// file is a file that programs read, and the call that makes it.
type file struct {
	Path string
	Make []string
}

// point is a place on a curve: cost against an axis.
type point struct {
	Axis, Curve string
	At          float64
}

const (
	swlab    = "swlab"
	torch    = "torch"
	huge     = "torch, huge pages"
	compiled = "torch.compile, huge pages"
	jax      = "JAX jit, huge pages"
)

// planner knows the paths.
type planner struct {
	work  string
	quick bool
	cases []testCase
}

// plan lists all cases. Quick ones have other sizes and the same programs.
func plan(work string, quick bool) []testCase {
	p := &planner{work: work, quick: quick}
	p.start()
	p.steps()
	p.scaling()
	p.distances()
	p.evaluation()
	p.sampling()
	p.alone()
	p.amortizers()
	return p.cases
}

func (p *planner) add(c testCase) { p.cases = append(p.cases, c) }

// ours, torch and pot return the command lines of programs.
func (p *planner) ours(name string, args ...any) []string {
	return words(append([]any{filepath.Join(p.work, "bin", name)}, args...)...)
}

func peer(venv, script string, args ...any) []string {
	return words(append([]any{filepath.Join(venv, "bin", "python"), filepath.Join("bench", script)}, args...)...)
}

func words(v ...any) []string {
	var out []string
	for _, w := range v {
		out = append(out, fmt.Sprint(w))
	}
	return out
}

// hugePages and jaxHugePages make PyTorch and JAX ask for huge pages.
var (
	hugePages    = []string{"THP_MEM_ALLOC_ENABLE=1"}
	jaxHugePages = []string{"GLIBC_TUNABLES=glibc.malloc.hugetlb=1"}
)

// eager and inductor are the PyTorch peers of a training step, on huge pages: without them they are
// slower. Inductor keeps what it compiles, so that the first round tells what compiling takes.
func eager(flags []any) program {
	return program{Name: huge, Command: peer(".venv-torch", "peer.py", flags...), Env: hugePages}
}

func (p *planner) inductor(flags []any) program {
	flags = append(slices.Clone(flags), "--warmup", 3, "--compile", filepath.Join(p.work, "inductor"))
	return program{Name: compiled, Command: peer(".venv-torch", "peer.py", flags...), Env: hugePages}
}

// losses lists the losses compared by steps, with the factor by which fewer steps are timed.
var losses = []struct {
	flag, name string
	slow       int
}{
	{"sw", "SW", 1}, {"max-sw", "Max-SW, T=10", 1}, {"v-dsw", "v-DSW, T=10", 3}, {"la", "LA v-DSW", 1}, {"ea", "EA v-DSW", 1},
	{"a", "A v-DSW", 2}, {"chamfer", "Chamfer", 1}, {"emd", "EMD", 2},
}

// size is the size of a batch, and the steps timed.
type size struct{ batch, points, steps, warmup int }

func (p *planner) sizes() []size {
	if p.quick {
		return []size{{4, 64, 2, 1}}
	}
	return []size{{32, 512, 20, 3}, {128, 2048, 4, 1}}
}

// start plans the time to the first finished step at the size of the quick preset: a program that
// go run links, and one that imports PyTorch.
func (p *planner) start() {
	for _, loss := range []string{"sw", "la"} {
		flags := []any{"--loss", loss, "--batch", 32, "--points", 256, "--steps", 1, "--warmup", 1}
		p.add(testCase{Group: "start", Name: name(loss) + ", B=32 m=256", Programs: []program{
			{Name: swlab, Command: words(append([]any{"go", "-C", "bench", "run", "./step"}, flags...)...)},
			{Name: torch, Command: peer(".venv-torch", "peer.py", flags...)},
		}})
	}
	for _, t := range []int{1, 50} {
		p.add(testCase{Group: "compile", Name: fmt.Sprintf("v-DSW step, T=%d", t), Programs: []program{
			{Name: swlab, Command: p.ours("step", "--loss", "v-dsw", "--ascent-steps", t, "--steps", p.atMost(3), "--warmup", 1, "--batch", p.small(32), "--points", p.small(512))},
		}})
	}
}

func (p *planner) steps() {
	for _, s := range p.sizes() {
		for _, l := range losses {
			flags := append(s.flags(l.slow), "--loss", l.flag)
			p.add(testCase{Group: "steps", Name: fmt.Sprintf("%s, B=%d m=%d", l.name, s.batch, s.points), Programs: []program{
				{Name: swlab, Command: p.ours("step", flags...)},
				eager(flags),
				p.inductor(flags),
				{Name: jax, Command: peer(".venv-torch", "jax_peer.py", flags...), Env: jaxHugePages},
			}})
		}
	}
}

// alone plans the losses with their gradient, without the network, against PyTorch on huge pages.
func (p *planner) alone() {
	for _, s := range p.sizes() {
		for _, l := range losses {
			flags := append(s.flags(l.slow), "--loss", l.flag, "--loss-only")
			p.add(testCase{Group: "loss alone", Name: fmt.Sprintf("%s, B=%d m=%d", l.name, s.batch, s.points), Programs: []program{
				{Name: swlab, Command: p.ours("step", flags...)},
				eager(flags),
				p.inductor(flags),
			}})
		}
	}
}

func (s size) flags(slow int) []any {
	return []any{"--batch", s.batch, "--points", s.points, "--steps", max(2, s.steps/slow), "--warmup", s.warmup}
}

func name(flag string) string {
	for _, l := range losses {
		if l.flag == flag {
			return l.name
		}
	}
	return flag
}

// small and atMost return n, or less for a quick plan.
func (p *planner) small(n int) int {
	if p.quick {
		return max(4, n/8)
	}
	return n
}

func (p *planner) atMost(n int) int {
	if p.quick {
		return 1
	}
	return n
}
