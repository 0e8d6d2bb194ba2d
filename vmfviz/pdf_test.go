package vmfviz

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestPDF reads the file back: every object lies where the table says, streams
// unpack to their length, the page has the size and the operators balance.
func TestPDF(t *testing.T) {
	eps := unit32([3]float64{1, 1, 1})
	p, err := Sphere(SphereOptions{Title: "θ → F(θ)"}, SpherePanel{Heat: &Heat{Values: make([]float64, 32), Label: "F"}, Location: eps, Points: eps})
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
	w, h := p.Size()
	if !bytes.Contains(file, fmt.Appendf(nil, "/MediaBox[0 0 %.3f %.3f]", 0.75*float64(w), 0.75*float64(h))) {
		t.Error("the page has another size")
	}
	m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(file)
	if m == nil {
		t.Fatal("no end of file")
	}
	start, _ := strconv.Atoi(string(m[1]))
	table := regexp.MustCompile(`(\d{10}) 00000 n `).FindAllSubmatch(file[start:], -1)
	if len(table) != 4+2+1 { // catalog, pages, page, content, image with its mask, info
		t.Fatalf("%d objects", len(table))
	}
	for i, e := range table {
		at, _ := strconv.Atoi(string(e[1]))
		if !bytes.HasPrefix(file[at:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("object %d does not lie at %d", i+1, at)
		}
	}
	streams := regexp.MustCompile(`/Length (\d+)>>\nstream\n`).FindAllSubmatchIndex(file, -1)
	if len(streams) != 3 {
		t.Fatalf("%d streams", len(streams))
	}
	for i, s := range streams {
		n, _ := strconv.Atoi(string(file[s[2]:s[3]]))
		if !bytes.HasPrefix(file[s[1]+n:], []byte("\nendstream")) {
			t.Fatalf("stream %d is not %d bytes long", i, n)
		}
		r, err := zlib.NewReader(bytes.NewReader(file[s[1] : s[1]+n]))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			continue
		}
		text := string(data)
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Error("the page has coordinates that are not numbers")
		}
		if q, r := strings.Count(text, "q\n"), strings.Count(text, "Q\n"); q != r || q == 0 {
			t.Errorf("%d states saved, %d restored", q, r)
		}
		for _, g := range regexp.MustCompile(`/G(\d+) gs`).FindAllStringSubmatch(text, -1) {
			if !bytes.Contains(file, []byte("/G"+g[1]+"<<")) {
				t.Fatalf("the opacity G%s is not in the file", g[1])
			}
		}
	}
}

// TestPDFArc: the curves of an arc stay on the circle and end where it ends.
func TestPDFArc(t *testing.T) {
	for _, sweep := range []float64{0.3, math.Pi / 2, 2, 2 * math.Pi, -3} {
		c := &pdfCanvas{}
		c.arc(vg.PathComp{Type: vg.ArcComp, Pos: vg.Point{X: 30, Y: 40}, Radius: 100, Start: 0.7, Angle: sweep}, false)
		var x, y float64
		lines := strings.Split(strings.TrimSpace(c.page.String()), "\n")
		for _, line := range lines {
			var v [6]float64
			if n, _ := fmt.Sscan(line, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]); n == 2 {
				x, y = v[0], v[1]
				continue
			}
			for i := range 21 {
				s := float64(i) / 20
				b := [4]float64{(1 - s) * (1 - s) * (1 - s), 3 * s * (1 - s) * (1 - s), 3 * s * s * (1 - s), s * s * s}
				px := b[0]*x + b[1]*v[0] + b[2]*v[2] + b[3]*v[4]
				py := b[0]*y + b[1]*v[1] + b[2]*v[3] + b[3]*v[5]
				if d := math.Hypot(px-30, py-40); math.Abs(d-100) > 0.03 {
					t.Fatalf("sweep %g: a point of the curve is %g from the centre, expected 100", sweep, d)
				}
			}
			x, y = v[4], v[5]
		}
		if ex, ey := 30+100*math.Cos(0.7+sweep), 40+100*math.Sin(0.7+sweep); math.Hypot(x-ex, y-ey) > 2e-3 {
			t.Errorf("sweep %g: ends at %g %g, expected %g %g", sweep, x, y, ex, ey)
		}
	}
}
