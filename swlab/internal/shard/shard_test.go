package shard

import (
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/sliced-wasserstein/lab/swlab/engine"
)

func backend(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExec: what goes in whole or in parts comes out so, and sums over the batch are those of the whole batch on every device.
func TestExec(t *testing.T) {
	e := backend(t)
	for _, count := range []int{1, 2, 4} {
		if count > e.Devices() {
			continue
		}
		d, err := New(e.Backend, count)
		if err != nil {
			t.Fatal(err)
		}
		x, err := d.Exec(func(in []*graph.Node) []*graph.Node {
			if Active(in[0].Graph()) != (count > 1) {
				t.Errorf("%d devices: On is wrong", count)
			}
			scaled := graph.Mul(in[1], graph.InsertAxes(in[0], 0))
			return []*graph.Node{graph.ReduceAllSum(scaled), scaled}
		}, []Sharding{Replicated, Sharded}, []Sharding{Replicated, Sharded})
		if err != nil {
			t.Fatal(err)
		}
		out, err := x.Call(Copies(d, []float32{10, 1}, 2), Parts(d, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2))
		if err != nil {
			t.Fatal(err)
		}
		for _, sum := range out[0] {
			if got := sum.Value().(float32); got != 180 {
				t.Errorf("%d devices: sum %v, want 180", count, got)
			}
		}
		host, err := out[1].Clone()
		if err != nil {
			t.Fatal(err)
		}
		if got := joined(host); !slices.Equal(got, []float32{10, 2, 30, 4, 50, 6, 70, 8}) || len(host) != count {
			t.Errorf("%d devices: %v in %d parts", count, got, len(host))
		}
		x.Finalize()
	}
}

func joined(v Value) []float32 {
	var out []float32
	for _, t := range v {
		out = append(out, tensors.MustCopyFlatData[float32](t)...)
	}
	return out
}

// TestRows: divided or not, the rows taken and their gradient are those of the formula; a row taken twice gets both cotangents.
func TestRows(t *testing.T) {
	e := backend(t)
	for _, count := range []int{1, 4} {
		if count > e.Devices() {
			continue
		}
		d, err := New(e.Backend, count)
		if err != nil {
			t.Fatal(err)
		}
		x, err := d.Exec(func(in []*graph.Node) []*graph.Node {
			r := GatherRows(in[0], in[1])
			loss := graph.ReduceAllSum(graph.Mul(r, graph.AddScalar(graph.Iota(r.Graph(), r.Shape(), 1), 1)))
			return []*graph.Node{r, graph.Gradient(loss, in[0])[0]}
		}, []Sharding{Sharded}, []Sharding{Sharded})
		if err != nil {
			t.Fatal(err)
		}
		const batch, n, dim = 4, 3, 2
		values, at := make([]float32, batch*n*dim), []int32{0, 2, 2, 1, 0, 2, 1, 1}
		for i := range values {
			values[i] = float32(i)
		}
		var rows []float32
		gradient := make([]float32, len(values))
		for i, a := range at { // two rows an item
			from := (i/2*n + int(a)) * dim
			for c := range dim {
				rows = append(rows, values[from+c])
				gradient[from+c] += float32(i%2 + 1)
			}
		}
		out, err := x.Call(Parts(d, values, batch, n, dim), Parts(d, at, batch, 2))
		if err != nil {
			t.Fatal(err)
		}
		if got := joined(out[0]); !slices.Equal(got, rows) {
			t.Errorf("%d devices: rows %v, want %v", count, got, rows)
		}
		if got := joined(out[1]); !slices.Equal(got, gradient) {
			t.Errorf("%d devices: gradient %v, want %v", count, got, gradient)
		}
		x.Finalize()
	}
}

// TestSameRandomNumbers: devices draw the numbers of one device.
func TestSameRandomNumbers(t *testing.T) {
	e := backend(t)
	var first []float32
	for _, count := range []int{1, 4} {
		if count > e.Devices() {
			continue
		}
		d, err := New(e.Backend, count)
		if err != nil {
			t.Fatal(err)
		}
		x, err := d.Exec(func(in []*graph.Node) []*graph.Node {
			_, r := graph.RandomUniform(in[0], in[1].Shape())
			return []*graph.Node{r}
		}, []Sharding{Replicated, Sharded}, []Sharding{Sharded})
		if err != nil {
			t.Fatal(err)
		}
		state, err := d.Random(7)
		if err != nil {
			t.Fatal(err)
		}
		out, err := x.Call(state, Parts(d, make([]float32, 24), 8, 3))
		if err != nil {
			t.Fatal(err)
		}
		if got := joined(out[0]); first == nil {
			first = got
		} else if !slices.Equal(got, first) {
			t.Errorf("%d devices draw %v, one %v", count, got, first)
		}
		x.Finalize()
	}
}

func TestWrongCount(t *testing.T) {
	e := backend(t)
	for _, count := range []int{-1, 0, e.Devices() + 1} {
		if _, err := New(e.Backend, count); err == nil || !strings.Contains(err.Error(), "devices: expected 1 to") {
			t.Errorf("%d devices: %v", count, err)
		}
	}
}
