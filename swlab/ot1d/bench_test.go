package ot1d

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
)

// BenchmarkHost is the squared distance of two clouds in space, and its gradient in one of them or in the directions.
func BenchmarkHost(b *testing.B) {
	for _, c := range [][2]int{{2048, 1000}, {100000, 100}} {
		m, lines := c[0], c[1]
		r := rand.New(rand.NewPCG(1, 2))
		x, y := normalClouds(r, 1, m, 3, 1), normalClouds(r, 1, m, 3, 1)
		d, up := directions(r, lines, 3), slices.Repeat([]float64{1}, lines)
		for name, f := range map[string]func() error{
			"fast":     func() error { _, err := HostCosts(x, y, d, lines, Config{Fast: true}); return err },
			"value":    func() error { _, err := HostCosts(x, y, d, lines, Config{}); return err },
			"gradient": func() error { _, _, err := HostGradients(x, y, d, lines, up, Y, Config{}); return err },
			"directions": func() error {
				_, _, err := HostGradients(x, y, d, lines, up, Directions, Config{})
				return err
			},
		} {
			b.Run(fmt.Sprintf("m=%d/L=%d/%s", m, lines, name), func(b *testing.B) {
				for b.Loop() {
					must.M(f())
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
		x, y := normalClouds(r, batch, m, 3, 1), normalClouds(r, batch, m, 3, 1)
		d, up := directions(r, batch*lines, 3), slices.Repeat([]float64{1e-3}, batch*lines)
		for name, f := range map[string]func() error{
			"value": func() error { _, err := HostCosts(x, y, d, lines, Config{}); return err },
			"y":     func() error { _, _, err := HostGradients(x, y, d, lines, up, Y, Config{}); return err },
		} {
			b.Run(fmt.Sprintf("m=%d/%s", m, name), func(b *testing.B) {
				for b.Loop() {
					must.M(f())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(batch*m*lines), "ns/projection")
			})
		}
	}
}
