// Package vmfviz draws the pictures that explain sliced Wasserstein distances:
//
//   - the sphere of directions: samples, locations, ascent paths, functions as
//     heat maps and contours, in space ([Sphere]), as an equal-area map
//     ([SphereMap]), as a view that turns in a notebook with a slider of the
//     concentration κ ([SphereHTML], [VMF]);
//   - point clouds side by side ([Clouds], [Gallery]), with the error of each point
//     as its colour ([CloudRow]);
//   - one slice: projection, matching, quantile functions and the average over
//     many slices ([Slice]), a view in which the reader turns the direction ([SliceHTML]);
//   - all slices of a circle of directions ([Sinogram]), and a matrix such as the
//     distances of many clouds ([Matrix]);
//   - numbers: curves of a training run ([Curves]), estimates with their standard
//     errors ([Dots]), differences from a reference ([Differences]).
//
// The package works on plain Go values and knows nothing of training. A cloud of M points is a
// []float32 of length 3·M, row by row: x₁ y₁ z₁ x₂ y₂ z₂ ...
//
// Every function returns a [*Picture], a grid of plots of gonum/plot: set their titles and limits,
// add plotters, and write it as PNG (two pixels for one, so that it stays crisp), SVG or PDF. The
// bytes depend on the arguments only: two runs of one binary give equal files.
//
// What is spherical or in space is projected to the plane of its plot, whose axes are hidden: for
// [Sphere] and [SphereMap] its unit is the radius of the sphere, for clouds their own.
//
// A picture is a white card with its own margin, rounded corners and a thin grey rim. What is
// outside the card is transparent, so that it reads the same on a white page and on a dark one.
//
// Colours are those of Okabe and Ito ("Color universal design", 2008), which remain apart for
// colour-blind readers. A colour has a meaning throughout the package, see [Role]: blue is the
// input or target, vermilion is what a model or a flow made of it, purple is a direction. Marks and
// curves that differ in colour differ in shape, dashes or lightness too, so that pictures can be
// read in grey.
//
// Bad arguments give an error that names the argument, what was expected and what was found.
package vmfviz
