package runs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// content returns what a store finds out about clouds.
func content(t *testing.T, l *Store, d Data) string {
	t.Helper()
	d = must.M1(l.Data(d))
	if d.Content == "" {
		t.Fatalf("%s: no content", d.Path)
	}
	return d.Content
}

// TestContent: equal clouds have equal content at any path. Other points, classes or parts differ,
// also in a file that has changed.
func TestContent(t *testing.T) {
	l := in(t)
	first, second := stored(t, filepath.Join(t.TempDir(), "a"), 1), stored(t, filepath.Join(t.TempDir(), "b"), 1)
	data := Data{Path: first, Split: "train", Points: 32}
	base := content(t, l, data)
	moved, test := data, data.Part("test")
	moved.Path = second
	if content(t, l, moved) != base || content(t, l, test) != base {
		t.Error("equal clouds in another folder, or their test part, have another content")
	}
	if builtin := content(t, l, Data{Path: datasets.Builtin, Points: 32}); builtin != datasets.ShapesVersion {
		t.Errorf("built-in shapes: %s", builtin)
	}
	fewer := data
	fewer.Points = 16
	seen := map[string]string{base: "the folder", content(t, l, fewer): "fewer points"}
	differs := func(what string) {
		t.Helper()
		c := content(t, l, moved)
		if old, ok := seen[c]; ok {
			t.Errorf("%s: not noticed, the content is that of %s", what, old)
		}
		seen[c] = what
	}
	split := make([]int32, 20)
	split[3] = 1
	must.M(format.WriteNPYInts(filepath.Join(second, "split.npy"), split, 20))
	differs("other parts")
	must.M(format.WriteNPYInts(filepath.Join(second, "labels.npy"), split, 20))
	differs("other labels")
	stored(t, second, 2)
	differs("other clouds")
}

// TestContentKept: files are read once; damage to the kept answer only costs another reading.
func TestContentKept(t *testing.T) {
	l := in(t)
	data := Data{Path: stored(t, t.TempDir(), 1), Split: "train", Points: 32}
	base := content(t, l, data)
	files := must.M1(filepath.Glob(filepath.Join(l.Dir, "data", "*.json")))
	if len(files) != 1 {
		t.Fatal(files)
	}
	file := files[0]
	raw := must.M1(os.ReadFile(file))
	must.M(durable.WriteJSON(file, identified{"", "from the store"}))
	if c := content(t, l, data); c != "from the store" {
		t.Errorf("read again: %s", c)
	}
	for what, damaged := range map[string]string{"cut short": string(raw[:len(raw)/2]), "changed": strings.Replace(string(raw), base, "x"+base[1:], 1)} {
		must.M(os.WriteFile(file, []byte(damaged), 0o644))
		if c := content(t, l, data); c != base {
			t.Errorf("%s: %s, was %s", what, c, base)
		}
		if again, err := os.ReadFile(file); err != nil || string(again) != string(raw) {
			t.Errorf("%s: not mended: %s, %v", what, again, err)
		}
	}
}

// TestWrite: a file of the store is complete or unchanged, and the temporary files of killed
// writers are removed.
func TestWrite(t *testing.T) {
	l := &Store{Dir: t.TempDir()}
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error { _, e := io.WriteString(w, s); return errors.Join(e, err) }
	}
	must.M(l.Write("tables/a.txt", text("old", nil)))
	must.M(os.WriteFile(filepath.Join(l.Dir, "tables", ".a.txt.77"), []byte("ha"), 0o644))
	broken := errors.New("broken")
	if err := l.Write("tables/a.txt", text("half", broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
	raw, err := os.ReadFile(filepath.Join(l.Dir, "tables", "a.txt"))
	if left, _ := os.ReadDir(filepath.Join(l.Dir, "tables")); err != nil || string(raw) != "old" || len(left) != 1 {
		t.Errorf("%q, %v, %v", raw, err, left)
	}
}

// TestOpen: parts, classes, a val part out of the train part, and errors that name the data.
func TestOpen(t *testing.T) {
	l := in(t)
	size := func(d Data) int {
		t.Helper()
		set := must.M1(l.Clouds(d))
		if set.Points != d.Points {
			t.Errorf("%s: %d points", d, set.Points)
		}
		return set.Clouds
	}
	chairs := Data{Path: datasets.Builtin, Content: datasets.ShapesVersion, Split: "train", Points: 16, Classes: []string{"chair"}, Train: 40, Test: 7, Val: 0.05}
	if train, val, test := size(chairs), size(chairs.Part("val")), size(chairs.Part("test")); train != 38 || val != 2 || test != 7 {
		t.Errorf("40 chairs and 7 of a test part: %d train, %d val, %d test", train, val, test)
	}
	whole, err := l.Clouds(Data{Path: datasets.Builtin, Content: datasets.ShapesVersion, Split: "train", Points: 16, Classes: []string{"chair"}, Train: 40, Test: 7})
	if err != nil || whole.Clouds != 40 {
		t.Fatalf("%v", err)
	}
	folder := must.M1(l.Data(Data{Path: stored(t, t.TempDir(), 1), Split: "train", Points: 40, Classes: datasets.ShapeClasses()[:2]}))
	if train, test, all := size(folder), size(folder.Part("test")), size(folder.Part("all")); train != 6 || test != 4 || all != 10 {
		t.Errorf("two classes of the folder: %d train, %d test, %d in all", train, test, all)
	}
	if ok, err := l.HasClasses(folder); err != nil || !ok {
		t.Errorf("the folder has classes and parts: %v, %v", ok, err)
	}
	file := filepath.Join(t.TempDir(), "bare.npy")
	must.M(format.WriteNPY(file, whole.Coords, 40, 16, 3))
	bare := must.M1(l.Data(Data{Path: file, Split: "train", Points: 16}))
	if ok, err := l.HasClasses(bare); err != nil || ok || size(bare) != 40 {
		t.Errorf("a bare file has no classes: %v, %v", ok, err)
	}
	held := bare
	held.Val = 0.1
	if train, val := size(held), size(held.Part("val")); train != 36 || val != 4 {
		t.Errorf("a tenth held out of 40 clouds without parts: %d train, %d val", train, val)
	}
	none, unknown := bare, folder
	none.Path, unknown.Classes = filepath.Join(t.TempDir(), "none.npy"), []string{"unicorn"}
	if _, err := l.Data(none); err == nil || !strings.Contains(err.Error(), none.Path) {
		t.Errorf("no such file: %v", err)
	}
	for _, d := range []Data{bare.Part("test"), bare.Part("val"), unknown} {
		if _, err := l.Clouds(d); err == nil || !strings.Contains(err.Error(), d.Path) {
			t.Errorf("%s: the error does not name it: %v", d, err)
		}
	}
}
