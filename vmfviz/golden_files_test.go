package vmfviz

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/internal/canvas/canvastest"
)

// filePicture has everything that a file format must know: a title with Greek
// letters, an image, translucent colours, turned and slanted text.
func filePicture() (*Picture, error) {
	h := HeatOf("F(θ)", 12, func(t [3]float64) float64 { return 0.2 + 0.5*t[0]*t[0] + 0.3*t[1]*t[2] })
	h.Contours = true
	path := append(unit32([3]float64{0.2, 0.9, 0.2}), unit32([3]float64{1, 0.1, -0.2})...)
	return Sphere(SphereOptions{Title: "Ascent of F(θ) from ε"},
		SpherePanel{Caption: "κ = 20", Points: vmf(3, 12, [3]float64{1, 0, 1}, 20), Location: unit32([3]float64{1, 0, 1})},
		SpherePanel{Heat: h, Path: path, Location: unit32([3]float64{-1, 0, 1})})
}

// TestGoldenFiles: SVG and PDF files hold what they held when they were looked
// at. Compared is what is drawn, element by element, with paths and images as
// their extent and mean: small files, and room for the rounding of other
// processors.
func TestGoldenFiles(t *testing.T) {
	p, err := filePicture()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	pdf, err := p.PDF()
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "sphere.svg.txt", svgDrawing(t, svg))
	compareGolden(t, "sphere.pdf.txt", pdfDrawing(t, pdf))
}

// TestGoldenPage: the script of SphereHTML draws what it drew when it was looked
// at: samples with a slider of κ, then a function with a path.
func TestGoldenPage(t *testing.T) {
	h := HeatOf("F(θ)", 12, func(t [3]float64) float64 { return 0.2 + 0.5*t[0]*t[0] + 0.3*t[1]*t[2] })
	page, err := SphereHTML(SphereOptions{Title: "Samples and costs"},
		SpherePanel{Caption: "κ = 20", VMF: &VMF{Kappa: 20, Noise: testNoise(4, 20)}, Location: unit32([3]float64{0.6, 0.7, 0.2})},
		SpherePanel{Caption: "cost", Heat: h, Points: vmf(3, 12, [3]float64{1, 0, 1}, 20), Location: unit32([3]float64{-1, 0.2, 0.3}), LocationLabel: "θ",
			Path: append(unit32([3]float64{0.2, 0.9, 0.2}), unit32([3]float64{1, 0.1, -0.2})...)})
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, "sphere.html.txt", canvastest.Drawings(t, page, "input 0 1"))
}

var decimal = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)

// compareGolden compares texts word by word, their numbers to 0.02.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		same := decimal.ReplaceAllString(a[i], "0") == decimal.ReplaceAllString(b[i], "0")
		x, y := decimal.FindAllString(a[i], -1), decimal.FindAllString(b[i], -1)
		for k := range min(len(x), len(y)) {
			u, _ := strconv.ParseFloat(x[k], 64)
			v, _ := strconv.ParseFloat(y[k], 64)
			same = same && (x[k] == y[k] || math.Abs(u-v) <= 0.021)
		}
		if !same {
			t.Fatalf("%s, line %d is\n%s\nexpected\n%s\nIf it should change, look at the picture and run with -update", name, i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%s: %d lines, expected %d", name, len(a), len(b))
	}
}

// extent describes a list of numbers x₀ y₀ x₁ y₁ ... by its length, the mean and
// the range of the even and of the odd ones.
func extent(numbers []float64) string {
	if len(numbers) < 4 {
		return fmt.Sprintf("%.2f", numbers)
	}
	out := fmt.Sprint(len(numbers), " numbers")
	for k := range 2 {
		lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0.0
		for i := k; i < len(numbers); i += 2 {
			lo, hi, sum, n = math.Min(lo, numbers[i]), math.Max(hi, numbers[i]), sum+numbers[i], n+1
		}
		out += fmt.Sprintf(" %.2f<%.2f<%.2f", lo, sum/n, hi)
	}
	return out
}

// pixels describes bytes of an image by the means of sixteen parts.
func pixels(data []byte) string {
	var parts []string
	for i := range 16 {
		sum := 0.0
		part := data[i*len(data)/16 : (i+1)*len(data)/16]
		for _, v := range part {
			sum += float64(v) / float64(len(part))
		}
		parts = append(parts, fmt.Sprintf("%.3f", sum/255))
	}
	return strings.Join(parts, " ")
}

func floats(text string) []float64 {
	var out []float64
	for _, s := range decimal.FindAllString(text, -1) {
		v, _ := strconv.ParseFloat(s, 64)
		out = append(out, v)
	}
	return out
}

// svgDrawing is the file, one element a line.
func svgDrawing(t *testing.T, svg []byte) string {
	t.Helper()
	text := strings.ReplaceAll(string(svg), "><", ">\n<")
	text = regexp.MustCompile(` d="[^"]*"`).ReplaceAllStringFunc(text, func(d string) string { return " d=" + extent(floats(d)) })
	return regexp.MustCompile(`data:image/png;base64,[^"]*`).ReplaceAllStringFunc(text, func(uri string) string {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(uri, "data:image/png;base64,"))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, a := img.At(x, y).RGBA()
				data = append(data, byte(r>>8), byte(g>>8), byte(b>>8), byte(a>>8))
			}
		}
		return fmt.Sprint("png ", img.Bounds().Dx(), " × ", img.Bounds().Dy(), " ", pixels(data))
	})
}

// pdfDrawing is every object of the file; of the page one painted path a line,
// with the kind of its pieces, its extent and the state that changed before it.
func pdfDrawing(t *testing.T, file []byte) string {
	t.Helper()
	var out strings.Builder
	for _, m := range regexp.MustCompile(`(?s)(\d+) 0 obj\n<<(.*?)>>\n(stream\n|endobj)`).FindAllSubmatchIndex(file, -1) {
		dict := string(file[m[4]:m[5]])
		length := regexp.MustCompile(`/Length (\d+)`).FindStringSubmatch(dict)
		fmt.Fprintf(&out, "object %s %s\n", file[m[2]:m[3]], regexp.MustCompile(`/Length \d+`).ReplaceAllString(dict, ""))
		if length == nil {
			continue
		}
		n, _ := strconv.Atoi(length[1])
		r, err := zlib.NewReader(bytes.NewReader(file[m[1] : m[1]+n]))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(dict, "/Image") {
			out.WriteString(pixels(data) + "\n")
			continue
		}
		var kinds string
		var path []float64
		for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			word := line[strings.LastIndexByte(line, ' ')+1:]
			switch word {
			case "m", "l", "c", "h":
				kinds += word
				path = append(path, floats(line)...)
			case "f", "S":
				fmt.Fprintf(&out, "%s %d pieces, %s\n", word, len(kinds), extent(path))
				kinds, path = "", nil
			default:
				out.WriteString(line + "\n")
			}
		}
	}
	return out.String()
}
