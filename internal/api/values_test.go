package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/runs"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/engine"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
	"github.com/sliced-wasserstein/lab/swlab/weights"
)

// values makes arguments of any type: zero first, then empty, wrong and hostile ones, and some
// valid ones. Numbers are not large: other tests cover time and memory.
type values struct {
	good map[reflect.Type][]any // in addition to those by kind
	made map[reflect.Type][]reflect.Value
}

func newValues(t *testing.T) *values {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	set, err := datasets.New([]float32{0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1}, 2, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	la, err := amortizer.New("la", amortizer.Config{Points: 3, DK: 2, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	dist, err := vmf.New([]float64{0, 0, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	lab := &runs.Store{Dir: "store", Backend: "go"}
	t.Cleanup(lab.Close)
	lying := &datasets.Set{Clouds: 2, Points: 3, Dim: 3, Labels: []int32{5}, Split: []uint8{9}, Classes: []string{"a"}}
	wrong := &datasets.Set{Clouds: -1, Points: -1, Dim: -1}
	w := weights.Init(la.Specs(), 1)
	return &values{made: map[reflect.Type][]reflect.Value{}, good: map[reflect.Type][]any{
		reflect.TypeFor[*datasets.Set]():        {set, lying, wrong},
		reflect.TypeFor[*engine.Engine]():       {e},
		reflect.TypeFor[compute.Backend]():      {e.Backend},
		reflect.TypeFor[*weights.Set]():         {w},
		reflect.TypeFor[*vmf.Dist]():            {dist},
		reflect.TypeFor[*runs.Store]():          {lab},
		reflect.TypeFor[loss.Loss]():            {loss.Chamfer{}, loss.ExactEMD{}, loss.Sliced{}},
		reflect.TypeFor[loss.Graph]():           {loss.Chamfer{}, loss.Sliced{}},
		reflect.TypeFor[slicing.Distribution](): {slicing.Uniform{}, slicing.VMF{Kappa: -1}, slicing.QMC{}},
		reflect.TypeFor[amortizer.Amortizer]():  {la},
		reflect.TypeFor[context.Context]():      {context.Background(), cancelled},
		reflect.TypeFor[io.Reader]():            {strings.NewReader(""), strings.NewReader("x")},
		reflect.TypeFor[io.ReaderAt]():          {strings.NewReader("x")},
		reflect.TypeFor[io.Writer]():            {&bytes.Buffer{}},
		reflect.TypeFor[error]():                {errors.New("x")},
		reflect.TypeFor[*rand.Rand]():           {rand.New(rand.NewPCG(1, 2))},
		reflect.TypeFor[any]():                  {1, "x", (*int)(nil)},
		reflect.TypeFor[string]():               {"sw", "chamfer", "la", "train", "ablation_T", "x.png", "x.npy", "x.csv", "json"},
		reflect.TypeFor[time.Time]():            {},
	}}
}

// of returns the values of a type.
func (v *values) of(t reflect.Type, depth int) []reflect.Value {
	if made, ok := v.made[t]; ok {
		return made
	}
	out := []reflect.Value{reflect.Zero(t)}
	add := func(list ...any) {
		for _, x := range list {
			out = append(out, reflect.ValueOf(x).Convert(t))
		}
	}
	if depth > 4 {
		return out
	}
	good, known := v.good[t]
	add(good...)
	switch t.Kind() {
	case reflect.Bool:
		add(true)
	case reflect.Int, reflect.Int64:
		add(1, -1, 3, math.MinInt)
	case reflect.Int32, reflect.Int16, reflect.Int8:
		add(int8(1), int8(-1), int8(100))
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8, reflect.Uintptr:
		add(uint8(1), uint8(255))
	case reflect.Float32, reflect.Float64:
		add(math.NaN(), 1.0, -1.0, 0.5, math.Inf(1), math.Inf(-1), 1e30, -1e300)
	case reflect.Complex64, reflect.Complex128:
	case reflect.String:
		add("x", "\x00")
	case reflect.Slice:
		out = append(out, reflect.MakeSlice(t, 0, 0))
		elems := v.of(t.Elem(), depth+1)
		for i, e := range elems {
			if i < 6 {
				out = append(out, reflect.Append(reflect.MakeSlice(t, 0, 1), e))
			}
		}
		three := reflect.MakeSlice(t, 0, 3)
		for i := range 3 {
			three = reflect.Append(three, elems[min(len(elems)-1, i)])
		}
		out = append(out, three)
		switch t.Elem().Kind() {
		case reflect.Float32, reflect.Float64: // a unit vector, a cloud
			unit, cloud := reflect.MakeSlice(t, 3, 3), reflect.MakeSlice(t, 9, 9)
			unit.Index(2).SetFloat(1)
			for i := range 9 {
				cloud.Index(i).SetFloat(float64(i * i % 5))
			}
			out = append(out, unit, cloud)
		}
	case reflect.Array:
		for i := range out[0].Len() {
			for _, e := range v.of(t.Elem(), depth+1) {
				a := reflect.New(t).Elem()
				a.Index(i).Set(e)
				out = append(out, a)
			}
		}
	case reflect.Map:
		out = append(out, reflect.MakeMap(t))
		m := reflect.MakeMap(t)
		for _, k := range v.of(t.Key(), depth+1) {
			if k.Comparable() {
				m.SetMapIndex(k, reflect.Zero(t.Elem()))
			}
		}
		out = append(out, m)
	case reflect.Pointer:
		if t == reflect.TypeFor[*rand.Rand]() { // the zero value panics by itself
			break
		}
		for _, e := range v.of(t.Elem(), depth+1) {
			p := reflect.New(t.Elem())
			p.Elem().Set(e)
			out = append(out, p)
		}
	case reflect.Struct:
		if known {
			break
		}
		// Each field takes each value once, the others zero; then all take the k-th value.
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				for _, e := range v.of(f.Type, depth+1)[1:] {
					s := reflect.New(t).Elem()
					s.Field(i).Set(e)
					out = append(out, s)
				}
			}
		}
		for k := 1; k < 6; k++ {
			s := reflect.New(t).Elem()
			for i := range t.NumField() {
				if f := t.Field(i); f.IsExported() {
					list := v.of(f.Type, depth+1)
					s.Field(i).Set(list[k%len(list)])
				}
			}
			out = append(out, s)
		}
	case reflect.Func:
		out = append(out, reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
			var r []reflect.Value
			for i := range t.NumOut() {
				r = append(r, reflect.Zero(t.Out(i)))
			}
			return r
		}))
	case reflect.Interface: // its known implementations
	}
	if depth == 0 || len(out) < 400 {
		v.made[t] = out
	}
	return out
}

// node reports whether a type holds nodes of a graph.
func node(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == reflect.TypeFor[graph.Node]() || t == reflect.TypeFor[graph.Graph]() || t == reflect.TypeFor[slicing.Source]() {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Func:
		for i := range t.NumIn() {
			if node(t.In(i), seen) {
				return true
			}
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return node(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && node(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
