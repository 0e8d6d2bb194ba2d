package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/internal/memory"
)

func content(t *testing.T, name string) []byte {
	t.Helper()
	return must.M1(os.ReadFile(filepath.Join("testdata", name)))
}

func open(t *testing.T, name string) *File {
	t.Helper()
	return must.M1(Read(content(t, name)))
}

// wantCounting checks that entry i of an array is i % 251.
func wantCounting(t *testing.T, f *File, name string, shape ...int) {
	t.Helper()
	a := must.M1(f.Array(name))
	raw, err := a.Read()
	if err != nil || !slices.Equal(a.Shape, shape) || len(raw) != int(memory.Bytes(a.sizes()...)) {
		t.Fatalf("%s: %d bytes of shape %v, expected %v; %v", name, len(raw), a.Shape, shape, err)
	}
	for i := 0; i < len(raw); i += a.Type.Size {
		if got := a.Type.Float(raw[i:]); got != float64(i/a.Type.Size%251) {
			t.Fatalf("%s: entry %d is %v", name, i/a.Type.Size, got)
		}
	}
}

func TestArrays(t *testing.T) {
	f := open(t, "default.h5")
	for _, name := range []string{"contiguous", "gzip", "shuffle", "plain chunks"} {
		wantCounting(t, f, name, 7, 10, 3)
	}
	wantCounting(t, f, "line", 100)
	wantCounting(t, f, "scalar")
	wantCounting(t, f, "empty", 0, 3)
	wantCounting(t, f, "resized", 5, 3)
	wantCounting(t, f, "deep/er/group", 2, 2)
	for _, name := range []string{"f2", "f8", "big f4", "big f8", "i1", "i2", "big i4", "i8", "u1", "big u2", "u4", "u8"} {
		wantCounting(t, f, "types/"+name, 4, 3)
		kind, big := strings.CutPrefix(name, "big ")
		if a, _ := f.Array("types/" + name); a.Type.String() != kind || a.Type.Big != big {
			t.Errorf("%s: type %+v", name, a.Type)
		}
	}
	many := open(t, "many.h5")
	wantCounting(t, many, "data", 400, 1)
	if len(many.Names) != 41 {
		t.Errorf("%d arrays: %v", len(many.Names), many.Names)
	}
	wantCounting(t, open(t, "userblock.h5"), "data", 4, 5, 3)
	wantCounting(t, open(t, "ordered.h5"), "a", 4, 3)
}

func TestNames(t *testing.T) {
	f := open(t, "default.h5")
	count := map[string]int{}
	for _, name := range f.Names {
		count[name]++
	}
	if count["again"] != 1 || count["gzip"] != 1 || count["soft"] != 1 || count["types/big i4"] != 1 {
		t.Errorf("found %q", f.Names)
	}
}

func TestLinks(t *testing.T) {
	wantCounting(t, open(t, "default.h5"), "soft", 7, 10, 3)
	wantCounting(t, open(t, "default.h5"), "deep/up/deep/up/soft", 7, 10, 3)
	f := open(t, "links.h5")
	found := strings.Split(strings.ReplaceAll(strings.Join(f.Names, "\n"), "twin/", "g/"), "\n") // two names of a group
	slices.Sort(found)
	if want := []string{"chain", "data", "g/near", "g/own", "g/up", "label", "names", "real"}; !slices.Equal(found, want) {
		t.Errorf("found %q, expected %q", f.Names, want)
	}
	for _, array := range []string{"real", "data", "/data", "chain", "g/up", "folder/up", "self/self/data", "self/folder/up"} {
		wantCounting(t, f, array, 4, 5, 3)
	}
	for _, array := range []string{"g/near", "folder/near", "twin/near", "twin/own", "self/twin/own"} {
		wantCounting(t, f, array, 2, 2)
	}
	for array, want := range map[string]string{
		"tour": "circle", "turn": "circle", "longer": "circle", "tour/data": "circle", "gone": `"nowhere/data"`, "self/gone": `"nowhere/data"`, "folder": "no array", "g": "no", "g/none": "no",
		"out/far": `"/data" in another file, "other.h5"`, "none": ErrMissing.Error(), "": ErrMissing.Error(),
	} {
		if _, err := f.Array(array); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %q", array, err, want)
		}
	}
}

