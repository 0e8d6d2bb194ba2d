package exercise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// number accepts a number within a relative tolerance of the right one.
func number(tolerance, want float64) func(any) (string, error) {
	return func(answer any) (string, error) {
		var got float64
		switch a := answer.(type) {
		case int:
			got = float64(a)
		case float64:
			got = a
		default:
			return fmt.Sprintf("Expected a number, found %T.", answer), nil
		}
		if math.Abs(got-want) <= tolerance*max(math.Abs(want), 1e-9) {
			return "", nil
		}
		return fmt.Sprintf("%g is not it.", got), nil
	}
}

// word accepts a word.
func word(want string) func(any) (string, error) {
	return func(answer any) (string, error) {
		text, ok := answer.(string)
		if !ok {
			return fmt.Sprintf("Expected a text, found %T.", answer), nil
		}
		if strings.EqualFold(strings.TrimSpace(text), want) {
			return "", nil
		}
		return fmt.Sprintf("%q is not it.", text), nil
	}
}

// function tries an answer of type F; try returns where it is wrong.
func function[F any](try func(F) (string, error)) func(any) (string, error) {
	return func(answer any) (problem string, err error) {
		f, ok := answer.(F)
		if !ok {
			return fmt.Sprintf("Expected a %T, found %T.", f, answer), nil
		}
		defer func() {
			if p := recover(); p != nil {
				problem = fmt.Sprintf("The function panics: %v.", p)
			}
		}()
		return try(f)
	}
}

// differs says that a function returns another value than expected.
func differs(call string, got, want float64) string {
	if math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) {
		return ""
	}
	return fmt.Sprintf("%s is %.6g, expected %.6g.", call, got, want)
}

// random returns n numbers of the standard normal distribution, the same in every call.
func random(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}
