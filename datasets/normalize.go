package datasets

import (
	"errors"
	"fmt"
	"math"
)

// Normalize centres and scales every cloud in place (protocol section 4):
//
//	x_i <- (x_i - c) / r,   c = (1/m) sum_j x_j,   r = max_j |x_j - c|
//
// with sums and norms in float64. Afterwards the centroid is 0 and the largest norm is 1, to float32 rounding. A cloud
// with a NaN or an infinity, or whose points are all equal, is an error that names it; the clouds before it have been
// changed by then, those from it on have not.
func (s *Set) Normalize() error {
	if s == nil {
		return errNoSet
	}
	if want, ok := product(s.N, s.M, s.D); !ok || want != len(s.Points) || want == 0 {
		return fmt.Errorf("%s: shape [%d %d %d] does not fit %d coordinates", s.Name, s.N, s.M, s.D, len(s.Points))
	}
	for i := range s.N {
		if err := normalizeCloud(s.Cloud(i), s.D); err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.Name, i, err)
		}
	}
	return nil
}

var errZeroExtent = errors.New("zero extent: all points are equal, so there is no radius to scale by")

// normalizeCloud is Normalize for one cloud [m, d]; on error the cloud is unchanged.
func normalizeCloud(cloud []float32, d int) error {
	if err := checkFinite(cloud, d); err != nil {
		return err
	}
	if allEqual(cloud, d) {
		return errZeroExtent
	}
	m := len(cloud) / d
	mean := make([]float64, d)
	for j := 0; j < len(cloud); j += d {
		for k := range d {
			mean[k] += float64(cloud[j+k])
		}
	}
	for k := range mean {
		mean[k] /= float64(m)
	}
	largest := 0.0
	for j := 0; j < len(cloud); j += d {
		sum := 0.0
		for k := range d {
			v := float64(cloud[j+k]) - mean[k]
			sum += float64(v * v)
		}
		largest = max(largest, sum)
	}
	radius := math.Sqrt(largest)
	for j := 0; j < len(cloud); j += d {
		for k := range d {
			cloud[j+k] = float32((float64(cloud[j+k]) - mean[k]) / radius)
		}
	}
	return nil
}

// allEqual reports whether every point equals the first.
func allEqual(cloud []float32, d int) bool {
	for j := d; j < len(cloud); j++ {
		if cloud[j] != cloud[j-d] {
			return false
		}
	}
	return true
}
