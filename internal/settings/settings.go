// Package settings reads and writes the fields of a configuration by their JSON names, as text or
// as values. Flags, sweeps, table rows and overrides use it.
package settings

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Field is a field of a struct that has a name in JSON or on the command line.
type Field struct {
	Name  string // in JSON, or else of the flag or the argument
	Tag   reflect.StructTag
	value reflect.Value
}

// Fields are the fields of a struct, including embedded ones, in order.
type Fields []Field

// Of returns the fields of the struct that ptr points to: all fields with a name or, with
// keys, those that have one of these struct tags.
func Of(ptr any, keys ...string) Fields {
	v := reflect.ValueOf(ptr).Elem()
	var out Fields
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(cmp.Or(f.Tag.Get("json"), f.Tag.Get("flag"), f.Tag.Get("arg")), ",")
		tagged := func(key string) bool { return f.Tag.Get(key) != "" }
		if f.Anonymous || !f.IsExported() || name == "" || name == "-" || keys != nil && !slices.ContainsFunc(keys, tagged) {
			continue
		}
		out = append(out, Field{name, f.Tag, v.FieldByIndex(f.Index)})
	}
	return out
}

// Names lists the fields.
func (f Fields) Names() []string {
	out := make([]string, len(f))
	for i := range f {
		out[i] = f[i].Name
	}
	return out
}

// Find returns the field of that name. The error for an unknown name suggests the closest.
func (f Fields) Find(name string) (Field, error) {
	for _, field := range f {
		if field.Name == name {
			return field, nil
		}
	}
	return Field{}, suggest.Unknown("setting", name, f.Names())
}

// Apply sets the fields named in values, as Set does.
func (f Fields) Apply(values map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, err := f.Find(name)
		if err != nil {
			return err
		}
		if err := field.Set(values[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// None is how an empty text is written where a name is expected.
const None = "none"

// Check returns an error that names the first field whose number is not in its range (Range), or
// whose value has no name. 0 is in range where the struct tag unset says that it stands for a default.
func (f Fields) Check() error {
	for _, field := range f {
		name := strings.ReplaceAll(field.Name, "_", " ")
		if r := field.Range(); !r.Holds(field) && !(field.Tag.Get("unset") == "0" && field.value.IsZero()) {
			return fmt.Errorf("%s: expected %s, found %v", name, r, field.Value())
		}
		if named, ok := field.Value().(encoding.TextMarshaler); ok {
			back := reflect.New(field.value.Type())
			text, _ := named.MarshalText()
			err := back.Interface().(encoding.TextUnmarshaler).UnmarshalText(text)
			if err != nil || !back.Elem().Equal(field.value) {
				return fmt.Errorf("%s: expected one of its values, found %d", name, field.value.Int())
			}
		}
	}
	return nil
}

// Range is what a number may be: finite, and in the interval of the struct tag range, such as
// "1..", "0..1e15" or, without one of its ends, ">0.." and "0..<1".
type Range struct {
	Low, High    float64
	Above, Below bool // Low or High itself is outside
	Whole        bool // whole numbers
}

// Range is that of the field; of a field that is no number, everything.
func (f Field) Range() Range {
	r := Range{Low: -math.MaxFloat64, High: math.MaxFloat64, Whole: f.value.Kind() == reflect.Int}
	low, high, _ := strings.Cut(f.Tag.Get("range"), "..")
	low, r.Above = strings.CutPrefix(low, ">")
	high, r.Below = strings.CutPrefix(high, "<")
	if v, err := strconv.ParseFloat(low, 64); err == nil {
		r.Low = v
	}
	if v, err := strconv.ParseFloat(high, 64); err == nil {
		r.High = v
	}
	return r
}

// Holds reports whether the field's value is in the range.
func (r Range) Holds(f Field) bool {
	v, isNumber := f.Number()
	return !isNumber || v >= r.Low && v <= r.High && !(r.Above && v == r.Low) && !(r.Below && v == r.High) // not NaN
}

// String says what is expected, such as "at least 1" or "a number > 0".
func (r Range) String() string {
	low, least, high := r.Low > -math.MaxFloat64, "a number >= %g", r.High < math.MaxFloat64
	switch {
	case r.Whole:
		least = "at least %g"
	case r.Above:
		least = "a number > %g"
	}
	switch {
	case !low:
		return "a finite number"
	case high && r.Below:
		return fmt.Sprintf("a number from %g to below %g", r.Low, r.High)
	case high && !r.Above:
		return fmt.Sprintf("a number from %g to %g", r.Low, r.High)
	case high:
		least += fmt.Sprintf(" and at most %.3g", r.High)
	}
	return fmt.Sprintf(least, r.Low)
}

// Set sets the field to a value in its range, or to the one that a text stands for.
func (f Field) Set(value any) error {
	text, ok := value.(string)
	if !ok {
		raw, err := json.Marshal(value)
		if err != nil {
			return err
		}
		text = strings.Trim(string(raw), `"`)
	}
	wrong := func(expected string) error { return fmt.Errorf("expected %s, found %q", expected, text) }
	if t, ok := f.Pointer().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(text))
	}
	before := f.Value()
	switch f.value.Kind() {
	case reflect.String:
		if f.Tag.Get("arg") != "" { // a path, which may be none
			f.value.SetString(text)
			return nil
		}
		switch {
		case ok && text == "":
			return wrong("a name, or none")
		case text == None:
			text = ""
		}
		f.value.SetString(text)
	case reflect.Bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return wrong("true or false")
		}
		f.value.SetBool(v)
	case reflect.Int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return wrong("a whole number")
		}
		f.value.SetInt(int64(v))
	case reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return wrong("a number")
		}
		f.value.SetFloat(v)
	default:
		return fmt.Errorf("a field of type %s cannot be set", f.value.Type())
	}
	if r := f.Range(); !r.Holds(f) {
		f.value.Set(reflect.ValueOf(before))
		return wrong(r.String())
	}
	return nil
}

// Value returns the field's value; nil for the zero Field.
func (f Field) Value() any {
	if !f.value.IsValid() {
		return nil
	}
	return f.value.Interface()
}

// Pointer returns a pointer to the field.
func (f Field) Pointer() any { return f.value.Addr().Interface() }

// Text returns the value as written on a command line.
func (f Field) Text() string {
	if text := fmt.Sprint(f.Value()); text != "" {
		return text
	}
	return None
}

// Number returns the value of a field that is a number; ok is false for others.
func (f Field) Number() (v float64, ok bool) {
	if _, text := f.Pointer().(encoding.TextUnmarshaler); text {
		return 0, false
	}
	switch f.value.Kind() {
	case reflect.Int:
		return float64(f.value.Int()), true
	case reflect.Float64:
		return f.value.Float(), true
	}
	return 0, false
}
