package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/pointnet"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// written is a step of amortized v-DSW on a few small clouds.
type written struct {
	model Model
	state []any
	x     *tensors.Tensor
}

// outcome is what a step gives.
type outcome struct {
	loss, objective, angle float64
	before, after          []float32
	grad                   []float32 // in the last bias of the decoder
	psi, bias              []float32 // after the step
}

const lastBias = "decoder.fc3.bias"

func newWritten(t *testing.T, name string, change func(*Model)) *written {
	t.Helper()
	const m, batch = 16, 3
	s := loss.Defaults()
	s.Slices, s.Kappa, s.Amortizer, s.Maps = 8, 5, name, amortizer.Config{Points: m, DK: 4, K: 4}
	l := must.M1(loss.NewGraph("v-dsw", s))
	w := &written{model: Model{Net: &pointnet.Autoencoder{Points: m}, Loss: l, SGD: AutoencoderSGD, Adam: AmortizerAdam}}
	change(&w.model)
	w.state = startOf(w.model, 5)
	points := make([]float32, batch*m*3)
	for i := range points {
		points[i] = float32(math.Sin(float64(i*i) * 0.37))
	}
	w.x = tensors.FromFlatDataAndDimensions(points, batch, m, 3)
	return w
}

// step takes a step from the state with the last bias moved, on the pure-Go backend, where equal
// graphs have equal numbers. The sources begin with these seeds. A
// location, if any, replaces the amortizer's.
func (w *written) step(t *testing.T, ascend, descend int64, location, moved []float32) outcome {
	t.Helper()
	m := w.model
	args := []any{w.x}
	for _, seed := range []int64{ascend, descend} {
		args = append(args, must.M1(graph.RNGStateFromSeed(seed)))
	}
	state := slices.Clone(w.state)
	if moved != nil {
		state[w.lastBias()] = tensors.FromFlatDataAndDimensions(moved, len(moved))
	}
	if location != nil {
		args = append(args, tensors.FromFlatDataAndDimensions(location, len(location)/3, 3))
	}
	psi := len(m.Net.Specs()) + len(m.trained())
	x := must.M1(graph.NewExec(goBackend(t).Backend, func(in []*graph.Node) []*graph.Node {
		noise := Noise{Ascend: slicing.Seeded(in[1]), Descend: slicing.Seeded(in[2])}
		at, rest := (*graph.Node)(nil), in[3:]
		if location != nil {
			at, rest = rest[0], rest[1:]
		}
		o := m.Step(m.bind(rest), in[0], at, noise)
		zero := graph.Const(in[0].Graph(), float32(0))
		out := []*graph.Node{o.Loss, zero, zero, zero, o.After, o.Gradients[lastBias]}
		if o.Objective != nil {
			out[1], out[2], out[3] = o.Objective, o.Report.Angle, o.Before
		}
		new := m.unbind(o.State)
		return append(out, new[psi], o.State.Net[lastBias])
	}))
	defer x.Finalize()
	out := must.M1(x.Call(append(args, state...)...))
	flat := func(i int) []float32 { return tensors.MustCopyFlatData[float32](out[i]) }
	number := func(i int) float64 { return float64(flat(i)[0]) }
	return outcome{number(0), number(1), number(2), flat(3), flat(4), flat(5), flat(6), flat(7)}
}

// lastBias is where the state has the last bias.
func (w *written) lastBias() int {
	return slices.IndexFunc(w.model.stateSpecs(), func(s weights.Spec) bool { return s.Name == "net/"+lastBias })
}

// slope is the central difference of the loss along v in the last bias.
func (w *written) slope(t *testing.T, ascend, descend int64, location, v []float32) float64 {
	t.Helper()
	const h = 0.01
	at := func(h float32) float64 {
		moved := tensors.MustCopyFlatData[float32](w.state[w.lastBias()].(*tensors.Tensor))
		for i := range moved {
			moved[i] += h * v[i]
		}
		return w.step(t, ascend, descend, location, moved).loss
	}
	return (at(h) - at(-h)) / (2 * h)
}

