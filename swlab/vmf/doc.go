// Package vmf is the von Mises-Fisher distribution on the unit sphere S^{d-1} of R^d, and its limit
// at concentration zero, the uniform distribution: the distributions of slicing directions.
//
//	f(x) = C_d(kappa) exp(kappa mu.x),   C_d(kappa) = kappa^(d/2-1) / ((2 pi)^(d/2) I_{d/2-1}(kappa))
//
// mu is the location (a unit vector), kappa >= 0 the concentration and I a modified Bessel function
// of the first kind. kappa = 0 is uniform, kappa -> infinity is the single direction mu.
//
// A sample combines two independent parts: omega = mu.x, the component along the location, and v, a
// uniform direction of S^{d-2} orthogonal to it,
//
//	h = (omega, sqrt(1-omega^2) v),   x = the reflection of h that sends e1 = (1,0,..,0) to mu.
//
// omega has density proportional to exp(kappa w) (1-w^2)^((d-3)/2) on [-1, 1]. It has a closed form
// at d = 3 (OmegaFromUniform) and is drawn by Wood's rejection otherwise.
//
// The package has two halves, equal by test.
//
// On the host, in float64: Dist with its sampler, density, entropy and moments for any d >= 2, and
// the closed forms as plain functions of (d, kappa), valid without overflow or cancellation from
// kappa = 0 to MaxKappa.
//
// In a GoMLX graph: FromNoise (d = 3, closed form), FromWood (any d, rejection with a fixed number
// of proposals), FromOmega (components drawn elsewhere) and UniformFromNormals. Noise is an
// argument; there is no random state. Samples are differentiable only in the location, through the
// reflection: omega does not depend on the location and kappa is a constant, so the average of the
// pathwise gradient over the samples is the gradient of the expectation.
//
// Sources: Ulrich, "Computer generation of distributions on the m-sphere", Appl. Statist. 33
// (1984); Wood, "Simulation of the von Mises Fisher distribution", Commun. Statist. Simul. 23
// (1994); Mardia and Jupp, "Directional Statistics" (2000); Davidson et al., "Hyperspherical
// variational auto-encoders" (2018); and the paper this project reproduces, appendix "von
// Mises-Fisher distribution".
package vmf
