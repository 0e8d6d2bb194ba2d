package datasets

import (
	"fmt"
	"math"
)

// TrainPart and TestPart are the two values in [Set.Split].
const (
	TrainPart uint8 = 0
	TestPart  uint8 = 1
)

// Set is a set of point clouds in memory, all with the same number of points.
type Set struct {
	Name    string    // "builtin" or the path given to Load
	Kind    string    // "builtin", "npy", "npz", "h5", "mesh", "meshes" or "folder"
	Points  []float32 // coordinates, row-major [N, M, D]
	N, M, D int       // clouds, points per cloud, coordinates per point
	Labels  []int32   // [N] class of each cloud, or nil where unknown
	Classes []string  // class names by label, or nil
	Split   []uint8   // [N] TrainPart or TestPart, or nil where unknown
}

// Cloud returns cloud i as a view of its M*D coordinates, row-major [M, D]. Writing to it changes the set.
func (s *Set) Cloud(i int) []float32 {
	size := s.M * s.D
	return s.Points[i*size : (i+1)*size : (i+1)*size]
}

// Select returns a copy of the clouds at rows, in that order, with their labels and parts. A row may appear more than
// once. Rows must lie in [0, N).
func (s *Set) Select(rows []int) *Set {
	out := &Set{Name: s.Name, Kind: s.Kind, N: len(rows), M: s.M, D: s.D, Classes: s.Classes}
	out.Points = make([]float32, 0, len(rows)*s.M*s.D)
	for _, r := range rows {
		out.Points = append(out.Points, s.Cloud(r)...)
	}
	if s.Labels != nil {
		out.Labels = make([]int32, len(rows))
		for i, r := range rows {
			out.Labels[i] = s.Labels[r]
		}
	}
	if s.Split != nil {
		out.Split = make([]uint8, len(rows))
		for i, r := range rows {
			out.Split[i] = s.Split[r]
		}
	}
	return out
}

// Part returns the clouds of one part, "train", "test" or "all", in stored order. When the set does not know its parts
// (Split is nil) every name gives all clouds: the caller decides with [Set.WithSplit] whether to hold some out. "all"
// and sets without parts return s itself; other parts are copies. An empty part is an error.
func (s *Set) Part(name string) (*Set, error) {
	var want uint8
	switch name {
	case "all":
		return s, nil
	case "train":
		want = TrainPart
	case "test":
		want = TestPart
	default:
		return nil, fmt.Errorf("split %q: expected train, test or all", name)
	}
	if s.Split == nil {
		return s, nil
	}
	var rows []int
	for i, p := range s.Split {
		if p == want {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the %s part is empty (all %d clouds are in the other part)", s.Name, name, s.N)
	}
	return s.Select(rows), nil
}

// WithSplit returns a set that shares the clouds of s and holds out about fraction of them as test part, replacing any
// parts s had. The choice depends only on (N, Labels, fraction, seed): the clouds are put in a seeded random order,
// gathered by class where labels are known, and c = round(fraction*N) of them, evenly spaced in that order, become
// test. So every class gives its share to within one cloud. For 0 < fraction < 1 and N >= 2 both parts get at least one
// cloud; fraction <= 0 puts all in train and fraction >= 1 all in test.
func (s *Set) WithSplit(fraction float64, seed uint64) *Set {
	out := *s
	out.Split = make([]uint8, s.N)
	held := 0
	switch {
	case fraction >= 1:
		held = s.N
	case fraction > 0:
		held = int(math.Round(fraction * float64(s.N)))
		held = min(max(held, 1), s.N-1)
	}
	if held <= 0 {
		return &out
	}
	random := newStream(seed, hashName("split"))
	order := identity(s.N)
	random.shuffle(order, s.N)
	order = gatherByClass(order, s.Labels)
	for i, row := range order {
		if (i+1)*held/s.N > i*held/s.N {
			out.Split[row] = TestPart
		}
	}
	return &out
}

// gatherByClass reorders rows so that equal labels are adjacent, keeping the order inside a class and the order in
// which classes first appear.
func gatherByClass(rows, labels []int32) []int32 {
	if labels == nil {
		return rows
	}
	members := map[int32][]int32{}
	var seen []int32
	for _, r := range rows {
		class := labels[r]
		if _, ok := members[class]; !ok {
			seen = append(seen, class)
		}
		members[class] = append(members[class], r)
	}
	out := make([]int32, 0, len(rows))
	for _, class := range seen {
		out = append(out, members[class]...)
	}
	return out
}

// Validate checks that the fields agree with each other and that every coordinate is finite. Errors name the set, the
// field or the cloud, what was expected and what was found.
func (s *Set) Validate() error {
	if s.N < 1 || s.M < 1 || s.D < 1 {
		return fmt.Errorf("%s: shape [%d %d %d]: expected at least one cloud, one point and one coordinate", s.Name, s.N, s.M, s.D)
	}
	if want, ok := product(s.N, s.M, s.D); !ok || want != len(s.Points) {
		return fmt.Errorf("%s: shape [%d %d %d] needs N*M*D coordinates, found %d", s.Name, s.N, s.M, s.D, len(s.Points))
	}
	if s.Labels != nil && len(s.Labels) != s.N {
		return fmt.Errorf("%s: %d labels for %d clouds", s.Name, len(s.Labels), s.N)
	}
	if s.Split != nil && len(s.Split) != s.N {
		return fmt.Errorf("%s: %d split entries for %d clouds", s.Name, len(s.Split), s.N)
	}
	for i, l := range s.Labels {
		if l < 0 {
			return fmt.Errorf("%s: label %d of cloud %d is negative", s.Name, l, i)
		}
		if s.Classes != nil && int(l) >= len(s.Classes) {
			return fmt.Errorf("%s: label %d of cloud %d has no class name: %d classes are named", s.Name, l, i, len(s.Classes))
		}
	}
	for i, p := range s.Split {
		if p != TrainPart && p != TestPart {
			return fmt.Errorf("%s: split entry %d of cloud %d: expected %d (train) or %d (test)", s.Name, p, i, TrainPart, TestPart)
		}
	}
	for i := range s.N {
		if err := checkFinite(s.Cloud(i), s.D); err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.Name, i, err)
		}
	}
	return nil
}

// checkFinite reports the first coordinate of a cloud [m, d] that is NaN or infinite.
func checkFinite(cloud []float32, d int) error {
	for j, v := range cloud {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("point %d, coordinate %d: expected a finite number, found %v", j/d, j%d, v)
		}
	}
	return nil
}

// product multiplies sizes; ok is false when one is negative or the result does not fit an int.
func product(sizes ...int) (p int, ok bool) {
	p, zero := 1, false
	for _, n := range sizes {
		switch {
		case n < 0:
			return 0, false
		case n == 0:
			zero = true
		case p > math.MaxInt/n:
			if !zero {
				p = -1
			}
		case p > 0:
			p *= n
		}
	}
	if zero {
		return 0, true
	}
	return p, p > 0
}

// identity returns 0, 1, ..., n-1.
func identity(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(i)
	}
	return v
}
