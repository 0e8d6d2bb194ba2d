package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/internal/xlaenv"
)

// TestWhich opens what it names, and leaves nothing open.
func TestWhich(t *testing.T) {
	if e, err := Which("go"); err != nil || e.Name != kindGo || e.IsXLA() || e.IsCUDA() || e.Why == "" {
		t.Errorf("got %+v, %v", e, err)
	}
	if _, err := Which("abacus"); err == nil {
		t.Error("an unknown backend is no error")
	}
	if len(backends) > 0 {
		t.Errorf("left open: %v", backends)
	}
}

// TestResolve: the caller's choice, else SWLAB_BACKEND's, else GOMLX_BACKEND's.
func TestResolve(t *testing.T) {
	for _, c := range []struct{ swlab, gomlx, want, kind, env string }{
		{"", "", "auto", kindAuto, ""},
		{"go", "", "auto", kindGo, Variable},
		{"go", "xla:cpu", "", kindGo, Variable},
		{"", "go", "auto", kindGo, compute.ConfigEnvVar},
		{"auto", "xla:cpu", "auto", kindCPU, compute.ConfigEnvVar},
		{"go", "go", "xla:cpu", kindCPU, ""},
		{"xla:cpu", "", "go", kindGo, ""},
		{"", "xla", "", kindXLA, compute.ConfigEnvVar},
		{"", "xla:/a/pjrt_c_api_cpu_plugin.so", "", kindFile, compute.ConfigEnvVar},
		{"", "xla:cpu,shared_buffers=false", "", kindCPU, compute.ConfigEnvVar},
	} {
		t.Setenv(Variable, c.swlab)
		t.Setenv(compute.ConfigEnvVar, c.gomlx)
		if r, err := resolve(c.want); err != nil || r.kind != c.kind || r.env != c.env {
			t.Errorf("%+v: got %+v, %v", c, r, err)
		}
	}
}

// TestChoiceIsObeyedOrAnError: without a plugin, a choice of XLA is an error that says what to do,
// never another backend.
func TestChoiceIsObeyedOrAnError(t *testing.T) {
	if Nvidia() {
		t.Skip("this machine has an NVIDIA device")
	}
	t.Setenv(xlaenv.Variable, t.TempDir())
	without := func(message string) string {
		if !HasXLA {
			return "built without XLA"
		}
		return message
	}
	for _, c := range []struct{ want, env, message string }{
		{"tpu", "", `backend "tpu" is unknown: expected auto, xla:cuda, xla:cpu or go`},
		{"auto", "cpu", "from the environment variable " + Variable},
		{"go,fast", "", "unknown"},
		{"auto", "xla:cuda", "from the environment variable " + Variable},
		{"xla:cuda", "", without("no NVIDIA device")},
		{"xla:cpu", "", without("make setup")},
		{"xla", "", without("make setup")},
		{"xla:/nowhere/plugin.so", "", without("pjrt_c_api_NAME_plugin.so")},
		{"xla:/nowhere/pjrt_c_api_tpu_plugin.so", "", without("tpu")},
		{"xla:/nowhere/pjrt_c_api_cpu_plugin.so", "", without("leads nowhere")},
	} {
		t.Setenv(Variable, c.env)
		if _, err := Open(c.want); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	t.Setenv(Variable, "")
	t.Setenv(compute.ConfigEnvVar, "")
	e, err := Which("auto")
	if err != nil || e.Name != kindGo || HasXLA && len(e.Warnings) != 1 || !HasXLA &&
		!strings.Contains(e.Why, "built without XLA") {
		t.Errorf("without a plugin: %+v, %v", e, err)
	}
}

// TestGoBackendDoesNotWaitForItself: more large products ready at once than the pure-Go backend has workers.
func TestGoBackendDoesNotWaitForItself(t *testing.T) {
	e := must.M1(Open("go"))
	defer e.Close()
	const size = 150
	many := 4 * runtime.GOMAXPROCS(0)
	exec := must.M1(graph.NewExec(e.Backend, func(x *graph.Node) *graph.Node {
		sum := graph.ZerosLike(x)
		for i := range many {
			sum = graph.Add(sum, graph.MatMul(graph.AddScalar(x, float64(i)), x))
		}
		return sum
	}))
	ones := make([]float32, size*size)
	for i := range ones {
		ones[i] = 1
	}
	done := make(chan error, 1)
	go func() {
		var err error
		for range 4 { // it did not hang every time
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
