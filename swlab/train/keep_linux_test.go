package train

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestMemoryIsKept: between two checkpoints, the steps of a training reuse the memory of the steps before them. With glibc's
// own limits, which the last part sets by the environment, each step gives its large buffers back and takes new pages.
func TestMemoryIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a step")
	}
	e := backend(t)
	if e.Name != "xla:cpu" {
		t.Skip("for XLA's CPU")
	}
	if !strings.Contains(os.Getenv("GLIBC_TUNABLES"), "glibc.malloc.hugetlb=1") {
		t.Skip("without huge pages the steps also fault where glibc unmaps a thread's empty heap of 64 MB")
	}
	// The median over the last steps.
	faults := func() int64 {
		const steps, warm = 30, 10
		c := DefaultConfig()
		c.Batch, c.Points, c.Slices, c.Steps = 8, 512, 10, steps
		var all []int64
		o := Options{Out: filepath.Join(t.TempDir(), "run"), Progress: func(Record, int) {
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
				t.Error(err)
			}
			all = append(all, u.Minflt)
		}}
		if _, err := Run(context.Background(), e, boxes(c.Batch*steps, c.Points), c, o); err != nil {
			t.Fatal(err)
		}
		var each []int64
		for i := warm; i < len(all); i++ {
			each = append(each, all[i]-all[i-1])
		}
		slices.Sort(each)
		return each[len(each)/2]
	}
	kept := faults()
	t.Setenv("GLIBC_TUNABLES", "glibc.malloc.mmap_max=65536")
	given := faults()
	t.Logf("page faults a step: %d, with glibc's limits %d", kept, given)
	if !(kept < given/2) {
		t.Errorf("%d page faults a step, expected less than half of the %d with glibc's limits", kept, given)
	}
}
