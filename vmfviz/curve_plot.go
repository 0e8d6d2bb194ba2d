package vmfviz

// dashes tell curves apart without colour.
var dashes = [][]float64{nil, {7, 4}, {2, 3}, {9, 3, 2, 3}, {13, 4}, {4, 2}}
