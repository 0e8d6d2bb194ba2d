// Command docs writes the numbers of README and of the pages in docs from what is stored: `make numbers`. A comment behind a number
// says where it comes from; the number keeps its decimals.
//
//	D (LOW to HIGH)<!-- NAME-PRESET: COLUMN ROW - ROW -->   a difference of two rows of results/NAME-PRESET.json, with its 95 % interval
//	P % (LOW to HIGH)<!-- NAME-PRESET: COLUMN ROW above ROW -->  the same in per cent of the second row; or below. The interval may
//	                                                        be left out; an image takes one such comment for each P % in its text
//	D (p = P)<!-- NAME: COLUMN ROW - ROW -->                the same of the paper's numbers, with the p-value of Welch's test
//	R (LOW to HIGH)<!-- NAME-PRESET: COLUMN ROW / ROW -->   a ratio of deviations, with the interval or p-value of the F test;
//	                                                        ROW,ROW pools the deviations of several rows
//	K of N (H by Holm)<!-- NAME-PRESET: COLUMN,... ROW,... - ROW,... -->  of the differences of all these, those whose interval
//	                                                        excludes 0, and those of which it does after Holm's correction
//	K of N (H)<!-- claim NUMBER -->                         the same of all comparisons of our runs in the text of a claim
//	D<!-- directions: AMORTIZER turn -->                    median over the steps in results/directions.json: degrees to the next
//	                                                        step; or length, of the mean over the batch
//	T ms<!-- bench: GROUP: CASE: PROGRAM -->                its fastest time in a report results/bench*.json; also: median, peak PROGRAM
//	R<!-- bench: GROUP: CASE: PROGRAM / PROGRAM -->         a ratio of two; behind /, PROGRAM or PROGRAM is the faster one
//	R<!-- bench: GROUP: CASE: / fastest -->                 the report's ratio to the fastest peer
//	E ± U<!-- bench: AXIS: CURVE -->                        an exponent of this project, the largest
//	**P and Q**<!-- bench: processors -->                   those that have a report
//	| LOSS | ... <!-- steps: LOSS --> |                     a row of the table of training steps in measured.md
//
// Where the reports of several processors have a case, its numbers are those of the report in which this project does worst
// against the fastest peer.
//
// The sample output of `make run` in notebooks.md is that of docs/quickstart.json, the row of the summary.json that it wrote.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sliced-wasserstein/lab/experiments/table"
)

func main() {
	if err := writeNumbers("docs"); err != nil {
		fmt.Fprintln(os.Stderr, "numbers:", err)
		os.Exit(1)
	}
}

// writeNumbers writes the pages anew whose numbers are not those that are stored.
func writeNumbers(docs string) error {
	for _, pattern := range []string{"*.md", "results/*.md", "../README.md"} {
		pages, err := filepath.Glob(filepath.Join(docs, pattern))
		if err != nil {
			return err
		}
		for _, page := range pages {
			old, err := os.ReadFile(page)
			if err != nil {
				return err
			}
			text, err := filled(docs, string(old))
			if err != nil {
				return fmt.Errorf("%s: %w", page, err)
			}
			if text == string(old) {
				continue
			}
			if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
				return err
			}
			fmt.Println("wrote", page)
		}
	}
	return nil
}

var (
	difference = regexp.MustCompile(`([-−]?[\d.]+(?: of \d+)?(?: \([^()]*\))?)<!-- (\w+)(-[a-z]+)?: ([\w,]+) ([\w.,-]+) ([-/]) ([\w.,-]+) -->`)
	ofClaim    = regexp.MustCompile(`\d+ of \d+ \(\d+\)<!-- claim (\d+) -->`)
	direction  = regexp.MustCompile(`(\d\.\d+)(°?<!-- directions: (\w+) (turn|length) -->)`)
	relative   = regexp.MustCompile(`([\d.]+) %( \([^()]*\))?<!-- (\w+-[a-z]+): (\w+) ([\w.-]+) (above|below) ([\w.-]+) -->`)
	caption    = regexp.MustCompile(`(?m)^!\[([^\]]*)\]\([^)]*\)((?:<!-- \w+-[a-z]+: \w+ \S+ (?:above|below) \S+ -->)+)`)
	measured   = regexp.MustCompile(`(\d[\d.]*)( ± [\d.]+)?( ms)?<!-- bench: ([^:|\n]+): ([^:|\n]+?)(?:: ([^|\n]+?))? -->`)
	processors = regexp.MustCompile(`\*\*[^*\n]*\*\*(<!-- bench: processors -->)`)
	steps      = regexp.MustCompile(`(?m)^(\| [^|]* \|).*<!-- steps: (.*?) --> \|$`)
	sample     = regexp.MustCompile(`(?m)^  (before training|after training) .*$`)
)

