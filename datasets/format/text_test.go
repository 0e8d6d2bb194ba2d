package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/janpfeifer/must"
)

const (
	pyramidFaces = "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
	pyramidRows  = "0 0 0\n4 0 0\n0 2 0\n0 0 1\n"
	pyramidOFF   = "OFF\n4 4 6\n" + pyramidRows + pyramidFaces
	pyramidPLY   = plyHead + "element face 4\nproperty list uchar int vertex_indices\nend_header\n" + pyramidRows + pyramidFaces
	sixRows      = "0 0 0\n1 0 0\n0 2 0\n0 0 3\n1 2 3\n-1 -2 -3\n"
	sixPCD       = "VERSION .5\nCOLUMNS x y z\nPOINTS 6\nDATA ascii\n" + sixRows
)

// textSamples are a pyramid of four faces, or six points, in every format that is text.
func textSamples() map[string]string {
	stl := "solid thing\n"
	for _, f := range [][3]string{{"0 0 0", "0 2 0", "4 0 0"}, {"0 0 0", "4 0 0", "0 0 1"}, {"0 0 0", "0 0 1", "0 2 0"}, {"4 0 0", "0 2 0", "0 0 1"}} {
		stl += fmt.Sprintf(facet, f[0], f[1], f[2])
	}
	return map[string]string{
		"a.off": pyramidOFF, "a.ply": pyramidPLY, "a.stl": stl + "endsolid thing\n",
		"a.obj": "v 0 0 0\nv 4 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
		"a.xyz": sixRows, "a.pts": "6\n" + sixRows, "a.txt": sixRows, "a.pcd": sixPCD,
		"a.csv": "x,y,z\n" + strings.ReplaceAll(sixRows, " ", ","), "a.tsv": "x\ty\tz\n" + strings.ReplaceAll(sixRows, " ", "\t"),
	}
}

// describe reads a file and says what is in it.
func describe(name string, data []byte) (string, error) {
	if parse := readerOf(name); parse != nil {
		m, err := parse(name, data)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("points %v, %d triangles of area %.4g, %d of %d faces flat", m.points(), len(m.triangles), m.area(), m.Flat, m.faces), nil
	}
	points, dim, err := parseTable(name, data)
	return fmt.Sprintf("points %v, dim %d", points, dim), err
}

// TestTextOfEveryFormat writes the samples in the ways that programs and systems have.
func TestTextOfEveryFormat(t *testing.T) {
	replace := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	blankLines := replace("\n", "\n\n \t\n")
	for what, change := range map[string]func(text string) string{
		"CR":              replace("\n", "\r"),
		"CRLF":            replace("\n", "\r\n"),
		"mixed line ends": func(text string) string { return strings.Replace(replace("\n", "\r")(text), "\r", "\r\n", 3) },
		"mixed, CR first": func(text string) string { return strings.Replace(replace("\n", "\r\n")(text), "\r\n", "\r", 3) },
		"byte order mark": func(text string) string { return "\ufeff" + text },
		"mark and CR":     func(text string) string { return "\ufeff" + replace("\n", "\r")(text) },
		"blanks":          replace("\n", " \t \n"),
		"tabs":            replace(" ", "\t"),
		"indented":        func(text string) string { return "  " + replace("\n", "\n\t ")(text) },
		"no last end":     func(text string) string { return strings.TrimRight(text, "\n") },
		"blank lines":     func(text string) string { return "\n" + blankLines(text) },
		"upper case":      strings.ToUpper,
		"Fortran":         replace("2 0\n", "0.2D+01 0\n", "2,0\n", "20d-1,0\n", "2\t0\n", "2.D0\t0\n"),
		"plus signs":      replace("2 0\n", "+2.0 0\n", "2,0\n", "+2,0\n", "2\t0\n", "+2\t0\n"),
	} {
		t.Run(what, func(t *testing.T) {
			for name, text := range textSamples() {
				want := must.M1(describe(name, []byte(text)))
				if got, err := describe(name, []byte(change(text))); err != nil || got != want {
					t.Errorf("%s: %s, %v: expected %s", name, got, err, want)
				}
			}
		})
	}
	for name, text := range textSamples() {
		if slices.Contains([]string{"a.ply", "a.stl"}, name) {
			continue // no comments between the lines
		}
		want, _ := describe(name, []byte(text))
		if got, err := describe(name, []byte("# made by hand\r"+strings.ReplaceAll(text, "0\n", "0 # zero\n")+"# end")); err != nil || got != want {
			t.Errorf("%s with comments: %s, %v: expected %s", name, got, err, want)
		}
	}
}

