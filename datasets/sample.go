package datasets

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

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
// that it has an origin ([Set.Origins]). out is F.npy, or a new or empty folder that gets points.npy
// and, if the folders name classes and parts, labels.npy, classes.txt and split.npy. The write is
// atomic. progress, if not nil, is called after every mesh. For in = builtin the procedural shapes are
// written, with any number of points.
func SampleMeshes(in, out string, o Options, progress func(done, total int)) (*Sampling, error) {
	if o.Points == 0 {
		o.Points = meshPoints
	}
	if o.Points < 0 {
		return nil, fmt.Errorf("points: expected at least 1, found %d", o.Points)
	}
	result := &Sampling{}
	sampled := func() (set *Set, err error) {
		if in == Builtin {
			set, err = Shapes{Points: o.Points, Raw: o.Raw}.Generate()
		} else {
			set, err = meshesOf(in, o, progress)
		}
		if err != nil {
			return nil, err
		}
		result.Clouds, result.Points, result.Classes = set.Clouds, set.Points, set.Classes
		for _, p := range set.Split {
			result.Parts[p]++
		}
		return set, nil
	}
	if IsArray(out) {
		set, err := sampled()
		if err != nil {
			return nil, err
		}
		return result, set.WriteNPY(out)
	}
	return result, newFolder(out, func(dir string) error {
		set, err := sampled()
		if err != nil {
			return err
		}
		if err := set.writeCompanions(dir); err != nil {
			return err
		}
		return set.WriteNPY(filepath.Join(dir, "points.npy"))
	})
}

// meshesOf loads the meshes at path.
func meshesOf(path string, o Options, progress func(done, total int)) (*Set, error) {
	path, err := catalogue.Locate(path)
	if err != nil {
		return nil, err
	}
	files, err := findMeshes(path)
	if err != nil {
		return nil, err
	}
	return loadFiles(path, files, o, progress)
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
	files, err := findClouds(path)
	if err != nil {
		return nil, err
	}
	if files = slices.DeleteFunc(files, cloudFile.noMesh); len(files) == 0 {
		return nil, fmt.Errorf("%s: no meshes in this folder: expected .off, .obj, .ply or .stl files", path)
	}
	return files, nil
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
