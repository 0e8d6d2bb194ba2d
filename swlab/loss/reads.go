package loss

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/ot"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// setting is a field of Config; others lists the values that New is tried with in its place.
type setting struct {
	name  string
	other func(s Config) []Config
}

// settings are all of them: the fields of Config by their JSON names, and those of the amortizer's
// configuration that belong to a call.
var settings = func() []setting {
	out := []setting{
		{"dk", func(s Config) []Config { return others(s, func(s *Config) *int { return &s.Maps.DK }, 1, 2) }},
		{"k", func(s Config) []Config { return others(s, func(s *Config) *int { return &s.Maps.K }, 1, 2) }},
		{"variant", func(s Config) []Config {
			return others(s, func(s *Config) *amortizer.Variant { return &s.Maps.Variant }, amortizer.Released, amortizer.Paper)
		}},
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			out = append(out, setting{name, func(s Config) []Config { return othersOf(s, f, name) }})
		}
	}
	return out
}()

// others are copies of s in which the field has each of values that is not its own.
func others[T comparable](s Config, field func(*Config) *T, values ...T) []Config {
	var out []Config
	for _, v := range values {
		if v != *field(&s) {
			c := s
			*field(&c) = v
			out = append(out, c)
		}
	}
	return out
}

// othersOf is others with some valid values of the field's type, or all its names.
func othersOf(s Config, f reflect.StructField, name string) []Config {
	var values []any
	switch f.Type {
	case reflect.TypeFor[int]():
		values = []any{1, 2}
	case reflect.TypeFor[float64]():
		values = []any{1.0, 2.0}
	case reflect.TypeFor[bool]():
		values = []any{false, true}
	case reflect.TypeFor[Reduction]():
		values = []any{Sum, Mean}
	case reflect.TypeFor[ot.Ground]():
		values = []any{ot.Euclidean, ot.PNorm}
	case reflect.TypeFor[vmf.Reflection]():
		values = []any{vmf.Released, vmf.Exact, vmf.Stable}
	case reflect.TypeFor[string]():
		for _, n := range map[string][]string{"slicing": slicing.Names(), "control": ControlNames(), "amortizer": append(amortizer.Names(), "")}[name] {
			values = append(values, n)
		}
	}
	var out []Config
	for _, v := range values {
		c := s
		if field := reflect.ValueOf(&c).Elem().FieldByIndex(f.Index); field.Interface() != v {
			field.Set(reflect.ValueOf(v))
			out = append(out, c)
		}
	}
	return out
}

// SettingNames lists the settings that Reads knows: the JSON names of the fields of Config, and dk,
// k and variant of Maps.
func SettingNames() []string {
	var out []string
	for _, s := range settings {
		out = append(out, s.name)
	}
	slices.Sort(out)
	return out
}

// Reads reports whether the named loss, with those settings, depends on the setting (SettingNames).
// It compares the losses that New makes of other values of the setting. A setting for which New
// takes one value alone counts as read, because naming that value is valid. With given directions,
// a setting that would choose them is not read. The error is that of New for s, or of an unknown
// setting.
func Reads(name string, s Config, given bool, what string) (bool, error) {
	i := slices.IndexFunc(settings, func(k setting) bool { return k.name == what })
	if i < 0 {
		return false, suggest.Unknown("setting", what, SettingNames())
	}
	if s.Maps.Points == 0 {
		s.Maps.Points = 1
	}
	own, err := New(name, s)
	if err != nil {
		return false, err
	}
	refused := true
	for _, other := range settings[i].other(s) {
		l, err := New(name, other)
		if err != nil {
			continue
		}
		refused = false
		if !same(own, l, given) {
			return true, nil
		}
	}
	return refused, nil
}

// Users lists the losses that read the setting when everything else is the default and, if it is a
// setting of a map, the amortizers with which they do.
func Users(what string) (losses, maps []string) {
	for _, name := range Names() {
		if read, err := Reads(name, Defaults(), false, what); err == nil && read {
			losses = append(losses, name)
		}
	}
	for _, a := range amortizer.Names() {
		s := Defaults()
		s.Amortizer = a
		for _, name := range Names() {
			if read, err := Reads(name, s, false, what); err == nil && read && !slices.Contains(losses, name) && !slices.Contains(maps, a) {
				maps = append(maps, a)
			}
		}
	}
	return losses, maps
}

// same reports whether two losses are equal, or equal beside given directions. It compares
// amortizers by their weights, because their configuration also holds sizes that do not apply.
func same(a, b Loss, given bool) bool {
	x, isX := a.(Sliced)
	y, isY := b.(Sliced)
	if !isX || !isY {
		return reflect.DeepEqual(a, b)
	}
	if given {
		x.Label, x.Slicer, y.Label, y.Slicer = "", slicing.Slicer{}, "", slicing.Slicer{}
	}
	if mapOf(x) != mapOf(y) {
		return false
	}
	x.Slicer.Amortizer, y.Slicer.Amortizer = nil, nil
	return reflect.DeepEqual(effective(x), effective(y))
}

// effective returns the loss with one value for all settings that draw the same slices: one point
// takes one slice, and chains and sets have no more than there are.
func effective(s Sliced) Sliced {
	switch d := s.Slicer.Distribution.(type) {
	case slicing.Point:
		s.Slicer.Slices = 1
	case slicing.Markov:
		if d.Chain = min(d.Chain, s.Slicer.Slices); d.Chain == 1 { // every direction is a first one
			d.Kappa = 0
		}
		s.Slicer.Distribution = d
	case slicing.QMC:
		s.Slicer.Distribution = slicing.QMC{Replicates: d.Block(s.Slicer.Slices, 0)} // slices of a set
	}
	return s
}

// mapOf is the name of a loss's amortizer and the names and shapes of its weights, as one text.
func mapOf(s Sliced) string {
	if s.Slicer.Amortizer == nil {
		return ""
	}
	out := s.Slicer.Amortizer.Name()
	for _, spec := range s.Specs() {
		out += fmt.Sprint(" ", spec.Name, spec.Shape)
	}
	return out
}

// GraphNames lists the losses that a network can be trained on.
func GraphNames() []string {
	var out []string
	for _, name := range Names() {
		if _, err := NewGraph(name, Defaults()); err == nil {
			out = append(out, name)
		}
	}
	return out
}
