package vmfviz

import "image/color"

// pathLook is how a path on a sphere is drawn. On the colours of a function it
// has a white seam outside the dark one: it meets every lightness there.
type pathLook struct {
	color, casing color.NRGBA
	seam          bool
}

// pathCurve joins the directions of a path by great circles.
func pathCurve(path []float32) []vec3 {
	var curve []vec3
	for i := 1; i < len(path)/3; i++ {
		curve = append(curve, greatCircle(row3(path, i-1).unit(), row3(path, i).unit())...)
	}
	return curve
}

// path3 draws the path; line draws its curve with one stroke, and at says where a
// direction lies and whether it can be seen. An open end is where the path
// starts, a filled one where it ends.
func (s *page) path3(path []float32, l pathLook, line func(stroke), at func(vec3) (pt, bool)) {
	strokes := []stroke{{width: 6.2, color: white}, {width: 4.2, color: l.casing}, {width: 2.6, color: l.color}}
	if !l.seam {
		strokes = strokes[1:]
	}
	for _, st := range strokes {
		line(st)
	}
	first, last := row3(path, 0), row3(path, len(path)/3-1)
	for _, end := range []struct {
		at     vec3
		radius float64
		fill   color.NRGBA
	}{{first, 3, white}, {last, 3.4, l.color}} {
		q, seen := at(end.at.unit())
		if !seen {
			continue
		}
		if l.seam {
			s.disc(q, 5.6, white)
		}
		s.disc(q, 4.6, l.casing)
		s.disc(q, end.radius, end.fill)
	}
}