// filled is a page with the numbers that are stored.
func filled(docs, text string) (string, error) {
	var failed error
	replace := func(pattern *regexp.Regexp, number func(m []string) (string, error)) {
		text = pattern.ReplaceAllStringFunc(text, func(old string) string {
			with, err := number(pattern.FindStringSubmatch(old))
			if err != nil {
				failed = fmt.Errorf("%s: %w", old, err)
			}
			return with
		})
	}
	replace(difference, func(m []string) (string, error) {
		value, err := stated(docs, m[2], m[3], m[4], m[5], m[6], m[7])
		return strings.Replace(m[0], m[1], value, 1), err
	})
	replace(direction, func(m []string) (string, error) {
		v, err := directionOf(docs, m[3], m[4])
		_, decimals, _ := strings.Cut(m[1], ".")
		return fmt.Sprintf("%.*f", len(decimals), v) + m[2], err
	})
	whole := text
	replace(ofClaim, func(m []string) (string, error) {
		all, err := claimed(docs, whole, m[1])
		return strings.Replace(excluding(all), " by Holm", "", 1) + "<!-- claim " + m[1] + " -->", err
	})
	replace(relative, func(m []string) (string, error) {
		value, err := percentage(docs, m)
		return value + m[0][strings.Index(m[0], "<!--"):], err
	})
	replace(caption, func(m []string) (string, error) {
		comments := regexp.MustCompile(`<!--.*?-->`).FindAllString(m[2], -1)
		title := regexp.MustCompile(`[\d.]+ %`).ReplaceAllStringFunc(m[1], func(number string) string {
			if len(comments) == 0 {
				failed = fmt.Errorf("%s: a number without a comment", m[0])
				return number
			}
			value, err := percentage(docs, relative.FindStringSubmatch(number+comments[0]))
			comments = comments[1:]
			if err != nil {
				failed = err
			}
			return value
		})
		if len(comments) > 0 {
			return "", fmt.Errorf("comments without a number: %q", comments)
		}
		return strings.Replace(m[0], m[1], title, 1), nil
	})
	replace(sample, func(m []string) (string, error) { return quickstart(docs, m[0], m[1]) })
	if !strings.Contains(text, "<!-- bench: ") {
		return text, failed
	}
	b, err := readBenchmarks(docs)
	if err != nil {
		return "", err
	}
	replace(measured, b.number)
	replace(processors, func(m []string) (string, error) {
		return "**" + strings.Join(b.Processors, " and ") + "**" + m[1], nil
	})
	replace(steps, b.stepsRow)
	return text, failed
}

// directionOf is the median over the steps of a training by amortized Max-SW: of the turn to the next
// step in degrees, or of the length of the mean direction over a batch.
func directionOf(docs, amortizer, what string) (float64, error) {
	var logged struct{ Directions map[string][][]float64 }
	raw, err := os.ReadFile(filepath.Join(docs, "results/directions.json"))
	if err == nil {
		err = json.Unmarshal(raw, &logged)
	}
	steps := logged.Directions[amortizer]
	if err != nil || len(steps) == 0 {
		return 0, fmt.Errorf("results/directions.json: no amortizer %s: %w", amortizer, err)
	}
	var values []float64
	for i, d := range steps {
		if what == "length" {
			values = append(values, floats.Norm(d, 2))
		} else if i > 0 {
			was := steps[i-1]
			cosine := floats.Dot(was, d) / floats.Norm(was, 2) / floats.Norm(d, 2)
			values = append(values, math.Acos(min(1, cosine))*180/math.Pi)
		}
	}
	slices.Sort(values)
	return stat.Quantile(0.5, stat.Empirical, values, nil), nil
}

