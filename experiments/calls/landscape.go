package calls

import (
	"fmt"
	"math"
	"slices"
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
	given, shape := r.Wide("directions")
	if len(shape) != 2 || shape[1] != x.Dim {
		return fmt.Errorf("directions: expected rows of %d coordinates, found shape %v", x.Dim, shape)
	}
	var at []float32
	for v := range slices.Chunk(given, x.Dim) {
		norm := 0.0
		for _, c := range v {
			norm += c * c
		}
		if !(norm > 0) {
			return fmt.Errorf("directions: expected one other than 0, found %v", v)
		}
		for _, c := range v {
			at = append(at, float32(c/math.Sqrt(norm)))
		}
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
