package loss

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/settings"
	"github.com/sliced-wasserstein/lab/internal/suggest"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/ot1d"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// SettingNames lists the settings that losses may read: the JSON names of the fields of Config, and
// those of the amortizers.
func SettingNames() []string {
	names := append(settings.Of(new(Config)).Names(), amortizer.SettingNames...)
	slices.Sort(names)
	return names
}

// reads lists the settings that the loss reads beside the others of s. With given directions it
// draws none.
func (e Entry) reads(s Config, given bool) []string {
	out := slices.Clone(e.Reads)
	if s.Cost != ot1d.Wasserstein {
		out = slices.DeleteFunc(out, ofWasserstein)
	}
	if given {
		return out
	}
	if e.Slicing != "" {
		out = append(out, "slicing")
		out = append(out, slicing.Reads(cmp.Or(s.Slicing, e.Slicing))...)
	}
	if !e.Located {
		return out
	}
	out = append(out, "amortizer")
	if s.Amortizer != "" {
		out = append(out, amortizer.Reads(s.Amortizer)...)
	}
	if s.Amortizer != "" && s.AscentSteps > 0 {
		out = append(out, "fine_tune")
	}
	if s.Amortizer == "" || s.FineTune {
		out = append(out, "ascent_steps")
		if s.AscentSteps > 0 {
			out = append(out, "ascent_rate", "ascent_tangent", "ascent_sgd", "ascent_starts")
		}
	}
	return out
}

// ofWasserstein reports whether Wasserstein's cost of a direction alone reads the setting.
func ofWasserstein(setting string) bool {
	return setting == "p" || setting == "reduce" || setting == "root"
}

// Unread says why the named loss, with the other settings as they are, does not read a setting
// (SettingNames), in the words of the command line; "" if it does. With given directions, settings
// that would choose them are not read. The error is that of New for s, or of an unknown setting.
func Unread(name string, s Config, given bool, setting string) (why string, err error) {
	if all := SettingNames(); !slices.Contains(all, setting) {
		return "", suggest.Unknown("setting", setting, all)
	}
	if s.Maps.Points == 0 {
		s.Maps.Points = 1
	}
	if _, err := New(name, s); err != nil {
		return "", err
	}
	e, err := registered.Get(name)
	if err != nil {
		return "", err
	}
	return e.unread(name, s, given, setting), nil
}

func (e Entry) unread(name string, s Config, given bool, setting string) string {
	reads := func(change func(*Config)) bool {
		c := s
		change(&c)
		return slices.Contains(e.reads(c, false), setting)
	}
	switch {
	case slices.Contains(e.reads(s, given), setting):
		return ""
	case given && reads(func(*Config) {}):
		return "the directions of --directions are used as given"
	case s.Cost != ot1d.Wasserstein && reads(func(c *Config) { c.Cost = ot1d.Wasserstein }):
		return fmt.Sprintf("not with --cost %s, a mean over points without an exponent", s.Cost)
	case s.AscentSteps == 0 && reads(func(c *Config) { c.AscentSteps = 1 }):
		return "not with --ascent-steps 0"
	case s.Amortizer != "" && reads(func(c *Config) { c.Amortizer = "" }):
		return fmt.Sprintf("not with --amortizer %s, which replaces the ascent", s.Amortizer)
	case s.Slicing != "" && reads(func(c *Config) { c.Slicing = "" }):
		return fmt.Sprintf("not with --slicing %s", s.Slicing)
	}
	losses, maps := users(setting)
	switch {
	case len(losses) > 0:
		return fmt.Sprintf("loss %q has no use for it, only %s", name, strings.Join(losses, ", "))
	case s.Amortizer != "":
		return fmt.Sprintf("amortizer %q has none, %s have", s.Amortizer, strings.Join(maps, ", "))
	}
	return fmt.Sprintf("it belongs to an --amortizer: %s", strings.Join(maps, ", "))
}

// users lists the losses that read a setting when everything else is the default, or else the
// amortizers that do.
func users(setting string) (losses, maps []string) {
	for _, name := range Names() {
		if e, err := registered.Get(name); err == nil && slices.Contains(e.reads(Defaults(), false), setting) {
			losses = append(losses, name)
		}
	}
	for _, name := range amortizer.Names() {
		if setting == "fine_tune" || slices.Contains(amortizer.Reads(name), setting) {
			maps = append(maps, name)
		}
	}
	return losses, maps
}

// refuse returns an error for a setting that nobody makes by accident and that the loss would ignore.
func (e Entry) refuse(name string, s Config) error {
	beside := s
	beside.AscentSteps = max(s.AscentSteps, 1) // a table may have a row without steps
	for _, f := range settings.Of(&s) {
		switch f.Name {
		case "p", "reduce":
			if s.Cost == ot1d.Wasserstein {
				continue
			}
			fallthrough
		case "slicing", "replicates", "root", "cost", "mass", "kl", "uniform", "ground", "amortizer", "fine_tune", "ascent_tangent",
			"ascent_sgd", "ascent_starts":
			if why := e.unread(name, beside, false, f.Name); why != "" && !reflect.ValueOf(f.Value()).IsZero() {
				return fmt.Errorf("%s = %v would do nothing: %s", f.Name, f.Value(), why)
			}
		}
	}
	return nil
}
