package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFit: exact power laws are recovered, including m log m, over the upper decades only.
func TestFit(t *testing.T) {
	c := curve{axis: "m"}
	for _, m := range []float64{1e3, 1e4, 1e5, 1e6} {
		c.at, c.cost = append(c.at, m), append(c.cost, 3e-9*m*math.Log(m))
	}
	c.cost[0] = 1 // outside the upper two decades
	f, ok := fitCurve(c)
	if !ok || math.Abs(f.Exponent-1) > 1e-12 || *f.Uncertainty > 1e-9 || f.From != 1e4 || f.Points != 3 {
		t.Errorf("%+v", f)
	}
	f, ok = fitCurve(curve{axis: "B", at: []float64{10, 100}, cost: []float64{1, 1000}})
	if !ok || math.Abs(f.Exponent-3) > 1e-12 || f.Uncertainty != nil || f.exponent() != "3.000" {
		t.Errorf("%+v", f)
	}
	// Residuals 0.1, -0.2, 0.1 about slope 2: sqrt(0.06 / 1 / 2).
	slope, err := line([]float64{-1, 0, 1}, []float64{-1.9, -0.2, 2.1})
	if math.Abs(slope-2) > 1e-12 || math.Abs(err-math.Sqrt(0.03)) > 1e-12 {
		t.Errorf("%v ± %v", slope, err)
	}
}

