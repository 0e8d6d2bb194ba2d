package vmfviz

import (
	"math"
	"strconv"
	"strings"
)

// tick is a marked place on an axis.
type tick struct {
	at    float64
	label []span
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

// linearTicks returns at most about n round places in [lo, hi].
func linearTicks(lo, hi float64, n int) []tick {
	if !(hi > lo) || (hi-lo) < 1e-12*math.Max(math.Abs(lo), math.Abs(hi)) {
		return []tick{{lo, number(lo)}}
	}
	step := niceStep(hi-lo, n)
	if step == 0 || math.IsInf(step, 0) {
		return []tick{{lo, number(lo)}, {hi, number(hi)}}
	}
	var ticks []tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+1e-9*step; k++ {
		at := k * step
		if math.Abs(at) < 1e-9*step {
			at = 0
		}
		ticks = append(ticks, tick{at, stepNumber(at, step)})
	}
	return ticks
}

// logTicks returns round places in [lo, hi], lo > 0: the powers of ten, and 2
// and 5 (or all of 1..9) times them when there are few.
func logTicks(lo, hi float64) []tick {
	decades := math.Log10(hi) - math.Log10(lo)
	if decades < 0.5 { // too narrow for round powers: even steps are clearer
		return linearTicks(lo, hi, 4)
	}
	marks := []float64{1}
	stride := 1
	switch {
	case decades <= 1.2:
		marks = []float64{1, 2, 3, 5}
	case decades <= 2.5:
		marks = []float64{1, 3}
	case decades > 7:
		stride = int(math.Ceil(decades / 6))
	}
	var ticks []tick
	for e := int(math.Floor(math.Log10(lo))) - 1; e <= int(math.Ceil(math.Log10(hi))); e++ {
		if e%stride != 0 {
			continue
		}
		for _, m := range marks {
			at := m * math.Pow(10, float64(e))
			if at < lo*(1-1e-9) || at > hi*(1+1e-9) {
				continue
			}
			if m == 1 && (e < -3 || e > 4) {
				ticks = append(ticks, tick{at, []span{plain("10"), sup(minus(strconv.Itoa(e)))}})
			} else {
				ticks = append(ticks, tick{at, number(at)})
			}
		}
	}
	return ticks
}

// minus replaces the hyphen by the minus sign.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// stepNumber writes x with as many decimals as steps of that size need.
func stepNumber(x, step float64) []span {
	if x == 0 {
		return []span{plain("0")}
	}
	big := math.Max(math.Abs(x), step)
	if big >= 1e5 || (x != 0 && step < 1e-4) {
		return number(x)
	}
	dec := 0
	for d := step; dec < 8 && math.Abs(d-math.Round(d)) > 1e-6*d; dec++ {
		d *= 10
	}
	return []span{plain(minus(strconv.FormatFloat(x, 'f', dec, 64)))}
}

// number writes x with up to four digits.
func number(x float64) []span { return digits(x, 4) }

// digits writes x with up to n digits, as 1.2 · 10⁵ where plain writing is long.
func digits(x float64, n int) []span {
	a := math.Abs(x)
	if x == 0 || (a >= 1e-3 && a < 1e5) {
		return []span{plain(minus(formatDigits(x, n)))}
	}
	s := strconv.FormatFloat(x, 'e', n-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	e, _ := strconv.Atoi(exponent)
	return []span{plain(minus(mantissa) + "·10"), sup(minus(strconv.Itoa(e)))}
}

func formatDigits(x float64, n int) string {
	if x == 0 {
		return "0"
	}
	dec := n - 1 - int(math.Floor(math.Log10(math.Abs(x))))
	s := strconv.FormatFloat(x, 'f', max(dec, 0), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
