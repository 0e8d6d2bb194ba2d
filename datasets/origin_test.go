package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// offsets move clouds away from 0, to where float32 would lose much or all of them.
var offsets = []float64{1e3, 1e6, 1e7, -1e8, 1e12}

// wideNumbers are the numbers of clouds with that extent, about 0, plus an offset per axis.
func wideNumbers(n int, offset, extent float64) []float64 {
	random, out := rng.New(7), make([]float64, n)
	for i := range out {
		out[i] = offset*(1+float64(i%3)/4) + extent*(random.Float()-0.5)
	}
	return out
}

func doubleNPY(shape string, values []float64) []byte {
	var body bytes.Buffer
	_ = binary.Write(&body, binary.LittleEndian, values)
	return npyBytes(1, npyHeaderFor("<f8", "False", shape), body.Bytes())
}

// checkHeld fails unless the set holds the numbers to a millionth of the extent, or as float64 does.
func checkHeld(t *testing.T, s *Set, want []float64, extent float64) {
	t.Helper()
	var got []float64
	for i := range s.Clouds {
		got = append(got, s.Positions(i)...)
	}
	if len(got) != len(want) {
		t.Fatalf("%d numbers, expected %d", len(got), len(want))
	}
	for i, v := range got {
		if off := math.Abs(v - want[i]); !(off <= 1e-6*extent+1e-15*math.Abs(want[i])) {
			t.Fatalf("number %d: %v, expected %v", i, v, want[i])
		}
	}
	if w := s.Warnings(); w != nil {
		t.Error(w)
	}
}

// TestFarClouds: every reader of float64, of integers and of text keeps the digits of clouds far from 0.
func TestFarClouds(t *testing.T) {
	for _, offset := range offsets {
		const extent = 2
		v := wideNumbers(2*50*3, offset, extent)
		var text, pts, off, ply, pcd strings.Builder
		fmt.Fprintf(&off, "OFF\n50 0 0\n")
		fmt.Fprintf(&ply, "ply\nformat ascii 1.0\nelement vertex 50\nproperty double x\nproperty double y\nproperty double z\nend_header\n")
		fmt.Fprintf(&pcd, "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nPOINTS 50\nDATA ascii\n")
		for i := 0; i < 150; i += 3 {
			line := fmt.Sprintf("%.17g %.17g %.17g\n", v[i], v[i+1], v[i+2])
			for _, b := range []*strings.Builder{&text, &pts, &off, &ply, &pcd} {
				b.WriteString(line)
			}
		}
		obj := "v " + strings.ReplaceAll(strings.TrimSpace(text.String()), "\n", "\nv ") + "\n"
		csv := "x,y,z\n" + strings.ReplaceAll(text.String(), " ", ",")
		npy := doubleNPY("(2, 50, 3)", v)
		for name, data := range map[string][]byte{
			"a.npy": npy, "a.npz": zipBytes(t, map[string][]byte{"data.npy": npy}), "a.xyz": []byte(text.String()), "a.txt": []byte(text.String()),
			"a.csv": []byte(csv), "a.pts": []byte(pts.String()), "a.off": []byte(off.String()), "a.obj": []byte(obj), "a.ply": []byte(ply.String()), "a.pcd": []byte(pcd.String()),
		} {
			path := write(t, name, data)
			s := must.M1(Load(path, Options{Raw: true}))
			checkHeld(t, s, v[:len(s.Coords)], extent)
			if s.Origins == nil {
				t.Errorf("%s at %g: no origins", name, offset)
			}
			normal := must.M1(Load(path, Options{}))
			near := make([]float32, 150)
			for i := range near {
				near[i] = float32(v[i] - offset*(1+float64(i%3)/4))
			}
			must.M2(normalizeCloud(near, nil, 3))
			digits := 2e-6 + 1e-15*math.Abs(offset)
			for i, c := range near {
				if math.Abs(float64(c-normal.Coords[i])) > digits {
					t.Fatalf("%s at %g: normalised number %d is %v, expected %v", name, offset, i, normal.Coords[i], c)
				}
			}
			checkHeld(t, must.M1(normal.Restore(normal.Frames)), v[:len(s.Coords)], extent)
		}
		checkHeld(t, must.M1(New(v, 2, 50, 3)), v, extent)
		checkHeld(t, must.M1(FromSlices([][][]float64{{v[:3], v[3:6], v[6:9]}})), v[:9], extent)
	}
	whole := []int64{1<<40 + 1, -1<<41 + 3, 1<<40 + 7, -1<<41 + 5, 1<<40 + 9, -1<<41 - 11}
	var body bytes.Buffer
	_ = binary.Write(&body, binary.LittleEndian, whole)
	npy := npyBytes(1, npyHeaderFor("<i8", "False", "(3, 2)"), body.Bytes())
	for i, v := range must.M1(Load(write(t, "i.npy", npy), Options{Raw: true})).Positions(0) {
		if int64(v) != whole[i] {
			t.Errorf("number %d of integers: %v, expected %d", i, v, whole[i])
		}
	}
}

