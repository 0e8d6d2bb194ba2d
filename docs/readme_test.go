package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/internal/ipynb"
)

// TestQuickstart compares the sample output in README.md with the stored output of the quickstart notebook: both rows of scores.
func TestQuickstart(t *testing.T) {
	cells, err := ipynb.Read("../notebooks/01_quickstart.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	for _, cell := range cells {
		for _, output := range cell.Outputs {
			html.WriteString(string(output.Data["text/html"]))
		}
	}
	readme := read(t, "../README.md")
	for _, row := range []string{"before training", "after training"} {
		_, rest, found := strings.Cut(html.String(), ">"+row+"</td>")
		line, _, _ := strings.Cut(rest, "</tr>")
		var want []string
		for _, m := range regexp.MustCompile(`>([0-9.]+) ± `).FindAllStringSubmatch(line, -1) {
			want = append(want, m[1])
		}
		if !found || len(want) != 3 {
			t.Fatalf("the notebook's row %q has the scores %v, expected CD, SW and EMD", row, want)
		}
		_, rest, found = strings.Cut(readme, "\n  "+row+" ")
		line, _, _ = strings.Cut(rest, "\n")
		if got := strings.Fields(line); !found || !slices.Equal(got, want) {
			t.Errorf("README.md, row %q: %v, the notebook has %v", row, got, want)
		}
	}
}

// TestMeasured compares the ratios and times of README.md and performance.md with those that the
// benchmark has stored in results/bench*.json: every number below is computed, and no other is in
// README's section.
func TestMeasured(t *testing.T) {
	b := readBenchmarks(t)
	readme := read(t, "../README.md")
	_, section, found := strings.Cut(readme, "## What is measured\n")
	section, _, end := strings.Cut(section, "**Deviations.**")
	if !found || !end {
		t.Fatal("README.md: no section What is measured, or no paragraph on deviations after it")
	}
	for _, want := range append(b.stepRows(), b.sentences()...) {
		if !strings.Contains(section, want) {
			t.Errorf("README.md: expected, by docs/results/bench*.json:\n%s", want)
		}
		section = strings.ReplaceAll(section, want, "")
	}
	if b.has("steps", "torch.compile, huge pages") == strings.Contains(section, "have not been measured yet") {
		t.Error("README.md: says of torch.compile and JAX what results/bench.json does not: have they been measured?")
	}
	timed := regexp.MustCompile(`[0-9] (ms|s)\b|[0-9] times|\| (\*\*)?0\.[0-9]+(\*\*)? (of|\|)`)
	for line := range strings.Lines(section) {
		if timed.MatchString(line) {
			t.Errorf("README.md: a number of no benchmark, or not that of its row: %s", line)
		}
	}
	performance := read(t, "performance.md")
	for _, want := range b.growth() {
		if !strings.Contains(performance, want) {
			t.Errorf("performance.md: expected, by docs/results/bench*.json:\n%s", want)
		}
	}
}

