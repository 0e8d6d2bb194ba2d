package notebook

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
)

// Pair returns a built-in cloud of either class, [1, points, 3] each, centred and of radius 1: two clouds for a lecture, the same on every
// machine. datasets.ShapeClasses lists the classes.
func Pair(points int, first, second string) (x, y *datasets.Set, err error) {
	if first == second {
		return nil, nil, fmt.Errorf("pair: expected two classes, found %q twice", first)
	}
	if points < 1 {
		return nil, nil, fmt.Errorf("pair: expected points >= 1, found %d", points)
	}
	set, err := datasets.Shapes{Test: 1, Points: points, Classes: []string{first, second}}.Generate()
	if err != nil {
		return nil, nil, err
	}
	return set.Select([]int{0}), set.Select([]int{1}), nil
}
