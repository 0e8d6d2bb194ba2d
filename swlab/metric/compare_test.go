package metric

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/ot"
)

// random makes n clouds of m points in a ball of radius about 1, each of its own size and place.
func random(seed uint64, n, m int) *datasets.Set {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &datasets.Set{Name: "random", Clouds: n, Points: m, Dim: 3, Coords: make([]float32, n*m*3)}
	for i := range n {
		size, at := 0.2+0.3*r.Float64(), 0.3*r.NormFloat64()
		for k := range m * 3 {
			s.Coords[i*m*3+k] = float32(at + size*r.NormFloat64())
		}
	}
	return s
}

// chamfer is the Chamfer distance in float64.
func chamfer(x, y []float32) float64 {
	way := func(x, y []float32) float64 {
		sum := 0.0
		for i := 0; i < len(x); i += 3 {
			best := math.Inf(1)
			for j := 0; j < len(y); j += 3 {
				d := 0.0
				for c := range 3 {
					v := float64(x[i+c]) - float64(y[j+c])
					d += v * v
				}
				best = min(best, d)
			}
			sum += best
		}
		return sum / float64(len(x)/3)
	}
	return way(x, y) + way(y, x)
}

// pairwise is the matrix of one distance between two sets.
func pairwise(ctx context.Context, e *engine.Engine, first, second *datasets.Set, distance string, o Config) (Matrix, error) {
	sets := [][2]side{{newSide(first), newSide(second)}}
	m, err := matrices(ctx, e, must.M1(named(distance)), sets, o)
	if err != nil {
		return Matrix{}, err
	}
	return m[0], nil
}

// TestPairwise: every pair of blocks that do not divide the sets, against float64; clouds of
// different sizes; the halves of symmetric distances.
func TestPairwise(t *testing.T) {
	e, ctx := graphtest.Engine(t), context.Background()
	a, b := random(1, 19, 30), random(2, 17, 24)
	same := random(3, 18, 24)
	for _, c := range []struct {
		name string
		x, y *datasets.Set
	}{{"cd", a, b}, {"cd", a, a}, {"emd-exact", same, b}, {"emd-exact", b, b}} {
		got := must.M1(pairwise(ctx, e, c.x, c.y, c.name, Config{}))
		if got.Rows != c.x.Clouds || got.Cols != c.y.Clouds || got.MatchedMass != 1 {
			t.Errorf("%s: [%d, %d], assigned %v", c.name, got.Rows, got.Cols, got.MatchedMass)
		}
		for i := range c.x.Clouds {
			for j := range c.y.Clouds {
				want := chamfer(c.x.Cloud(i), c.y.Cloud(j))
				if c.name == "emd-exact" {
					s := must.M1(ot.EMD(c.x.Cloud(i), c.y.Cloud(j), 3, 1))
					want = s.Cost / 24
				}
				if d := got.At(i, j); math.Abs(d-want) > 2e-6*want+1e-12 {
					t.Fatalf("%s of clouds %d and %d: %v, want %v", c.name, i, j, d, want)
				}
			}
		}
	}
}

// TestApproximateEMDBothHalves: the approximate EMD is not symmetric, and neither is its matrix of a set with itself.
func TestApproximateEMDBothHalves(t *testing.T) {
	a := random(4, 17, 24)
	all, third, d := newSide(a), newSide(a.Select([]int{3})), must.M1(named("emd-approx"))
	// One program serves both matrices.
	m := must.M1(matrices(context.Background(), graphtest.Engine(t), d, [][2]side{{all, all}, {third, all}}, Config{}))
	whole, row := m[0], m[1]
	differ := 0
	for i := range a.Clouds {
		for j := range i {
			if math.Abs(whole.At(i, j)/whole.At(j, i)-1) > 1e-4 {
				differ++
			}
		}
	}
	if differ < 50 || !(whole.MatchedMass > 0.9 && whole.MatchedMass < 1.001) {
		t.Errorf("%d of 136 pairs differ from their exchange, assigned %v", differ, whole.MatchedMass)
	}
	// First index, first argument: one row alone is the same row.
	for j, v := range row.Values {
		if math.Abs(v-whole.At(3, j)) > 1e-6*v {
			t.Errorf("from 3 to %d: %v alone, %v in the matrix", j, v, whole.At(3, j))
		}
	}
}

