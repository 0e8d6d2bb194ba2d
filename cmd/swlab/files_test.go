package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
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

// TestForce: with --force an output is replaced, a link to it stays, and so do its permissions. A hard link to an input or to another
// output, or to a device, is refused nevertheless.
func TestForce(t *testing.T) {
	dir := misuseInputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	call := func(out string, more ...string) []string {
		return append([]string{"vmf", "sample", "--kappa", "1", "--location", "0,0,1", "--n", "5", "--out", at(out)}, more...)
	}
	if err := errors.Join(os.Chmod(at("y.npy"), 0o600), os.Symlink("y.npy", at("to-y.npy")), os.Symlink("sub/new.npy", at("to-new.npy")),
		os.Link(at("x.npy"), at("hard-x.npy")), os.Link(at("dirs.npy"), at("hard-dirs.npy")), os.Symlink(os.DevNull, at("null.npy"))); err != nil {
		t.Skip("no links here:", err)
	}
	distance := []string{"distance", at("x.npy"), at("y.npy"), "--force", "--out-grad"}
	wantCall(t, 2, append(distance, at("hard-x.npy")), "--out-grad", "hard-x.npy", "is also an input, --x")
	wantCall(t, 2, append(distance, at("hard-dirs.npy"), "--out-slices", at("dirs.npy")), "is also an output, --out-slices")
	wantCall(t, 2, call("null.npy", "--force"), "--out", "null.npy", "expected a regular file, found a device")
	wantCall(t, 2, call("to-y.npy"), "--out", "exists; --force replaces it")
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

// TestTrainingResultSurvives: a training whose last file cannot be written prints its result.
func TestTrainingResultSurvives(t *testing.T) {
	dir := misuseFiles(t)
	result := filepath.Join(dir, "run", "result.json")
	must.M(errors.Join(os.Remove(result), os.Mkdir(result, 0o755)))
	code, out, errs := command(t, "train", "--data", "builtin", "--loss", "sw", "--points", "32", "--batch", "4", "--steps", "0", "--backend", "go",
		"--out", filepath.Join(dir, "run"), "--resume", "--format", "json")
	if code != 1 || !strings.Contains(out, `"seconds_per_step":`) || !strings.Contains(errs, "swlab: --out: ") || !strings.Contains(errs, "result.json") {
		t.Errorf("exit code %d\nstdout: %s\nstderr: %s", code, out, errs)
	}
}
