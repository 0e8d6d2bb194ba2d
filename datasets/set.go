package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// Set is a set of point clouds in memory, all with the same number of points.
//
// Methods trust the fields, as those of a slice trust its length: a row that is not there, or fields
// of other lengths than the shape says, are a panic. [Set.Validate] finds the latter.
type Set struct {
	Name string // "builtin", the path given to Load, or "memory" (New)
	// Kind is "builtin", "npy", "npz", "h5", "torch", "mesh", "points" (one cloud, or a mesh file
	// without faces), "meshes", "modelnet", "folder" or "memory".
	Kind string
	// Coords are the coordinates, row-major [Clouds, Points, Dim], relative to Origins.
	Coords              []float32
	Clouds, Points, Dim int      // clouds, points per cloud, coordinates per point
	Labels              []int32  // [Clouds] class of each cloud, or nil if unknown
	Classes             []string // class names by label, or nil
	// Origins [Clouds, Dim] are the origins of clouds that are so far from 0 that float32 would not
	// tell their points apart; nil: all 0. A point is at Origins + Coords ([Set.Positions]).
	Origins []float64
	// Rest [Clouds, Points, Dim] is what float32 leaves of coordinates that were given as float64, for
	// Positions; nil: nothing, or not kept (Options.Exact).
	Rest []float32
	// Rounding is the largest rounding of a coordinate to float32, as a fraction of its cloud's extent
	// (that of the middle half of its points); 0 if float32 holds what was read.
	Rounding float64
	// Fewest is the file of a folder with the fewest points, if all clouds were cut to its number because
	// none was asked for; else "".
	Fewest    string
	Split     []uint8 // [Clouds] TrainPart, TestPart or ValPart, or nil if unknown
	SplitDraw *Draw   // how Split was drawn, or nil if it came with the data
	// [Clouds] position of each cloud before normalisation, or nil for clouds as stored
	Frames []Frame
	// [Clouds] faces without area in each cloud's mesh file, left out of sampling; nil without
	// meshes
	DegenerateFaces []int32
}

// Cloud returns cloud i as a view of its Points*Dim coordinates, row-major [Points, Dim], relative to
// its origin. Writing to it changes the set.
func (s *Set) Cloud(i int) []float32 {
	size := s.Points * s.Dim
	return s.Coords[i*size : (i+1)*size : (i+1)*size]
}

// Read copies the clouds at rows, in that order and where they are, rounded to float32, to dst,
// row-major [len(rows), Points, Dim]. A row may appear more than once.
func (s *Set) Read(dst []float32, rows []int32) error {
	size := s.Points * s.Dim
	if len(dst) != len(rows)*size {
		return fmt.Errorf("%s: %d clouds have %d coordinates, found room for %d", s.Name, len(rows), len(rows)*size, len(dst))
	}
	for i, row := range rows {
		if row < 0 || int(row) >= s.Clouds {
			return fmt.Errorf("%s: expected a cloud from 0 to %d, found %d", s.Name, s.Clouds-1, row)
		}
		to, origin := dst[i*size:(i+1)*size], s.Origin(int(row))
		copy(to, s.Cloud(int(row)))
		for j := range origin {
			for k := j; k < size; k += s.Dim {
				to[k] = float32(origin[j] + float64(to[k]))
			}
		}
	}
	return nil
}

// Digest is the SHA-256 of all coordinates as little-endian float32 in the order of the clouds and,
// with Origins, of these as float64, in hexadecimal. It is the same for the same clouds wherever they
// were read from.
func (s *Set) Digest() string {
	h := sha256.New()
	for coords := range slices.Chunk(s.Coords, 1<<14) {
		_ = binary.Write(h, binary.LittleEndian, coords) // writing to a hash never fails
	}
	_ = binary.Write(h, binary.LittleEndian, s.Origins)
	return hex.EncodeToString(h.Sum(nil))
}

// Select returns a copy of the clouds at rows, in that order, with their labels, parts and counts.
// A row may appear more than once.
func (s *Set) Select(rows []int) *Set {
	out := *s
	out.Clouds, out.Coords = len(rows), make([]float32, 0, len(rows)*s.Points*s.Dim)
	for _, r := range rows {
		out.Coords = append(out.Coords, s.Cloud(r)...)
	}
	if s.Origins != nil {
		out.Origins = make([]float64, 0, len(rows)*s.Dim)
		for _, r := range rows {
			out.Origins = append(out.Origins, s.Origin(r)...)
		}
	}
	if s.Rest != nil {
		out.Rest = make([]float32, 0, len(out.Coords))
		for _, r := range rows {
			out.Rest = append(out.Rest, s.rest(r)...)
		}
	}
	out.Labels, out.Split, out.Frames, out.DegenerateFaces = at(s.Labels, rows), at(s.Split, rows), at(s.Frames, rows),
		at(s.DegenerateFaces, rows)
	return &out
}

