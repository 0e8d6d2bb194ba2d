package swlab_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestConcurrent: 32 goroutines that share clouds and the backend get the numbers of one. make race
// runs it under the race detector.
func TestConcurrent(t *testing.T) {
	e := must.M1(engine.Open("go"))
	sameForAll(t, 32, func(i int) (string, error) { return numbersOn(e, i%4) })
}

// TestTwoBackends: the pure-Go backend and XLA work side by side in one process, each with the
// numbers it has alone.
func TestTwoBackends(t *testing.T) {
	if testing.Short() || !engine.HasXLA {
		t.Skip("runs in make check, where there is XLA")
	}
	var both []*engine.Engine
	for _, name := range []string{"go", "xla:cpu"} {
		e, err := engine.Open(name)
		if err != nil {
			t.Skipf("two backends were not tried: %v", err)
		}
		both = append(both, e)
	}
	sameForAll(t, 8, func(i int) (string, error) { return numbersOn(both[i%2], i%4) })
}

// sameForAll compares n calls at once with the same calls one after the other.
func sameForAll(t *testing.T, n int, call func(i int) (string, error)) {
	t.Helper()
	want, got, errs := make([]string, n), make([]string, n), make([]error, n)
	for i := range n {
		want[i] = must.M1(call(i))
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { got[i], errs[i] = call(i) })
	}
	all.Wait()
	for i := range n {
		if errs[i] != nil || got[i] != want[i] {
			t.Errorf("call %d at once with others: %s, %v; alone: %s", i, got[i], errs[i], want[i])
		}
	}
}

var twoClouds = sync.OnceValues(func() (x, y *datasets.Set) { return square(), shifted() })

// numbersOn computes a distance or a direction.
func numbersOn(e *engine.Engine, which int) (string, error) {
	x, y := twoClouds()
	if which == 3 {
		p, err := swlab.Direction("la", x, y, swlab.DirectionConfig{Seed: 2, Engine: e})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(p.Directions), nil
	}
	o := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1, Engine: e}
	o.Slices, o.AscentSteps = 20, 3
	d, err := swlab.Distance([]string{"sw", "v-dsw", "chamfer"}[which], x, y, o)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(d.Value, d.PerPair), nil
}
