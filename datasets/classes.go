package datasets

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// OfClasses returns the clouds of the given classes, in stored order, with their labels, class
// names and parts. A class is given by its name or, if no class has that name, by its label number.
// A class that is unknown or has no clouds is an error that lists the existing ones. If every cloud
// belongs to them the result is s itself.
func (s *Set) OfClasses(classes ...string) (*Set, error) {
	if s.Labels == nil {
		return nil, fmt.Errorf("%s: classes %q were asked for, the set has no labels", s.Name, classes)
	}
	counts := map[int32]int{}
	for _, l := range s.Labels {
		counts[l]++
	}
	wanted, err := classLabels(classes, s.Classes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	for i, l := range wanted {
		if counts[l] == 0 {
			return nil, fmt.Errorf("%s: class %q has no clouds: there are %s", s.Name, classes[i], s.listClasses(counts))
		}
	}
	var rows []int
	for i, l := range s.Labels {
		if slices.Contains(wanted, l) {
			rows = append(rows, i)
		}
	}
	if len(rows) == s.Clouds {
		return s, nil
	}
	return s.Select(rows), nil
}

// classLabels finds the label of each class given by name or number.
func classLabels(classes, names []string) ([]int32, error) {
	labels := make([]int32, len(classes))
	for i, class := range classes {
		l := slices.Index(names, class)
		if l < 0 {
			n, err := strconv.ParseUint(class, 10, 24)
			if l = int(n); err != nil || names != nil && l >= len(names) {
				if names == nil {
					return nil, fmt.Errorf("class %q: expected a label number, as the classes have no names", class)
				}
				return nil, fmt.Errorf("class %q: expected 0 to %d or one of %s", class, len(names)-1, format.Listed(names))
			}
		}
		labels[i] = int32(l)
	}
	return labels, nil
}

// listClasses names the classes that have clouds.
func (s *Set) listClasses(counts map[int32]int) string {
	var names []string
	for _, l := range slices.Sorted(maps.Keys(counts)) {
		name := strconv.Itoa(int(l))
		if l >= 0 && int(l) < len(s.Classes) {
			name = s.Classes[l]
		}
		names = append(names, name)
	}
	return format.Listed(names)
}

// fileClasses returns the class of each file and the names of all classes, sorted. Files outside
// class folders belong to a class named after root. Without class folders both are nil.
func fileClasses(root string, files []cloudFile) (of, names []string, err error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, format.FileError(root, err)
	}
	flat := true
	for _, f := range files {
		class := f.class()
		flat = flat && class == ""
		if class == "" {
			class = filepath.Base(absolute)
		}
		of = append(of, class)
	}
	if flat {
		return nil, nil, nil
	}
	return of, sortedSet(of), nil
}

// filesOf returns the files of the wanted classes, and their classes; without class folders, all.
func filesOf(root string, files []cloudFile, of, names, wanted []string) ([]cloudFile, []string, error) {
	if names == nil || wanted == nil {
		return files, of, nil
	}
	labels, err := classLabels(wanted, names)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", root, err)
	}
	var kept []cloudFile
	var keptOf []string
	for i, f := range files {
		if l, _ := slices.BinarySearch(names, of[i]); slices.Contains(labels, int32(l)) {
			kept, keptOf = append(kept, f), append(keptOf, of[i])
		}
	}
	return kept, keptOf, nil
}

// label gives every cloud the class of its file. Without class folders (of is nil) the labels
// stored in the files are kept if every file has them; if they are names, all of these are the
// classes.
func (s *Set) label(of []string, sets []*Set) error {
	var all format.Labels
	for i, part := range sets {
		if of != nil {
			all.Names = append(all.Names, slices.Repeat(of[i:i+1], part.Clouds)...)
			continue
		}
		if part.Labels == nil {
			return nil
		}
		for _, l := range part.Labels {
			if part.Classes != nil {
				all.Names = append(all.Names, part.Classes[l])
			} else {
				all.Numbers = append(all.Numbers, int64(l))
			}
		}
	}
	if all.Numbers != nil && all.Names != nil {
		return fmt.Errorf("%s: expected class labels of one kind, found names of %d clouds and numbers of the others", s.Name,
			len(all.Names))
	}
	return s.setLabels(s.Name, all)
}
