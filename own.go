//go:build !swlab_cell

package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/floats"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	_ "github.com/sliced-wasserstein/lab/experiments/calls/all" // pictures, trainings, tables
	"github.com/sliced-wasserstein/lab/internal/client"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Losses, amortizers and directions of your own compute in the program that declares them: in a
// notebook, in the cell that uses them. Everything else in that cell is asked of the process, as
// elsewhere. A training on them belongs to their source: after a change it is another training.

// Node is a value of a graph of GoMLX (package graph), in which losses and amortizers are written.
type Node = graph.Node

// Loss makes a loss of your own: f gets clouds x [pairs, m, dim] and y [pairs, n, dim], and returns
// a number for each pair, [pairs]. It can be compared by, trained on, and varied.
//
//	var moments = lab.Loss("moments", func(x, y *lab.Node) *lab.Node {
//		d := Sub(ReduceMean(x, 1), ReduceMean(y, 1))
//		return ReduceSum(Square(d), -1)
//	})
func Loss(name string, f func(x, y *Node) *Node) Comparison {
	loss.Register(name, loss.Entry{New: func(loss.Config) (loss.Loss, error) { return ownLoss{ownNumber{name}, f}, nil }})
	return ownComparison(name)
}

// LossFunc makes a loss of your own of a plain function of two clouds, [points][dim] each. No network can be
// trained on it.
func LossFunc(name string, f func(x, y [][]float64) float64) Comparison {
	loss.Register(name, loss.Entry{New: func(loss.Config) (loss.Loss, error) { return ownFunc{ownNumber{name}, f}, nil }})
	return ownComparison(name)
}

func ownComparison(name string) Comparison {
	return func(x, y *Clouds, o ...Option) *Distance {
		if x == nil && y == nil {
			return &Distance{name: name, own: true}
		}
		return distance(name, x, y, append(slices.Clone(o), Option{own: true}))
	}
}

// ownNumber is what losses of one's own have in common.
type ownNumber struct{ name string }

func (l ownNumber) Name() string          { return l.name }
func (ownNumber) Check(_, _, _ int) error { return nil }
func (ownNumber) Convention() loss.Convention {
	return loss.Convention{Cost: "a loss of your own", Exponent: 1, Reduce: loss.Mean}
}

type ownLoss struct {
	ownNumber
	f func(x, y *Node) *Node
}

func (ownLoss) Specs() []weights.Spec { return nil }

func (l ownLoss) Build(_ loss.BuildArgs, x, y *Node) loss.Result {
	pairs := l.f(x, y)
	if got := pairs.Shape().Dimensions; len(got) != 1 || got[0] != x.Shape().Dimensions[0] {
		panic(fmt.Errorf("loss %q: expected one number for each of %d pairs, a node of shape [%d], found shape %v; x is %v",
			l.name, x.Shape().Dimensions[0], x.Shape().Dimensions[0], got, x.Shape().Dimensions))
	}
	return loss.Result{Pairs: pairs}
}

type ownFunc struct {
	ownNumber
	f func(x, y [][]float64) float64
}

func (l ownFunc) Compare(x, y ot1d.Clouds, gradient bool) (loss.Comparison, error) {
	if gradient {
		return loss.Comparison{}, fmt.Errorf("loss %q is a plain function: it has no gradient", l.name)
	}
	var out loss.Comparison
	for b := range x.Batch {
		out.Pairs = append(out.Pairs, l.f(rowsOf(x, b), rowsOf(y, b)))
	}
	return out, nil
}

func rowsOf(c ot1d.Clouds, b int) [][]float64 {
	out := make([][]float64, c.Points)
	for i := range out {
		for _, v := range c.Coords[(b*c.Points+i)*c.Dim : (b*c.Points+i+1)*c.Dim] {
			out[i] = append(out[i], float64(v))
		}
	}
	return out
}

// Weights are the shapes of an amortizer's weights, by name.
type Weights map[string][]int

// W are the values of an amortizer's weights: w.Get("b").
type W = weights.Nodes

// Amortizer makes an amortizer of your own: f gets its weights and clouds [pairs, points, dim], and returns a
// direction for each pair, [pairs, dim], of any length but 0. Weights are initially normal, divided by the
// root of their last axis.
func Amortizer(name string, w Weights, f func(w W, x, y *Node) *Node) Option {
	amortizer.Register(name, amortizer.Entry{New: func(amortizer.Config) amortizer.Amortizer { return ownAmortizer{name, w, f} }})
	o := option("amortizer", name)
	o.own = true
	return o
}

