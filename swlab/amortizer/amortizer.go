// Package amortizer maps a pair of clouds to the location of a slicing distribution: one forward
// pass in place of an optimisation over the sphere (Nguyen et al. 2023). Each map has an
// entry in the registry. It declares its properties, and package conformance checks them.
package amortizer

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/swlab/internal/registry"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// Amortizer predicts a unit direction per pair of clouds.
type Amortizer interface {
	// Name is the registered name, such as "la".
	Name() string
	// Properties declares what callers may rely on. conformance.Amortizer checks that claimed
	// properties hold and others fail.
	Properties() Properties
	// Specs lists the weights with the names of the authors' PyTorch modules, shapes and initial
	// distributions.
	Specs() []weights.Spec
	// Direction builds a(x, y): clouds [batch, points, dim] each -> unit vectors [batch, dim]. As
	// usual in GoMLX, it panics with the shapes if the clouds do not fit the map; Check tells
	// beforehand.
	Direction(w weights.Nodes, x, y *graph.Node) *graph.Node
	// Check returns an error if the map cannot take clouds of that many points.
	Check(points int) error
}

// Properties of a map, exact up to rounding.
type Properties struct {
	Symmetric bool // a(X, Y) = a(Y, X)
	Invariant bool // the order of the points of X and of Y does not matter
	// Any number of points fits, and X and Y may differ in it; else only Config.Points.
	AnySize bool
	// Weights on which the direction does not depend: their gradient is zero in exact arithmetic.
	Inert []string
}

// Entry is an amortizer by its name: how it is made, and which settings it reads (SettingNames).
type Entry struct {
	New   func(Config) Amortizer
	Reads []string
}

// SettingNames are the settings of amortizers: Config's DK, K and Variant.
var SettingNames = []string{"dk", "k", "variant"}

// registered holds the maps by name.
var registered = registry.New("amortizer", map[string]Entry{
	"a":         {newAttention, []string{"dk", "variant"}},
	"ea":        {newEfficientAttention, []string{"dk", "variant"}},
	"g":         {newGeneralised, []string{"variant"}},
	"l":         {newLinear, []string{"variant"}},
	"la":        {newLinearAttention, SettingNames},
	"la-sorted": {newSortedLinearAttention, SettingNames},
	"n":         {newNonLinear, []string{"variant"}},
})

// Register makes an amortizer of another package available by name: in New, in loss.Config.Amortizer of
// the losses with a location, and so in swlab.Distance, swlab.Direction, trainings and sweeps, and
// in the flags of a command line built with that package. Call it from init functions. Names
// consist of lowercase letters, digits and single hyphens. Register panics with an error for
// another name or a taken one. New completes and checks the Config before it calls the Entry's. A
// version says when trainings of it are found again, as in loss.Register.
func Register(name string, e Entry, version ...string) { registered.Register(name, e, version...) }

// Reads lists the settings that the named amortizer reads; nil for an unknown name.
func Reads(name string) []string {
	e, _ := registered.Get(name)
	return e.Reads
}

// SourceOf identifies the code of an amortizer of another package, as loss.SourceOf does.
func SourceOf(name string) (string, error) { return registered.Source(name) }

// Names lists the registered amortizers.
func Names() []string { return registered.Names() }

// parameterBytes is per weight: the set on the host, its copy for the backend, and garbage.
const parameterBytes = 12

// New returns the named amortizer.
func New(name string, c Config) (Amortizer, error) {
	e, err := registered.Get(name)
	if err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("amortizer %q: %w", name, err)
	}
	a := e.New(c)
	var need int64
	for _, s := range a.Specs() {
		need = memory.Sum(need, memory.Bytes(append([]int{parameterBytes}, s.Shape...)...))
	}
	what := "dk, k: the weights of amortizer %q for d_k = %d, k = %d and %d points"
	return a, memory.Check(fmt.Sprintf(what, name, c.DK, c.K, c.Points), need)
}

// Parameters is the number of weights of a map.
func Parameters(a Amortizer) int {
	n := 0
	for _, s := range a.Specs() {
		n += s.Size()
	}
	return n
}

// unit is a / ||a||. Unlike the released code it has a floor of 1e-12 under the root: the same
// value if ||a|| > 1e-6, and finite at 0.
func unit(a *graph.Node) *graph.Node {
	square := graph.ReduceAndKeep(graph.Mul(a, a), graph.ReduceSum, -1)
	return graph.Div(a, graph.Sqrt(graph.MaxScalar(square, 1e-12)))
}

// builtin is a map of this package.
type builtin struct {
	Config
	name       string
	properties Properties
	specs      []weights.Spec
	direction  func(w weights.Nodes, x, y *graph.Node) *graph.Node
}

func (b *builtin) Name() string { return b.name }

func (b *builtin) Properties() Properties { return b.properties }

func (b *builtin) Specs() []weights.Spec { return slices.Clone(b.specs) }

func (b *builtin) Check(points int) error {
	switch {
	case !b.properties.AnySize && points != b.Points:
		return fmt.Errorf("amortizer %q was made for clouds of %d points, found %d", b.name, b.Points, points)
	case points < 1:
		return fmt.Errorf("amortizer %q: expected clouds of at least 1 point, found %d", b.name, points)
	}
	return nil
}

func (b *builtin) Direction(w weights.Nodes, x, y *graph.Node) *graph.Node {
	fits := x.Rank() == 3 && y.Rank() == 3 && x.Shape().Dimensions[0] == y.Shape().Dimensions[0]
	for _, p := range []*graph.Node{x, y} {
		fits = fits && p.Shape().Dimensions[2] == b.Dim && b.Check(p.Shape().Dimensions[1]) == nil
	}
	if !fits {
		size := "any number of"
		if !b.properties.AnySize {
			size = fmt.Sprint(b.Points)
		}
		panic(fmt.Errorf("amortizer %q takes two [batch, points, %d] of %s points: found clouds %s and %s",
			b.name, b.Dim, size, x.Shape(), y.Shape()))
	}
	return b.direction(w, x, y)
}
