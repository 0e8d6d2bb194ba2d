package swlab

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
)

// TwoSampleConfig configures TwoSampleTest. The zero value takes p = 2, 100 uniform directions and 999
// permutations.
type TwoSampleConfig struct {
	// L; 0: 100.
	Slices int `json:"slices" help:"number L of directions (default 100)" range:"1.." unset:"0" group:"Directions"`
	// Name of the slicing distribution; "": uniform.
	Slicing string `json:"slicing" help:"slicing distribution in place of uniform: %s" group:"Directions"`
	// Exponent; 0: 2.
	P float64 `json:"p" help:"exponent, at least 1 (default 2)" range:"1.." unset:"0"`
	// Random permutations of the labels; 0: 999.
	Permutations int `json:"permutations" help:"random permutations of the labels (default 999)" range:"1.." unset:"0"`
	// Seed of the directions, which are those of Distance and the loss sw, and of the permutations.
	Seed uint64 `json:"-"`
	// Directions [L, dim] in place of random ones, used as given, of any length.
	Directions []float64 `json:"-"`
}

// TwoSample is the result of TwoSampleTest.
type TwoSample struct {
	PValue       float64
	PValueStdErr float64 // Monte-Carlo error of PValue over permutations
	Statistic    float64 // mean over directions of W_p^p, mean over points
	Slices       int
	Permutations int
}

// TwoSampleTest tests whether the independent points x [m, dim] and y [n, dim], row-major, come from one
// distribution, by the permutation test of the sliced Wasserstein distance. With T the distance
//
//	T = (1/L) sum_l W_p^p(theta_l#x, theta_l#y),   PValue = (1 + #{k: T_k >= T}) / (1 + N)
//
// and T_1..T_N that of the same points after a random permutation of their labels. If the distributions
// are equal, PValue <= alpha has a probability of at most alpha, whatever they are and however few the
// points (Phipson and Smyth 2010). Both samples are projected and sorted together, once per direction;
// a permutation only walks through the sorted points. Everything is computed in float64.
func TwoSampleTest(x, y []float64, dim int, c TwoSampleConfig) (*TwoSample, error) {
	if err := settings.Of(&c).Check(); err != nil {
		return nil, err
	}
	if err := cmp.Or(vec.CheckPoints("x", x, dim), vec.CheckPoints("y", y, dim)); err != nil {
		return nil, err
	}
	along := NormalityConfig{Slices: c.Slices, Slicing: c.Slicing, Seed: c.Seed, Directions: c.Directions}
	if err := along.complete(dim); err != nil {
		return nil, err
	}
	t := twoSample{m: len(x) / dim, n: len(y) / dim, p: cmp.Or(c.P, 2), sorted: make([][]projection, len(along.Directions)/dim)}
	c.Permutations = cmp.Or(c.Permutations, 999)
	if err := memory.Check("projections of both samples", memory.Bytes(16, len(t.sorted), t.m+t.n)); err != nil {
		return nil, err
	}
	pooled := append(append(make([]float64, 0, len(x)+len(y)), x...), y...)
	parallel.Each(len(t.sorted), parallel.Alone(func(l int) {
		t.sorted[l] = project(make([]projection, 0, t.m+t.n), pooled, along.Directions[l*dim:(l+1)*dim])
	}))
	statistics := make([]float64, 1+c.Permutations) // the first with the labels as they are
	parallel.Each(len(statistics), func() (func(k int), func()) {
		var a, b []float64
		return func(k int) {
			label := make([]bool, t.m+t.n) // whether a point belongs to x
			for i := range t.m {
				label[i] = true
			}
			if k > 0 {
				swap := func(i, j int) { label[i], label[j] = label[j], label[i] }
				rand.New(rand.NewPCG(c.Seed, uint64(k))).Shuffle(len(label), swap)
			}
			for _, s := range t.sorted {
				a, b = a[:0], b[:0]
				for _, v := range s {
					if label[v.point] {
						a = append(a, v.at)
					} else {
						b = append(b, v.at)
					}
				}
				statistics[k] += t.cost(a, b) / float64(len(t.sorted))
			}
		}, func() {}
	})
	if vec.NotFinite(statistics) >= 0 {
		return nil, fmt.Errorf("the costs between x and y do not fit into float64: scale the points or lower p")
	}
	r := &TwoSample{Statistic: statistics[0], Slices: len(t.sorted), Permutations: c.Permutations}
	least := statistics[0] * (1 - 1e-12) // equal ones differ by rounding
	count := 0.0
	for _, v := range statistics {
		if v >= least {
			count++
		}
	}
	all := float64(len(statistics))
	r.PValue = count / all
	r.PValueStdErr = math.Sqrt(r.PValue * (1 - r.PValue) / all)
	return r, nil
}

// twoSample is a checked call.
type twoSample struct {
	m, n   int
	p      float64
	sorted [][]projection // of both samples together, by direction
}

// cost is W_p^p between sorted points of equal mass: each of the m has n shares, each of the n has m.
func (t twoSample) cost(a, b []float64) float64 {
	sum := 0.0
	for i, j, left, right := 0, 0, t.n, t.m; i < t.m; {
		share := min(left, right)
		d := math.Abs(a[i] - b[j])
		switch t.p {
		case 1:
		case 2:
			d *= d
		default:
			d = math.Pow(d, t.p)
		}
		sum += float64(share) * d
		if left -= share; left == 0 {
			i, left = i+1, t.n
		}
		if right -= share; right == 0 {
			j, right = j+1, t.m
		}
	}
	return sum / (float64(t.m) * float64(t.n))
}
