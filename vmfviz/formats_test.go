package vmfviz

import (
	"bytes"
	"compress/zlib"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// TestPDFText: a PDF gives back its text, Greek letters and numbers too.
func TestPDFText(t *testing.T) {
	p := must.M1(Curves(CurvesOptions{Title: "F(θ) at ε, κ = 20"},
		CurvePanel{XLabel: "κ", YLabel: "SW² ± 1", Series: []Series{{Label: "ψ → ∞", Y: []float64{-2, 0, 2}}}}))
	text := pdfText(t, must.M1(p.PDF()))
	for _, want := range []string{"F(θ)atε,κ=20", "ψ→∞", "SW", "±1", "−1", "1.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("the PDF has no %q, only %q", want, text)
		}
	}
}

// TestAspect: the sphere is round whatever the canvas, drawn on several, and within
// limits that a user sets later.
func TestAspect(t *testing.T) {
	q := must.M1(Sphere(SphereOptions{}, SpherePanel{})).Plots[0][0]
	for i, size := range [][2]vg.Length{{300, 200}, {200, 300}, {200, 200}, {300, 200}, {300, 200}} {
		if i == 4 {
			q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = 0, 1, 0, 1
		}
		c := draw.New(vgimg.New(size[0], size[1]))
		q.Draw(c)
		data := q.DataCanvas(c)
		kx := float64(data.Max.X-data.Min.X) / (q.X.Max - q.X.Min)
		ky := float64(data.Max.Y-data.Min.Y) / (q.Y.Max - q.Y.Min)
		if math.Abs(kx-ky) > 0.02*kx {
			t.Errorf("drawing %d: a unit is %g wide and %g high", i, kx, ky)
		}
		if wide := q.X.Max - q.X.Min; i == 4 && (q.Y.Min != 0 || q.Y.Max != 1 || wide > 1.6) || i == 3 && wide > 4 {
			t.Errorf("drawing %d: x from %g to %g, y from %g to %g", i, q.X.Min, q.X.Max, q.Y.Min, q.Y.Max)
		}
	}
}

// pdfText returns the text of a PDF, without spaces.
func pdfText(t *testing.T, file []byte) string {
	t.Helper()
	// Codes are UTF-16, and the map of the fonts to Unicode, which readers use, is the identity.
	if !bytes.Contains(file, []byte("<0000> <FFFF> <0000>")) {
		t.Error("the fonts have no map to Unicode")
	}
	at := bytes.Index(file, []byte("stream\n")) + len("stream\n")
	page := must.M1(io.ReadAll(must.M1(zlib.NewReader(bytes.NewReader(file[at:])))))
	escapes := strings.NewReplacer(`\\`, `\`, `\(`, "(", `\)`, ")", `\r`, "\r")
	var units []uint16
	for _, m := range regexp.MustCompile(`(?s)Td \((.*?)\) Tj`).FindAllSubmatch(page, -1) {
		for codes := escapes.Replace(string(m[1])); len(codes) > 1; codes = codes[2:] {
			units = append(units, uint16(codes[0])<<8|uint16(codes[1]))
		}
	}
	return strings.ReplaceAll(string(utf16.Decode(units)), " ", "")
}
