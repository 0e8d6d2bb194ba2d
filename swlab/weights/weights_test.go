package weights

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func sample() *Set {
	return Init([]Spec{
		{Name: "b.weight", Shape: []int{3, 2, 1}, Init: FanIn(2)},
		{Name: "a.bias", Shape: []int{3}, Init: Constant(0.01)},
		{Name: "scalar", Shape: nil, Init: Normal(1)},
	}, 7)
}

func TestSafetensorsRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	want := sample()
	must.M(WriteSafetensors(path, want))
	got := must.M1(ReadSafetensors(path))
	if !slices.Equal(got.Names(), want.Names()) {
		t.Fatalf("names %v, want %v", got.Names(), want.Names())
	}
	for _, n := range want.Names() {
		g, _ := got.Get(n)
		w, _ := want.Get(n)
		if !slices.Equal(g.Shape, w.Shape) || !slices.Equal(g.Data, w.Data) {
			t.Errorf("%s: %v, want %v", n, g, w)
		}
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

// TestSafetensorsRefuses: headers about which programs would disagree.
func TestSafetensorsRefuses(t *testing.T) {
	file := func(header string, data int) []byte {
		return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, data)...)
	}
	const w, v = `"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`,
		`"v":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}`
	for want, data := range map[string][]byte{
		"":                        file("{"+v+","+w+`,"empty":{"dtype":"F32","shape":[0],"data_offsets":[8,8]}}`, 12),
		`"w" occurs twice`:        file("{"+w+","+strings.Replace(w, "[0,8]", "[8,16]", 1)+"}", 16),
		`"shape" occurs twice`:    file("{"+strings.Replace(w, `"shape":[2]`, `"shape":[1],"shape":[2]`, 1)+"}", 8),
		`"format" occurs twice`:   file(`{"__metadata__":{"format":"pt","format":"np"},`+w+"}", 8),
		"found offsets [4 8]":     file("{"+w+","+strings.Replace(v, "[8,12]", "[4,8]", 1)+"}", 8),
		"found offsets [12 16]":   file("{"+w+","+strings.Replace(v, "[8,12]", "[12,16]", 1)+"}", 16),
		"after 12 bytes of tenso": file("{"+w+","+v+"}", 14),
	} {
		_, err := readSafetensors(bytes.NewReader(data), int64(len(data)))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, found %v", want, err)
		}
	}
	path := filepath.Join("..", "..", "..", "shared", "cases", "st", "duplicate.safetensors")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no shared test data at ../shared/cases")
	}
	if _, err := ReadSafetensors(path); err == nil || !strings.Contains(err.Error(), "occurs twice") {
		t.Errorf("%s: %v", path, err)
	}
}

func TestInitRepeats(t *testing.T) {
	a, b := sample(), sample()
	for _, n := range a.Names() {
		x, _ := a.Get(n)
		y, _ := b.Get(n)
		if !slices.Equal(x.Data, y.Data) {
			t.Errorf("%s differs between two draws with one seed", n)
		}
	}
	x, _ := a.Get("b.weight")
	for _, v := range x.Data {
		if math.Abs(float64(v)) > 1/math.Sqrt2 {
			t.Errorf("fan-in bound broken: %v", v)
		}
	}
}

func TestMatchListsEverything(t *testing.T) {
	s := sample()
	s.Put("bn.num_batches_tracked", Tensor{Data: []float32{1}})
	_, err := s.Match([]Spec{{Name: "b.weight", Shape: []int{2, 3, 1}}, {Name: "scalar"}, {Name: "new", Shape: []int{4}}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"missing: new [4]", "b.weight: expected [2 3 1], found [3 2 1]", "unknown: a.bias"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "tracked") {
		t.Errorf("error %q counts num_batches_tracked", err)
	}
}

func FuzzReadSafetensors(f *testing.F) {
	var b bytes.Buffer
	must.M(writeSafetensors(&b, sample()))
	f.Add(b.Bytes())
	f.Add([]byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := readSafetensors(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, n := range set.Names() {
			if v, _ := set.Get(n); len(v.Data) != size(v.Shape) {
				t.Errorf("%s: %d values for shape %v", n, len(v.Data), v.Shape)
			}
		}
	})
}
