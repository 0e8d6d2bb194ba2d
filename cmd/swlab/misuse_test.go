package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// misuse is a call that must be refused, or must warn, without touching a file.
type misuse struct {
	call    string   // arguments separated by spaces; files are relative to a copy of misuseFiles
	code    int      // expected exit code
	stderr  []string // what the message must contain, in any order
	changes []string // files that the call creates; usually none
}

// misuses holds the rows of TestMisuse. Each misuse_*_test.go file adds its own.
var misuses []misuse

// TestMisuse runs every row in one folder. It checks the exit code, what the message names, that the
// message is one line without a Go trace, and that no file changed. With -short it runs every fifth
// row.
func TestMisuse(t *testing.T) {
	dir := misuseFiles(t)
	t.Chdir(dir)
	// The same memory limit on every machine.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(8 << 30))
	before := states(t, dir)
	for i, row := range misuses {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(strings.ReplaceAll(row.call, "/", "|"), func(t *testing.T) {
			code, out, errs := command(t, strings.Fields(row.call)...)
			if code != row.code {
				t.Errorf("exit code %d, expected %d\nstderr: %s\nstdout: %.300s", code, row.code, errs, out)
			}
			for _, want := range row.stderr {
				if !strings.Contains(errs, want) {
					t.Errorf("stderr lacks %q: %s", want, errs)
				}
			}
			if strings.Contains(errs, "goroutine ") || strings.Contains(errs, "internal error") {
				t.Errorf("stderr shows a Go trace: %s", errs)
			}
			if n := strings.Count(strings.TrimSpace(errs), "\n"); row.code == 2 && n > 0 {
				t.Errorf("a refused call takes one line, found %d: %s", n+1, errs)
			}
			for _, path := range row.changes {
				if err := os.RemoveAll(path); err != nil {
					t.Error(err)
				}
			}
			if after := states(t, dir); !maps.Equal(before, after) {
				t.Errorf("files changed: before %v, after %v", before, after)
				before = after
			}
		})
	}
}

// states maps every file below dir to its size and the time of its last change.
func states(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[path] = fmt.Sprint(info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// digests maps every path below dir to a hash of its content, or to its kind.
func digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if !d.Type().IsRegular() {
			out[rel] = d.Type().String()
			return nil
		}
		raw, err := os.ReadFile(path)
		sum := sha256.Sum256(raw)
		out[rel] = hex.EncodeToString(sum[:4])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// misuseRun makes one finished run for all rows.
var misuseRun = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "swlab-misuse")
	if err != nil {
		return "", err
	}
	cmd := process("train", "--data", "builtin", "--loss", "sw", "--points", "32", "--batch", "4", "--steps", "0", "--backend", "go", "--out", filepath.Join(dir, "run"))
	return filepath.Join(dir, "run"), cmd.Run()
})

// misuseFiles returns misuseInputs and run/, a finished run of 0 steps on builtin, 32 points, with
// oddRuns.
func misuseFiles(t *testing.T) string {
	t.Helper()
	dir := misuseInputs(t)
	run, err := misuseRun()
	if err != nil {
		t.Fatalf("the run of the fixture: %v", err)
	}
	if err := os.CopyFS(filepath.Join(dir, "run"), os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	oddRuns(t, dir)
	return dir
}

// misuseInputs makes a folder of valid and broken inputs:
//
//	x.npy y.npy       two sets of 2 clouds of 40 points, [2,40,3]
//	one.npy           one cloud, [40,3]
//	plane.npy         2 clouds in the plane, [2,40,2]
//	nan.npy           x with a NaN
//	short.npy         x, truncated
//	text.npy          not an npy file
//	dirs.npy          five directions, [5,3]
//	data/             a folder with points, labels, parts and classes: 14 clouds of 40 points
//	sub/              an empty folder
//	link.npy          a symbolic link to x.npy
//	tri.off odd/      a triangle, and hostile and odd data (oddFiles)
func misuseInputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(folder(t))); err != nil {
		t.Fatal(err)
	}
	values := func(n int, shift float32) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32((i*7919)%101)/101 - 0.5 + shift
		}
		return out
	}
	write := func(name string, v []float32, shape ...int) {
		if err := format.WriteNPY(filepath.Join(dir, name), v, shape...); err != nil {
			t.Fatal(err)
		}
	}
	write("x.npy", values(240, 0), 2, 40, 3)
	write("y.npy", values(240, 0.25), 2, 40, 3)
	write("one.npy", values(120, 0), 40, 3)
	write("plane.npy", values(160, 0), 2, 40, 2)
	write("dirs.npy", []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, 0.8, 0, 0, 0.6, 0.8}, 5, 3)
	bad := values(240, 0)
	bad[100] = float32(math.NaN())
	write("nan.npy", bad, 2, 40, 3)
	raw, err := os.ReadFile(filepath.Join(dir, "x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"short.npy": raw[:len(raw)/2], "text.npy": []byte("not an array\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("x.npy", filepath.Join(dir, "link.npy")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	oddFiles(t, dir)
	return dir
}
