package align

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// RegisterConfig configures Register.
type RegisterConfig struct {
	Steps  int    `json:"steps" help:"steps down the sliced gradient (default 30)" range:"1.." unset:"0"`
	Slices int    `json:"slices" help:"directions of a step (default 30)" range:"1.." unset:"0"`
	Starts int    `json:"starts" help:"random motions that the refinement also starts from (default 100)" range:"1.." unset:"0"`
	Seed   uint64 `json:"-"`
}

// Motion is a rigid motion: y = Rotation x + Translation.
type Motion struct {
	Rotation    []float64 // [d, d], row-major, of determinant 1
	Translation []float64 // [d]
	// Degrees is the largest angle by which a vector turns, 0 to 180.
	Degrees float64
	// Share of the points that have a partner, and the root mean squared distance to it.
	Share, Error float64
}

// Register finds the rigid motion that takes the cloud a to b, whose rows are in any order, and of which
// some have no partner in the other cloud: outliers, an unknown share.
//
// Two stages. First it goes down the gradient of the sliced distance, projected to rigid motions: each
// step is the motion nearest to what sliced matching asks for. Then it refines by iterated closest points
// (Besl and McKay 1992), from there, from no rotation and from random ones. Of each start it takes the
// share f of the nearest points that minimises the fractional root mean square
//
//	f^-3 (mean over these points of |R a_i + t - b_nearest|^2)^(1/2)
//
// (Phillips, Liu and Tomasi 2007), which leaves outliers out, and it returns the best start's motion; of
// those that are as good to 1 %, that of the smallest angle. It compares at most 400 points of a until
// the last refinement.
func Register(a, b *datasets.Set, c RegisterConfig) (*Motion, error) {
	if err := settings.Of(&c).Check(); err != nil {
		return nil, err
	}
	if err := single(a, b); err != nil {
		return nil, err
	}
	c.Steps, c.Slices, c.Starts = cmp.Or(c.Steps, 30), cmp.Or(c.Slices, 30), cmp.Or(c.Starts, 100)
	x, y := a.Positions(0), b.Positions(0)
	from, to := medians(x, a.Dim), medians(y, a.Dim)
	shift(x, from, -1)
	shift(y, to, -1)
	target, err := datasets.New(y, b.Points, b.Dim)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(c.Seed, 0))
	sample := x
	const most, few = 400, 240 // points of the first refinements
	if a.Points > most {
		sample = nil
		for _, i := range random.Perm(a.Points)[:most] {
			sample = append(sample, x[i*a.Dim:(i+1)*a.Dim]...)
		}
	}
	sliced, err := c.slide(sample, target.Rebase(nil))
	if err != nil {
		return nil, err
	}
	starts := []rigid{sliced, identity(a.Dim)}
	size := spread(y)
	for i := range c.Starts {
		m := turned(a.Dim, []float64{0, 1, 2}[i%3], random)
		for k := range m.move { // outliers on one side move the medians
			m.move[k] = 0.3 * size * random.NormFloat64() * float64(i%2)
		}
		starts = append(starts, m)
	}
	near := newNearest(y, a.Dim)
	first := sample[:min(len(sample), few*a.Dim)]
	parallel.Each(len(starts), parallel.Alone(func(i int) { starts[i] = near.refine(first, starts[i], 15) }))
	order := func(p, q rigid) int { return cmp.Compare(p.score, q.score) }
	slices.SortStableFunc(starts, order)
	best := starts[:min(6, len(starts))]
	parallel.Each(len(best), parallel.Alone(func(i int) { best[i] = near.refine(sample, best[i], 60) }))
	slices.SortStableFunc(best, order)
	chosen := best[0]
	for _, m := range best {
		if m.score <= 1.01*best[0].score && m.degrees() < chosen.degrees() {
			chosen = m
		}
	}
	chosen = near.refine(x, chosen, 200)
	// R (x - from) + t + to
	m := &Motion{Rotation: chosen.turn.RawMatrix().Data, Translation: slices.Clone(to), Degrees: chosen.degrees(),
		Share: chosen.share, Error: chosen.error}
	shift(m.Translation, chosen.move, 1)
	origin := slices.Clone(from)
	(&Motion{Rotation: m.Rotation, Translation: make([]float64, a.Dim)}).Apply(origin)
	shift(m.Translation, origin, -1)
	return m, nil
}

// Apply moves points [n, d] in place.
func (m *Motion) Apply(points []float64) {
	d := len(m.Translation)
	old := make([]float64, d)
	for i := 0; i < len(points); i += d {
		copy(old, points[i:i+d])
		for r := range d {
			points[i+r] = m.Translation[r]
			for k, v := range old {
				points[i+r] += m.Rotation[r*d+k] * v
			}
		}
	}
}

// rigid is a motion with how well it fits.
type rigid struct {
	turn                *mat.Dense
	move                []float64
	score, share, error float64
}

func identity(dim int) rigid {
	turn := mat.NewDense(dim, dim, nil)
	for k := range dim {
		turn.Set(k, k, 1)
	}
	return rigid{turn: turn, move: make([]float64, dim)}
}

// turned is a random rotation: the one nearest to a matrix of normal numbers, to which it adds that
// multiple of the identity. 0 makes all rotations as likely.
func turned(dim int, identity float64, random *rand.Rand) rigid {
	normals := mat.NewDense(dim, dim, nil)
	for i := range dim {
		for j := range dim {
			normals.Set(i, j, random.NormFloat64())
		}
		normals.Set(i, i, normals.At(i, i)+identity)
	}
	return rigid{turn: rotation(normals), move: make([]float64, dim)}
}