// TestMeasure: existing measurements are not repeated, failed ones are, and the report has medians
// and ratios of rounds.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	made := filepath.Join(dir, "made")
	script := func(s string) program { return program{Name: s, Command: []string{"sh", "-c", s}} }
	ours := script(`echo progress; echo '{"seconds":[2,4,9],"version":"1"}'; cat ` + made + ` >>` + dir + `/calls`)
	theirs, broken := script(`echo '{"seconds":[8]}'`), script(`echo sorry >&2; exit 3`)
	cases := []testCase{{Group: "g", Name: "n", Programs: []program{ours, theirs, broken}, Needs: []file{{made, []string{"sh", "-c", "echo x >" + made}}}}}
	o := options{work: dir, rounds: 1, limit: time.Minute, only: regexp.MustCompile("")}
	for _, rounds := range []int{1, 1, 2} {
		o.rounds = rounds
		if err := measure(context.Background(), o, cases); err != nil {
			t.Fatal(err)
		}
	}
	if calls, _ := os.ReadFile(filepath.Join(dir, "calls")); string(calls) != "x\nx\n" {
		t.Errorf("calls %q", calls)
	}
	f, err := os.OpenFile(o.store(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"group":"cut o`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	runs, err := readRuns(o.store())
	if err != nil {
		t.Fatal(err)
	}
	s := summarise(cases, runs, machine{}, nil)
	p := s.Cases[0].Programs
	if p[0].Rounds != 2 || p[0].Min != 2 || p[0].Median != 4 || p[0].Timed != 6 || p[1].Ratio.Median != 2 || p[1].OfMinima != 4 || p[0].Ratio != nil {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(p[2].Failure, "sorry") || p[2].Rounds != 0 {
		t.Errorf("%+v", p[2])
	}
	if err := write(filepath.Join(dir, "bench"), s); err != nil {
		t.Fatal(err)
	}
	report, _ := os.ReadFile(filepath.Join(dir, "bench.md"))
	if !strings.Contains(string(report), "2.00 (2.00 to 2.00)") || !strings.Contains(string(report), "sorry") {
		t.Errorf("%s", report)
	}
}

// TestExecute: a program that takes too long is ended with its children, and invalid output is an
// error.
func TestExecute(t *testing.T) {
	for command, want := range map[string]string{"sleep 60 & sleep 60; wait": "not done", "echo hello": "no result", `echo '{}'`: "no seconds"} {
		limit := time.Minute
		if want == "not done" {
			limit = 50 * time.Millisecond
		}
		if _, err := execute(context.Background(), limit, program{Command: []string{"sh", "-c", command}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// TestPlan: names are unique, every case compares with this project, and curves have enough points
// to fit.
func TestPlan(t *testing.T) {
	for _, quick := range []bool{false, true} {
		seen, on := map[string]bool{}, newCurves()
		for _, c := range plan("w", quick) {
			if id := c.Group + "/" + c.Name; seen[id] {
				t.Errorf("%s twice", id)
			} else {
				seen[id] = true
			}
			if !strings.HasPrefix(c.Programs[0].Name, "swlab") || units[c.Group] == "" {
				t.Errorf("%s/%s: first program %s, unit %q", c.Group, c.Name, c.Programs[0].Name, units[c.Group])
			}
			for _, p := range c.On {
				on.add(p, swlab, programSummary{Min: 1, High: 1})
			}
		}
		for _, c := range on.all {
			if f, ok := fitCurve(c); !quick && (!ok || f.Points < 3) {
				t.Errorf("%s, %s: %+v", c.axis, c.name, f)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	program := func(peak, compile float64) programSummary {
		return programSummary{Name: swlab, Rounds: 1, Min: 1, Peak: peak, Compile: &spread{Median: compile}, FirstStep: &spread{Median: 9}}
	}
	timed := func(name string, min float64) programSummary { return programSummary{Name: name, Rounds: 1, Min: min} }
	of := func(group, name string, p ...programSummary) caseSummary {
		return caseSummary{Group: group, Name: name, Programs: p}
	}
	inexact := timed(swlab, 1)
	inexact.Error = 2e-6
	other := timed(huge, 10)
	other.Peak = 900
	s := summary{Fits: []fit{{Program: swlab, Exponent: 1.2}, {Program: torch, Exponent: 2}}, Cases: []caseSummary{
		of("start", "SW, B=32 m=256", program(1, 1)),
		of("compile", "v-DSW step, T=1", program(1, 2)),
		of("compile", "v-DSW step, T=50", program(1, 2.9)),
		of("steps", "SW, B=128 m=2048", program(400, 1), other, timed(compiled, 3)),
		of("steps", "EMD, B=32 m=512", timed(swlab, 1), timed(torch, 1), timed(huge, 2.1), timed(compiled, 2.2)),
		of("steps", "Chamfer, B=32 m=512", timed(swlab, 1), timed(torch, 9), timed(huge, 9), timed(compiled, 1.9)),
		of("steps", "Chamfer, B=128 m=2048", timed(swlab, 1), timed(huge, 9)),
		of("distance", "sliced W_2^2, m=2048 L=1000", inexact, timed("NumPy, float64", 3), timed("NumPy, float64, AVX2", 4),
			timed("NumPy, float32", 1.7), timed("NumPy, float32, AVX2", 1.8), timed("NumPy, float64, one thread", 1), timed("POT, float32", 39)),
		of("distance", "sliced W_2^2, m=100000 L=100", timed(swlab, 1), timed("NumPy, float64", 9), timed("NumPy, float64, AVX2", 3),
			timed("NumPy, float32", 9), timed("NumPy, float32, AVX2", 1.6)),
		of("kept graphs", "chamfer", timed(swlab, 1.19), timed(graphAlone, 1)),
		of("evaluation", "EMD of the kernel, m=2048", timed(swlab, 0.05)),
	}}
	var met []bool
	for _, l := range limits(s) {
		met = append(met, l.Met)
	}
	// Growth, start, compile, SW, Chamfer, EMD, two distances, the first with its error, a kept graph,
	// the kernel, memory. Chamfer at 128 x 2048 has not been compared with torch.compile.
	if want := []bool{false, false, true, false, false, true, false, false, true, true, true, false}; !slices.Equal(met, want) {
		t.Errorf("%v: %+v", met, limits(s))
	}
}

// TestFastest: a case's ratio is to the fastest of the others, and a report can be written again from
// its JSON.
func TestFastest(t *testing.T) {
	c := caseSummary{Group: "steps", Name: "n", Programs: []programSummary{
		{Name: swlab, Rounds: 1, Min: 1, HugePages: true}, {Name: exact, Rounds: 1, Min: 0.5}, {Name: torch, Rounds: 1, Min: 8},
		{Name: compiled, Rounds: 3, Min: 4, Compile: &spread{5, 5, 40}}, {Name: jax}}}
	plan := []testCase{{Group: "steps", Name: "n", On: []point{{"B", "curve", 3}}}}
	s := conclude(plan, machine{Processor: "P"}, []caseSummary{c})
	if f := s.Cases[0].Fastest; f == nil || f.Name != compiled || f.Ratio != 0.25 || len(s.plots) != 4 {
		t.Errorf("%+v, %d curves", f, len(s.plots))
	}
	o := options{work: t.TempDir()}
	o.results = filepath.Join(o.work, "bench")
	if _, err := o.report(plan); err == nil {
		t.Error("there is nothing to report")
	}
	if err := write(o.results, s); err != nil {
		t.Fatal(err)
	}
	if _, err := o.report(plan); err != nil {
		t.Fatal(err)
	}
	if again := stored(t, o.results); !reflect.DeepEqual(again.Cases, s.Cases) || !reflect.DeepEqual(again.Machine, s.Machine) {
		t.Errorf("%+v\n%+v", again, s)
	}
	report, _ := os.ReadFile(o.results + ".md")
	for _, want := range []string{"**0.250** of torch.compile, huge pages", "compile 40.0 s at first", "| huge pages |"} {
		if !strings.Contains(string(report), want) {
			t.Errorf("no %q in %s", want, report)
		}
	}
}

// stored is a report.
func stored(t *testing.T, base string) (s summary) {
	t.Helper()
	if err := json.Unmarshal(contents(t, base+".json"), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestEarlier: what has not been measured again is taken from the report of such a machine, marked. That of another
// machine stays as it is, beside a new one.
func TestEarlier(t *testing.T) {
	times := func(seconds float64) []programSummary {
		return []programSummary{{Name: swlab, Rounds: 1, Min: seconds}}
	}
	plan := []testCase{{Group: "steps", Name: "a", Programs: []program{{Name: swlab}}}, {Group: "steps", Name: "b", Programs: []program{{Name: swlab}}},
		{Group: "steps", Name: "c", Programs: []program{{Name: swlab}, {Name: torch}}}}
	before := []caseSummary{{Group: "steps", Name: "a", Programs: times(1)}, {Group: "steps", Name: "b", Programs: times(2)}, {Group: "steps", Name: "c", Programs: times(5)}, {Group: "steps", Name: "no longer planned", Programs: times(3)}}
	o := options{work: t.TempDir()}
	o.results = filepath.Join(o.work, "bench")
	half := `{"group":"steps","name":"c","program":"swlab","round":1,"result":{"seconds":[6]}}` // its peer is not measured
	if err := os.WriteFile(o.store(), []byte(`{"group":"steps","name":"b","program":"swlab","round":1,"result":{"seconds":[4]}}`+"\n"+half+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, same := range []bool{true, false} {
		m := thisMachine()
		if !same {
			m.Model += " of another kind"
		}
		if err := write(o.results, summary{Machine: m, Cases: before}); err != nil {
			t.Fatal(err)
		}
		untouched := contents(t, o.results+".json")
		written, err := o.report(plan)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: o.results, false: o.results + "-" + thisMachine().slug()}[same]; !slices.Equal(written, []string{want}) {
			t.Fatalf("the same machine %t: wrote %v, expected %s", same, written, want)
		}
		if now := contents(t, o.results+".json"); bytes.Equal(now, untouched) == same {
			t.Errorf("the same machine %t: its report is as before: %t", same, !same)
		}
		var found []string
		for _, c := range stored(t, written[0]).Cases {
			found = append(found, fmt.Sprintf("%s %t %v", c.Name, c.Earlier, c.Programs[0].Min))
		}
		want := []string{"a true 1", "b false 4", "c true 5"}
		if !same {
			want = []string{"b false 4", "c false 6"}
		}
		if !slices.Equal(found, want) {
			t.Errorf("the same machine %t: %v, expected %v", same, found, want)
		}
		report, _ := os.ReadFile(written[0] + ".md")
		if strings.Contains(string(report), "| a ° |") != same || strings.Contains(string(report), "| b ° |") || strings.Contains(string(report), "Cases marked °") != same {
			t.Errorf("the same machine %t: %s", same, report)
		}
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0.0123456: "12.3 ms", 2: "2.00 s", 1234: "1234 s", 3.5e-6: "3.50 µs"} {
		if got := duration(v); got != want {
			t.Errorf("%v: %s, expected %s", v, got, want)
		}
	}
	if s := spreadOf(nil); s != nil {
		t.Error(s)
	}
}

func TestVectors(t *testing.T) {
	for flags, want := range map[string]string{"fpu avx2 avx512f": "AVX-512", "fpu avx avx2": "AVX2", "unknown": "neither AVX-512 nor AVX2"} {
		if got := vectors(flags); got != want {
			t.Errorf("%s: %s, expected %s", flags, got, want)
		}
	}
}