func along(g, v []float32) (s float64) {
	for i := range g {
		s += float64(g[i]) * float64(v[i])
	}
	return s
}

// TestAsWritten: each option of the paper's update changes what it should and nothing else, for the
// three self-attention maps. Gradients are compared with central differences.
func TestAsWritten(t *testing.T) {
	for _, name := range []string{"a", "ea", "la"} {
		t.Run(name, func(t *testing.T) {
			released := newWritten(t, name, func(*Model) {})
			base := released.step(t, 1, 2, nil, nil)
			if base.loss == base.objective || slices.Equal(base.before, base.after) || !(base.angle > 0.1) {
				t.Fatalf("as released: loss %v, J %v, angle %v", base.loss, base.objective, base.angle)
			}
			v := base.grad // a direction in which the loss changes
			scale := math.Sqrt(along(v, v))
			v = slices.Clone(v)
			for i := range v {
				v[i] /= float32(scale)
			}
			near := func(what string, got, want, tolerance float64) {
				t.Helper()
				if math.Abs(got-want) > tolerance*math.Abs(want) {
					t.Errorf("%s: %v, expected %v", what, got, want)
				}
			}
			same := func(what string, o outcome) {
				t.Helper()
				if !slices.Equal(o.psi, base.psi) || o.objective != base.objective || !slices.Equal(o.before, base.before) ||
					o.angle != base.angle {
					t.Errorf("%s changes the amortizer's step: J %v, angle %v; as released %v, %v", what, o.objective, o.angle,
						base.objective, base.angle)
				}
				if slices.Equal(o.bias, base.bias) {
					t.Errorf("%s does not change the autoencoder's step", what)
				}
			}

			simultaneous := newWritten(t, name, func(m *Model) { m.Simultaneous = true })
			o := simultaneous.step(t, 1, 2, nil, nil)
			same("simultaneous", o)
			if !slices.Equal(o.after, base.before) {
				t.Errorf("simultaneous: the slices are at %v, the prediction before the ascent is %v", o.after, base.before)
			}
			near("simultaneous: slope with the location held fixed", along(o.grad, v), simultaneous.slope(t, 1, 2, o.after, v),
				0.01)

			// Equal seeds are what common slices give a step: see TestCommonSlices.
			common := released.step(t, 1, 1, nil, nil)
			same("common slices", common)
			near("common slices: slope with the location held fixed", along(common.grad, v),
				released.slope(t, 1, 1, common.after, v), 0.01)
			if both := simultaneous.step(t, 1, 1, nil, nil); both.loss != both.objective {
				t.Errorf("both: the loss is %v, the objective %v", both.loss, both.objective)
			}

			other := newWritten(t, name, func(m *Model) { m.OtherLocation = true })
			elsewhere := other.step(t, 1, 2, nil, nil)
			same("other location", elsewhere)
			if want := append(slices.Clone(base.after[3:]), base.after[:3]...); !slices.Equal(elsewhere.after, want) {
				t.Errorf("other location: the slices are at %v, expected each pair's at the next pair's, %v", elsewhere.after, want)
			}
			near("other location: slope with the location held fixed", along(elsewhere.grad, v),
				released.slope(t, 1, 2, elsewhere.after, v), 0.01)

			through := newWritten(t, name, func(m *Model) { m.Simultaneous, m.LocationGradient = true, true })
			g := through.step(t, 1, 2, nil, nil)
			same("location gradient", g)
			if g.loss != o.loss || !slices.Equal(g.after, o.after) {
				t.Errorf("location gradient changes the loss: %v, was %v", g.loss, o.loss)
			}
			// The direction in which the two gradients differ.
			for i := range v {
				v[i] = g.grad[i] - o.grad[i]
			}
			scale = math.Sqrt(along(v, v))
			if scale < 1e-5 {
				t.Fatalf("the location carries no gradient: %v", scale)
			}
			for i := range v {
				v[i] /= float32(scale)
			}
			total := through.slope(t, 1, 2, nil, v)
			near("location gradient: slope of the whole loss", along(g.grad, v), total, 0.03)
			if math.Abs(along(o.grad, v)-total) < 0.5*scale {
				t.Errorf("without it the gradient is the whole one already: %v, %v", along(o.grad, v), total)
			}
		})
	}
}

