package vmfviz

import "fmt"

// SpherePanel is one sphere of a [Sphere] picture. Everything in it is
// optional; directions are unit vectors.
type SpherePanel struct {
	// Caption stands above the sphere, for example "κ = 10".
	Caption string
	// Points are directions [N, 3], for example samples of a distribution.
	// Those on the near side are solid, those on the far side pale. SphereHTML draws
	// neither Groups nor Marks.
	Points []float32
	// Groups, if not nil, has a number from 0 for each point; equal numbers have one
	// colour, that of the series.
	Groups []int
	// Marks are directions [N, 3] with rings around them, for example the diagonals of a
	// cube that points should avoid.
	Marks []float32
	// VMF are samples of a von Mises-Fisher distribution around Location, in
	// the place of Points.
	VMF *VMF
	// Location is one direction [3], drawn as an arrow from the centre.
	Location []float32
	// LocationLabel is the letter at the arrow; "" means ε.
	LocationLabel string
	// Path is a sequence of directions [T, 3], joined by great circles, for
	// example the ascent steps of a location.
	Path []float32
	// Heat paints a function on the sphere. The sphere is then opaque: the far
	// side shows nothing but the arrow.
	Heat *Heat
}

func (p SpherePanel) check(name string) error {
	if err := checkText(name+".Caption", p.Caption); err != nil {
		return err
	}
	if err := checkText(name+".LocationLabel", p.LocationLabel); err != nil {
		return err
	}
	if p.Points != nil {
		if _, err := checkUnit(name+".Points", p.Points); err != nil {
			return err
		}
	}
	if p.Groups != nil && len(p.Groups) != len(p.Points)/3 {
		return fmt.Errorf("vmfviz: %s.Groups has length %d, expected %d, one for each of Points", name, len(p.Groups), len(p.Points)/3)
	}
	for i, g := range p.Groups {
		if g < 0 {
			return fmt.Errorf("vmfviz: %s.Groups[%d] is %d, expected a number from 0", name, i, g)
		}
	}
	if p.Marks != nil {
		if _, err := checkUnit(name+".Marks", p.Marks); err != nil {
			return err
		}
	}
	if p.Location != nil {
		if len(p.Location) != 3 {
			return fmt.Errorf("vmfviz: %s.Location has length %d, expected 3", name, len(p.Location))
		}
		if _, err := checkUnit(name+".Location", p.Location); err != nil {
			return err
		}
	}
	if p.Path != nil {
		if _, err := checkUnit(name+".Path", p.Path); err != nil {
			return err
		}
	}
	if p.VMF != nil {
		if err := p.VMF.check(name, p); err != nil {
			return err
		}
	}
	if p.Heat != nil {
		return p.Heat.check(name + ".Heat")
	}
	return nil
}
