package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
	"pgregory.net/rapid"
)

// randomSet makes a set of clouds with offset and scale far from normalised.
func randomSet(n, m, d int, seed uint64) *Set {
	random := rng.New(seed)
	s := &Set{Name: "random", Kind: "npy", Clouds: n, Points: m, Dim: d, Coords: make([]float32, n*m*d)}
	for i := range s.Coords {
		s.Coords[i] = float32(7 + 3*random.Float() + float64(i%d)*random.Float())
	}
	return s
}

// wantError fails unless err mentions every part.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("expected an error with %q, found none", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not mention %q", err, p)
		}
	}
}

// failure returns the error of a call.
func failure[T any](_ T, err error) error { return err }

func checkNormalized(t *testing.T, s *Set) {
	t.Helper()
	for i := range s.Clouds {
		cloud, mean, largest := s.Cloud(i), make([]float64, s.Dim), 0.0
		for j := 0; j < len(cloud); j += s.Dim {
			norm := 0.0
			for k := range s.Dim {
				mean[k] += float64(cloud[j+k]) / float64(s.Points)
				norm += float64(cloud[j+k]) * float64(cloud[j+k])
			}
			largest = max(largest, math.Sqrt(norm))
		}
		for k, v := range mean {
			if math.Abs(v) > 1e-6 {
				t.Fatalf("cloud %d: mean of axis %d is %g", i, k, v)
			}
		}
		if math.Abs(largest-1) > 1e-6 {
			t.Fatalf("cloud %d: largest radius is %v", i, largest)
		}
	}
}

func TestNormalizeCentresAndScales(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := randomSet(rapid.IntRange(1, 4).Draw(rt, "n"), rapid.IntRange(2, 40).Draw(rt, "m"), rapid.IntRange(1, 5).Draw(rt, "d"), rapid.Uint64().Draw(rt, "seed"))
		must.M(s.Normalize())
		checkNormalized(t, s)
		again := s.Select([]int{0})
		must.M(again.Normalize())
		for i, v := range again.Coords {
			if math.Abs(float64(v-s.Coords[i])) > 1e-6 {
				rt.Fatalf("normalising twice moved coordinate %d by %g", i, v-s.Coords[i])
			}
		}
	})
}

func TestNormalizeKeepsDigitsFarFromTheOrigin(t *testing.T) {
	// The exact centre of these points is not a float32; a float32 accumulator would be off by
	// whole units.
	s := &Set{Name: "far", Clouds: 1, Points: 4, Dim: 1, Coords: []float32{1 << 24, 1<<24 + 2, 1<<24 + 4, 1<<24 + 8}}
	must.M(s.Normalize())
	want := []float32{-3.5 / 4.5, -1.5 / 4.5, 0.5 / 4.5, 1}
	if !slices.Equal(s.Coords, want) {
		t.Errorf("found %v, expected %v", s.Coords, want)
	}
}

func TestNormalizeRefusesBadClouds(t *testing.T) {
	s := randomSet(3, 5, 3, 1)
	s.Cloud(1)[7] = float32(math.NaN())
	wantError(t, s.Normalize(), "random", "cloud 1", "point 2", "NaN")
	s.Cloud(1)[7] = float32(math.Inf(-1))
	wantError(t, s.Normalize(), "cloud 1", "infinite")
	for j := range s.Cloud(1) {
		s.Cloud(1)[j] = 0.1 // not exact: the mean of equal numbers need not be the number
	}
	wantError(t, s.Normalize(), "cloud 1", "zero extent")
	one := &Set{Name: "one", Clouds: 1, Points: 1, Dim: 3, Coords: []float32{1, 2, 3}}
	wantError(t, one.Normalize(), "cloud 0", "zero extent")
}

