package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// write writes base.json, base.md and, where there are curves, base-scaling.png and .svg.
func write(base string, s summary) error {
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return err
	}
	if err := durable.WriteJSON(base+".json", s); err != nil {
		return err
	}
	picture, err := draw(s)
	if err != nil {
		return err
	}
	if picture != nil {
		for _, ext := range []string{"png", "svg"} {
			if err := picture.Save(base + "-scaling." + ext); err != nil {
				return err
			}
		}
	}
	return durable.Write(base+".md", func(w io.Writer) error {
		_, err := io.WriteString(w, markdown(filepath.Base(base), s, picture != nil))
		return err
	})
}

// units says what a time of a group measures.
var units = map[string]string{
	"start":       "Start-up: from the call to the end of the first step, `go run` with a warm build cache included",
	"compile":     "Compile time: by how much the first step is longer than the others",
	"steps":       "Training steps, time per step",
	"loss alone":  "Loss and gradient without the network, ascent included, time per batch",
	"scaling":     "This project alone, time per step or batch: means of so many steps together as do the work of one at the end of the curve",
	"distance":    "Distance between two clouds, time per call",
	"kept graphs": "Distances whose graph an earlier call has compiled, 32 pairs of 1024 points, time per call",
	"evaluation":  "Evaluation, time per pair of clouds",
	"vMF samples": "Von Mises-Fisher samples, time per million",
	"amortizers":  "Amortizers alone, $d_k = k = 64$, batches of 4 pairs for A and 32 for EA and LA: locations and their gradient in the weights, time and memory per pair",
	"data":        "Reading, centring and scaling batches from a file in the page cache, time per batch (`streamed`: by an earlier version, which read sets piece by piece)",
}

func markdown(name string, s summary, pictured bool) string {
	var b strings.Builder
	m, committed := s.Machine, ""
	if m.Commit != "" {
		committed = ", commit " + m.Commit
	}
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `make bench` ([how](../../bench/README.md)); all numbers are in [%[1]s.json](%[1]s.json).\n\n", name)
	fmt.Fprintf(&b, "%s, %d cores, %s memory, %s, huge pages %s, %s, %s%s. Load at the end: %s.\n\n", strings.TrimSuffix(m.Processor+" ("+m.Model+") with "+m.Vectors, " with "), m.Cores, m.Memory, m.System, m.HugePages, m.Go, m.Date, committed, m.Load)
	b.WriteString("`min` is the fastest call of all rounds, `median` that of the rounds' medians, `spread` from the lowest to the highest of them. `ratio` divides a program's median by that of the first program in the same round: the median over the rounds, and its range; above 1 the first is faster. `of minima` is the same ratio of the fastest calls of all rounds, which other work on the machine disturbs least; in the row of this project it is, in bold, our fastest call over that of the fastest of the others. `compile` is not part of the times: by how much the first steps are longer than the others. `peak` is the largest resident memory of the process.\n")
	if slices.ContainsFunc(s.Cases, func(c caseSummary) bool { return c.Earlier }) {
		fmt.Fprintf(&b, "\nCases marked%s are those of an earlier report from such a machine; the program may have changed since. Targets and exponents of growth take them as they are.\n", earlierMark)
	}
	if len(s.Limits) > 0 {
		b.WriteString("\n## Targets\n\n| | target | measured | |\n|---|---|---|---|\n")
		for _, l := range s.Limits {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.What, l.Asked, l.Found, map[bool]string{true: "met", false: "**not met**"}[l.Met])
		}
	}
	if pictured {
		fmt.Fprintf(&b, "\n![Cost against B, L, T and m, both axes logarithmic](%s-scaling.png)\n", name)
	}
	if len(s.Fits) > 0 {
		b.WriteString("\n## Growth\n\nSlope of the logarithm of the cost on that of the axis, by least squares over the range given; the cost is the fastest call, of points (memory) the memory of the calls alone, or of B and T and the loss in L the fastest sample, which is the mean of as many steps as match the work of one step at the end of the curve.\n\n| axis | curve | program | of | range | points | exponent |\n|---|---|---|---|---|---|---|\n")
		for _, f := range s.Fits {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %.0f to %.0f | %d | %s |\n", f.Axis, f.Curve, f.Program, f.Of, f.From, f.To, f.Points, f.exponent())
		}
	}
	group := ""
	for _, c := range s.Cases {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", heading(group), units[group])
			if group == "distance" {
				fmt.Fprintf(&b, "POT and NumPy are not called where m L is above %.0e: it would take more than about 20 s. The error is that on ten common directions against sorting in float64.\n\n", largest)
			}
			b.WriteString(header(group))
		}
		for _, p := range c.Programs {
			b.WriteString(row(c, p))
		}
	}
	return b.String()
}

