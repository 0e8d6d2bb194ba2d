package notebook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// TestPretrained: no network is an invitation, half a training an error, a finished one is read.
func TestPretrained(t *testing.T) {
	if made, err := os.ReadFile("../../Makefile"); err != nil || !strings.Contains(string(made), "trained := "+pretrained+"\n") {
		t.Errorf("make network trains elsewhere than in %s (%v)", pretrained, err)
	}
	root := t.TempDir()
	must.M(os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/sliced-wasserstein/lab\n"), 0o644))
	t.Chdir(root)
	b := &Session{}
	if net, err := b.Pretrained(); net != nil || err != nil {
		t.Errorf("none there: %v, %v", net, err)
	}
	set := must.M1(datasets.Shapes{Train: 2, Points: 16, Classes: []string{"guitar", "mug"}}.Generate())
	e := must.M1(engine.Open(""))
	c := train.DefaultConfig()
	c.Points, c.Batch, c.Epochs, c.Slices = 16, 2, 2, 4
	must.M1(train.Run(t.Context(), e, set, c, train.Options{Out: pretrained}))
	if net, err := b.Pretrained(); err != nil || net.Points != 16 {
		t.Errorf("a finished one: %v, %v", net, err)
	}
	must.M(os.Remove(filepath.Join(pretrained, "result.json")))
	if net, err := b.Pretrained(); net != nil || err == nil || !strings.Contains(err.Error(), "make network continues it") {
		t.Errorf("an unfinished one: %v, %v", net, err)
	}
	b.Out, b.Fast = root, true
	rows, names := OnePerClass(set, 2)
	if net, err := b.Pretrained(); err != nil || net.Points != 64 {
		t.Errorf("the short form: %v, %v", net, err)
	} else if _, err := b.Reconstructed(net, set.Select(rows), names); err != nil {
		t.Error(err)
	}
	if _, err := b.Reconstructed(nil, set, nil); err == nil {
		t.Error("no network reconstructs")
	}
}
