package datasets

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// cloudFile is a file of clouds found in a folder.
type cloudFile struct {
	path   string // to open
	parts  []string
	isMesh bool
	listed *uint8 // the part that a list of the folder gives it
}

// name is the file's path below the folder, with slashes on every system, since seeds depend on it.
func (f cloudFile) name() string { return strings.Join(f.parts, "/") }

func (f cloudFile) mesh() bool { return f.isMesh }

func (f cloudFile) noMesh() bool { return !f.isMesh }

// class is the first folder that is not train, test or val; "" for a file without one.
func (f cloudFile) class() string {
	for _, folder := range f.parts[:len(f.parts)-1] {
		if _, ok := partOf(folder); !ok {
			return folder
		}
	}
	return ""
}

// part is given by a list, or by a folder called train, test or val.
func (f cloudFile) part() (uint8, bool) {
	if f.listed != nil {
		return *f.listed, true
	}
	for _, folder := range f.parts[:len(f.parts)-1] {
		if p, ok := partOf(folder); ok {
			return p, true
		}
	}
	return 0, false
}

func partOf(folder string) (uint8, bool) {
	i := slices.Index(partNames, strings.ToLower(folder))
	return uint8(max(i, 0)), i >= 0
}

// loadTree reads all cloud and mesh files below a folder, in the order of their names.
func loadTree(root string, o Options) (*Set, error) {
	files, err := findClouds(root)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no clouds in this folder: expected %s files, or points.npy", root,
			strings.Join(format.FolderTypes(), ", "))
	}
	return loadFiles(root, files, o, nil)
}

// loadFiles reads the files of a folder into one set. progress, if not nil, is called after each.
func loadFiles(root string, files []cloudFile, o Options, progress func(done, total int)) (*Set, error) {
	of, classes, err := fileClasses(root, files)
	if err != nil {
		return nil, err
	}
	if files, of, err = filesOf(root, files, of, classes, o.Classes); err != nil {
		return nil, err
	}
	asked := o.Points > 0
	if slices.ContainsFunc(files, cloudFile.mesh) && !asked {
		o.Points, o.AtMost = meshPoints, true
	}
	sets, err := readAll(files, o, progress)
	if err != nil {
		return nil, err
	}
	set, err := joinSets(root, files, sets)
	if err != nil {
		return nil, err
	}
	if asked {
		set.Fewest = ""
	}
	if !slices.ContainsFunc(files, cloudFile.noMesh) {
		set.Kind = "meshes"
	}
	set.Classes = classes
	if err := set.label(of, sets); err != nil {
		return nil, err
	}
	return set, set.assignParts(root, files, sets)
}

// readAll reads files in parallel. If they have unequal numbers of points and none is asked for, or at
// most so many, all get as many as the smallest. The result does not depend on the timing, nor does
// the error if several fail.
func readAll(files []cloudFile, o Options, progress func(done, total int)) ([]*Set, error) {
	sets, errs := make([]*Set, len(files)), make([]error, len(files))
	var group sync.WaitGroup
	slots := make(chan struct{}, min(runtime.GOMAXPROCS(0), 8))
	done, counting := 0, sync.Mutex{}
	for i, f := range files {
		slots <- struct{}{}
		group.Go(func() {
			sets[i], errs[i] = readClouds(f.path, f.name(), o)
			if progress != nil && errs[i] == nil {
				counting.Lock()
				done++
				progress(done, len(files))
				counting.Unlock()
			}
			<-slots
		})
	}
	group.Wait()
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	unequal := slices.ContainsFunc(sets, func(s *Set) bool { return s.Points != sets[0].Points })
	if !unequal || o.Points > 0 && !o.AtMost {
		return sets, nil
	}
	smallest := slices.MinFunc(sets, func(a, b *Set) int { return cmp.Compare(a.Points, b.Points) })
	fewest, most := slices.Index(sets, smallest), cmp.Or(o.Points, meshPoints)
	o.Points, o.AtMost = min(smallest.Points, most), false
	sets, err := readAll(files, o, nil)
	if err == nil && o.Points < most {
		sets[fewest].Fewest = files[fewest].path
	}
	return sets, err
}