// earlierMark follows the names of cases from an earlier report.
const earlierMark = " °"

// heading capitalises the first letter, except for names written otherwise.
func heading(group string) string {
	if strings.HasPrefix(group, "vMF") {
		return group
	}
	return strings.ToUpper(group[:1]) + group[1:]
}

func header(group string) string {
	columns := []string{"case", "program", "rounds", "min", "median", "spread", "ratio", "of minima", "peak MB", "more"}
	if group == "start" || group == "compile" {
		columns = []string{"case", "program", "rounds", "median", "spread", "peak MB", "a later step"}
	}
	return "| " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", len(columns)) + "|\n"
}

func row(c caseSummary, p programSummary) string {
	if c.Earlier {
		c.Name += earlierMark
	}
	if p.Rounds == 0 {
		return fmt.Sprintf("| %s | %s | 0 | | | | | | %s |\n", c.Name, p.Name, strings.NewReplacer("|", "/", "\n", " ").Replace(p.Failure))
	}
	if first := map[string]*spread{"start": p.FirstStep, "compile": p.Compile}[c.Group]; first != nil {
		return fmt.Sprintf("| %s | %s | %d | %s | %s to %s | %.0f | %s |\n", c.Name, p.title(), p.Rounds, duration(first.Median), duration(first.Low), duration(first.High), p.Peak, duration(p.Median))
	}
	times, minima := "", ""
	if p.Name == c.Programs[0].Name && c.Fastest != nil {
		minima = fmt.Sprintf("**%s** of %s", digits(c.Fastest.Ratio), c.Fastest.Name)
	}
	if p.OfMinima > 0 {
		minima = digits(p.OfMinima)
	}
	if p.Ratio != nil {
		times = fmt.Sprintf("%s (%s to %s)", digits(p.Ratio.Median), digits(p.Ratio.Low), digits(p.Ratio.High))
	}
	var more []string
	if p.Above > 0 {
		more = append(more, fmt.Sprintf("%s MB per pair", digits(p.Above)))
	}
	if p.Compile != nil && (c.Group == "steps" || c.Group == "loss alone") {
		more = append(more, "compile "+p.compile())
	}
	if p.HugePages {
		more = append(more, "huge pages")
	}
	if c.Group == "distance" {
		more = append(more, fmt.Sprintf("error %.0e", p.Error))
	} else if p.Value != 0 {
		more = append(more, fmt.Sprintf("value %.5g", p.Value))
	}
	return fmt.Sprintf("| %s | %s | %d | %s | %s | %s to %s | %s | %s | %.0f | %s |\n", c.Name, p.title(), p.Rounds,
		duration(p.Min), duration(p.Median), duration(p.Low), duration(p.High), times, minima, p.Peak, strings.Join(more, ", "))
}

// compile formats the time of compiling: the median of the rounds or, of a program that keeps what
// it has compiled, that of the first round.
func (p programSummary) compile() string {
	if p.Compile.High > 2*p.Compile.Low && strings.HasPrefix(p.Name, compiled) {
		return duration(p.Compile.High) + " at first"
	}
	return duration(p.Compile.Median)
}

// title returns the name with the version.
func (p programSummary) title() string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + " (" + p.Version + ")"
}

// duration formats three significant digits and a unit.
func duration(s float64) string {
	switch {
	case s >= 1:
		return digits(s) + " s"
	case s >= 1e-3:
		return digits(1e3*s) + " ms"
	}
	return digits(1e6*s) + " µs"
}

// digits formats three significant digits, without an exponent.
func digits(v float64) string {
	if v <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(v)))), v)
}
