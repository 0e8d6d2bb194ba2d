package format

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"pgregory.net/rapid"
)

// npyBytes builds a .npy file by hand.
func npyBytes(version byte, header string, body []byte) []byte {
	out := append([]byte(npyMagic), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(header)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	}
	return append(append(out, header...), body...)
}

func npyHeaderFor(descr string, fortran string, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, fortran, shape)
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.M(os.WriteFile(path, data, 0o600))
	return path
}

func TestNPYRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(rt, "shape")
		n, _ := Product(shape...)
		data := rapid.SliceOfN(rapid.Float32(), n, n).Draw(rt, "data")
		path := filepath.Join(dir, "a.npy")
		must.M(WriteNPY(path, data, shape...))
		got, gotShape := must.M2(ReadNPY(path))
		if !slices.Equal(gotShape, shape) || !slices.Equal(got, data) {
			rt.Fatalf("wrote %v %v, read %v %v", shape, data, gotShape, got)
		}
	})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("temporary files were left: %v %v", entries, err)
	}
}

func TestNPYHeaderIsAlignedAndExact(t *testing.T) {
	// The text NumPy 2 writes for the same arrays.
	for shape, want := range map[string]string{
		"[]":      "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
		"[7]":     "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }",
		"[2 3 4]": "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }",
	} {
		var sizes []int
		for _, f := range strings.Fields(strings.Trim(shape, "[]")) {
			n := 0
			fmt.Sscan(f, &n)
			sizes = append(sizes, n)
		}
		text := npyHeaderText("<f4", sizes)
		if len(text)%64 != 0 || !strings.HasSuffix(text, "\n") || strings.TrimRight(text[10:], " \n") != want {
			t.Errorf("shape %s: %q", shape, text)
		}
	}
}

func TestReadNPYTypes(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	for _, c := range []struct {
		descr string
		body  []byte
		want  []float32
	}{
		{"<f4", le.AppendUint32(nil, math.Float32bits(-1.5)), []float32{-1.5}},
		{">f4", be.AppendUint32(nil, math.Float32bits(-1.5)), []float32{-1.5}},
		{"<f8", le.AppendUint64(nil, math.Float64bits(0.1)), []float32{0.1}},
		{">f8", be.AppendUint64(nil, math.Float64bits(1e300)), []float32{float32(math.Inf(1))}},
		{"<f2", []byte{0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b, 0x00, 0x7c}, []float32{1, -2, float32(math.Ldexp(1, -24)), 65504, float32(math.Inf(1))}},
		{"|i1", []byte{0x80, 0x7f}, []float32{-128, 127}},
		{"<i2", []byte{0xfe, 0xff}, []float32{-2}},
		{">i4", be.AppendUint32(nil, math.MaxUint32), []float32{-1}},
		{"<i8", le.AppendUint64(nil, 5), []float32{5}},
		{"|u1", []byte{0x80}, []float32{128}},
		{">u2", []byte{1, 0}, []float32{256}},
		{"<u8", le.AppendUint64(nil, 1<<63), []float32{1 << 63}},
		{"|b1", []byte{0, 1, 2}, []float32{0, 1, 1}},
		{"?", []byte{1}, []float32{1}},
	} {
		for _, version := range []byte{1, 2, 3} {
			path := write(t, "a.npy", npyBytes(version, npyHeaderFor(c.descr, "False", fmt.Sprintf("(%d,)", len(c.want))), c.body))
			got, _, err := ReadNPY(path)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s, version %d: found %v %v, expected %v", c.descr, version, got, err, c.want)
			}
		}
	}
	for descr, v := range map[string]uint64{"<i8": 1<<53 + 1, "<u8": 1<<64 - 1} {
		body := le.AppendUint64(nil, v)
		if _, _, err := ReadNPY(write(t, "a.npy", npyBytes(1, npyHeaderFor(descr, "False", "(1,)"), body))); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("exactly, found %d", v)) {
			t.Errorf("%d as %s: %v", v, descr, err)
		}
	}
	path := write(t, "nan.npy", npyBytes(1, npyHeaderFor("<f2", "False", "(1,)"), []byte{0x00, 0x7e}))
	if got, _, err := ReadNPY(path); err != nil || len(got) != 1 || got[0] == got[0] {
		t.Errorf("half NaN: %v %v", got, err)
	}
}

func TestReadNPYFortranOrder(t *testing.T) {
	// numpy.asfortranarray(arange(24).reshape(2, 3, 4)): the first axis runs fastest.
	var body []byte
	for k := range 4 {
		for j := range 3 {
			for i := range 2 {
				body = append(body, byte(12*i+4*j+k))
			}
		}
	}
	got, shape, err := ReadNPY(write(t, "f.npy", npyBytes(1, npyHeaderFor("|u1", "True", "(2, 3, 4)"), body)))
	if err != nil || !slices.Equal(shape, []int{2, 3, 4}) {
		t.Fatal(shape, err)
	}
	for i, v := range got {
		if int(v) != i {
			t.Fatalf("entry %d is %v", i, v)
		}
	}
}

