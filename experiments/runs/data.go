package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Data names the clouds that a task works on. [Store.Data] makes it and identifies the content:
// tasks on the same clouds are the same task, wherever the file is.
type Data struct {
	Path string `json:"-"` // as given
	// Content is the version of the built-in shapes, or a digest of all clouds, their classes and
	// parts.
	Content string   `json:"data"`
	Key     string   `json:"-"` // array in a .npz or .h5 file
	Split   string   `json:"split"`
	Points  int      `json:"points"`
	Classes []string `json:"classes,omitempty"` // only these
	// Train is the number of built-in shapes per class in the train part; with Test 0: the default
	// set.
	Train int `json:"train,omitempty"`
	Test  int `json:"test,omitempty"` // and in the test part
	// Val is the share of the train clouds used as val part, for sets without one. A set without
	// parts has train clouds only.
	Val float64 `json:"val,omitempty"`
}

// pointSeed is the seed by which every run chooses points where fewer are wanted than there are.
const pointSeed = 1

// Part returns another part of the same data.
func (d Data) Part(split string) Data {
	d.Split = split
	return d
}

// String describes the data for people.
func (d Data) String() string {
	s := d.Path
	if s == datasets.Builtin {
		s = datasets.ShapesVersion
	}
	if d.Classes != nil {
		s += " " + strings.Join(d.Classes, ", ")
	}
	return fmt.Sprintf("%s (%s)", s, d.Split)
}

// Describe is d.String with the number of clouds and, of a data set of the catalogue that has others,
// what it should be: "shapenet-core55 (train), 140 of 57,448 clouds". Of a data set that has not been
// fetched it is d.String.
func (l *Store) Describe(d Data) (string, error) {
	set, err := l.Clouds(d)
	if errors.As(err, new(*catalogue.NotFetchedError)) {
		return d.String(), nil
	}
	if err != nil {
		return "", err
	}
	n, whole := set.Clouds, 0
	if source, err := catalogue.Find(d.Path); err == nil && source.Files != nil {
		whole = source.Parts[d.Split]
		if source.Parts == nil || d.Split == "all" {
			whole = source.Clouds
		}
	}
	return d.String() + ", " + Clouds(n, whole), nil
}

// Clouds writes n clouds, or n of whole clouds if these are others.
func Clouds(n, whole int) string {
	number := func(n int) string {
		if n < 10000 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	switch {
	case whole != 0 && whole != n:
		return number(n) + " of " + number(whole) + " clouds"
	case n == 1:
		return "1 cloud"
	}
	return number(n) + " clouds"
}

// Data completes d. It finds Content, for a file by reading it once, and keeps the answer in the
// store.
func (l *Store) Data(d Data) (Data, error) {
	if d.Path == datasets.Builtin {
		d.Content = datasets.ShapesVersion
		return d, nil
	}
	d.Train, d.Test = 0, 0
	path, err := catalogue.Locate(d.Path)
	if err != nil {
		return d, err
	}
	stamp, err := stampOf(path)
	if err != nil {
		return d, err
	}
	name := fmt.Sprintf("%s|%s|%d|%s", path, d.Key, d.Points, stamp)
	kept, err := durable.Keep(filepath.Join(l.Dir, "data", fmt.Sprintf("%x.json", sha256.Sum256([]byte(name)))), nil, func() (v identified, err error) {
		set, err := datasets.Load(d.Path, d.options())
		if err != nil {
			return v, err
		}
		return identified{name, contentOf(set)}, nil
	})
	d.Content = kept.Content
	return d, err
}

// identified is what is known of a file: its path, what was read of it, its size and its time, and
// Data.Content.
type identified struct {
	File    string `json:"file"`
	Content string `json:"content"`
}

// contentOf returns a digest of all that runs read: clouds, and which of them belong to which class
// and part.
func contentOf(set *datasets.Set) string {
	sum := sha256.Sum256(fmt.Append(nil, set.Digest(), set.Clouds, set.Points, set.Dim, set.Labels, fmt.Sprintf("%q", set.Classes), set.Split))
	return hex.EncodeToString(sum[:8])
}

// stampOf returns a value that changes when a file, or a file of a folder, does.
func stampOf(path string) (string, error) {
	var bytes, newest int64
	files := 0
	err := filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		files, bytes, newest = files+1, bytes+info.Size(), max(newest, info.ModTime().UnixNano())
		return nil
	})
	return fmt.Sprintf("%d files, %d bytes, %d", files, bytes, newest), err
}

func (d Data) options() datasets.Options {
	return datasets.Options{Points: d.Points, Seed: pointSeed, Key: d.Key}
}

// Clouds returns the clouds of d, and keeps them for the runs that work on them.
func (l *Store) Clouds(d Data) (*datasets.Set, error) {
	key := func(d Data) string { return string(must.M1(json.Marshal(d))) }
	if set, ok := l.sets[key(d)]; ok {
		return set, nil
	}
	whole := d.Part("")
	set, ok := l.sets[key(whole)]
	if !ok {
		var err error
		if set, err = l.load(whole); err != nil {
			return nil, err
		}
		if l.sets == nil {
			l.sets = map[string]*datasets.Set{}
		}
		l.sets[key(whole)] = set
	}
	if d.Split != "all" && set.Split == nil && d.Split != "train" {
		return nil, fmt.Errorf("%s: expected a set with a %s part, found one without parts", d.Path, d.Split)
	}
	part, err := set.Part(d.Split)
	if err != nil {
		return nil, err
	}
	l.sets[key(d)] = part
	return part, nil
}

// load reads all parts.
func (l *Store) load(d Data) (set *datasets.Set, err error) {
	if d.Path == datasets.Builtin && d.Train+d.Test > 0 {
		set, err = datasets.Shapes{Train: d.Train, Test: d.Test, Points: d.Points, Classes: d.Classes}.Generate()
	} else {
		o := d.options()
		o.Classes = d.Classes
		set, err = datasets.Load(d.Path, o)
	}
	if err != nil || slices.Contains(set.Split, datasets.ValPart) {
		return set, err
	}
	return set.HoldOut(d.Val, pointSeed)
}

// HasClasses reports whether a classifier can be trained on the data's train part and tested on its
// test part.
func (l *Store) HasClasses(d Data) (bool, error) {
	set, err := l.Clouds(d.Part("all"))
	if err != nil {
		return false, err
	}
	return set.Labels != nil && set.Split != nil, nil
}
