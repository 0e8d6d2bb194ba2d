package datasets

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

// sharedData finds a folder of test data beside the repository, or skips.
func sharedData(t *testing.T, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no shared test data at ../shared/%s", strings.Join(parts, "/"))
	}
	return path
}

// tree writes files below a new folder and returns it.
func tree(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "root")
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.M(errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)))
	}
	return dir
}

// cloudNPY is a .npy file of n random clouds of m points.
func cloudNPY(n, m, d int, seed uint64) []byte {
	s := randomSet(n, m, d, seed)
	return floatNPY(fmt.Sprintf("(%d, %d, %d)", n, m, d), s.Coords...)
}

func load(t *testing.T, path string, o Options) *Set {
	t.Helper()
	s := must.M1(Load(path, o))
	must.M(s.Validate())
	return s
}

func wantShape(t *testing.T, s *Set, kind string, n, m, d int) {
	t.Helper()
	if s.Kind != kind || s.Clouds != n || s.Points != m || s.Dim != d {
		t.Fatalf("%s [%d %d %d], expected %s [%d %d %d]", s.Kind, s.Clouds, s.Points, s.Dim, kind, n, m, d)
	}
}

func TestLoadNPY(t *testing.T) {
	path := write(t, "a.npy", cloudNPY(3, 20, 3, 1))
	s := load(t, path, Options{})
	wantShape(t, s, "npy", 3, 20, 3)
	checkNormalized(t, s)
	raw := load(t, path, Options{Raw: true})
	if !slices.Equal(raw.Coords, randomSet(3, 20, 3, 1).Coords) {
		t.Error("Raw must keep the file's coordinates")
	}
	// The subset is taken from the normalised cloud: its points are points of s.
	sub := load(t, path, Options{Points: 5, Seed: 3})
	wantShape(t, sub, "npy", 3, 5, 3)
	for i := range 3 {
		for j := range 5 {
			found := false
			for k := range 20 {
				found = found || slices.Equal(s.Cloud(i)[3*k:3*k+3], sub.Cloud(i)[3*j:3*j+3])
			}
			if !found {
				t.Fatalf("cloud %d: point %d was scaled again", i, j)
			}
		}
	}
	if other := load(t, path, Options{Points: 5, Seed: 4}); slices.Equal(other.Coords, sub.Coords) {
		t.Error("the subset does not depend on the seed")
	}
	wantError(t, failure(Load(path, Options{Points: 21})), "a.npy", "21", "has 20")
	wantError(t, failure(Load(path, Options{Points: -1})), "points", "-1")

	wantShape(t, load(t, write(t, "one.npy", floatNPY("(3, 2)", 0, 0, 1, 0, 0, 1)), Options{}), "npy", 1, 3, 2)
	wantShape(t, load(t, write(t, "line.npy", floatNPY("(3, 1)", 0, 1, 2)), Options{}), "npy", 1, 3, 1)
}

