package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

const pcdHead = "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS rgb x y z normal\nSIZE 4 4 8 2 4\nTYPE U F F I F\nCOUNT 1 1 1 1 3\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA "

// pcdColumns are the two points (0, 0.5, 1) and (2, -1, -3) field by field.
func pcdColumns() [2][5][]byte {
	var out [2][5][]byte
	for i, p := range [][3]float64{{0, 0.5, 1}, {2, -1, -3}} {
		out[i] = [5][]byte{
			{255, 0, 0, 0},
			binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(p[0]))),
			binary.LittleEndian.AppendUint64(nil, math.Float64bits(p[1])),
			binary.LittleEndian.AppendUint16(nil, uint16(int16(p[2]))),
			make([]byte, 12),
		}
	}
	return out
}

func pcdBinary() []byte {
	out := []byte(pcdHead + "binary\n")
	for _, point := range pcdColumns() {
		for _, field := range point {
			out = append(out, field...)
		}
	}
	return out
}

// pcdPacked packs the fields one after the other, in runs of up to 32 bytes as they are; the last
// 23 bytes, zeros but for the first, as a repeat that runs into itself.
func pcdPacked() []byte {
	columns := pcdColumns()
	var plain []byte
	for field := range 5 {
		plain = append(append(plain, columns[0][field]...), columns[1][field]...)
	}
	var packed []byte
	literal := plain[:len(plain)-23]
	for len(literal) > 0 {
		n := min(32, len(literal))
		packed = append(append(packed, byte(n-1)), literal[:n]...)
		literal = literal[n:]
	}
	packed = append(packed, 7<<5, 23-9, 0)
	out := []byte(pcdHead + "binary_compressed\n")
	out = binary.LittleEndian.AppendUint32(out, uint32(len(packed)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(plain)))
	return append(out, packed...)
}

func TestPCD(t *testing.T) {
	for name, data := range map[string][]byte{
		"ascii":      []byte(pcdHead + "ascii\n4294901760 0 0.5 1 0 0 1\n0 2 -1 -3 nan nan nan\n"),
		"binary":     pcdBinary(),
		"compressed": pcdPacked(),
		"old":        []byte("VERSION .5\nCOLUMNS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 2\nDATA ascii\n0 0.5 1\n2 -1 -3\n"),
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, ".pcd", data)
			wantMesh(t, m, 2, 0, 0, 0)
			if fmt.Sprint(m.points()) != "[0 0.5 1 2 -1 -3]" {
				t.Errorf("points %v", m.points())
			}
		})
	}
}

func init() {
	head := "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n"
	badMeshes[".xyz"] = [][2]string{{"1 2\n", "mesh.xyz:1"}, {"0 0 0\n\n0 x 0\n", "mesh.xyz:3"}, {"nan 0 0\n", "finite"}, {"0 -inf 0\n", "finite"}, {"0 0 1e39\n", "float32"}, {"2\n0 0 0\n0 0 0", "three coordinates"}}
	badMeshes[".pts"] = [][2]string{{"3\n0 0 0\n0 0 0\n", "expected 3 points"}, {"1\n0 0 0\n0 0 0\n", "found 2"}, {"1000000000000\n0 0 0\n", "found 1"}, {"x\n", `"x"`}, {"-1\n0 0 0\n", "found -1"}, {"1\n0 0\n", "mesh.pts:2"}}
	badMeshes[".pcd"] = [][2]string{
		{"", "ends inside"}, {"ply\n", "PCD header"}, {"VERSION 0.7\nVERSION 0.7\n", "twice"}, {head, "ends inside"}, {head + "DATA ascii\n", "POINTS has 0 entries"}, {head + "POINTS 1\nDATA base64\n", `"base64"`},
		{head + "POINTS -1\nDATA ascii\n", `"-1"`}, {head + "POINTS 1000000000000\nDATA binary\n", "1000000000000"}, {head + "POINTS 2000000000\nDATA binary\n", "2000000000 points of 12 bytes"}, {head + "WIDTH 2\nHEIGHT 3\nPOINTS 5\nDATA ascii\n", "WIDTH times HEIGHT is 6"},
		{head + "WIDTH 2\nPOINTS 5\nDATA ascii\n", "HEIGHT"}, {head + "POINTS 1\nDATA ascii\n0 0\n", "mesh.pcd:7"}, {head + "POINTS 1\nDATA ascii\n0 0 nan\n", "finite"}, {head + "POINTS 2\nDATA ascii\n0 0 1\n", "expected 2 points"},
		{head + "COUNT 1 1\nPOINTS 1\nDATA ascii\n", "COUNT has 2"}, {"FIELDS x y\nSIZE 4 4\nTYPE F F\nPOINTS 1\nDATA ascii\n", "x, y and z"}, {"FIELDS x y z\nSIZE 4 4 3\nTYPE F F F\nPOINTS 1\nDATA ascii\n", "F3"},
		{"FIELDS x y z\nSIZE 4 4 4\nTYPE F F C\nPOINTS 1\nDATA ascii\n", "C4"}, {"FIELDS x y z n\nSIZE 4 4 4 8\nTYPE F F F F\nCOUNT 1 1 1 99999999\nPOINTS 1\nDATA binary\n", "99999999"}, {head + "POINTS 1\nDATA binary\n12345678901", "hold 11 bytes"},
		{head + "POINTS 1\nDATA binary\n\x00\x00\xc0\x7f00000000", "finite"}, {head + "POINTS 1\nDATA binary_compressed\n1234", "sizes"}, {head + "POINTS 1\nDATA binary_compressed\n\xff\xff\xff\x7f\x0c\x00\x00\x00", "compressed bytes"},
		{head + "POINTS 1\nDATA binary_compressed\n\x01\x00\x00\x00\xff\xff\xff\x7f0", "claim 2147483647"}, {head + "POINTS 1\nDATA binary_compressed\n\x01\x00\x00\x00\x0c\x00\x00\x001", "lzf"},
	}
}

func FuzzXYZ(f *testing.F) {
	fuzzMesh(f, ".xyz", []byte("0 0 1\n2 0 0\n"), []byte("0,0,1\n2; 0; 0\n"))
}
func FuzzPTS(f *testing.F) { fuzzMesh(f, ".pts", []byte("2\n0 0 1\n2 0 0\n")) }
func FuzzPCD(f *testing.F) {
	fuzzMesh(f, ".pcd", pcdBinary(), pcdPacked(), []byte(pcdHead+"ascii\n4294901760 0 0.5 1 0 0 1\n0 2 -1 -3 nan nan nan\n"))
}