func TestReadNPYInts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.npy")
	must.M(WriteNPYInts(path, []int32{-3, 0, 7}, 3, 1))
	got, shape, err := ReadNPYInts(path)
	if err != nil || !slices.Equal(got, []int64{-3, 0, 7}) || !slices.Equal(shape, []int{3, 1}) {
		t.Errorf("found %v %v %v", got, shape, err)
	}
	_, _, err = ReadNPYInts(write(t, "f.npy", npyBytes(1, npyHeaderFor("<f4", "False", "(1,)"), binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.5)))))
	wantError(t, err, "f.npy", "entry 0", "whole number", "0.5")
	_, _, err = ReadNPYInts(write(t, "u.npy", npyBytes(1, npyHeaderFor("<u8", "False", "(1,)"), binary.LittleEndian.AppendUint64(nil, 1<<63))))
	wantError(t, err, "does not fit")
}

// hostileHeaders are headers that promise data that is missing.
var hostileHeaders = map[string][2]string{
	"huge":       {npyHeaderFor("<f4", "False", "(1000000000000, 2048, 3)"), "needs"},
	"overflow":   {npyHeaderFor("<f8", "False", "(4611686018427387904, 4, 4)"), "needs"},
	"too big":    {npyHeaderFor("<f4", "False", "(99999999999999999999,)"), "size"},
	"negative":   {npyHeaderFor("<f4", "False", "(-1, 3)"), "(-1, 3)"},
	"short":      {npyHeaderFor("<f4", "False", "(3, 1)"), "found 8"},
	"trailing":   {npyHeaderFor("<f4", "False", "(1,)"), "found 8"},
	"structured": {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}", "structured"},
	"object":     {npyHeaderFor("|O", "False", "(2,)"), "|O"},
	"complex":    {npyHeaderFor("<c8", "False", "(1,)"), "<c8"},
	"no shape":   {"{'descr': '<f4', 'fortran_order': False}", "shape"},
	"twice":      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "twice"},
	"unknown":    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "'x': 1"},
	"order":      {npyHeaderFor("<f4", "Maybe", "(2,)"), "Maybe"},
	"list":       {npyHeaderFor("<f4", "False", "[2]"), "[2]"},
	"open":       {"{'descr': '<f4", "expected {"},
	"no dict":    {"import os", "expected {"},
	"tail":       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", "expected {"},
}

