package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/metric"
)

// TestRun: the printed value is that of metric.Pairwise, and a second run reads its blocks.
func TestRun(t *testing.T) {
	store := t.TempDir()
	a, err := shapes(3, 32, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := shapes(3, 32, 2)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := metric.Pairwise(context.Background(), e, a, b, "emd-exact", metric.Config{})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, v := range m.Values {
		mean += v / 9
	}
	for range 2 {
		var out strings.Builder
		if err := run(&out, 3, 32, "emd-exact", store, ""); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"emd-exact, 3 x 3 clouds of 32 points", fmt.Sprintf("mean distance %.6f", mean)} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
	}
	if err := run(&strings.Builder{}, 3, 32, "nearest", "", ""); err == nil || !strings.Contains(err.Error(), `found "nearest"`) {
		t.Errorf("unknown distance: %v", err)
	}
}
