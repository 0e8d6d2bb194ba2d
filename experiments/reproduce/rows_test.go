package reproduce

import (
	"fmt"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/gap"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
)

// trained is what distinguishes the trainings of the tables.
type trained struct {
	loss, amortizer string
	slices, steps   int     // L and T; T of rows that ascend
	kappa, rate     float64 // of rows with vMF slices, and of rows that ascend
	tangent, summed bool
	slicing         string
	written         string // what is as in the paper's text, not as released
}

// rowsTrained lists all rows of the autoencoder tables, by hand from the protocol (sections 1, 5.6,
// 7 and traps T1, T2, T3, T17).
var rowsTrained = map[string]trained{
	"chamfer":           {loss: "chamfer"},
	"chamfer-summed":    {loss: "chamfer", summed: true},
	"emd-approx":        {loss: "emd-approx"},
	"sw":                {loss: "sw", slices: 100},
	"sw-L50":            {loss: "sw", slices: 50},
	"sw-L200":           {loss: "sw", slices: 200},
	"sw-L500":           {loss: "sw", slices: 500},
	"asw":               {loss: "asw", slices: 500},
	"max-sw-T1":         {loss: "max-sw", slices: 1, steps: 1, rate: 1e-4},
	"max-sw-T10":        {loss: "max-sw", slices: 1, steps: 10, rate: 1e-4},
	"max-sw-T50":        {loss: "max-sw", slices: 1, steps: 50, rate: 1e-4},
	"max-sw-T50-moving": {loss: "max-sw", slices: 1, steps: 50, rate: 0.05, tangent: true},
	"v-dsw-T0":          {loss: "v-dsw", slices: 100, steps: 0, rate: 1e-4, kappa: 1},
	"v-dsw-T1":          {loss: "v-dsw", slices: 100, steps: 1, rate: 1e-4, kappa: 1},
	"v-dsw-T10":         {loss: "v-dsw", slices: 100, steps: 10, rate: 1e-4, kappa: 1},
	"v-dsw-T50":         {loss: "v-dsw", slices: 100, steps: 50, rate: 1e-4, kappa: 1},
	"v-dsw-T10-moving":  {loss: "v-dsw", slices: 100, steps: 10, rate: 0.05, tangent: true, kappa: 1},
	"v-dsw-T50-moving":  {loss: "v-dsw", slices: 100, steps: 50, rate: 0.05, tangent: true, kappa: 1},
	"l-max-sw":          {loss: "max-sw", amortizer: "l", slices: 1},
	"g-max-sw":          {loss: "max-sw", amortizer: "g", slices: 1},
	"n-max-sw":          {loss: "max-sw", amortizer: "n", slices: 1},
	"l-v-dsw":           {loss: "v-dsw", amortizer: "l", slices: 100, kappa: 1},
	"g-v-dsw":           {loss: "v-dsw", amortizer: "g", slices: 100, kappa: 1},
	"n-v-dsw":           {loss: "v-dsw", amortizer: "n", slices: 100, kappa: 1},
	"a-v-dsw":           {loss: "v-dsw", amortizer: "a", slices: 100, kappa: 1},
	"ea-v-dsw":          {loss: "v-dsw", amortizer: "ea", slices: 100, kappa: 1},
	"la-v-dsw":          {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1},
	"la-v-dsw-L50":      {loss: "v-dsw", amortizer: "la", slices: 50, kappa: 1},
	"la-v-dsw-kappa0.1": {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 0.1},
	"la-v-dsw-kappa10":  {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 10},
	"la-sorted-v-dsw":   {loss: "v-dsw", amortizer: "la-sorted", slices: 100, kappa: 1},

	"la-v-dsw-root":              {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1, written: "root"},
	"la-v-dsw-mean":              {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1, written: "mean"},
	"la-v-dsw-simultaneous":      {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1, written: "simultaneous common"},
	"la-v-dsw-location-gradient": {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1, written: "location"},
	"la-v-dsw-paper-map":         {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1, written: "map"},
	"la-v-dsw-as-in-the-paper":   {loss: "v-dsw", amortizer: "la", slices: 100, kappa: 1, written: "root mean simultaneous common location map"},
	"sw-fixed":                   {loss: "sw", slices: 1, slicing: "fixed"},
	"sw-common":                  {loss: "sw", slices: 1, slicing: "common"},
	"sw-L1":                      {loss: "sw", slices: 1},
}

