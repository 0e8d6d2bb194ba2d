package loss

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestReads: what every loss reads of its settings.
func TestReads(t *testing.T) {
	everywhere := "reduce"
	for name, want := range map[string]string{
		"sw":                  "p slices slicing root",
		"orthogonal-sw":       "p slices slicing root",
		"qmc-sw":              "p slices slicing root replicates",
		"cv-sw":               "p slices slicing root control",
		"eb-sw":               "p slices slicing root",
		"rp-sw":               "p slices slicing root kappa",
		"markov-sw":           "p slices slicing root kappa chain",
		"asw":                 "p slices slicing root epsilon",
		"max-sw":              "p root ascent_steps ascent_rate ascent_tangent ascent_sgd amortizer",
		"v-dsw":               "p slices slicing root kappa reflection ascent_steps ascent_rate ascent_tangent ascent_sgd amortizer",
		"chamfer":             "p",
		"emd-approx":          "",
		"emd-exact":           "p ground",
		"sinkhorn":            "p reg ground",
		"sinkhorn-divergence": "p reg ground",
	} {
		want := append(strings.Fields(want), strings.Fields(everywhere)...)
		var read []string
		for _, setting := range SettingNames() {
			yes, err := Reads(name, Defaults(), false, setting)
			if err != nil {
				t.Fatal(err)
			}
			if yes && !refusesOthers(name, setting) {
				read = append(read, setting)
			}
		}
		slices.Sort(want)
		slices.Sort(read)
		if name == "sinkhorn" || name == "sinkhorn-divergence" { // a mean alone
			want = slices.DeleteFunc(want, func(s string) bool { return s == "reduce" })
		}
		if !slices.Equal(read, want) {
			t.Errorf("%s reads %v, expected %v", name, read, want)
		}
	}
}

// refusesOthers: the loss takes one value of the setting, the default.
func refusesOthers(name, what string) bool {
	for _, k := range settings {
		if k.name == what {
			for _, s := range k.other(Defaults()) {
				s.Maps.Points = 1
				own := Defaults()
				own.Maps.Points = 1
				l, err := New(name, s)
				if base, _ := New(name, own); err == nil && !same(l, base, false) {
					return false
				}
			}
		}
	}
	return true
}

// TestReadsBeside: settings that others switch off.
func TestReadsBeside(t *testing.T) {
	with := func(change func(*Config)) Config {
		s := Defaults()
		change(&s)
		return s
	}
	la := with(func(s *Config) { s.Amortizer = "la" })
	for _, c := range []struct {
		loss  string
		s     Config
		given bool
		what  string
		want  bool
	}{
		{"v-dsw", la, false, "ascent_rate", false},
		{"v-dsw", la, false, "ascent_steps", false},
		{"v-dsw", with(func(s *Config) { s.Amortizer, s.FineTune = "la", true }), false, "ascent_rate", true},
		{"v-dsw", la, false, "dk", true},
		{"v-dsw", la, false, "k", true},
		{"v-dsw", la, false, "variant", true},
		{"v-dsw", with(func(s *Config) { s.Amortizer = "ea" }), false, "k", false},
		{"v-dsw", with(func(s *Config) { s.Amortizer = "l" }), false, "dk", false},
		{"v-dsw", Defaults(), false, "variant", false},
		{"v-dsw", with(func(s *Config) { s.AscentSteps = 0 }), false, "ascent_rate", false},
		{"v-dsw", with(func(s *Config) { s.Slicing = "point" }), false, "kappa", false},
		{"sw", with(func(s *Config) { s.Slicing = "markov" }), false, "chain", true},
		{"sw", with(func(s *Config) { s.Slicing = "qmc" }), false, "replicates", true},
		{"v-dsw", with(func(s *Config) { s.Slicing = "point" }), false, "slices", false},
		{"markov-sw", with(func(s *Config) { s.Slices = 1 }), false, "chain", false},
		{"markov-sw", with(func(s *Config) { s.Slices = 1 }), false, "kappa", false},
		{"markov-sw", with(func(s *Config) { s.Chain = 1 }), false, "kappa", false},
		{"markov-sw", with(func(s *Config) { s.Slices = 2 }), false, "kappa", true},
		{"qmc-sw", with(func(s *Config) { s.Slices = 1 }), false, "replicates", false},
		{"qmc-sw", with(func(s *Config) { s.Slices = 2 }), false, "replicates", true},
		{"sw", Defaults(), true, "slices", false},
		{"sw", Defaults(), true, "slicing", false},
		{"sw", Defaults(), true, "reduce", true},
		{"asw", Defaults(), true, "epsilon", true},
		{"v-dsw", la, true, "amortizer", false},
		{"v-dsw", Defaults(), true, "ascent_steps", false},
		{"emd-approx", with(func(s *Config) { s.P = 1 }), false, "p", true}, // named, and the one that it takes
	} {
		got, err := Reads(c.loss, c.s, c.given, c.what)
		if err != nil || got != c.want {
			t.Errorf("%s of %s, directions given %t: found %t, %v, expected %t", c.what, c.loss, c.given, got, err, c.want)
		}
	}
	if _, err := Reads("sw", Defaults(), false, "kapa"); err == nil || !strings.Contains(err.Error(), `did you mean "kappa"`) {
		t.Errorf("an unknown setting: %v", err)
	}
}

// TestCheck: values that no loss takes are refused by every loss, whether it reads them or not.
func TestCheck(t *testing.T) {
	for what, change := range map[string]func(*Config){
		"slices":               func(s *Config) { s.Slices = -1 },
		"p:":                   func(s *Config) { s.P = 0.5 },
		"kappa":                func(s *Config) { s.Kappa = -1 },
		"epsilon":              func(s *Config) { s.Epsilon = -1 },
		"reg":                  func(s *Config) { s.Reg = math.NaN() },
		"ascent rate":          func(s *Config) { s.AscentLearningRate = -1 },
		"at most 3.4e+38":      func(s *Config) { s.AscentLearningRate = 1e60 },
		"ascent steps":         func(s *Config) { s.AscentSteps = -1 },
		"chain":                func(s *Config) { s.Chain = -1 },
		"replicates":           func(s *Config) { s.Replicates = -1 },
		"slicing distribution": func(s *Config) { s.Slicing = "uniforn" },
		`mean "upper"`:         func(s *Config) { s.Control = "uper" },
		"amortizer":            func(s *Config) { s.Amortizer = "lla" },
		"reflection":           func(s *Config) { s.Reflection = 7 },
		"ground":               func(s *Config) { s.Ground = 7 },
	} {
		for _, name := range Names() {
			s := Defaults()
			change(&s)
			if _, err := New(name, s); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s of %s: found %v", what, name, err)
			}
		}
	}
}
