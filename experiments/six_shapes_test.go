package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
)

func TestSixShapes(t *testing.T) {
	set := must.M1(datasets.Shapes{Train: 2, Test: 0, Points: 8, Classes: datasets.ShapeClasses()[:30]}.Generate())
	six, rows := must.M2(SixShapes(set))
	order := datasets.EpochOrder(60, 123, 0)
	want := []int32{order[0], order[3], order[7], order[8], order[34], order[42]}
	if !slices.Equal(rows, want) || six.Clouds != 6 || six.Validate() != nil {
		t.Errorf("rows %v, want %v; %d clouds, %v", rows, want, six.Clouds, six.Validate())
	}
	for i, row := range rows {
		if !slices.Equal(six.Cloud(i), set.Cloud(int(row))) || six.Labels[i] != set.Labels[row] {
			t.Errorf("cloud %d is not cloud %d of the set", i, row)
		}
	}
	few := set.Select(make([]int, 49))
	if _, _, err := SixShapes(few); err == nil || !strings.Contains(err.Error(), "first 50 of the shuffled clouds, found 49 clouds") {
		t.Errorf("error %v", err)
	}
}