// quickstart is a line of the sample output with the numbers of that row.
func quickstart(docs, line, row string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(docs, "quickstart.json"))
	if err != nil {
		return "", err
	}
	var scores map[string]struct{ CD, SW, EMD float64 }
	if err := json.Unmarshal(raw, &scores); err != nil {
		return "", err
	}
	of, ok := scores[strings.TrimSuffix(row, " training")]
	if !ok {
		return "", fmt.Errorf("quickstart.json has no scores %s", row)
	}
	i := -1
	return regexp.MustCompile(`[0-9.]+ *`).ReplaceAllStringFunc(line, func(old string) string {
		i++
		return fmt.Sprintf("%-*s", len(old), fmt.Sprintf("%.4g", []float64{of.CD, of.SW, of.EMD}[min(i, 2)]))
	}), nil
}

// benchmarks is what the reports of all processors hold.
type benchmarks struct {
	Processors []string
	Cases      []benchmarkCase
	Fits       []benchmarkFit
}

type benchmarkFit struct {
	Axis, Curve, Program  string
	Exponent, Uncertainty float64
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

func readBenchmarks(docs string) (benchmarks, error) {
	var all benchmarks
	files, err := filepath.Glob(filepath.Join(docs, "results/bench*.json"))
	if err != nil {
		return all, err
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return all, err
		}
		var b struct {
			Machine struct{ Processor, Model string }
			Cases   []benchmarkCase
			Fits    []benchmarkFit
		}
		if err := json.Unmarshal(raw, &b); err != nil {
			return all, fmt.Errorf("%s: %w", file, err)
		}
		all.Processors = append(all.Processors, b.Machine.Processor+" ("+b.Machine.Model+")")
		all.Cases, all.Fits = append(all.Cases, b.Cases...), append(all.Fits, b.Fits...)
	}
	return all, nil
}

// find is the case with the largest ratio to the fastest peer.
func (b benchmarks) find(group, name string) (benchmarkCase, error) {
	var worst *benchmarkCase
	for i, c := range b.Cases {
		if c.Group == group && c.Name == name && (worst == nil || c.Fastest.Ratio > worst.Fastest.Ratio) {
			worst = &b.Cases[i]
		}
	}
	if worst == nil {
		return benchmarkCase{}, fmt.Errorf("results/bench*.json: no case %s: %s", group, name)
	}
	return *worst, nil
}

// value is what a program of the case took: its fastest time, the median, or the peak of its memory; of several programs, the least.
func (c benchmarkCase) value(programs string) (float64, error) {
	least := math.Inf(1)
	for program := range strings.SplitSeq(programs, " or ") {
		of := func(p benchmarkProgram) float64 { return p.Min }
		if rest, ok := strings.CutPrefix(program, "median "); ok {
			program, of = rest, func(p benchmarkProgram) float64 { return p.Median }
		} else if rest, ok := strings.CutPrefix(program, "peak "); ok {
			program, of = rest, func(p benchmarkProgram) float64 { return p.Peak }
		}
		i := slices.IndexFunc(c.Programs, func(p benchmarkProgram) bool { return p.Name == program })
		if i < 0 {
			return 0, fmt.Errorf("results/bench*.json: no program %q in %s: %s", program, c.Group, c.Name)
		}
		least = min(least, of(c.Programs[i]))
	}
	return least, nil
}

// number is a match of measured with its number.
func (b benchmarks) number(m []string) (string, error) {
	_, decimals, _ := strings.Cut(m[1], ".")
	write := func(v float64) string { return fmt.Sprintf("%.*f", len(decimals), v) }
	comment := m[0][strings.Index(m[0], "<!--"):]
	if m[6] == "" {
		var worst *benchmarkFit
		for i, f := range b.Fits {
			mine := f.Axis == m[4] && f.Curve == m[5] && f.Program == "swlab"
			if mine && (worst == nil || f.Exponent > worst.Exponent) {
				worst = &b.Fits[i]
			}
		}
		switch {
		case worst != nil && m[2] == "":
			return write(worst.Exponent) + comment, nil
		case worst != nil:
			return write(worst.Exponent) + " ± " + write(worst.Uncertainty) + comment, nil
		}
		return "", fmt.Errorf("results/bench*.json: no exponent of %s in %s", m[5], m[4])
	}
	c, err := b.find(m[4], m[5])
	if err != nil {
		return "", err
	}
	if m[6] == "/ fastest" {
		return write(c.Fastest.Ratio) + comment, nil
	}
	program, peers, ratio := strings.Cut(m[6], " / ")
	v, err := c.value(program)
	if ratio && err == nil {
		var peer float64
		peer, err = c.value(peers)
		v /= peer
	}
	if m[3] != "" {
		v *= 1e3
	}
	return write(v) + m[3] + comment, err
}

