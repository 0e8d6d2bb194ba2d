package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// box is an OFF mesh of a box with sides 1, 2 and z.
func box(z int) []byte {
	return fmt.Appendf(nil, `OFF
8 6 0
0 0 0
1 0 0
1 2 0
0 2 0
0 0 %[1]d
1 0 %[1]d
1 2 %[1]d
0 2 %[1]d
4 0 1 2 3
4 4 5 6 7
4 0 1 5 4
4 1 2 6 5
4 2 3 7 6
4 3 0 4 7
`, z)
}

// TestSampleMeshesIsLoad: what is written and loaded again equals the loaded meshes, to the last
// bit.
func TestSampleMeshesIsLoad(t *testing.T) {
	parted, plain, deep := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
	for i := range 67 {
		class, part := []string{"chair", "table"}[i%2], []string{"train", "test", "val"}[i%3]
		parted[fmt.Sprintf("%s/%s/m%03d.off", class, part, i)] = box(i + 1)
		plain[fmt.Sprintf("m%03d.off", i)] = box(i + 1)
		deep[fmt.Sprintf("%s/%d/m.off", class, i)] = box(i + 1)
	}
	plain["notes.txt"] = []byte("no mesh")
	for name, files := range map[string]map[string][]byte{"classes and parts": parted, "neither": plain, "classes": deep} {
		t.Run(name, func(t *testing.T) {
			in := tree(t, files)
			for _, raw := range []bool{false, true} {
				o := Options{Points: 20, Seed: 7, Raw: raw}
				want := load(t, in, o)
				base := t.TempDir()
				calls := 0
				for _, out := range []string{"clouds", "clouds.npy"} {
					out = filepath.Join(base, out)
					sampled, err := SampleMeshes(in, out, o, func(done, total int) {
						if calls++; total != want.Clouds || done > total {
							t.Errorf("progress %d of %d", done, total)
						}
					})
					if err != nil || sampled.Clouds != want.Clouds || sampled.Points != 20 {
						t.Fatalf("%+v, %v", sampled, err)
					}
					got := load(t, out, Options{Raw: true})
					if !slices.Equal(got.Coords, want.Coords) || got.Clouds != want.Clouds || got.Points != 20 {
						t.Errorf("%s raw %v: other clouds than Load's", out, raw)
					}
					if filepath.Ext(out) == ".npy" {
						continue
					}
					if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Classes, want.Classes) || !slices.Equal(got.Split, want.Split) || !slices.Equal(sampled.Classes, want.Classes) {
						t.Errorf("labels %v %v %v, expected %v %v %v", got.Labels, got.Classes, got.Split, want.Labels, want.Classes, want.Split)
					}
					if parts := map[bool][3]int{true: {23, 22, 22}}[want.Split != nil]; sampled.Parts != parts {
						t.Errorf("parts %v, expected %v", sampled.Parts, parts)
					}
				}
				if calls != 2*want.Clouds {
					t.Errorf("%d calls of progress", calls)
				}
				if left, _ := os.ReadDir(base); len(left) != 2 {
					t.Errorf("left behind: %v", left)
				}
			}
		})
	}
}

// TestSampleBuiltin: the procedural shapes as files, with more points than the default set has.
func TestSampleBuiltin(t *testing.T) {
	out := filepath.Join(t.TempDir(), "shapes")
	s, err := SampleMeshes(Builtin, out, Options{Points: 2050, Raw: true}, nil)
	if err != nil || s.Parts != [3]int{1024, 256} || len(s.Classes) != 32 {
		t.Fatalf("%+v, %v", s, err)
	}
	got := load(t, out, Options{Raw: true})
	of, row := 777/40, 777%40
	want, err := Shapes{Raw: true, Classes: ShapeClasses()[of : of+1]}.Generate()
	if err != nil || got.Labels[777] != int32(of) || got.Split[777] != want.Split[row] || !slices.Equal(got.Classes, ShapeClasses()) {
		t.Fatalf("other labels, parts or classes than the set's (%v)", err)
	}
	if got.Points != 2050 || !slices.Equal(got.Cloud(777)[:2048*3], want.Cloud(row)) {
		t.Error("other points than the set's")
	}
}

func TestSampleMeshesErrors(t *testing.T) {
	in := tree(t, map[string][]byte{"a/x.off": box(1), "b/x.off": []byte("OFF\nnonsense"), "c/x.npy": cloudNPY(1, 5, 3, 1)})
	base := t.TempDir()
	out := filepath.Join(base, "new", "out")
	for _, c := range []struct {
		in, out string
		o       Options
		texts   []string
	}{
		{in, out, Options{}, []string{"b/x.off"}},
		{in, out + ".npy", Options{}, []string{"b/x.off"}},
		{filepath.Join(in, "c"), out, Options{}, []string{"no meshes"}},
		{filepath.Join(in, "c", "x.npy"), out, Options{}, []string{"x.npy", "expected a mesh"}},
		{filepath.Join(in, "none"), out, Options{}, []string{"none"}},
		{in, in, Options{}, []string{in, "not empty"}},
		{in, filepath.Join(in, "a", "x.off"), Options{}, []string{"x.off"}},
		{in, out, Options{Points: -1}, []string{"points", "-1"}},
		{"modelnet10", out, Options{}, []string{"swlab data fetch"}},
	} {
		_, err := SampleMeshes(c.in, c.out, c.o, nil)
		wantError(t, err, c.texts...)
		if bad := filepath.Join(in, "b", "x.off"); c.in == in && c.texts[0] == "b/x.off" && !strings.HasPrefix(err.Error(), bad+":") {
			t.Errorf("error %q, expected %s at its beginning", err, bad)
		}
	}
	for _, name := range []string{"*", ".*"} {
		if left, _ := filepath.Glob(filepath.Join(base, "*", name)); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
	one := filepath.Join(in, "a", "x.off")
	must.M(os.MkdirAll(out, 0o755)) // an empty folder may be there
	if s, err := SampleMeshes(one, out, Options{Points: 5}, nil); err != nil || s.Clouds != 1 || s.Classes != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if a, b := load(t, out, Options{Raw: true}), load(t, one, Options{Points: 5}); !slices.Equal(a.Coords, b.Coords) {
		t.Error("one mesh: other points than Load's")
	}
}
