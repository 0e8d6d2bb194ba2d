package ot1d

import (
	"fmt"
	"math"
)

const (
	simdLanes = 16
	// MaxSIMDPoints is the largest cloud for HostConfig.SIMD: beyond it a radix sort does less work
	// than a network.
	MaxSIMDPoints = 16384
)

// SIMD returns why HostConfig.SIMD is unavailable in this program on this processor; "" if it is
// available.
func SIMD() string { return simdMissing() }

// bySIMD is HostCosts by a sorting network on 16 directions at a time, in 31-bit fixed point of
// float32 projections.
func (h *host) bySIMD() ([]float64, error) {
	if missing := simdMissing(); missing != "" {
		return nil, fmt.Errorf("ot1d: SIMD: %s", missing)
	}
	if h.x.Points != h.y.Points || h.totalX != nil || h.totalY != nil || h.x.Points > MaxSIMDPoints {
		return nil, fmt.Errorf("ot1d: SIMD takes clouds of one size of at most %d points, without weights, found %s and %s", MaxSIMDPoints, describe(h.x), describe(h.y))
	}
	costs := make([]float64, h.x.Batch*h.slices)
	blocks := (h.slices + simdLanes - 1) / simdLanes
	pairs := make([]centred, h.x.Batch)
	for b := range pairs {
		pairs[b] = h.centre(b)
	}
	parallel(len(pairs)*blocks, func() *simdScratch { return newSIMDScratch(h.x.Points) }, func(s *simdScratch, task int) {
		pair, first := task/blocks, task%blocks*simdLanes
		c := pairs[pair]
		var theta [simdLanes][]float32
		var units, found [simdLanes]float64
		for l := range theta {
			d := h.direction(pair, min(first+l, h.slices-1))
			length := 0.0
			for _, t := range d {
				length += t * t
			}
			scale := 0.0
			if reach := math.Sqrt(length) * c.radius; reach > 0 {
				scale = (1 << 30) * (1 - 1e-5) / reach
				units[l] = math.Pow(1/scale, h.p)
			}
			theta[l] = make([]float32, len(d))
			for j, t := range d {
				theta[l][j] = float32(t * scale)
			}
		}
		s.costs(c.x, c.y, theta, h.p, &found)
		for l := range min(simdLanes, h.slices-first) {
			costs[pair*h.slices+first+l] = found[l] * units[l]
			if h.normalized {
				costs[pair*h.slices+first+l] /= float64(h.x.Points)
			}
		}
	})
	return costs, nil
}

// centred is a pair by coordinates [dim][m], relative to the centre of its box and within radius of
// it.
type centred struct {
	x, y   [][]float32
	radius float64
}

func (h *host) centre(pair int) centred {
	low, high := h.box(pair)
	middle, far := make([]float64, len(low)), 0.0
	for j := range middle {
		middle[j] = low[j] + (high[j]-low[j])/2
	}
	turn := func(points []float32) [][]float32 {
		out := make([][]float32, len(middle))
		for j := range out {
			out[j] = make([]float32, len(points)/len(middle))
		}
		for i := range out[0] {
			square := 0.0
			for j, m := range middle {
				v := float64(points[i*len(middle)+j]) - m
				out[j][i] = float32(v)
				square += v * v
			}
			far = max(far, square)
		}
		return out
	}
	c := centred{x: turn(h.x.cloud(pair)), y: turn(h.y.cloud(pair))}
	c.radius = math.Sqrt(far)
	return c
}