func TestLoadRefusesBadArrays(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"rank 1":    {floatNPY("(3,)", 1, 2, 3), []string{"[points, dim]", "[3]"}},
		"rank 4":    {floatNPY("(1, 1, 1, 2)", 1, 2), []string{"[1 1 1 2]"}},
		"no clouds": {floatNPY("(0, 5, 3)"), []string{"no points"}},
		"no points": {floatNPY("(2, 0, 3)"), []string{"no points"}},
		"nan":       {floatNPY("(2, 2, 1)", 0, 1, 2, nan), []string{"cloud 1", "point 1", "NaN"}},
		"extent":    {floatNPY("(2, 2, 1)", 0, 1, 2, 2), []string{"cloud 1", "zero extent"}},
		"one point": {floatNPY("(1, 3)", 0, 1, 2), []string{"cloud 0", "zero extent"}},
	} {
		_, err := Load(write(t, "bad.npy", c.file), Options{})
		t.Run(name, func(t *testing.T) { wantError(t, err, append(c.want, "bad.npy")...) })
	}
	wantError(t, failure(Load(write(t, "nan.npy", floatNPY("(2, 1)", 0, nan)), Options{Raw: true})), "nan.npy", "NaN")
	wantError(t, failure(Load(write(t, "a.xlsx", nil), Options{})), "a.xlsx", ".npz", ".csv")
	_, err := Load(filepath.Join(t.TempDir(), "none.npy"), Options{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	wantError(t, err, "none.npy")
}

func TestLoadNPZ(t *testing.T) {
	labels := npyBytes(1, npyHeaderFor("|u1", "False", "(2, 1)"), []byte{4, 0})
	path := write(t, "a.npz", zipBytes(t, map[string][]byte{"data.npy": cloudNPY(2, 4, 3, 1), "other.npy": cloudNPY(1, 6, 2, 1), "label.npy": labels}))
	s := load(t, path, Options{})
	wantShape(t, s, "npz", 2, 4, 3)
	if !slices.Equal(s.Labels, []int32{4, 0}) {
		t.Errorf("labels %v", s.Labels)
	}
	wantError(t, failure(Load(path, Options{Key: "other"})), "a.npz", "2 labels for 1 clouds")
	wantError(t, failure(Load(path, Options{Key: "points"})), "data, label, other")
	wantShape(t, load(t, write(t, "b.npz", zipBytes(t, map[string][]byte{"x.npy": cloudNPY(1, 6, 2, 1)})), Options{Key: "x"}), "npz", 1, 6, 2)
}

func TestLoadMesh(t *testing.T) {
	path := write(t, "square.off", []byte(squareOFF))
	s := load(t, path, Options{})
	wantShape(t, s, "mesh", 1, 2048, 3)
	checkNormalized(t, s)
	again := load(t, path, Options{Seed: 0})
	other := load(t, path, Options{Seed: 1})
	if !slices.Equal(s.Coords, again.Coords) || slices.Equal(s.Coords, other.Coords) {
		t.Error("sampling must depend on the seed alone")
	}
	wantShape(t, load(t, path, Options{Points: 5000}), "mesh", 1, 5000, 3)
	raw := load(t, path, Options{Raw: true})
	if sum := raw.Summary(); sum.Max[0] < 1.9 || sum.Max[0] > 2 || sum.Min[0] < 0 {
		t.Errorf("raw extents %v %v", sum.Min, sum.Max)
	}
	// Vertices without faces are a cloud as stored.
	cloud := write(t, "cloud.ply", []byte(squarePLY))
	wantShape(t, load(t, cloud, Options{}), "points", 1, 4, 3)
	wantShape(t, load(t, cloud, Options{Points: 3}), "points", 1, 3, 3)
	wantError(t, failure(Load(cloud, Options{Points: 5})), "cloud.ply", "has 4")
	_, err := Load(write(t, "flat.off", []byte("OFF\n3 1 0\n0 0 0\n1 0 0\n2 0 0\n3 0 1 2\n")), Options{})
	wantError(t, err, "flat.off", "no face with an area")
	wantError(t, failure(Load(write(t, "empty.obj", []byte("# nothing\n")), Options{})), "empty.obj", "empty")
}

func TestLoadPointsFolder(t *testing.T) {
	ints := func(values ...byte) []byte {
		return npyBytes(1, npyHeaderFor("|i1", "False", fmt.Sprintf("(%d,)", len(values))), values)
	}
	files := map[string][]byte{"points.npy": cloudNPY(3, 5, 3, 1), "labels.npy": ints(1, 0, 1), "classes.txt": []byte("cup\r\nbig bowl\r\n\n"),
		"split.npy": ints(0, 1, 0), "unrelated.npy": ints(1), "note.md": nil}
	dir := tree(t, files)
	s := load(t, dir, Options{Points: 4})
	wantShape(t, s, "folder", 3, 4, 3)
	if s.Name != dir || !slices.Equal(s.Labels, []int32{1, 0, 1}) || !slices.Equal(s.Classes, []string{"cup", "big bowl"}) || !slices.Equal(s.Split, []uint8{0, 1, 0}) {
		t.Errorf("found %q %v %v %v", s.Name, s.Labels, s.Classes, s.Split)
	}
	bare := load(t, tree(t, map[string][]byte{"points.npy": files["points.npy"]}), Options{})
	if bare.Labels != nil || bare.Classes != nil || bare.Split != nil {
		t.Error("a bare points.npy has neither labels nor parts")
	}
	for name, c := range map[string]struct {
		file string
		data []byte
		want []string
	}{
		"labels short":    {"labels.npy", ints(1, 0), []string{"labels.npy", "2 labels for 3 clouds"}},
		"labels negative": {"labels.npy", ints(1, 0, 255), []string{"labels.npy", "label -1 of cloud 2"}},
		"labels unnamed":  {"labels.npy", ints(1, 0, 2), []string{"labels.npy", "label 2 of cloud 2", "2 classes"}},
		"labels damaged":  {"labels.npy", []byte("x"), []string{"labels.npy"}},
		"split short":     {"split.npy", ints(1), []string{"split.npy", "1 entries for 3 clouds"}},
		"split value":     {"split.npy", ints(0, 3, 1), []string{"split.npy", "entry 1", "found 3"}},
		"class empty":     {"classes.txt", []byte("a\n\nb\n"), []string{"classes.txt:2"}},
		"points":          {"points.npy", floatNPY("(1,)", 1), []string{"points.npy", "[1]"}},
	} {
		changed := map[string][]byte{}
		for k, v := range files {
			changed[k] = v
		}
		changed[c.file] = c.data
		_, err := Load(tree(t, changed), Options{})
		t.Run(name, func(t *testing.T) { wantError(t, err, c.want...) })
	}
}

func TestLoadMeshFolders(t *testing.T) {
	square := []byte(squareOFF)
	modelnet := tree(t, map[string][]byte{"chair/train/c1.off": square, "chair/test/c2.off": square, "bed/train/b1.off": square, "bed/train/b2.OFF": square, "README.txt": nil, ".hidden/x.off": []byte("no"), "bed/train/.DS_Store": nil})
	s := load(t, modelnet, Options{Points: 100})
	wantShape(t, s, "meshes", 4, 100, 3)
	if !slices.Equal(s.Classes, []string{"bed", "chair"}) || !slices.Equal(s.Labels, []int32{0, 0, 1, 1}) || !slices.Equal(s.Split, []uint8{0, 0, 1, 0}) {
		t.Errorf("found %v %v %v", s.Classes, s.Labels, s.Split)
	}
	checkNormalized(t, s)
	if slices.Equal(s.Cloud(0), s.Cloud(1)) {
		t.Error("equal meshes under different names must get different samples")
	}
	// A file's samples do not depend on the other files.
	alone := load(t, tree(t, map[string][]byte{"chair/test/c2.off": square}), Options{Points: 100})
	if !slices.Equal(alone.Cloud(0), s.Cloud(2)) {
		t.Error("the sample of a file changed with its neighbours")
	}

	flat := load(t, tree(t, map[string][]byte{"a.off": square, "b.obj": []byte("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3")}), Options{})
	wantShape(t, flat, "meshes", 2, 2048, 3)
	if flat.Labels != nil || flat.Classes != nil || flat.Split != nil {
		t.Error("a flat folder has no classes and no parts")
	}
	parts := load(t, tree(t, map[string][]byte{"train/a.off": square, "test/b.off": square}), Options{Points: 10})
	if parts.Labels != nil || !slices.Equal(parts.Split, []uint8{1, 0}) {
		t.Errorf("train and test folders alone: %v %v", parts.Labels, parts.Split)
	}
	outer := load(t, tree(t, map[string][]byte{"train/cup/a.off": square, "test/cup/b.off": square, "test/bowl/c.off": square}), Options{Points: 10})
	if !slices.Equal(outer.Classes, []string{"bowl", "cup"}) || !slices.Equal(outer.Labels, []int32{0, 1, 1}) || !slices.Equal(outer.Split, []uint8{1, 1, 0}) {
		t.Errorf("split/class folders: %v %v %v", outer.Classes, outer.Labels, outer.Split)
	}
	some := load(t, tree(t, map[string][]byte{"x.off": square, "cup/a.off": square}), Options{Points: 10})
	if !slices.Equal(some.Classes, []string{"cup", "root"}) || !slices.Equal(some.Labels, []int32{0, 1}) {
		t.Errorf("files beside class folders: %v %v", some.Classes, some.Labels)
	}
}

func TestLoadMixedFolders(t *testing.T) {
	square := []byte(squareOFF)
	arrays := load(t, tree(t, map[string][]byte{"a.npy": cloudNPY(2, 9, 3, 1), "b.npy": cloudNPY(1, 9, 3, 2)}), Options{})
	wantShape(t, arrays, "folder", 3, 9, 3)
	mixed := load(t, tree(t, map[string][]byte{"a/x.npy": cloudNPY(2, 90, 3, 1), "b/y.off": square, "b/bundle/points.npy": cloudNPY(1, 80, 3, 2), "b/bundle/labels.npy": floatNPY("(1,)", 0)}), Options{Points: 40})
	wantShape(t, mixed, "folder", 4, 40, 3)
	if !slices.Equal(mixed.Labels, []int32{0, 0, 1, 1}) {
		t.Errorf("labels %v", mixed.Labels)
	}
	for name, c := range map[string]struct {
		files map[string][]byte
		want  []string
	}{
		"dimensions": {map[string][]byte{"a.npy": cloudNPY(1, 9, 3, 1), "b.npy": cloudNPY(1, 9, 2, 1)}, []string{"b.npy", "2 coordinates", "a.npy has 3"}},
		"damaged":    {map[string][]byte{"a.off": square, "sub/b.off": []byte("OFF\n1 0\n0 0\n")}, []string{filepath.Join("sub", "b.off") + ":3"}},
		"no clouds":  {map[string][]byte{"a.txt": nil, "sub/b.md": nil}, []string{"root", "no clouds"}},
		"half split": {map[string][]byte{"cup/train/a.off": square, "cup/b.off": square}, []string{"b.off", "train, test or val"}},
		"nan":        {map[string][]byte{"a.npy": floatNPY("(2, 1)", 0, float32(math.NaN()))}, []string{"a.npy", "cloud 0", "NaN"}},
	} {
		_, err := Load(tree(t, c.files), Options{})
		t.Run(name, func(t *testing.T) { wantError(t, err, c.want...) })
	}
}

// TestLoadUnequalSizes: without Points, a folder of files of unequal sizes has as many as the
// smallest, at most 2048, and says so; more than that, asked for, are an error.
func TestLoadUnequalSizes(t *testing.T) {
	list := func(m int) []byte { return []byte(strings.Repeat("0 0 1\n2 0 0\n", m)[:6*m]) }
	for name, c := range map[string]struct {
		files  map[string][]byte
		points int
		fewest string
	}{
		"lists":           {map[string][]byte{"a.xyz": list(6), "b.xyz": list(5), "c/d.xyz": list(7)}, 5, "b.xyz"},
		"two of the same": {map[string][]byte{"a.xyz": list(6), "b.xyz": list(5), "c.xyz": list(5)}, 5, "b.xyz"},
		"arrays":          {map[string][]byte{"a.npy": cloudNPY(1, 9, 3, 1), "b.npy": cloudNPY(2, 8, 3, 1)}, 8, "b.npy"},
		"beside a mesh":   {map[string][]byte{"a.npy": cloudNPY(1, 9, 3, 1), "m.off": []byte(squareOFF)}, 9, "a.npy"},
		"one small":       {map[string][]byte{"a.npy": cloudNPY(1, 2050, 3, 1), "b.xyz": list(6)}, 6, "b.xyz"},
		"all large":       {map[string][]byte{"a.npy": cloudNPY(1, 2049, 3, 1), "b.npy": cloudNPY(1, 2050, 3, 1)}, 2048, ""},
	} {
		dir := tree(t, c.files)
		s := load(t, dir, Options{Raw: true})
		if s.Points != c.points {
			t.Errorf("%s: %d points, expected %d", name, s.Points, c.points)
		}
		switch w := s.Warnings(); {
		case c.fewest == "" && w != nil:
			t.Errorf("%s: %q", name, w)
		case c.fewest != "" && (len(w) != 1 || !strings.Contains(w[0], filepath.Join(dir, c.fewest)) || !strings.Contains(w[0], fmt.Sprintf(" %d points", c.points))):
			t.Errorf("%s: warnings %q, expected one that names %s and %d points", name, w, c.fewest, c.points)
		}
		if asked := load(t, dir, Options{Raw: true, Points: c.points}); asked.Warnings() != nil || !slices.Equal(asked.Coords, s.Coords) {
			t.Errorf("%s: asked for, %d points are others, or %q", name, c.points, asked.Warnings())
		}
		if c.fewest != "" {
			_, err := Load(dir, Options{Raw: true, Points: c.points + 1})
			wantError(t, err, c.fewest, fmt.Sprintf("%d points per cloud were asked for, the file has %d", c.points+1, c.points))
		}
	}
}

// TestBeyondFloat32: readers of arrays say where float32 ends, as those of text do.
func TestBeyondFloat32(t *testing.T) {
	beyond := doubleNPY("(1, 3)", []float64{1e40, 0, 0})
	for name, data := range map[string][]byte{"a.npy": beyond, "a.npz": zipBytes(t, map[string][]byte{"data.npy": beyond})} {
		wantError(t, failure(Load(write(t, name, data), Options{})), name, "3.4e38, the largest of float32")
	}
	_, err := Load(writeH5(t, map[string]h5Data{"data": {[]float32{float32(math.Inf(1)), 0, 0}, []int{1, 3}}}), Options{})
	wantError(t, err, "3.4e38, the largest of float32")
}

func TestLoadFollowsLinksOnce(t *testing.T) {
	dir := tree(t, map[string][]byte{"cup/a.off": []byte(squareOFF)})
	if err := os.Symlink(filepath.Join(dir, "cup"), filepath.Join(dir, "mug")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	must.M(os.Symlink(dir, filepath.Join(dir, "cup", "loop")))
	link := filepath.Join(t.TempDir(), "link")
	must.M(os.Symlink(dir, link))
	s := load(t, link, Options{Points: 10})
	if !slices.Equal(s.Classes, []string{"cup", "mug"}) || s.Clouds != 2 {
		t.Errorf("%d clouds of classes %v", s.Clouds, s.Classes)
	}
}

// FuzzFolder: whatever labels.npy, split.npy and classes.txt hold, the folder is read as a set whose
// fields agree, or not at all.
func FuzzFolder(f *testing.F) {
	dir := f.TempDir()
	must.M(format.WriteNPY(filepath.Join(dir, "points.npy"), []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 2, 2, 3))
	f.Add(floatNPY("(2,)", 0, 1), floatNPY("(2,)", 1, 2), []byte("chair\ntable\n"))
	f.Add([]byte{}, floatNPY("(3,)", 0, 0, 0), []byte("chair\n\n"))
	f.Add(floatNPY("(2,)", -1, 1e30), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, labels, split, classes []byte) {
		for name, content := range map[string][]byte{"labels.npy": labels, "split.npy": split, "classes.txt": classes} {
			path := filepath.Join(dir, name)
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if len(content) > 0 {
				if err := os.WriteFile(path, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		set, err := Load(dir, Options{})
		if err != nil {
			return
		}
		if err := set.Validate(); err != nil {
			t.Error(err)
		}
		if set.Clouds != 2 || len(set.Coords) != 12 {
			t.Errorf("%d clouds, %d numbers", set.Clouds, len(set.Coords))
		}
	})
}
