package vmfviz

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/plot/plotter"
)

// TestForeignPlotter: a plotter of gonum/plot that a user adds to any of our plots
// is drawn in every format; with -short, the change is looked for in the SVG.
func TestForeignPlotter(t *testing.T) {
	for _, g := range goldenPictures {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			p, err := g.make()
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Plots) == 0 {
				t.Skip("painted, not plotted")
			}
			for _, format := range []string{"png", "svg", "pdf"} {
				var before []byte
				if format == "svg" || !testing.Short() {
					before = write(t, p, format)
				}
				q := p.Plots[0][0]
				x, y := at(&q.X, 0.5), at(&q.Y, 0.5)
				mine, err := plotter.NewScatter(plotter.XYs{{X: x, Y: y}})
				if err != nil {
					t.Fatal(err)
				}
				q.Add(mine)
				if after := write(t, p, format); bytes.Equal(before, after) {
					t.Errorf("%s: the added point is not drawn", format)
				}
			}
		})
	}
}

func write(t *testing.T, p *Picture, format string) []byte {
	t.Helper()
	w, err := p.WriterTo(format)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestPDFText: a PDF gives back its text, Greek letters and numbers too, and two
// drawings of one picture are equal to the byte.
func TestPDFText(t *testing.T) {
	p, err := Curves(CurvesOptions{Title: "F(θ) at ε, κ = 20"},
		CurvePanel{XLabel: "κ", YLabel: "SW² ± 1", Series: []Series{{Label: "ψ → ∞", Y: []float64{-2, 0, 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := p.PDF()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := p.PDF(); !bytes.Equal(file, again) {
		t.Error("two PDF drawings of one picture differ")
	}
	text := pdfText(t, file)
	for _, want := range []string{"F(θ)atε,κ=20", "ψ→∞", "SW", "±1", "−1", "1.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("the PDF has no %q, only %q", want, text)
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
	r, err := zlib.NewReader(bytes.NewReader(file[at:]))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	escapes := strings.NewReplacer(`\\`, `\`, `\(`, "(", `\)`, ")", `\r`, "\r")
	var units []uint16
	for _, m := range regexp.MustCompile(`(?s)Td \((.*?)\) Tj`).FindAllSubmatch(page, -1) {
		for codes := escapes.Replace(string(m[1])); len(codes) > 1; codes = codes[2:] {
			units = append(units, uint16(codes[0])<<8|uint16(codes[1]))
		}
	}
	return strings.ReplaceAll(string(utf16.Decode(units)), " ", "")
}
