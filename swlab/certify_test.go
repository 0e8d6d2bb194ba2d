package swlab

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/internal/vec"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/sphere"
)

// TestCertify: no random direction costs more than value and gap, in every convention, and the value is
// the cost along the direction that is returned.
func TestCertify(t *testing.T) {
	const l = 3000
	for _, c := range []struct {
		name   string
		dim    int
		change func(*DistanceConfig)
	}{
		{"sum", 3, func(*DistanceConfig) {}},
		{"plane", 2, func(o *DistanceConfig) { o.Search.Gap = 1e-6 }},
		{"mean, root", 3, func(o *DistanceConfig) { o.Reduce, o.Root = loss.Mean, true }},
		{"p = 1", 2, func(o *DistanceConfig) { o.P, o.Reduce = 1, loss.Mean }},
		{"p = 3, root", 2, func(o *DistanceConfig) { o.P, o.Root = 3, true }},
		{"masses", 3, func(o *DistanceConfig) {
			o.Reduce, o.MassX = loss.Mean, make([]float64, 4*50)
			for i := range o.MassX {
				o.MassX[i] = float64(1 + i%7)
			}
		}},
	} {
		x, y := gaussian(1, 4, 50, c.dim, 1), gaussian(2, 4, 50, c.dim, 1.3)
		o := DistanceConfig{Config: loss.Defaults(), Seed: 3, Certify: true}
		c.change(&o)
		d := must.M1(Distance("max-sw", x, y, o))
		gap := o.Search.WithDefaults().Gap
		given := o
		given.Certify, given.Search, given.Path = false, sphere.Search{}, HostPath
		given.Directions = &Directions{d.Location, []int{4, 1, c.dim}}
		again := must.M1(Distance("max-sw", x, y, given))
		given.Directions, given.Root, given.Slices = nil, false, l
		costs := must.M1(Distance("sw", x, y, given)).Costs
		for b, v := range d.PerPair {
			top := float64(slices.Max(costs[b*l : (b+1)*l]))
			if o.Root {
				top = math.Pow(top, 1/d.Exponent)
			}
			most := v + d.DualityGap[b]
			if top > most*(1+1e-6) || d.DualityGap[b] > 1.01*gap*v || d.DualityGap[b] <= 0 || v != again.PerPair[b] {
				t.Errorf("%s, pair %d: value %v (again %v), gap %v, a random direction %v", c.name, b, v, again.PerPair[b],
					d.DualityGap[b], top)
			}
		}
		if d.StdErr != 0 || d.Low != d.Value || d.Warnings != nil || d.Slices != 1 || d.Work.Slices < 8 {
			t.Errorf("%s: %+v", c.name, d)
		}
	}
}

// TestCertifyAboveAscent: no ascent passes the certified maximum, and some end in local tops below it.
func TestCertifyAboveAscent(t *testing.T) {
	x, y := gaussian(1, 20, 60, 3, 1), gaussian(2, 20, 60, 3, 1)
	o := DistanceConfig{Config: loss.Defaults(), Seed: 3, Certify: true}
	best := must.M1(Distance("max-sw", x, y, o))
	o.Certify, o.AscentSteps, o.AscentLearningRate, o.AscentTangent = false, 200, 0.02, true
	one := must.M1(Distance("max-sw", x, y, o))
	local := 0
	for b, v := range best.PerPair {
		if one.PerPair[b] > v+best.DualityGap[b] {
			t.Errorf("pair %d: the ascent reaches %v, certified %v + %v", b, one.PerPair[b], v, best.DualityGap[b])
		}
		if one.PerPair[b] < 0.99*v {
			local++
		}
	}
	t.Logf("%d of 20 ascents end in a local top", local)
	if local < 2 {
		t.Errorf("%d of 20 ascents end in a local top: expected some", local)
	}
	o.AscentStarts = 8
	many, left := must.M1(Distance("max-sw", x, y, o)), 0
	for b, v := range many.PerPair {
		starts := many.Starts[8*b : 8*(b+1)]
		if top := slices.Max(starts); math.Abs(top-v) > 1e-5*v || math.Abs(starts[0]-one.PerPair[b]) > 1e-5*v {
			t.Errorf("pair %d: %v, of %v; one start %v", b, v, starts, one.PerPair[b])
		}
		if v < 0.99*best.PerPair[b] {
			left++
		}
	}
	if left > 1 || len(many.Starts) != 160 || one.Starts != nil || many.Work.Slices < 8*20*200 {
		t.Errorf("the best of 8 starts is below the maximum of %d of 20 pairs: %+v", left, many)
	}
}

// TestCertifyOfItself: a cloud and itself differ nowhere; and a budget that is used up says what it reached.
func TestCertifyOfItself(t *testing.T) {
	x := gaussian(1, 1, 50, 3, 1)
	o := DistanceConfig{Config: loss.Defaults(), Certify: true}
	d := must.M1(Distance("max-sw", x, x, o))
	if d.Value != 0 || !(d.DualityGap[0] < 1e-20) || d.Warnings != nil {
		t.Errorf("%+v", d)
	}
	o.Search.Budget = 5
	d = must.M1(Distance("max-sw", x, gaussian(2, 1, 50, 3, 1), o))
	if !(d.DualityGap[0] > 0.01*d.Value) || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "after 5 directions") {
		t.Errorf("%+v", d)
	}
}

func TestCertifyRefuses(t *testing.T) {
	for _, c := range []struct {
		loss   string
		dim    int
		change func(*DistanceConfig)
		want   string
	}{
		{"sw", 3, func(*DistanceConfig) {}, `loss "sw" is no maximum`},
		{"v-dsw", 3, func(*DistanceConfig) {}, `loss "v-dsw" is no maximum`},
		{"chamfer", 3, func(*DistanceConfig) {}, `loss "chamfer" is no maximum`},
		{"max-sw", 4, func(*DistanceConfig) {}, "dimension 2 or 3, found 4"},
		{"max-sw", 1, func(*DistanceConfig) {}, "dimension 2 or 3, found 1"},
		{"max-sw", 3, func(o *DistanceConfig) { o.Amortizer = "la" }, "amortizer"},
		{"max-sw", 3, func(o *DistanceConfig) { o.Path = GraphPath }, "graph"},
		{"max-sw", 3, func(o *DistanceConfig) { o.Search.Gap = -1 }, "gap: expected a number > 0"},
		{"max-sw", 3, func(o *DistanceConfig) { o.Certify, o.Search.Gap = false, 1 }, "without Certify"},
		{"max-sw", 3, func(o *DistanceConfig) {
			o.Directions = &Directions{vec.To[float32]([]float64{1, 0, 0}), []int{1, 3}}
		}, "directions are given"},
	} {
		o := DistanceConfig{Config: loss.Defaults(), Certify: true}
		c.change(&o)
		x := gaussian(1, 1, 8, c.dim, 1)
		if _, err := Distance(c.loss, x, x, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.loss, err, c.want)
		}
	}
}
