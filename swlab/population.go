package swlab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// Population is the 95 % interval of SW_2^2 between the two distributions that the points of x and of y
// are independent draws of, where Result.Low and High cover the directions alone. With phi(theta, .)
// the Kantorovich potential of the optimal plan along theta, whose slope at a is 2(a - T(a)), and the
// mean over the slices
//
//	Phi(x_i) = (1/L) sum_l phi(theta_l, theta_l'x_i)
//	StdErr^2 = SE^2 of the directions + var_i Phi(x_i)/m + var_j Psi(y_j)/n
//
// which is the influence function of the quantile coupling (del Barrio, Gordaliza and Loubes 2019). The
// interval is Value - bias +- t StdErr, with Welch's degrees of freedom. W_2^2 between random halves of
// a cloud, over 4, estimates what sampling its points adds to the value, and bias is the sum for both.
type Population struct {
	StdErr float64 `json:"stderr"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// checkPopulation returns an error unless the loss is SW_2^2 of points without masses.
func checkPopulation(l loss.Loss, x, y *datasets.Set, o DistanceConfig) error {
	s, ok := l.(loss.Sliced)
	if !o.Population {
		return nil
	}
	why := ""
	switch {
	case !ok:
		why = fmt.Sprintf("loss %q has no slices", l.Name())
	case s.Slicer.Distribution.HasLocation() && o.Directions == nil || !s.Linear():
		why = "it is known for the mean over slices without a root, as of sw"
	case s.Cost != ot1d.Wasserstein || s.Exponent() != 2 || s.Reduce != loss.Mean:
		why = "expected p = 2 and the mean over points (--reduce mean, in Go Reduce: loss.Mean)"
	case o.MassX != nil || o.MassY != nil:
		why = "it is known for points without masses"
	case o.Normalize:
		why = "it is known for clouds as they are"
	}
	if _, depends := s.Slicer.Distribution.(slicing.CloudDependent); ok && depends && o.Directions == nil {
		why = "directions that depend on the clouds have no such error"
	}
	if why != "" {
		return fmt.Errorf("population: %s", why)
	}
	if least := min(x.Points, y.Points); least < 4 {
		return fmt.Errorf("population: expected clouds of at least 4 points, found %d", least)
	}
	return memory.Check("population: potentials of the points", memory.Bytes(8*potentialBlocks, x.Points+y.Points))
}

// potentialBlocks are runs of directions of a pair that are computed at once.
const potentialBlocks = 8

// population is the interval of a result; nil, with the reason, if the linearisation does not hold.
func (p problem) population(d *Result) (*Population, string) {
	pairs := float64(p.x.Clouds)
	if math.IsNaN(d.StdErr) {
		return nil, "population: no interval: the error of the directions is not known: take more slices, or " +
			"--slicing auto (in Go Slicing)"
	}
	variance := d.StdErr * d.StdErr
	spare := float64(d.Slices - 1)
	fourths, bias := 0.0, 0.0
	if variance > 0 {
		fourths = variance * variance / max(1, spare)
	}
	for b := range p.x.Clouds {
		of := p.potentials(b, d.Directions)
		for _, c := range of {
			each := stat.Variance(c.potential, nil) / float64(len(c.potential)) / (pairs * pairs)
			variance += each
			fourths += each * each / float64(len(c.potential)-1)
			bias += c.halves / 4 / pairs
		}
	}
	se := math.Sqrt(variance)
	if !(bias < mostBias*se) {
		return nil, fmt.Sprintf("population: no interval: sampling the points adds about %.2g to the value %.3g, which is "+
			"not small against its error %.2g; `swlab test` (in Go TwoSampleTest) says whether the distributions differ",
			bias, d.Value, se)
	}
	half := se * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: variance * variance / fourths}.Quantile(0.975)
	return &Population{StdErr: se, Low: max(0, d.Value-bias-half), High: d.Value - bias + half}, ""
}

// splits into halves are averaged.
const splits = 4

// mostBias is the bias over the error from which on the linearisation is not trusted.
const mostBias = 0.5

// sample is what the points of one cloud of a pair add to the error.
type sample struct {
	potential []float64 // of each point, the mean over the directions
	halves    float64   // mean W_2^2 between two random halves
}

// potentials of the points of x and y of a pair.
func (p problem) potentials(pair int, directions []float32) [2]sample {
	dim := p.x.Dim
	each := len(directions) / p.x.Clouds
	directions = directions[pair*each : (pair+1)*each]
	count := each / dim
	clouds := [2][]float32{p.x.Cloud(pair), p.y.Cloud(pair)}
	random := rand.New(rand.NewPCG(p.Seed, uint64(pair)))
	var half [2][splits][]uint8
	for i := range splits {
		half[0][i], half[1][i] = halves(random, p.x.Points), halves(random, p.y.Points)
	}
	blocks := make([][2]sample, min(count, potentialBlocks))
	parallel.Each(len(blocks), parallel.Alone(func(k int) {
		var sorted [2][]projection
		for i := range clouds {
			blocks[k][i].potential = make([]float64, len(clouds[i])/dim)
		}
		for l := k * count / len(blocks); l < (k+1)*count/len(blocks); l++ {
			for i, c := range clouds {
				sorted[i] = project(sorted[i], c, directions[l*dim:(l+1)*dim])
			}
			for i := range clouds {
				addPotential(blocks[k][i].potential, 1/float64(count), sorted[i], sorted[1-i])
				for _, of := range half[i] {
					blocks[k][i].halves += betweenHalves(sorted[i], of) / float64(splits*count)
				}
			}
		}
	}))
	out := blocks[0]
	for _, b := range blocks[1:] {
		for i := range out {
			for j, v := range b[i].potential {
				out[i].potential[j] += v
			}
			out[i].halves += b[i].halves
		}
	}
	return out
}

// halves gives n points at random to two halves, 1 and 2; an odd one to none, 0.
func halves(random *rand.Rand, n int) []uint8 {
	out := make([]uint8, n)
	for k, i := range random.Perm(n)[:n-n%2] {
		out[i] = uint8(1 + k%2)
	}
	return out
}

// projection is a point of a cloud on a direction.
type projection struct {
	at    float64
	point int32
}

// project sorts the projections of a cloud, in the room of s.
func project[T vec.Float](s []projection, cloud, theta []T) []projection {
	s = s[:0]
	for i := 0; i < len(cloud); i += len(theta) {
		v := 0.0
		for j, t := range theta {
			v += float64(cloud[i+j]) * float64(t)
		}
		s = append(s, projection{v, int32(i / len(theta))})
	}
	slices.SortFunc(s, func(a, b projection) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return s
}

// addPotential adds weight times the potential of every point of the sorted s, for the plan between s
// and t. T between two neighbours is the quantile of t at their level.
func addPotential(out []float64, weight float64, s, t []projection) {
	n, m := len(s), len(t)
	sum := 0.0
	for i, v := range s {
		out[v.point] += weight * sum
		if i == n-1 {
			break
		}
		level := (i + 1) * m // over n
		k := level / n
		quantile := t[k].at
		if level%n == 0 {
			quantile = (t[k-1].at + quantile) / 2
		}
		next := s[i+1].at
		sum += (next - v.at) * (next + v.at - 2*quantile)
	}
}

// betweenHalves is W_2^2 between the halves of sorted points.
func betweenHalves(s []projection, of []uint8) (cost float64) {
	a, b := make([]float64, 0, len(s)/2), make([]float64, 0, len(s)/2)
	for _, v := range s {
		switch of[v.point] {
		case 1:
			a = append(a, v.at)
		case 2:
			b = append(b, v.at)
		}
	}
	for i, v := range a {
		cost += (v - b[i]) * (v - b[i]) / float64(len(a))
	}
	return cost
}