func read(t *testing.T, path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// benchmarks is what the reports of the benchmark hold, those of some of its groups before the whole.
type benchmarks struct {
	t     *testing.T
	Cases []benchmarkCase
	Fits  []struct {
		Axis, Curve, Program  string
		Exponent, Uncertainty float64
	}
}

type benchmarkCase struct {
	Group, Name string
	Programs    []benchmarkProgram
	Fastest     struct {
		Name  string
		Ratio float64
	} `json:"fastest_peer"`
}

type benchmarkProgram struct {
	Name        string
	Min, Median float64
	Peak        float64 `json:"peak_mb"`
}

func readBenchmarks(t *testing.T) *benchmarks {
	files, err := filepath.Glob("results/bench-*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := &benchmarks{t: t}
	for _, file := range append(files, "results/bench.json") {
		var b benchmarks
		if err := json.Unmarshal([]byte(read(t, file)), &b); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all.Cases, all.Fits = append(all.Cases, b.Cases...), append(all.Fits, b.Fits...)
	}
	return all
}

func (b *benchmarks) find(group, name string) benchmarkCase {
	i := slices.IndexFunc(b.Cases, func(c benchmarkCase) bool { return c.Group == group && c.Name == name })
	if i < 0 {
		b.t.Fatalf("results/bench*.json: no case %s/%s", group, name)
	}
	return b.Cases[i]
}

func (b *benchmarks) program(group, name, program string) benchmarkProgram {
	c := b.find(group, name)
	i := slices.IndexFunc(c.Programs, func(p benchmarkProgram) bool { return p.Name == program })
	if i < 0 {
		b.t.Fatalf("results/bench*.json: no program %s in %s/%s", program, group, name)
	}
	return c.Programs[i]
}

// has reports whether any case of a group has that program.
func (b *benchmarks) has(group, program string) bool {
	return slices.ContainsFunc(b.Cases, func(c benchmarkCase) bool {
		return c.Group == group && slices.ContainsFunc(c.Programs, func(p benchmarkProgram) bool { return p.Name == program })
	})
}

// ratio is that of the fastest calls of two programs.
func (b *benchmarks) ratio(group, name, of, to string) float64 {
	return b.program(group, name, of).Min / b.program(group, name, to).Min
}

// overNumPy is the fastest call of a program over that of NumPy in that precision, with the sort that is the faster one.
func (b *benchmarks) overNumPy(name, of, precision string) float64 {
	numpy := "NumPy, " + precision
	return max(b.ratio("distance", name, of, numpy), b.ratio("distance", name, of, numpy+", AVX2"))
}

// fit is an exponent of this project; the last is that of the whole report.
func (b *benchmarks) fit(axis, curve string) (exponent, uncertainty float64) {
	for _, f := range slices.Backward(b.Fits) {
		if f.Axis == axis && f.Curve == curve && f.Program == "swlab" {
			return f.Exponent, f.Uncertainty
		}
	}
	b.t.Fatalf("results/bench*.json: no exponent of %s in %s", curve, axis)
	return 0, 0
}

// stepRows are the rows of the table of training steps.
func (b *benchmarks) stepRows() (rows []string) {
	for _, loss := range [][2]string{{"SW, L = 100", "SW"}, {"LA v-DSW", "LA v-DSW"}, {"EA v-DSW", "EA v-DSW"}, {"A v-DSW", "A v-DSW"}, {"v-DSW, T = 10", "v-DSW, T=10"},
		{"Max-SW, T = 10", "Max-SW, T=10"}, {"Chamfer", "Chamfer"}, {"EMD, approximate", "EMD"}} {
		row := "| " + loss[0] + " |"
		for _, size := range []string{"B=128 m=2048", "B=32 m=512"} {
			c := b.find("steps", loss[1]+", "+size)
			peer := strings.NewReplacer("torch.compile", "compiled", "torch", "eager", ", huge pages", "", " jit", "").Replace(c.Fastest.Name)
			digits := 1
			if c.Programs[0].Min < 1 {
				digits = 2
			}
			row += fmt.Sprintf(" **%.2f** | %s | %.*f s |", c.Fastest.Ratio, peer, digits, c.Programs[0].Min)
		}
		rows = append(rows, row+"\n")
	}
	return rows
}

// sentences are the other numbers of README.md.
func (b *benchmarks) sentences() []string {
	const small, large = "sliced W_2^2, m=2048 L=1000", "sliced W_2^2, m=100000 L=100"
	distance := func(name, of, to string) float64 { return b.ratio("distance", name, of, to) }
	seconds := func(group, name, program string) float64 { return b.program(group, name, program).Min }
	const pairs = "sliced W_2^2, 1000 pairs, m=512 L=100"
	const vmf, exact, step = "d=3 kappa=1", "exact EMD, m=2048", "SW, B=128 m=2048"
	exponents := []any{}
	for _, curve := range [][2]string{{"points", "A"}, {"points", "EA"}, {"points", "LA"}, {"points (memory)", "A, scores stored"}} {
		exponent, uncertainty := b.fit(curve[0], curve[1])
		exponents = append(exponents, exponent, uncertainty)
	}
	return []string{
		fmt.Sprintf("needs %.2f of PyTorch's memory", b.program("steps", step, "swlab").Peak/b.program("steps", step, "torch, huge pages").Peak),
		fmt.Sprintf("%.2f of its time at 2048 points, L = 1000 (%.1f ms); %.2f at 100,000 points, L = 100 (%.0f ms)", b.find("distance", small).Fastest.Ratio,
			1e3*seconds("distance", small, "swlab"), b.find("distance", large).Fastest.Ratio, 1e3*seconds("distance", large, "swlab")),
		fmt.Sprintf("with L = 10 NumPy is the faster one from 100,000 points on: %.2f, and %.2f at a million", b.find("distance", "sliced W_2^2, m=100000 L=10").Fastest.Ratio,
			b.find("distance", "sliced W_2^2, m=1000000 L=10").Fastest.Ratio),
		fmt.Sprintf("%.2f and %.2f of NumPy's time in float64", b.overNumPy(small, "swlab, exact", "float64"), b.overNumPy(large, "swlab, exact", "float64")),
		fmt.Sprintf("%.2f of the time of six lines of NumPy, %.2f of that of NumPy in blocks of pairs that fit a cache (%.0f ms)", b.overNumPy(pairs, "swlab", "float32"), b.overNumPy(pairs, "swlab", "float32, in blocks"),
			1e3*seconds("distance", pairs, "swlab")),
		fmt.Sprintf("%.0f and %.0f times as fast", distance(small, "POT, float32", "swlab"), distance(large, "POT, float32", "swlab")),
		fmt.Sprintf("%.1f ms on the host (float64), %.1f ms in a graph; PyTorch %.1f ms at its fastest and %.1f ms in the median, NumPy %.0f ms, SciPy %.0f ms",
			1e3*seconds("vMF samples", vmf, "swlab, host"), 1e3*seconds("vMF samples", vmf, "swlab, graph"), 1e3*seconds("vMF samples", vmf, "torch"),
			1e3*b.program("vMF samples", vmf, "torch").Median, 1e3*seconds("vMF samples", vmf, "NumPy"), 1e3*seconds("vMF samples", vmf, "SciPy")),
		fmt.Sprintf("%.2f ± %.2f, %.2f ± %.2f, %.2f ± %.2f; A with stored scores needs memory with %.2f ± %.2f", exponents...),
		fmt.Sprintf("%.1f times as fast as POT's network simplex (%.0f ms), %.0f times as fast as SciPy's assignment",
			b.ratio("evaluation", exact, "POT", "swlab"), 1e3*seconds("evaluation", exact, "swlab"), b.ratio("evaluation", exact, "SciPy", "swlab")),
	}
}

// growth are the numbers of performance.md that the benchmark stores.
func (b *benchmarks) growth() []string {
	var e []any
	for _, curve := range [][2]string{{"B", "SW step"}, {"B", "LA v-DSW step"}, {"L", "SW loss alone"}, {"L", "distance, m = 2048"}, {"T", "v-DSW loss alone"}, {"m", "distance, L = 100"}} {
		exponent, _ := b.fit(curve[0], curve[1])
		e = append(e, exponent)
	}
	return []string{
		fmt.Sprintf("B %.2f and %.2f, L %.2f (loss) and %.2f (distance), T %.2f, m %.2f", e...),
		fmt.Sprintf("NumPy is %.2f, where the target is 0.70", b.overNumPy("sliced W_2^2, m=100000 L=100", "swlab", "float32")),
	}
}
