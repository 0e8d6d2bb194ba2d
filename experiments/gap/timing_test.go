package gap

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// checkTimes: amortizers and ascents are timed on both backends, other methods on none.
func checkTimes(t *testing.T, backend string, r Result) {
	t.Helper()
	var want, got []string
	if r.Config.Method == VDSW || r.Config.IsAmortizer() {
		if want = []string{"go"}; backend != "go" {
			want = append(want, backend)
		}
	}
	for _, v := range r.Times {
		got = append(got, v.Backend)
		if !(0 < v.Min && v.Min <= v.Median && v.Median <= v.Max) || v.Calls < locateLeast {
			t.Errorf("%s: %+v", r.ID, v)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: timed on %v, expected %v", r.ID, got, want)
	}
}

// TestTimed: the first call does not count, which compiles; an error ends it.
// The clock of the test is not that of the machine.
func TestTimed(t *testing.T) { synctest.Test(t, testTimed) }

func testTimed(t *testing.T) {
	calls := 0
	v, err := timed(context.Background(), 2, func() error {
		if calls++; calls == 1 {
			time.Sleep(200 * time.Millisecond)
		} else {
			time.Sleep(2 * time.Millisecond)
		}
		return nil
	})
	// 2 ms for 2 pairs
	if err != nil || v.Calls != calls-1 || v.Calls > locateMost || v.Min != 1 || v.Max != 1 || v.Median != 1 {
		t.Errorf("%+v, %v after %d calls", v, err, calls)
	}
	failed := errors.New("failed")
	if _, err := timed(context.Background(), 1, func() error { return failed }); err != failed {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := timed(ctx, 1, func() error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
