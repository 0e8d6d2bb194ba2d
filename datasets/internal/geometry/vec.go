// Package geometry has what meshes and the built-in shapes share.
package geometry

import "math"

// Vec is a point or direction in space. Products are converted explicitly, so that no platform
// fuses them with additions and rounds differently.
type Vec struct{ X, Y, Z float64 }

func (a Vec) Add(b Vec) Vec       { return Vec{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a Vec) Sub(b Vec) Vec       { return Vec{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }
func (a Vec) Scale(s float64) Vec { return Vec{float64(a.X * s), float64(a.Y * s), float64(a.Z * s)} }

func (a Vec) Dot(b Vec) float64 {
	return float64(a.X*b.X) + float64(a.Y*b.Y) + float64(a.Z*b.Z)
}

func (a Vec) Cross(b Vec) Vec {
	return Vec{
		float64(a.Y*b.Z) - float64(a.Z*b.Y),
		float64(a.Z*b.X) - float64(a.X*b.Z),
		float64(a.X*b.Y) - float64(a.Y*b.X),
	}
}

func (a Vec) Norm() float64 { return math.Sqrt(a.Dot(a)) }

// Unit returns a / |a|; a must not be zero.
func (a Vec) Unit() Vec { return a.Scale(1 / a.Norm()) }

// Lerp returns a + t(b - a).
func (a Vec) Lerp(b Vec, t float64) Vec { return a.Add(b.Sub(a).Scale(t)) }

// Frame returns two unit vectors that complete the unit vector a to a right-handed orthonormal
// basis (u, w, a).
func (a Vec) Frame() (u, w Vec) {
	ref := Vec{0, 1, 0}
	if math.Abs(a.Y) > 0.9 {
		ref = Vec{1, 0, 0}
	}
	u = ref.Cross(a).Unit()
	return u, a.Cross(u)
}

// TriangleArea is the area of a triangle.
func TriangleArea(a, b, c Vec) float64 { return b.Sub(a).Cross(c.Sub(a)).Norm() / 2 }
