package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// sweepCallOf returns the arguments of a small sweep over data.
func sweepCallOf(data, out string, more ...string) []string {
	return with([]string{"sweep", "--data", data, "--out", out, "--points", "8", "--batch", "5", "--steps", "1", "--backend", "go"}, more...)
}

// TestSweep: rows in the order of the grid, including a refused one, the plot, and nothing done
// twice.
func TestSweep(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	plot := filepath.Join(dir, "p.svg")
	call := sweepCallOf(data, dir, "--vary", "loss=sw,max-sw", "--vary", "amortizer=none,l", "--seeds", "1,2", "--plot", plot)
	v := object(t, call...)
	has(t, v, "rows", "vary", "fixed", "seeds", "data", "test", "backend", "reference", "uncertainty")
	rows := v["rows"].([]any)
	if len(rows) != 4 || v["backend"] != "go" {
		t.Fatalf("%v", v)
	}
	for i, state := range strings.Fields("done refused done done") {
		row := rows[i].(map[string]any)
		settings := row["settings"].(map[string]any)
		if row["state"] != state || settings["loss"] != []string{"sw", "max-sw"}[i/2] || (settings["amortizer"] == "l") != (i%2 == 1) {
			t.Errorf("row %d: %v", i, row)
		}
		if state == "refused" {
			continue
		}
		has(t, row["values"].(map[string]any), "cd", "sw", "emd_approx", "emd_exact", "time")
		if i > 0 {
			has(t, row["difference"].(map[string]any)["cd"].(map[string]any), "mean", "sd", "n", "values", "low", "high", "p", "clouds")
		}
	}
	svg, err := os.ReadFile(plot)
	// The plots share a legend.
	if err != nil || strings.Count(string(svg), ">loss max-sw, amortizer l<") != 1 || strings.Contains(string(svg), ">loss sw, amortizer l<") {
		t.Errorf("plot: %v", err)
	}
	if code, _, errs := command(t, call...); code != 2 || !strings.Contains(errs, "--plot: "+plot+" exists") {
		t.Errorf("the plot again: exit code %d, %s", code, errs)
	}
	code, out, errs := command(t, append(call, "--force")...)
	if code != 0 || !strings.Contains(out, "refused, loss sw, amortizer l: ") || strings.Contains(errs, "training") || !strings.Contains(errs, "4 of 4") {
		t.Errorf("again: exit code %d\n%s\n%s", code, out, errs)
	}
}

// TestSweepInterrupted: the first signal ends the call, which says how to resume, and resuming
// works.
func TestSweepInterrupted(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	call := sweepCallOf(data, dir, "--vary", "slices=3,4,5", "--loss", "sw")
	cmd := process(call...)
	var errs bytes.Buffer
	read := must.M1(cmd.StderrPipe())
	must.M(cmd.Start())
	buffer := make([]byte, 4096)
	for asked := false; ; {
		n, err := read.Read(buffer)
		errs.Write(buffer[:n])
		if !asked && strings.Contains(errs.String(), "(1 of 3)") {
			asked = true // a second one would end the process at once
			_ = cmd.Process.Signal(os.Interrupt)
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(errs.String(), "swlab: interrupted; the same command resumes\n") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	v := object(t, call...)
	for _, row := range v["rows"].([]any) {
		if row.(map[string]any)["state"] != "done" {
			t.Errorf("%v", row)
		}
	}
}
