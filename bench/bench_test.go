package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
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
	s := summarise(cases, runs)
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
	other := program(1000, 1)
	other.Name, other.Min = torch, 10
	timed := func(min float64, name string) programSummary { return programSummary{Name: name, Rounds: 1, Min: min} }
	s := summary{Fits: []fit{{Program: swlab, Exponent: 1.2}, {Program: torch, Exponent: 2}}, Cases: []caseSummary{
		{"start", "SW, B=32 m=256", []programSummary{program(1, 1)}},
		{"compile", "v-DSW step, T=1", []programSummary{program(1, 2)}},
		{"compile", "v-DSW step, T=50", []programSummary{program(1, 2.9)}},
		{"steps", "SW, B=128 m=2048", []programSummary{program(400, 1), other}},
		{"steps", "EMD, B=32 m=512", []programSummary{timed(1, swlab), timed(2, torch), timed(0.1, huge)}},
		{"steps", "Chamfer, B=32 m=512", []programSummary{timed(1, swlab), timed(1.9, torch)}},
		{"distance", "sliced W_2^2, m=2048 L=1000", []programSummary{timed(1, swlab), timed(3, "NumPy, float64"), timed(1.7, "NumPy, float32"), timed(1, "NumPy, float64, one thread"), timed(39, "POT, float32")}},
		{"distance", "sliced W_2^2, m=100000 L=100", []programSummary{timed(1, swlab), timed(1.5, "NumPy, float64")}},
		{"evaluation", "EMD of the kernel, m=2048", []programSummary{timed(0.05, swlab)}},
	}}
	var met []bool
	for _, l := range limits(s) {
		met = append(met, l.Met)
	}
	// Growth, start, compile, SW, Chamfer, EMD, two distances, the kernel, memory.
	if want := []bool{false, false, true, true, false, true, false, true, true, true}; !slices.Equal(met, want) {
		t.Errorf("%+v", limits(s))
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
