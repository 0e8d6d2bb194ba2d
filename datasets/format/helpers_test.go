package format

import (
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/internal/geometry"
)

// wantError fails unless err mentions every part.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("expected an error with %q, found none", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not mention %q", err, p)
		}
	}
}

// failure and failure2 return the error of a call.
func failure[T any](_ T, err error) error          { return err }
func failure2[T, U any](_ T, _ U, err error) error { return err }

func finite(v []float64) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// area is the total area of the triangles.
func (m *Mesh) area() float64 {
	sum := 0.0
	for _, t := range m.triangles {
		sum += geometry.TriangleArea(m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]])
	}
	return sum
}
