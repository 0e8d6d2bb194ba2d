package datasets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// sampleChunk is the number of meshes held in memory at once by SampleMeshes.
const sampleChunk = 64

// Sampling says what [SampleMeshes] wrote.
type Sampling struct {
	Clouds, Points int
	Classes        []string // nil if the folders name none
	// Parts counts the clouds of TrainPart, TestPart and ValPart; all 0 if the folders name no
	// parts.
	Parts [3]int
}

// SampleMeshes samples every mesh below in (or the single mesh in) uniformly by area and writes
// clouds [B, Points, 3] in the order of the file names, normalised unless o.Raw. They are exactly
// those of [Load] with the same path and options, as float32, or as float64 if a mesh is so far from 0
// that it has an origin ([Set.Origins]), but only some are in memory at a time. out is
// F.npy, or a new or empty folder that gets points.npy and, if the folders name classes and parts,
// labels.npy, classes.txt and split.npy. The write is atomic. progress, if not nil, is called after
// every few meshes. For in = builtin the procedural shapes are written, with any number of points.
func SampleMeshes(in, out string, o Options, progress func(done, total int)) (*Sampling, error) {
	if o.Points == 0 {
		o.Points = meshPoints
	}
	if o.Points < 0 {
		return nil, fmt.Errorf("points: expected at least 1, found %d", o.Points)
	}
	if in == Builtin {
		return sampleBuiltin(out, o)
	}
	in, err := catalogue.Locate(in)
	if err != nil {
		return nil, err
	}
	files, err := findMeshes(in)
	if err != nil {
		return nil, err
	}
	if _, ok := format.Product(len(files), o.Points, 3*4); !ok {
		return nil, fmt.Errorf("points: %d samples of %d meshes are more than a file can hold", o.Points, len(files))
	}
	size := 3 * o.Points
	descr := "<f4"
	points := func(w io.Writer) error {
		for done := 0; done < len(files); {
			chunk := files[done:min(done+sampleChunk, len(files))]
			sets, err := readAll(chunk, o)
			if err != nil {
				return err
			}
			for _, s := range sets {
				if descr == "<f8" {
					if err := s.writePositions(w); err != nil {
						return err
					}
					continue
				}
				if s.Origins != nil {
					return errFar
				}
				if err := format.WriteWords(w, len(s.Coords), func(i int) uint32 { return math.Float32bits(s.Coords[i]) }); err != nil {
					return err
				}
			}
			done += len(chunk)
			if progress != nil {
				progress(done, len(files))
			}
		}
		return nil
	}
	writePoints := func(path string) error {
		err := format.WriteNPYBody(path, descr, len(files)*size, []int{len(files), o.Points, 3}, points)
		if errors.Is(err, errFar) { // begin again
			descr = "<f8"
			err = format.WriteNPYBody(path, descr, len(files)*size, []int{len(files), o.Points, 3}, points)
		}
		return err
	}
	result := &Sampling{Clouds: len(files), Points: o.Points}
	if IsArray(out) {
		return result, writePoints(out)
	}
	named := &Set{}
	ones := make([]*Set, len(files))
	for i := range ones {
		ones[i] = &Set{Clouds: 1}
	}
	if err := named.nameClasses(in, files, ones); err != nil {
		return nil, err
	}
	if err := named.assignParts(in, files, ones); err != nil {
		return nil, err
	}
	result.describe(named)
	return result, newFolder(out, func(dir string) error {
		if err := named.writeCompanions(dir); err != nil {
			return err
		}
		return writePoints(filepath.Join(dir, "points.npy"))
	})
}

// errFar says that float32 does not hold a mesh where it is.
var errFar = errors.New("a mesh is too far from 0 for float32")

// sampleBuiltin writes the procedural shapes, with any number of points.
func sampleBuiltin(out string, o Options) (*Sampling, error) {
	set, err := Shapes{Points: o.Points, Raw: o.Raw}.Generate()
	if err != nil {
		return nil, err
	}
	result := &Sampling{Clouds: set.Clouds, Points: set.Points}
	result.describe(set)
	write := func(path string) error { return format.WriteNPY(path, set.Coords, set.Clouds, set.Points, set.Dim) }
	if IsArray(out) {
		return result, write(out)
	}
	return result, newFolder(out, func(dir string) error {
		if err := set.writeCompanions(dir); err != nil {
			return err
		}
		return write(filepath.Join(dir, "points.npy"))
	})
}

// describe takes class names and the sizes of the parts from a set.
func (s *Sampling) describe(set *Set) {
	s.Classes = set.Classes
	for _, p := range set.Split {
		s.Parts[p]++
	}
}

// IsArray reports whether SampleMeshes takes out as the name of a file: F.npy.
func IsArray(out string) bool { return strings.EqualFold(filepath.Ext(out), ".npy") }

// findMeshes lists the meshes at path. Other files below a folder are ignored.
func findMeshes(path string) ([]cloudFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, format.FileError(path, err)
	}
	if !info.IsDir() {
		if !format.IsMesh(path) {
			return nil, fmt.Errorf("%s: expected a mesh (.off, .obj, .ply, .stl) or a folder of them", path)
		}
		return []cloudFile{{path: path, parts: []string{filepath.Base(path)}, isMesh: true}}, nil
	}
	all, err := findClouds(path)
	if err != nil {
		return nil, err
	}
	var meshes []cloudFile
	for _, f := range all {
		if f.isMesh {
			meshes = append(meshes, f)
		}
	}
	if len(meshes) == 0 {
		return nil, fmt.Errorf("%s: no meshes in this folder: expected .off, .obj, .ply or .stl files", path)
	}
	return meshes, nil
}

// writeCompanions writes those of labels.npy, classes.txt and split.npy that are known.
func (s *Set) writeCompanions(dir string) error {
	if s.Labels != nil {
		if err := format.WriteNPYInts(filepath.Join(dir, "labels.npy"), s.Labels, len(s.Labels)); err != nil {
			return err
		}
		err := durable.Write(filepath.Join(dir, "classes.txt"), func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(s.Classes, "\n")+"\n")
			return err
		})
		if err != nil {
			return err
		}
	}
	if s.Split != nil {
		parts := make([]int32, len(s.Split))
		for i, p := range s.Split {
			parts[i] = int32(p)
		}
		return format.WriteNPYInts(filepath.Join(dir, "split.npy"), parts, len(parts))
	}
	return nil
}

// newFolder lets fill write a folder, whole or not at all. Its name must be free or that of an empty
// folder. A symbolic link to an empty folder stays.
func newFolder(out string, fill func(dir string) error) error {
	if real, err := filepath.EvalSymlinks(out); err == nil {
		out = real
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s: the folder is not empty: expected a new one", out)
	} else if err != nil && !os.IsNotExist(err) {
		return format.FileError(out, err)
	}
	parent := filepath.Dir(filepath.Clean(out))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return format.FileError(parent, err)
	}
	return durable.WriteDir(filepath.Clean(out), fill)
}
