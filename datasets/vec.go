package datasets

import "math"

// vec is a point or direction in space. Products are converted explicitly, so that no platform
// fuses them with additions and rounds differently.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec       { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec       { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) scale(s float64) vec { return vec{float64(a.x * s), float64(a.y * s), float64(a.z * s)} }

func (a vec) dot(b vec) float64 {
	return float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z)
}

func (a vec) cross(b vec) vec {
	return vec{
		float64(a.y*b.z) - float64(a.z*b.y),
		float64(a.z*b.x) - float64(a.x*b.z),
		float64(a.x*b.y) - float64(a.y*b.x),
	}
}

func (a vec) norm() float64 { return math.Sqrt(a.dot(a)) }

// unit returns a / |a|; a must not be zero.
func (a vec) unit() vec { return a.scale(1 / a.norm()) }

// lerp returns a + t(b - a).
func (a vec) lerp(b vec, t float64) vec { return a.add(b.sub(a).scale(t)) }

// frame returns two unit vectors that complete the unit vector a to a right-handed orthonormal
// basis (u, w, a).
func (a vec) frame() (u, w vec) {
	ref := vec{0, 1, 0}
	if math.Abs(a.y) > 0.9 {
		ref = vec{1, 0, 0}
	}
	u = ref.cross(a).unit()
	return u, a.cross(u)
}
