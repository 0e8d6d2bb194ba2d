package vmfviz

import (
	"cmp"
	"fmt"
	"math"
)

// VMF stands for samples of the von Mises-Fisher distribution on a sphere, made from stored noise,
// so that the samples of one κ become those of another without new random numbers. With ε the
// Location of the panel, κ = Kappa and (u, v) a row of Noise, the sample is
//
//	θ = H (√(1−ω²) cos 2πv, √(1−ω²) sin 2πv, ω),  ω = 1 + log(u + (1−u) e^(−2κ)) / κ,
//
// where H is the Householder reflection that takes the z axis to ε; ω, the cosine of the angle to
// ε, inverts its distribution function at u. κ = 0 is the uniform distribution, ω = 2u − 1.
//
// [Sphere] and [SphereMap] draw the samples at Kappa, which they write behind the caption;
// [SphereHTML] begins there and adds a slider that draws them anew. The panel needs a Location and
// has no Points.
type VMF struct {
	// Kappa is the concentration, from 0 to 1000.
	Kappa float64
	// Noise has rows [N, 2] of independent numbers, uniform in [0, 1).
	Noise []float32
}

// maxKappa is the end of the slider of [SphereHTML].
const maxKappa = 1000

func (s *VMF) check(name string, p SpherePanel) error {
	if s == nil {
		return nil
	}
	return cmp.Or(errorIf(!(s.Kappa >= 0 && s.Kappa <= maxKappa), "%s.VMF.Kappa = %g, expected 0 to %d", name, s.Kappa,
		maxKappa),
		errorIf(p.Location == nil, "%s.Location is nil, expected the location ε of VMF", name),
		errorIf(p.Points != nil, "%s has Points and VMF, expected one of them", name),
		checkRows(name+".VMF.Noise", s.Noise, 2), each(s.Noise, func(i int, u float32) error {
			return errorIf(u < 0 || u > 1, "%s.VMF.Noise: row %d, column %d is %g, expected a number from 0 to 1", name, i/2,
				i%2, u)
		}))
}

// vmfCosine returns ω for the uniform number u.
func vmfCosine(u, kappa float64) float64 {
	if kappa < 1e-6 {
		return 2*u - 1
	}
	// u + (1-u) e^(-2κ) = 1 + (1-u) (e^(-2κ) - 1), without cancelling.
	w := 1 + math.Log1p((1-u)*math.Expm1(-2*kappa))/kappa
	return math.Max(-1, math.Min(1, w))
}

// samples returns the directions [N, 3] at Kappa around the unit vector eps.
func (s *VMF) samples(eps vec3) []float32 {
	axis := vec3{-eps[0], -eps[1], 1 - eps[2]} // of the reflection
	square := dot(axis, axis)
	out := make([]float32, 0, len(s.Noise)/2*3)
	for i := 0; i < len(s.Noise); i += 2 {
		w := vmfCosine(float64(s.Noise[i]), s.Kappa)
		r := math.Sqrt(1 - w*w)
		sin, cos := math.Sincos(2 * math.Pi * float64(s.Noise[i+1]))
		q := vec3{r * cos, r * sin, w}
		if square > 1e-12 {
			q = q.sub(axis.scale(2 * dot(q, axis) / square))
		}
		q = q.unit()
		out = append(out, float32(q[0]), float32(q[1]), float32(q[2]))
	}
	return out
}

// sampled returns the panels with the samples of each VMF as its points and κ behind its caption.
func sampled(panels []SpherePanel) []SpherePanel {
	out := append([]SpherePanel(nil), panels...)
	for i, p := range out {
		if p.VMF != nil {
			out[i].Points = p.VMF.samples(row3(p.Location, 0).unit())
			out[i].Caption = joined(p.Caption, fmt.Sprintf("κ = %g", p.VMF.Kappa))
		}
	}
	return out
}