func TestValidate(t *testing.T) {
	good := func() *Set {
		s := randomSet(3, 4, 3, 2)
		s.Labels, s.Classes, s.Split = []int32{0, 1, 1}, []string{"a", "b"}, []uint8{0, 2, 1}
		s.DegenerateFaces = []int32{0, 0, 5}
		return s
	}
	must.M(good().Validate())
	for name, c := range map[string]struct {
		spoil func(*Set)
		want  string
	}{
		"points":   {func(s *Set) { s.Coords = s.Coords[1:] }, "found 35"},
		"empty":    {func(s *Set) { s.Clouds = 0 }, "at least one cloud"},
		"overflow": {func(s *Set) { s.Clouds, s.Points = math.MaxInt/2, math.MaxInt/2 }, "needs N*M*D"},
		"labels":   {func(s *Set) { s.Labels = s.Labels[1:] }, "2 labels for 3 clouds"},
		"negative": {func(s *Set) { s.Labels[2] = -1 }, "label -1 of cloud 2"},
		"unnamed":  {func(s *Set) { s.Labels[2] = 2 }, "no class name"},
		"split":    {func(s *Set) { s.Split[1] = 7 }, "split entry 7"},
		"short":    {func(s *Set) { s.Split = s.Split[1:] }, "2 split entries"},
		"flat":     {func(s *Set) { s.DegenerateFaces = s.DegenerateFaces[1:] }, "2 counts"},
		"nan":      {func(s *Set) { s.Coords[35] = float32(math.NaN()) }, "cloud 2: point 3, coordinate 2"},
	} {
		s := good()
		c.spoil(s)
		t.Run(name, func(t *testing.T) { wantError(t, s.Validate(), c.want, "random") })
	}
}

func TestSubset(t *testing.T) {
	s := randomSet(5, 64, 3, 3)
	sub := must.M1(s.Subset(20, 9))
	if sub.Clouds != 5 || sub.Points != 20 || sub.Dim != 3 || len(sub.Coords) != 300 {
		t.Fatalf("shape [%d %d %d]", sub.Clouds, sub.Points, sub.Dim)
	}
	for i := range s.Clouds {
		at := map[string]int{}
		for j := range s.Points {
			at[fmt.Sprint(s.Cloud(i)[3*j:3*j+3])] = j
		}
		seen := map[int]bool{}
		for j := range sub.Points {
			k, ok := at[fmt.Sprint(sub.Cloud(i)[3*j:3*j+3])]
			if !ok || seen[k] {
				t.Fatalf("cloud %d: point %d is not in the cloud or was drawn twice", i, j)
			}
			seen[k] = true
		}
	}
	again, other := must.M1(s.Subset(20, 9)), must.M1(s.Subset(20, 10))
	if !slices.Equal(sub.Coords, again.Coords) || slices.Equal(sub.Coords, other.Coords) {
		t.Error("the subset must depend on the seed alone")
	}
	// It depends on the cloud's index alone, not on its neighbours; the smaller subset is a prefix.
	alone, _ := s.Select([]int{0}).Subset(11, 9)
	if !slices.Equal(alone.Coords, sub.Coords[:33]) {
		t.Error("cloud 0 alone, with fewer points, is not a prefix")
	}
	all, err := s.Subset(64, 9)
	if err != nil || !slices.Equal(all.Coords, s.Coords) {
		t.Errorf("m = M must keep the cloud: %v", err)
	}
	all.Coords[0]++
	if all.Coords[0] == s.Coords[0] {
		t.Error("the subset shares memory with the set")
	}
	wantError(t, failure(s.Subset(65, 1)), "random", "65", "64")
	wantError(t, failure(s.Subset(0, 1)), "at least 1")
}

// chiSquare is the statistic of counts that are all expected to be want.
func chiSquare(counts []float64, want float64) (chi float64) {
	for _, c := range counts {
		chi += (c - want) * (c - want) / want
	}
	return chi
}

func TestSubsetIsUniform(t *testing.T) {
	// 4 of 12 points, 3000 clouds: each point is expected 1000 times; chi-square with 11 degrees of
	// freedom.
	const n, m, k = 3000, 12, 4
	s := &Set{Name: "index", Clouds: n, Points: m, Dim: 1, Coords: make([]float32, n*m)}
	for i := range s.Coords {
		s.Coords[i] = float32(i % m)
	}
	sub := must.M1(s.Subset(k, 4))
	var counts [m]float64
	for _, v := range sub.Coords {
		counts[int(v)]++
	}
	if chi := chiSquare(counts[:], n*k/m); chi > 31 { // p = 0.001
		t.Errorf("chi-square %.1f", chi)
	}
}

