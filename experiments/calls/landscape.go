package calls

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/experiments"
)

// landscapeSettings choose functions of the direction.
type landscapeSettings struct {
	// Blur has concentrations κ with commas: J_κ in place of F, which +Inf stands for.
	Blur string `json:"blur"`
}

// Landscapes are F of one pair of clouds, or J for every concentration.
func (r *Request) Landscapes(blur string) (all []*experiments.Landscape, kappas []float64, err error) {
	x, y, err := r.OnePair()
	if err != nil {
		return nil, nil, err
	}
	f, err := experiments.NewLandscape(x, y)
	if err != nil {
		return nil, nil, err
	}
	for text := range strings.SplitSeq(blur, ",") {
		kappa, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, nil, fmt.Errorf("blur: expected numbers, found %q", text)
		}
		l := f
		if !math.IsInf(kappa, 1) {
			if l, err = f.Around(kappa); err != nil {
				return nil, nil, err
			}
		}
		all, kappas = append(all, l), append(kappas, kappa)
	}
	return all, kappas, nil
}

// landscape answers with a function of all directions: its mean, its extremes, and its values at directions [n, d].
func landscape(r *Request, a *Answer) error {
	s := landscapeSettings{Blur: wholeF}
	if err := r.Apply(&s); err != nil {
		return err
	}
	all, _, err := r.Landscapes(s.Blur)
	if err != nil {
		return err
	}
	l := all[0]
	Add(a, "mean", []float64{l.Mean})
	Add(a, "values", l.Values, len(l.Values))
	Add(a, "grid", l.Grid, len(l.Values), len(l.Grid)/len(l.Values))
	for _, name := range []string{"lowest", "highest"} {
		at, value, err := l.Extreme(name == "highest")
		if err != nil {
			return err
		}
		Add(a, name, []float64{value})
		Add(a, name+"_at", at, len(at))
	}
	return nil
}

// sliceCosts answers with F, or J, at directions [n, d] of any length but 0.
func sliceCosts(r *Request, a *Answer) error {
	s := landscapeSettings{Blur: wholeF}
	if err := r.Apply(&s); err != nil {
		return err
	}
	x, y, err := r.OnePair()
	if err != nil {
		return err
	}
	given, err := r.Directions(x.Dim)
	if err != nil {
		return err
	}
	at, err := Unit("directions", given, x.Dim)
	if err != nil {
		return err
	}
	var values []float64
	if s.Blur == "+Inf" {
		values, err = experiments.SliceCosts(x, y, at)
	} else {
		all, _, e := r.Landscapes(s.Blur)
		if e != nil {
			return e
		}
		values, err = all[0].At(at)
	}
	Add(a, "values", values, len(values))
	return err
}
