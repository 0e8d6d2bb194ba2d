package vmfviz

import "math"

// The equal-area azimuthal projection of J. H. Lambert (1772), on one
// hemisphere: the centre of the map is the direction fore of a camera, and a
// direction at the angle α from it lies at the distance √2·sin(α/2) from the
// centre, 1 for the edge (α = 90°). A region of area A on the sphere, whose
// hemisphere has 2π, covers A/2 of the disc, whose area is π.

// lambert returns the place of the unit vector p, given in the camera's
// frame with p[2] >= 0: to the right and up, in the unit disc.
func lambert(p vec3) (x, y float64) {
	// sin(α/2)·√2 = √(1 - cos α), written so that it does not cancel.
	k := 1 / math.Sqrt(1+math.Max(0, p[2]))
	return k * p[0], k * p[1]
}

// lambertBack is the inverse of lambert on the closed unit disc.
func lambertBack(x, y float64) vec3 {
	d := x*x + y*y
	k := math.Sqrt(math.Max(0, 2-d))
	return vec3{k * x, k * y, 1 - d}
}

// behind is the camera on the opposite side, with the same way up. Its left
// edge is the right edge of c, so that two maps side by side touch in one
// direction.
func (c camera) behind() camera {
	return camera{right: c.right.scale(-1), up: c.up, fore: c.fore.scale(-1)}
}
