package settings_test

import (
	"encoding/json"
	"testing"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestFormer: the first version's JSON of two configurations is read, and Former reproduces it byte
// for byte.
func TestFormer(t *testing.T) {
	paper := train.DefaultConfig()
	paper.Loss, paper.Amortizer, paper.Variant, paper.Reduce = "v-dsw", "la", amortizer.Paper, loss.Mean
	for first, c := range map[string]train.Config{
		`{"data":"builtin","points":2048,"clouds":0,"data_hash":"","batch":128,"epochs":301,"steps":-1,"seed":1,"loss":"sw","slices":0,"kappa":1,"chain":10,"control":"upper","epsilon":0.5,"p":0,"reg":0.01,"ascent_steps":50,"ascent_rate":0.0001,"reflection":"coded","dk":64,"k":64,"form":"coded","backend":""}`:                                        train.DefaultConfig(),
		`{"data":"builtin","points":2048,"clouds":0,"data_hash":"","batch":128,"epochs":301,"steps":-1,"seed":1,"loss":"v-dsw","slices":0,"kappa":1,"chain":10,"control":"upper","epsilon":0.5,"p":0,"per_point":true,"reg":0.01,"ascent_steps":50,"ascent_rate":0.0001,"amortizer":"la","reflection":"coded","dk":64,"k":64,"form":"written","backend":""}`: paper,
	} {
		raw, err := json.Marshal(c)
		if err != nil || string(settings.Former(raw)) != first {
			t.Errorf("%s\n%s\n%v", settings.Former(raw), first, err)
		}
		var back train.Config
		if err := json.Unmarshal([]byte(first), &back); err != nil || len(back.Differences(c)) > 0 {
			t.Errorf("read again: %v, %v", back.Differences(c), err)
		}
	}
}
