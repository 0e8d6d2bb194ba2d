package train

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/janpfeifer/must"
)

// TestMemoryIsKept: the steps of a training reuse the memory of the steps before them.
// GLIBC_TUNABLES with a limit of its own prevents that: then each step gives its large buffers back
// and takes new pages. Either is a process of its own.
func TestMemoryIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a step twice")
	}
	if e := backend(t); e.Name != "xla:cpu" {
		t.Skip("for XLA's CPU")
	}
	if os.Getenv("TEST_FAULTS") != "" {
		fmt.Println("faults", faults(t))
		return
	}
	each := func(tunables string) (n int) {
		child := exec.Command(os.Args[0], "-test.run=^TestMemoryIsKept$")
		child.Env = append(os.Environ(), "TEST_FAULTS=1", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"+tunables)
		child.Stderr = os.Stderr
		out, err := child.Output()
		if err == nil {
			_, err = fmt.Sscanf(string(out), "faults %d", &n)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return n
	}
	kept, given := each(""), each(":glibc.malloc.mmap_max=65536")
	t.Logf("page faults a step: %d, with a limit %d", kept, given)
	if 4*kept > 3*given {
		t.Errorf("%d page faults a step, expected less than three quarters of the %d with a limit", kept, given)
	}
}

// faults is the median of the page faults of late steps.
func faults(t *testing.T) int64 {
	const steps, warm = 30, 10
	c := DefaultConfig()
	c.Batch, c.Points, c.Slices, c.Steps = 8, 512, 10, steps
	var all, each []int64
	o := Options{Out: filepath.Join(t.TempDir(), "run"), Progress: func(Record, int) {
		var u syscall.Rusage
		must.M(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		all = append(all, u.Minflt)
	}}
	must.M1(Run(context.Background(), backend(t), boxes(c.Batch*steps, c.Points), c, o))
	for i := warm; i < len(all); i++ {
		each = append(each, all[i]-all[i-1])
	}
	slices.Sort(each)
	return each[len(each)/2]
}
