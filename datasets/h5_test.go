package datasets

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/scigolib/hdf5"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

// h5Data is an array to write.
type h5Data struct {
	data  []float32
	shape []int
}

// writeH5 writes arrays of float32 with the library's own writer.
func writeH5(t *testing.T, arrays map[string]h5Data) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.h5")
	w := must.M1(hdf5.CreateForWrite(path, hdf5.CreateTruncate))
	for name, a := range arrays {
		dims := make([]uint64, len(a.shape))
		for i, n := range a.shape {
			dims[i] = uint64(n)
		}
		must.M(must.M1(w.CreateDataset("/"+name, hdf5.Float32, dims)).Write(a.data))
	}
	must.M(w.Close())
	return path
}

func TestLoadH5(t *testing.T) {
	clouds := randomSet(70, 11, 3, 1)
	labels := make([]float32, 70)
	for i := range labels {
		labels[i] = float32(i % 3)
	}
	path := writeH5(t, map[string]h5Data{"data": {clouds.Coords, []int{70, 11, 3}}, "label": {labels, []int{70, 1}}, "normal": {make([]float32, 4), []int{4}}})
	s := load(t, path, Options{Raw: true})
	wantShape(t, s, "h5", 70, 11, 3)
	if !slices.Equal(s.Coords, clouds.Coords) || s.Labels[4] != 1 {
		t.Error("the values differ from those written")
	}
	checkNormalized(t, load(t, path, Options{}))
	wantError(t, failure(Load(path, Options{Key: "points"})), "a.h5", `"points"`, "data, label, normal")
	wantError(t, failure(Load(path, Options{Key: "normal"})), "a.h5", "[4]")
	wantError(t, failure(Load(write(t, "text.h5", []byte("no HDF5 file at all")), Options{})), "text.h5", "HDF5")
	wantError(t, failure(Load(filepath.Join(t.TempDir(), "none.h5"), Options{})), "none.h5", "no such file")
}

func TestLoadH5RefusesInconsistentLabels(t *testing.T) {
	data := h5Data{randomSet(2, 3, 3, 1).Coords, []int{2, 3, 3}}
	_, err := Load(writeH5(t, map[string]h5Data{"data": data, "label": {[]float32{1, 2, 3}, []int{3}}}), Options{})
	wantError(t, err, "a.h5", "3 labels for 2 clouds")
	_, err = Load(writeH5(t, map[string]h5Data{"data": data, "label": {[]float32{1, 0.5}, []int{2}}}), Options{})
	wantError(t, err, "a.h5", `"label"`, "entry 1", "0.5")
}

func TestSharedH5(t *testing.T) {
	dir := sharedData(t, "golden", "h5")
	golden := filepath.Join(dir, "..", "h5.npz")
	for name, prefix := range map[string]string{"ply_data_train0_gzip.h5": "train0", "ply_data_test0_gzip_shuffle.h5": "test0", "ply_data_contiguous.h5": "contiguous"} {
		t.Run(prefix, func(t *testing.T) {
			raw := load(t, filepath.Join(dir, name), Options{Raw: true})
			normal := load(t, filepath.Join(dir, name), Options{})
			wantShape(t, raw, "h5", 12, 2048, 3)
			want := func(key string) []float32 {
				d := must.M1(format.Read(golden, prefix+key))
				out := d.Narrow
				for _, v := range d.Wide {
					out = append(out, float32(v))
				}
				return out
			}
			near := func(what string, got float64, want float32, tolerance float64) {
				if math.Abs(got-float64(want)) > tolerance*max(1, math.Abs(float64(want))) {
					t.Errorf("%s: found %v, expected %v", what, got, want)
				}
			}
			labels, sums, squares := want("_label"), want("_sum"), want("_sumsq")
			first, last := want("_first"), want("_last")
			normSquares, normFirst := want("_norm_sumsq"), want("_norm_first")
			for i := range 12 {
				if float32(raw.Labels[i]) != labels[i] {
					t.Errorf("label %d: %d", i, raw.Labels[i])
				}
				cloud := raw.Cloud(i)
				if !slices.Equal(cloud[:3], first[3*i:3*i+3]) || !slices.Equal(cloud[2047*3:], last[3*i:3*i+3]) {
					t.Errorf("cloud %d: first or last point differs", i)
				}
				total, square := 0.0, 0.0
				for k := range 3 {
					sum := 0.0
					for j := k; j < len(cloud); j += 3 {
						sum += float64(cloud[j])
						square += float64(cloud[j]) * float64(cloud[j])
					}
					near("sum", sum, sums[3*i+k], 1e-6)
					near("first normalised point", float64(normal.Cloud(i)[k]), normFirst[3*i+k], 2e-5)
				}
				near("sum of squares", square, squares[i], 1e-6)
				for _, v := range normal.Cloud(i) {
					total += float64(v) * float64(v)
				}
				near("normalised sum of squares", total, normSquares[i], 1e-5)
			}
		})
	}
}

func TestUnsupportedH5(t *testing.T) {
	_, err := Load(filepath.Join("internal", "hdf5", "testdata", "default.h5"), Options{Key: "bad/scaleoffset"})
	wantError(t, err, "default.h5", "filter 6", "h5repack")
}

func TestLinkedH5(t *testing.T) {
	path := filepath.Join("internal", "hdf5", "testdata", "links.h5")
	for _, key := range []string{"folder/up", "/chain", "self/data"} {
		s := load(t, path, Options{Raw: true, Key: key})
		if wantShape(t, s, "h5", 4, 5, 3); !slices.Equal(s.Classes, []string{"b", "bowl", "cup"}) || !slices.Equal(s.Labels, []int32{2, 1, 2, 0}) {
			t.Errorf("labels %v of classes %q", s.Labels, s.Classes)
		}
	}
	for key, want := range map[string]string{"names": "found text", "out/far": "other.h5", "tour": "circle", "gone": "nowhere", "none": "it holds chain, data"} {
		wantError(t, failure(Load(path, Options{Raw: true, Key: key})), "links.h5", key, want)
	}
}

// FuzzH5 reads any file as clouds with labels. The format itself has a target of its own in
// internal/hdf5.
func FuzzH5(f *testing.F) {
	for _, name := range []string{"userblock.h5", "latest.h5"} {
		f.Add(must.M1(os.ReadFile(filepath.Join("internal", "hdf5", "testdata", name))))
	}
	path := filepath.Join(f.TempDir(), "fuzz.h5")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path, Options{})
		if err != nil && !strings.HasPrefix(err.Error(), path) {
			t.Fatalf("error %q does not name the file", err)
		}
		if err == nil {
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