// TestRowsTrained: the settings of every row reach its training, and nothing else differs from the
// paper's standard run.
func TestRowsTrained(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	p := preset(t, "paper")
	p.Select = "none"
	seen := map[string]bool{}
	for _, name := range table.Names() {
		tab := must.M1(table.Get(name))
		if tab.Study == "gap" {
			continue
		}
		for _, j := range plan(t, l, name, p).Jobs {
			seen[j.Row] = true
			want, ok := rowsTrained[j.Row]
			if !ok {
				t.Errorf("%s: row %s is not in the list by hand", name, j.Row)
				continue
			}
			c := j.training().Config
			got := trained{loss: c.Loss, amortizer: c.Amortizer, slices: c.Slices, tangent: c.AscentTangent, summed: c.Reduce == loss.Sum, slicing: c.Slicing}
			var written []string
			for _, w := range []struct {
				name string
				on   bool
			}{{"root", c.Root}, {"mean", c.Reduce == loss.Mean}, {"simultaneous", c.Simultaneous}, {"common", c.CommonSlices}, {"location", c.LocationGradient}, {"map", c.Variant == amortizer.Paper}} {
				if w.on {
					written = append(written, w.name)
				}
			}
			got.written = strings.Join(written, " ")
			if c.Loss == "v-dsw" {
				got.kappa = c.Kappa
			}
			if c.Amortizer == "" && (c.Loss == "v-dsw" || c.Loss == "max-sw") {
				got.steps, got.rate = c.AscentSteps, c.AscentLearningRate
			}
			if got != want {
				t.Errorf("%s: row %s: %+v, want %+v", name, j.Row, got, want)
			}
			epochs := 301
			if tab.Study == "generation" {
				epochs = 101
			}
			if c.Epsilon != 0.5 || c.Batch != 128 || c.Epochs != epochs || c.Steps != -1 || c.DK != 64 || c.K != 64 || c.Seed != j.Seed || c.FineTune || c.AscentSGD {
				t.Errorf("%s: row %s, seed %d: %+v", name, j.Row, j.Seed, c)
			}
		}
	}
	for id := range rowsTrained {
		if !seen[id] {
			t.Errorf("no table has row %s", id)
		}
	}
}

// TestRowsGap: the rows of the gap study, from protocol 6.5: plain steps at learning rate 0.1, L =
// 10, one epoch, d_k = 1 for A and EA (inferred; ours have four others), 32 and k = 64 for LA.
func TestRowsGap(t *testing.T) {
	l := &runs.Store{Dir: t.TempDir()}
	sgd := func(method string, dk, k int) gap.Config {
		return gap.Config{Method: method, Optimiser: gap.SGD, Passes: 1, LearningRate: 0.1, DK: dk, K: k}
	}
	adam := func(method string, dk, k int) gap.Config {
		return gap.Config{Method: method, Optimiser: gap.Adam, Passes: 20, LearningRate: 1e-3, DK: dk, K: k}
	}
	steps := func(n int) gap.Config { return gap.Config{Method: gap.VDSW, Steps: n, LearningRate: 0.1} }
	want := map[string]gap.Config{
		"l-v-dsw-L10": sgd("l", 0, 0), "g-v-dsw-L10": sgd("g", 0, 0), "n-v-dsw-L10": sgd("n", 0, 0), "a-v-dsw-L10": sgd("a", 1, 0), "ea-v-dsw-L10": sgd("ea", 1, 0),
		"la-v-dsw-L10": sgd("la", 32, 64), "la-sorted-v-dsw-L10": sgd("la-sorted", 32, 64),
		"v-dsw-T1-L10": steps(1), "v-dsw-T5-L10": steps(5), "v-dsw-T10-L10": steps(10), "v-dsw-T50-L10": steps(50), "v-dsw-T100-L10": steps(100),
		"uniform": {Method: gap.Uniform}, "constant": {Method: gap.Constant}, "v-dsw-converged": {Method: gap.Converged},
		"l-v-dsw-L10-adam-20": adam("l", 0, 0), "g-v-dsw-L10-adam-20": adam("g", 0, 0), "n-v-dsw-L10-adam-20": adam("n", 0, 0), "a-v-dsw-L10-adam-20": adam("a", 1, 0),
		"ea-v-dsw-L10-adam-20": adam("ea", 1, 0), "la-v-dsw-L10-adam-20": adam("la", 32, 64), "la-sorted-v-dsw-L10-adam-20": adam("la-sorted", 32, 64),
	}
	for _, width := range []int{16, 32, 64, 128} {
		for _, method := range []string{"a", "ea"} {
			want[fmt.Sprintf("%s-v-dsw-L10-dk%d", method, width)] = sgd(method, width, 0)
		}
	}
	p := preset(t, "paper")
	seen := 0
	schedule := plan(t, l, "vDSW_approximation", p)
	for _, r := range schedule.Table.Rows { // the widths are in the JSON
		w := want[r.ID]
		dk, _ := r.Overrides["dk"].(int)
		if k, _ := r.Overrides["k"].(int); dk != w.DK || k != w.K {
			t.Errorf("row %s has the settings %v, expected d_k = %d, k = %d", r.ID, r.Overrides, w.DK, w.K)
		}
		if strings.Contains(r.Note, "d_k = 1 is a guess") != (w.DK == 1) {
			t.Errorf("row %s has the note %q", r.ID, r.Note)
		}
	}
	for _, j := range schedule.Jobs {
		w, ok := want[j.Row]
		if !ok {
			t.Errorf("row %s is not in the list by hand", j.Row)
		}
		w.Seed, w.PairSeed, w.Batches, w.Pairs, w.HeldOut, w.Slices, w.Common, w.Kappa = 122+j.Seed, 123, 10, 100, 1000, 10, 1000, 1
		if got := j.Runs[0].Run.(runs.Gap).Config; got != w {
			t.Errorf("row %s: %+v, want %+v", j.Row, got, w)
		}
		seen++
	}
	if seen != 3*len(want) {
		t.Errorf("%d jobs, expected %d", seen, 3*len(want))
	}
}
