package datasets

import "fmt"

// inMemory is the Name and the Kind of sets made from values.
const inMemory = "memory"

// New returns the set of clouds with the coordinates flat, float32 or float64, row-major in that shape: [points, dim]
// for one cloud, or [clouds, points, dim]. The coordinates are not normalised ([Set.Normalize] does
// that). A flat of float32 is shared, not copied: the set changes with it. float64 is rounded, for
// clouds far from 0 relative to their origins ([Set.Origins]). Set Name to find the set in error
// messages.
//
// It is an error if the shape has another rank, no points or does not fit len(flat), or if
// coordinates are not finite.
func New[T float32 | float64](flat []T, shape ...int) (*Set, error) {
	set, err := newSet(inMemory, inMemory, flat, shape)
	if err != nil {
		return nil, err
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	return set, nil
}

// FromSlices returns the set of the clouds points[cloud][point][coordinate], copied and otherwise
// as in [New]. All clouds need the same number of points and all points the same number of
// coordinates. The error names the first that differs.
func FromSlices[T float32 | float64](points [][][]T) (*Set, error) {
	if len(points) == 0 || len(points[0]) == 0 || len(points[0][0]) == 0 {
		return nil, fmt.Errorf("%s: expected at least one cloud, one point and one coordinate, found none", inMemory)
	}
	n, m, d := len(points), len(points[0]), len(points[0][0])
	flat := make([]T, 0, n*m*d)
	for i, cloud := range points {
		if len(cloud) != m {
			return nil, fmt.Errorf("%s: cloud %d: expected %d points like cloud 0, found %d", inMemory, i, m, len(cloud))
		}
		for j, point := range cloud {
			if len(point) != d {
				return nil, fmt.Errorf("%s: cloud %d, point %d: expected %d coordinates like the first point, found %d", inMemory,
					i, j, d, len(point))
			}
			flat = append(flat, point...)
		}
	}
	return New(flat, n, m, d)
}
