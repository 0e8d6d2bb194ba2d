package datasets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// The values in [Set.Split].
const (
	TrainPart uint8 = 0
	TestPart  uint8 = 1
	ValPart   uint8 = 2
)

// partNames are the names of the parts by their values.
var partNames = []string{"train", "test", "val"}

const partCodes = "0 (train), 1 (test) or 2 (val)"

// Draw records how the parts of a set were drawn, so that a result can name them.
type Draw struct {
	Val, Test float64 // fractions asked for
	Seed      uint64
}

// Part returns the clouds of one part, "train", "test", "val" or "all", in stored order. If the
// parts are unknown (Split is nil), every name gives all clouds: use [Set.WithSplit] or
// [Set.WithRandomSplit] to hold some out. "all" and sets without parts return s itself; other parts
// are copies. An empty part is an error.
func (s *Set) Part(name string) (*Set, error) {
	want := slices.Index(partNames, name)
	if want < 0 && name != "all" {
		return nil, fmt.Errorf("split %q: expected train, test, val or all", name)
	}
	if name == "all" || s.Split == nil {
		return s, nil
	}
	var rows []int
	for i, p := range s.Split {
		if int(p) == want {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the %s part is empty (all %d clouds are in other parts)", s.Name, name, s.Clouds)
	}
	return s.Select(rows), nil
}

// WithSplit returns a set that shares the clouds of s and holds out about fraction of them as test
// part, replacing any parts of s. The choice depends only on (Clouds, Labels, fraction, seed). The
// clouds are put in a seeded random order, grouped by class if labels are known, and c =
// round(fraction*Clouds) of them, evenly spaced in that order, become test. So every class gives
// its share to within one cloud. For 0 < fraction < 1 and at least two clouds both parts get at
// least one cloud; fraction <= 0 puts all in train and fraction >= 1 all in test.
func (s *Set) WithSplit(fraction float64, seed uint64) *Set {
	held := 0
	switch {
	case fraction >= 1:
		held = s.Clouds
	case fraction > 0:
		held = int(math.Round(fraction * float64(s.Clouds)))
		held = min(max(held, 1), s.Clouds-1)
	}
	out := *s
	out.Split, out.SplitDraw = s.draw(0, max(held, 0), seed), &Draw{Test: fraction, Seed: seed}
	return &out
}

// WithRandomSplit returns a set that shares the clouds of s, of which floor(val*Clouds) become the
// validation part, floor(test*Clouds) the test part and the others the train part, replacing any
// parts of s. The choice depends only on (Clouds, Labels, val, test, seed). Every class gives its
// share of test to within one cloud, as in [Set.WithSplit], and of val to within two. The paper's
// 6,778 chairs with (0.05, 0.10) give its 338, 677 and 5,763 (protocol section 4); its seed is not
// known. The draw is recorded in SplitDraw. Fractions below 0 or with a sum above 1 are an error.
func (s *Set) WithRandomSplit(val, test float64, seed uint64) (*Set, error) {
	if !(val >= 0 && test >= 0 && val+test <= 1) {
		return nil, fmt.Errorf("parts: expected fractions of at least 0 with a sum of at most 1, found val %v and test %v",
			val, test)
	}
	// 0.29*100 is 28.999...: a product that misses an integer only by rounding counts as that
	// integer.
	floor := func(fraction float64) int { return int(math.Floor(fraction*float64(s.Clouds) + 1e-9)) }
	out := *s
	out.Split, out.SplitDraw = s.draw(floor(val), floor(test), seed), &Draw{val, test, seed}
	return &out, nil
}

// HoldOut returns the clouds of s with floor(val*n) of its n train clouds as val part instead, drawn
// as by [Set.WithRandomSplit]; without parts all are train clouds. With a val of 0 it is s itself. The
// result shares the clouds of s.
func (s *Set) HoldOut(val float64, seed uint64) (*Set, error) {
	if val == 0 {
		return s, nil
	}
	out := *s
	out.SplitDraw = nil
	if out.Split = slices.Clone(s.Split); out.Split == nil {
		out.Split = make([]uint8, s.Clouds)
	}
	train, err := out.Part("train")
	if err != nil {
		return nil, err
	}
	if train, err = train.WithRandomSplit(val, 0, seed); err != nil {
		return nil, err
	}
	next := 0
	for i, p := range out.Split {
		if p == TrainPart {
			out.Split[i] = train.Split[next]
			next++
		}
	}
	return &out, nil
}

// draw returns parts with the given sizes.
func (s *Set) draw(val, test int, seed uint64) []uint8 {
	split := make([]uint8, s.Clouds)
	order := identity(s.Clouds)
	rng.New(seed, rng.Hash("split")).Shuffle(order, s.Clouds)
	order = gatherByClass(order, s.Labels)
	order = hold(split, order, test, TestPart)
	hold(split, order, val, ValPart)
	return split
}

// hold marks count rows of the order, evenly spaced, as part and returns the others.
func hold(split []uint8, order []int32, count int, part uint8) (rest []int32) {
	for i, row := range order {
		if (i+1)*count/len(order) > i*count/len(order) {
			split[row] = part
		} else {
			rest = append(rest, row)
		}
	}
	return rest
}

// gatherByClass reorders rows so that equal labels are adjacent. It keeps the order within a class
// and the order in which classes first appear.
func gatherByClass(rows, labels []int32) []int32 {
	if labels == nil {
		return rows
	}
	first := map[int32]int{}
	for i, r := range rows {
		if _, ok := first[labels[r]]; !ok {
			first[labels[r]] = i
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(first[labels[a]], first[labels[b]]) })
	return rows
}
