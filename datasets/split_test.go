package datasets

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"pgregory.net/rapid"
)

func partSizes(s *Set) (sizes [3]int) {
	for _, p := range s.Split {
		sizes[p]++
	}
	return sizes
}

// TestChairSplit has the sizes of protocol section 4: 6,778 chairs are 5,763 + 338 + 677.
func TestChairSplit(t *testing.T) {
	chairs := randomSet(6778, 1, 1, 1)
	split := must.M1(chairs.WithRandomSplit(0.05, 0.10, 7))
	if sizes := partSizes(split); sizes != [3]int{TrainPart: 5763, TestPart: 677, ValPart: 338} {
		t.Errorf("sizes (train, test, val) %v", sizes)
	}
	if *split.SplitDraw != (Draw{0.05, 0.10, 7}) || chairs.Split != nil || chairs.SplitDraw != nil {
		t.Errorf("recorded %v, the set itself %v", split.SplitDraw, chairs.SplitDraw)
	}
	again, _ := chairs.WithRandomSplit(0.05, 0.10, 7)
	other, _ := chairs.WithRandomSplit(0.05, 0.10, 8)
	if !slices.Equal(split.Split, again.Split) || slices.Equal(split.Split, other.Split) {
		t.Error("the parts must depend on the seed alone")
	}
	val, err := split.Part("val")
	if err != nil || val.Clouds != 338 || val.SplitDraw == nil || partSizes(val)[ValPart] != 338 {
		t.Errorf("validation part: %v, %v", val, err)
	}
}

// TestRandomSplitIsPinned: every later version must reproduce a published split.
func TestRandomSplitIsPinned(t *testing.T) {
	s := must.M1(randomSet(20, 1, 1, 1).WithRandomSplit(0.15, 0.25, 3))
	if want := []uint8{0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 2, 0, 0, 1, 1, 0, 0, 2, 2, 0}; !slices.Equal(s.Split, want) {
		t.Errorf("found %v, expected %v", s.Split, want)
	}
}

func TestRandomSplitKeepsTheShareOfEveryClass(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := randomSet(rapid.IntRange(1, 200).Draw(rt, "n"), 1, 1, 1)
		classes := rapid.IntRange(1, 5).Draw(rt, "classes")
		s.Labels = make([]int32, s.Clouds)
		members := make([]float64, classes)
		for i := range s.Labels {
			s.Labels[i] = int32(rapid.IntRange(0, classes-1).Draw(rt, "label"))
			members[s.Labels[i]]++
		}
		val := rapid.Float64Range(0, 0.5).Draw(rt, "val")
		test := rapid.Float64Range(0, 0.5).Draw(rt, "test")
		out := must.M1(s.WithRandomSplit(val, test, rapid.Uint64().Draw(rt, "seed")))
		sizes := partSizes(out)
		for part, fraction := range map[uint8]float64{ValPart: val, TestPart: test} {
			if got, exact := float64(sizes[part]), fraction*float64(s.Clouds); got > exact+1e-9 || got < exact-1 {
				rt.Fatalf("%s: %v of %v clouds, expected floor(%v)", partNames[part], got, s.Clouds, exact)
			}
			share := make([]float64, classes)
			for i, p := range out.Split {
				if p == part {
					share[s.Labels[i]]++
				}
			}
			within := map[uint8]float64{TestPart: 1, ValPart: 2}[part]
			for c := range share {
				exact := members[c] * float64(sizes[part]) / float64(s.Clouds)
				if share[c] < exact-within || share[c] > exact+within {
					rt.Fatalf("%s: class %d gives %v clouds of %v, expected about %v", partNames[part], c, share[c], members[c], exact)
				}
			}
		}
	})
}

func TestRandomSplitSizes(t *testing.T) {
	// Products that rounding puts below the integer, and one that is below it.
	for _, c := range []struct {
		n         int
		val, test float64
		want      [3]int
	}{{100, 0.29, 0.57, [3]int{14, 57, 29}}, {10, 0.3, 0.7, [3]int{0, 7, 3}}, {10, 0.05, 0.99, [3]int{}}, {3, 0, 0, [3]int{3, 0, 0}}, {1, 0, 1, [3]int{0, 1, 0}}} {
		s, err := randomSet(c.n, 1, 1, 1).WithRandomSplit(c.val, c.test, 1)
		if c.val+c.test > 1 {
			wantError(t, err, "0.05", "0.99", "at most 1")
			continue
		}
		if err != nil || partSizes(s) != c.want {
			t.Errorf("%+v: found %v, %v", c, partSizes(s), err)
		}
	}
	nan := randomSet(1, 1, 1, 1)
	for _, bad := range [][2]float64{{-0.1, 0.2}, {0.2, -0.1}, {0, math.NaN()}} {
		wantError(t, failure(nan.WithRandomSplit(bad[0], bad[1], 1)), "fractions")
	}
}

// TestHoldOut: a share of the train part becomes the val part. Nothing changes without a share, and
// the set itself never does.
func TestHoldOut(t *testing.T) {
	set := randomSet(40, 3, 3, 1)
	set.Split, set.SplitDraw = make([]uint8, 40), &Draw{}
	for i := range set.Split {
		set.Split[i] = uint8(i % 4 / 3) // every fourth is of the test part
	}
	held := must.M1(set.HoldOut(0.1, 1))
	for name, want := range map[string]int{"train": 27, "val": 3, "test": 10} {
		if part, err := held.Part(name); err != nil || part.Clouds != want {
			t.Errorf("%s: %v, expected %d clouds: %v", name, part, want, err)
		}
	}
	if slices.Contains(set.Split, ValPart) || held.SplitDraw != nil {
		t.Error("the set has changed, or its parts are said to be drawn as before")
	}
	if same, err := set.HoldOut(0, 1); err != nil || same != set {
		t.Errorf("without a share: %v, %v", same, err)
	}
	set.Split = nil
	if val, err := must.M1(set.HoldOut(0.1, 1)).Part("val"); err != nil || val.Clouds != 4 {
		t.Errorf("a set without parts: %v, %v", val, err)
	}
	if _, err := (&Set{Name: "a", Clouds: 1, Points: 1, Dim: 1, Coords: []float32{0}, Split: []uint8{TestPart}}).HoldOut(0.1, 1); err == nil {
		t.Error("held out of an empty train part")
	}
}
