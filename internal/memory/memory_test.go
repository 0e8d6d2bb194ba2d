package memory

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		want  int64
	}{
		{nil, 1}, {[]int{4, 2, 100, 3}, 2400}, {[]int{4, -1, 100}, 0}, {[]int{math.MaxInt, 0}, 0},
		{[]int{math.MaxInt, 2}, math.MaxInt64}, {[]int{math.MaxInt, math.MaxInt, math.MaxInt}, math.MaxInt64}, {[]int{1 << 32, 1 << 32, 4}, math.MaxInt64}, {[]int{math.MaxInt, 1}, math.MaxInt64},
	} {
		if got := Bytes(c.sizes...); got != c.want {
			t.Errorf("Bytes(%v) = %d, expected %d", c.sizes, got, c.want)
		}
	}
	if got := Sum(math.MaxInt64-1, 2); got != math.MaxInt64 {
		t.Errorf("a sum that does not fit: %d", got)
	}
	if got := Sum(1, 2, 3); got != 6 {
		t.Errorf("1 + 2 + 3 = %d", got)
	}
}

func TestCheck(t *testing.T) {
	available, limit := Available()
	if available <= 0 || limit == "" {
		t.Fatalf("available: %d, %q", available, limit)
	}
	for _, bytes := range []int64{0, 1 << 20, Unchecked + 1} {
		if err := Check("small", bytes); err != nil {
			t.Errorf("%d bytes are refused: %v", bytes, err)
		}
	}
	var e *Error
	err := Check("slices: 5 directions", math.MaxInt64)
	if !errors.As(err, &e) || e.Needed != math.MaxInt64 || e.Available <= 0 {
		t.Fatalf("everything there is and more is granted: %v", err)
	}
	for _, want := range []string{"slices: 5 directions", "needs more than 9223372037 GB", "GB are available"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

// TestGoLimit sets GOMEMLIMIT and checks what it leaves.
func TestGoLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	available, limit := Available()
	if limit != "GOMEMLIMIT" || available > 1<<30 || available < 1<<29 {
		t.Errorf("1 GiB leave %d bytes, limited by %s", available, limit)
	}
	if err := Check("a limit", 2<<30); err == nil || !strings.Contains(err.Error(), "2.15 GB") || !strings.Contains(err.Error(), "GOMEMLIMIT") {
		t.Errorf("2 GiB of 1 GiB: %v", err)
	}
	if err := Check("a limit", 1<<29); err != nil {
		t.Errorf("half of it is refused: %v", err)
	}
}

// TestPlatforms builds the package for the other systems.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for four systems")
	}
	for _, p := range []string{"windows/amd64", "darwin/arm64", "js/wasm", "freebsd/amd64"} {
		system, arch, _ := strings.Cut(p, "/")
		cmd := exec.Command("go", "build", ".")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p, err, out)
		}
	}
}

// TestSmallestDevice: of several GPUs the smallest counts, and words count nothing.
func TestSmallestDevice(t *testing.T) {
	for lines, want := range map[string]int64{"": 0, "143771\n": 143771 << 20, "81559\n 24576\r\n[N/A]\n": 24576 << 20, "No devices were found\n": 0} {
		if got := smallest(lines); got != want {
			t.Errorf("%q: %d bytes, want %d", lines, got, want)
		}
	}
}
