package swlab

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Bracket holds bounds of the 2-Wasserstein distance W2 of each pair: the root, with means over points,
// in units of the coordinates. For any directions theta_1..theta_L, with A the mean of theta_l theta_l'
// and c(theta) the cost of the plan of a slice in space (package plan),
//
//	Low  = max( sqrt(mean_l W2^2(theta_l) / lambda_max(A)),  max_l W2(theta_l) / ||theta_l|| )
//	High = sqrt(min_l c(theta_l))
//
// The optimal plan of the clouds is a plan on every slice, which gives Low: sum_l theta_l' C theta_l / L
// <= lambda_max(A) trace C. High is min-SWGG (Mahey et al. 2023).
//
// Where float64 coordinates were rounded to float32, the bounds are apart by what that can change.
type Bracket struct {
	Low, High     float64   // means over the pairs
	PairLows      []float64 // [B]
	PairHighs     []float64 // [B]
	Estimate      float64   // mean over the pairs; 0 without an Estimator
	PairEstimates []float64 // [B], or nil

	moved    []float64   // [B] squared distance of the means
	features [][]float64 // [B] of an Estimator
}

// Estimator estimates W2 by a linear regression on what the slices say of a pair (Nguyen, Nguyen and Ho,
// "Fast estimation of Wasserstein distances via regression on sliced Wasserstein distances", 2025). Delta
// is the difference of the means, whose part of W2 is exact, and f are of the clouds centred at 0:
//
//	W2^2 ~ ||Delta||^2 + (sum_k Weights_k f_k)^2,   Weights_k >= 0, without an intercept
//
//	f = sqrt(d mean_l W2^2(theta_l) / mean_l ||theta_l||^2),   max_l W2(theta_l) / ||theta_l||,
//	    sqrt(min_l c(theta_l)),   sqrt(mean_l c(theta_l))
//
// The first of f is sqrt(d) SW2. Estimates are kept between Low and High.
type Estimator struct {
	Weights [4]float64
}

// Labelled is a pair of clouds, one each, with its W2: the root, with a mean over points.
type Labelled struct {
	X, Y *datasets.Set
	W2   float64
}

// FitEstimator finds the weights with the least squared relative error on labelled pairs. It calls
// Distance for each pair, with those settings.
func FitEstimator(name string, pairs []Labelled, o DistanceConfig) (*Estimator, error) {
	o.Bracket, o.Estimator, o.Gradient, o.GradientX, o.MassX, o.MassY = true, nil, false, false, nil, nil
	var rows [][]float64
	var targets []float64
	for i, l := range pairs {
		if l.X == nil || l.Y == nil || l.X.Clouds != 1 || l.Y.Clouds != 1 {
			return nil, fmt.Errorf("labelled: pair %d: expected one cloud each", i)
		}
		d, err := Distance(name, l.X, l.Y, o)
		if err != nil {
			return nil, fmt.Errorf("labelled: pair %d: %w", i, err)
		}
		const slack = 0.1 // of labels that are not exact
		if b := d.Bracket; !(l.W2 >= (1-slack)*b.Low && l.W2 <= (1+slack)*b.High) {
			return nil, fmt.Errorf("labelled: pair %d: expected W2, the root with a mean over points, between %.6g and %.6g, found %.6g",
				i, b.Low, b.High, l.W2)
		}
		square, moved := l.W2*l.W2, d.Bracket.moved[0]
		if square <= moved {
			continue // a translate, whatever the weights
		}
		// Near W2, the relative error of an estimate is root (sum_k Weights_k f_k - root) / W2^2.
		root, row := math.Sqrt(square-moved), d.Bracket.features[0]
		floats.Scale(root/square, row)
		rows, targets = append(rows, row), append(targets, root*root/square)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("labelled: expected at least 2 pairs that are not translates of each other, found %d", len(rows))
	}
	return &Estimator{[4]float64(nonnegative(rows, targets))}, nil
}