// TestFarMesh: a mesh is sampled in float64.
func TestFarMesh(t *testing.T) {
	mesh := func(at float64) string {
		return fmt.Sprintf("v %.17g 0 0\nv %.17g 0 0\nv %.17g 1 0\nv %.17g 0 1\nf 1 2 3\nf 1 2 4\n", at, at+1, at, at)
	}
	path := write(t, "m.obj", []byte(mesh(1e8)))
	far := must.M1(Load(path, Options{Raw: true, Points: 300}))
	near := must.M1(Load(write(t, "m.obj", []byte(mesh(0))), Options{Raw: true, Points: 300}))
	if near.Origins != nil {
		t.Error("a mesh near 0 has an origin")
	}
	want := near.Positions(0)
	for i := 0; i < len(want); i += 3 {
		want[i] += 1e8
	}
	checkHeld(t, far, want, 1)
	if sum := far.Summary(); !(sum.Min[0] >= 1e8 && sum.Max[0] <= 1e8+1 && sum.Max[0]-sum.Min[0] > 0.9) {
		t.Errorf("x from %v to %v", sum.Min[0], sum.Max[0])
	}
	out := filepath.Join(t.TempDir(), "m.npy")
	must.M1(SampleMeshes(path, out, Options{Raw: true, Points: 300}, nil))
	checkHeld(t, must.M1(Load(out, Options{Raw: true})), far.Positions(0), 1)
}

// TestNoOrigin: numbers that float32 holds, and clouds near 0, are kept as they are.
func TestNoOrigin(t *testing.T) {
	for name, v := range map[string][]float64{
		"whole numbers far from 0": {1e7, 1e7 + 1, 1e7 + 2, 1e7 + 3, 1e7 + 5, 1e7 + 9},
		"near 0":                   wideNumbers(300, 0, 2),
		"a few extents from 0":     wideNumbers(300, 3, 2),
		"with an outlier":          append(wideNumbers(300, 0.1, 1), 1100000017, 2300000030, -3700000021),
	} {
		s := must.M1(New(v, len(v)/3, 3))
		if s.Origins != nil {
			t.Errorf("%s: origins %v", name, s.Origins)
		}
		narrow := make([]float32, len(v))
		for i, x := range v {
			narrow[i] = float32(x)
		}
		if s.Digest() != must.M1(New(narrow, len(v)/3, 3)).Digest() || !slices.Equal(s.Coords, narrow) {
			t.Errorf("%s: float64 is kept in another way than float32", name)
		}
	}
}

// TestRoundingWarning: what float32 still loses is said, with the figure.
func TestRoundingWarning(t *testing.T) {
	v := append(wideNumbers(300, 0.1, 1), 1100000017, 2300000030, -3700000021)
	s := must.M1(New(v, len(v)/3, 3))
	off := 0.0
	for i, x := range v {
		off = max(off, math.Abs(x-float64(s.Coords[i])))
	}
	if ratio := off / s.Rounding; !(ratio > 0.4 && ratio < 0.6) { // the middle half of the range 1
		t.Errorf("rounding %v of a cloud whose largest is %v", s.Rounding, off)
	}
	if w := strings.Join(s.Warnings(), ""); !strings.Contains(w, fmt.Sprintf("%.2g", s.Rounding)) {
		t.Errorf("warning %q", w)
	}
	// Points that are missing, as 0: the others keep their digits.
	far := wideNumbers(300, 1e6, 1)
	copy(far[30:60], make([]float64, 30))
	s = must.M1(New(far, 100, 3))
	for i, x := range s.Positions(0) {
		if math.Abs(x-far[i]) > 1e-6 {
			t.Fatalf("number %d: %v, expected %v", i, x, far[i])
		}
	}
	if w := s.Rebase(nil).Warnings(); w == nil {
		t.Error("no warning about the coordinates themselves")
	}
}