// stepsRow is a row of the table of training steps.
func (b benchmarks) stepsRow(m []string) (string, error) {
	row := m[1]
	for i, size := range []string{"B=128 m=2048", "B=32 m=512"} {
		c, err := b.find("steps", m[2]+", "+size)
		if err != nil {
			return "", err
		}
		peer := strings.NewReplacer("torch.compile", "compiled", "torch", "eager", ", huge pages", "", " jit", "").Replace(c.Fastest.Name)
		digits := 1
		if c.Programs[0].Min < 1 {
			digits = 2
		}
		row += fmt.Sprintf(" **%.2f** | %s | %.*f s", c.Fastest.Ratio, peer, digits, c.Programs[0].Min)
		if i == 0 {
			row += " |"
		}
	}
	return row + "<!-- steps: " + m[2] + " --> |", nil
}

// stated returns the difference of rows a and b, or the ratio of their deviations, as a page writes
// it.
func stated(docs, name, preset, column, a, sign, b string) (string, error) {
	f, err := table.Get(name)
	if err != nil {
		return "", err
	}
	if preset == "" {
		x, err := printed(f, column, a)
		if err != nil {
			return "", err
		}
		y, err := printed(f, column, b)
		if err != nil {
			return "", err
		}
		if sign == "/" {
			ratio := *x.SD / *y.SD
			p := distuv.F{D1: float64(x.N - 1), D2: float64(y.N - 1)}.CDF(ratio * ratio)
			return fmt.Sprintf("%.2f (p = %.2g)", ratio, 2*min(p, 1-p)), nil
		}
		text := fmt.Sprintf("%.2f", x.Mean-y.Mean)
		if x.SD != nil && y.SD != nil {
			text += fmt.Sprintf(" (p = %.2g)", table.Welch(x, y))
		}
		return minus(text), nil
	}
	all, err := comparisons(docs, name, preset, column, a, sign, b)
	switch {
	case err != nil:
		return "", err
	case len(all) > 1:
		return excluding(all), nil
	}
	return minus(fmt.Sprintf("%.2f (%.2f to %.2f)", all[0].value, all[0].low, all[0].high)), nil
}

// comparison is a difference of two rows or a ratio of their deviations, with its 95 % interval and the
// two-sided p-value.
type comparison struct {
	what                string // the same in either direction
	value, low, high, p float64
}

// comparisons returns those of every column and row of the lists with every row of b; the ratio of
// deviations is one, of pooled rows.
func comparisons(docs, name, preset, column, a, sign, b string) (all []comparison, err error) {
	r, err := table.ReadFile(filepath.Join(docs, "results", name+preset+".json"))
	if err != nil {
		return nil, err
	}
	for column := range strings.SplitSeq(column, ",") {
		i := slices.IndexFunc(r.Table.Columns, func(c table.Column) bool { return c.Key == column })
		runs := func(row string) []float64 { return r.Cells[row][column].Values }
		for row := range strings.SplitSeq(a+","+b, ",") {
			if i < 0 || len(runs(row)) < 2 {
				return nil, fmt.Errorf("the results have no %s of %s", column, row)
			}
		}
		what := func(rows ...string) string {
			slices.Sort(rows)
			return strings.Join(append(rows, name, preset, column, sign), " ")
		}
		if sign == "/" {
			all = append(all, ratio(pooled(runs, a), pooled(runs, b), what(a, b)))
			continue
		}
		for x := range strings.SplitSeq(a, ",") {
			for y := range strings.SplitSeq(b, ",") {
				all = append(all, paired(r.Cells[x][column], r.Cells[y][column], r.Table.Columns[i].Scale, what(x, y)))
			}
		}
	}
	return all, nil
}

