package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"github.com/sliced-wasserstein/lab/internal/version"
)

// print writes v as the only JSON object of the call, with the key version, or rows as text.
func (c *common) print(v any, rows ...[2]string) error {
	if c.format == "json" {
		raw, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(os.Stdout, "%s\n", versioned(raw))
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\n", r[0], r[1])
	}
	return w.Flush()
}

// versioned returns a JSON object with the key version, added if missing.
func versioned(object []byte) []byte {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(object, &keys); err != nil || keys["version"] != nil {
		return object
	}
	end := fmt.Sprintf("%q:%q}", "version", version.String())
	if len(keys) > 0 {
		end = "," + end
	}
	return append(bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}")), end...)
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
