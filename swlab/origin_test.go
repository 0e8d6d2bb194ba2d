package swlab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// moved is a batch of clouds of float64, each pair moved by its own offset. Their numbers are multiples
// of 2^-20, so that float64 holds them when moved.
func moved(t *testing.T, seed uint64, m, d int, offsets ...float64) *datasets.Set {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	var v []float64
	for _, offset := range offsets {
		for i := range m * d {
			v = append(v, offset*(1-float64(i%d)/4)+math.RoundToEven(0x1p20*r.NormFloat64())/0x1p20)
		}
	}
	return must.M1(datasets.New(v, len(offsets), m, d))
}

// TestMovedTogether: no distance changes, nor its gradient, when both clouds of a pair move by as far as
// float64 allows.
func TestMovedTogether(t *testing.T) {
	const m, d = 30, 3
	at := func(offsets ...float64) (*datasets.Set, *datasets.Set) {
		return moved(t, 1, m, d, offsets...), moved(t, 2, m, d, offsets...)
	}
	paths := map[string]Path{"auto": AutoPath, "host": HostPath, "graph": GraphPath}
	if testing.Short() {
		delete(paths, "graph") // the compiler is slow
	}
	for _, name := range inSpace() {
		l := must.M1(loss.New(name, loss.Defaults()))
		for path, p := range paths {
			if _, sliced := l.(loss.Sliced); !sliced && p != AutoPath {
				continue
			}
			o := DistanceConfig{Seed: 3, Path: p, Gradient: true}
			x, y := at(0, 0, 0, 0)
			want := must.M1(Distance(name, x, y, o))
			x, y = at(1e6, 1e7, 1e8, -3e8)
			got := must.M1(Distance(name, x, y, o))
			for b, v := range want.PerPair {
				if rel := math.Abs(got.PerPair[b]/v - 1); !(rel < 2e-6) {
					t.Errorf("%s, %s: pair %d is at %v, moved %v", name, path, b, v, got.PerPair[b])
				}
			}
			largest := 0.0
			for _, g := range want.Gradient {
				largest = max(largest, math.Abs(float64(g)))
			}
			for i, g := range want.Gradient {
				if !(math.Abs(float64(got.Gradient[i]-g)) < 1e-3*largest) {
					t.Fatalf("%s, %s: gradient %d is %v, moved %v", name, path, i, g, got.Gradient[i])
				}
			}
			if !slices.Equal(got.Warnings, want.Warnings) { // of the ascent
				t.Errorf("%s, %s: warnings %q, expected %q", name, path, got.Warnings, want.Warnings)
			}
		}
	}
}

// TestAmortizerReadsCoordinates: an amortizer gets the coordinates themselves, rounded to float32, and
// a call that loses digits by that says so.
func TestAmortizerReadsCoordinates(t *testing.T) {
	x, y := moved(t, 1, 20, 3, 1e6), moved(t, 2, 20, 3, 1e6)
	rounded := func(s *datasets.Set) *datasets.Set {
		var v []float32
		for _, c := range s.Positions(0) {
			v = append(v, float32(c))
		}
		return must.M1(datasets.New(v, 20, 3))
	}
	want := must.M1(Direction("l", rounded(x), rounded(y), DirectionConfig{}))
	got := must.M1(Direction("l", x, y, DirectionConfig{}))
	if !slices.Equal(got.Directions, want.Directions) {
		t.Errorf("direction %v, of the rounded coordinates %v", got.Directions, want.Directions)
	}
	if len(got.Warnings) != 2 || !strings.Contains(got.Warnings[1], "float32 rounds") || want.Warnings != nil {
		t.Errorf("warnings %q", got.Warnings)
	}
	o := DistanceConfig{Config: loss.Defaults()}
	o.Amortizer = "l"
	r := must.M1(Distance("v-dsw", x, y, o))
	if !slices.Equal(r.Location, want.Directions) || !slices.Equal(r.Warnings, got.Warnings) {
		t.Errorf("location %v and warnings %q of the distance", r.Location, r.Warnings)
	}
}

// TestRoundingIsSaid: clouds that float32 cannot hold beside each other are compared with a warning.
func TestRoundingIsSaid(t *testing.T) {
	r := must.M1(Distance("emd-exact", moved(t, 1, 20, 3, 0), moved(t, 2, 20, 3, 1e10), DistanceConfig{}))
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "float32 rounds") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestNearerThanFloat32: clouds that differ by less than float32 holds beside their extent are compared
// with a warning; those that float32 holds, or that are farther apart, without.
func TestNearerThanFloat32(t *testing.T) {
	set := func(shift, size float64) *datasets.Set {
		r := rand.New(rand.NewPCG(5, 6))
		v := make([]float64, 3*120)
		for i := range v {
			if v[i] = r.Float64(); i%3 == 0 {
				v[i] = v[i]*size + shift
			}
		}
		return must.M1(datasets.New(v, 1, 120, 3))
	}
	for name, c := range map[string]struct {
		x, y *datasets.Set
		want bool
	}{
		"long": {set(0, 1e9), set(0.5, 1e9), true},
		"near": {set(0, 1), set(1e-9, 1), true},
		"far":  {set(0, 1), set(0.5, 1), false},
		"same": {set(0, 1), nil, false},
	} {
		if c.y == nil {
			c.y = c.x
		}
		for _, l := range []string{"sw", "chamfer", "emd-exact"} {
			r := must.M1(Distance(l, c.x, c.y, DistanceConfig{}))
			if said := len(r.Warnings) == 1 && strings.Contains(r.Warnings[0], "which shows in a distance"); said != c.want ||
				!said && r.Warnings != nil {
				t.Errorf("%s, %s: value %g, warnings %q", name, l, r.Value, r.Warnings)
			}
		}
	}
}

// TestOutliersInGraph: outliers leave the other points few digits in float32, and the graph's path says
// so. On the host nothing is lost, and AutoPath takes it, on a GPU too.
func TestOutliersInGraph(t *testing.T) {
	x := must.M1(datasets.New([]float32{0, 0, 0, 0x1p56}, 2, 2))
	y := must.M1(datasets.New([]float32{1, 0, 2, 0x1p56}, 2, 2))
	o := DistanceConfig{Directions: &Directions{[]float32{0.6, 0.8}, []int{1, 2}}, Engine: graphtest.Engine(t)}
	o.P = 1
	for path, warnings := range map[Path]int{AutoPath: 0, HostPath: 0, GraphPath: 1} {
		if path == GraphPath && testing.Short() { // on XLA
			continue
		}
		o.Path = path
		r := must.M1(Distance("sw", x, y, o))
		if len(r.Warnings) != warnings {
			t.Errorf("path %d: warnings %q", path, r.Warnings)
		}
		if path != GraphPath && math.Abs(r.Value-1.80000007) > 1e-8 {
			t.Errorf("path %d: %.10g, expected 1.80000007", path, r.Value)
		}
	}
}
