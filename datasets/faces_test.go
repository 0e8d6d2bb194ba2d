package datasets

import (
	"fmt"
	"testing"
)

// TestFacesWithoutAreaAreCounted on their way from the file to the set.
func TestFacesWithoutAreaAreCounted(t *testing.T) {
	const head = "OFF\n5 %d 0\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n1 0 0\n"
	flat := []byte(fmt.Sprintf(head, 5) + "4 0 1 2 3\n3 0 1 4\n3 1 1 2\n2 0 1\n4 0 4 1 4\n")
	split := []byte(fmt.Sprintf(head, 1) + "5 0 4 1 2 3\n") // a straight corner, but a nonzero area
	s := load(t, tree(t, map[string][]byte{"a/x.off": split, "b/y.off": flat, "c/z.npy": cloudNPY(2, 10, 3, 1)}), Options{Points: 10})
	if fmt.Sprint(s.DegenerateFaces) != "[0 4 0 0]" || s.Summary().DegenerateFaces != 4 {
		t.Errorf("counts %v", s.DegenerateFaces)
	}
	if s := load(t, write(t, "y.off", flat), Options{}); fmt.Sprint(s.DegenerateFaces) != "[4]" {
		t.Errorf("one mesh: counts %v", s.DegenerateFaces)
	}
	if s := load(t, write(t, "a.npy", cloudNPY(2, 10, 3, 1)), Options{}); s.DegenerateFaces != nil {
		t.Errorf("an array: counts %v", s.DegenerateFaces)
	}
}
