package settings

import (
	"math"
	"strings"
	"testing"
)

type inner struct {
	Rate float64 `json:"rate" help:"a rate" range:">0..1e3"`
	Kind string  `json:"kind,omitempty" help:"a kind"`
}

type outer struct {
	Name   string `json:"name"` // without help: not to be set
	Hidden int    `json:"-" help:"x"`
	inner
	Count int  `json:"count" help:"a count" range:"1.." unset:"0"`
	On    bool `json:"on" help:"a switch"`
	own   int
}

func TestFields(t *testing.T) {
	v := outer{own: 1}
	if all, some := strings.Join(Of(&v).Names(), " "), strings.Join(Of(&v, "help").Names(), " "); all != "name rate kind count on" || some != "rate kind count on" {
		t.Errorf("fields %q, with help %q", all, some)
	}
	f := Of(&v, "help")
	// Values as JSON has them, as Go has them, and as they are written.
	if err := f.Apply(map[string]any{"rate": 1e-4, "count": float64(2e6), "kind": "la", "on": true}); err != nil || v.Rate != 1e-4 || v.Count != 2000000 || v.Kind != "la" || !v.On {
		t.Errorf("%+v, %v", v, err)
	}
	if err := f.Apply(map[string]any{"rate": "0.5", "count": 7, "kind": "none", "on": "false"}); err != nil || v.Rate != 0.5 || v.Count != 7 || v.Kind != "" || v.On {
		t.Errorf("%+v, %v", v, err)
	}
	before := v
	for _, bad := range []struct {
		name  string
		value any
		says  string
	}{
		{"rte", 1, `unknown setting "rte", expected one of rate, kind, count, on; did you mean "rate"?`}, {"name", "x", "unknown setting"},
		{"rate", 0, `rate: expected a number > 0 and at most 1e+03, found "0"`}, {"rate", 1001, "at most"},
		{"rate", "x", `rate: expected a number, found "x"`}, {"rate", "Inf", "expected a number"}, {"rate", math.NaN(), "unsupported value"},
		{"count", 1.5, `count: expected a whole number, found "1.5"`}, {"count", "", `found ""`}, {"kind", "", "expected a name, or none"},
		{"on", 7, `on: expected true or false, found "7"`},
	} {
		if err := f.Apply(map[string]any{bad.name: bad.value}); err == nil || !strings.Contains(err.Error(), bad.says) || v != before {
			t.Errorf("%s = %v: %v, expected %q; %+v", bad.name, bad.value, err, bad.says, v)
		}
	}
	if err := f.Apply(map[string]any{"count": 0}); err == nil || v != before || !strings.Contains(err.Error(), `expected at least 1, found "0"`) {
		t.Errorf("0 where it says that nobody asked: %v", err)
	}
	if v = (outer{inner: inner{Rate: 1}}); Of(&v).Check() != nil {
		t.Errorf("0 that stands for a default: %v", Of(&v).Check())
	}
	for says, bad := range map[string]outer{
		"count: expected at least 1, found -1":     {Count: -1, inner: inner{Rate: 1}},
		"rate: expected a number > 0":              {},
		"rate: expected a number > 0 and at most ": {inner: inner{Rate: math.NaN()}},
	} {
		if err := Of(&bad).Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
