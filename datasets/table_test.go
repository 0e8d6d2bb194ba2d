package datasets

import (
	"slices"
	"testing"
)

func TestLoadTable(t *testing.T) {
	cloud := []float32{1.5, 0, 1, 2, 0, -1}
	for name, c := range map[string]struct {
		file, text string
		dim        int
		points     []float32
	}{
		"plain":           {"a.csv", "1.5,0,1\n2,0,-1\n", 3, cloud},
		"excel":           {"a.csv", "\ufeff1.5;0;1\r\n2;0;-1\r\n", 3, cloud},
		"tabs":            {"a.csv", "1.5\t0\t1\n2\t0\t-1", 3, cloud},
		"header":          {"a.CSV", "x,y,z\n1.5,0,1\n\n2,0,-1\n", 3, cloud},
		"quoted header":   {"a.csv", "\"X\", \"Y\", \"Z\"\n1.5, 0, 1\n2, 0, -1\n", 3, cloud},
		"among others":    {"a.csv", "label,z,y,x\nchair,1,0,1.5\nchair,-1,0,2\n", 3, cloud},
		"plane":           {"a.csv", "x,y\n1.5,0\n1,2\n0,-1\n", 2, cloud},
		"height":          {"a.csv", "x,y,height\n1.5,0,1\n2,0,-1\n", 3, cloud},
		"no x":            {"a.csv", "y,z\n1.5,0\n1,2\n0,-1\n", 2, cloud},
		"other names":     {"a.csv", "a,b\n1.5,0\n1,2\n0,-1\n", 2, cloud},
		"pandas":          {"a.csv", ",0,1,2\n0,1.5,0,1\n1,2,0,-1\n", 3, cloud},
		"pandas names":    {"a.csv", ",x,y,z\n0,1.5,0,1\n1,2,0,-1\n", 3, cloud},
		"numpy.savetxt":   {"a.txt", "# made by NumPy\n1.5e+00 0.0e+00 1e0\n2.0e+00 0.0e+00 -1.0e+00\n", 3, cloud},
		"text, commas":    {"a.txt", "1.5,0,1\n2,0,-1\n", 3, cloud},
		"four dimensions": {"a.csv", "1,2,3,4\n", 4, []float32{1, 2, 3, 4}},
		"named, in text":  {"a.txt", "x y z nx\n1.5 0 1 0.3\n2 0 -1 0.3\n", 3, cloud},
		"xyz, semicolons": {"a.xyz", "1.5;0;1\n2;0;-1\n", 3, cloud},
		"pts":             {"a.pts", "2\n1.5,0,1\n2,0,-1\n", 3, cloud},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, write(t, c.file, []byte(c.text)), Options{Raw: true})
			wantShape(t, s, "points", 1, len(c.points)/c.dim, c.dim)
			if !slices.Equal(s.Coords, c.points) {
				t.Errorf("points %v, want %v", s.Coords, c.points)
			}
		})
	}
}

func TestLoadTableRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"empty":           {"a.csv", "# nothing\n", []string{"a.csv:1", "empty"}},
		"header alone":    {"a.csv", "x,y,z\n", []string{"a.csv:1", "the file ends"}},
		"short line":      {"a.csv", "1,2,3\n4,5\n", []string{"a.csv:2", "expected 3 columns", "found 2"}},
		"missing value":   {"a.csv", "x,y,z\n4,,6\n", []string{"a.csv:2", "column 2", `""`}},
		"decimal commas":  {"a.csv", "0,5;1,2;3\n", []string{"a.csv:1", `"0,5"`}},
		"pandas' columns": {"a.csv", "0,1,2\n0.5,0.1,0.2\n", []string{"a.csv:1", "header", "0,1,2.0"}},
		"normals":         {"a.txt", "0.1 0.2 0.3 1 0 0\n", []string{"a.txt:1", "6 columns", ".xyz", ".csv"}},
		"decimal, xyz":    {"a.xyz", "0,5 1,2 3,5\n", []string{"a.xyz:1", `"5 1"`}},
		"two, xyz":        {"a.xyz", "0.5,1\n", []string{"a.xyz:1", "three coordinates"}},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, failure(Load(write(t, c.file, []byte(c.text)), Options{})), c.want...)
		})
	}
}

// Formats that in a folder are mostly lists or weights are ignored.
func TestFoldersLeaveTablesAlone(t *testing.T) {
	dir := tree(t, map[string][]byte{"a.npy": cloudNPY(1, 6, 3, 1), "names.txt": []byte("chair\n"), "all.csv": []byte("id,class\n"), "model.pth": {1}})
	wantShape(t, load(t, dir, Options{}), "folder", 1, 6, 3)
}

// numpy.savez(path, points) calls its array arr_0.
func TestOnlyArrayOfAnArchive(t *testing.T) {
	labels := npyBytes(1, npyHeaderFor("|u1", "False", "(2,)"), []byte{4, 0})
	path := write(t, "a.npz", zipBytes(t, map[string][]byte{"arr_0.npy": cloudNPY(2, 6, 3, 1), "labels.npy": labels}))
	s := load(t, path, Options{Raw: true})
	wantShape(t, s, "npz", 2, 6, 3)
	if !slices.Equal(s.Labels, []int32{4, 0}) {
		t.Errorf("labels %v", s.Labels)
	}
	_, err := Load(write(t, "b.npz", zipBytes(t, map[string][]byte{"arr_0.npy": cloudNPY(2, 6, 3, 1), "arr_1.npy": cloudNPY(2, 6, 3, 1)})), Options{})
	wantError(t, err, "b.npz", `an array named "data"`, "found arr_0, arr_1")
}
