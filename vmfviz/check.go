package vmfviz

import (
	"cmp"
	"fmt"
	"math"
)

// errorIf returns an error of the package if something is wrong; cmp.Or takes the first of several.
func errorIf(wrong bool, format string, a ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf("vmfviz: "+format, a...)
}

// each returns the first error of a check of all elements.
func each[T any](list []T, check func(i int, v T) error) error {
	for i, v := range list {
		if err := check(i, v); err != nil {
			return err
		}
	}
	return nil
}

// checkRows checks that v holds at least one row of dim finite numbers.
func checkRows(name string, v []float32, dim int) error {
	if len(v) == 0 || len(v)%dim != 0 {
		return fmt.Errorf("vmfviz: %s has length %d, expected a multiple of %d above 0", name, len(v), dim)
	}
	for i, x := range v {
		if !(math.Abs(float64(x)) <= 1e15) {
			return fmt.Errorf("vmfviz: %s: row %d, column %d is %g, expected a finite number of at most 1e15", name, i/dim,
				i%dim, x)
		}
	}
	return nil
}

// checkUnit checks that v, if not nil, holds unit vectors of length dim, to 1 part in 100.
func checkUnit(name string, v []float32, dim int) error {
	if v == nil {
		return nil
	}
	return cmp.Or(checkRows(name, v, dim), each(rows(v, dim), func(i int, q vec3) error {
		n := math.Sqrt(dot(q, q))
		return errorIf(math.Abs(n-1) > 0.01, "%s: row %d has length %.4g, expected a unit vector", name, i, n)
	}))
}

// largest is the limit for numbers on axes: their squares must be finite.
const largest = 1e150

// checkFinite checks that v is not empty and that all its numbers are finite.
func checkFinite(name string, v []float64) error {
	return cmp.Or(errorIf(len(v) == 0, "%s is empty", name),
		each(v, func(i int, x float64) error { return checkNumber(fmt.Sprintf("%s[%d]", name, i), x, false) }))
}

// checkNumber checks that a number can stand on a linear or a logarithmic axis.
func checkNumber(name string, x float64, log bool) error {
	return cmp.Or(errorIf(!(math.Abs(x) <= largest), "%s is %g, expected a finite number of at most %g", name, x, largest),
		errorIf(log && x < 1/largest, "%s is %g, expected a positive number for a logarithmic axis", name, x))
}

// checkNames checks that there are n names, or none.
func checkNames(name string, texts []string, n int) error {
	return errorIf(texts != nil && len(texts) != n, "%s has %d names, expected %d", name, len(texts), n)
}
