package ot1d

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/sliced-wasserstein/lab/swlab/internal/graphtest"
)

// BenchmarkCosts times value and gradient of 32 pairs on 100 directions: for the value
// alone, the descent's gradient and the ascent's.
func BenchmarkCosts(b *testing.B) {
	const batch, slices = 32, 100
	for _, points := range []int{512, 2048} {
		r := rand.New(rand.NewPCG(1, 2))
		x, y := tensor(normals(r, batch*points*3, .4), batch, points, 3), tensor(normals(r, batch*points*3, .4), batch, points, 3)
		theta := tensor(directions(r, batch*slices, 3), batch, slices, 3)
		for _, wrt := range []Wrt{None, Y, Directions} {
			name := fmt.Sprintf("points=%d/wrt=%s", points, map[Wrt]string{None: "none", Y: "y", Directions: "directions"}[wrt])
			b.Run(name, func(b *testing.B) {
				e, err := graph.NewExec(graphtest.Engine(b).Backend, func(n []*graph.Node) []*graph.Node {
					c := graph.ReduceAllMean(Costs(n[0], n[1], n[2], Config{Wrt: wrt}))
					switch wrt {
					case Y:
						return append([]*graph.Node{c}, graph.Gradient(c, n[1])...)
					case Directions:
						return append([]*graph.Node{c}, graph.Gradient(c, n[2])...)
					}
					return []*graph.Node{c}
				})
				if err != nil {
					b.Fatal(err)
				}
				defer e.Finalize()
				once := func() {
					out, err := e.Call(x, y, theta)
					if err != nil {
						b.Fatal(err)
					}
					_ = out[0].Value() // waits for the result
					for _, o := range out {
						o.FinalizeAll()
					}
				}
				once() // compiles
				for b.Loop() {
					once()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(batch*slices*float64(points)), "ns/projection")
			})
		}
	}
}

// BenchmarkHost is the squared distance of two clouds in space, and its gradient in one of them or in the directions.
func BenchmarkHost(b *testing.B) {
	for _, c := range [][2]int{{2048, 1000}, {100000, 100}} {
		m, lines := c[0], c[1]
		r := rand.New(rand.NewPCG(1, 2))
		x, y := Clouds{Coords: normals(r, m*3, 1), Batch: 1, Points: m, Dim: 3}, Clouds{Coords: normals(r, m*3, 1), Batch: 1, Points: m, Dim: 3}
		d, up := directions(r, lines, 3), slices.Repeat([]float64{1}, lines)
		for name, f := range map[string]func() error{
			"fast":     func() error { _, err := HostCosts(x, y, d, lines, HostConfig{Fast: true}); return err },
			"value":    func() error { _, err := HostCosts(x, y, d, lines, HostConfig{}); return err },
			"gradient": func() error { _, _, err := HostGradients(x, y, d, lines, up, Y, HostConfig{}); return err },
			"directions": func() error {
				_, _, err := HostGradients(x, y, d, lines, up, Directions, HostConfig{})
				return err
			},
		} {
			b.Run(fmt.Sprintf("m=%d/L=%d/%s", m, lines, name), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*m*lines), "ns/projection")
			})
		}
	}
}

// BenchmarkBatch is the loss of a training step: 32 pairs on 100 directions each, value and gradient in y.
func BenchmarkBatch(b *testing.B) {
	const batch, lines = 32, 100
	for _, m := range []int{512, 2048} {
		r := rand.New(rand.NewPCG(1, 2))
		x, y := Clouds{Coords: normals(r, batch*m*3, 1), Batch: batch, Points: m, Dim: 3}, Clouds{Coords: normals(r, batch*m*3, 1), Batch: batch, Points: m, Dim: 3}
		d, up := directions(r, batch*lines, 3), slices.Repeat([]float64{1e-3}, batch*lines)
		for name, f := range map[string]func() error{
			"value": func() error { _, err := HostCosts(x, y, d, lines, HostConfig{}); return err },
			"y":     func() error { _, _, err := HostGradients(x, y, d, lines, up, Y, HostConfig{}); return err },
		} {
			b.Run(fmt.Sprintf("m=%d/%s", m, name), func(b *testing.B) {
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(batch*m*lines), "ns/projection")
			})
		}
	}
}