// nonnegative returns weights w >= 0 that minimise the sum over rows of (target - w'row)^2: the best
// least-squares solution of those of all subsets of columns that are not negative.
func nonnegative(rows [][]float64, targets []float64) []float64 {
	k, y := len(rows[0]), mat.NewVecDense(len(targets), targets)
	best, least := make([]float64, k), mat.Norm(y, 2)
	for subset := 1; subset < 1<<k; subset++ {
		var columns []int
		for j := range k {
			if subset>>j&1 == 1 {
				columns = append(columns, j)
			}
		}
		if len(columns) > len(rows) {
			continue
		}
		a := mat.NewDense(len(rows), len(columns), nil)
		for i, row := range rows {
			for j, c := range columns {
				a.Set(i, j, row[c])
			}
		}
		var w, residual mat.VecDense
		if w.SolveVec(a, y) != nil || mat.Min(&w) < 0 { // of dependent columns, a smaller subset does
			continue
		}
		residual.MulVec(a, &w)
		residual.SubVec(&residual, y)
		if r := mat.Norm(&residual, 2); r < least {
			least = r
			clear(best)
			for j, c := range columns {
				best[c] = w.AtVec(j)
			}
		}
	}
	return best
}

// checkBracket returns an error unless the loss has slices whose costs bound W2.
func (o DistanceConfig) checkBracket(name string, l loss.Loss) error {
	if !o.Bracket {
		if o.Estimator != nil {
			return errors.New("an estimator belongs to a bracket: expected Bracket: true")
		}
		return nil
	}
	sliced, ok := l.(loss.Sliced)
	switch {
	case !ok:
		return fmt.Errorf("bracket: loss %q takes no slices, expected a sliced loss", name)
	case sliced.Cost != ot1d.Wasserstein:
		return fmt.Errorf("bracket: expected cost wasserstein, found %s: the bounds are those of W2", sliced.Cost)
	case sliced.Exponent() != 2:
		return fmt.Errorf("bracket: expected p = 2, found %g: the bounds are those of W2", sliced.Exponent())
	}
	return nil
}

// bracket bounds W2 of the pairs by their slices, and estimates it if there is an Estimator.
func (p problem) bracket(directions []float32) (*Bracket, error) {
	pairs, err := ot1d.NewHostPairs(clouds(p.x, p.MassX), clouds(p.y, p.MassY), ot1d.Config{Reduce: ot1d.Mean})
	if err != nil {
		return nil, err
	}
	dim, perPair, theta := p.x.Dim, p.perPair(directions), vec.To[float64](directions)
	var moves []float64 // [B, dim] differences of the means
	for b := range p.x.Clouds {
		move := centre(p.x, p.MassX, b)
		floats.Sub(move, centre(p.y, p.MassY, b))
		moves = append(moves, move...)
	}
	tasks := len(theta) / dim
	line, centred, space := make([]float64, tasks), make([]float64, tasks), make([]float64, tasks)
	if err := pairs.Plans(theta, perPair, func(pair, slice int, plan []ot1d.Match) {
		x, y, task := p.x.Cloud(pair), p.y.Cloud(pair), pair*perPair+slice
		direction := theta[task*dim : (task+1)*dim]
		moved := floats.Dot(direction, moves[pair*dim:(pair+1)*dim])
		for _, m := range plan {
			along := 0.0
			for j, t := range direction {
				along += t * (float64(x[m.X*dim+j]) - float64(y[m.Y*dim+j]))
			}
			line[task] += m.Mass * along * along
			centred[task] += m.Mass * (along - moved) * (along - moved)
		}
		space[task] = ot1d.Lift(plan, x, y, dim)
	}); err != nil {
		return nil, err
	}
	out := &Bracket{}
	var largest float64 // eigenvalue of A
	for b := range p.x.Clouds {
		of := func(v []float64) []float64 { return v[b*perPair : (b+1)*perPair] }
		own, line, centred, space := theta[b*perPair*dim:(b+1)*perPair*dim], of(line), of(centred), of(space)
		if b == 0 || !slices.Equal(own, theta[(b-1)*perPair*dim:b*perPair*dim]) {
			if largest, err = largestEigenvalue(own, dim); err != nil {
				return nil, fmt.Errorf("bracket: pair %d: %w", b, err)
			}
		}
		low, most, lengths := mean(line)/largest, 0.0, 0.0
		for l := range line {
			square := vec.Norm(own[l*dim : (l+1)*dim])
			square *= square
			low, most, lengths = max(low, line[l]/square), max(most, centred[l]/square), lengths+square/float64(perPair)
		}
		high, move := slices.Min(space), moves[b*dim:(b+1)*dim]
		moved := floats.Dot(move, move)
		features := []float64{float64(dim) * mean(centred) / lengths, most, high - moved, mean(space) - moved}
		for k, v := range features {
			features[k] = math.Sqrt(max(0, v))
		}
		const rounding = 1e-12 // of sums in float64
		off := p.rounding(b)
		low, high = max(0, math.Sqrt(low)*(1-rounding)-off), math.Sqrt(high)*(1+rounding)+off
		out.PairLows, out.PairHighs = append(out.PairLows, low), append(out.PairHighs, high)
		out.moved, out.features = append(out.moved, moved), append(out.features, features)
		if p.Estimator != nil {
			root := floats.Dot(p.Estimator.Weights[:], features)
			out.PairEstimates = append(out.PairEstimates, min(max(math.Sqrt(moved+root*root), low), high))
		}
	}
	out.Low, out.High, out.Estimate = mean(out.PairLows), mean(out.PairHighs), mean(out.PairEstimates)
	return out, nil
}