// at returns the entries of v at rows; nil stays nil.
func at[T any](v []T, rows []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = v[r]
	}
	return out
}

// Validate checks that the fields are consistent and that every coordinate is finite. Errors name
// the set, the field or the cloud, what was expected and what was found.
func (s *Set) Validate() error {
	if s.Clouds < 1 || s.Points < 1 || s.Dim < 1 {
		return fmt.Errorf("%s: shape [%d %d %d]: expected at least one cloud, one point and one coordinate", s.Name,
			s.Clouds, s.Points, s.Dim)
	}
	if want, ok := format.Product(s.Clouds, s.Points, s.Dim); !ok || want != len(s.Coords) {
		return fmt.Errorf("%s: shape [%d %d %d] needs N*M*D coordinates, found %d", s.Name, s.Clouds, s.Points, s.Dim,
			len(s.Coords))
	}
	if s.Origins != nil && len(s.Origins) != s.Clouds*s.Dim {
		return fmt.Errorf("%s: %d coordinates of origins for %d clouds of dimension %d", s.Name, len(s.Origins), s.Clouds,
			s.Dim)
	}
	if s.Rest != nil && len(s.Rest) != len(s.Coords) {
		return fmt.Errorf("%s: %d coordinates and what float32 leaves of %d", s.Name, len(s.Coords), len(s.Rest))
	}
	if s.Labels != nil && len(s.Labels) != s.Clouds {
		return fmt.Errorf("%s: %d labels for %d clouds", s.Name, len(s.Labels), s.Clouds)
	}
	if s.Split != nil && len(s.Split) != s.Clouds {
		return fmt.Errorf("%s: %d split entries for %d clouds", s.Name, len(s.Split), s.Clouds)
	}
	if s.DegenerateFaces != nil && len(s.DegenerateFaces) != s.Clouds {
		return fmt.Errorf("%s: %d counts of faces without area for %d clouds", s.Name, len(s.DegenerateFaces), s.Clouds)
	}
	if s.Frames != nil && len(s.Frames) != s.Clouds {
		return fmt.Errorf("%s: %d frames for %d clouds", s.Name, len(s.Frames), s.Clouds)
	}
	for i, l := range s.Labels {
		if l < 0 {
			return fmt.Errorf("%s: label %d of cloud %d is negative", s.Name, l, i)
		}
		if s.Classes != nil && int(l) >= len(s.Classes) {
			return fmt.Errorf("%s: label %d of cloud %d has no class name: %d classes are named", s.Name, l, i, len(s.Classes))
		}
	}
	for i, p := range s.Split {
		if int(p) >= len(partNames) {
			return fmt.Errorf("%s: split entry %d of cloud %d: expected %s", s.Name, p, i, partCodes)
		}
	}
	if err := checkFinite(s.Origins, s.Dim); err != nil {
		return fmt.Errorf("%s: origins: %w", s.Name, err)
	}
	for i := range s.Clouds {
		if err := checkFinite(s.Cloud(i), s.Dim); err != nil {
			return fmt.Errorf("%s: cloud %d: %w", s.Name, i, err)
		}
	}
	return nil
}

// float is a type of coordinates.
type float interface{ float32 | float64 }

// checkFinite reports the first coordinate of a cloud [points, d] that is NaN or infinite.
func checkFinite[T float](cloud []T, d int) error {
	for j, v := range cloud {
		if v-v != 0 { // NaN for all but finite numbers
			found := "NaN"
			if v == v { // a float64 that float32 cannot hold is infinite here, too
				found = "an infinite one, or one larger than 3.4e38, the largest of float32"
			}
			return fmt.Errorf("point %d, coordinate %d: expected a finite number, found %s", j/d, j%d, found)
		}
	}
	return nil
}

// identity returns 0, 1, ..., n-1; empty where n < 1.
func identity(n int) []int32 {
	v := make([]int32, max(0, n))
	for i := range v {
		v[i] = int32(i)
	}
	return v
}

// WriteNPY writes the clouds as a NumPy .npy file [Clouds, Points, Dim], as [format.WriteNPY] does: float32, or
// float64 if the set has Origins, so that no digit is lost.
func (s *Set) WriteNPY(path string) error {
	if s.Origins == nil {
		return format.WriteNPY(path, s.Coords, s.Clouds, s.Points, s.Dim)
	}
	wide := make([]float64, 0, len(s.Coords))
	for i := range s.Clouds {
		wide = append(wide, s.Positions(i)...)
	}
	return format.WriteNPYFloat64(path, wide, s.Clouds, s.Points, s.Dim)
}