// rotation is the rotation R that maximises trace(R' H): U V' of the singular value decomposition, with a
// sign so that the determinant is 1 (Kabsch 1976).
func rotation(h *mat.Dense) *mat.Dense {
	n, _ := h.Dims()
	var svd mat.SVD
	var u, v, r mat.Dense
	if !svd.Factorize(h, mat.SVDFull) {
		return identity(n).turn
	}
	svd.UTo(&u)
	svd.VTo(&v)
	r.Mul(&u, v.T())
	if mat.Det(&r) < 0 {
		for i := range n {
			u.Set(i, n-1, -u.At(i, n-1))
		}
		r.Mul(&u, v.T())
	}
	return &r
}

// degrees is the largest angle of the rotation: that of its eigenvalues.
func (m rigid) degrees() float64 {
	var eigen mat.Eigen
	if !eigen.Factorize(m.turn, mat.EigenNone) {
		return 0
	}
	angle := 0.0
	for _, v := range eigen.Values(nil) {
		angle = max(angle, math.Abs(cmplx.Phase(v)))
	}
	return angle * 180 / math.Pi
}

// apply is the moved cloud.
func (m rigid) apply(points []float64) []float64 {
	out := slices.Clone(points)
	(&Motion{Rotation: m.turn.RawMatrix().Data, Translation: m.move}).Apply(out)
	return out
}

// fit is the motion that takes points a to their partners b best, in least squares.
func fit(a, b []float64, dim int) rigid {
	from, to := centroid(a, dim), centroid(b, dim)
	h := mat.NewDense(dim, dim, nil)
	for i := 0; i < len(a); i += dim {
		for r := range dim {
			for k := range dim {
				h.Set(r, k, h.At(r, k)+(b[i+r]-to[r])*(a[i+k]-from[k]))
			}
		}
	}
	m := rigid{turn: rotation(h), move: to}
	shift(m.move, rigid{turn: m.turn, move: make([]float64, dim)}.apply(from), -1)
	return m
}

// slide goes down the gradient of the sliced distance.
func (c RegisterConfig) slide(x []float64, target *datasets.Set) (rigid, error) {
	o := loss.Defaults()
	o.Slices = c.Slices
	f, err := newFlow(target, "sw", o, c.Seed)
	if err != nil {
		return rigid{}, err
	}
	m := identity(target.Dim)
	for step := range c.Steps {
		wanted := m.apply(x)
		farthest, err := f.step(wanted)
		if err != nil {
			return rigid{}, fmt.Errorf("step %d: %w", step, err)
		}
		if farthest == 0 {
			break
		}
		m = fit(x, wanted, target.Dim)
	}
	return m, nil
}

// nearest finds the nearest points of a cloud.
type nearest struct {
	tree     *kdtree.Tree
	dim      int
	rounding float64 // a squared distance that counts as none
}

func newNearest(points []float64, dim int) nearest {
	var all kdtree.Points
	for i := 0; i < len(points); i += dim {
		all = append(all, kdtree.Point(points[i:i+dim]))
	}
	size := 1e-9 * spread(points)
	return nearest{kdtree.New(all, false), dim, size * size}
}

// refine is iterated closest points with the share of the fractional root mean square, until the motion
// stays, or so many steps.
func (n nearest) refine(x []float64, m rigid, steps int) rigid {
	count := len(x) / n.dim
	type match struct {
		point   int
		to      kdtree.Point
		squared float64
	}
	all := make([]match, count)
	last := math.Inf(1)
	for step := 0; ; step++ {
		moved := m.apply(x)
		for i := range all {
			to, squared := n.tree.Nearest(kdtree.Point(moved[i*n.dim : (i+1)*n.dim]))
			all[i] = match{i, to.(kdtree.Point), squared}
		}
		slices.SortFunc(all, func(p, q match) int {
			return cmp.Or(cmp.Compare(p.squared, q.squared), cmp.Compare(p.point, q.point))
		})
		const least = 0.4 // of the points have a partner
		sum, used := 0.0, count
		m.score = math.Inf(1)
		for i, p := range all {
			sum += p.squared
			share := float64(i+1) / float64(count)
			rms := math.Sqrt(sum / float64(i+1))
			if score := math.Sqrt(rms*rms+n.rounding) / (share * share * share); share >= least && score < m.score {
				m.score, m.share, m.error, used = score, share, rms, i+1
			}
		}
		if step == steps || !(m.score < last*(1-1e-9)) {
			return m
		}
		last = m.score
		var from, to []float64
		for _, p := range all[:used] {
			from, to = append(from, x[p.point*n.dim:(p.point+1)*n.dim]...), append(to, p.to...)
		}
		next := fit(from, to, n.dim)
		next.score, next.share, next.error = m.score, m.share, m.error
		m = next
	}
}

// medians are those of the coordinates.
func medians(points []float64, dim int) []float64 {
	out, line := make([]float64, dim), make([]float64, len(points)/dim)
	for k := range out {
		for i := range line {
			line[i] = points[i*dim+k]
		}
		slices.Sort(line)
		out[k] = line[len(line)/2]
	}
	return out
}

// spread is the median of the sizes of numbers.
func spread(v []float64) float64 {
	sizes := make([]float64, len(v))
	for i, x := range v {
		sizes[i] = math.Abs(x)
	}
	return medians(sizes, 1)[0]
}

// shift adds sign times a vector to all points.
func shift(points, by []float64, sign float64) {
	for i := range points {
		points[i] += sign * by[i%len(by)]
	}
}
