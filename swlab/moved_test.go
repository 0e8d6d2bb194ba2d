package swlab

import (
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// TestUnmoved: an ascent that stays where it began says so; one that moves, none, several and one of dimension 1 do not.
func TestUnmoved(t *testing.T) {
	set := must.M1(datasets.Shapes{Train: 2, Points: 24, Classes: []string{"chair"}}.Generate())
	x, y := set.Select([]int{0}), set.Select([]int{1})
	y.Coords[0] += 0.5
	for _, c := range []struct {
		name, loss string
		change     func(*loss.Config)
		says       string // "": nothing
	}{
		{"released", "v-dsw", func(*loss.Config) {}, "degrees in 50 steps: it is near the random one"},
		{"released", "max-sw", func(*loss.Config) {}, "degrees in 50 steps: it is near the random one"},
		{"after a prediction", "v-dsw", func(o *loss.Config) { o.Amortizer, o.FineTune, o.AscentSteps = "la", true, 3 }, "in 3 steps: it is near the predicted one"},
		{"moving", "max-sw", func(o *loss.Config) { o.AscentLearningRate, o.AscentTangent = 5e-2, true }, ""},
		{"starts", "max-sw", func(o *loss.Config) { o.AscentStarts = 2 }, ""},
		{"no steps", "v-dsw", func(o *loss.Config) { o.AscentSteps = 0 }, ""},
		{"prediction", "v-dsw", func(o *loss.Config) { o.Amortizer = "la" }, ""},
	} {
		o := DistanceConfig{Config: loss.Defaults(), Seed: 1}
		o.Slices = 8
		c.change(&o.Config)
		d, err := Distance(c.loss, x, y, o)
		if err != nil {
			t.Errorf("%s, %s: %v", c.name, c.loss, err)
			continue
		}
		if text := strings.Join(d.Warnings, "|"); (text == "") != (c.says == "") || !strings.Contains(text, c.says) {
			t.Errorf("%s, %s: expected a warning that says %q, found %q", c.name, c.loss, c.says, text)
		}
	}
	line := must.M1(datasets.New([]float32{1, 2, 3}, 3, 1))
	if d, err := Distance("max-sw", line, line, DistanceConfig{}); err != nil || d.Warnings != nil {
		t.Errorf("dimension 1: %v, %v", d, err)
	}
}