// TestTextRefusedInEveryFormat: what is no number, no UTF-8 or beyond the promised rows is an error
// that names the file and, where there is one, the line.
func TestTextRefusedInEveryFormat(t *testing.T) {
	wide := func(order func(unit uint16) []byte, mark string) func(string) string {
		return func(text string) string {
			out := []byte(mark)
			for _, unit := range utf16.Encode([]rune(text)) {
				out = append(out, order(unit)...)
			}
			return string(out)
		}
	}
	little, big := func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }, func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }
	// number replaces the second coordinate of the point 0 2 0, which every sample has.
	number := func(with string) func(string) string {
		return strings.NewReplacer("0 2 0\n", "0 "+with+" 0\n", "0,2,0\n", "0,"+with+",0\n", "0\t2\t0\n", "0\t"+with+"\t0\n").Replace
	}
	for what, c := range map[string]struct {
		change func(text string) string
		want   string
	}{
		"UTF-16":               {wide(little, "\xff\xfe"), "UTF-16"},
		"UTF-16, big endian":   {wide(big, "\xfe\xff"), "UTF-16"},
		"UTF-16 without marks": {wide(little, ""), "UTF-16"},
		"not a number":         {number("nan"), ":"},
		"infinite":             {number("-inf"), ":"},
		"beyond float64":       {number("1e999"), ":"},
		"beyond float32":       {number("1D39"), "float32"},
		"word":                 {number("two"), `"two"`},
	} {
		t.Run(what, func(t *testing.T) {
			for name, text := range textSamples() {
				wantError(t, failure(describe(name, []byte(c.change(text)))), name, c.want)
			}
		})
	}
	for name, text := range textSamples() {
		_, err := describe(name, []byte(number(`2,5`)(text)))
		if name == "a.csv" {
			wantError(t, err, "a.csv:4", "3 columns", "found 4")
		} else if name != "a.xyz" && name != "a.pts" && name != "a.txt" { // there "0 2,5 0" is "0 2" and "5 0"
			wantError(t, err, name, "a point, not a comma")
		}
	}
}

