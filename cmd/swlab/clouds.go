package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// sampling says which points of clouds are taken.
type sampling struct {
	Key    string `flag:"key" unit:"NAME" help:"array in a .npz or .h5 file (default data)"`
	Points int    `flag:"points" range:"0.." help:"points to sample on a mesh, or seeded subset of a cloud's; 0: as stored"`
}

// pair is two files of clouds, which are compared as they are.
type pair struct {
	X string `flag:"x" arg:"X" need:"x" unit:"FILE|DIR" reads:"clouds" help:"first clouds: a file, a folder, or builtin"`
	Y string `flag:"y" arg:"Y" need:"y" unit:"FILE|DIR" reads:"clouds" help:"second clouds"`
	sampling
}

func (p pair) load(c *common) (x, y *datasets.Set, err error) {
	return c.loadPair(p.sampling, [2]string{"x", "y"}, p.X, p.Y)
}

// loadPair loads two sets of clouds that are not normalised. Those of one file are the same, with
// one subset of their points; others are independent, with their own seeds.
func (c *common) loadPair(s sampling, flags [2]string, x, y string) (a, b *datasets.Set, err error) {
	load := func(i int, path string) (*datasets.Set, error) {
		set, err := datasets.Load(path, datasets.Options{Points: s.Points, Seed: c.Seed + uint64(i), Key: s.Key, Raw: true})
		if err != nil {
			return nil, usageError(fmt.Errorf("--%s: %w", flags[i], err))
		}
		return set, nil
	}
	if a, err = load(0, x); err != nil || sameSource(x, y) {
		return a, a, err
	}
	b, err = load(1, y)
	return a, b, err
}

// exact loads clouds as stored, for a call that computes in float64, and gives their warnings.
func (c *common) exact(path string, s sampling, seed uint64) (*datasets.Set, error) {
	set, err := datasets.Load(path, datasets.Options{Points: s.Points, Seed: seed, Key: s.Key, Raw: true, Exact: true})
	if err != nil {
		return nil, usageError(err)
	}
	c.warnOf(set)
	return set, nil
}

// readDirections reads the directions [L, dim] of --directions; nil without a file.
func readDirections(path string, dim int) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	values, shape, err := format.ReadNPYFloat64(path)
	if err == nil && (len(shape) != 2 || shape[1] != dim) {
		err = fmt.Errorf("expected shape [L, %d], found %v", dim, shape)
	}
	if err != nil {
		err = usageError(fmt.Errorf("--directions: %w", err))
	}
	return values, err
}

// openPart loads normalised clouds with as many points as a run's and takes a part of them; the flags
// name both.
func (c *common) openPart(flag, splitFlag, path, key, split string, points int, seed uint64) (*datasets.Set, error) {
	part, err := c.openWith(flag, splitFlag, path, split, datasets.Options{Points: points, AtMost: true, Seed: seed, Key: key})
	if err != nil {
		return nil, err
	}
	if m := part.Points; m < points {
		return nil, usageError(fmt.Errorf("--%s: expected clouds of at least as many points as the run's, %d, found %d in %s", flag, points, m, path))
	}
	return part, nil
}

// openWith is openPart for any options. It gives the warnings of the clouds.
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
func noTest(all *datasets.Set) error {
	if all.Split != nil {
		return nil
	}
	return usageError(fmt.Errorf("--test is missing: %s has no test part", all.Name))
}

// sameSource reports whether two names of clouds mean the same file or folder, after links. Such
// clouds are loaded once, with one subset or sample of points, so that their distance is 0.
func sameSource(a, b string) bool {
	if a == b {
		return true
	}
	first, err := catalogue.Locate(a)
	if err != nil {
		return false
	}
	second, err := catalogue.Locate(b)
	if err != nil || first == second {
		return err == nil
	}
	one, err := os.Stat(pointsOf(first))
	if err != nil {
		return false
	}
	other, err := os.Stat(pointsOf(second))
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

// bars shows the progress of work of several parts, with one bar per part.
func bars() func(what string, done, total int) {
	var bar func(done, total int, note string)
	last := ""
	return func(what string, done, total int) {
		if bar == nil || what != last {
			bar, last = newBar(what), what
		}
		bar(done, total, "")
	}
}
