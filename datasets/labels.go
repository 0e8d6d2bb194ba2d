package datasets

import (
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// setLabels stores one label per cloud. Names get the numbers of s.Classes or, without classes, become
// them, sorted. An empty array leaves the set without labels.
func (s *Set) setLabels(path string, labels format.Labels) error {
	count := max(len(labels.Numbers), len(labels.Names))
	if count == 0 {
		return nil
	}
	if count != s.Clouds {
		return fmt.Errorf("%s: %d labels for %d clouds", path, count, s.Clouds)
	}
	if labels.Names != nil {
		if s.Classes == nil {
			s.Classes = sortedSet(labels.Names)
		}
		number := map[string]int64{}
		for i, name := range s.Classes {
			number[name] = int64(i)
		}
		for i, name := range labels.Names {
			l, ok := number[name]
			if !ok {
				return fmt.Errorf("%s: label %q of cloud %d: expected one of %s", path, name, i, format.Listed(s.Classes))
			}
			labels.Numbers = append(labels.Numbers, l)
		}
	}
	s.Labels = make([]int32, s.Clouds)
	for i, l := range labels.Numbers {
		if l < 0 || l >= 1<<24 {
			return fmt.Errorf("%s: label %d of cloud %d: expected 0 to %d", path, l, i, 1<<24-1)
		}
		s.Labels[i] = int32(l)
	}
	return nil
}

// sortedSet returns the different names, sorted.
func sortedSet(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
