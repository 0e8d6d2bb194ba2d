package latent

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/swlab/internal/parallel"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// SVMConfig configures a linear support vector machine on codes, one class against the rest, as
// LIBLINEAR's L2R_L2LOSS_SVC and scikit-learn's LinearSVC have it. For every class k it minimises
//
//	½ ‖w‖² + C Σᵢ max(0, 1 − yᵢ w·(xᵢ, 1))²,   yᵢ = 1 for codes of the class, −1 for others,
//
// over w of length 257, whose last number is the intercept. The codes are not standardised, as in
// Achlioptas et al. 2018, who chose C for every autoencoder.
type SVMConfig struct {
	Classes int     `json:"classes" range:"2.."`
	C       float64 `json:"c,omitempty" range:"0.."` // weight of the losses; 0: by cross-validation
	// Folds of the cross-validation. The j-th code of a class is held out in fold j mod Folds.
	Folds int `json:"folds,omitempty"`
}

// DefaultSVM chooses C from 0.1, 1, ..., 100000 by five-fold cross-validation on the training
// codes: the one with the highest accuracy, and the smallest of equals.
func DefaultSVM(classes int) SVMConfig { return SVMConfig{Classes: classes, Folds: 5} }

// SVMClassification is the result of a support vector machine, trained on some codes, on others.
type SVMClassification struct {
	Accuracy float64 `json:"accuracy"` // fraction of the test codes
	NTrain   int     `json:"n_train"`
	NTest    int     `json:"n_test"`
	C        float64 `json:"c"`
	// Validation has the accuracy of every candidate for C; nil if C was given.
	Validation []SVMCandidate `json:"validation,omitempty"`
	// GradientNorm bounds the distance to the optimum: the objective's Hessian is at least the
	// identity, so ‖w − w*‖ <= ‖∇f(w)‖. The largest over the classes.
	GradientNorm float64 `json:"gradient_norm"`
	Correct      []bool  `json:"-"` // [NTest], for paired tests between classifiers
}

// SVMCandidate is a candidate for C with its accuracy in the cross-validation.
type SVMCandidate struct {
	C        float64 `json:"c"`
	Accuracy float64 `json:"accuracy"`
}

// ClassifySVM trains a linear support vector machine on train and tests it on test. The prediction
// is the class of the largest score w·(x, 1). Nothing is random. progress, if not nil, is called
// after every training; there are Classes of them for C and for each candidate and fold. Codes that
// cannot be learned from are errors, as for [Classify].
func ClassifySVM(ctx context.Context, train, test Codes, c SVMConfig,
	progress func(done, total int)) (SVMClassification, error) {
	if err := settings.Of(&c, "range").Check(); err != nil {
		return SVMClassification{}, err
	}
	if c.C == 0 && c.Folds < 2 {
		return SVMClassification{}, fmt.Errorf("folds: expected at least 2 to choose C, found %d", c.Folds)
	}
	if err := checkLabelled(train, test, c.Classes); err != nil {
		return SVMClassification{}, err
	}
	out := SVMClassification{NTrain: train.N, NTest: test.N, C: c.C}
	t := svmTrainer{ctx: ctx, classes: c.Classes, total: c.Classes, progress: progress}
	if c.C == 0 {
		t.total += c.Folds * len(candidates) * c.Classes
		var err error
		if out.Validation, err = t.validate(train, c.Folds, svmRough); err != nil {
			return SVMClassification{}, err
		}
		best := out.Validation[0]
		for _, v := range out.Validation {
			if v.Accuracy > best.Accuracy {
				best = v
			}
		}
		out.C = best.C
	}
	m, err := t.train(newExamples(train, nil), out.C, svmTolerance, nil)
	if err != nil {
		return SVMClassification{}, err
	}
	out.GradientNorm = m.gradientNorm
	out.Correct = m.correct(newExamples(test, nil))
	out.Accuracy = float64(count(out.Correct)) / float64(test.N)
	return out, nil
}

// candidates for C, from which cross-validation chooses.
var candidates = []float64{0.1, 1, 10, 100, 1000, 10000, 100000}

// examples are codes with a last coordinate of 1.
type examples struct {
	x      *mat.Dense // [n, 257]
	labels []int32
}

const svmWidth = pointnet.LatentSize + 1

// newExamples takes the chosen codes, all if rows is nil.
func newExamples(c Codes, rows []int) examples {
	if rows == nil {
		for i := range c.N {
			rows = append(rows, i)
		}
	}
	e := examples{x: mat.NewDense(len(rows), svmWidth, nil)}
	for i, r := range rows {
		to := e.x.RawRowView(i)
		for k, v := range c.Vectors[r*pointnet.LatentSize : (r+1)*pointnet.LatentSize] {
			to[k] = float64(v)
		}
		to[pointnet.LatentSize] = 1
		e.labels = append(e.labels, c.Labels[r])
	}
	return e
}

// machine is a trained support vector machine.
type machine struct {
	w            *mat.Dense // [classes, 257]
	gradientNorm float64
}

// correct reports for each example whether the largest score is that of its class.
func (m *machine) correct(e examples) []bool {
	var scores mat.Dense
	scores.Mul(e.x, m.w.T())
	out := make([]bool, len(e.labels))
	for i, l := range e.labels {
		row, best := scores.RawRowView(i), 0
		for k, v := range row {
			if v > row[best] {
				best = k
			}
		}
		out[i] = int(l) == best
	}
	return out
}

func count(set []bool) int {
	n := 0
	for _, is := range set {
		if is {
			n++
		}
	}
	return n
}

