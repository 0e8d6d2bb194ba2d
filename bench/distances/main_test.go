package main

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSliced: the number that is timed is the reference's, and directions are unit vectors with mean 0.
func TestSliced(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := comparison{Points: 50, Slices: 2000, x: uniform(r, 50), y: uniform(r, 50)}
	theta := uniform(r, c.Slices)
	got, err := distance(c, theta)
	if err != nil {
		t.Fatal(err)
	}
	if want := reference(c.x, c.y, theta); math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v, reference %v", got, want)
	}
	var mean [3]float64
	for l := 0; l < len(theta); l += 3 {
		length := 0.0
		for j, v := range theta[l : l+3] {
			length += float64(v) * float64(v)
			mean[j] += float64(v) / float64(c.Slices)
		}
		if math.Abs(length-1) > 1e-6 {
			t.Fatalf("direction %d has length^2 %v", l/3, length)
		}
	}
	for _, v := range mean {
		if math.Abs(v) > 5/math.Sqrt(3*float64(c.Slices)) {
			t.Errorf("mean of the directions %v", mean)
		}
	}
}
