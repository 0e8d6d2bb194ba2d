package loss

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
	"github.com/sliced-wasserstein/lab/swlab/vmf"
)

// Settings are the choices that the registered losses read; Defaults has the paper's.
type Settings struct {
	Slices      int     // L
	Kappa       float64 // concentration of the vMF law
	P           float64 // exponent
	PerPoint    bool    // mean instead of sum over points; the Chamfer distance is a mean by definition
	Root        bool    // p-th root of the value
	AscentSteps int     // T, where the location is found by ascent
	AscentRate  float64
	// AscentTangent removes the radial part of the ascent's gradient (slicing.Ascent): beyond the paper, and needed for a true
	// maximum.
	AscentTangent bool
	Amortizer     string           // name of the map that predicts the location; "" means ascent
	Maps          amortizer.Config // what the map depends on
	Reflection    vmf.Reflection   // how vMF samples are turned to their location
}

// Defaults are the settings of the paper: L = 100, kappa = 1, p = 2, sums over points, T = 50 ascent steps of rate 1e-4.
func Defaults() Settings {
	return Settings{Slices: 100, Kappa: 1, P: 2, AscentSteps: 50, AscentRate: 1e-4, Reflection: vmf.Coded}
}

// registry holds the losses by their name on the command line.
var registry = map[string]func(Settings) (Loss, error){
	"sw":         newSW,
	"v-dsw":      newVDSW,
	"max-sw":     newMaxSW,
	"chamfer":    func(s Settings) (Loss, error) { return Chamfer{}, s.unsliced("chamfer") },
	"emd-approx": func(s Settings) (Loss, error) { return ApproximateEMD{PerPoint: s.PerPoint}, s.unsliced("emd-approx") },
}

// Names lists the registered losses.
func Names() []string {
	var out []string
	for n := range registry {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// New returns the loss of that name with those settings.
func New(name string, s Settings) (Loss, error) {
	make, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown loss %q, expected one of %s", name, strings.Join(Names(), ", "))
	}
	if s.Slices < 1 {
		return nil, fmt.Errorf("slices: expected at least 1, found %d", s.Slices)
	}
	if !(s.P >= 1) || math.IsInf(s.P, 0) {
		return nil, fmt.Errorf("p: expected a number >= 1, found %v", s.P)
	}
	if !(s.Kappa >= 0 && s.Kappa <= vmf.MaxKappa) {
		return nil, fmt.Errorf("kappa: expected a number from 0 to %g, found %v", vmf.MaxKappa, s.Kappa)
	}
	if math.IsNaN(s.AscentRate) || math.IsInf(s.AscentRate, 0) {
		return nil, fmt.Errorf("ascent rate: expected a number, found %v", s.AscentRate)
	}
	return make(s)
}

// unsliced refuses settings that would silently do nothing.
func (s Settings) unsliced(name string) error {
	switch {
	case s.Amortizer != "":
		return fmt.Errorf("loss %q takes no slices, so no amortizer: found %q", name, s.Amortizer)
	case s.Root:
		return fmt.Errorf("loss %q has no root to take", name)
	case s.P != 2:
		return fmt.Errorf("loss %q has no exponent p: found %v", name, s.P)
	}
	return nil
}

func (s Settings) sliced(label string, rule slicing.Rule) Loss {
	return Sliced{Label: label, Rule: rule, P: s.P, PerPoint: s.PerPoint, Root: s.Root}
}

func newSW(s Settings) (Loss, error) {
	if s.Amortizer != "" {
		return nil, fmt.Errorf("loss \"sw\" has no location to predict, so no amortizer: found %q", s.Amortizer)
	}
	return s.sliced("SW", slicing.Rule{Law: slicing.Uniform{}, Slices: s.Slices}), nil
}

func newVDSW(s Settings) (Loss, error) {
	return s.located("v-DSW", slicing.VMF{Kappa: s.Kappa, Reflection: s.Reflection}, s.Slices)
}

func newMaxSW(s Settings) (Loss, error) { return s.located("Max-SW", slicing.Point{}, 1) }

// located completes a loss whose law has a location.
func (s Settings) located(label string, law slicing.Law, n int) (Loss, error) {
	rule := slicing.Rule{Law: law, Slices: n}
	if s.Amortizer != "" {
		a, err := amortizer.New(s.Amortizer, s.Maps)
		if err != nil {
			return nil, err
		}
		rule.Amortizer = a
		return s.sliced(strings.ToUpper(s.Amortizer)+" "+label, rule), nil
	}
	ascent := slicing.Ascent{Steps: s.AscentSteps, Rate: s.AscentRate, Tangent: s.AscentTangent}
	if err := ascent.Check(); err != nil {
		return nil, err
	}
	if ascent.Steps > 0 {
		rule.Ascent = &ascent
	}
	return s.sliced(label, rule), nil
}
