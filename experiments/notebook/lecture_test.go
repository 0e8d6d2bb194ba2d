package notebook

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
)

// TestLecture: the helpers of the lectures against closed forms.
func TestLecture(t *testing.T) {
	if full, short := (&Session{}).Size(7, 3), (&Session{Fast: true}).Size(7, 3); full != 7 || short != 3 {
		t.Errorf("sizes %d and %d", full, short)
	}
	two := must.M1(datasets.Shapes{Test: 1, Points: 16, Classes: []string{"guitar", "mug"}}.Generate())
	for i, class := range []string{"guitar", "mug"} {
		one, err := Shape(class, 16)
		if err != nil || one.Clouds != 1 || !slices.Equal(one.Coords, two.Cloud(i)) {
			t.Errorf("%s: not that of the whole test part (%v)", class, err)
		}
	}
	x := must.M1(Shape("chair", 16))
	y := x.Select([]int{0})
	for i := 2; i < len(y.Coords); i += 3 {
		y.Coords[i] += 0.5 // a translation by 0.5 along z costs 0.25 there and nothing across
	}
	f, err := SliceCosts(x, y, []float32{0, 0, 1, 1, 0, 0})
	if err != nil || math.Abs(f[0]-0.25) > 1e-6 || f[1] != 0 {
		t.Errorf("costs %v, %v, expected 0.25 and 0", f, err)
	}
	for _, directions := range [][]float32{{1, 0}, nil} {
		if f, err := SliceCosts(x, y, directions); err == nil {
			t.Errorf("directions %v cost %v", directions, f)
		}
	}
	if a := Angle([]float32{2, 0, 0}, []float32{-1, 0, 0}); a != 0 {
		t.Errorf("opposite directions: %v degrees", a)
	}
	if a := Angle([]float32{1, 0, 0}, []float32{-1, 1, 0}); math.Abs(a-45) > 1e-4 {
		t.Errorf("axes of directions 135 degrees apart: %v degrees", a)
	}
	if a := Angle([]float32{1, 0, 0}, []float32{1, 1e-5, 0}); math.Abs(a/(1e-5*180/math.Pi)-1) > 1e-4 {
		t.Errorf("a small angle: %v degrees", a)
	}
	if a := Angle([]float32{1}, []float32{1, 0}); !math.IsNaN(a) {
		t.Errorf("unequal lengths: %v", a)
	}
}

func ExampleSliceCosts() {
	x := must.M1(Shape("chair", 64))
	f, err := SliceCosts(x, x, []float32{0, 0, 1})
	fmt.Println(f, err)
	// Output: [0] <nil>
}
