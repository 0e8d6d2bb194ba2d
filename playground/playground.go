// Command playground builds the playground: one static page in which the packages of this module,
// compiled to WebAssembly, answer while the reader drags a direction.
//
//	go run ./playground build PAGE.html      the page, with the program and the weights inside
//	go run ./playground train FOLDER         the weights of the amortizers
//
// The page draws; every number in it is an answer of package calls.
package main

import (
	"encoding/json"
	"fmt"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/calls"
)

// Points is the number of points of a cloud that the page makes, and of the trained amortizers.
const Points = 500

func init() {
	calls.Register("shape", calls.Call{Answer: shape})
	calls.Register("match", calls.Call{Answer: match})
}

// shapeSettings choose a cloud of the page.
type shapeSettings struct {
	Dim     int    `json:"dim" range:"2..3"`
	Name    string `json:"name"`
	Strokes string `json:"strokes"` // in place of a name: polylines that the reader has drawn, as JSON
}

// shape makes a cloud of a named shape, or of what the reader has drawn.
func shape(r *calls.Request, a *calls.Answer) error {
	s := shapeSettings{Dim: 2}
	if err := r.Apply(&s); err != nil {
		return err
	}
	set, err := s.cloud(r.Seed)
	if err == nil {
		calls.Add(a, "points", set.Coords, 1, set.Points, set.Dim)
	}
	return err
}

func (s shapeSettings) cloud(seed uint64) (*datasets.Set, error) {
	if s.Strokes == "" && s.Dim == 3 {
		return datasets.Shapes{Train: 1, Points: Points, Seed: seed, Classes: []string{s.Name}}.Generate()
	}
	var points []float32
	var err error
	if s.Strokes == "" {
		points, err = planarCloud(s.Name, Points, seed)
	} else {
		var strokes [][][]float64
		if err := json.Unmarshal([]byte(s.Strokes), &strokes); err != nil {
			return nil, fmt.Errorf("strokes: %w", err)
		}
		points, err = strokeCloud(strokes, s.Dim, Points, 0.03, seed)
	}
	if err != nil {
		return nil, err
	}
	set, err := datasets.New(points, 1, Points, s.Dim)
	if err != nil || s.Strokes != "" {
		return set, err
	}
	return set, set.Normalize()
}

// match gives the first clouds of x and y one size, that of the smaller one.
func match(r *calls.Request, a *calls.Answer) error {
	x, y, err := r.Pair("x", "y")
	if err != nil {
		return err
	}
	n := min(x.Points, y.Points)
	for name, s := range map[string]*datasets.Set{"x": x, "y": y} {
		if s, err = s.Select([]int{0}).Subset(n, 0); err != nil {
			return err
		}
		calls.Add(a, name, s.Coords, 1, n, s.Dim)
	}
	return nil
}
