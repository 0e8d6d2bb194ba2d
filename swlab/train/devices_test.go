package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// splitBatch has a factor that no size of the network or the losses below has: what depends on the batch is known by its size.
const splitBatch, splitFactor = 20, 5

func splitConfig(lossName, amortizer string) Config {
	c := config(lossName, amortizer)
	c.Points, c.Batch, c.Slices, c.Seed = 13, splitBatch, 6, 4 // with seed 1, rounding decides a maximum over points at step 2
	return c
}

// TestDevices: training on four devices is training on one, and the devices exchange sums over the batch only.
func TestDevices(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles several programs")
	}
	t.Parallel()
	if graphtest.InDump() {
		t.Run("sw", func(t *testing.T) { sameOnDevices(t, splitConfig("sw", "")) })
		t.Run("v-dsw la", func(t *testing.T) { sameOnDevices(t, splitConfig("v-dsw", "la")) })
		t.Run("v-dsw ascent", func(t *testing.T) { sameOnDevices(t, splitConfig("v-dsw", "")) })
		return
	}
	programs, sums := graphtest.Exchanged(t, graphtest.Dump(t, 4), 4, splitFactor)
	// Three steps, the forward pass of the ascent and its two programs.
	if programs < 6 || sums < 3*10 {
		t.Errorf("%d all-reduces in %d programs for four devices", sums, programs)
	}
}

// sameOnDevices runs c on one device and on four, and lets each go on where the other was cut off.
func sameOnDevices(t *testing.T, c Config) {
	dir := t.TempDir()
	run := func(name string, devices int, o Options) string {
		t.Helper()
		c.Devices, o.Out = devices, filepath.Join(dir, name)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		o.Progress = func(r Record, _ int) {
			if strings.HasPrefix(name, "cut") && r.Step == 2 {
				cancel()
			}
		}
		if _, err := Run(ctx, graphtest.Engine(t), boxes(splitBatch, c.Points), c, o); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return o.Out
	}
	want := run("one", 1, Options{})
	steps := c.Steps
	c.Steps = 0
	start := run("start", 1, Options{})
	c.Steps = steps
	runs := map[string]string{"four": run("four", 4, Options{}), "streamed": run("streamed", 4, Options{DeviceData: -1})}
	run("cut on four", 4, Options{})
	runs["four, then one"] = run("cut on four", 1, Options{Resume: true})
	run("cut on one", 1, Options{})
	runs["one, then four"] = run("cut on one", 4, Options{Resume: true})
	for name, got := range runs {
		t.Run(name, func(t *testing.T) { sameRun(t, got, want, start) })
	}
}

// sameRun compares logs and final states: losses to 1e-5 of themselves, the batch norms' running statistics to 5e-6 of their largest, what is
// trained to 2 % of the largest step that anything in its file has made since the start: two maxima over points of nearly equal size that
// rounding decides otherwise move a gradient of these small batches by 1.5 %, as they do between any two ways of computing it on
// one device. Sums that lack a device's part are wrong by tens of per cent.
func sameRun(t *testing.T, got, want, start string) {
	a, b := values(t, got), values(t, want)
	if len(a) != 3 || len(b) != 3 {
		t.Fatalf("%d and %d steps", len(a), len(b))
	}
	for i := range b {
		if d := math.Abs(a[i].Loss-b[i].Loss) / b[i].Loss; !(d <= 1e-5) {
			t.Errorf("step %d: loss %v, on one device %v", i+1, a[i].Loss, b[i].Loss)
		}
	}
	files := []string{weightsFile}
	if _, err := os.Stat(filepath.Join(want, amortizerFile)); err == nil {
		files = append(files, amortizerFile)
	}
	for _, file := range files {
		var sets [3]*weights.Set
		for i, dir := range []string{got, want, start} {
			var err error
			if sets[i], err = weights.ReadSafetensors(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		x, y, z := sets[0], sets[1], sets[2]
		moved := 0.0
		for _, name := range y.Names() {
			if strings.Contains(name, ".running_") {
				continue
			}
			v, _ := y.Get(name)
			w, _ := z.Get(name)
			for i := range v.Data {
				moved = max(moved, math.Abs(float64(v.Data[i]-w.Data[i])))
			}
		}
		for _, name := range y.Names() {
			u, _ := x.Get(name)
			v, _ := y.Get(name)
			off, allowed := 0.0, 2e-2*moved
			if strings.Contains(name, ".running_") {
				allowed = 0
				for _, a := range v.Data {
					allowed = max(allowed, 5e-6*math.Abs(float64(a)))
				}
			}
			for i := range v.Data {
				off = max(off, math.Abs(float64(u.Data[i]-v.Data[i])))
			}
			if !(off <= allowed) {
				t.Errorf("%s: off by %v, allowed %v", name, off, allowed)
			}
		}
	}
}

// TestWrongDevices: numbers of devices that cannot share the batches are errors that name the setting, and nothing is written.
func TestWrongDevices(t *testing.T) {
	has := graphtest.Engine(t).Devices()
	for _, c := range []struct {
		devices, batch, clouds int
		message                string
	}{
		{has + 1, has + 1, has + 1, fmt.Sprintf("devices: expected 1 to %d, found %d, on backend ", has, has+1)},
		{4, 6, 12, "devices: 4 do not divide the batch of 6 clouds"},
		{4, 8, 14, "devices: 4 do not divide the last batch of an epoch evenly, 6 of the 14 clouds"},
		{2, 2, 5, "devices: 2 do not divide the last batch of an epoch evenly, 3 of the 5 clouds"},
		{-1, 4, 4, "devices: expected at least 1"},
	} {
		run := splitConfig("sw", "")
		run.Devices, run.Batch = c.devices, c.batch
		out := filepath.Join(t.TempDir(), "run")
		_, err := Run(context.Background(), graphtest.Engine(t), boxes(c.clouds, run.Points), run, Options{Out: out})
		if !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%+v: something was written", c)
		}
	}
}
