package notebook

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/cmpimg"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// measured is a row of a committed CSV, with mean and standard error computed here from the values
// of the seeds.
type measured struct {
	row, name    string
	ours         bool
	mean, stderr float64
}

// readMeasured returns the rows of docs/results/<name>.csv by column.
func readMeasured(t *testing.T, name string) map[string][]measured {
	t.Helper()
	f := must.M1(os.Open("../../docs/results/" + name + ".csv"))
	defer f.Close()
	all := must.M1(csv.NewReader(f).ReadAll())
	at := map[string]int{}
	for i, h := range all[0] {
		at[h] = i
	}
	out := map[string][]measured{}
	for _, r := range all[1:] {
		m := measured{row: r[at["row"]], name: r[at["name"]], ours: r[at["row_ours"]] == "true"}
		var v []float64
		for _, s := range strings.Fields(r[at["values"]]) {
			x := must.M1(strconv.ParseFloat(s, 64))
			v = append(v, x)
			m.mean += x
		}
		n := float64(len(v))
		m.mean /= n
		for _, x := range v {
			m.stderr += (x - m.mean) * (x - m.mean)
		}
		if n > 1 {
			m.stderr = math.Sqrt(m.stderr / (n - 1) / n)
		}
		if len(v) > 0 {
			out[r[at["column"]]] = append(out[r[at["column"]]], m)
		}
	}
	return out
}

// shape is a piece of a picture's SVG: a text, or a line through points.
type shape struct {
	text   string
	points [][2]float64
	style  string
}

var (
	shapeText = regexp.MustCompile(`<(?:text [^>]*>([^<]*)</text>|path d="M([^"]*)" style="([^"]*)")`)
	linePoint = regexp.MustCompile(`(-?[\d.]+),(-?[\d.]+)`)
)

func shapes(svg []byte) (out []shape) {
	for _, m := range shapeText.FindAllStringSubmatch(string(svg), -1) {
		s := shape{text: m[1], style: m[3]}
		if !strings.Contains(m[2], "A") { // an arc belongs to a mark
			for _, p := range linePoint.FindAllStringSubmatch(m[2], -1) {
				x, _ := strconv.ParseFloat(p[1], 64)
				y, _ := strconv.ParseFloat(p[2], 64)
				s.points = append(s.points, [2]float64{x, y})
			}
		}
		out = append(out, s)
	}
	return out
}

// axes draws a plot alone and returns its pieces and what turns values into places.
func axes(t *testing.T, p *plot.Plot) (all []shape, x, y func(float64) vg.Length) {
	t.Helper()
	file := vgsvg.New(600, 400)
	c := draw.New(file)
	p.Draw(c)
	var svg bytes.Buffer
	if _, err := file.WriteTo(&svg); err != nil {
		t.Fatal(err)
	}
	data := p.DataCanvas(c)
	x, y = p.Transforms(&data)
	return shapes(svg.Bytes()), x, y
}

// TestFiguresAreTheNumbers reads the pictures of the committed results back. Error bars must reach
// one standard error to either side of the mean, and curves must run through the means, both
// computed here from the committed values of the seeds and placed by the axes of gonum/plot.
func TestFiguresAreTheNumbers(t *testing.T) {
	files, err := filepath.Glob("../../docs/results/*-desk.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		numbers := readMeasured(t, name)
		f := must.M1(table.ReadFile(file))
		all := must.M1(reproduce.Pictures(f))
		inPicture := func(m measured) bool {
			return slices.ContainsFunc(f.Table.Rows, func(r table.Row) bool {
				return r.ID == m.row && (r.ID == "la-v-dsw" || strings.HasPrefix(r.Note, "as in the paper:"))
			})
		}
		for key, p := range all {
			switch key {
			case "curves":
				checkCurves(t, name, p, numbers)
			case "as-in-the-paper": // the EMD of LA as released and with the training of the paper's text
				checkBars(t, name+" "+key, p.Plots[0][0], slices.DeleteFunc(slices.Clone(numbers["emd"]), func(m measured) bool { return !inPicture(m) }))
			default:
				checkBars(t, name+" "+key, p.Plots[0][0], numbers[key])
			}
		}
	}
}

// room is how far a point may lie from its place: that of the rounding of SVG.
const room = 0.02

