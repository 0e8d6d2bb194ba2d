package loss

import (
	"encoding"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/swlab/ot1d"
)

// Flags and JSON read a reduction as text.
var _ encoding.TextUnmarshaler = new(Reduction)

// TestReads: the losses of the default settings read what the constructors use: another value of a
// setting that is read makes another loss, one that is not makes the same.
func TestReads(t *testing.T) {
	for name, want := range map[string]string{
		"sw":                  "cost p reduce root slices slicing",
		"qmc-sw":              "cost p reduce replicates root slices slicing",
		"cv-sw":               "control cost p reduce root slices slicing",
		"rp-sw":               "cost kappa p reduce root slices slicing",
		"markov-sw":           "chain cost kappa p reduce root slices slicing",
		"asw":                 "cost epsilon p reduce root slices slicing",
		"max-sw":              "amortizer ascent_rate ascent_sgd ascent_starts ascent_steps ascent_tangent cost p reduce root",
		"chamfer":             "p reduce",
		"emd-exact":           "ground p reduce",
		"sinkhorn-divergence": "ground p reduce reg",
	} {
		var read []string
		for _, setting := range SettingNames() {
			if must.M1(Unread(name, Defaults(), false, setting)) == "" {
				read = append(read, setting)
			}
		}
		if got := strings.Join(slices.Sorted(slices.Values(read)), " "); got != want {
			t.Errorf("%s reads %s, expected %s", name, got, want)
		}
	}
}

// TestUnread: settings that others switch off, and the reasons.
func TestUnread(t *testing.T) {
	with := func(change func(*Config)) Config {
		s := Defaults()
		change(&s)
		return s
	}
	cramer := with(func(s *Config) { s.Cost = ot1d.Cramer })
	la := with(func(s *Config) { s.Amortizer = "la" })
	for _, c := range []struct {
		loss  string
		s     Config
		given bool
		what  string
		why   string
	}{
		{"v-dsw", la, false, "ascent_rate", "not with --amortizer la"},
		{"v-dsw", with(func(s *Config) { s.Amortizer, s.FineTune = "la", true }), false, "ascent_rate", ""},
		{"v-dsw", la, false, "dk", ""},
		{"v-dsw", la, false, "fine_tune", ""},
		{"v-dsw", with(func(s *Config) { s.Amortizer = "ea" }), false, "k", `amortizer "ea" has none, la, la-sorted have`},
		{"v-dsw", Defaults(), false, "variant", "it belongs to an --amortizer: a, ea,"},
		{"v-dsw", with(func(s *Config) { s.AscentSteps = 0 }), false, "ascent_rate", "not with --ascent-steps 0"},
		{"v-dsw", with(func(s *Config) { s.Slicing = "point" }), false, "kappa", "not with --slicing point"},
		{"v-dsw", with(func(s *Config) { s.Slicing = "point" }), false, "slices", "not with --slicing point"},
		{"sw", with(func(s *Config) { s.Slicing = "markov" }), false, "chain", ""},
		{"sw", Defaults(), true, "slices", "directions"},
		{"sw", cramer, false, "p", "not with --cost cramer, a mean over points without an exponent"},
		{"sw", cramer, true, "reduce", "not with --cost cramer"},
		{"max-sw", cramer, false, "root", "not with --cost cramer"},
		{"max-sw", cramer, false, "cost", ""},
		{"chamfer", Defaults(), false, "cost", `loss "chamfer" has no use for it, only asw, cv-sw`},
		{"sw", Defaults(), true, "reduce", ""},
		{"asw", Defaults(), true, "epsilon", ""},
		{"v-dsw", la, true, "amortizer", "directions"},
		{"sw", Defaults(), false, "kappa", `loss "sw" has no use for it, only markov-sw, rp-sw, v-dsw`},
	} {
		why, err := Unread(c.loss, c.s, c.given, c.what)
		if err != nil || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s of %s, directions given %t: %q, %v, expected %q", c.what, c.loss, c.given, why, err, c.why)
		}
	}
	_, err := Unread("sw", Defaults(), false, "kapa")
	if err == nil || !strings.Contains(err.Error(), `did you mean "kappa"`) {
		t.Errorf("an unknown setting: %v", err)
	}
}
