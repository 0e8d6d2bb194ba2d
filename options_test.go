package lab

import (
	"testing"
)

// TestOptions: every option sets what it is called after.
func TestOptions(t *testing.T) {
	r := newRequest("distance", []Option{Kappa(2), Slices(3), Power(1), Slicing("qmc"), AscentSteps(4), AscentRate(0.5), Mean(), Root(),
		Epochs(5), Steps(6), Batch(7), LearningRate(0.25), Repeats(8), Size(9), LA, Preset("quick"), Rows("sw", "la"), Set("ascent-tangent", true), Seed(10)})
	for name, want := range map[string]string{"kappa": "2", "slices": "3", "p": "1", "slicing": "qmc", "ascent_steps": "4", "ascent_rate": "0.5",
		"reduce": "mean", "root": "true", "epochs": "5", "steps": "6", "batch": "7", "learning_rate": "0.25", "repeats": "8", "points": "9",
		"amortizer": "la", "ascent_tangent": "true", "preset": "quick", "rows": "sw,la"} {
		if got := r.Settings[name]; got != want {
			t.Errorf("%s: found %q, expected %q", name, got, want)
		}
	}
	if r.Seed != 10 || len(r.Settings) != 18 {
		t.Errorf("seed %d, settings %v", r.Seed, r.Settings)
	}
}
