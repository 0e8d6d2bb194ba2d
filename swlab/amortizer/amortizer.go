// Package amortizer maps a pair of clouds to the location of a slicing distribution: one forward pass in place of
// an optimisation over the sphere (Nguyen et al. 2023). Each map is a file of its own and a line in the registry.
package amortizer

import (
	"fmt"
	"sort"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Amortizer predicts a unit direction per pair of clouds.
type Amortizer interface {
	// Name is the registered name, such as "la".
	Name() string
	// Specs lists the weights with the names of the authors' PyTorch modules, shapes and initial laws.
	Specs() []weights.Spec
	// Direction builds a(x, y): clouds [batch, points, dim] each -> unit vectors [batch, dim]. It panics with the
	// shapes when the clouds do not fit the map (GoMLX's custom while a graph is built); Fits tells beforehand.
	Direction(w weights.Nodes, x, y *graph.Node) *graph.Node
	// Fits returns an error when clouds of that many points cannot be given to the map.
	Fits(points int) error
}

// Config is what the maps may depend on.
type Config struct {
	Points int // m, points per cloud
	Dim    int // dimension of the points; 0 means 3
	DK     int // width d_k of queries and keys; 0 means 64
	K      int // number k of projected keys and values of LA; 0 means 64
}

func (c Config) withDefaults() Config {
	if c.Dim == 0 {
		c.Dim = 3
	}
	if c.DK == 0 {
		c.DK = 64
	}
	if c.K == 0 {
		c.K = 64
	}
	return c
}

// registry holds the maps by name.
var registry = map[string]func(Config) Amortizer{
	"l":  newLinear,
	"la": newLinearAttention,
}

// Names lists the registered maps.
func Names() []string {
	var out []string
	for n := range registry {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// New returns the map of that name.
func New(name string, c Config) (Amortizer, error) {
	make, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown amortizer %q, expected one of %s", name, strings.Join(Names(), ", "))
	}
	c = c.withDefaults()
	for _, p := range []struct {
		what  string
		value int
	}{{"points", c.Points}, {"dim", c.Dim}, {"dk", c.DK}, {"k", c.K}} {
		if p.value < 1 {
			return nil, fmt.Errorf("amortizer %q: expected %s >= 1, found %d", name, p.what, p.value)
		}
	}
	return make(c), nil
}

// Parameters is the number of weights of a map.
func Parameters(a Amortizer) int {
	n := 0
	for _, s := range a.Specs() {
		n += s.Size()
	}
	return n
}

// unit is a / ||a|| with a floor of 1e-12 under the root, where the released code has none: the same value wherever
// ||a|| > 1e-6, and finite at 0.
func unit(a *graph.Node) *graph.Node {
	square := graph.ReduceAndKeep(graph.Mul(a, a), graph.ReduceSum, -1)
	return graph.Div(a, graph.Sqrt(graph.MaxScalar(square, 1e-12)))
}

// checkPair panics unless x and y are [batch, points, dim]; points 0 stands for any number.
func checkPair(name string, x, y *graph.Node, points, dim int) {
	s := x.Shape()
	if s.Rank() != 3 || !s.Equal(y.Shape()) || s.Dimensions[2] != dim || (points > 0 && s.Dimensions[1] != points) {
		panic(fmt.Errorf("amortizer %q for %d points of dimension %d: found clouds %s and %s", name, points, dim, x.Shape(), y.Shape()))
	}
}

// fixed is the Fits of a map whose weights belong to one number of points.
func fixed(name string, want, points int) error {
	if want != points {
		return fmt.Errorf("amortizer %q was made for clouds of %d points, found %d", name, want, points)
	}
	return nil
}