// joinSets puts the clouds of all files into one set.
func joinSets(root string, files []cloudFile, sets []*Set) (*Set, error) {
	out := &Set{Name: root, Kind: "folder", Points: sets[0].Points, Dim: sets[0].Dim}
	total := 0
	for i, s := range sets {
		if s.Dim != out.Dim {
			return nil, fmt.Errorf("%s: points with %d coordinates, but %s has %d: a set needs one dimension", files[i].path,
				s.Dim, files[0].path, out.Dim)
		}
		out.Clouds += s.Clouds
		total += len(s.Coords)
	}
	out.Coords = make([]float32, 0, total)
	var flat []int32
	meshes := false
	if slices.ContainsFunc(sets, func(s *Set) bool { return s.Origins != nil }) {
		out.Origins = make([]float64, 0, out.Clouds*out.Dim)
	}
	rests := slices.ContainsFunc(sets, func(s *Set) bool { return s.Rest != nil })
	for _, s := range sets {
		if rests {
			out.Rest = append(out.Rest, s.Rest...)
			out.Rest = append(out.Rest, make([]float32, len(s.Coords)-len(s.Rest))...)
		}
		if out.Origins != nil {
			out.Origins = append(out.Origins, s.Origins...)
			out.Origins = append(out.Origins, make([]float64, s.Clouds*s.Dim-len(s.Origins))...)
		}
		out.Rounding, out.Fewest = max(out.Rounding, s.Rounding), cmp.Or(out.Fewest, s.Fewest)
		out.Coords, out.Frames = append(out.Coords, s.Coords...), append(out.Frames, s.Frames...)
		s.Coords = nil
		flat = append(flat, s.DegenerateFaces...)
		flat = append(flat, make([]int32, s.Clouds-len(s.DegenerateFaces))...)
		meshes = meshes || s.DegenerateFaces != nil
	}
	if meshes {
		out.DegenerateFaces = flat
	}
	return out, nil
}

// assignParts takes the parts from the folder names; either every file lies in such a folder or
// none does.
func (s *Set) assignParts(root string, files []cloudFile, sets []*Set) error {
	inside, outside := "", ""
	for i, f := range files {
		p, ok := f.part()
		if ok {
			inside = f.path
		} else {
			outside = f.path
		}
		for range sets[i].Clouds {
			s.Split = append(s.Split, p)
		}
	}
	switch {
	case inside == "":
		s.Split = nil
	case outside != "":
		return fmt.Errorf("%s: %s lies in a train, test or val folder, %s does not: expected all files or none to", root,
			inside, outside)
	}
	return nil
}

// findClouds lists the cloud and mesh files below root, sorted by name. Links are followed; hidden
// files and folders are ignored. In a sub-folder with points.npy only that file counts: the other
// arrays there describe it. In one laid out like ModelNet40 the folders below, which hold copies,
// do not count.
func findClouds(root string) ([]cloudFile, error) {
	var files []cloudFile
	// Real paths of the folders being walked, to detect cyclic links.
	open := map[string]bool{}
	var walk func(dir string, parts []string) error
	walk = func(dir string, parts []string) error {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return format.FileError(dir, err)
		}
		if open[real] {
			return nil
		}
		open[real] = true
		defer delete(open, real)
		entries, err := os.ReadDir(dir)
		if err != nil {
			return format.FileError(dir, err)
		}
		bundled := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "points.npy" })
		copies := isModelNet(dir)
		for _, e := range entries {
			name, path := e.Name(), filepath.Join(dir, e.Name())
			if strings.HasPrefix(name, ".") || name == "__MACOSX" {
				continue
			}
			isMesh := format.IsMesh(name)
			isArray := !isMesh && slices.Contains(format.FolderTypes(), strings.ToLower(filepath.Ext(name)))
			here := append(slices.Clip(parts), name)
			info, err := os.Stat(path)
			if err != nil {
				if !isMesh && !isArray {
					continue // a broken link to something that is not a cloud file
				}
				return format.FileError(path, err)
			}
			switch {
			case info.IsDir() && copies:
			case info.IsDir():
				if err := walk(path, here); err != nil {
					return err
				}
			case !isMesh && !isArray, bundled && name != "points.npy":
			case !info.Mode().IsRegular():
				return fmt.Errorf("%s: expected a file, found %s", path, durable.Kind(info.Mode()))
			default:
				files = append(files, cloudFile{path: path, parts: here, isMesh: isMesh})
			}
		}
		return nil
	}
	if err := walk(root, nil); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b cloudFile) int { return slices.Compare(a.parts, b.parts) })
	return files, nil
}
