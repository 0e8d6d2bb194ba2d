// Package datasets holds sets of point clouds and reads them: from NumPy and HDF5 files, from
// meshes (sampled uniformly by area), from folders of all of these, and from a built-in generator
// of procedural shapes.
//
// A [Set] is a plain array of float32 in row-major order [clouds, points, dim], relative to origins
// where float32 does not hold the coordinates. [Load] reads one, checks that every coordinate is
// finite and normalises each cloud as the paper does on every read (protocol section 4):
//
//	x_i <- (x_i - c) / max_j |x_j - c|,   c = (1/m) sum_j x_j
//
// so every cloud has its centroid at 0 and its largest radius is 1. All randomness comes from
// explicit seeds: the same file and the same [Options] give the same numbers on every run. A set is in
// memory. The package does not depend on losses or training.
package datasets
