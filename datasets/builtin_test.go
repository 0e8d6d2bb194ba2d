package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// shapesChecksum is the SHA-256 of all coordinates of the default set in units of 1e-4, rounded, as
// little-endian int16. The rounding makes it independent of a platform's fused multiply-add. If it
// changes, ShapesVersion must change too.
const shapesChecksum = "f7b66009daf3993afea8003735784093958935e84b3d66ad323e88645d4a96b0"

func TestShapesChecksum(t *testing.T) {
	s := load(t, Builtin, Options{})
	wantShape(t, s, Builtin, 32*40, 2048, 3)
	buffer := make([]byte, 0, 2*len(s.Coords))
	for _, v := range s.Coords {
		buffer = binary.LittleEndian.AppendUint16(buffer, uint16(int16(math.Round(float64(v)*1e4))))
	}
	sum := sha256.Sum256(buffer)
	if got := hex.EncodeToString(sum[:]); got != shapesChecksum {
		t.Errorf("%s has the checksum %s, expected %s", ShapesVersion, got, shapesChecksum)
	}
	checkNormalized(t, s)
	names := ShapeClasses()
	if len(names) < 24 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("classes %v", names)
	}
	if !slices.Equal(s.Classes, names) {
		t.Errorf("the set has the classes %v", s.Classes)
	}
	sum2 := s.Summary()
	if sum2.Train != 1024 || sum2.Test != 256 {
		t.Errorf("%d train and %d test clouds", sum2.Train, sum2.Test)
	}
	for class, n := range sum2.PerClass {
		if n != 40 {
			t.Errorf("class %s has %d clouds", names[class], n)
		}
	}
	few := must.M1(s.Subset(64, 1))
	if sub := load(t, Builtin, Options{Points: 64, Seed: 1}); !slices.Equal(sub.Coords, few.Coords) {
		t.Error("64 points of each shape are not a subset by the seed")
	}
}

func TestShapesDoNotDependOnSchedulingOrSize(t *testing.T) {
	classes := []string{"car", "tree", "bicycle"}
	big := must.M1(Shapes{Train: 3, Test: 2, Points: 300, Classes: classes, Raw: true}.Generate())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	small := must.M1(Shapes{Train: 1, Test: 1, Points: 200, Classes: classes[1:], Raw: true}.Generate())
	if !slices.Equal(small.Split, []uint8{0, 1, 0, 1}) || !slices.Equal(small.Classes, classes[1:]) || !slices.Equal(small.Labels, []int32{0, 0, 1, 1}) {
		t.Errorf("found %v %v %v", small.Split, small.Classes, small.Labels)
	}
	// Tree 0 of train and test, bicycle 0 of train and test.
	for i, row := range []int{5, 8, 10, 13} {
		if !slices.Equal(small.Cloud(i), big.Cloud(row)[:600]) {
			t.Errorf("cloud %d of the small set is not the start of cloud %d of the big one", i, row)
		}
	}
}

func TestShapesVaryInsideAClass(t *testing.T) {
	s := must.M1(Shapes{Train: 12, Points: 256, Raw: true}.Generate())
	for class := range len(s.Classes) {
		// Extents of the shapes, in thousandths: almost all of a class must differ.
		seen := map[[3]int]bool{}
		for i := range 12 {
			one := s.Select([]int{12*class + i})
			sum := one.Summary()
			var size [3]int
			for k := range 3 {
				size[k] = int(1000 * (sum.Max[k] - sum.Min[k]))
			}
			seen[size] = true
		}
		if len(seen) < 11 {
			t.Errorf("class %s: only %d different sizes among 12 shapes", s.Classes[class], len(seen))
		}
	}
}

func TestShapesErrors(t *testing.T) {
	if more, err := (Shapes{Train: 1, Points: 3000, Classes: []string{"mug"}}).Generate(); err != nil || more.Points != 3000 || more.Clouds != 1 {
		t.Errorf("more points than the default: %v", err)
	}
	wantError(t, failure(Shapes{Classes: []string{"unicorn"}}.Generate()), "unicorn", "aeroplane")
	wantError(t, failure(Shapes{Train: -1}.Generate()), "-1 train")
	wantError(t, failure(Shapes{Classes: []string{}}.Generate()), "0 classes")
	wantError(t, failure(Shapes{Train: math.MaxInt / 2, Test: 1}.Generate()), "at most")
	wantError(t, failure(Shapes{Train: 1, Points: 1, Classes: []string{"mug"}}.Generate()), "class mug", "zero extent")
}
