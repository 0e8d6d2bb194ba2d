package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

const squareOFF = "OFF\n4 1 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n4 0 1 2 3\n"

func parse(t *testing.T, extension string, data []byte) *Mesh {
	t.Helper()
	return must.M1(readerOf(extension)("mesh"+extension, data))
}

func wantMesh(t *testing.T, m *Mesh, vertices, triangles, flat int, area float64) {
	t.Helper()
	if len(m.vertices) != vertices || len(m.triangles) != triangles || m.Flat != flat {
		t.Errorf("%d vertices, %d triangles, %d faces without area: expected %d, %d, %d", len(m.vertices), len(m.triangles), m.Flat, vertices, triangles, flat)
	}
	if math.Abs(m.area()-area) > 1e-9*max(1, area) {
		t.Errorf("area %v, expected %v", m.area(), area)
	}
}

func TestOFF(t *testing.T) {
	for name, text := range map[string]string{
		"plain":    squareOFF,
		"glued":    "OFF4 1 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n4 0 1 2 3\n",
		"one line": "OFF 4 1 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n4 0 1 2 3",
		"comments": "# a square\n\nOFF # here\n# counts\n4 1 0\n0 0 0 # first\n2 0 0\n\n2 2 0\n0 2 0\n4 0 1 2 3\n# end\n",
		"colours":  "COFF\r\n4 1 0\r\n0 0 0 255 0 0 255\r\n2 0 0 1 1 1 1\r\n2 2 0 1 1 1 1\r\n0 2 0 1 1 1 1\r\n4 0 1 2 3 0.5 0.5 0.5\r\n",
		"normals":  "NOFF\n4 1\n0 0 0 0 0 1\n2 0 0 0 0 1\n2 2 0 0 0 1\n0 2 0 0 0 1\n4 0 1 2 3\n",
	} {
		t.Run(name, func(t *testing.T) { wantMesh(t, parse(t, ".off", []byte(text)), 4, 2, 0, 4) })
	}
	t.Run("degenerate", func(t *testing.T) {
		m := parse(t, ".off", []byte("OFF\n4 4 0\n0 0 0\n2 0 0\n2 2 0\n1 0 0\n3 0 1 2\n3 0 1 3\n3 0 0 2\n2 0 1\n"))
		wantMesh(t, m, 4, 1, 3, 2)
	})
}

func TestOBJ(t *testing.T) {
	const v = "v 0 0 0\nv 2 0 0\nv 2 2 0 1.0\nv 0 2 0 0.1 0.2 0.3\n"
	for name, text := range map[string]string{
		"plain":     v + "f 1 2 3 4\n",
		"texture":   "mtllib a.mtl\no thing\n" + v + "vt 0 0\nusemtl red\ns off\nf 1/1 2/1 3/1 4/1\n",
		"normal":    v + "vn 0 0 1\nf 1//1 2//1 3//1 4//1\n",
		"all":       v + "vt 0 0\nvn 0 0 1\ng part\nf 1/1/1 2/1/1 3/1/1 4/1/1\n",
		"negative":  v + "f -4 -3 -2 -1\n",
		"before":    "f 1 2 3 4\n" + v,
		"triangles": v + "f 1 2 3\nf 1 3 4\n# end",
		"continued": v + "f 1 2 \\\n 3 \\\n4\n",
	} {
		t.Run(name, func(t *testing.T) { wantMesh(t, parse(t, ".obj", []byte(text)), 4, 2, 0, 4) })
	}
}

// plyBinaryBytes builds a binary PLY square with an extra property and an element to skip.
func plyBinaryBytes(order binary.AppendByteOrder, format string) []byte {
	out := []byte("ply\nformat " + format + " 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty uchar red\nproperty double y\nproperty float z\n" +
		"element camera 1\nproperty list uchar short views\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n")
	for _, p := range [][3]float64{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}} {
		out = order.AppendUint32(out, math.Float32bits(float32(p[0])))
		out = append(out, 255)
		out = order.AppendUint64(out, math.Float64bits(p[1]))
		out = order.AppendUint32(out, math.Float32bits(float32(p[2])))
	}
	out = append(out, 2, 1, 2, 3, 4) // camera: two shorts
	out = append(out, 4)
	for i := range uint32(4) {
		out = order.AppendUint32(out, i)
	}
	return out
}

const plyHead = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
const plySquare = "0 0 0\n2 0 0\n2 2 0\n0 2 0\n"

