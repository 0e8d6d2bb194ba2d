package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// decoded reads a PNG.
func decoded(t *testing.T, path string) image.Image {
	t.Helper()
	return must.M1(png.Decode(bytes.NewReader(content(t, path))))
}

// inked is the fraction of the pixels that are blue, as inputs are, inside of a box, given in fractions of the picture's width and height.
func inked(p image.Image, left, top, right, bottom float64) float64 {
	n, all := 0, 0
	w, h := float64(p.Bounds().Dx()), float64(p.Bounds().Dy())
	for y := int(top * h); y < int(bottom*h); y++ {
		for x := int(left * w); x < int(right*w); x++ {
			r, g, b, _ := p.At(x, y).RGBA()
			if all++; int(b>>8)-int(r>>8) > 60 && g > r {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

// TestPlotClouds: every kind of input. The set of the arrays has clouds of 40 points.
func TestPlotClouds(t *testing.T) {
	dir := misuseInputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	writeZip(t, at("k.npz"), "data.npy", content(t, at("x.npy")))
	writeHDF5(t, at("x.h5"), shapesOf(t, 2, 1))
	for in, clouds := range map[string]int{at("k.npz"): 2, at("x.h5"): 2, at("tri.off"): 1, at("data"): 14, at("plane.npy"): 2} {
		out := filepath.Join(t.TempDir(), "p.png")
		v := object(t, "plot", "clouds", "--x", in, "--points", "32", "--out", out)
		if got := len(v["clouds"].([]any)); got != clouds || v["out"] != out {
			t.Errorf("%s: %d clouds, expected %d: %v", in, got, clouds, v)
		}
		picture := decoded(t, out)
		if float64(picture.Bounds().Dx()) != 2*v["width"].(float64) {
			t.Errorf("%s: %v pixels, width %v", in, picture.Bounds(), v["width"])
		}
		if part := inked(picture, 0, 0, 1, 1); part < 0.0005 {
			t.Errorf("%s: %.5f of the picture is blue", in, part)
		}
	}
}

// loggedRuns adds to misuseFiles short and amortized, runs with a log of three steps.
func loggedRuns(t *testing.T) string {
	t.Helper()
	dir := misuseFiles(t)
	config := content(t, filepath.Join(dir, "run", "config.json"))
	for name, more := range map[string]string{"short": "", "amortized": `"ascent": 4, "ascent_angle_deg": 1.5, `} {
		log := ""
		for step := 1; step <= 3; step++ {
			log += fmt.Sprintf("{\"step\": %d, \"epoch\": 0, \"loss\": %d.5, %s\"seconds\": 1}\n", step, 5-step*step/2, more)
		}
		put(t, filepath.Join(dir, name, "config.json"), config)
		put(t, filepath.Join(dir, name, "log.jsonl"), []byte(log))
	}
	return dir
}

// TestPlotRows: several files are rows with captions, and errors have a colour bar.
func TestPlotRows(t *testing.T) {
	dir := misuseInputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	object(t, "plot", "clouds", at("x.npy"), at("y.npy"), "--errors", "--caption", "first", "--caption", "second", "--out", at("errors.svg"))
	for _, text := range []string{"first", "second", "distance to the nearest target point"} {
		if !strings.Contains(string(content(t, at("errors.svg"))), text) {
			t.Errorf("the picture lacks %q", text)
		}
	}
}

// TestPlotFiles: pictures in SVG and PDF can be read.
func TestPlotFiles(t *testing.T) {
	dir := loggedRuns(t)
	for i, call := range []string{"clouds x.npy --out p.svg", "slice x.npy y.npy --slices 30 --out q.pdf", "sphere --kappa 10 --n 50 --out r.svg", "curves short --out s.pdf"} {
		words := strings.Fields(call)
		for k, w := range words {
			if strings.Contains(w, ".") || w == "short" {
				words[k] = filepath.Join(dir, w)
			}
		}
		v := object(t, append([]string{"plot"}, words...)...)
		has(t, v, "out", "width", "height", "alt")
		raw := content(t, v["out"].(string))
		if i%2 == 1 {
			if !bytes.HasPrefix(raw, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(raw), []byte("%%EOF")) {
				t.Errorf("%s: no PDF: %.20q", call, raw)
			}
			continue
		}
		var svg struct {
			XMLName xml.Name `xml:"svg"`
		}
		if err := xml.Unmarshal(raw, &svg); err != nil {
			t.Errorf("%s: no SVG: %v", call, err)
		}
	}
}

// TestPlotSphere: samples of a large concentration are near the location, the page has one panel for each concentration.
func TestPlotSphere(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	// Seen from the location, its samples are in the middle.
	object(t, "plot", "sphere", "--kappa", "200", "--location", "1,0,0", "--view", "0,0", "--out", at("near.png"))
	near := decoded(t, at("near.png"))
	if middle, rim := inked(near, 0.35, 0.35, 0.65, 0.65), inked(near, 0, 0, 1, 0.2); middle < 0.05 || rim > 0 {
		t.Errorf("kappa 200: %.4f of the middle and %.4f of the rim are blue", middle, rim)
	}
	object(t, "plot", "sphere", "--distribution", "point", "--map", "--out", at("point.svg"))
	object(t, "plot", "sphere", "--distribution", "orthogonal", "--out", at("orthogonal.html"))
	object(t, "plot", "sphere", "--kappa", "1,10", "--out", at("page.html"))
	for _, text := range []string{"<!DOCTYPE html>", `"kappa":1,`, `"kappa":10,`, "</html>"} {
		if !strings.Contains(string(content(t, at("page.html"))), text) {
			t.Errorf("the page lacks %s", text)
		}
	}
}

// TestPlotSlice: the cost of the direction that is shown, and the mean over the slices, are those of
// swlab.Distance.
func TestPlotSlice(t *testing.T) {
	dir := misuseInputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	x := must.M1(datasets.Load(at("x.npy"), datasets.Options{Raw: true}))
	y := must.M1(datasets.Load(at("y.npy"), datasets.Options{Raw: true}))
	config := swlab.DistanceConfig{Config: loss.Defaults(), Seed: 1}
	config.Slices, config.Reduce = 30, loss.Mean
	d := must.M1(swlab.Distance("sw", x.Select([]int{0}), y.Select([]int{1}), config))
	v := object(t, "plot", "slice", "--x", at("x.npy"), "--y", at("y.npy"), "--pair", "0,1", "--slices", "30", "--reduce", "mean", "--out", at("p.svg"))
	if v["value"] != d.Value {
		t.Errorf("value %v, expected %v", v["value"], d.Value)
	}
	for _, c := range d.Costs {
		if float64(c) > v["cost"].(float64)+1e-7 {
			t.Errorf("a direction costs %v, more than the one shown, %v", c, v["cost"])
		}
	}
	// F((0, 1, 0)) = mean over i of the squared gap of the sorted second coordinates: y is x, shifted by 1/4.
	v = object(t, "plot", "slice", "--x", at("x.npy"), "--y", at("y.npy"), "--direction", "0,2,0", "--reduce", "mean", "--out", at("q.svg"))
	if got := v["cost"].(float64); math.Abs(got-1.0/16) > 1e-6 {
		t.Errorf("cost %v of a shift by 1/4, expected 1/16", got)
	}
	object(t, "plot", "slice", "--x", at("plane.npy"), "--y", at("plane.npy"), "--pair", "0,1", "--out", at("plane.svg"))
	if !strings.Contains(string(content(t, at("plane.svg"))), "mean ± standard error") {
		t.Error("the standard error of the random directions is not drawn")
	}
}

// TestPlotCurves: one curve for each run that has the values, a panel for each value.
func TestPlotCurves(t *testing.T) {
	dir := loggedRuns(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	v := object(t, "plot", "curves", "--run", at("short"), "--run", at("amortized"), "--caption", "one", "--caption", "two", "--out", at("p.svg"))
	if steps := v["steps"].(map[string]any); steps["one"] != 3.0 || steps["two"] != 3.0 {
		t.Errorf("steps %v", v["steps"])
	}
	for text, n := range map[string]int{">one<": 1, ">two<": 3, "training loss": 1, "maximised objective": 1, "angle (degrees)": 1} {
		if got := strings.Count(string(content(t, at("p.svg"))), text); got != n {
			t.Errorf("%d times %q in the picture, expected %d", got, text, n)
		}
	}
}
