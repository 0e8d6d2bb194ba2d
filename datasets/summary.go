package datasets

import (
	"cmp"
	"math"
	"slices"
)

// Summary describes a set in numbers, as `swlab data info` prints it.
type Summary struct {
	Clouds   int      `json:"clouds"`
	Points   int      `json:"points"`
	Dim      int      `json:"dim"`
	Classes  []string `json:"class_names"` // by label, or nil
	PerClass []int    `json:"per_class"`   // clouds per label, or nil when the set has no labels
	Train    int      `json:"train"`       // clouds per part; all 0 when the parts are unknown
	Test     int      `json:"test"`
	Val      int      `json:"val"`
	// [Dim] smallest and largest finite coordinate per axis, over all clouds
	Min       []float64 `json:"min"`
	Max       []float64 `json:"max"`
	MinRadius float64   `json:"min_radius"` // smallest and largest over clouds of the cloud's largest norm
	MaxRadius float64   `json:"max_radius"`
	// Points equal to an earlier point of the same cloud, over all clouds.
	Duplicates int `json:"duplicates"`
	NonFinite  int `json:"non_finite"` // coordinates that are NaN or infinite
	// Faces without area in the meshes that the clouds were sampled from.
	DegenerateFaces int `json:"degenerate_faces"`
}

// Summary counts and measures the set. It does not fail: coordinates that are not finite are
// counted and excluded from the extents (an axis without any finite coordinate reports 0 and 0).
func (s *Set) Summary() Summary {
	sum := Summary{Clouds: s.Clouds, Points: s.Points, Dim: s.Dim, Classes: s.Classes, MinRadius: math.Inf(1)}
	sum.Min, sum.Max = make([]float64, s.Dim), make([]float64, s.Dim)
	for k := range s.Dim {
		sum.Min[k], sum.Max[k] = math.Inf(1), math.Inf(-1)
	}
	if s.Labels != nil {
		sum.PerClass = make([]int, len(s.Classes))
		for _, l := range s.Labels {
			for int(l) >= len(sum.PerClass) {
				sum.PerClass = append(sum.PerClass, 0)
			}
			if l >= 0 {
				sum.PerClass[l]++
			}
		}
	}
	for _, p := range s.Split {
		switch p {
		case TestPart:
			sum.Test++
		case ValPart:
			sum.Val++
		default:
			sum.Train++
		}
	}
	for _, n := range s.DegenerateFaces {
		sum.DegenerateFaces += int(n)
	}
	order := make([]int32, s.Points)
	for i := range s.Clouds {
		cloud := s.Positions(i)
		radius := 0.0
		for j := 0; j < len(cloud); j += s.Dim {
			norm := 0.0
			for k := range s.Dim {
				v := cloud[j+k]
				if math.IsNaN(v) || math.IsInf(v, 0) {
					sum.NonFinite++
					continue
				}
				sum.Min[k], sum.Max[k] = min(sum.Min[k], v), max(sum.Max[k], v)
				norm += v * v
			}
			radius = max(radius, norm)
		}
		radius = math.Sqrt(radius)
		sum.MinRadius, sum.MaxRadius = min(sum.MinRadius, radius), max(sum.MaxRadius, radius)
		sum.Duplicates += duplicates(s.Cloud(i), s.Dim, order)
	}
	for k := range s.Dim {
		if sum.Min[k] > sum.Max[k] { // no finite coordinate on this axis
			sum.Min[k], sum.Max[k] = 0, 0
		}
	}
	if s.Clouds == 0 {
		sum.MinRadius = 0
	}
	return sum
}

// duplicates counts the points of a cloud [points, d] that equal one with a lower index. order is
// scratch of length points.
func duplicates(cloud []float32, d int, order []int32) int {
	for j := range order {
		order[j] = int32(j)
	}
	compare := func(a, b int32) int {
		p, q := cloud[int(a)*d:int(a)*d+d], cloud[int(b)*d:int(b)*d+d]
		for k := range p {
			if c := cmp.Compare(p[k], q[k]); c != 0 {
				return c
			}
		}
		return 0
	}
	slices.SortFunc(order, compare)
	count := 0
	for j := 1; j < len(order); j++ {
		if compare(order[j-1], order[j]) == 0 {
			count++
		}
	}
	return count
}
