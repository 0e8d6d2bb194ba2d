// Package settings reads and writes the fields of a configuration by their JSON names, as text or
// as values: what a flag, a sweep, a row of a table and an override have in common.
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

// Fields are those of a struct, embedded ones included, in their order.
type Fields []Field

// Of returns the fields of the struct that ptr points to. Without keys these are all fields with a
// name in JSON, else those that have one of the struct tags named.
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

// Find returns the field of that name. The error for an unknown one suggests the closest.
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

// Set gives the field a value, or the value that a text stands for. Where 0 says that nobody asked,
// the struct tag zero holds what is expected in its place.
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

// Value is the field's value; nil for a field that Find has not found.
func (f Field) Value() any {
	if !f.value.IsValid() {
		return nil
	}
	return f.value.Interface()
}

// Pointer points to the field.
func (f Field) Pointer() any { return f.value.Addr().Interface() }

// Text is the value as it is written.
func (f Field) Text() string {
	if text := fmt.Sprint(f.Value()); text != "" {
		return text
	}
	return None
}

// Number is the value of a field that is a number; ok is false for others.
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