// TestRoundingOfNormalized: a far outlier leaves the other points little of radius 1, and few digits.
func TestRoundingOfNormalized(t *testing.T) {
	for far, warns := range map[float64]bool{10: false, 300: false, 1e6: true, 1e16: true} {
		v := append(wideNumbers(300, 0.1, 1), far, far, far)
		s := must.M1(New(v, len(v)/3, 3))
		must.M(s.Normalize())
		for _, s := range []*Set{s, must.M1(Load(write(t, "a.npy", doubleNPY("(101, 3)", v)), Options{}))} {
			if w := s.Warnings(); (w != nil) != warns {
				t.Errorf("outlier at %g: warnings %q", far, w)
			}
		}
	}
}

// TestOriginsFollow: what is made of a set with origins has them too.
func TestOriginsFollow(t *testing.T) {
	const n, m = 4, 40
	v := append(wideNumbers(2*m*3, 1e8, 1), wideNumbers(2*m*3, 0, 1)...)
	s := must.M1(New(v, n, m, 3))
	if s.Origins == nil || slices.ContainsFunc(s.Origin(2), func(o float64) bool { return o != 0 }) {
		t.Fatalf("origins %v", s.Origins)
	}
	must.M(s.Validate())
	size := m * 3
	checkHeld(t, s.Select([]int{3, 0}), slices.Concat(v[3*size:], v[:size]), 1)
	if at := must.M1(s.Subset(5, 1)).Positions(0)[0]; math.Abs(at-1e8) > 1 {
		t.Errorf("a point of a subset is at %v", at)
	}
	rounded := make([]float32, size)
	must.M(s.Read(rounded, []int32{1}))
	for i, c := range rounded {
		if c != float32(v[size+i]) {
			t.Fatalf("Read gives %v at %d, expected %v", c, i, float32(v[size+i]))
		}
	}
	if at := s.Rebase(nil); at.Origins != nil || !slices.Equal(at.Cloud(1), rounded) {
		t.Error("Rebase(nil) differs from Read")
	}
	path := filepath.Join(t.TempDir(), "s.npy")
	must.M(s.WriteNPY(path))
	checkHeld(t, must.M1(Load(path, Options{Raw: true})), v, 1)
	a, b := s.Digest(), s.Rebase(nil).Digest()
	moved := must.M1(New(wideNumbers(2*m*3, 2e8, 1), 2, m, 3))
	c := moved.Digest()
	moved.Origins[0]++
	if d := moved.Digest(); a == b || c == d {
		t.Error("the digest does not see the origins")
	}
	must.M(s.Normalize())
	if s.Origins != nil || math.Abs(s.Frames[0].Centre[0]-1e8) > 1 {
		t.Errorf("origins %v, centre %v", s.Origins, s.Frames[0].Centre)
	}
	checkHeld(t, must.M1(s.Restore(s.Frames)), v, 1)
}

// TestAligned: the clouds of a pair get one origin, those of far pairs another one.
func TestAligned(t *testing.T) {
	const m = 30
	tiles := func(by float64) *Set {
		v := append(wideNumbers(m*3, 1e8, 1), wideNumbers(m*3, -3e8, 1)...)
		for i := range v {
			v[i] += by
		}
		return must.M1(New(v, 2, m, 3))
	}
	x, y := Aligned(tiles(0), tiles(0.25))
	if !slices.Equal(x.Origins, y.Origins) {
		t.Fatalf("origins %v and %v", x.Origins, y.Origins)
	}
	for i, c := range x.Coords {
		if d := float64(y.Coords[i] - c); math.Abs(d-0.25) > 1e-6 {
			t.Fatalf("coordinate %d: moved by %v, expected 0.25", i, d)
		}
	}
	one := tiles(0).Select([]int{0})
	near := must.M1(New(wideNumbers(m*3, 0, 1), 1, m, 3))
	x, y = Aligned(one, near)
	if len(x.Warnings())+len(y.Warnings()) == 0 {
		t.Error("no warning about a pair whose clouds are 1e8 extents apart")
	}
	if a, b := Aligned(near, near); a != near || b != near {
		t.Error("sets without origins are copied")
	}
}
