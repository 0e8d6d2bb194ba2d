package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// planar are the shapes in the plane: each draws one point from uniform numbers and normals.
var planar = map[string]func(r *rand.Rand) (x, y float64){
	"ring":   func(r *rand.Rand) (x, y float64) { return polar(1+0.06*r.NormFloat64(), 2*math.Pi*r.Float64()) },
	"disc":   func(r *rand.Rand) (x, y float64) { return polar(math.Sqrt(r.Float64()), 2*math.Pi*r.Float64()) },
	"bar":    func(r *rand.Rand) (x, y float64) { return 2*r.Float64() - 1, 0.15 * r.NormFloat64() },
	"square": func(r *rand.Rand) (x, y float64) { return 2*r.Float64() - 1, 2*r.Float64() - 1 },
	"spiral": func(r *rand.Rand) (x, y float64) {
		t := math.Sqrt(r.Float64())
		x, y = polar(t, 4*math.Pi*t)
		return x + 0.02*r.NormFloat64(), y + 0.02*r.NormFloat64()
	},
	"moons": func(r *rand.Rand) (x, y float64) {
		x, y = polar(1, math.Pi*r.Float64())
		if r.IntN(2) == 1 {
			x, y = 1-x, 0.5-y
		}
		return x + 0.07*r.NormFloat64(), y + 0.07*r.NormFloat64()
	},
	"blobs": func(r *rand.Rand) (x, y float64) {
		x, y = polar(1, math.Pi/4+math.Pi/2*float64(r.IntN(4)))
		return x + 0.13*r.NormFloat64(), y + 0.13*r.NormFloat64()
	},
	"cross": func(r *rand.Rand) (x, y float64) {
		x, y = 2*r.Float64()-1, 0.08*r.NormFloat64()
		if r.IntN(2) == 1 {
			x, y = y, x
		}
		return x, y
	},
	"star": func(r *rand.Rand) (x, y float64) {
		a := math.Pi / 5 * (float64(r.IntN(10)) + r.Float64())
		t := math.Abs(math.Mod(a, 2*math.Pi/5) - math.Pi/5)
		return polar((0.45+0.55*math.Pow(5*t/math.Pi, 1.5))*(1+0.02*r.NormFloat64()), a+math.Pi/2)
	},
}

func polar(r, angle float64) (x, y float64) { return r * math.Cos(angle), r * math.Sin(angle) }

// planarCloud draws n points of a shape in the plane, [n, 2].
func planarCloud(name string, n int, seed uint64) ([]float32, error) {
	draw, ok := planar[name]
	if !ok {
		return nil, fmt.Errorf("shape: expected one of %v, found %q", slices.Sorted(maps.Keys(planar)), name)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var points []float32
	for range n {
		x, y := draw(r)
		points = append(points, float32(x), float32(y))
	}
	return points, nil
}

// strokeCloud draws n points along polylines of that dimension, uniformly by length, with a normal
// noise of standard deviation width in every coordinate.
func strokeCloud(strokes [][][]float64, dim, n int, width float64, seed uint64) ([]float32, error) {
	type piece struct {
		from, to []float64
		end      float64 // length of all pieces up to the end of this one
	}
	var pieces []piece
	total := 0.0
	for _, stroke := range strokes {
		for i, p := range stroke {
			if len(p) != dim {
				return nil, fmt.Errorf("stroke: expected points of %d coordinates, found %d", dim, len(p))
			}
			q := stroke[max(0, i-1)]
			var square float64
			for k := range p {
				square += (p[k] - q[k]) * (p[k] - q[k])
			}
			total += math.Sqrt(square) + 1e-6 // a stroke of one point is a dot
			pieces = append(pieces, piece{q, p, total})
		}
	}
	if len(pieces) == 0 {
		return nil, errors.New("strokes: expected a line, found none")
	}
	r := rand.New(rand.NewPCG(seed, 1))
	var points []float32
	for range n {
		at, i := total*r.Float64(), 0
		for i < len(pieces)-1 && pieces[i].end < at {
			i++
		}
		t := r.Float64()
		for k := range dim {
			points = append(points, float32((1-t)*pieces[i].from[k]+t*pieces[i].to[k]+width*r.NormFloat64()))
		}
	}
	return points, nil
}
