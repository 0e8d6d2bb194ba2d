package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// modelNetLists name the HDF5 files of each part.
var modelNetLists = map[uint8]string{TrainPart: "train_files.txt", TestPart: "test_files.txt"}

// isModelNet reports whether a folder is laid out like PointNet's ModelNet40: both lists, and at
// least one of the files they name.
func isModelNet(dir string) bool {
	found := false
	for _, list := range modelNetLists {
		files, _, err := format.ReadLines(filepath.Join(dir, list))
		if err != nil {
			return false
		}
		for _, line := range files {
			info, err := os.Stat(filepath.Join(dir, baseName(line)))
			found = found || err == nil && info.Mode().IsRegular()
		}
	}
	return found
}

// baseName is the part of a path after the last slash of either kind.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// loadModelNet reads the layout of PointNet's ModelNet40 (modelnet40_ply_hdf5_2048): HDF5 files
// with data [n, 2048, 3] and label [n, 1], the lists train_files.txt and test_files.txt, and
// shape_names.txt with a class name per line. The lists hold paths of the download, of which only
// the file name counts. As in the paper, all files of the folder itself are read, in the order of
// their names (test0, test1, train0, ..., train4: 12,308 clouds). Copies in sub-folders are not. A
// file in neither list, in both, or listed and missing is an error.
func loadModelNet(dir string, o Options) (*Set, error) {
	files, err := modelNetFiles(dir)
	if err != nil {
		return nil, err
	}
	set, err := loadFiles(dir, files, o, nil)
	if err != nil {
		return nil, err
	}
	set.Kind = "modelnet"
	classes := filepath.Join(dir, "shape_names.txt")
	if set.Classes, err = readClasses(classes); err != nil {
		return nil, err
	}
	return set, set.checkNamed(dir, classes)
}

// modelNetFiles lists the HDF5 files of that layout with their parts.
func modelNetFiles(dir string) (files []cloudFile, err error) {
	if files, err = findClouds(dir); err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f cloudFile) bool {
		return !slices.Contains([]string{".h5", ".hdf5"}, strings.ToLower(filepath.Ext(f.path)))
	})
	parts := map[string]uint8{}
	for _, part := range []uint8{TrainPart, TestPart} {
		list := filepath.Join(dir, modelNetLists[part])
		listedFiles, _, err := format.ReadLines(list)
		if err != nil {
			return nil, err
		}
		for _, line := range listedFiles {
			name := baseName(line)
			if !slices.ContainsFunc(files, func(f cloudFile) bool { return f.name() == name }) {
				return nil, fmt.Errorf("%s: lists %q: no file %s in the folder", list, line, name)
			}
			if old, ok := parts[name]; ok && old != part {
				return nil, fmt.Errorf("%s: lists %s, which %s lists too", list, name, modelNetLists[old])
			}
			parts[name] = part
		}
	}
	for i, f := range files {
		part, ok := parts[f.name()]
		if !ok {
			return nil, fmt.Errorf("%s: expected in train_files.txt or test_files.txt, found in neither", f.path)
		}
		files[i].listed = &part
	}
	return files, nil
}