func TestEpochOrder(t *testing.T) {
	for _, n := range []int{0, 1, 2, 33, 1000} {
		order := EpochOrder(n, 5, 3)
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		if !slices.Equal(sorted, identity(n)) {
			t.Fatalf("n = %d: not a permutation", n)
		}
		if !slices.Equal(order, EpochOrder(n, 5, 3)) {
			t.Fatalf("n = %d: not repeatable", n)
		}
	}
	if slices.Equal(EpochOrder(100, 5, 3), EpochOrder(100, 5, 4)) || slices.Equal(EpochOrder(100, 5, 3), EpochOrder(100, 6, 3)) {
		t.Error("the order must change with epoch and seed")
	}
	var first [10]float64
	for epoch := range 2000 {
		first[EpochOrder(10, 1, epoch)[0]]++
	}
	if chi := chiSquare(first[:], 200); chi > 27.9 { // p = 0.001, 9 degrees of freedom
		t.Errorf("first rows are not uniform over epochs: chi-square %.1f", chi)
	}
}

func TestBatches(t *testing.T) {
	order := EpochOrder(10, 1, 0)
	for size, want := range map[int][]int{4: {4, 4, 2}, 100: {10}, 5: {5, 5}, 0: {10}} {
		batches := Batches(order, size)
		var sizes []int
		for _, b := range batches {
			sizes = append(sizes, len(b))
		}
		if !slices.Equal(sizes, want) || !slices.Equal(slices.Concat(batches...), order) {
			t.Errorf("size %d: %v", size, batches)
		}
	}
	if b := Batches(nil, 5); len(b) != 0 {
		t.Errorf("no rows: %v", b)
	}
}

func TestPartSelects(t *testing.T) {
	s := randomSet(4, 3, 2, 1)
	for _, name := range []string{"train", "test", "all"} {
		p, err := s.Part(name)
		if err != nil || p.Clouds != 4 {
			t.Fatalf("%s of a set without parts: %v", name, err)
		}
	}
	s.Split = []uint8{TrainPart, TestPart, TrainPart, TestPart}
	s.Labels = []int32{0, 1, 2, 3}
	test, err := s.Part("test")
	if err != nil || !slices.Equal(test.Labels, []int32{1, 3}) || !slices.Equal(test.Cloud(1), s.Cloud(3)) {
		t.Errorf("test part: %v, %v", test, err)
	}
	all, _ := s.Part("all")
	if all.Clouds != 4 {
		t.Errorf("all: %d clouds", all.Clouds)
	}
	wantError(t, failure(s.Part("rest")), "rest", "train, test, val or all")
	s.Split = make([]uint8, 4)
	wantError(t, failure(s.Part("test")), "test part is empty")
}

func TestWithSplit(t *testing.T) {
	s := randomSet(53, 2, 2, 1)
	s.Labels = make([]int32, s.Clouds)
	for i := range s.Labels {
		s.Labels[i] = int32(i % 4)
	}
	held := s.WithSplit(0.2, 7)
	count, perClass := 0, map[int32]int{}
	for i, p := range held.Split {
		if p == TestPart {
			count++
			perClass[s.Labels[i]]++
		}
	}
	if count != 11 {
		t.Errorf("20 %% of 53 clouds: %d", count)
	}
	for class := range int32(4) { // 13 or 14 clouds each: 2.6 to 2.8 expected
		if n := perClass[class]; n < 2 || n > 3 {
			t.Errorf("class %d gives %d clouds", class, n)
		}
	}
	if s.Split != nil {
		t.Error("the set itself was changed")
	}
	if !slices.Equal(held.Split, s.WithSplit(0.2, 7).Split) || slices.Equal(held.Split, s.WithSplit(0.2, 8).Split) {
		t.Error("the split must depend on the seed alone")
	}
	tests := func(s *Set) (n int) {
		for _, p := range s.Split {
			n += int(p)
		}
		return n
	}
	two := randomSet(2, 2, 2, 1)
	for fraction, want := range map[float64]int{-1: 0, 0: 0, 0.01: 1, 0.99: 1, 1: 2, 2: 2} {
		if n := tests(two.WithSplit(fraction, 1)); n != want {
			t.Errorf("fraction %v of two clouds holds out %d, expected %d", fraction, n, want)
		}
	}
	if n := tests(randomSet(1, 2, 2, 1).WithSplit(0.5, 1)); n != 0 {
		t.Errorf("a single cloud must stay in train")
	}
}

