package latent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/mat"

	"github.com/sliced-wasserstein/lab/swlab/pointnet"
)

// formulaCodes are those of testdata/svm.py.
func formulaCodes(first, n int) Codes {
	c := Codes{Name: "formula", N: n}
	for i := first; i < first+n; i++ {
		for k := range pointnet.LatentSize {
			noise, centre := (i*7919+k*104729+i*k*31)%257-128, ((i%3)*37+k*11)%23-11
			c.Vectors = append(c.Vectors, float32(noise+2*centre)/1024)
		}
		c.Labels = append(c.Labels, int32(i%3))
	}
	return c
}

// TestSVMReference compares the weights with those of scikit-learn's LinearSVC: of a C that
// regularises, and of one that hardly does.
func TestSVMReference(t *testing.T) {
	raw := must.M1(os.ReadFile("testdata/svm.json"))
	var want map[string]struct {
		Accuracy float64
		Weights  [][]float64 // every sixteenth, the last is the intercept
	}
	must.M(json.Unmarshal(raw, &want))
	train, test := formulaCodes(0, 60), formulaCodes(60, 40)
	for text, w := range want {
		var c float64
		must.M1(fmt.Sscan(text, &c))
		trainer := svmTrainer{ctx: context.Background(), classes: 3}
		m := must.M1(trainer.train(newExamples(train, nil), c, svmTolerance, nil))
		for k, row := range w.Weights {
			largest := 0.0
			for _, v := range row {
				largest = math.Max(largest, math.Abs(v))
			}
			for i, v := range row {
				if got := m.w.At(k, 16*i); math.Abs(got-v) > 1e-6*largest {
					t.Errorf("C = %g, class %d, weight %d: %.9g, scikit-learn's is %.9g", c, k, 16*i, got, v)
				}
			}
		}
		r, err := ClassifySVM(context.Background(), train, test, SVMConfig{Classes: 3, C: c}, nil)
		if err != nil || math.Abs(r.Accuracy-w.Accuracy) > 1e-12 || r.C != c || r.Validation != nil {
			t.Errorf("C = %g: %+v, %v, scikit-learn's accuracy is %v", c, r, err, w.Accuracy)
		}
	}
}

// TestSVMGradient compares the gradient with central differences, and the optimum with the points
// around it.
func TestSVMGradient(t *testing.T) {
	e := newExamples(codes(1, 40, 4, 1), nil)
	o := newObjective(e, 2, 3)
	w, r := make([]float64, svmWidth), source(5, 9, 0)
	for i := range w {
		w[i] = r.NormFloat64() / 4
	}
	value := func(w []float64) float64 { o.move(w); return o.value }
	o.move(w)
	gradient := append([]float64(nil), o.gradient.RawVector().Data...)
	const h = 1e-5
	for _, i := range []int{0, 17, 255, 256} {
		at := w[i]
		w[i] = at + h
		up := value(w)
		w[i] = at - h
		down := value(w)
		w[i] = at
		if got := (up - down) / (2 * h); math.Abs(got-gradient[i]) > 1e-5*(1+math.Abs(got)) {
			t.Errorf("component %d: %v, by differences %v", i, gradient[i], got)
		}
	}
	norm := must.M1(o.minimize(w, svmTolerance))
	best := value(w)
	if o.move(w); math.Abs(mat.Norm(o.gradient, 2)-norm) > 1e-12 {
		t.Errorf("gradient norm %v, said to be %v", mat.Norm(o.gradient, 2), norm)
	}
	for range 50 {
		near := append([]float64(nil), w...)
		for i := range near {
			near[i] += 0.01 * r.NormFloat64()
		}
		if value(near) <= best {
			t.Fatalf("%v near the optimum, where it is %v", value(near), best)
		}
	}
}

// TestSVMDuality: the dual objective at the losses' multipliers αᵢ = 2 C max(0, 1 − yᵢ w·xᵢ) bounds
// the optimum from below, and there is no gap.
func TestSVMDuality(t *testing.T) {
	const c = 10
	e := newExamples(codes(3, 120, 4, 2), nil)
	o := newObjective(e, 1, c)
	w := make([]float64, svmWidth)
	must.M1(o.minimize(w, svmTolerance))
	primal := o.value
	// D(α) = Σ αᵢ − ½ ‖Σ αᵢ yᵢ xᵢ‖² − Σ αᵢ² / (4 C)
	dual, sum := 0.0, mat.NewVecDense(svmWidth, nil)
	for i, y := range o.y {
		alpha := 2 * c * math.Max(0, 1-y*mat.Dot(e.x.RowView(i), mat.NewVecDense(svmWidth, w)))
		dual += alpha - alpha*alpha/(4*c)
		sum.AddScaledVec(sum, alpha*y, e.x.RowView(i))
	}
	dual -= mat.Dot(sum, sum) / 2
	if gap := primal - dual; gap < -1e-9*primal || gap > 1e-6*primal {
		t.Errorf("primal %.12g, dual %.12g", primal, dual)
	}
}

