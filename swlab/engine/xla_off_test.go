//go:build !cgo || noxla || !(linux || darwin)

package engine

import (
	"testing"

	"github.com/gomlx/compute"
)

// TestWithoutXLA: such a program has the pure-Go backend by itself, an error for every other, and a doctor that says so.
func TestWithoutXLA(t *testing.T) {
	for _, name := range []string{Variable, compute.ConfigEnvVar} {
		t.Setenv(name, "")
	}
	if HasXLA {
		t.Fatal("HasXLA")
	}
	e, err := Open("auto")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Name != kindGo || e.IsXLA() || len(e.Warnings) > 1 {
		t.Errorf("%+v", e)
	}
	contains(t, e.Why, "built without XLA")
	for _, want := range []string{kindXLA, kindCPU, kindCUDA} {
		_, err := Open(want)
		if err == nil {
			t.Fatalf("%s: no error", want)
		}
		contains(t, err.Error(), want, "built without XLA", "use go or auto")
	}
	if c := find(t, Doctor(t.TempDir()), "XLA"); !c.OK {
		t.Errorf("%+v", c)
	}
}

func xlaKind(compute.Backend) (cpu, cuda bool) { return false, false }
