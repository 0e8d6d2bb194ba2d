package datasets

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"
)

// TestStored: the built-in shapes are the same bit for bit when they are generated, when they are stored, when they are read, and when
// the stored file is damaged or of other shapes.
func TestStored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for _, raw := range []bool{false, true} {
		want := must.M1(Shapes{Points: 5, Raw: raw}.Generate())
		t.Setenv("SWLAB_CACHE", dir)
		check := func(what string) {
			t.Helper()
			if got := must.M1(storedShapes(5, raw)); !reflect.DeepEqual(got, want) {
				t.Errorf("raw %v, %s: the shapes differ", raw, what)
			}
		}
		check("stored")
		files := must.M1(filepath.Glob(filepath.Join(dir, "*")))
		path := files[len(files)-1]
		if !raw && len(files) != 1 || raw && len(files) != 2 {
			t.Fatalf("files: %v", files)
		}
		before := must.M1(os.Stat(path))
		check("read")
		if after := must.M1(os.Stat(path)); !os.SameFile(before, after) {
			t.Error("the file was written again")
		}
		if raw {
			continue
		}
		stored := must.M1(os.ReadFile(path))
		for what, change := range map[string]func([]byte) []byte{
			"damaged":   func(b []byte) []byte { b[len(b)/2]++; return b },
			"too short": func(b []byte) []byte { return b[:len(b)/2] },
			"of other shapes, with a checksum": func([]byte) []byte {
				other := must.M1(Shapes{Points: 5, Raw: raw, Seed: 99}.Generate())
				must.M(os.Remove(path))
				f := must.M1(os.Create(path))
				must.M(other.store(f))
				must.M(f.Close())
				return must.M1(os.ReadFile(path))
			},
		} {
			must.M(os.WriteFile(path, change(append([]byte{}, stored...)), 0o644))
			check(what)
		}
	}
	t.Setenv("SWLAB_CACHE", filepath.Join(must.M1(filepath.Glob(filepath.Join(dir, "*")))[0], "below a file"))
	must.M1(storedShapes(5, false))
}

func BenchmarkStored(b *testing.B) {
	b.Setenv("SWLAB_CACHE", b.TempDir())
	must.M1(Load(Builtin, Options{}))
	for b.Loop() {
		must.M1(Load(Builtin, Options{}))
	}
}

func BenchmarkGenerate(b *testing.B) {
	b.Setenv("SWLAB_CACHE", "")
	for b.Loop() {
		must.M1(Load(Builtin, Options{}))
	}
}
