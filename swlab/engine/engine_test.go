package engine

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

func TestWhich(t *testing.T) {
	if name, why, err := Which("go"); name != kindGo || why == "" || err != nil {
		t.Errorf("got %q, %q, %v", name, why, err)
	}
	if name, _, err := Which("abacus"); name != "" || err == nil {
		t.Errorf("got %q, %v", name, err)
	}
	if len(backends) > 0 {
		t.Errorf("left open: %v", backends)
	}
}

func TestEngineKinds(t *testing.T) {
	e, err := Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Name != "go" || e.IsXLA() || e.IsCUDA() || e.Why == "" || len(e.Warnings) > 0 {
		t.Errorf("got %+v", e)
	}
	cuda := &Engine{Name: kindCUDA}
	if !cuda.IsXLA() || !cuda.IsCUDA() {
		t.Error("xla:cuda is XLA and CUDA")
	}
}

// TestGoBackendDoesNotWaitForItself: more large products ready at once than the pure-Go backend has workers.
func TestGoBackendDoesNotWaitForItself(t *testing.T) {
	e, err := Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const size = 200
	many := 8 * runtime.GOMAXPROCS(0)
	exec, err := graph.NewExec(e.Backend, func(x *graph.Node) *graph.Node {
		sum := graph.ZerosLike(x)
		for i := range many {
			sum = graph.Add(sum, graph.MatMul(graph.AddScalar(x, float64(i)), x))
		}
		return sum
	})
	if err != nil {
		t.Fatal(err)
	}
	ones := make([]float32, size*size)
	for i := range ones {
		ones[i] = 1
	}
	done := make(chan error, 1)
	go func() {
		var err error
		for range 10 { // it did not hang every time
			var out *tensors.Tensor
			if out, err = exec.Call1(tensors.FromFlatDataAndDimensions(ones, size, size)); err != nil {
				break
			}
			if got, want := tensors.MustCopyFlatData[float32](out)[0], float32(size*many*(many+1)/2); got != want {
				err = fmt.Errorf("sum of products %v, want %v", got, want)
			}
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the workers of the pure-Go backend wait for each other")
	}
}