func TestPLY(t *testing.T) {
	for name, data := range map[string][]byte{
		"ascii":         []byte(plyHead + "element face 1\nproperty list uchar int vertex_index\nend_header\n" + plySquare + "4 0 1 2 3\n"),
		"windows":       []byte(strings.ReplaceAll(plyHead+"element face 1\nproperty list uchar int vertex_index\nend_header\n"+plySquare+"4 0 1 2 3\n", "\n", "\r\n")),
		"faces first":   []byte("ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nelement vertex 4\nproperty float z\nproperty float y\nproperty float x\nend_header\n4 0 1 2 3\n0 0 0\n0 0 2\n0 2 2\n0 2 0\n"),
		"little endian": plyBinaryBytes(binary.LittleEndian, "binary_little_endian"),
		"big endian":    plyBinaryBytes(binary.BigEndian, "binary_big_endian"),
		"strip":         []byte(plyHead + "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" + plySquare + "4 0 1 3 2\n"),
	} {
		t.Run(name, func(t *testing.T) { wantMesh(t, parse(t, ".ply", data), 4, 2, 0, 4) })
	}
	t.Run("strips keep their orientation and restart", func(t *testing.T) {
		// A row of squares as one strip: all normals must point the same way; then a second strip
		// after -1.
		m := parse(t, ".ply", []byte("ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"+
			"element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n2 1 0\n10 0 1 2 3 4 5 -1 0 1 2\n"))
		wantMesh(t, m, 6, 5, 0, 2.5)
		for i, tri := range m.triangles {
			n := m.vertices[tri[1]].Sub(m.vertices[tri[0]]).Cross(m.vertices[tri[2]].Sub(m.vertices[tri[0]]))
			if n.Z >= 0 {
				t.Errorf("triangle %d is turned over", i)
			}
		}
	})
	t.Run("vertices only", func(t *testing.T) {
		m := parse(t, ".ply", []byte(plyHead+"end_header\n"+plySquare))
		if m.faces != 0 || len(m.points()) != 12 {
			t.Errorf("%d faces, points %v", m.faces, m.points())
		}
	})
}