func TestTextReads(t *testing.T) {
	for what, c := range map[string]struct{ file, text, same string }{
		"OFF, a number per line":     {"a.off", "OFF\n" + strings.ReplaceAll("4 4 6\n"+pyramidRows+pyramidFaces, " ", "\n"), pyramidOFF},
		"OFF, counts per line":       {"a.off", "off\n4\n4\n6\n" + pyramidRows + pyramidFaces, pyramidOFF},
		"OFF, two numbers per line":  {"a.off", "OFF\n4 4 6\n0 0\n0 4\n0 0\n0 2\n0 0\n0 1\n" + pyramidFaces, pyramidOFF},
		"OFF, one line":              {"a.off", strings.ReplaceAll(pyramidOFF, "\n", " "), pyramidOFF},
		"OFF, vertices on one line":  {"a.off", "OFF 4 4\n" + strings.ReplaceAll(pyramidRows, "\n", " ") + "\n" + pyramidFaces, pyramidOFF},
		"OFF, wrapped face":          {"a.off", "OFF\n4 4 6\n" + pyramidRows + strings.Replace(pyramidFaces, "3 0 3 2", "3 0\n3 2", 1), pyramidOFF},
		"OFF, coloured":              {"a.off", "OFF\n4 4 6\n" + strings.ReplaceAll(pyramidRows, "\n", " 9 9 9\n") + strings.ReplaceAll(pyramidFaces, "\n", " 0.5 0.5 0.5\n"), pyramidOFF},
		"COFF, three colours":        {"a.off", "coff\n4 4 6\n" + strings.ReplaceAll(pyramidRows, "\n", " 9 9 9\n") + pyramidFaces, pyramidOFF},
		"NOFF, normals on own lines": {"a.off", "NOff\n4 4 6\n" + strings.ReplaceAll(pyramidRows, "\n", "\n0 0 1\n") + strings.ReplaceAll(pyramidFaces, "\n", " 1 1 1\n"), pyramidOFF},
		"STCNOFF, a number per line": {"a.off", "STCNOFF\n" + strings.ReplaceAll("4 4 6\n"+strings.ReplaceAll(pyramidRows, "\n", " 0 0 1 1 1 1 1 0.5 0.5\n")+pyramidFaces, " ", "\n"), pyramidOFF},
		"PLY, a number per line":     {"a.ply", plyHead + "end_header\n" + strings.ReplaceAll(pyramidRows, " ", "\n"), plyHead + "end_header\n" + pyramidRows},
		"STL, a word per line":       {"a.stl", "solid\n" + strings.ReplaceAll(fmt.Sprintf(facet, "0 0 0", "4 0 0", "0 2 0"), " ", "\n") + "endsolid", "solid\n" + fmt.Sprintf(facet, "0 0 0", "4 0 0", "0 2 0") + "endsolid"},
		"STL, no normal":             {"a.stl", "solid\n" + strings.ReplaceAll(fmt.Sprintf(facet, "0 0 0", "4 0 0", "0 2 0"), "facet normal 0 0 1", "facet") + "endsolid", "solid\n" + fmt.Sprintf(facet, "0 0 0", "4 0 0", "0 2 0") + "endsolid"},
		"PCD, size without type":     {"a.pcd", strings.Replace(sixPCD, "POINTS", "SIZE 8 8 8\nPOINTS", 1), sixPCD},
		"PCD, width and height":      {"a.pcd", strings.Replace(sixPCD, "POINTS 6", "WIDTH 3\nHEIGHT 2", 1), sixPCD},
		"PCD, other columns":         {"a.pcd", "fields a z y x\ncount 1 1 1 1\npoints 2\ndata ASCII\nnan 3 2 1\n0 6 5 4\n", "FIELDS x y z\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 6\n"},
		"CSV in quotes":              {"a.csv", "\"x\",\"y\",\"z\"\n\"0.5\",\"1\",\" 2\"\n\"3\", 4 ,\"-5\"\n", "0.5,1,2\n3,4,-5\n"},
		"CSV in quotes, semicolons":  {"a.csv", "\"x, m\";\"y; m\";\"z\"\n\"0\";1.5;\"2\"\n", "0,1.5,2\n"},
		"quotes without a header":    {"a.csv", "\"0.0\",\"1\",\"2\"\n", "0.0,1,2\n"},
		"quotes and tabs":            {"a.tsv", "\"0.5\"\t\"1\"\t\"2\"\n", "0.5,1,2\n"},
		"quotes in text":             {"a.txt", "\"0.5\" \"1\" \"2\"\n", "0.5 1 2\n"},
		"XYZ, columns named":         {"a.xyz", "//X Y Z R\n0 1 2 3\n", "0 1 2\n"},
		"text, columns named":        {"a.txt", "//X Y Z R\n0.5 1 2 3\n", "0.5 1 2\n"},
		"XYZ, more columns":          {"a.xyz", "# x y z red\r\n 0 0 1 255 0\r\n\r\n2\t0 0 0 255 # last\r\n", "0 0 1\n2 0 0"},
		"PTS, more columns":          {"a.pts", "2\n0 0 1 17\n2 0 0 -3\n", "0 0 1\n2 0 0"},
		"quotes in XYZ":              {"a.xyz", "\"0\",\"1\",\"2\",\"red, dark\"\n", "0 1 2\n"},
		"CSV, CR and a mark":         {"a.csv", "\ufeff\"x\";\"y\"\r\"0\";\"1\"\r", "x,y\n0,1\n"},
	} {
		t.Run(what, func(t *testing.T) {
			want := must.M1(describe(c.file, []byte(c.same)))
			if got, err := describe(c.file, []byte(c.text)); err != nil || got != want {
				t.Errorf("%s, %v: expected %s", got, err, want)
			}
		})
	}
}

