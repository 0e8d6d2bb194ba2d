package swlab

import (
	"errors"
	"math"
	"runtime/debug"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestTooMuch asks the library for more than any machine has: it returns a typed error and
// allocates nothing.
func TestTooMuch(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4 << 30))
	e := must.M1(engine.Open("go"))
	x := &datasets.Set{Name: "x", Clouds: 1, Points: 4, Dim: 3, Coords: []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}}
	refused := func(what string, err error) {
		t.Helper()
		var m *memory.Error
		if !errors.As(err, &m) || m.Needed <= m.Available {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, slices := range []int{2_000_000_000, math.MaxInt} {
		s := loss.Defaults()
		s.Slices = slices
		for _, path := range []Path{AutoPath, HostPath, GraphPath} {
			_, err := Distance("sw", x, x, DistanceConfig{Config: s, Engine: e, Path: path, Gradient: true})
			refused("slices", err)
		}
	}
	for _, size := range []int{1_000_000_000, math.MaxInt} {
		for _, name := range []string{"a", "ea", "la", "la-sorted"} {
			_, err := Direction(name, x, x, DirectionConfig{DK: size, Engine: e})
			refused(name+" dk", err)
		}
		_, err := Direction("la", x, x, DirectionConfig{K: size, Engine: e})
		refused("la k", err)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	few, many := gaussian(1, 1, 10, 3, 1), gaussian(2, 1, 20_000, 3, 1)
	c := loss.Defaults()
	c.Reg = 0.1
	_, err := Distance("sinkhorn-divergence", many, few, DistanceConfig{Config: c})
	refused("each cloud with itself", err)
	wide := gaussian(3, 1, 20_000, 9, 1)
	_, err = Distance("emd-exact", wide, wide, DistanceConfig{Config: loss.Defaults()})
	refused("stored costs of an assignment", err)
	s := loss.Defaults()
	s.Slices = 10_000
	must.M1(Distance("sw", x, x, DistanceConfig{Config: s, Engine: e, Gradient: true})) // as an ordinary call
}

// TestTooMuchForTheChosen: a backend that the environment or the size of the work has chosen has
// its memory counted too.
func TestTooMuchForTheChosen(t *testing.T) {
	t.Setenv(engine.Variable, "go")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(4 << 30))
	x := gaussian(1, 1, 100_000, 3, 1)
	for _, name := range []string{"chamfer", "emd-approx"} {
		var m *memory.Error
		if _, err := Distance(name, x, x, DistanceConfig{}); !errors.As(err, &m) || m.Needed <= 4<<30 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
