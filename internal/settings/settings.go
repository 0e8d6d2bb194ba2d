// Package settings reads and writes the fields of a configuration by their JSON names, as text or
// as values. Flags, sweeps, table rows and overrides use it.
package settings

import (
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

// Field is a field of a struct that has a name in JSON.
type Field struct {
	Name  string // in JSON
	Tag   reflect.StructTag
	value reflect.Value
}

// Fields are the fields of a struct, including embedded ones, in order.
type Fields []Field

// Of returns the fields of the struct that ptr points to: all fields with a name in JSON or, with
// keys, those that have one of these struct tags.
func Of(ptr any, keys ...string) Fields {
	v := reflect.ValueOf(ptr).Elem()
	var out Fields
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
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

// Set sets the field to a value, or to the value that a text stands for. Where 0 means unset, the
// struct tag zero says what is expected instead.
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
	if least := f.Tag.Get("zero"); least != "" && f.value.IsZero() {
		f.value.Set(reflect.ValueOf(before))
		return wrong(least)
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
