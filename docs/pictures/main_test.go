package main

import (
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

// TestDraw: every picture of the documentation can be drawn, and the sheet of them.
func TestDraw(t *testing.T) {
	to := t.TempDir()
	for _, folder := range []string{"pictures", "results"} {
		if err := os.Mkdir(filepath.Join(to, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := drawAll("..", to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pictures/classes.png", "pictures/slice.png", "pictures/vmf.png", "pictures/architecture.png", "pictures/invariance.png", "pictures/contact.png", "results/ablation_L-desk-emd.png"} {
		if fi, err := os.Stat(filepath.Join(to, name)); err != nil || fi.Size() < 10000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestContact: the committed sheet shows the committed pictures.
func TestContact(t *testing.T) {
	want, err := os.ReadFile(contactName)
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := contact("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := sheet.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if same, err := cmpimg.EqualApprox("png", got, want, 0.15); err != nil || !same {
		t.Errorf("%s is another sheet (%v): run make docs-pictures", contactName, err)
	}
}