// svmTrainer trains machines and counts them.
type svmTrainer struct {
	ctx         context.Context
	classes     int
	progress    func(done, total int)
	done, total int
}

// validate returns the accuracy of every candidate, over all folds. A candidate begins at the
// machine of the one before.
func (t *svmTrainer) validate(train Codes, folds int, tolerance float64) ([]SVMCandidate, error) {
	out, right := make([]SVMCandidate, len(candidates)), make([]int, len(candidates))
	for fold := range folds {
		var rest, held []int
		seen := make([]int, t.classes)
		for i, l := range train.Labels {
			if seen[l]%folds == fold {
				held = append(held, i)
			} else {
				rest = append(rest, i)
			}
			seen[l]++
		}
		if len(rest) == 0 {
			return nil, fmt.Errorf("%s: expected a class with at least 2 codes to choose C, found one code in every class",
				train.Name)
		}
		if len(held) == 0 { // classes of fewer codes than folds
			t.done += len(candidates) * t.classes
			continue
		}
		learned, tested := newExamples(train, rest), newExamples(train, held)
		var m *machine
		for i, c := range candidates {
			var err error
			if m, err = t.train(learned, c, tolerance, m); err != nil {
				return nil, err
			}
			right[i] += count(m.correct(tested))
			out[i] = SVMCandidate{c, float64(right[i]) / float64(train.N)}
		}
	}
	return out, nil
}

// train minimises every class's objective, on as many processors as there are.
func (t *svmTrainer) train(e examples, c, tolerance float64, from *machine) (*machine, error) {
	m := &machine{w: mat.NewDense(t.classes, svmWidth, nil)}
	if from != nil {
		m.w.Copy(from.w)
	}
	norms, errs := make([]float64, t.classes), make([]error, t.classes)
	var lock sync.Mutex
	parallel.Each(t.classes, parallel.Alone(func(k int) {
		if errs[k] = t.ctx.Err(); errs[k] != nil {
			return
		}
		norms[k], errs[k] = newObjective(e, int32(k), c).minimize(m.w.RawRowView(k), tolerance)
		lock.Lock()
		defer lock.Unlock()
		if t.done++; t.progress != nil {
			t.progress(t.done, t.total)
		}
	}))
	m.gradientNorm = slices.Max(norms)
	return m, cmp.Or(errs...)
}

// objective is that of one class.
type objective struct {
	x        *mat.Dense
	y        []float64 // 1 or -1
	c        float64
	at       []float64     // where value and gradient belong to; nil: nowhere yet
	margins  *mat.VecDense // [n] losses' slopes at at
	value    float64
	gradient *mat.VecDense // [257]
}

func newObjective(e examples, class int32, c float64) *objective {
	o := &objective{x: e.x, c: c, y: make([]float64, len(e.labels)), margins: mat.NewVecDense(len(e.labels), nil),
		gradient: mat.NewVecDense(svmWidth, nil)}
	for i, l := range e.labels {
		o.y[i] = -1
		if l == class {
			o.y[i] = 1
		}
	}
	return o
}

// move evaluates the objective and its gradient,
//
//	∇f(w) = w − 2 C Σᵢ max(0, 1 − yᵢ w·xᵢ) yᵢ xᵢ.
func (o *objective) move(w []float64) {
	at := mat.NewVecDense(len(w), w)
	o.margins.MulVec(o.x, at)
	slopes := o.margins.RawVector().Data
	o.value = mat.Dot(at, at) / 2
	for i, y := range o.y {
		short := math.Max(0, 1-y*slopes[i])
		o.value += o.c * short * short
		slopes[i] = -2 * o.c * short * y
	}
	o.gradient.MulVec(o.x.T(), o.margins)
	o.gradient.AddVec(o.gradient, at)
	o.at = append(o.at[:0], w...)
}

// visit moves to w, unless it is there.
func (o *objective) visit(w []float64) {
	if !slices.Equal(o.at, w) {
		o.move(w)
	}
}

// Tolerances of the gradient's norm, relative to its norm at w = 0.
const (
	svmTolerance = 1e-8
	svmRough     = 1e-6 // of the cross-validation
)

// minimize moves w to the optimum and returns the norm of the gradient there.
func (o *objective) minimize(w []float64, tolerance float64) (float64, error) {
	o.move(make([]float64, len(w)))
	limit := tolerance * mat.Norm(o.gradient, 2)
	problem := optimize.Problem{
		Func: func(w []float64) float64 { o.visit(w); return o.value },
		Grad: func(g, w []float64) { o.visit(w); copy(g, o.gradient.RawVector().Data) },
	}
	// gonum's threshold is on the largest component
	settings := optimize.Settings{GradientThreshold: limit / math.Sqrt(float64(len(w))),
		Converger: optimize.NeverTerminate{}, MajorIterations: 5000}
	r, err := optimize.Minimize(problem, append([]float64(nil), w...), &settings, &optimize.LBFGS{Store: 30})
	if r == nil {
		return 0, fmt.Errorf("training a support vector machine with C = %g: %w", o.c, err)
	}
	copy(w, r.X)
	o.visit(w)
	norm := mat.Norm(o.gradient, 2)
	// a line search may stop where the objective's rounding hides any descent
	if norm > 1000*limit {
		return 0, fmt.Errorf("training a support vector machine with C = %g: the gradient's norm is %.3g after %d steps, expected at most %.3g",
			o.c, norm, r.MajorIterations, 1000*limit)
	}
	return norm, nil
}
