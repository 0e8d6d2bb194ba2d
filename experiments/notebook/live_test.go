package notebook

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// TestLive: a stopped run keeps what it did, resumes, and ends like an undisturbed one; a finished
// one is read.
func TestLive(t *testing.T) {
	e := must.M1(engine.Open("go"))
	b := &Session{Data: "builtin", Out: t.TempDir()}
	set, testSet := must.M2(b.Clouds(16, 1))
	set, few := set.Select([]int{0, 1, 2, 3}), testSet.Select([]int{0})
	c := train.DefaultConfig()
	c.Loss, c.Points, c.Batch, c.Steps, c.Slices = "sw", 16, 2, 3, 2
	losses := func(l *LiveRun) (out []float64) {
		for _, r := range l.Records {
			out = append(out, r.Loss)
		}
		return out
	}
	steps := func(l *LiveRun) (out []int) {
		for _, k := range l.Snapshots {
			out = append(out, k.Step)
		}
		return out
	}
	watch := func(step func(train.Record)) LiveOptions { return LiveOptions{Clouds: few, Every: 1, Step: step} }

	other := &Session{Data: "builtin", Out: t.TempDir()}
	want := must.M1(other.Live(context.Background(), e, set, c, watch(nil)))
	if !reflect.DeepEqual(steps(want), []int{0, 1, 2, 3}) || len(want.Records) != 3 || want.Result.Steps != 3 {
		t.Fatalf("looks after %v, %d records", steps(want), len(want.Records))
	}

	last := wantLast(t, e, want, few)
	for i, v := range want.Snapshots[3].Points {
		if math.Abs(float64(v-last[i])) > 1e-6 {
			t.Fatalf("number %d of the last look is %v, and the network makes %v", i, v, last[i])
		}
	}

	ctx, stop := context.WithCancel(context.Background())
	half, err := b.Live(ctx, e, set, c, watch(func(r train.Record) {
		if r.Step == 2 {
			stop()
		}
	}))
	if err == nil || !strings.Contains(err.Error(), "interrupted") || !reflect.DeepEqual(steps(half), []int{0, 1}) || len(half.Records) != 2 {
		t.Fatalf("stopped: looks after %v, %d records, %v", steps(half), len(half.Records), err)
	}
	heard := 0
	whole, err := b.Live(context.Background(), e, set, c, watch(func(train.Record) { heard++ }))
	if err != nil || heard != 1 {
		t.Fatalf("%d steps after the stop, %v", heard, err)
	}
	if !reflect.DeepEqual(losses(whole), losses(want)) || !reflect.DeepEqual(whole.Snapshots, want.Snapshots) {
		t.Errorf("losses %v after a stop, %v without", losses(whole), losses(want))
	}
	again, err := b.Live(context.Background(), e, set, c, watch(func(train.Record) { t.Error("trained again") }))
	if err != nil || !reflect.DeepEqual(again.Snapshots, whole.Snapshots) || again.Result.Steps != 3 || len(again.Records) != 3 {
		t.Errorf("read again: %v", err)
	}
	// A changed digit in the log of the finished run is not drawn.
	logs, err := filepath.Glob(filepath.Join(b.Out, "runs", "*", "log.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	raw := must.M1(os.ReadFile(logs[0]))
	raw[bytes.IndexByte(raw, '.')+1] ^= 1
	must.M(os.WriteFile(logs[0], raw, 0o644))
	if _, err := b.Live(context.Background(), e, set, c, watch(nil)); err == nil || !strings.Contains(err.Error(), logs[0]) {
		t.Errorf("a damaged log: %v", err)
	}
	must.M(os.RemoveAll(filepath.Join(b.Out, "runs")))
	heard = 0
	if anew, err := b.Live(context.Background(), e, set, c, watch(func(train.Record) { heard++ })); err != nil || heard != 3 || !reflect.DeepEqual(anew.Snapshots, want.Snapshots) {
		t.Errorf("forgotten and done anew: %d steps, %v", heard, err)
	}
	if p, err := Reconstructions(few, []string{"a"}, whole.Snapshots...); err != nil || p == nil {
		t.Error(err)
	}
	if _, err := b.Live(ctx, e, set, c, LiveOptions{Clouds: few}); err == nil || !strings.Contains(err.Error(), "LiveOptions.Every") {
		t.Errorf("%v", err)
	}
	if _, err := b.Live(ctx, e, set, c, LiveOptions{Every: 1}); err == nil || !strings.Contains(err.Error(), "LiveOptions.Clouds") {
		t.Errorf("%v", err)
	}
}

// wantLast is the reconstruction by the network of the finished run.
func wantLast(t *testing.T, e *engine.Engine, l *LiveRun, clouds *datasets.Set) []float32 {
	t.Helper()
	w := must.M1(weights.ReadSafetensors(must.M1(train.WeightsFile(l.Result.Run, "last"))))
	points, err := must.M1(swlab.NewNetwork(w)).Reconstruct(clouds, swlab.NetworkOptions{Engine: e})
	if err != nil || len(points) != len(l.Snapshots[3].Points) {
		t.Fatalf("%d numbers, %v", len(points), err)
	}
	return points
}
