package datasets

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// torchRamp returns n values 0.5 i - 1, those of testdata/torch_files.py.
func torchRamp(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = 0.5*float32(i) - 1
	}
	return v
}

func TestLoadTorch(t *testing.T) {
	transposed := make([]float32, 15)
	for i, v := range torchRamp(15) {
		transposed[i%5*3+i/5] = v
	}
	for _, c := range []struct {
		file, key string
		n, m, d   int
		points    []float32
		labels    []int32
	}{
		{"batch.pt", "", 2, 4, 3, torchRamp(24), nil},
		{"legacy.pt", "", 2, 4, 3, torchRamp(24), nil},
		{"one.pth", "", 1, 5, 3, transposed, nil},
		{"whole.pt", "", 1, 4, 3, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, nil},
		{"dict.pt", "", 2, 4, 3, torchRamp(24), []int32{7, 0}},
		{"dict.pt", "data", 2, 4, 3, torchRamp(24), []int32{7, 0}},
		{"only.pt", "", 2, 4, 3, torchRamp(24), []int32{1, 2}},
		{"several.pt", "normals", 2, 4, 3, torchRamp(24), nil},
	} {
		s := load(t, filepath.Join("testdata", c.file), Options{Raw: true, Key: c.key})
		wantShape(t, s, "torch", c.n, c.m, c.d)
		if !slices.Equal(s.Coords, c.points) || !slices.Equal(s.Labels, c.labels) {
			t.Errorf("%s: points %v, labels %v", c.file, s.Coords, s.Labels)
		}
	}
}

func TestLoadTorchRefuses(t *testing.T) {
	for _, c := range []struct {
		file, key string
		want      []string
	}{
		{"batch.pt", "points", []string{`"points"`, "expected a dict of tensors, found a tensor"}},
		{"dict.pt", "points", []string{`no tensor named "points"`, "data, label, note"}},
		{"several.pt", "", []string{`an array named "data"`, "found points, normals"}},
		{"halves.pt", "", []string{`tensor`, "whole number, found 0.5"}},
		{"list.pt", "", []string{"found a list", "torch.stack"}},
		{"numbers.pt", "", []string{`tensor "data"`, "found the number 3"}},
		{"flat.pt", "", []string{"[points, dim]", "[6]"}},
		{"nan.pt", "", []string{"NaN"}},
		{"malicious.pt", "", []string{"posix.system", "torch.save(clouds, path)"}},
	} {
		wantError(t, failure(Load(filepath.Join("testdata", c.file), Options{Key: c.key})), append(c.want, c.file)...)
	}
	if _, err := os.Stat("was_run"); err == nil {
		t.Fatal("the file's code was run")
	}
}

func FuzzTorch(f *testing.F) {
	for _, name := range []string{"batch.pt", "legacy.pt", "dict.pt", "only.pt", "malicious.pt"} {
		f.Add(must.M1(os.ReadFile(filepath.Join("testdata", name))))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := write(t, "a.pt", raw)
		set, err := Load(path, Options{})
		if err != nil {
			return
		}
		if err := set.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// TestFarTorch: a tensor of 64-bit numbers keeps its digits.
func TestFarTorch(t *testing.T) {
	from := must.M1(zip.OpenReader(filepath.Join("testdata", "whole.pt")))
	defer from.Close()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range from.File {
		w := must.M1(z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store}))
		data := must.M1(io.ReadAll(must.M1(f.Open())))
		if strings.HasSuffix(f.Name, "data/0") {
			for i := range 12 {
				binary.LittleEndian.PutUint64(data[8*i:], uint64(1<<50+i))
			}
		}
		must.M1(w.Write(data))
	}
	must.M(z.Close())
	s := load(t, write(t, "far.pt", out.Bytes()), Options{Raw: true})
	for i, v := range s.Positions(0) {
		if v != float64(1<<50+i) {
			t.Errorf("number %d: %v, expected %v", i, v, 1<<50+i)
		}
	}
}
