package timing

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRepeat(t *testing.T) {
	calls := 0
	got, err := Repeat(0, func() error { calls++; return nil })
	if err != nil || len(got) != 2 && len(got) != 3 || calls != len(got) {
		t.Errorf("%d calls, %v, %v", calls, got, err)
	}
	if got, err := Repeat(time.Hour.Seconds(), func() error { return nil }); err != nil || len(got) != most {
		t.Errorf("%d calls, %v", len(got), err)
	}
	failed := errors.New("failed")
	if got, err := Repeat(time.Hour.Seconds(), func() error { return failed }); err != failed || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestMedian(t *testing.T) {
	v := []float64{3, 1, 2, 10}
	if got := Median(v); got != 2.5 || v[0] != 3 {
		t.Errorf("%v of %v", got, v)
	}
	if got := Each(v, 2); !slices.Equal(got, []float64{1.5, 0.5, 1, 5}) || v[0] != 3 {
		t.Errorf("%v of %v", got, v)
	}
}

func TestTogether(t *testing.T) {
	v := []float64{1, 2, 3, 5, 9}
	for n, want := range map[int][]float64{1: v, 2: {1.5, 4}, 5: {4}, 6: nil} {
		if got := Together(v, n); !slices.Equal(got, want) {
			t.Errorf("%d together: %v, expected %v", n, got, want)
		}
	}
}

func TestPrint(t *testing.T) {
	t.Setenv("BENCH_BEGAN", "1.5")
	if got := Began(); !got.Equal(time.UnixMilli(1500)) {
		t.Errorf("%v", got)
	}
	var b strings.Builder
	if err := (Result{Seconds: []float64{1}}).Print(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, `{"program":"swlab"`) || strings.Contains(got, `"peak_mb":0,`) || strings.Contains(got, "compile") {
		t.Error(got)
	}
}