func TestSummary(t *testing.T) {
	s := &Set{Name: "x", Clouds: 2, Points: 3, Dim: 2, Coords: []float32{0, 0, 3, 4, 0, 0, 1, 1, float32(math.NaN()), -2, 1, 1},
		Labels: []int32{1, 1}, Classes: []string{"a", "b"}, Split: []uint8{0, 2}, DegenerateFaces: []int32{3, 4}}
	got := s.Summary()
	want := "{2 3 2 [a b] [0 2] 1 0 1 [0 -2] [3 4] 2 5 2 1 7}"
	if text := fmt.Sprint(got); text != want {
		t.Errorf("found    %s\nexpected %s", text, want)
	}
	empty := (&Set{Dim: 3}).Summary()
	if empty.MinRadius != 0 || empty.Min[0] != 0 {
		t.Errorf("an empty set: %+v", empty)
	}
}

// TestFrames: normalising keeps the position of every cloud, through subsets, selections and
// folders, and undoing it restores the points.
func TestFrames(t *testing.T) {
	stored := load(t, write(t, "a.npy", cloudNPY(3, 20, 3, 1)), Options{Raw: true})
	for i := range stored.Coords {
		stored.Coords[i] = 4*stored.Coords[i] + float32(i%3)
	}
	if stored.Frames != nil {
		t.Errorf("clouds as stored have frames %v", stored.Frames)
	}
	file := filepath.Join(t.TempDir(), "b.npy")
	must.M(format.WriteNPY(file, stored.Coords, 3, 20, 3))
	whole, some := load(t, file, Options{}), load(t, file, Options{Points: 7})
	if len(whole.Frames) != 3 || len(some.Frames) != 3 || some.Frames[2].Scale != whole.Frames[2].Scale {
		t.Fatalf("frames %v, of a subset %v", whole.Frames, some.Frames)
	}
	if picked := whole.Select([]int{2, 0}); picked.Frames[1].Scale != whole.Frames[0].Scale {
		t.Errorf("frames of a selection %v", picked.Frames)
	}
	if joined := load(t, filepath.Dir(file), Options{}); len(joined.Frames) != 3 {
		t.Errorf("frames of a folder %v", joined.Frames)
	}
	if shapes, err := (Shapes{Train: 1, Points: 8}).Generate(); err != nil || len(shapes.Frames) != shapes.Clouds {
		t.Errorf("%d frames of the %d built-in shapes; %v", len(shapes.Frames), shapes.Clouds, err)
	}
	// Normalising again changes next to nothing, and the frames stay.
	must.M(whole.Normalize())
	for i, f := range whole.Frames {
		of, err := FrameOf(stored.Cloud(i), 3)
		if err != nil || math.Abs(f.Scale-of.Scale) > 1e-5*f.Scale || math.Abs(f.Offset()-of.Offset()) > 1e-5*f.Scale {
			t.Errorf("cloud %d: %v, expected %v, %v", i, f, of, err)
		}
		f.Undo(whole.Cloud(i))
		for j, v := range stored.Cloud(i) {
			if math.Abs(float64(v-whole.Cloud(i)[j])) > 1e-5*f.Scale {
				t.Fatalf("cloud %d: %v came back as %v", i, v, whole.Cloud(i)[j])
			}
		}
	}
	for _, bad := range [][]float32{nil, {1, 2}, {1, 1, 1, 1, 1, 1}, {0, 0, float32(math.NaN())}} {
		if _, err := FrameOf(bad, 3); err == nil {
			t.Errorf("%v has a frame", bad)
		}
	}
}

func TestSetDigest(t *testing.T) {
	s := randomSet(3, 2000, 3, 1) // more than one step
	h := sha256.New()
	must.M(binary.Write(h, binary.LittleEndian, s.Coords))
	if got := s.Digest(); got != hex.EncodeToString(h.Sum(nil)) {
		t.Errorf("digest %s", got)
	}
}

func TestSetRead(t *testing.T) {
	s := randomSet(5, 4, 3, 1)
	dst := make([]float32, 24)
	if err := s.Read(dst, []int32{3, 0}); err != nil || !slices.Equal(dst, append(slices.Clone(s.Cloud(3)), s.Cloud(0)...)) {
		t.Errorf("%v, %v", dst, err)
	}
	wantError(t, s.Read(dst, []int32{5, 0}), "random", "from 0 to 4, found 5")
	wantError(t, s.Read(dst[1:], []int32{1, 0}), "random", "24 coordinates, found room for 23")
}