// paired compares two cells run by run.
func paired(a, b table.Cell, scale float64, what string) comparison {
	m, half := table.Paired(a, b)
	t := distuv.StudentsT{Sigma: 1, Nu: float64(min(len(a.Values), len(b.Values)) - 1)}
	p := 2 * t.Survival(math.Abs(m)/half*t.Quantile(0.975))
	return comparison{what, m * scale, (m - half) * scale, (m + half) * scale, p}
}

// deviation is the variance of runs with its degrees of freedom.
type deviation struct{ variance, df float64 }

// pooled is the mean variance of the rows in a list, by degrees of freedom.
func pooled(runs func(row string) []float64, rows string) (d deviation) {
	for row := range strings.SplitSeq(rows, ",") {
		df := float64(len(runs(row)) - 1)
		d.variance += df * stat.Variance(runs(row), nil)
		d.df += df
	}
	d.variance /= d.df
	return d
}

func ratio(x, y deviation, what string) comparison {
	v, f := x.variance/y.variance, distuv.F{D1: x.df, D2: y.df}
	p := f.CDF(v)
	return comparison{what, math.Sqrt(v), math.Sqrt(v / f.Quantile(0.975)), math.Sqrt(v / f.Quantile(0.025)), 2 * min(p, 1-p)}
}

// excluding counts the comparisons whose 95 % interval excludes no difference, alone and after Holm's
// correction for their number.
func excluding(all []comparison) string {
	slices.SortFunc(all, func(a, b comparison) int { return cmp.Compare(a.p, b.p) })
	alone, corrected := 0, 0
	for i, c := range all {
		if c.p < 0.05 {
			alone++
		}
		if corrected == i && c.p*float64(len(all)-i) < 0.05 {
			corrected++
		}
	}
	return fmt.Sprintf("%d of %d (%d by Holm)", alone, len(all), corrected)
}

// claimed returns the comparisons of our runs in the text of the claim of that number, each once.
func claimed(docs, page, number string) (all []comparison, err error) {
	_, text, found := strings.Cut(page, "\n### "+number+". ")
	if !found {
		return nil, fmt.Errorf("no claim %s", number)
	}
	text, _, _ = strings.Cut(text, "\n### ")
	for _, m := range difference.FindAllStringSubmatch(text, -1) {
		if m[3] == "" { // of the paper's numbers
			continue
		}
		more, err := comparisons(docs, m[2], m[3], m[4], m[5], m[6], m[7])
		if err != nil {
			return nil, err
		}
		for _, c := range more {
			if !slices.ContainsFunc(all, func(of comparison) bool { return of.what == c.what }) {
				all = append(all, c)
			}
		}
	}
	return all, nil
}

// percentage is a match of relative with its number. It is an error if the row is on the other side.
func percentage(docs string, m []string) (string, error) {
	r, err := table.ReadFile(filepath.Join(docs, "results", m[3]+".json"))
	if err != nil {
		return "", err
	}
	a, b := r.Cells[m[5]][m[4]], r.Cells[m[7]][m[4]]
	if len(a.Values) == 0 || len(b.Values) == 0 {
		return "", fmt.Errorf("the results have no %s of %s and %s", m[4], m[5], m[7])
	}
	value, half := table.Relative(a, b)
	if m[6] == "below" {
		value = -value
	}
	if value < 0 {
		return "", fmt.Errorf("%s is not %s %s", m[5], m[6], m[7])
	}
	_, decimals, _ := strings.Cut(m[1], ".")
	n := len(decimals)
	text := fmt.Sprintf("%.*f %%", n, value)
	if m[2] != "" {
		text += fmt.Sprintf(" (%.*f to %.*f)", n, value-half, n, value+half)
	}
	return minus(text), nil
}

// minus writes negative numbers with a sign of minus, but for exponents.
func minus(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "-", "−"), "e−", "e-")
}

// printed returns a number of the paper as a cell, with the sample deviation of its runs.
func printed(t table.Table, column, row string) (table.Cell, error) {
	for _, r := range t.Rows {
		if x, ok := r.Paper[column]; r.ID == row && ok {
			c := table.Cell{Mean: x.Mean, N: table.PaperRuns}
			if x.SD != nil {
				sd := table.SampleSD(*x.SD, table.PaperRuns)
				c.SD = &sd
			}
			return c, nil
		}
	}
	return table.Cell{}, fmt.Errorf("the paper's table has no %s of %s", column, row)
}
