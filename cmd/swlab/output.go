package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/internal/version"
)

// warn writes a warning to standard error, once, and keeps it for the key warnings of the call's JSON
// object.
func (c *common) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if slices.Contains(c.warnings, text) {
		return
	}
	c.warnings = append(c.warnings, text)
	fmt.Fprintln(os.Stderr, "swlab: warning: "+text)
}

// warnOf gives the warnings of clouds that were read.
func (c *common) warnOf(sets ...*datasets.Set) {
	for _, s := range sets {
		if s.Rest != nil { // read for a call that computes in float64
			exact := *s
			exact.Rounding, s = 0, &exact
		}
		for _, w := range s.Warnings() {
			c.warn("%s", w)
		}
	}
}

// print writes an answer as the only JSON object of the call, or as text. The object also gets the key
// version and, after a warning, the key warnings.
func (c *common) print(answer fmt.Stringer) error {
	if c.Format != "json" {
		_, err := fmt.Fprint(os.Stdout, answer)
		return err
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "%s\n", c.completed(raw))
	return err
}

// lines formats rows of a name and a value.
func lines(rows ...[2]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r[0], r[1])
	}
	_ = w.Flush() // writes to memory
	return b.String()
}

// completed returns a JSON object with the keys version and warnings, added if missing.
func (c *common) completed(object []byte) []byte {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(object, &keys); err != nil {
		return object
	}
	object = bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))
	add := func(key string, v any) {
		if keys[key] != nil {
			return
		}
		value, err := json.Marshal(v)
		if err != nil {
			panic(err) // texts only
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = fmt.Appendf(object, "%q:%s", key, value)
	}
	add("version", version.String())
	if len(c.warnings) > 0 {
		add("warnings", c.warnings)
	}
	return append(object, '}')
}

// number is a float64 that JSON shows as null if it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func numbers(v []float64) []number {
	out := make([]number, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return out
}