func TestText(t *testing.T) {
	for file, arrays := range map[string]map[string][]string{"default.h5": {"bad/text": {"a", "b"}}, "links.h5": {"label": {"cup", "bowl", "cup", "b"}}} {
		f := open(t, file)
		for name, want := range arrays {
			a := must.M1(f.Array(name))
			raw := must.M1(a.Read())
			var found []string
			for i := 0; i < len(raw); i += a.Type.Size {
				found = append(found, strings.TrimRight(must.M1(a.Text(raw[i:i+a.Type.Size])), "\x00"))
			}
			if a.Type.Class != 'S' || !slices.Equal(found, want) {
				t.Errorf("%s, %s: found %q of class %c, expected %q", file, name, found, a.Type.Class, want)
			}
			if !a.variable {
				continue
			}
			for what, change := range map[string]func([]byte){"GCOL": func(b []byte) { b[4]++ }, "object 999": func(b []byte) { b[12], b[13] = 231, 3 }, "found 1": func(b []byte) { b[0] = 9 }, "ends at": func(b []byte) { b[10] = 200 }} {
				entry := bytes.Clone(raw[:a.Type.Size])
				change(entry)
				if _, err := a.Text(entry); err == nil || !strings.Contains(err.Error(), what) {
					t.Errorf("%s: %v, expected %q", name, err, what)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	f := open(t, "default.h5")
	for name, want := range map[string]string{
		"bad/bool": "class", "bad/complex": "class", "bad/scaleoffset": "filter 6", "lzf": "filter 32000 (LZF)", "fletcher": "Fletcher-32", "bad/missing chunk": "1 of 2 chunks are missing",
		"bad/never written": "never written", "none": ErrMissing.Error(),
	} {
		_, err := f.Array(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %q", name, err, want)
		}
	}
	var other *Unsupported
	if _, err := f.Array("bad/scaleoffset"); !errors.As(err, &other) {
		t.Errorf("another filter: %v", err)
	}
	if _, err := open(t, "latest.h5").Array("fixed/gzip"); !errors.As(err, &other) {
		t.Errorf("another layout: %v", err)
	}
}

// TestChecksum changes a byte inside packed numbers.
func TestChecksum(t *testing.T) {
	data := content(t, "default.h5")
	a := must.M1(must.M1(Read(data)).Array("gzip"))
	packed := a.chunks.list[0].packed
	packed[len(packed)-5] ^= 64
	if _, err := a.Read(); err == nil || !strings.Contains(err.Error(), "chunk 0") {
		t.Error(err)
	}
}

// readAll reads everything that a file offers.
func readAll(data []byte) error {
	f, err := Read(data)
	if err != nil {
		return err
	}
	var first error
	for _, name := range f.Names {
		var raw []byte
		a, err := f.Array(name)
		if err == nil {
			raw, err = a.Read()
		}
		for i := 0; err == nil && a.Type.Class == 'S' && i < len(raw); i += a.Type.Size {
			_, err = a.Text(raw[i : i+a.Type.Size])
		}
		if first == nil {
			first = err
		}
	}
	return first
}

func TestCutFiles(t *testing.T) {
	for _, name := range []string{"many.h5", "userblock.h5"} {
		data := content(t, name)
		must.M(readAll(data))
		for cut := 0; cut < len(data)-64; cut += 1 + len(data)/200 {
			if readAll(data[:cut]) == nil {
				t.Errorf("%s cut at %d of %d bytes was read", name, cut, len(data))
			}
		}
	}
}

func FuzzFile(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.h5"))
	if err != nil || len(files) < 5 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		f.Add(must.M1(os.ReadFile(name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAll(data) })
}

// TestCircles: every node of a tree has a hundred children, all the same one.
func TestCircles(t *testing.T) {
	var data []byte
	const size = 24 + 100*16
	for level := range 20 {
		data = append(append(data, "TREE\x00"...), byte(level), 100, 0)
		data = append(data, make([]byte, 16)...)
		for range 100 {
			data = binary.LittleEndian.AppendUint64(append(data, make([]byte, 8)...), uint64(max(0, level-1)*size))
		}
	}
	err := func() (err error) {
		defer catch(&err)
		(&File{data: data, left: 1 << 20}).tree("TREE\x00", 8, 19*size, -1, func(*cursor, uint64) {})
		return nil
	}()
	if err == nil || !strings.Contains(err.Error(), "over and over") {
		t.Error(err)
	}
}

// TestHostileSizes changes sizes in the headers: their claims must not cause allocations.
func TestHostileSizes(t *testing.T) {
	good := content(t, "default.h5")
	// The 7 clouds of each array become n; the numbers of a chunk along its axes are 32 bits each.
	rows := func(n uint64) []byte {
		old := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 7), 10)
		return bytes.ReplaceAll(good, old, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, n), 10))
	}
	chunk := func(n uint32) []byte {
		words := func(v ...uint32) (out []byte) {
			for _, x := range v {
				out = binary.LittleEndian.AppendUint32(out, x)
			}
			return out
		}
		return bytes.ReplaceAll(good, words(3, 4, 2, 4), words(n, 4, 2, 4))
	}
	for _, c := range []struct {
		array, want string
		data        []byte
	}{
		{"contiguous", "cannot come from a file", rows(1e12)},
		{"contiguous", "cannot come from a file", rows(1 << 60)},
		{"contiguous", "a size of", rows(1 << 63)},
		{"contiguous", "the file ends", rows(1e6)}, // 120 MB
		{"gzip", "cannot come from a file", rows(1e12)},
		{"gzip", "chunks are missing", rows(1e6)},
		{"gzip", "cannot come from a file", chunk(math.MaxUint32)},
		{"gzip", "cannot hold", chunk(1e6)},
		{"gzip", "without extent", chunk(0)},
	} {
		if bytes.Equal(c.data, good) {
			t.Fatal("nothing was changed")
		}
		var err error
		grown := allocated(func() {
			var f *File
			if f, err = Read(c.data); err == nil {
				_, err = f.Array(c.array)
			}
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.array, err, c.want)
		}
		if grown > 8<<20 {
			t.Errorf("%s, %q: allocated %d MiB", c.array, c.want, grown>>20)
		}
	}
}

// TestDamagedFiles damages files at random: none of them may cost more than a few times the memory
// of the arrays themselves.
func TestDamagedFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"default.h5", "many.h5", "latest.h5"} {
		good := content(t, name)
		for i := range 100 {
			data := bytes.Clone(good)
			for range 1 + i%3 {
				at := r.IntN(len(data) - 8)
				data[at] ^= 1 << r.IntN(8)
				copy(data[at:], bytes.Repeat([]byte{0xff}, i%9))
			}
			if grown := allocated(func() { readAll(data) }); grown > 16<<20 {
				t.Errorf("%s, damage %d: allocated %d MiB", name, i, grown>>20)
			}
		}
	}
}

// allocated measures the bytes that a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