func TestReadNPYRefusesHostileHeaders(t *testing.T) {
	for name, c := range hostileHeaders {
		path := write(t, "bad.npy", npyBytes(1, c[0], make([]byte, 8)))
		_, _, err := ReadNPY(path)
		t.Run(name, func(t *testing.T) { wantError(t, err, "bad.npy", "npy", c[1]) })
	}
	for name, data := range map[string][]byte{
		"empty": nil, "magic": []byte("PK\x03\x04 and more of it"), "version": append([]byte(npyMagic), 9, 0, 0, 0, 0, 0),
		"cut": npyBytes(1, "{'descr'", nil)[:15], "long": append([]byte(npyMagic), 2, 0, 255, 255, 255, 255, 1),
	} {
		_, _, err := ReadNPY(write(t, "bad.npy", data))
		t.Run(name, func(t *testing.T) { wantError(t, err, "bad.npy", "npy:") })
	}
	wantError(t, failure2(ReadNPY(t.TempDir())), "a folder")
	_, _, err := ReadNPY(filepath.Join(t.TempDir(), "none.npy"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// zipBytes builds a compressed archive.
func zipBytes(t testing.TB, entries map[string][]byte) []byte {
	return archive(t, zip.Deflate, entries)
}

func archive(t testing.TB, method uint16, entries map[string][]byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range entries {
		must.M1(must.M1(z.CreateHeader(&zip.FileHeader{Name: name, Method: method})).Write(data))
	}
	must.M(z.Close())
	return out.Bytes()
}

func floatNPY(shape string, values ...float32) []byte {
	var body []byte
	for _, v := range values {
		body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
	}
	return npyBytes(1, npyHeaderFor("<f4", "False", shape), body)
}

// readArray reads one array of an archive as float32.
func readArray(path, key string) ([]float32, []int, error) {
	a, _, err := readNPZ(path, key)
	return a.float32s(), a.Shape, err
}

func TestReadNPZ(t *testing.T) {
	path := write(t, "a.npz", zipBytes(t, map[string][]byte{"data.npy": floatNPY("(2, 1)", 3, 4), "arr_0.npy": floatNPY("(1,)", 5), "note.txt": nil}))
	got, shape, err := readArray(path, "data")
	if err != nil || !slices.Equal(got, []float32{3, 4}) || !slices.Equal(shape, []int{2, 1}) {
		t.Errorf("found %v %v %v", got, shape, err)
	}
	wantError(t, failure2(readArray(path, "points")), "a.npz", `"points"`, "arr_0, data")
	wantError(t, failure2(readArray(write(t, "x.npz", []byte("no archive")), "data")), "x.npz", "zip")
	_, _, err = readArray(filepath.Join(t.TempDir(), "none.npz"), "data")
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	// A flipped bit in stored data is found by the archive's checksum.
	data := zipBytes(t, map[string][]byte{"data.npy": floatNPY("(64,)", make([]float32, 64)...)})
	raw := archive(t, zip.Store, map[string][]byte{"data.npy": floatNPY("(2,)", 1, 2)})
	raw[bytes.Index(raw, []byte{0, 0, 0x80, 0x3f})]++
	wantError(t, failure2(readArray(write(t, "flip.npz", raw), "data")), "flip.npz", "checksum")
	wantError(t, failure2(readArray(write(t, "cut.npz", data[:len(data)-30]), "data")), "cut.npz")
}

func TestHostileHeadersDoNotAllocate(t *testing.T) {
	huge := npyBytes(1, npyHeaderFor("<f4", "False", "(15000000, 3)"), make([]byte, 64))
	npy := write(t, "huge.npy", huge)
	// The archive's directory claims the size that the header needs; then one beyond any plausible
	// compression.
	archive := zipBytes(t, map[string][]byte{"data.npy": huge})
	claim := archive[bytes.LastIndex(archive, []byte("PK\x01\x02"))+24:]
	binary.LittleEndian.PutUint32(claim, uint32(len(huge)-64+15000000*3*4))
	npz := write(t, "huge.npz", archive)
	binary.LittleEndian.PutUint32(claim, 3000000000)
	bomb := write(t, "bomb.npz", archive)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	wantError(t, failure2(ReadNPY(npy)), "needs 1.8e+08 bytes")
	wantError(t, failure2(readArray(npz, "data")), "huge.npz", "the data ends")
	wantError(t, failure2(readArray(bomb, "data")), "bomb.npz", "data.npy", "unpack to 3000000000", "shrink")
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("allocated %d MiB for files of 200 bytes", grown>>20)
	}
}

func TestNPZRefusesNamesTwice(t *testing.T) {
	one := zipBytes(t, map[string][]byte{"data.npy": floatNPY("(1,)", 1), "dato.npy": floatNPY("(1,)", 2)})
	_, _, err := readArray(write(t, "twice.npz", bytes.ReplaceAll(one, []byte("dato.npy"), []byte("data.npy"))), "data")
	wantError(t, err, "twice.npz", `"data.npy" occurs twice`)
}

func TestNPZRefusesNamesThatLeadOut(t *testing.T) {
	for _, name := range []string{"../data.npy", "/data.npy", "a/../../data.npy", `..\data.npy`} {
		_, _, err := readArray(write(t, "out.npz", zipBytes(t, map[string][]byte{name: floatNPY("(1,)", 1)})), "data")
		wantError(t, err, "out.npz", "name inside the archive")
	}
	got, _, err := readArray(write(t, "in.npz", zipBytes(t, map[string][]byte{"model/data.npy": floatNPY("(1,)", 1)})), "model/data")
	if err != nil || got[0] != 1 {
		t.Errorf("a name with a folder: %v %v", got, err)
	}
}

func FuzzNPY(f *testing.F) {
	f.Add(floatNPY("(2, 3)", 1, 2, 3, 4, 5, 6))
	f.Add(npyBytes(2, npyHeaderFor(">i2", "True", "(2, 2)"), make([]byte, 8)))
	f.Add(npyBytes(3, npyHeaderFor("<f2", "False", "()"), make([]byte, 2)))
	for _, c := range hostileHeaders {
		f.Add(npyBytes(1, c[0], make([]byte, 8)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readNPYArray(bytes.NewReader(data), int64(len(data)), true)
		if n, ok := Product(a.Shape...); err == nil && (!ok || n != len(a.float32s())) {
			t.Fatalf("shape %v with %d values", a.Shape, len(a.float32s()))
		}
	})
}

func FuzzNPZ(f *testing.F) {
	f.Add(zipBytes(f, map[string][]byte{"data.npy": floatNPY("(2, 1)", 3, 4)}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	path := filepath.Join(f.TempDir(), "fuzz.npz")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		values, shape, err := readArray(path, "data")
		if n, ok := Product(shape...); err == nil && (!ok || n != len(values)) {
			t.Fatalf("shape %v with %d values", shape, len(values))
		}
	})
}
