package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/scigolib/hdf5"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// decoded reads a PNG.
func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return picture
}

// A hue tells colours apart, however light or dark they are.
type hue func(r, g, b int) bool

// The hues of inputs, outputs and directions.
var (
	blue      hue = func(r, g, b int) bool { return b-r > 60 && g > r }
	vermilion hue = func(r, g, b int) bool { return r-b > 60 && r-g > 30 }
	purple    hue = func(r, g, b int) bool { return r-g > 50 && b-g > 25 }
)

// inked is the fraction of the pixels of that hue inside of a box, given in fractions of the
// picture's width and height.
func inked(p image.Image, is hue, left, top, right, bottom float64) float64 {
	n, all := 0, 0
	w, h := float64(p.Bounds().Dx()), float64(p.Bounds().Dy())
	for y := int(top * h); y < int(bottom*h); y++ {
		for x := int(left * w); x < int(right*w); x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			if all++; is(int(r>>8), int(g>>8), int(b>>8)) {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

// plotInputs are clouds of every kind that a call reads, with their number. The set of the arrays
// has clouds of 40 points: disc 0 in the left half of the plane of the screen.
func plotInputs(t *testing.T) map[string]int {
	t.Helper()
	dir := flagFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	x, _, err := format.ReadNPY(at("x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := hdf5.CreateForWrite(at("x.h5"), hdf5.CreateTruncate)
	if err != nil {
		t.Fatal(err)
	}
	set, err := w.CreateDataset("/data", hdf5.Float32, []uint64{2, 40, 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(set.Write(x), w.Close()); err != nil {
		t.Fatal(err)
	}
	return map[string]int{at("one.npy"): 1, at("x.npy"): 2, at("k.npz"): 2, at("x.h5"): 2, at("mesh.off"): 1, at("data"): 14, at("plane.npy"): 2, "builtin": 24}
}

// TestPlotClouds: every kind of input in every kind of file.
func TestPlotClouds(t *testing.T) {
	for in, clouds := range plotInputs(t) {
		out := filepath.Join(t.TempDir(), "p.png")
		v := object(t, "plot", "clouds", "--x", in, "--points", "32", "--out", out)
		if got := len(v["clouds"].([]any)); got != clouds || v["out"] != out {
			t.Errorf("%s: %d clouds, expected %d: %v", in, got, clouds, v)
		}
		picture := decoded(t, out)
		if float64(picture.Bounds().Dx()) != 2*v["width"].(float64) {
			t.Errorf("%s: %v pixels, width %v", in, picture.Bounds(), v["width"])
		}
		if part := inked(picture, blue, 0, 0, 1, 1); part < 0.0005 {
			t.Errorf("%s: %.5f of the picture is blue", in, part)
		}
	}
}

// TestPlotRows: rows are inputs and outputs, and a shifted cloud is drawn shifted.
func TestPlotRows(t *testing.T) {
	dir := misuseInputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	object(t, "plot", "clouds", "--x", at("x.npy"), "--x", at("y.npy"), "--out", at("rows.png"))
	rows := decoded(t, at("rows.png"))
	if top, bottom := inked(rows, vermilion, 0.2, 0, 1, 0.5), inked(rows, vermilion, 0.2, 0.5, 1, 1); top > 0 || bottom == 0 {
		t.Errorf("vermilion: %.4f of the upper half, %.4f of the lower", top, bottom)
	}
	object(t, "plot", "clouds", "--x", at("x.npy"), "--x", at("y.npy"), "--errors", "--caption", "first", "--caption", "second", "--out", at("errors.svg"))
	raw, err := os.ReadFile(at("errors.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second", "distance to the nearest target point"} {
		if !strings.Contains(string(raw), text) {
			t.Errorf("the picture lacks %q", text)
		}
	}
}

// TestPlotFiles: each call writes PNG, SVG and PDF that can be read, and the sphere a page.
func TestPlotFiles(t *testing.T) {
	dir := flagFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, call := range map[string][]string{
		"clouds": {"--x", at("x.npy")},
		"slice":  {"--x", at("x.npy"), "--y", at("y.npy"), "--slices", "30"},
		"sphere": {"--kappa", "10", "--n", "50"},
		"curves": {"--run", at("short")},
	} {
		for _, ext := range []string{".png", ".svg", ".pdf"} {
			out := at(name + ext)
			v := object(t, append([]string{"plot", name, "--out", out}, call...)...)
			has(t, v, "out", "width", "height", "alt")
			raw, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			switch ext {
			case ".png":
				decoded(t, out)
			case ".svg":
				d := xml.NewDecoder(bytes.NewReader(raw))
				first, err := d.Token()
				for err == nil {
					_, err = d.Token()
				}
				if err != io.EOF || first == nil || !bytes.Contains(raw, []byte("<svg")) {
					t.Errorf("%s: no SVG: %v", out, err)
				}
			case ".pdf":
				if !bytes.HasPrefix(raw, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(raw), []byte("%%EOF")) {
					t.Errorf("%s: no PDF: %.20q", out, raw)
				}
			}
		}
	}
}

// TestPlotSphere: samples of a large concentration are near the location, the page has one panel
// for each concentration and needs nothing from elsewhere.
func TestPlotSphere(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	// Seen from the location, its samples are in the middle.
	object(t, "plot", "sphere", "--kappa", "200", "--location", "1,0,0", "--view", "0,0", "--out", at("near.png"))
	near := decoded(t, at("near.png"))
	middle, rim := inked(near, blue, 0.35, 0.35, 0.65, 0.65), inked(near, blue, 0, 0, 1, 0.2)
	if middle < 0.05 || rim > 0 {
		t.Errorf("kappa 200: %.4f of the middle and %.4f of the rim are blue", middle, rim)
	}
	object(t, "plot", "sphere", "--distribution", "uniform", "--out", at("uniform.png"))
	if part := inked(decoded(t, at("uniform.png")), blue, 0, 0, 1, 0.2); part == 0 {
		t.Error("uniform: no direction near the top")
	}
	object(t, "plot", "sphere", "--distribution", "point", "--map", "--out", at("point.svg"))
	object(t, "plot", "sphere", "--kappa", "1,10", "--out", at("page.html"))
	raw, err := os.ReadFile(at("page.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, text := range []string{"<!DOCTYPE html>", `"kappa":1,`, `"kappa":10,`, "</html>"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	for _, text := range []string{"http://", "https://", "src="} {
		if strings.Contains(page, text) {
			t.Errorf("the page refers to %s", text)
		}
	}
	object(t, "plot", "sphere", "--distribution", "orthogonal", "--out", at("orthogonal.html"))
}

// TestPlotSlice: the cost of the direction that is shown, and the mean over the slices, are those of
// swlab.Distance.
func TestPlotSlice(t *testing.T) {
	dir := misuseInputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	x, err := datasets.Load(at("x.npy"), datasets.Options{Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	y, err := datasets.Load(at("y.npy"), datasets.Options{Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	config := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	config.Slices, config.Reduce = 30, loss.Mean
	d, err := swlab.Distance("sw", x.Select([]int{0}), y.Select([]int{1}), config)
	if err != nil {
		t.Fatal(err)
	}
	v := object(t, "plot", "slice", "--x", at("x.npy"), "--y", at("y.npy"), "--pair", "0,1", "--slices", "30", "--reduce", "mean", "--out", at("p.png"))
	if v["value"] != d.Value {
		t.Errorf("value %v, expected %v", v["value"], d.Value)
	}
	for _, c := range d.Costs {
		if float64(c) > v["cost"].(float64)+1e-7 {
			t.Errorf("a direction costs %v, more than the one shown, %v", c, v["cost"])
		}
	}
	picture := decoded(t, at("p.png"))
	for name, c := range map[string]hue{"x": blue, "y": vermilion, "direction": purple} {
		if inked(picture, c, 0, 0, 0.5, 1) == 0 {
			t.Errorf("%s is not drawn", name)
		}
	}
	// F((0, 1, 0)) = mean over i of the squared gap of the sorted second coordinates: y is x, shifted by 1/4.
	v = object(t, "plot", "slice", "--x", at("x.npy"), "--y", at("y.npy"), "--direction", "0,2,0", "--reduce", "mean", "--out", at("q.png"))
	if got := v["cost"].(float64); math.Abs(got-1.0/16) > 1e-6 {
		t.Errorf("cost %v of a shift by 1/4, expected 1/16", got)
	}
	object(t, "plot", "slice", "--x", at("plane.npy"), "--y", at("plane.npy"), "--pair", "0,1", "--out", at("plane.svg"))
	if raw, err := os.ReadFile(at("plane.svg")); err != nil || !strings.Contains(string(raw), "mean ± standard error") {
		t.Errorf("the standard error of the random directions is not drawn (%v)", err)
	}
}

// TestPlotCurves: one curve for each run that has the values, a panel for each value.
func TestPlotCurves(t *testing.T) {
	dir := flagFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	v := object(t, "plot", "curves", "--run", at("short"), "--run", at("amortized"), "--caption", "one", "--caption", "two", "--out", at("p.svg"))
	if steps := v["steps"].(map[string]any); steps["one"] != 3.0 || steps["two"] != 3.0 {
		t.Errorf("steps %v", v["steps"])
	}
	raw, err := os.ReadFile(at("p.svg"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]int{">one<": 1, ">two<": 3, "training loss": 1, "maximised objective": 1, "angle (degrees)": 1}
	for text, n := range texts {
		if got := strings.Count(string(raw), text); got != n {
			t.Errorf("%d times %q in the picture, expected %d", got, text, n)
		}
	}
}
