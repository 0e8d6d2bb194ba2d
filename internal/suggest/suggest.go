// Package suggest finds the known word that an unknown one probably means.
package suggest

import (
	"fmt"
	"strings"
)

// Closest returns the known word that word probably means, or "" if none is close: the only one
// that begins with word, else the one that differs from it in the fewest letters, at most a third
// of them but always one. Insertions, deletions, replacements and exchanges of neighbours count one
// each. Case is ignored.
func Closest(word string, known []string) string {
	low := strings.ToLower(word)
	var begun []string
	for _, k := range known {
		if len(low) >= 2 && strings.HasPrefix(strings.ToLower(k), low) {
			begun = append(begun, k)
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	best, least := "", max(1, len(low)/3)+1
	for _, k := range known {
		if d := distance(low, strings.ToLower(k)); d < least && d < len(k) && d < len(low) {
			best, least = k, d
		}
	}
	return best
}

// Hint is "; did you mean ...?" with the closest known word, or "" if none is close.
func Hint(word string, known []string) string {
	if c := Closest(word, known); c != "" {
		return fmt.Sprintf("; did you mean %q?", c)
	}
	return ""
}

// Unknown is the error for an unknown name of a kind, such as a loss. It lists the known words and
// the closest one.
func Unknown(kind, word string, known []string) error {
	return fmt.Errorf("unknown %s %q, expected one of %s%s", kind, word, strings.Join(known, ", "), Hint(word, known))
}

// distance is the number of edits between two words (Damerau-Levenshtein, optimal string
// alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			replace := d[i-1][j-1]
			if x[i-1] != y[j-1] {
				replace++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, replace)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}
