package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/cmpimg"
)

// TestDraw: the pictures are the stored ones; those of tables are compared in experiments/notebook.
func TestDraw(t *testing.T) {
	folder := t.TempDir()
	must.M(stills(folder))
	for _, name := range []string{"classes.png", "slice.png", "vmf.png"} {
		got, want := must.M1(os.ReadFile(filepath.Join(folder, name))), must.M1(os.ReadFile(name))
		if same, err := cmpimg.EqualApprox("png", got, want, 0.15); err != nil || !same {
			t.Errorf("%s: the picture is another one (%v): run make docs-pictures", name, err)
		}
	}
}
