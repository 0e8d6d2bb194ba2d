package vmfviz

import (
	"math"
	"sort"
)

// nearestDistances returns, for each point of the cloud, the distance to the nearest
// point of the target. It looks to both sides along the first axis, until no
// point further on can be nearer.
func nearestDistances(cloud, target []float32) []float64 {
	sorted := make([]vec3, len(target)/3)
	for i := range sorted {
		sorted[i] = row3(target, i)
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i][0] < sorted[j][0] })
	out := make([]float64, len(cloud)/3)
	for i := range out {
		p := row3(cloud, i)
		best := math.Inf(1)
		near := func(q vec3) (more bool) {
			d := q.sub(p)
			best = math.Min(best, dot(d, d))
			return d[0]*d[0] < best
		}
		from := sort.Search(len(sorted), func(k int) bool { return sorted[k][0] >= p[0] })
		for k := from; k < len(sorted) && near(sorted[k]); k++ {
		}
		for k := from - 1; k >= 0 && near(sorted[k]); k-- {
		}
		out[i] = math.Sqrt(best)
	}
	return out
}

// cloudErrors returns errors[i][j][k], the distance of point k of cloud j of row
// i to the first row's cloud j, for rows with Errors, and the largest of all;
// nil if there is no such row.
func cloudErrors(rows []CloudRow) (errors [][][]float64, largest float64) {
	for i, r := range rows {
		if !r.Errors {
			continue
		}
		if errors == nil {
			errors = make([][][]float64, len(rows))
		}
		errors[i] = make([][]float64, len(r.Clouds))
		for j, c := range r.Clouds {
			if c == nil {
				continue
			}
			errors[i][j] = nearestDistances(c, rows[0].Clouds[j])
			for _, e := range errors[i][j] {
				largest = math.Max(largest, e)
			}
		}
	}
	return errors, largest
}
