package notebook

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/table"
)

// measured is a row of a committed CSV, with mean and standard error computed here from the values
// of the seeds.
type measured struct {
	row, name    string
	ours         bool
	mean, stderr float64
}

// readMeasured returns the rows of docs/results/<name>-quick.csv by column.
func readMeasured(t *testing.T, name string) map[string][]measured {
	t.Helper()
	f, err := os.Open("../../docs/results/" + name + "-quick.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, h := range all[0] {
		at[h] = i
	}
	out := map[string][]measured{}
	for _, r := range all[1:] {
		m := measured{row: r[at["row"]], name: r[at["name"]], ours: r[at["row_ours"]] == "true"}
		var v []float64
		for _, s := range strings.Fields(r[at["values"]]) {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
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

// ruler turns positions into values by the ticks of an axis: position, value, position, value ...
type ruler struct {
	ticks [][2]float64
	log   bool
}

func (r ruler) value(place float64) float64 {
	a, b := r.ticks[0], r.ticks[len(r.ticks)-1]
	at := func(t [2]float64) float64 {
		if r.log {
			return math.Log(t[1])
		}
		return t[1]
	}
	v := at(a) + (place-a[0])/(b[0]-a[0])*(at(b)-at(a))
	if r.log {
		return math.Exp(v)
	}
	return v
}

const gridColor = "stroke:#E3E6EA"

// read adds the tick of a grid line and of the number after it; axis 0 has vertical lines.
func (r *ruler) read(all []shape, i, axis int) {
	if p := all[i].points; len(p) != 2 || !strings.Contains(all[i].style, gridColor) || math.Abs(p[0][axis]-p[1][axis]) > 1e-3 {
		return
	}
	for _, s := range all[i+1 : min(i+3, len(all))] {
		if v, err := strconv.ParseFloat(strings.ReplaceAll(s.text, "−", "-"), 64); err == nil {
			r.ticks = append(r.ticks, [2]float64{all[i].points[0][axis], v})
			return
		}
	}
}

// recordedTable is a committed table.
func recordedTable(t *testing.T, file string) table.Results {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := table.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFiguresAreTheNumbers reads the pictures of the committed results back, by the ticks of their
// axes. Error bars must reach one standard error to either side of the mean, and curves must run
// through the means, both computed here from the committed values of the seeds.
func TestFiguresAreTheNumbers(t *testing.T) {
	for _, name := range []string{"vDSW_approximation", "ablation_L", "ablation_kappa", "short_reconstruction_result"} {
		numbers := readMeasured(t, name)
		all, err := reproduce.Pictures(recordedTable(t, "../../docs/results/"+name+"-quick.json"))
		if err != nil {
			t.Fatal(err)
		}
		for key, p := range all {
			svg, err := p.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if key == "curves" {
				checkCurves(t, name, shapes(svg), numbers)
			} else {
				checkBars(t, name+" "+key, shapes(svg), numbers[key])
			}
		}
	}
}

// checkBars compares the error bars, from top to bottom, with the rows that have a spread, in
// order.
func checkBars(t *testing.T, name string, all []shape, rows []measured) {
	t.Helper()
	x := ruler{}
	var bars [][2]float64
	for i, s := range all {
		x.read(all, i, 0)
		if len(s.points) == 2 && strings.Contains(s.style, "stroke-width:1.5") && s.points[0][1] == s.points[1][1] && s.points[1][0] > s.points[0][0]+0.01 {
			bars = append(bars, [2]float64{s.points[0][0], s.points[1][0]})
		}
	}
	k := 0
	for _, r := range rows {
		room := 1e-3 * math.Abs(x.ticks[len(x.ticks)-1][1]-x.ticks[0][1])
		if r.stderr < room/100 { // practically constant
			continue
		}
		if k == len(bars) {
			t.Errorf("%s: no bar of %s", name, r.row)
			return
		}
		lo, hi := x.value(bars[k][0]), x.value(bars[k][1])
		if math.Abs(lo-(r.mean-r.stderr)) > room || math.Abs(hi-(r.mean+r.stderr)) > room {
			t.Errorf("%s: the bar of %s goes from %.4f to %.4f, expected %.4f ± %.4f", name, r.row, lo, hi, r.mean, r.stderr)
		}
		k++
	}
	if k != len(bars) || k == 0 {
		t.Errorf("%s: %d bars, expected %d", name, len(bars), k)
	}
}

// checkCurves compares each curve with the means of the rows of its name against T or L, and a
// level with the only row that has none.
func checkCurves(t *testing.T, name string, all []shape, numbers map[string][]measured) {
	t.Helper()
	headings := map[string]string{"Distance": "distance", "Time": "time", "E held out": "held_out", "SW": "sw", "EMD": "emd"}
	key, labels, drawn, total := "", []string(nil), 0, 0
	var x, y ruler
	pending := false // the next text is a curve's label
	for i, s := range all {
		line := len(s.points) >= 2 && strings.Contains(s.style, "fill:none")
		switch {
		case line && strings.Contains(s.style, "stroke-width:1.8"):
			if drawn > 0 { // the legend of the next plot
				labels, drawn, x, y = nil, 0, ruler{}, ruler{}
			}
			pending = true
		case s.text != "" && pending:
			labels, pending = append(labels, s.text), false
		case s.text != "" && len(labels) == drawn && headings[firstWords(s.text)] != "":
			key = headings[firstWords(s.text)]
		case line && strings.Contains(s.style, "stroke-width:1.65"):
			x.log, y.log = true, key == "time"
			if drawn >= len(labels) || len(x.ticks) < 2 || len(y.ticks) < 2 {
				t.Fatalf("%s, %s: curve %d of %v, ticks %v and %v", name, key, drawn, labels, x, y)
			}
			checkCurve(t, name, key, labels[drawn], s, x, y, numbers)
			drawn, total = drawn+1, total+1
		}
		x.read(all, i, 0)
		y.read(all, i, 1)
	}
	if total < 4 {
		t.Errorf("%s: %d curves", name, total)
	}
}

// firstWords is the heading without a factor.
func firstWords(s string) string { return strings.TrimSpace(strings.Split(s, " ×")[0]) }

func checkCurve(t *testing.T, name, key, label string, s shape, x, y ruler, numbers map[string][]measured) {
	t.Helper()
	setting := map[string]float64{}
	for _, column := range []string{"ascent_steps", "slices"} {
		for _, r := range numbers[column] {
			setting[r.row] = r.mean
		}
	}
	room := 2e-3 * math.Abs(y.ticks[len(y.ticks)-1][1]-y.ticks[0][1])
	found := 0
	for _, r := range numbers[key] {
		if r.name != label {
			continue
		}
		for _, p := range s.points {
			level := len(s.points) == 2 && s.points[0][1] == s.points[1][1]
			if !level && math.Abs(x.value(p[0])/setting[r.row]-1) > 5e-3 {
				continue
			}
			found++
			if got := y.value(p[1]); math.Abs(got-r.mean) > room && math.Abs(got/r.mean-1) > 2e-3 {
				t.Errorf("%s, %s, %s at %.3g: %.4f drawn, expected %.4f", name, key, r.row, x.value(p[0]), got, r.mean)
			}
		}
	}
	if found != len(s.points) {
		t.Errorf("%s, %s, %s: %d of %d points have a number", name, key, label, found, len(s.points))
	}
}

// TestCommittedPictures: the committed pictures equal those drawn now.
func TestCommittedPictures(t *testing.T) {
	files, err := filepath.Glob("../../docs/results/*-quick.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	seen := 0
	for _, file := range files {
		all, err := reproduce.Pictures(recordedTable(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for key, p := range all {
			want, err := os.ReadFile(strings.TrimSuffix(file, ".json") + "-" + key + ".png")
			if os.IsNotExist(err) {
				continue // not every picture is in the text
			}
			got, drawErr := p.PNG()
			if err != nil || drawErr != nil {
				t.Fatal(err, drawErr)
			}
			if same, err := cmpimg.EqualApprox("png", got, want, 0.15); err != nil || !same {
				t.Errorf("%s, %s: the picture is another one (%v)", file, key, err)
			}
			seen++
		}
	}
	if files, _ := filepath.Glob("../../docs/results/*-quick-*.png"); len(files) != seen {
		t.Errorf("%d pictures compared, %d committed", seen, len(files))
	}
}
