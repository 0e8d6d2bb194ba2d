// Package weights holds named tensors: the specification of a module's parameters, their initial
// values, and their files (safetensors and PyTorch, with the names of the authors' PyTorch
// modules).
package weights

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Spec describes one tensor of a module.
type Spec struct {
	Name string // PyTorch name, such as "encoder.mlp1.0.weight"
	// PyTorch shape: a Linear weight is [out, in], a Conv1d weight [out, in, 1]
	Shape []int
	Init  func(r *rand.Rand, values []float32) // fills the initial values
	// Buffer marks a batch norm's running statistic, which no optimizer touches.
	Buffer bool
}

// Size is the number of elements.
func (s Spec) Size() int { return size(s.Shape) }

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Uniform fills with U(-a, a).
func Uniform(a float64) func(*rand.Rand, []float32) {
	return func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(a * (2*r.Float64() - 1))
		}
	}
}

// Normal fills with N(0, sd^2).
func Normal(sd float64) func(*rand.Rand, []float32) {
	return func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(sd * r.NormFloat64())
		}
	}
}

// Constant fills with c.
func Constant(c float32) func(*rand.Rand, []float32) {
	return func(_ *rand.Rand, v []float32) {
		for i := range v {
			v[i] = c
		}
	}
}

// FanIn is PyTorch's default for the weight and the bias of Linear and Conv1d: U(+-1/sqrt(in)).
func FanIn(in int) func(*rand.Rand, []float32) { return Uniform(1 / math.Sqrt(float64(in))) }

// XavierUniform is U(+-sqrt(6/(in+out))).
func XavierUniform(in, out int) func(*rand.Rand, []float32) {
	return Uniform(math.Sqrt(6 / float64(in+out)))
}

// XavierNormal is N(0, 2/(in+out)).
func XavierNormal(in, out int) func(*rand.Rand, []float32) {
	return Normal(math.Sqrt(2 / float64(in+out)))
}

// Tensor is a float32 array in row-major order.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Set is an ordered collection of named tensors.
type Set struct {
	names   []string
	tensors map[string]Tensor
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{tensors: map[string]Tensor{}} }

// Put adds or replaces a tensor; the first Put of a name fixes its place in the order.
func (s *Set) Put(name string, t Tensor) {
	if s.tensors == nil {
		s.tensors = map[string]Tensor{}
	}
	if _, known := s.tensors[name]; !known {
		s.names = append(s.names, name)
	}
	s.tensors[name] = t
}

// Get returns the named tensor. A nil set has none.
func (s *Set) Get(name string) (Tensor, bool) {
	if s == nil {
		return Tensor{}, false
	}
	t, ok := s.tensors[name]
	return t, ok
}

// Names lists the names in order.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Clone(s.names)
}

// Init draws the initial values of the tensors in the order of specs from one generator seeded with
// seed. Equal specs and seeds give equal values on every backend. A nil Init leaves zeros.
func Init(specs []Spec, seed uint64) *Set {
	r := rand.New(rand.NewPCG(seed, 0x5357_4c41_4257)) // second word: "SWLABW"
	set := NewSet()
	for _, sp := range specs {
		v := make([]float32, sp.Size())
		if sp.Init != nil {
			sp.Init(r, v)
		}
		set.Put(sp.Name, Tensor{Shape: slices.Clone(sp.Shape), Data: v})
	}
	return set
}

// Upload copies the tensors to the device, by name. The caller frees them (engine.Free).
func (s *Set) Upload() map[string]*tensors.Tensor {
	out := map[string]*tensors.Tensor{}
	for _, name := range s.Names() {
		t := s.tensors[name]
		out[name] = tensors.FromFlatDataAndDimensions(t.Data, t.Shape...)
	}
	return out
}

// Download copies the tensors of specs from the device.
func Download(specs []Spec, on map[string]*tensors.Tensor) (*Set, error) {
	s := NewSet()
	for _, sp := range specs {
		v, err := tensors.CopyFlatData[float32](on[sp.Name])
		if err != nil {
			return nil, fmt.Errorf("copying %s from the device: %w", sp.Name, err)
		}
		s.Put(sp.Name, Tensor{Shape: slices.Clone(sp.Shape), Data: v})
	}
	return s, nil
}

// Match returns the tensors of s that specs name, in that order. It is an error, which lists them
// all, if some are missing, have another shape, or are in s and not in specs. "num_batches_tracked"
// entries are ignored.
func (s *Set) Match(specs []Spec) (*Set, error) {
	out := NewSet()
	var missing, wrong, unknown []string
	for _, sp := range specs {
		t, ok := s.Get(sp.Name)
		switch {
		case !ok:
			missing = append(missing, fmt.Sprintf("%s %v", sp.Name, sp.Shape))
		case !slices.Equal(t.Shape, sp.Shape):
			wrong = append(wrong, fmt.Sprintf("%s: expected %v, found %v", sp.Name, sp.Shape, t.Shape))
		default:
			out.Put(sp.Name, t)
		}
	}
	for _, n := range s.Names() {
		known := slices.ContainsFunc(specs, func(sp Spec) bool { return sp.Name == n })
		if !known && !strings.HasSuffix(n, ".num_batches_tracked") {
			unknown = append(unknown, n)
		}
	}
	var parts []string
	for _, p := range []struct {
		what string
		list []string
	}{{"missing", missing}, {"wrong shape", wrong}, {"unknown", unknown}} {
		if len(p.list) > 0 {
			parts = append(parts, p.what+": "+strings.Join(p.list, ", "))
		}
	}
	if len(parts) > 0 {
		return nil, fmt.Errorf("weights do not fit the module; %s", strings.Join(parts, "; "))
	}
	return out, nil
}

// Nodes are the tensors of a module in a graph, by name.
type Nodes map[string]*graph.Node

// Get returns the named node. It panics with the name if there is none, a bug of the graph-building
// code.
func (n Nodes) Get(name string) *graph.Node {
	v, ok := n[name]
	if !ok {
		panic(fmt.Errorf("weights: no tensor %q in the graph", name))
	}
	return v
}

// Bind names the nodes in the order of specs.
func Bind(specs []Spec, nodes []*graph.Node) Nodes {
	if len(specs) != len(nodes) {
		panic(fmt.Errorf("weights: %d specs for %d nodes", len(specs), len(nodes)))
	}
	out := make(Nodes, len(specs))
	for i, sp := range specs {
		out[sp.Name] = nodes[i]
	}
	return out
}