// TestCommonSlices: a step with common slices draws the same numbers for both updates.
func TestCommonSlices(t *testing.T) {
	c := DefaultConfig()
	c.Points, c.Loss, c.Amortizer, c.Slices, c.DK, c.K = 16, "v-dsw", "la", 4, 4, 4
	c.Simultaneous, c.CommonSlices = true, true
	m := must.M1(c.Model())
	s, _ := probed(t, m.Loss, func(to *Model) { to.Simultaneous, to.CommonSlices = m.Simultaneous, m.CommonSlices })
	r := oneStep(t, s, 1)
	if math.Abs(r.Loss-*r.Objective) > 1e-6*r.Loss {
		t.Errorf("loss %v, objective %v", r.Loss, *r.Objective)
	}
	if !(*r.AscentAngle > 0.1) {
		t.Errorf("the ascent turned the predictions by %v degrees", *r.AscentAngle)
	}
	if n := norm(r.Direction); len(r.Direction) != 3 || !(n > 0 && n <= 1+1e-5) {
		t.Errorf("direction %v", r.Direction)
	}
}

func norm(v []float64) (s float64) {
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

// TestUpdatesNeedAnAmortizer: the options are refused where no amortizer predicts the location.
func TestUpdatesNeedAnAmortizer(t *testing.T) {
	for name, set := range map[string]func(*Config){
		"simultaneous": func(c *Config) { c.Simultaneous = true }, "common-slices": func(c *Config) { c.CommonSlices = true },
		"location-gradient": func(c *Config) { c.LocationGradient = true },
		"other-location":    func(c *Config) { c.OtherLocation = true },
	} {
		for what, change := range map[string]func(*Config){
			"SW": func(*Config) {}, "v-DSW": func(c *Config) { c.Loss = "v-dsw" },
			"LA v-DSW": func(c *Config) { c.Loss, c.Amortizer, c.FineTune = "v-dsw", "la", true },
		} {
			c := DefaultConfig()
			c.Points = 16
			set(&c)
			change(&c)
			want := fmt.Sprintf("%s: expected a loss whose location an amortizer predicts without fine-tuning, found %s", name,
				what)
			if _, err := c.Model(); err == nil || err.Error() != want {
				t.Errorf("%v, expected %q", err, want)
			}
		}
	}
	c := DefaultConfig()
	c.Loss, c.Amortizer, c.Points, c.CommonSlices = "max-sw", "la", 16, true
	refused(t, "common-slices: expected a loss that draws slices")(c.Model())
}

// TestDirections: the log has the direction of a loss with one slice: fixed in every step, common to
// the batch, or the mean over pairs that differ. Losses with many slices and no location have none.
func TestDirections(t *testing.T) {
	directions := func(name string, change func(*loss.Config)) [2][]float64 {
		s := loss.Defaults()
		s.Slices = 1
		change(&s)
		stepper, _ := probed(t, must.M1(loss.NewGraph(name, s)))
		return [2][]float64{oneStep(t, stepper, 1).Direction, oneStep(t, stepper, 2).Direction}
	}
	unit := func(v []float64) bool { return math.Abs(norm(v)-1) < 1e-6 }
	if d := directions("sw", func(s *loss.Config) { s.Slicing = "fixed" }); !unit(d[0]) || !slices.Equal(d[0], d[1]) {
		t.Errorf("fixed: %v", d)
	}
	if d := directions("sw", func(s *loss.Config) { s.Slicing = "common" }); !unit(d[0]) || !unit(d[1]) ||
		slices.Equal(d[0], d[1]) {
		t.Errorf("common: %v", d)
	}
	if d := directions("sw", func(*loss.Config) {}); norm(d[0]) > 1-1e-6 || slices.Equal(d[0], d[1]) {
		t.Errorf("of every pair: %v", d)
	}
	if d := directions("sw", func(s *loss.Config) { s.Slices = 2 }); d[0] != nil {
		t.Errorf("two slices: %v", d)
	}
}
