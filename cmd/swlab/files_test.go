package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFilesDeclared: every flag of a file or folder says whether the call reads or writes it, but
// --from, which data fetch checks itself.
func TestFilesDeclared(t *testing.T) {
	found := 0
	walk(newRoot(), func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			place := strings.Contains(f.Value.Type(), "FILE") || f.Value.Type() == "DIR"
			if declared := f.Annotations["reads"] != nil || f.Annotations["writes"] != nil; place && !declared && f.Name != "from" {
				t.Errorf("%s --%s is declared neither by reads nor by writes", cmd.CommandPath(), f.Name)
			} else if place {
				found++
			}
		})
	})
	if found < 50 {
		t.Errorf("only %d files and folders found", found)
	}
}

// TestForce: with --force an output is replaced, a link to it stays, and so do its permissions.
func TestForce(t *testing.T) {
	dir := misuseFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	call := func(out string, more ...string) []string {
		return append([]string{"vmf", "sample", "--kappa", "1", "--location", "0,0,1", "--n", "5", "--out", at(out)}, more...)
	}
	if err := os.Chmod(at("y.npy"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"to-y.npy": "y.npy", "to-new.npy": "sub/new.npy"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	wantCall(t, 2, call("to-y.npy"), "--out", "exists", "--force")
	if v := object(t, call("to-y.npy", "--force")...); v["out"] != at("to-y.npy") {
		t.Errorf("%v", v)
	}
	object(t, call("to-new.npy")...)
	array(t, at("y.npy"), 5, 3)
	array(t, at("sub/new.npy"), 5, 3)
	for _, link := range []string{"to-y.npy", "to-new.npy"} {
		if info, err := os.Lstat(at(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", link, err)
		}
	}
	if info, err := os.Stat(at("y.npy")); err != nil || info.Mode() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

// TestNeverReplaced: hard links to inputs, pipes and devices are refused, also with --force.
func TestNeverReplaced(t *testing.T) {
	dir := misuseFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	outputs := map[string]string{}
	if err := os.Link(at("x.npy"), at("hard.npy")); err == nil {
		outputs["hard.npy"] = "is also an input, --x"
	}
	for name, kind := range special(dir) {
		outputs[name] = "expected a regular file, found " + kind
	}
	if len(outputs) == 0 {
		t.Skip("no hard links, pipes or devices here")
	}
	for name, says := range outputs {
		before := digests(t, dir)
		for _, flag := range []string{"--out-slices", "--out-grad", "--out-directions"} {
			wantCall(t, 2, []string{"distance", "--loss", "sw", "--x", at("x.npy"), "--y", at("y.npy"), flag, at(name), "--force"}, flag, name, says)
		}
		for path, digest := range digests(t, dir) {
			if before[path] != digest {
				t.Errorf("%s: %s was %s and is %s", name, path, before[path], digest)
			}
		}
	}
}

// TestHardLinkedOutputs: two names of one file are one output.
func TestHardLinkedOutputs(t *testing.T) {
	dir := misuseFiles(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Link(at("dirs.npy"), at("hard.npy")); err != nil {
		t.Skip("no hard links here:", err)
	}
	wantCall(t, 2, []string{"distance", "--loss", "sw", "--x", at("x.npy"), "--y", at("y.npy"), "--out-slices", at("dirs.npy"), "--out-grad", at("hard.npy"), "--force"},
		"is also an output, --out-slices")
}

// TestNumbersSurvive: if an output cannot be written after the work, the numbers are still printed,
// the exit code is 1 and the error names the flag.
func TestNumbersSurvive(t *testing.T) {
	if !canFill {
		t.Skip("files cannot be kept from growing here")
	}
	dir := misuseFiles(t)
	for _, c := range []struct{ call, flag, key, text string }{
		{"distance --loss sw --x x.npy --y y.npy --slices 5 --out-slices s.npy --out-grad g.npy", "--out-slices", "value", "SW "},
		{"direction --amortizer l --x x.npy --y y.npy --out d.npy", "--out", "parameters", "not written"},
		{"encode --run run --x x.npy --out z.npy", "--out", "shape", "not written"},
		{"reconstruct --run run --x x.npy --out z.npy", "--out", "shape", "not written"},
		{"generate --run run --data data --epochs 1 --distances cd --out g.npy", "--out", "jsd", "JSD"},
		{"evaluate --run run --data data --out-per-cloud v.npy", "--out-per-cloud", "cd", "CD "},
		{"vmf sample --kappa 1 --location 0,0,1 --n 5 --out v.npy", "--out", "mean_resultant_length", "mean resultant length"},
	} {
		for _, format := range []string{"text", "json"} {
			cmd := process(append(strings.Fields(c.call), "--backend", "go", "--format", format)...)
			cmd.Dir, cmd.Env = dir, append(cmd.Env, "SWLAB_TEST_FULL=1")
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run() // the exit code is checked
			want := c.text
			if format == "json" {
				want = `"` + c.key + `":`
			}
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), want) || !strings.Contains(errs.String(), "swlab: "+c.flag+": ") {
				t.Errorf("%s --format %s: exit code %d, expected 1\nstdout: %s\nstderr: %s", c.call, format, code, out.String(), errs.String())
			}
			if strings.Contains(out.String(), `.npy"`) && format == "json" && !strings.Contains(c.call, "info") {
				t.Errorf("%s: the file is named as if it were there: %s", c.call, out.String())
			}
		}
	}
	for _, name := range []string{"s.npy", "g.npy", "d.npy", "z.npy", "v.npy"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was left", name)
		}
	}
}

// TestPlotFolderGone: a sweep whose plot folder vanishes during the work still prints its table.
func TestPlotFolderGone(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	plots := filepath.Join(dir, "plots")
	if err := os.Mkdir(plots, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := process(sweepCallOf(data, filepath.Join(dir, "runs"), "--vary", "slices=3,4", "--loss", "sw", "--plot", filepath.Join(plots, "p.svg"))...)
	var out, errs strings.Builder
	cmd.Stdout = &out
	cmd.Stderr = &watcher{Builder: &errs, text: "(1 of 2)", seen: func() {
		if err := os.Remove(plots); err != nil {
			t.Error(err)
		}
	}}
	_ = cmd.Run() // the exit code is checked
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(out.String(), "slices") || !strings.Contains(errs.String(), "swlab: --plot: ") {
		t.Errorf("exit code %d\nstdout: %s\nstderr: %s", code, out.String(), errs.String())
	}
}

// watcher calls seen once the text has been written to it.
type watcher struct {
	*strings.Builder
	text string
	seen func()
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.Builder.Write(p)
	if w.seen != nil && strings.Contains(w.String(), w.text) {
		w.seen()
		w.seen = nil
	}
	return n, err
}

// TestTrainingResultSurvives: a training whose last file cannot be written prints its result.
func TestTrainingResultSurvives(t *testing.T) {
	dir := misuseFiles(t)
	result := filepath.Join(dir, "run", "result.json")
	if err := os.Remove(result); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(result, 0o755); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "train", "--data", "builtin", "--loss", "sw", "--points", "32", "--batch", "4", "--steps", "0", "--backend", "go",
		"--out", filepath.Join(dir, "run"), "--resume", "--format", "json")
	if code != 1 || !strings.Contains(out, `"seconds_per_step":`) || !strings.Contains(errs, "swlab: --out: ") || !strings.Contains(errs, "result.json") {
		t.Errorf("exit code %d\nstdout: %s\nstderr: %s", code, out, errs)
	}
}