// centre is the mean of a cloud's points by their masses, [Dim].
func centre(s *datasets.Set, mass []float64, cloud int) []float64 {
	out, total := make([]float64, s.Dim), 0.0
	for i := range s.Points {
		m := massOf(s, mass, cloud, i)
		total += m
		for j, c := range s.Cloud(cloud)[i*s.Dim : (i+1)*s.Dim] {
			out[j] += m * float64(c)
		}
	}
	floats.Scale(1/total, out)
	return out
}

// massOf is the mass of a point of a set with masses [clouds, points], or without.
func massOf(s *datasets.Set, mass []float64, cloud, point int) float64 {
	if mass == nil {
		return 1
	}
	return mass[cloud*s.Points+point]
}

// largestEigenvalue is that of the mean of theta_l theta_l' over directions [L, dim], from the smaller
// of the matrices with the same eigenvalues, Theta'Theta and Theta Theta'.
func largestEigenvalue(theta []float64, dim int) (float64, error) {
	n := len(theta) / dim
	rows := mat.NewDense(n, dim, theta)
	var a *mat.SymDense
	if n < dim {
		a = mat.NewSymDense(n, nil)
		a.SymOuterK(1/float64(n), rows)
	} else {
		a = mat.NewSymDense(dim, nil)
		a.SymOuterK(1/float64(n), rows.T())
	}
	var e mat.EigenSym
	if !e.Factorize(a, false) {
		return 0, errors.New("the eigenvalues of the mean of theta theta' did not converge")
	}
	return slices.Max(e.Values(nil)), nil
}

// rounding bounds by how much the rounding of a pair's coordinates to float32 can change W2: by the root of
// the mean squared rounding of both clouds.
func (p problem) rounding(pair int) (off float64) {
	for i, s := range []*datasets.Set{p.x, p.y} {
		if s.Rounding == 0 {
			continue
		}
		mass, given := [2][]float64{p.MassX, p.MassY}[i], p.placed[i]
		square, total := 0.0, 0.0
		for point := range s.Points {
			m := massOf(s, mass, pair, point)
			total += m
			for j := point * s.Dim; j < (point+1)*s.Dim; j++ {
				c := math.Abs(float64(s.Cloud(pair)[j]))
				if given != s { // rounded again when it was moved
					c += math.Abs(float64(given.Cloud(pair)[j]))
				}
				square += m * c * c
			}
		}
		off += 0x1p-24 * math.Sqrt(square/total)
	}
	return off
}
