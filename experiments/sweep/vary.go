package sweep

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/swlab/train"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Vary is a setting and the values that it takes, both as they are written on a command line.
type Vary struct {
	Name   string   `json:"name"` // JSON name of a field of train.Config
	Values []string `json:"values"`
}

// Parse reads "kappa=0.1,1,10", one such text a setting.
func Parse(texts ...string) ([]Vary, error) {
	var out []Vary
	for _, text := range texts {
		name, values, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("vary: expected NAME=V1,V2,..., found %q", text)
		}
		v := Vary{Name: strings.TrimSpace(name)}
		for _, value := range strings.Split(values, ",") {
			v.Values = append(v.Values, strings.TrimSpace(value))
		}
		out = append(out, v)
	}
	return out, nil
}

// fixed are the fields of train.Config that a sweep does not vary: what the data say, the seed, which has a list of its own, and the one
// setting that no loss to train on reads.
var fixed = []string{"data", "key", "split", "clouds", "data_hash", "validation", "backend", "seed", "reg"}

// Names lists the settings that can be varied.
func Names() []string {
	var out []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[train.Config]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.Anonymous && name != "-" && !slices.Contains(fixed, name) {
			out = append(out, name)
		}
	}
	return out
}

// field is the setting of that name in c.
func field(c *train.Config, name string) (reflect.Value, error) {
	if slices.Contains(Names(), name) {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[train.Config]()) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
				return reflect.ValueOf(c).Elem().FieldByIndex(f.Index), nil
			}
		}
	}
	return reflect.Value{}, fmt.Errorf("vary: %w", suggest.Unknown("setting", name, Names()))
}

// set gives the setting of that name a value; "none" is the empty text, for an amortizer or a slicing rule.
func set(c *train.Config, name, value string) error {
	f, err := field(c, name)
	if err != nil {
		return err
	}
	wrong := func(expected string) error {
		return fmt.Errorf("vary %s: expected %s, found %q", name, expected, value)
	}
	if t, ok := f.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := t.UnmarshalText([]byte(value)); err != nil {
			return fmt.Errorf("vary %s: %w", name, err)
		}
		return nil
	}
	switch f.Kind() {
	case reflect.String:
		if value == "" {
			return wrong("a name, or none")
		}
		if value == none {
			value = ""
		}
		f.SetString(value)
	case reflect.Bool:
		v, err := strconv.ParseBool(value)
		if err != nil {
			return wrong("true or false")
		}
		f.SetBool(v)
	case reflect.Int:
		v, err := strconv.Atoi(value)
		if err != nil {
			return wrong("a whole number")
		}
		if unset := map[string]bool{"slices": true, "replicates": true}; v == 0 && unset[name] { // 0 is how the settings say that nobody asked
			return wrong("at least 1")
		}
		f.SetInt(int64(v))
	case reflect.Float64:
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !finite(v) {
			return wrong("a number")
		}
		if name == "p" && v == 0 {
			return wrong("a number >= 1")
		}
		f.SetFloat(v)
	default:
		panic(fmt.Sprintf("setting %s is of type %s", name, f.Type()))
	}
	return nil
}

// none is how an empty text is written.
const none = "none"

// shown is the value of a setting as it is written.
func shown(c train.Config, name string) string {
	f, err := field(&c, name)
	if err != nil {
		panic(err) // names are checked when a plan is made
	}
	if text := fmt.Sprint(f.Interface()); text != "" {
		return text
	}
	return none
}

// numeric says whether the setting is a number.
func numeric(name string) bool {
	f, err := field(&train.Config{}, name)
	if err != nil {
		return false
	}
	_, text := f.Addr().Interface().(encoding.TextUnmarshaler)
	return !text && (f.Kind() == reflect.Int || f.Kind() == reflect.Float64)
}

// check finds numbers in the settings that are none.
func check(c train.Config) error {
	for _, name := range Names() {
		if f, _ := field(&c, name); f.Kind() == reflect.Float64 && !finite(f.Float()) {
			return fmt.Errorf("%s: expected a number, found %v", name, f.Float())
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
