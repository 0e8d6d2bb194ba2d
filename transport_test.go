package lab

import (
	"fmt"
	"math"
	"testing"
)

func ExampleDistance_Plan() {
	x, y := Points([][]float64{{0, 0}, {1, 1}}), Points([][]float64{{0, 1}, {1, 0}})
	d := SW(x, y, Mean())
	low, high := d.Bracket()
	best := EMD(x, y, Power(2)).Plan()
	fmt.Println(d.Plan(1, 0).Cost, best.Cost, low <= 1 && high >= 1)
	// Output: 1 1 true
}

// TestPlans: masses are those of a plan's rows, an expected plan costs the mean, and the bracket holds W2.
func TestPlans(t *testing.T) {
	withProcess(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}, {0, 2}}), Points([][]float64{{3, 0}, {3, 1}})
	d := SW(x, y, Mean(), Slices(20), MassX([]float64{2, 1, 1}), MassY([]float64{1, 1}))
	p := d.Plan()
	first := 0.0
	for _, r := range p.Rows {
		if r[0] == 0 {
			first += r[2]
		}
	}
	if math.Abs(first-0.5) > 1e-9 || p.Expected().Cost < p.Cost-1e-9 || len(p.Expected().Rows) < len(p.Rows) {
		t.Errorf("%v %v %v", first, p, p.Expected().Rows)
	}
	z := Points([][]float64{{3, 0}, {3, 1}, {5, 5}})
	best := EMD(x, z, Power(2)).Plan()
	low, high := SW(x, z, Mean(), Slices(20)).Bracket()
	if w := math.Sqrt(best.Cost); low > w || high < w || best.Costs != nil || best.String() == p.String() {
		t.Errorf("%v, between %v and %v", best, low, high)
	}
	if !Plans(p, p.Expected(), best).isPNG() || !best.Plot().isPNG() || !x.Sinogram().isPNG() {
		t.Error("no picture")
	}
	if m := Named("partial-sw")(x, z).Marginal(); len(m) != 3 || m[2] < m[0] || d.Marginal() != nil {
		t.Errorf("marginal costs %v", m)
	}
}

// TestPopulation: the interval of two samples of 100 points is wider than that of the directions, and there is none
// between a cloud and itself.
func TestPopulation(t *testing.T) {
	withProcess(t, "")
	x, y := Cloud("chair", Size(100)), Cloud("chair", Size(100))
	far := y.Coordinates()
	for i := range far {
		far[i] += 1
	}
	y = made("", far, 1, 100, 3)
	d := SW(x, y, Mean())
	p := d.Population()
	if !(p.Low < d.Low && p.High > d.Value) || p.Value != d.Value {
		t.Errorf("%v, of the population %v", d, p)
	}
	if q := SW(x, x, Mean()).Population(); !math.IsNaN(q.Low) {
		t.Errorf("%v", q)
	}
	if same, other := TwoSampleTest(x, x), TwoSampleTest(x, y); same.PValue < 0.5 || other.PValue > 0.01 || other.String() == "" {
		t.Errorf("%v, %v", same, other)
	}
}

// TestBarycenter: that of translates is in their middle, and a cloud that is there three times weighs three times.
func TestBarycenter(t *testing.T) {
	withProcess(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}, {0, 2}}), Points([][]float64{{4, 0}, {5, 0}, {4, 2}})
	for want, set := range map[float32]*Clouds{2: Together(x, y), 1: Together(x, x, x, y)} {
		if c := Barycenter(set, Steps(10)).Coordinates(); math.Abs(float64(c[0]-want)) > 1e-3 || math.Abs(float64(c[5]-2)) > 1e-3 {
			t.Errorf("%v, expected %v", c, want)
		}
	}
	a := Image(6, 4, func(x, y float64) [3]float64 { return [3]float64{x, y, 0} })
	b := Image(6, 4, func(x, y float64) [3]float64 { return [3]float64{0, x / 2, y} })
	c := a.Recolor(b, Steps(5))
	if got := c.Coordinates(); len(got) != 72 || got[0] > 0.1 {
		t.Errorf("%v", got)
	}
	titles := []string{"a", "b", "c"}
	if !Images(titles, a, b, c).isPNG() || !Palettes(titles, a, b, c).isPNG() {
		t.Error("no picture")
	}
}
