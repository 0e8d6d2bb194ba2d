// Package ot1d computes one-dimensional optimal transport between the projections of two clouds: in
// plain Go ([Coster]; [HostCosts], [HostGradients]), which training and distances use on every CPU, and inside a
// GoMLX graph ([Costs]), by the backend's sort, for CUDA.
//
// For a unit direction theta and clouds X, Y of m points, with a_(1) <= ... <= a_(m) the sorted
// theta'x_i and b_(i) the sorted theta'y_i, the optimal coupling matches equal ranks, and the cost
// is
//
//	F(theta; X, Y) = sum_i |a_(i) - b_(i)|^p  =  m W_p^p(theta#P_X, theta#P_Y)
//
// a SUM over points without root, as in the released code of Nguyen et al. 2023, which made the
// paper's tables. The mean W_p^p is an option, and the only choice for clouds of different sizes or
// with masses, which the host alone takes. The host also knows other costs of a direction ([LineCost]).
package ot1d
