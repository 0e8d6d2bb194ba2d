package main

import (
	"cmp"
	"fmt"
)

// limit is a requirement on the numbers.
type limit struct {
	What  string `json:"what"`
	Asked string `json:"asked"`
	Found string `json:"found"`
	Met   bool   `json:"met"`
}

// asked lists upper bounds on our time over the others', of the fastest calls. Of several others the
// faster counts. goal, if there is one, is what would be better still.
var asked = []struct {
	group, name string
	ours        string // "": swlab
	others      []string
	limit, goal float64
}{
	{"steps", "SW, B=128 m=2048", "", torchs, 0.26, 0.20},
	{"steps", "SW, B=32 m=512", "", torchs, 0.34, 0.25},
	{"steps", "LA v-DSW, B=128 m=2048", "", torchs, 0.25, 0.20},
	{"steps", "LA v-DSW, B=32 m=512", "", torchs, 0.32, 0.25},
	{"steps", "EA v-DSW, B=128 m=2048", "", torchs, 0.35, 0},
	{"steps", "EA v-DSW, B=32 m=512", "", torchs, 0.45, 0},
	{"steps", "v-DSW, T=10, B=128 m=2048", "", torchs, 0.25, 0.18},
	{"steps", "v-DSW, T=10, B=32 m=512", "", torchs, 0.25, 0.18},
	{"steps", "Max-SW, T=10, B=128 m=2048", "", torchs, 0.45, 0.33},
	{"steps", "Max-SW, T=10, B=32 m=512", "", torchs, 0.45, 0.33},
	{"steps", "Chamfer, B=128 m=2048", "", torchs, 0.50, 0},
	{"steps", "Chamfer, B=32 m=512", "", torchs, 0.50, 0},
	{"steps", "EMD, B=128 m=2048", "", torchs, 0.50, 0},
	{"steps", "EMD, B=32 m=512", "", torchs, 0.50, 0},
	{"distance", "sliced W_2^2, m=2048 L=1000", "", sorts(numpys...), 0.42, 0.33},
	{"distance", "sliced W_2^2, m=2048 L=1000", "", sorts(inBlocks), 0.42, 0.33},
	{"distance", "sliced W_2^2, m=100000 L=100", "", sorts(numpys...), 0.65, 0.45},
	{"distance", "sliced W_2^2, m=100000 L=100", "", sorts(inBlocks), 0.65, 0.45},
	{"distance", "sliced W_2^2, m=2048 L=1000", exact, sorts(numpys[0]), 1, 0},
	{"distance", "sliced W_2^2, m=100000 L=100", exact, sorts(numpys[0]), 0.70, 0.60},
	{"distance", "sliced W_2^2, 1000 pairs, m=512 L=100", "", sorts(numpys...), 0.55, 0},
	{"distance", "sliced W_2^2, 1000 pairs, m=512 L=100", "", sorts(inBlocks), 0.70, 0.50},
	{"vMF samples", "d=3 kappa=1", "swlab, host", []string{torch}, 1, 0},
	{"vMF samples", "d=10 kappa=10.5", "swlab, host", []string{torch}, 1, 0},
	{"kept graphs", "chamfer", "", []string{graphAlone}, 1.2, 0},
	{"kept graphs", "emd-approx", "", []string{graphAlone}, 1.2, 0},
	{"kept graphs", "max-sw", "", []string{graphAlone}, 1.2, 0},
	{"kept graphs", "v-dsw", "", []string{graphAlone}, 1.2, 0},
}

// torchs are PyTorch on huge pages, as ours is.
var torchs = []string{huge, compiled}

// sorts are those programs of NumPy with and without AVX-512.
func sorts(names ...string) (out []string) {
	for _, n := range names {
		out = append(out, n, n+avx2)
	}
	return out
}

// limits returns the limits that the available measurements can answer.
func limits(s summary) []limit {
	var out []limit
	for _, f := range s.Fits {
		if f.Program == swlab && f.Axis != pointsAxis && f.Axis != memoryAxis {
			out = append(out, limit{fmt.Sprintf("exponent of %s in %s, %s", f.Of, f.Axis, f.Curve), "1 within 0.1", f.exponent(), f.Exponent >= 0.9 && f.Exponent <= 1.1})
		}
	}
	for _, loss := range []string{"sw", "la"} {
		n := name(loss) + ", B=32 m=256"
		if p := s.find("start", n, swlab); p != nil && p.FirstStep != nil {
			out = append(out, limit{"start-up to the first finished step, go run with a warm build cache, " + n, "at most 8 s",
				fmt.Sprintf("%.1f s (%.1f to %.1f)", p.FirstStep.Median, p.FirstStep.Low, p.FirstStep.High), p.FirstStep.Median <= 8})
		}
	}
	one, fifty := s.find("compile", "v-DSW step, T=1", swlab), s.find("compile", "v-DSW step, T=50", swlab)
	if one != nil && fifty != nil && one.Compile != nil && fifty.Compile != nil {
		r := fifty.Compile.Median / one.Compile.Median
		out = append(out, limit{"compile time of the T = 50 step over that of T = 1", "at most 1.5", fmt.Sprintf("%.2f (%.2f and %.2f s)", r, fifty.Compile.Median, one.Compile.Median), r <= 1.5})
	}
	checked := map[string]bool{} // errors
	for _, a := range asked {
		mine, theirs := s.find(a.group, a.name, cmp.Or(a.ours, swlab)), s.faster(a.group, a.name, a.others...)
		if mine == nil || theirs == nil {
			continue
		}
		r, bound := mine.Min/theirs.Min, fmt.Sprintf("at most %.2f", a.limit)
		if a.goal > 0 {
			bound += fmt.Sprintf(", better %.2f", a.goal)
		}
		out = append(out, limit{a.group + ", " + a.name + ": time of " + mine.Name + " over that of " + theirs.Name, bound, digits(r), r <= a.limit})
		if id := a.name + mine.Name; mine.Error > 0 && !checked[id] {
			checked[id] = true
			out = append(out, limit{a.group + ", " + a.name + ": relative error of " + mine.Name, "at most 1e-6", fmt.Sprintf("%.0e", mine.Error), mine.Error <= 1e-6})
		}
	}
	if p := s.find("evaluation", "EMD of the kernel, m=2048", swlab); p != nil {
		out = append(out, limit{"EMD of the kernel, m=2048, one pair", "at most 60 ms", duration(p.Min), p.Min <= 0.06})
	}
	const large = "SW, B=128 m=2048"
	if mine, theirs := s.find("steps", large, swlab), s.find("steps", large, huge); mine != nil && theirs != nil {
		r := mine.Peak / theirs.Peak
		out = append(out, limit{"peak memory of the step " + large + " over that of " + huge, "at most 0.40", fmt.Sprintf("%.2f (%.0f and %.0f MB)", r, mine.Peak, theirs.Peak), r <= 0.40})
	}
	return out
}

// exponent formats the slope with its uncertainty.
func (f fit) exponent() string {
	if f.Uncertainty == nil {
		return fmt.Sprintf("%.3f", f.Exponent)
	}
	return fmt.Sprintf("%.3f ± %.3f", f.Exponent, *f.Uncertainty)
}
