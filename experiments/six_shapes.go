package experiments

import (
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
)

// sixOf and sixPositions locate PC1, ..., PC6 of table:full_reconstruction_quantitative: positions,
// from 0, among the first clouds of a shuffled training set.
const sixOf = 50

var sixPositions = [6]int{0, 3, 7, 8, 34, 42}

// SixShapes returns the clouds that stand for the paper's six training shapes PC1, ..., PC6, and
// their rows in train. They are at positions 0, 3, 7, 8, 34 and 42 of the set shuffled with seed
// 123 (protocol section 7). The shuffle is [datasets.EpochOrder], because the paper's cannot be
// repeated outside its library: the shapes differ from the paper's, the way of choosing them does
// not. Sets of fewer than 50 clouds are an error.
func SixShapes(train *datasets.Set) (*datasets.Set, []int32, error) {
	if train.Clouds < sixOf {
		return nil, nil, fmt.Errorf("%s: the six shapes are chosen among the first %d of the shuffled clouds, found %d clouds", train.Name, sixOf, train.Clouds)
	}
	order := datasets.EpochOrder(train.Clouds, 123, 0)
	var rows []int32
	for _, at := range sixPositions {
		rows = append(rows, order[at])
	}
	six := &datasets.Set{Name: train.Name, Kind: train.Kind, Clouds: len(rows), Points: train.Points, Dim: train.Dim, Coords: make([]float32, len(rows)*train.Points*train.Dim), Classes: train.Classes}
	if train.Labels != nil {
		for _, row := range rows {
			six.Labels = append(six.Labels, train.Labels[row])
		}
	}
	return six, rows, train.Read(six.Coords, rows)
}