type ownAmortizer struct {
	name    string
	weights Weights
	f       func(w W, x, y *Node) *Node
}

func (a ownAmortizer) Name() string                   { return a.name }
func (ownAmortizer) Properties() amortizer.Properties { return amortizer.Properties{AnySize: true} }
func (ownAmortizer) Check(int) error                  { return nil }

func (a ownAmortizer) Specs() []weights.Spec {
	var out []weights.Spec
	for _, name := range slices.Sorted(maps.Keys(a.weights)) {
		shape := a.weights[name]
		out = append(out, weights.Spec{Name: name, Shape: shape, Init: func(r *rand.Rand, values []float32) {
			for i := range values {
				values[i] = float32(r.NormFloat64() / math.Sqrt(float64(shape[len(shape)-1])))
			}
		}})
	}
	return out
}

func (a ownAmortizer) Direction(w weights.Nodes, x, y *Node) *Node {
	v := a.f(w, x, y)
	if got := v.Shape().Dimensions; len(got) != 2 || got[0] != x.Shape().Dimensions[0] || got[1] != x.Shape().Dimensions[2] {
		panic(fmt.Errorf("amortizer %q: expected a direction for each pair, a node of shape [%d, %d], found shape %v; x is %v",
			a.name, x.Shape().Dimensions[0], x.Shape().Dimensions[2], got, x.Shape().Dimensions))
	}
	return slicing.Unit(v)
}

// Directions makes a slicing distribution of your own: f draws one direction, of any length but 0, with as many
// coordinates as the clouds have. Of several that belong together it returns the coordinates of all, always of equally
// many; they count as one in the standard error. It goes with SW and its relatives, to compare clouds.
func Directions(name string, f func(r *rand.Rand) []float64) Option {
	return Distribution(ownDirections{name, f})
}

// Distribution is Directions in the form of package slicing, whose Draw builds directions in a graph: it can be trained
// on as well.
func Distribution(d slicing.Distribution) Option {
	slicing.Register(d.Name(), slicing.Entry{New: func(slicing.Config) slicing.Distribution { return d }, Reads: []string{"slices"}})
	o := option("slicing", d.Name())
	o.own = true
	return o
}

type ownDirections struct {
	name string
	f    func(r *rand.Rand) []float64
}

func (d ownDirections) Name() string    { return d.name }
func (ownDirections) HasLocation() bool { return false }
func (ownDirections) Check(int) error   { return nil }

func (d ownDirections) Block(_, dim int) int { return len(d.f(rand.New(rand.NewPCG(1, 1)))) / dim }

func (d ownDirections) Draw(slicing.Request) *Node {
	panic(fmt.Errorf("slicing distribution %q is a plain function: it draws directions to compare clouds, not to train on", d.name))
}

func (d ownDirections) DrawOnHost(state []uint64, batch, perPair, dim int) []float32 {
	r := rand.New(rand.NewPCG(state[0], state[1]))
	var out []float32
	for pair := range batch {
		for len(out) < (pair+1)*perPair*dim {
			v := d.f(r)
			if len(v) == 0 || len(v)%dim > 0 {
				panic(fmt.Errorf("slicing distribution %q: expected a direction of %d coordinates, found %d", d.name, dim, len(v)))
			}
			for one := range slices.Chunk(v, dim) {
				norm := floats.Norm(one, 2)
				if !(norm > 0) {
					panic(errors.New("slicing distribution " + d.name + ": expected a direction other than 0"))
				}
				for _, c := range one {
					out = append(out, float32(c/norm))
				}
			}
		}
		out = out[:(pair+1)*perPair*dim]
	}
	return out
}

// space holds what this program's own calls have found.
var space = sync.OnceValue(func() *calls.Space { return calls.NewSpace("", 0) })

func init() {
	client.Local = func(ctx context.Context, raw []byte, show func([]byte)) []byte {
		var r calls.Request
		client.Check(json.Unmarshal(raw, &r))
		a := space().Respond(ctx, r, func(e calls.Event) {
			line, err := json.Marshal(e)
			client.Check(err)
			show(line)
		})
		out, err := json.Marshal(a)
		client.Check(err)
		return out
	}
}