// checkBars compares the error bars, from top to bottom, with the rows that have a spread, in
// order.
func checkBars(t *testing.T, name string, p *plot.Plot, rows []measured) {
	t.Helper()
	all, x, _ := axes(t, p)
	var bars [][2]float64
	for _, s := range all {
		if len(s.points) == 2 && strings.Contains(s.style, "stroke-width:1.6") && s.points[0][1] == s.points[1][1] && s.points[1][0] > s.points[0][0]+room {
			bars = append(bars, [2]float64{s.points[0][0], s.points[1][0]})
		}
	}
	k := 0
	for _, r := range rows {
		lo, hi := float64(x(r.mean-r.stderr)), float64(x(r.mean+r.stderr))
		if hi-lo <= room/2 || hi-lo <= 2*room && (k == len(bars) || math.Abs(bars[k][0]-lo) > room) { // too short to be found
			continue
		}
		if k == len(bars) {
			t.Errorf("%s: no bar of %s", name, r.row)
			return
		}
		if math.Abs(bars[k][0]-lo) > room || math.Abs(bars[k][1]-hi) > room {
			t.Errorf("%s: the bar of %s goes from %.2f to %.2f, expected %.2f to %.2f", name, r.row, bars[k][0], bars[k][1], lo, hi)
		}
		k++
	}
	if k != len(bars) || k == 0 {
		t.Errorf("%s: %d bars, expected %d", name, len(bars), k)
	}
}

// checkCurves compares each curve with the means of the rows of its name against T or L, and a
// level with the only row that has none. The legend of the first plot names the curves of all.
func checkCurves(t *testing.T, name string, p *vmfviz.Picture, numbers map[string][]measured) {
	t.Helper()
	headings := map[string]string{"Distance": "distance", "Time": "time", "E held out": "held_out", "SW": "sw", "EMD": "emd"}
	var labels []string
	total := 0
	for _, q := range slices.Concat(p.Plots...) {
		if q == nil {
			continue
		}
		all, x, y := axes(t, q)
		var curves []shape
		for i, s := range all {
			switch {
			case len(s.points) < 2 || !strings.Contains(s.style, "fill:none") || !strings.Contains(s.style, "stroke-width:1.7"):
			case i+1 < len(all) && all[i+1].text != "": // in the legend
				if total == 0 {
					labels = append(labels, all[i+1].text)
				}
			default:
				curves = append(curves, s)
			}
		}
		key := headings[firstWords(q.Title.Text)]
		if key == "" || len(curves) > len(labels) || len(curves) == 0 {
			t.Fatalf("%s, %q: %d curves of %v", name, q.Title.Text, len(curves), labels)
		}
		for i, s := range curves {
			checkCurve(t, name, key, labels[i], s, x, y, numbers)
		}
		total += len(curves)
	}
	if total < 4 {
		t.Errorf("%s: %d curves", name, total)
	}
}

// firstWords is the heading without a factor.
func firstWords(s string) string { return strings.TrimSpace(strings.Split(s, " ×")[0]) }

func checkCurve(t *testing.T, name, key, label string, s shape, x, y func(float64) vg.Length, numbers map[string][]measured) {
	t.Helper()
	setting := map[string]float64{}
	for _, column := range []string{"ascent_steps", "slices"} {
		for _, r := range numbers[column] {
			setting[r.row] = r.mean
		}
	}
	found := 0
	for _, r := range numbers[key] {
		if r.name != label {
			continue
		}
		for _, p := range s.points {
			level := len(s.points) == 2 && s.points[0][1] == s.points[1][1]
			if !level && math.Abs(float64(x(setting[r.row]))-p[0]) > room {
				continue
			}
			found++
			if want := float64(y(r.mean)); math.Abs(p[1]-want) > room {
				t.Errorf("%s, %s, %s: drawn at %.2f, expected %.2f", name, key, r.row, p[1], want)
			}
		}
	}
	if found != len(s.points) {
		t.Errorf("%s, %s, %s: %d of %d points have a number", name, key, label, found, len(s.points))
	}
}

// committed returns the files of stored results, of all sizes, whose names end like that.
func committed(t *testing.T, ending string) (files []string) {
	t.Helper()
	for _, size := range []string{"desk", "quick", "real"} {
		more := must.M1(filepath.Glob("../../docs/results/*-" + size + ending))
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Fatalf("no stored results *%s", ending)
	}
	return files
}

// TestCommittedPictures: the committed pictures equal those drawn now, and all are in a page.
func TestCommittedPictures(t *testing.T) {
	pages := must.M1(filepath.Glob("../../docs/results/*.md"))
	seen := 0
	for _, page := range pages {
		shown := must.M1(reproduce.PagePictures(page))
		for _, p := range shown {
			want, err := os.ReadFile(filepath.Join(filepath.Dir(page), p.File))
			got, drawErr := p.Picture.PNG()
			if err != nil || drawErr != nil {
				t.Fatal(err, drawErr)
			}
			if same, err := cmpimg.EqualApprox("png", got, want, 0.15); err != nil || !same {
				t.Errorf("%s: the picture is another one (%v): run make docs-pictures", p.File, err)
			}
			seen++
		}
	}
	if pictures := committed(t, "-*.png"); len(pictures) != seen {
		t.Errorf("%d pictures compared, %d committed", seen, len(pictures))
	}
}
