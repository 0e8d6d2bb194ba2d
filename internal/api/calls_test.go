// Package api calls everything that the library exports with meaningless arguments.
package api

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// mayPanic are functions that are not called, each with its reason.
var mayPanic = map[string]string{
	"amortizer.Register":       "documented to panic",
	"loss.Register":            "documented to panic",
	"slicing.Register":         "documented to panic",
	"show.Check":               exits,
	"show.Must":                exits,
	"show.HTML":                exits,
	"show.Markdown":            exits,
	"show.Picture":             exits,
	"show.Sphere":              exits,
	"show.Table":               exits,
	"exercise.Check":           exits,
	"notebook.Session.Figure":  exits,
	"notebook.Session.Picture": exits,
	"engine.HugePages":         "starts the program anew",
	"jobs.Local":               "starts this program, which here is the test itself",
}

const exits = "ends a notebook's cell on an error, by exit"

// TestNoPanic calls every exported function and method with zero values, nil, empty, wrong and
// valid arguments. None may panic: an error is returned if the function returns one, otherwise what
// is documented. Graph builders may panic, as is the custom of GoMLX, so whatever takes a node is
// left out.
func TestNoPanic(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "SWLAB_DATA_DIR", "SWLAB_OUT", "TMPDIR"} {
		t.Setenv(name, dir)
	}
	t.Setenv("SWLAB_BACKEND", "go")
	t.Setenv("GOMLX_NO_AUTO_INSTALL", "1")
	quiet(t)
	v := newValues(t)
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		t.Run(name, func(t *testing.T) { v.try(t, name, reflect.ValueOf(functions[name]), 0) })
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		ty := types[name]
		if ty.Kind() == reflect.Interface || node(ty, map[reflect.Type]bool{}) {
			continue
		}
		for i := range reflect.PointerTo(ty).NumMethod() {
			m := reflect.PointerTo(ty).Method(i)
			called := name + "." + m.Name
			t.Run(called, func(t *testing.T) {
				if value, ok := ty.MethodByName(m.Name); ok { // a nil pointer has no such method
					v.try(t, called, value.Func, 1)
				} else {
					v.try(t, called, m.Func, 1)
				}
			})
		}
	}
}

// quiet discards standard output and error: packages show and notebook write pictures and progress
// there.
func quiet(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = null, null
	t.Cleanup(func() { os.Stdout, os.Stderr = out, errs; null.Close() })
}

// enough is how long one function is tried; one call must be over sooner than late.
const (
	enough = time.Second
	many   = 200 // calls with several arguments that are not zero
	late   = 30 * time.Second
)

// try calls f on many arguments.
func (v *values) try(t *testing.T, name string, f reflect.Value, receivers int) {
	if why, ok := mayPanic[name]; ok {
		t.Skip(why)
	}
	ty := f.Type()
	lists := make([][]reflect.Value, ty.NumIn())
	for i := range lists {
		if node(ty.In(i), map[reflect.Type]bool{}) {
			t.Skip("builds a graph")
		}
		lists[i] = v.of(ty.In(i), 0)
	}
	seen := map[string]bool{}
	began := time.Now()
	one := func(at []int) bool {
		args := make([]reflect.Value, len(at))
		for i, k := range at {
			args[i] = lists[i][k]
		}
		if where, said := v.call(f, args); where != "" && !seen[where] && len(seen) < 3 {
			seen[where] = true
			t.Errorf("%s(%s): %s\n\t%s", name, describe(args), said, where)
		}
		return time.Since(began) < enough
	}
	at := make([]int, len(lists))
	if !one(at) {
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	var single [][]int
	for i := range lists { // one nonzero argument
		for k := 1; k < len(lists[i]); k++ {
			other := make([]int, len(lists))
			other[i] = k
			single = append(single, other)
		}
	}
	random.Shuffle(len(single), func(i, j int) { single[i], single[j] = single[j], single[i] })
	for _, at := range single {
		if !one(at) {
			return
		}
	}
	if len(lists) > 1 {
		for range many {
			for i := range at {
				at[i] = random.IntN(len(lists[i]))
			}
			if !one(at) {
				return
			}
		}
	}
}

// call returns where f has panicked, or that it does not end, and its message.
func (v *values) call(f reflect.Value, args []reflect.Value) (where, said string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				said = fmt.Sprint(r)
				where = place(string(debug.Stack()))
			}
		}()
		var out []reflect.Value
		if f.Type().IsVariadic() {
			out = f.CallSlice(args)
		} else {
			out = f.Call(args)
		}
		for _, r := range out { // a loss, a sequence
			if r.Kind() == reflect.Func && !r.IsNil() && !node(r.Type(), map[reflect.Type]bool{}) {
				zeros := make([]reflect.Value, r.Type().NumIn())
				for i := range zeros {
					zeros[i] = v.of(r.Type().In(i), 0)[0]
					if r.Type().In(i).Kind() == reflect.Func {
						zeros[i] = v.of(r.Type().In(i), 0)[1]
					}
				}
				r.Call(zeros)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(late):
		return "does not end", "no result after " + late.String()
	}
	return where, said
}

// place is the innermost line of the library in a stack.
func place(stack string) string {
	_, stack, _ = strings.Cut(stack, "panic(")
	var lines []string
	for _, l := range strings.Split(stack, "\n") {
		if strings.HasPrefix(l, "\t") && !strings.Contains(l, "/internal/api/") && !strings.Contains(l, "/src/runtime/") && !strings.Contains(l, "/src/reflect/") {
			lines = append(lines, strings.TrimSpace(l))
		}
		if len(lines) == 3 {
			break
		}
	}
	return strings.Join(lines, " < ")
}

func describe(args []reflect.Value) string {
	var out []string
	for _, a := range args {
		s := fmt.Sprintf("%T", a.Interface())
		if a.Kind() != reflect.Pointer && a.Kind() != reflect.Func && a.Kind() != reflect.Interface {
			s = fmt.Sprintf("%#v", a.Interface())
		} else if a.Kind() == reflect.Pointer && !a.IsNil() && a.Elem().Kind() == reflect.Struct {
			s = fmt.Sprintf("&%+v", a.Elem().Interface())
		} else if a.IsNil() {
			s = "nil " + a.Type().String()
		}
		if len(s) > 160 {
			s = s[:160] + "..."
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