// TestRowsAndFaces: more or fewer rows than promised are errors, and faces of fewer than three
// corners are counted and left out, in every format.
func TestRowsAndFaces(t *testing.T) {
	sixPLY := strings.Replace(plyHead, "vertex 4", "vertex 6", 1) + "end_header\n"
	binary := strings.Replace(sixPLY, "ascii", "binary_little_endian", 1) + strings.Repeat("\x00\x00\x80\x3f", 18)
	binaryPCD := "FIELDS x y z\nPOINTS 2\nDATA binary\n" + strings.Repeat("\x00\x00\x80\x3f", 6)
	for what, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"OFF, more faces":      {"a.off", pyramidOFF + "3 0 1 2\n", []string{"a.off:11", "after 4 vertices and 4 faces", `"3"`}},
		"OFF, more vertices":   {"a.off", strings.Replace(pyramidOFF, "0 0 1\n", "0 0 1\n1 1 1\n", 1), []string{"a.off:", "9 lines for 4 vertices and 4 faces"}},
		"OFF, fewer vertices":  {"a.off", strings.Replace(pyramidOFF, "0 0 1\n", "", 1), []string{"a.off:", "7 lines for 4 vertices and 4 faces"}},
		"OFF, fewer faces":     {"a.off", strings.Replace(pyramidOFF, "3 1 2 3\n", "", 1), []string{"a.off:9", "expected 4 faces, the file ends after 3"}},
		"OFF, n dimensions":    {"a.off", strings.Replace(pyramidOFF, "OFF\n", "nOFF\n3\n", 1), []string{"nOFF"}},
		"OFF, binary":          {"a.off", "off binary\n\x00\x00", []string{"binary"}},
		"PLY, more rows":       {"a.ply", sixPLY + sixRows + "7 7 7\n", []string{"a.ply:14", "end of the file", `"7"`}},
		"PLY, more faces":      {"a.ply", pyramidPLY + "3 0 1 2\n", []string{"a.ply:18", "end of the file"}},
		"PLY, a column more":   {"a.ply", sixPLY + strings.ReplaceAll(sixRows, "\n", " 1\n"), []string{"a.ply:12", "row 5 of 6", "a line of its own"}},
		"PLY, fewer vertices":  {"a.ply", strings.Replace(pyramidPLY, "0 0 1\n", "", 1), []string{"a.ply:13", "element vertex", "row 3 of 4", "a line of its own"}},
		"PLY, fewer rows":      {"a.ply", sixPLY + "0 0 0\n", []string{"row 1 of 6", "the file ends"}},
		"PLY, binary":          {"a.ply", binary + strings.Repeat("\x00", 12), []string{"a.ply: byte 187", "12 more bytes"}},
		"PLY, binary, short":   {"a.ply", binary[:len(binary)-1], []string{"a.ply: byte", "row 5 of 6"}},
		"PTS":                  {"a.pts", "5\n" + sixRows, []string{"expected 5 points", "found 6"}},
		"PTS, fewer":           {"a.pts", "7\n" + sixRows, []string{"expected 7 points", "found 6"}},
		"PCD":                  {"a.pcd", sixPCD + "7 7 7\n", []string{"expected 6 points, found 7"}},
		"PCD, fewer":           {"a.pcd", strings.Replace(sixPCD, "0 2 0\n", "", 1), []string{"expected 6 points, found 5"}},
		"PCD, binary":          {"a.pcd", binaryPCD + "\x00\x00\x80\x3f", []string{"a.pcd: byte 58", "after 2 points, found 4 more bytes"}},
		"PCD, type and size":   {"a.pcd", strings.Replace(sixPCD, "POINTS", "TYPE U U U\nSIZE 3 4 4\nPOINTS", 1), []string{`"U3"`}},
		"STL, two bytes more":  {"a.stl", string(stlBytes("solid thing")) + "\x01\x02", []string{"2 triangles has 184 bytes, found 186"}},
		"STL, cut off":         {"a.stl", string(stlBytes("solid thing")[:180]), []string{"2 triangles has 184 bytes, found 180"}},
		"OBJ, corner":          {"a.obj", "v 0 0 0\nf 1 2\n", []string{"a.obj:2", "vertex 1: there are 1"}},
		"OFF, corner":          {"a.off", strings.Replace(pyramidOFF, "3 1 2 3", "3 1 2 4", 1), []string{"a.off:10", "vertex 4: there are 4"}},
		"PLY, corner":          {"a.ply", strings.Replace(pyramidPLY, "3 0 1 3", "3 0 1 4", 1), []string{"a.ply:15", "vertex 4: there are 4"}},
		"CSV, quotes not shut": {"a.csv", "1,2\n\"1,2\n", []string{"a.csv:2", "expected 2 columns"}},
		"CSV, decimal commas":  {"a.csv", "x;y;z\n\"0,5\";1;2\n", []string{"a.csv:2", "column 1", `"0,5"`, "a point, not a comma"}},
		"text, decimal commas": {"a.txt", "1,5 2,5 3,5\n2,5 3,5 1,5\n", []string{"a.txt:1", `"5 2"`, "a point, not a comma"}},
		"TSV, decimal commas":  {"a.tsv", "0,5\t1,5\n", []string{"a.tsv:1", "a point, not a comma"}},
	} {
		t.Run(what, func(t *testing.T) {
			wantError(t, failure(describe(c.file, []byte(c.text))), c.want...)
		})
	}
	for name, text := range map[string]string{
		"a.off": strings.Replace(pyramidOFF, "4 4 6", "4 6 6", 1) + "2 0 1\n1 0\n",
		"a.obj": textSamples()["a.obj"] + "f 1 2\nf -1/3\n",
		"a.ply": strings.Replace(pyramidPLY, "face 4", "face 6", 1) + "2 0 1\n0\n",
		"a.stl": textSamples()["a.stl"] + "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 1 1\nendloop\nendfacet\nfacet\nouter loop\nendloop\nendfacet\nendsolid\n",
	} {
		m := parse(t, filepath.Ext(name), []byte(text))
		if len(m.triangles) != 4 || m.Flat != 2 || m.faces != 6 {
			t.Errorf("%s: %d triangles, %d of %d faces without area: expected 4, 2 of 6", name, len(m.triangles), m.Flat, m.faces)
		}
	}
}

