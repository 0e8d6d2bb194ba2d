package datasets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/datasets/internal/rng"
)

// loadPointsFolder reads points.npy and its companions.
func loadPointsFolder(dir string, o Options) (*Set, error) {
	points := filepath.Join(dir, "points.npy")
	d, err := format.Read(points, "")
	if err != nil {
		return nil, err
	}
	set, err := fromArray(points, "folder", d.Array)
	if err != nil {
		return nil, err
	}
	if err := set.setCompanions(dir); err != nil {
		return nil, err
	}
	if err := set.finish(o, func(i int) *rng.Stream {
		return rng.New(o.Seed, uint64(i), rng.Hash("subset"))
	}); err != nil {
		return nil, err
	}
	set.Name = dir
	return set, nil
}

// setCompanions reads labels.npy, classes.txt and split.npy where present.
func (s *Set) setCompanions(dir string) error {
	labels, classes, parts := filepath.Join(dir, "labels.npy"), filepath.Join(dir, "classes.txt"), filepath.Join(dir, "split.npy")
	values, err := format.ReadLabels(labels)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if s.Classes, err = readClasses(classes); err != nil {
		return err
	}
	if err := s.setLabels(labels, values); err != nil {
		return err
	}
	split, _, err := format.ReadNPYInts(parts)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return s.checkNamed(labels, classes)
	case err != nil:
		return err
	case len(split) != s.Clouds:
		return fmt.Errorf("%s: %d entries for %d clouds", parts, len(split), s.Clouds)
	}
	s.Split = make([]uint8, s.Clouds)
	for i, p := range split {
		if p < 0 || p >= int64(len(partNames)) {
			return fmt.Errorf("%s: entry %d: expected %s, found %d", parts, i, partCodes, p)
		}
		s.Split[i] = uint8(p)
	}
	return s.checkNamed(labels, classes)
}

// checkNamed checks that every label has a class name, if there are names. The error names both
// paths.
func (s *Set) checkNamed(labels, classes string) error {
	for i, l := range s.Labels {
		if s.Classes != nil && int(l) >= len(s.Classes) {
			return fmt.Errorf("%s: label %d of cloud %d: %s names %d classes", labels, l, i, classes, len(s.Classes))
		}
	}
	return nil
}

// readClasses reads one class name per line; a missing file gives nil. Trailing blank lines are
// dropped.
func readClasses(path string) ([]string, error) {
	names, numbers, err := format.ReadLines(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range max(1, len(names)) {
		if i == len(names) || numbers[i] != i+1 {
			return nil, fmt.Errorf("%s:%d: expected a class name, found an empty line", path, i+1)
		}
	}
	return names, nil
}