// stlBytes builds a binary STL file of the 2 x 2 square.
func stlBytes(header string) []byte {
	out := make([]byte, 80, 184)
	copy(out, header)
	out = binary.LittleEndian.AppendUint32(out, 2)
	for _, t := range [][9]float32{{0, 0, 0, 2, 0, 0, 2, 2, 0}, {0, 0, 0, 2, 2, 0, 0, 2, 0}} {
		out = append(out, make([]byte, 12)...)
		for _, v := range t {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		out = append(out, 0, 0)
	}
	return out
}

const facet = "facet normal 0 0 1\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\nendfacet\n"

func TestSTL(t *testing.T) {
	text := "solid square\n" + fmt.Sprintf(facet, "0 0 0", "2 0 0", "2 2 0") + "  " + fmt.Sprintf(facet, "0 0 0", "2.0e0 2 0", "0 2 0") + "endsolid square\n"
	for name, data := range map[string][]byte{
		"text": []byte(text), "capitals": []byte("solid\n" + strings.ToUpper(text[13:])), "binary": stlBytes("made by hand"), "binary that says solid": stlBytes("solid thing"),
		"two solids": []byte("solid a\n" + fmt.Sprintf(facet, "0 0 0", "2 0 0", "2 2 0") + "endsolid\nsolid b\n" + fmt.Sprintf(facet, "0 0 0", "2 2 0", "0 2 0") + "endsolid b"),
	} {
		t.Run(name, func(t *testing.T) { wantMesh(t, parse(t, ".stl", data), 6, 2, 0, 4) })
	}
}

// badMeshes are files that must be rejected, with a part of the message.
var badMeshes = map[string][][2]string{
	".off": {
		{"", "empty"}, {"PLY\n", "keyword OFF"}, {"4OFF\n", "keyword OFF"}, {"OFF BINARY\n", "binary"}, {"OFF\n", "the file ends"}, {"OFF\n3\n", "vertices and faces"},
		{"OFF\n-1 0 0\n", "-1"}, {"OFF\nx 0 0\n", `"x"`}, {"OFF\n2000000000000 1 0\n0 0 0\n", "ends after 1"}, {"OFF\n1 1000000000000 0\n0 0 0\n", "ends after 0"},
		{"OFF\n1 0 0\n0 0\n", "mesh.off:3"}, {"OFF\n1 0 0\nnan 0 0\n", "finite"}, {"OFF\n1 0 0\n0 inf 0\n", "finite"}, {"OFF\n1 0 0\n0 1e200 0\n", "float32"},
		{"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "mesh.off:4"}, {"OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "vertex -1"}, {"OFF\n1 1 0\n0 0 0\n4 0 0 0\n", "claims 4"},
		{"OFF\n1 1 0\n0 0 0\n-4 0 0 0\n", "claims -4"}, {squareOFF + "7 7 7\n", "end of the file"},
	},
	".obj": {
		{"v 1 2\n", "mesh.obj:1"}, {"v 1 2 x\n", `"x"`}, {"v 0 0 0\n\nf 1 2\n", "mesh.obj:3"}, {"v 0 0 0\nf 1 1 2\n", "mesh.obj:2"}, {"v 0 0 0\nf 0 1 1\n", "vertex 0"},
		{"v 0 0 0\nf 1 1 -2\n", "vertex -2"}, {"v 0 0 0\nf 1 1 a/b\n", `"a"`}, {"v 0 0 0\nf 1 1 \\\n", "backslash"}, {"v NaN 0 0\n", "finite"}, {"v 0 0 -1e39\n", "float32"}, {"v 0 0 1e999", "finite"},
	},
	".ply": {
		{"", "keyword ply"}, {"ply\nformat ascii 2.0\n", "format NAME 1.0"}, {"ply\nformat utf8 1.0\n", "utf8"}, {"ply\nelement vertex\n", "mesh.ply:2"}, {"ply\nelement vertex -4\n", "-4"},
		{"ply\nproperty float x\n", "before the first"}, {"ply\nelement vertex 1\nproperty half x\n", "half"}, {"ply\nelement vertex 1\nproperty list float int x\n", "whole-number"}, {"ply\nend_header\n", "no format"},
		{"ply\nformat ascii 1.0\n", "inside the header"}, {"ply\nhello\n", "hello"}, {plyHead + "end_header\n0 0 0\n", "row 1 of 4"}, {plyHead + "end_header\n0 0 0\n0 0 x\n", "mesh.ply:9"},
		{plyHead + "end_header\n0 0 nan\n", "finite"}, {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n", `"y" is missing`},
		{strings.Replace(plyHead, "vertex 4", "vertex 2000000000000", 1) + "end_header\n" + plySquare, "row 4 of"},
		{strings.Replace(strings.Replace(plyHead, "vertex 4", "vertex 2000000000000", 1), "ascii", "binary_big_endian", 1) + "end_header\n123456789012", "row 1 of"},
		{plyHead + "element face 1\nproperty list uchar int vertex_indices\nend_header\n" + plySquare + "3 0 1 4\n", "vertex 4"},
		{plyHead + "element face 1\nproperty list int int vertex_indices\nend_header\n" + plySquare + "-3 0 1 4\n", "length -3"},
		{plyHead + "element face 1\nproperty list int int vertex_indices\nend_header\n" + plySquare + "2000000000 0 1 2\n", "the file ends"},
		{plyHead + "element face 1\nproperty list int float vertex_indices\nend_header\n" + plySquare + "3 0 1 1.5\n", "1.5"},
		{plyHead + "element face 1\nproperty int material\nend_header\n" + plySquare + "3\n", "vertex_indices is missing"},
	},
	".stl": {
		{"", "0 bytes"}, {"hello", "5 bytes"}, {"solid a\n" + fmt.Sprintf(facet, "0 0 0", "1 0 0", "0 1 0"), "endsolid"}, {"solid a\nvertex 0 0 0\n", "outside a loop"},
		{"solid a\nouter loop\n" + strings.Repeat("vertex 0 0 0\n", 4) + "endloop\n", "4 vertices"}, {"solid a\nouter loop\nvertex 0 0 0\n", "endsolid"}, {"solid a\nouter loop\nvertex 0 0 inf\n", "finite"}, {"solid a\nbox 1 2\n", "mesh.stl:2"},
		{string(stlBytes("short")[:150]), "found 150"}, {string(append(stlBytes("long"), 0)), "found 185"},
		{string(stlBytes("nan")[:96]) + "\x00\x00\xc0\x7f" + string(stlBytes("nan")[100:]), "byte 96"},
	},
}

func TestBadMeshes(t *testing.T) {
	for extension, cases := range badMeshes {
		for i, c := range cases {
			t.Run(fmt.Sprint(extension[1:], i), func(t *testing.T) {
				wantError(t, failure(readerOf(extension)("mesh"+extension, []byte(c[0]))), "mesh"+extension, c[1])
			})
		}
	}
}

func fuzzMesh(f *testing.F, extension string, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	for _, c := range badMeshes[extension] {
		f.Add([]byte(c[0]))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := readerOf(extension)("fuzz", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz") {
				t.Fatalf("error %q does not name the file", err)
			}
			return
		}
		for _, tri := range m.triangles {
			for _, c := range tri {
				if c < 0 || int(c) >= len(m.vertices) {
					t.Fatalf("triangle %v of %d vertices", tri, len(m.vertices))
				}
			}
		}
		if len(m.triangles) > 0 {
			points, err := m.Sample(8, rng.New(1))
			if err != nil || !finite(points) {
				t.Fatalf("samples %v, %v", points, err)
			}
		}
	})
}

func FuzzOFF(f *testing.F) {
	fuzzMesh(f, ".off", []byte(squareOFF), []byte("OFF490 518 0\n"), []byte("\xca\xcaOFF"))
}
func FuzzOBJ(f *testing.F) {
	fuzzMesh(f, ".obj", []byte("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 1 0\nf 1/1/1 2//1 -2 -1\nf 1 2 \\\n3\n"))
}
func FuzzPLY(f *testing.F) {
	fuzzMesh(f, ".ply", plyBinaryBytes(binary.LittleEndian, "binary_little_endian"), plyBinaryBytes(binary.BigEndian, "binary_big_endian"),
		[]byte(plyHead+"element tristrips 1\nproperty list int int vertex_indices\nend_header\n"+plySquare+"7 0 1 3 -1 0 1 2\n"))
}
func FuzzSTL(f *testing.F) {
	fuzzMesh(f, ".stl", stlBytes("x"), stlBytes("solid"), []byte("solid a\n"+fmt.Sprintf(facet, "0 0 0", "1 0 0", "0 1 0")+"endsolid\n"))
}