// TestIdenticalSets: with two copies of a set every cloud's neighbour is its copy, so the
// classifier is always wrong and everything is covered.
func TestIdenticalSets(t *testing.T) {
	a := random(5, 6, 20)
	r := must.M1(Compare(context.Background(), graphtest.Engine(t), a, a, Config{Distances: []string{"cd", "emd-exact"}}))
	want := Scores{COVPaper: 1, COVStandard: 1}
	if r.JSD != 0 || r.JSDScaled != 0 || *r.CD != want || *r.EMDExact != want || r.EMDApprox != nil ||
		r.EMDMatchedMass != 0 {
		t.Errorf("%+v, cd %+v, exact %+v", r, *r.CD, *r.EMDExact)
	}
}

// TestResume: an interrupted call, called again, computes what was missing, no other blocks, and
// gives the numbers of an uninterrupted call and of one without a store.
func TestResume(t *testing.T) {
	e, a, b := graphtest.Engine(t), random(8, 35, 16), random(9, 20, 16)
	want := must.M1(pairwise(context.Background(), e, a, b, "cd", Config{}))
	o := Config{Store: filepath.Join(t.TempDir(), "new", "store")}
	ctx, cancel := context.WithCancel(context.Background())
	var steps []int
	o.Progress = func(what string, done, total int) {
		if what != "cd" || total != 35*20 {
			t.Errorf("progress %s, of %d", what, total)
		}
		if steps = append(steps, done); len(steps) == 4 { // of six blocks
			cancel()
		}
	}
	if _, err := pairwise(ctx, e, a, b, "cd", o); !errors.Is(err, context.Canceled) || len(steps) != 4 {
		t.Fatalf("%v after %d blocks", err, len(steps))
	}
	files := func() []string { return must.M1(filepath.Glob(filepath.Join(o.Store, "*", "*"))) }
	if n := len(files()); n != 4 {
		t.Fatalf("%d blocks in the store, want 4", n)
	}
	again := func(blocks int) {
		t.Helper()
		steps = nil
		old := time.Now().Add(-time.Hour)
		for _, f := range files() {
			must.M(os.Chtimes(f, old, old))
		}
		got := must.M1(pairwise(context.Background(), e, a, b, "cd", o))
		if !slices.Equal(got.Values, want.Values) || got.MatchedMass != want.MatchedMass {
			t.Error("other numbers than without a store")
		}
		written := 0
		for _, f := range files() {
			if info, err := os.Stat(f); err == nil && info.ModTime().After(old.Add(time.Minute)) {
				written++
			}
		}
		if written != blocks || len(steps) != 6 || steps[5] != 35*20 {
			t.Errorf("%d blocks written, want %d; progress %v", written, blocks, steps)
		}
	}
	again(2)
	again(0)
	// Damaged blocks: cut off, a bit turned over.
	f := files()
	read := func(i int) []byte { return must.M1(os.ReadFile(f[i])) }
	turned := read(1)
	turned[len(turned)-9] ^= 1
	for i, raw := range [][]byte{read(0)[:100], turned} {
		must.M(os.WriteFile(f[i], raw, 0o644))
	}
	again(2)
	again(0)
	// Other clouds, another order of the sets, another distance: nothing is found.
	other := random(8, 35, 16)
	other.Coords[0] += 1e-3
	for _, c := range []struct {
		x, y *datasets.Set
		name string
	}{{other, b, "cd"}, {b, a, "cd"}, {a, b, "emd-exact"}} {
		before := len(files())
		if _, err := pairwise(context.Background(), e, c.x, c.y, c.name, Config{Store: o.Store}); err != nil ||
			len(files()) != before+6 {
			t.Errorf("%s: %d blocks written, %v", c.name, len(files())-before, err)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	e := graphtest.Engine(t)
	file := filepath.Join(t.TempDir(), "file")
	must.M(os.WriteFile(file, nil, 0o644))
	flat := &datasets.Set{Name: "flat", Clouds: 1, Points: 1, Dim: 2, Coords: []float32{0, 0}}
	far := random(10, 2, 8)
	far.Coords[5] = 1e25
	for says, c := range map[string]struct {
		r, g *datasets.Set
		o    Config
	}{
		`distances: expected some of cd, emd-approx, emd-exact, found "sw"`: {random(1, 2, 8),
			random(2, 2, 8), Config{Distances: []string{"cd", "sw"}}},
		`distances: "cd" is there twice`: {random(1, 2, 8),
			random(2, 2, 8), Config{Distances: []string{"cd", "cd"}}},
		"flat: expected clouds of dimension 3, found 2":             {flat, random(2, 2, 8), Config{}},
		"expected at least one cloud and one point, found 0 clouds": {random(1, 0, 8), random(2, 2, 8), Config{}},
		`distances: expected some of cd, emd-approx, emd-exact, found none`: {random(1, 2, 8),
			random(2, 2, 8), Config{Distances: []string{}}},
		"emd-approx: approximate EMD: expected clouds of equally many points, found 8 and 9": {random(1, 2, 9),
			random(2, 2, 8), Config{}},
		"store: expected a folder, found the file": {random(1, 2, 8), random(2, 2, 8), Config{Store: file}},
		"store: mkdir": {random(1, 2, 8), random(2, 2, 8), Config{Store: filepath.Join(file, "below")}},
		"cd: scores: distances generated to reference: expected finite numbers, found +Inf": {random(1, 2, 8), far, Config{}},
	} {
		if _, err := Compare(context.Background(), e, c.r, c.g, c.o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, expected %q", err, says)
		}
	}
	if _, err := Compare(context.Background(), nil, random(1, 2, 8), random(2, 2, 8), Config{}); err == nil ||
		!strings.Contains(err.Error(), "expected an engine that engine.Open has opened") {
		t.Errorf("without an engine: %v", err)
	}
}

// TestPerCall: the pairs of one call by backend, on which the last bits of stored results depend,
// but for a GPU.
func TestPerCall(t *testing.T) {
	for _, c := range []struct {
		backend string
		points  int
		want    int
	}{{"go", 256, 16}, {"go", 1024, 4}, {"go", 4096, 1}, {"xla:cpu", 2048, 16}, {"xla:cpu", 4096, 4},
		{"xla:cuda", 512, 256}, {"xla:cuda", 2048, 64}, {"xla:cuda", 1 << 15, 1}} {
		s := &solver{engine: &engine.Engine{Name: c.backend}}
		if got := s.perCall(c.points, c.points); got != c.want {
			t.Errorf("%s, %d points: %d pairs, want %d", c.backend, c.points, got, c.want)
		}
	}
}

// TestSmallClouds: the report warns of clouds too small for the approximate EMD; normalised pairs
// have the distances of radius 1, in the units of the clouds, and blocks of their own in the store.
func TestSmallClouds(t *testing.T) {
	e := graphtest.Engine(t)
	g, r := random(1, 3, 40), random(2, 2, 40)
	for _, s := range []*datasets.Set{g, r} {
		for i := range s.Coords {
			s.Coords[i] *= 0.01
		}
	}
	o := Config{Distances: []string{"emd-approx", "emd-exact"}, Store: t.TempDir()}
	as := must.M1(Compare(t.Context(), e, r, g, o))
	if len(as.Warnings) != 1 || !strings.Contains(as.Warnings[0], "generated cloud 0 and reference cloud") ||
		!strings.Contains(as.Warnings[0], "times as much") {
		t.Errorf("warnings %q", as.Warnings)
	}
	o.Normalize = true
	unit := must.M1(Compare(t.Context(), e, r, g, o))
	if len(unit.Warnings) > 0 {
		t.Errorf("normalised: warnings %q", unit.Warnings)
	}
	for name, ratio := range map[string]float64{"as they are": as.EMDApprox.MMDPaper / as.EMDExact.MMDPaper,
		"normalised": unit.EMDApprox.MMDPaper / unit.EMDExact.MMDPaper} {
		if (ratio > 1.53) != (name == "as they are") || ratio < 1.01 {
			t.Errorf("%s: the approximate MMD is %.3g times the exact one", name, ratio)
		}
	}
	if _, err := Compare(t.Context(), e, r, g, Config{Distances: []string{"cd"}, Normalize: true}); err == nil ||
		!strings.Contains(err.Error(), "normalize") {
		t.Errorf("cd alone: error %v", err)
	}
}