// TestNoRowGoesUnnoticed: whatever numbers a row too many has, and whichever row is missing, the rows
// after it do not make up for it.
func TestNoRowGoesUnnoticed(t *testing.T) {
	for _, sample := range []struct{ file, head, vertices, faces string }{
		{"a.off", "OFF\n4 4 6\n", pyramidRows, pyramidFaces},
		{"a.off", "OFF\n4 4 6\n", pyramidRows, strings.ReplaceAll(pyramidFaces, "\n", " 0 0 0\n")},
		{"a.ply", strings.TrimSuffix(pyramidPLY, pyramidRows+pyramidFaces), pyramidRows, pyramidFaces},
	} {
		rows := strings.SplitAfter(sample.vertices+sample.faces, "\n")
		rows = rows[:len(rows)-1]
		try := func(rows ...string) {
			t.Helper()
			if _, err := describe(sample.file, []byte(sample.head+strings.Join(rows, ""))); err == nil {
				t.Errorf("%s was read with the rows %q", sample.file, rows)
			}
		}
		for at := range len(rows) + 1 {
			for n := range 6 * 6 * 6 {
				try(slices.Insert(slices.Clone(rows), at, fmt.Sprintf("%d %d %d\n", n/36, n/6%6, n%6))...)
			}
			try(slices.Insert(slices.Clone(rows), at, rows[len(rows)-1])...)
			if at < len(rows) {
				try(slices.Delete(slices.Clone(rows), at, at+1)...)
			}
		}
	}
}

// TestBinaryBodies: the header may end in any line end, the first number may begin with the byte of
// a line end, and line ends may follow the last number.
func TestBinaryBodies(t *testing.T) {
	body := "\n\n\x80\x3f\r\n\x00\x40\x00\x00\x40\x40"
	for name, head := range map[string]string{
		"a.ply": "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
		"a.pcd": "VERSION .7\nFIELDS x y z\nPOINTS 1\nDATA binary\n",
	} {
		want := ""
		for _, end := range []string{"\n", "\r\n", "\r"} {
			for _, mark := range []string{"", "\ufeff"} {
				for _, after := range []string{"", "\n", "\r\n"} {
					got, err := describe(name, []byte(mark+strings.ReplaceAll(head, "\n", end)+body+after))
					if want == "" {
						want = got
					}
					if err != nil || got != want {
						t.Errorf("%s with %q, %q: %s, %v: expected %s", name, end, after, got, err, want)
					}
				}
			}
		}
		if !strings.Contains(want, "points [1.00") {
			t.Errorf("%s: %s", name, want)
		}
	}
	for _, end := range []string{"\n", "\r\n"} {
		wantMesh(t, parse(t, ".stl", append(stlBytes("solid thing"), end...)), 6, 2, 0, 4)
	}
}
