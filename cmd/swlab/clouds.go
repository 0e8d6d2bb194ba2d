package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// openPart loads normalised clouds with as many points as a run's and takes a part of them.
func (c *common) openPart(path, key, split string, points int, seed uint64) (*datasets.Set, error) {
	return c.openPartOf("data", "split", path, key, split, points, seed)
}

// openPartOf is openPart for clouds and part of other flags.
func (c *common) openPartOf(flag, splitFlag, path, key, split string, points int, seed uint64) (*datasets.Set, error) {
	part, err := c.openWith(flag, splitFlag, path, split, datasets.Options{Points: points, AtMost: true, Seed: seed, Key: key})
	if err != nil {
		return nil, err
	}
	if m := part.Points; m < points {
		return nil, usageError(fmt.Errorf("--%s: expected clouds of at least as many points as the run's, %d, found %d in %s", flag, points, m, path))
	}
	return part, nil
}

// openWith is openPartOf for any options. It gives the warnings of the clouds.
func (c *common) openWith(flag, splitFlag, path, split string, o datasets.Options) (*datasets.Set, error) {
	set, err := datasets.Load(path, o)
	if err != nil {
		return nil, usageError(fmt.Errorf("--%s: %w", flag, err))
	}
	c.warnOf(set)
	part, err := set.Part(split)
	if err != nil {
		return nil, usageError(fmt.Errorf("--%s: %w", splitFlag, err))
	}
	return part, nil
}

// trainPart returns the train part of the clouds of --data, which must suffice for a training.
func trainPart(all *datasets.Set) (*datasets.Set, error) {
	set, err := all.Part("train")
	if err == nil {
		c := train.DefaultConfig()
		c.Points, c.Batch = all.Points, 2 // the least
		err = c.Check(set)
	}
	if err != nil {
		return nil, usageError(fmt.Errorf("--data: %w", err))
	}
	return set, nil
}

// noTest is the error of a call without --test, if the clouds of --data have no test part.
func noTest(h *datasets.Set) error {
	if h.Split != nil {
		return nil
	}
	return usageError(fmt.Errorf("--test is missing: %s has no test part", h.Name))
}

// sameSource reports whether two names of clouds mean the same file or folder, after links. Such
// clouds are loaded once, with one subset or sample of points, so that their distance is 0. Those
// of different files are independent, with their own seeds.
func sameSource(a, b string) bool {
	if a == b {
		return true
	}
	first, err := datasets.Locate(a)
	if err != nil {
		return false
	}
	second, err := datasets.Locate(b)
	if err != nil || first == second {
		return err == nil
	}
	first, second = pointsOf(first), pointsOf(second)
	one, err := os.Stat(first)
	if err != nil {
		return false
	}
	other, err := os.Stat(second)
	return err == nil && os.SameFile(one, other)
}

// pointsOf returns the array of a folder that keeps its clouds in one, and any other path
// unchanged.
func pointsOf(path string) string {
	inside := filepath.Join(path, "points.npy")
	if _, err := os.Stat(inside); err == nil {
		return inside
	}
	return path
}

// passes shows the progress of work of several parts, with one bar per part.
func passes() func(what string, done, total int) {
	var bar func(done, total int, note string)
	last := ""
	return func(what string, done, total int) {
		if bar == nil || what != last {
			bar, last = newBar(what), what
		}
		bar(done, total, "")
	}
}
