package vmfviz

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks marks a linear axis at multiples of 1, 2, 2.5 or 5 times a power of ten,
// about five of them: plot.DefaultTicks makes three, at places such as 40, 120
// and 200.
type ticks struct{}

// Ticks returns the marks between two numbers.
func (ticks) Ticks(lo, hi float64) []plot.Tick { return marks(lo, hi, 5) }

// marks returns about n marks between two numbers.
func marks(lo, hi float64, n int) []plot.Tick {
	step := niceStep(hi-lo, n)
	if !(step > 1e-12*math.Max(math.Abs(lo), math.Abs(hi))) || math.IsInf(step, 0) {
		return []plot.Tick{{Value: lo, Label: short(lo, 6)}}
	}
	var marks []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		marks = append(marks, plot.Tick{Value: k * step, Label: short(k*step, 6)})
	}
	return marks
}

// powers marks a logarithmic axis: powers of ten, and 2, 3 and 5 times them where
// there are few. plot.LogTicks leaves those below the first power out.
type powers struct{}

// Ticks returns the marks between two positive numbers.
func (powers) Ticks(lo, hi float64) []plot.Tick {
	decades := math.Log10(hi) - math.Log10(lo)
	if !(lo > 0) || math.IsInf(decades, 0) {
		return nil
	}
	if decades < 0.7 { // too narrow for round powers: even steps are clearer
		return ticks{}.Ticks(lo, hi)
	}
	labelled := map[int]bool{1: true, 2: decades < 1.6, 5: decades < 1.6, 3: decades >= 1.6 && decades < 2.6}
	stride := 1 + int(decades/7)
	var marks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Log10(hi)); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			mark := plot.Tick{Value: v}
			if labelled[m] && e%stride == 0 {
				mark.Label = short(v, 6)
			}
			marks = append(marks, mark)
		}
	}
	return marks
}

// short writes a number with up to n digits, as 1.2·10⁵ where plain writing is
// long.
func short(v float64, n int) string {
	exact, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if exact == 0 { // also −0
		return "0"
	}
	s := strconv.FormatFloat(exact, 'g', -1, 64)
	if a := math.Abs(exact); a >= 1e-3 && a < 1e5 {
		s = strconv.FormatFloat(exact, 'f', -1, 64)
	} else if !strings.Contains(s, "e") {
		s = strconv.FormatFloat(exact, 'e', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(s, "e")
	mantissa = strings.ReplaceAll(mantissa, "-", "−")
	if exponent == "" {
		return mantissa
	}
	e, _ := strconv.Atoi(exponent)
	if mantissa == "1" {
		return power(e)
	}
	return mantissa + "·" + power(e)
}

// niceStep returns the smallest of 1, 2, 2.5, 5 times a power of ten that cuts
// span into at most n pieces.
func niceStep(span float64, n int) float64 {
	raw := span / float64(n)
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*p >= raw*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}
