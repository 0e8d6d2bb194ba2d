package swlab

import (
	"fmt"
	"math"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// graphCalls are losses that compile something, each in its own way.
func graphCalls() map[string]DistanceConfig {
	with := func(set func(s *loss.Config)) DistanceConfig {
		s := loss.Defaults()
		s.Slices, s.AscentSteps = 7, 3
		set(&s)
		return DistanceConfig{Config: s, Seed: 5, Gradient: true}
	}
	plain := with(func(*loss.Config) {})
	unsliced := with(func(s *loss.Config) { s.Slices = 0 })
	return map[string]DistanceConfig{
		"chamfer": unsliced, "emd-approx": unsliced, "sw": plain, "eb-sw": plain, "cv-sw": plain,
		"asw":    with(func(s *loss.Config) { s.Slices = 40 }),
		"v-dsw":  with(func(s *loss.Config) { s.Amortizer = "la"; s.FineTune = true }),
		"max-sw": with(func(s *loss.Config) { s.Slices = 0 }),
	}
}

// built is how many graphs work builds on the pure-Go backend.
func built(t *testing.T, work func() error) int {
	t.Helper()
	e := must.M1(engine.Open("go"))
	defer e.Close()
	before := e.Compilations()
	must.M(work())
	return e.Compilations() - before
}

// TestSecondCallsDoNotCompile: other clouds of the same shape and another seed need no graph but
// those of the first call, and the values are those of a backend that has compiled nothing yet.
func TestSecondCallsDoNotCompile(t *testing.T) {
	x, y := gaussian(1, 2, 17, 3, 1), gaussian(2, 2, 17, 3, 1)
	for name, o := range graphCalls() {
		t.Run(name, func(t *testing.T) {
			for _, path := range []Path{HostPath, GraphPath} {
				e := must.M1(engine.Open("go"))
				o.Engine, o.Path = e, path
				distance := func(x, y *datasets.Set, seed uint64) func() error {
					return func() error {
						o.Seed = seed
						_, err := Distance(name, x, y, o)
						return err
					}
				}
				built(t, distance(x, y, 5))
				if n := built(t, distance(y, x, 6)); n != 0 {
					t.Errorf("path %v: the second call builds %d graphs", path, n)
				}
				longer := gaussian(3, 2, 18+int(path), 3, 1)
				if n := built(t, distance(longer, longer, 5)); n == 0 {
					t.Errorf("path %v: no graph for other shapes", path)
				}
				e.Close()
			}
		})
	}
	t.Run("direction", func(t *testing.T) {
		predict := func() error {
			_, err := Direction("la", x, y, DirectionConfig{})
			return err
		}
		built(t, predict)
		if n := built(t, predict); n != 0 {
			t.Errorf("the second call builds %d graphs", n)
		}
	})
	t.Run("network", func(t *testing.T) {
		e := must.M1(engine.Open("go"))
		defer e.Close()
		var results [2][]float32
		for i, seed := range []uint64{1, 2} {
			net := must.M1(NewNetwork(weights.Init((&pointnet.Autoencoder{Points: 8}).Specs(), seed)))
			n := built(t, func() error {
				results[i] = must.M1(net.Reconstruct(x, NetworkOptions{Engine: e}))
				return nil
			})
			if i == 1 && n != 0 {
				t.Errorf("other weights build %d graphs", n)
			}
		}
		if fmt.Sprint(results[0]) == fmt.Sprint(results[1]) {
			t.Error("other weights, the same clouds")
		}
	})
}

// TestChoicesAgree: the value is the same to 1e-6 on the backend chosen by itself, on the pure-Go
// one and on XLA, and the result says which it was.
func TestChoicesAgree(t *testing.T) {
	t.Setenv(engine.Variable, "")
	t.Setenv("GOMLX_BACKEND", "")
	x, y := gaussian(1, 2, 64, 3, 1), gaussian(2, 2, 64, 3, 0.5)
	for name, o := range graphCalls() {
		t.Run(name, func(t *testing.T) {
			var first *Result
			for _, backend := range []string{"", "go", "xla:cpu"} {
				o.Engine = nil
				want := "go"
				if backend != "" {
					e, err := engine.Open(backend)
					if err != nil {
						t.Skipf("%s is not here: %v", backend, err)
					}
					defer e.Close()
					o.Engine, want = e, backend
				}
				d := must.M1(Distance(name, x, y, o))
				if d.Backend != want {
					t.Errorf("%q: the result says %q", backend, d.Backend)
				}
				if first == nil {
					first = d
				}
				if !(math.Abs(d.Value-first.Value) <= 1e-6*first.Value) {
					t.Errorf("%q: %v, without a choice %v", backend, d.Value, first.Value)
				}
			}
		})
	}
}

// TestChoose: much work goes to the best backend, little to the pure-Go one, unless the caller or
// the environment chooses.
func TestChoose(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "")
	t.Setenv(engine.Variable, "")
	best := must.M1(engine.Open("auto"))
	defer best.Close()
	for _, c := range []struct {
		given *engine.Engine
		env   string
		work  float64
		want  string
	}{
		{nil, "", maxGoBackendWork, "go"},
		{nil, "", maxGoBackendWork + 1, best.Name},
		{best, "", 1, best.Name},
		{nil, best.Name, 1, best.Name},
		{nil, "go", 10 * maxGoBackendWork, "go"},
	} {
		t.Setenv(engine.Variable, c.env)
		if e, err := choose(c.given, c.work); err != nil || e.Name != c.want {
			t.Errorf("%+v: %v, %v", c, e, err)
		}
	}
}
