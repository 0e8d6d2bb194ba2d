package graphtest

import "testing"

// TestHash: the check values that come with the reference sets.
func TestHash(t *testing.T) {
	for i, want := range []float64{0.6856722521927257, -0.28574638555307685, -0.07584919671067669, 0.045620761471706794} {
		if got := Hash(7, 0, uint64(i)); got != want {
			t.Errorf("Hash(7, 0, %d) = %v, want %v", i, got, want)
		}
	}
	if got := Hash(7, 40, 5); got != -0.9843368746450243 {
		t.Errorf("Hash(7, 40, 5) = %v", got)
	}
}
