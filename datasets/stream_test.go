package datasets

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scigolib/hdf5"
)

// chunkedH5 writes clouds and labels in compressed chunks that cut through clouds.
func chunkedH5(t *testing.T, s *Set, labels []float32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chunks.h5")
	w, err := hdf5.CreateForWrite(path, hdf5.CreateTruncate)
	if err != nil {
		t.Fatal(err)
	}
	dims := []uint64{uint64(s.Clouds), uint64(s.Points), uint64(s.Dim)}
	set, err := w.CreateDataset("/data", hdf5.Float32, dims, hdf5.WithChunkDims([]uint64{6, 4, 3}), hdf5.WithShuffle(), hdf5.WithGZIPCompression(4))
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Write(s.Coords); err != nil {
		t.Fatal(err)
	}
	if set, err = w.CreateDataset("/label", hdf5.Float32, []uint64{uint64(s.Clouds)}); err != nil {
		t.Fatal(err)
	}
	if err := set.Write(labels); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// streamFiles writes 24 clouds of 12 points in every layout that can be streamed, with labels and
// parts if it has them.
func streamFiles(t *testing.T) map[string]string {
	const n, m = 24, 12
	s := randomSet(n, m, 3, 1)
	labels, bytesOf, doubles := make([]float32, n), make([]byte, n), []byte{}
	split := make([]byte, n)
	for i := range labels {
		labels[i], bytesOf[i], split[i] = float32(i%3), byte(i%3), byte(i%5/4)
	}
	for _, v := range s.Coords {
		doubles = binary.BigEndian.AppendUint64(doubles, math.Float64bits(float64(v)*1.1))
	}
	shape := fmt.Sprintf("(%d, %d, 3)", n, m)
	array := floatNPY(shape, s.Coords...)
	ints := func(v []byte) []byte { return npyBytes(1, npyHeaderFor("|u1", "False", fmt.Sprintf("(%d,)", n)), v) }
	entries := map[string][]byte{"data.npy": array, "other.npy": floatNPY("(1,)", 1), "labels.npy": ints(bytesOf)}
	return map[string]string{
		"npy":        write(t, "a.npy", array),
		"npy double": write(t, "b.npy", npyBytes(2, npyHeaderFor(">f8", "False", shape), doubles)),
		"npz stored": write(t, "a.npz", storedZip(t, entries)),
		"npz packed": write(t, "b.npz", zipBytes(t, entries)),
		"h5":         writeH5(t, map[string]h5Data{"data": {s.Coords, []int{n, m, 3}}, "label": {labels, []int{n}}}),
		"h5 chunked": chunkedH5(t, s, labels),
		"folder":     tree(t, map[string][]byte{"points.npy": array, "labels.npy": ints(bytesOf), "split.npy": ints(split), "classes.txt": []byte("cup\nbowl\nfork\n")}),
	}
}

// open streams a path.
func open(t *testing.T, path string, o OpenOptions) *Stream {
	t.Helper()
	o.Memory = -1
	if o.Unpacked == "" {
		o.Unpacked = t.TempDir()
	}
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := c.(*Stream)
	if !ok {
		t.Fatalf("%s was loaded, expected a stream", path)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestStreamIsLoad: a stream gives the numbers, labels, parts and digest that Load gives, in any
// order, for every layout and option.
func TestStreamIsLoad(t *testing.T) {
	for name, path := range streamFiles(t) {
		options := map[string]Options{"normalised": {}, "raw": {Raw: true}, "subset": {Points: 7, Seed: 3}, "all points": {Points: 12}, "drawn": {Val: 0.2, Test: 0.3, Seed: 5}}
		if name != "npy" && name != "npy double" {
			options["classes"] = Options{Classes: []string{"2", "0"}, Points: 5}
		}
		for what, o := range options {
			t.Run(name+"/"+what, func(t *testing.T) {
				whole, s := load(t, path, o), open(t, path, OpenOptions{Options: o})
				for _, part := range []string{"all", "train", "test"} {
					want, err := whole.Part(part)
					if err != nil {
						t.Fatal(err)
					}
					got, err := PartOf(s, part)
					if err != nil {
						t.Fatal(err)
					}
					sameClouds(t, got, want)
				}
			})
		}
	}
}

// sameClouds compares everything that Clouds gives.
func sameClouds(t *testing.T, got, want Clouds) {
	t.Helper()
	g, w := got.Header(), want.Header()
	if g.Name != w.Name || g.Kind != w.Kind || g.Clouds != w.Clouds || g.Points != w.Points || g.Dim != w.Dim || !slices.Equal(g.Labels, w.Labels) || !slices.Equal(g.Classes, w.Classes) || !slices.Equal(g.Split, w.Split) {
		t.Fatalf("found %+v, expected %+v", g, w)
	}
	rows := append(EpochOrder(w.Clouds, 1, 2), 0, 0)
	a, b := make([]float32, len(rows)*w.Points*w.Dim), make([]float32, len(rows)*w.Points*w.Dim)
	if err := got.Read(a, rows); err != nil {
		t.Fatal(err)
	}
	if err := want.Read(b, rows); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a, b) {
		t.Error("the coordinates differ")
	}
	x, err := got.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if y, _ := want.Digest(); x != y {
		t.Errorf("digest %s, expected %s", x, y)
	}
}

// TestOpenChooses: small sets and what has no rows to read are loaded.
func TestOpenChooses(t *testing.T) {
	fortran := write(t, "f.npy", npyBytes(1, npyHeaderFor("<f4", "True", "(2, 2, 1)"), make([]byte, 16)))
	path := write(t, "a.npy", cloudNPY(4, 5, 3, 1))
	for name, c := range map[string]struct {
		path   string
		memory int64
		stream bool
	}{
		"default":  {path, 0, false},
		"fits":     {path, 4 * 5 * 3 * 4, false},
		"too big":  {path, 4*5*3*4 - 1, true},
		"fortran":  {fortran, -1, false},
		"no array": {Builtin, -1, false},
		"mesh":     {write(t, "a.off", []byte("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")), -1, false},
	} {
		s, err := Open(c.path, OpenOptions{Memory: c.memory, Options: Options{Raw: true}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, ok := s.(*Stream); ok != c.stream {
			t.Errorf("%s: stream %v, expected %v", name, ok, c.stream)
		}
	}
}

// TestStreamErrors: errors of a file or a call are worded as by Load.
func TestStreamErrors(t *testing.T) {
	fail := func(path string, o Options, parts ...string) {
		t.Helper()
		_, err := Open(path, OpenOptions{Options: o, Memory: -1, Unpacked: t.TempDir()})
		wantError(t, err, parts...)
	}
	good := cloudNPY(4, 5, 3, 1)
	path := write(t, "a.npy", good)
	fail(path, Options{Points: 6}, "a.npy", "6 points", "has 5")
	fail(path, Options{Points: -1}, "points")
	fail(path, Options{Classes: []string{"1"}}, "no labels")
	fail(filepath.Join(t.TempDir(), "none.npy"), Options{}, "none.npy", "no such file")
	fail(write(t, "short.npy", good[:len(good)-4]), Options{}, "short.npy", "needs")
	fail(write(t, "a.npz", storedZip(t, map[string][]byte{"x.npy": good, "y.npy": good})), Options{}, "a.npz", `"data"`, "x, y")

	bad := randomSet(4, 5, 3, 1)
	bad.Cloud(2)[7] = float32(math.NaN())
	clear(bad.Cloud(3))
	s := open(t, write(t, "bad.npy", floatNPY("(4, 5, 3)", bad.Coords...)), OpenOptions{})
	dst := make([]float32, 2*15)
	if err := s.Read(dst, []int32{0, 1}); err != nil {
		t.Error(err)
	}
	wantError(t, s.Read(dst, []int32{2, 0}), "bad.npy", "cloud 2", "point 2, coordinate 1", "NaN")
	wantError(t, s.Read(dst, []int32{1, 3}), "bad.npy", "cloud 3", "zero extent")
	wantError(t, s.Read(dst, []int32{0, 4}), "bad.npy", "from 0 to 3, found 4")
	wantError(t, s.Read(dst, []int32{-1, 0}), "bad.npy", "found -1")
	wantError(t, s.Read(dst, []int32{1}), "bad.npy", "15 coordinates", "room for 30")
	_, err := s.Digest()
	wantError(t, err, "bad.npy", "cloud 2")
	_, err = s.Part("half")
	wantError(t, err, `"half"`)

	// A file truncated while it is in use.
	path = write(t, "cut.npy", good)
	s = open(t, path, OpenOptions{})
	if err := os.Truncate(path, int64(len(good)-10)); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Read(dst, []int32{0, 3}), "cut.npy", "cloud 3", "ends after 50 of 60 bytes")
	// An archive whose entry does not match its checksum, found while it is unpacked; nothing
	// half-written is left.
	broken := zipBytes(t, map[string][]byte{"data.npy": good})
	broken[60] ^= 1
	dir := t.TempDir()
	_, err = Open(write(t, "broken.npz", broken), OpenOptions{Memory: -1, Unpacked: dir})
	wantError(t, err, "broken.npz")
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestUnpackedOnce: a copy is reused, and replaced when the file has changed or the copy is
// damaged.
func TestUnpackedOnce(t *testing.T) {
	path, dir := write(t, "a.npz", zipBytes(t, map[string][]byte{"data.npy": cloudNPY(4, 5, 3, 1)})), filepath.Join(t.TempDir(), "new", "folder")
	abandonedFile, busy := filepath.Join(dir, ".x.npy.1"), filepath.Join(dir, ".x.npy.2")
	first := func() []float32 {
		t.Helper()
		dst := make([]float32, 15)
		if err := open(t, path, OpenOptions{Unpacked: dir}).Read(dst, []int32{0}); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	copies := func() []string {
		names, _ := filepath.Glob(filepath.Join(dir, "*.npy"))
		return names
	}
	a := first()
	name := copies()
	if len(name) != 1 {
		t.Fatalf("copies %v, expected one", name)
	}
	stat := func() os.FileInfo {
		i, err := os.Stat(name[0])
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	made := stat()
	if b := first(); !slices.Equal(a, b) || !os.SameFile(made, stat()) {
		t.Error("the copy was not used again")
	}
	for _, f := range []string{abandonedFile, busy} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(abandonedFile, time.Time{}, time.Now().Add(-2*abandoned)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name[0], 200); err != nil {
		t.Fatal(err)
	}
	if b := first(); !slices.Equal(a, b) || os.SameFile(made, stat()) {
		t.Error("the damaged copy was not made again")
	}
	if _, err := os.Stat(abandonedFile); err == nil {
		t.Error("an abandoned temporary file is still there")
	}
	if _, err := os.Stat(busy); err != nil {
		t.Error("a temporary file that may be in use was removed")
	}
	if err := os.WriteFile(path, zipBytes(t, map[string][]byte{"data.npy": cloudNPY(5, 5, 3, 2)}), 0o600); err != nil {
		t.Fatal(err)
	}
	if b := first(); slices.Equal(a, b) {
		t.Error("the copy of the file as it was is used")
	}
	if now := copies(); len(now) != 1 || now[0] == name[0] {
		t.Errorf("copies %v after the file has changed, before %v", now, name)
	}
}

// TestUnpackedDir: the environment decides where copies are kept; a folder that cannot be created
// is an error.
func TestUnpackedDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv(cacheVariable, "")
	if dir, err := unpackedDir(); err != nil || runtime.GOOS == "linux" && dir != filepath.Join(home, "swlab", "unpacked") {
		t.Errorf("%s, %v", dir, err)
	}
	blocked := write(t, "file", nil)
	t.Setenv(cacheVariable, blocked)
	_, err := Open(write(t, "a.npz", zipBytes(t, map[string][]byte{"data.npy": cloudNPY(4, 5, 3, 1)})), OpenOptions{Memory: -1})
	wantError(t, err, "a.npz", cacheVariable, blocked)
}

// TestStreamMemory: an epoch in its declared order takes memory for batches, not for the set.
func TestStreamMemory(t *testing.T) {
	const n, m, batch = 2000, 256, 20 // 6 MB in batches of 60 kB
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, storedZip(t, map[string][]byte{"data.npy": cloudNPY(n, m, 3, 1)}), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := open(t, path, OpenOptions{})
	order := EpochOrder(n, 1, 0)
	var seen int
	for clouds, err := range Ahead(s, slices.Values(Batches(order, batch))) {
		if err != nil {
			t.Fatal(err)
		}
		if seen += len(clouds) / (m * 3); seen%500 == 0 {
			want := make([]float32, m*3)
			if err := s.Read(want, order[seen-1:seen]); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want, clouds[len(clouds)-m*3:]) {
				t.Errorf("cloud %d of the order is not the one declared", seen-1)
			}
		}
	}
	runtime.ReadMemStats(&after)
	if seen != n {
		t.Errorf("%d clouds, expected %d", seen, n)
	}
	if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > n*m*3*4/2 {
		t.Errorf("%d bytes were allocated for a set of %d", grown, n*m*3*4)
	}
}

// TestAtMost: files with fewer points than wanted use all, for every way to read them; in a folder,
// as many as the smallest file has.
func TestAtMost(t *testing.T) {
	dir := t.TempDir()
	for name, m := range map[string]int{"a.npy": 20, "b.npy": 30} {
		set := randomSet(2, m, 3, uint64(m))
		if err := WriteNPY(filepath.Join(dir, name), set.Coords, 2, m, 3); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]int{filepath.Join(dir, "a.npy"): 20, filepath.Join(dir, "b.npy"): 25, dir: 20} {
		for _, memory := range []int64{0, -1} {
			set, err := Open(path, OpenOptions{Options: Options{Points: 25, AtMost: true}, Memory: memory})
			if err != nil {
				t.Fatal(err)
			}
			if m := set.Header().Points; m != want {
				t.Errorf("%s: %d points, expected %d", path, m, want)
			}
			if _, err := set.Digest(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := Load(filepath.Join(dir, "a.npy"), Options{Points: 25}); err == nil || !strings.Contains(err.Error(), "25 points per cloud were asked for, the file has 20") {
		t.Errorf("%v", err)
	}
}

// FuzzStream: a .npy file that can be streamed has the clouds that it has when it is loaded; one that
// cannot be loaded cannot be streamed to its end.
func FuzzStream(f *testing.F) {
	f.Add(floatNPY("(2, 2, 3)", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1))
	f.Add(floatNPY("(1, 2, 2)", 0, 0, 3, 4))
	f.Add(npyBytes(2, npyHeaderFor(">i2", "False", "(1, 2, 2)"), make([]byte, 8)))
	f.Add(npyBytes(3, npyHeaderFor("<f2", "False", "(2, 1, 2)"), make([]byte, 7)))
	path := filepath.Join(f.TempDir(), "clouds.npy")
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		o := Options{Raw: true}
		set, loadError := Load(path, o)
		clouds, err := Open(path, OpenOptions{Options: o, Memory: -1})
		if err != nil {
			if loadError == nil {
				t.Errorf("loaded, and not opened: %v", err)
			}
			return
		}
		stream, ok := clouds.(*Stream)
		if !ok {
			return
		}
		defer stream.Close()
		h := stream.Header()
		got := make([]float32, h.Clouds*h.Points*h.Dim)
		rows := make([]int32, h.Clouds)
		for i := range rows {
			rows[i] = int32(i)
		}
		switch err := stream.Read(got, rows); {
		case (err == nil) != (loadError == nil):
			t.Errorf("loaded: %v, streamed: %v", loadError, err)
		case err == nil && !slices.Equal(got, set.Coords):
			t.Errorf("loaded %v, streamed %v", set.Coords, got)
		}
	})
}