// TestClassifySVM: separable classes are learned, labels that mean nothing are classified as by
// chance, and C is the candidate with the highest accuracy.
func TestClassifySVM(t *testing.T) {
	ctx := context.Background()
	train, test := codes(1, 150, 5, 1), codes(2, 200, 5, 1)
	calls := 0
	r := must.M1(ClassifySVM(ctx, train, test, DefaultSVM(5), func(done, total int) {
		if calls++; done != calls || total != 5*(1+5*len(candidates)) {
			t.Errorf("training %d of %d after %d", done, total, calls)
		}
	}))
	if r.Accuracy < 0.99 || r.NTrain != 150 || r.NTest != 200 || len(r.Correct) != 200 ||
		calls != 5*(1+5*len(candidates)) {
		t.Errorf("separable classes: %+v after %d trainings", r, calls)
	}
	for _, v := range r.Validation {
		chosen := 0.0
		for _, of := range r.Validation {
			if of.C == r.C {
				chosen = of.Accuracy
			}
		}
		if v.Accuracy > chosen || v.Accuracy == chosen && v.C < r.C {
			t.Errorf("chosen C = %g of %v", r.C, r.Validation)
		}
	}
	again, err := ClassifySVM(ctx, train, test, DefaultSVM(5), nil)
	if err != nil || again.Accuracy != r.Accuracy || again.GradientNorm != r.GradientNorm {
		t.Errorf("again: %+v, %v", again, err)
	}
	random := source(4, 1, 0)
	for _, c := range []*Codes{&train, &test} {
		for i := range c.Labels {
			c.Labels[i] = int32(random.IntN(5))
		}
	}
	r, err = ClassifySVM(ctx, train, test, SVMConfig{Classes: 5, C: 1}, nil)
	if err != nil || r.Accuracy < 0.08 || r.Accuracy > 0.32 {
		t.Errorf("labels at random: %+v, %v", r, err)
	}
}

// TestSVMWarmStart: in the cross-validation a candidate begins at the weights of the one before, and
// still comes to its own optimum.
func TestSVMWarmStart(t *testing.T) {
	alike := codes(5, 150, 5, 3)
	for i := range alike.Vectors { // as those of a network that was trained for a minute
		alike.Vectors[i] = alike.Vectors[i]/10 + 1.0/16
	}
	e := newExamples(alike, nil)
	trainer := svmTrainer{ctx: context.Background(), classes: 5}
	var warm *machine
	for _, c := range candidates {
		warm = must.M1(trainer.train(e, c, svmRough, warm))
		cold := must.M1(trainer.train(e, c, svmTolerance, nil))
		var difference mat.Dense
		difference.Sub(warm.w, cold.w)
		if d := mat.Norm(&difference, 2) / mat.Norm(cold.w, 2); d > 0.02 {
			t.Errorf("C = %g: the weights differ by %.3g of their norm", c, d)
		}
	}
}

// TestSVMErrors: a call that cannot work says why, and a cancelled one ends.
func TestSVMErrors(t *testing.T) {
	train, test := codes(1, 12, 3, 1), codes(2, 6, 3, 1)
	for want, call := range map[string]func() (Codes, Codes, SVMConfig){
		"classes: expected at least 2": func() (Codes, Codes, SVMConfig) { return train, test, SVMConfig{Classes: 1, C: 1} },
		"c: expected":                  func() (Codes, Codes, SVMConfig) { return train, test, SVMConfig{Classes: 3, C: -1} },
		"found NaN":                    func() (Codes, Codes, SVMConfig) { return train, test, SVMConfig{Classes: 3, C: math.NaN()} },
		"folds: expected":              func() (Codes, Codes, SVMConfig) { return train, test, SVMConfig{Classes: 3} },
		"expected 0 to 1":              func() (Codes, Codes, SVMConfig) { return train, test, SVMConfig{Classes: 2, C: 1} },
		"no code in toy": func() (Codes, Codes, SVMConfig) {
			return codes(1, 2, 3, 1), test, SVMConfig{Classes: 3, C: 1}
		},
		"one code in every class": func() (Codes, Codes, SVMConfig) { return codes(1, 3, 3, 1), test, DefaultSVM(3) },
	} {
		a, b, c := call()
		if _, err := ClassifySVM(context.Background(), a, b, c, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, found %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ClassifySVM(ctx, train, test, DefaultSVM(3), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
