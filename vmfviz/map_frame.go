package vmfviz

// mapFrame maps the hemisphere in front of a camera to a disc on the sheet.
type mapFrame struct {
	c   pt
	r   float64
	cam camera
}

// at returns the place of a direction and whether it lies on this hemisphere.
func (f mapFrame) at(p vec3) (pt, bool) {
	q := f.cam.apply(p)
	x, y := lambert(q)
	return pt{f.c.x + f.r*x, f.c.y - f.r*y}, q[2] >= 0
}

// cut returns the parts of a curve, given by close points, on this hemisphere;
// each ends at the rim where the curve leaves.
func (f mapFrame) cut(curve []vec3) [][]pt {
	var parts [][]pt
	var part []pt
	for i, p := range curve {
		q, in := f.at(p)
		if i > 0 {
			if _, was := f.at(curve[i-1]); was != in {
				edge, _ := f.at(f.rim(curve[i-1], p))
				part = append(part, edge)
			}
		}
		if in {
			part = append(part, q)
		} else if part != nil {
			parts, part = append(parts, part), nil
		}
	}
	if part != nil {
		parts = append(parts, part)
	}
	return parts
}

// rim returns where the great circle through two directions on different
// hemispheres crosses the rim between them.
func (f mapFrame) rim(a, b vec3) vec3 {
	da, db := dot(f.cam.fore, a), dot(f.cam.fore, b)
	p := a.scale(db).sub(b.scale(da)).scale(1 / (db - da))
	p = p.sub(f.cam.fore.scale(dot(f.cam.fore, p)))
	if dot(p, p) < 1e-18 {
		return f.cam.right // a and b are opposite: any way round is as short
	}
	return p.unit()
}
