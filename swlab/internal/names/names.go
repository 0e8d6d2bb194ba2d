// Package names writes constants 0, 1, ... by their names, and reads them.
package names

import (
	"fmt"
	"strings"
)

// Of is the name of v, or its number if it has none.
func Of[T ~int](v T, names []string) string {
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprint(int(v))
	}
	return names[v]
}

// Read sets v to the constant of that name.
func Read[T ~int](v *T, text []byte, names []string) error {
	for i, name := range names {
		if name == string(text) {
			*v = T(i)
			return nil
		}
	}
	last := len(names) - 1
	return fmt.Errorf("expected %s or %s, found %q", strings.Join(names[:last], ", "), names[last], text)
}
