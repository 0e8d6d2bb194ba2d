package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/catalogue"
	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/swlab/train"
)

// What the tag writes says besides extensions.
const (
	newFolder  = "new folder" // missing or empty
	anyFolder  = "folder"     // files are added to it
	workFolder = "work folder"
)

// filePath is a file or folder that a call reads or writes.
type filePath struct {
	option, name string
	real         string      // absolute, links followed
	info         fs.FileInfo // nil: not there yet
	run          bool        // the folder of a run
}

// replaces reports whether the option may replace files that exist.
func (o option) replaces() bool {
	as := o.tag("writes")
	return strings.HasPrefix(as, ".") || as == anyFolder
}

// checkFiles checks the files that a call is to write, before it works: none is an input or another
// output, and existing ones are replaced only by force, devices and pipes never. A missing input is
// reported where it is read.
func checkFiles(flags *pflag.FlagSet, options []option, force bool) error {
	var inputs, outputs []filePath
	for _, o := range options {
		if kind := o.tag("reads"); kind != "" {
			for _, name := range o.values() {
				inputs = append(inputs, input(o.name(), name, kind == "run")...)
				if kind != "run" {
					continue
				}
				if c, err := train.ReadConfig(name); err == nil {
					inputs = append(inputs, input("the data of "+o.name(), c.Data, false)...)
				}
			}
		}
	}
	for _, o := range options {
		as := o.tag("writes")
		for _, name := range o.values() {
			if as == "" {
				continue
			}
			out, err := output(name, as)
			if err == nil {
				out.option = o.name()
				err = out.apart(inputs, outputs)
			}
			if err == nil && out.info != nil && !out.info.IsDir() && !force {
				err = fmt.Errorf("%s exists; --force replaces it", name)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", o.name(), err)
			}
			outputs = append(outputs, out)
		}
	}
	if force && !slices.ContainsFunc(options, func(o option) bool { return o.replaces() && len(o.values()) > 0 }) {
		return errors.New("--force would do nothing: the call writes no file")
	}
	return nil
}

// values are the paths of an option.
func (o option) values() []string {
	switch v := o.Value().(type) {
	case string:
		return slices.DeleteFunc([]string{v}, func(s string) bool { return s == "" })
	case []string:
		return v
	}
	return nil
}

// input finds what is read; empty if it is not there.
func input(option, name string, run bool) []filePath {
	at, err := catalogue.Locate(name)
	if err != nil || at == datasets.Builtin {
		return nil
	}
	real, err := filepath.EvalSymlinks(at)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	info, statErr := os.Stat(at)
	if err != nil || statErr != nil {
		return nil
	}
	return []filePath{{option, name, real, info, run}}
}

// output finds where an output goes, and whether it can be one.
func output(name, as string) (filePath, error) {
	p := filePath{name: name}
	endings := strings.Fields(strings.TrimSuffix(as, newFolder))
	isFolder := as == workFolder || as == anyFolder || strings.HasSuffix(as, newFolder) && filepath.Ext(name) == ""
	at, info, err := name, fs.FileInfo(nil), error(nil)
	if isFolder {
		if info, _ = os.Stat(name); info != nil && !info.IsDir() {
			return p, fmt.Errorf("expected a folder, found the file %s", name)
		}
		if entries, _ := os.ReadDir(name); len(entries) > 0 && strings.HasSuffix(as, newFolder) {
			return p, fmt.Errorf("%s: the folder is not empty: expected a new one", name)
		}
	} else {
		if !slices.Contains(endings, strings.ToLower(filepath.Ext(name))) {
			return p, fmt.Errorf("expected a name that ends in %s, found %q", either(endings), name)
		}
		dir := filepath.Dir(name)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return p, fmt.Errorf("expected a file in a folder that exists, found no folder %s", dir)
		}
		if at, info, err = durable.Target(name); err != nil { // follows links, refuses pipes and devices
			return p, err
		}
	}
	p.info = info
	if p.real, err = filepath.Abs(at); err == nil {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(p.real)); err == nil {
			p.real = filepath.Join(dir, filepath.Base(p.real))
		}
	}
	return p, err
}

// apart returns an error if the output is an input, within a folder of clouds that are read, or
// another output.
func (p filePath) apart(inputs, outputs []filePath) error {
	same := func(q filePath) bool {
		return p.real == q.real || p.info != nil && q.info != nil && os.SameFile(p.info, q.info)
	}
	for _, in := range inputs {
		switch {
		case same(in):
			return fmt.Errorf("%s is also an input, %s", p.name, in.option)
		case in.has(p):
			return fmt.Errorf("%s is in the folder %s, which is an input, %s", p.name, in.name, in.option)
		}
	}
	for _, out := range outputs {
		if same(out) && !(p.info != nil && p.info.IsDir()) {
			return fmt.Errorf("%s is also an output, %s", p.name, out.option)
		}
	}
	return nil
}

// has reports whether a file or folder would be read with the clouds in a folder.
func (p filePath) has(inside filePath) bool {
	if p.run || !p.info.IsDir() || !strings.HasPrefix(inside.real, p.real+string(filepath.Separator)) {
		return false
	}
	if _, err := os.Stat(filepath.Join(p.real, "points.npy")); err != nil {
		return true
	}
	dir, file := filepath.Split(inside.real)
	return filepath.Clean(dir) == p.real && slices.Contains([]string{"points.npy", "labels.npy", "split.npy", "classes.txt"}, file)
}

// replaceable returns an error if files that a call is to add to a folder exist and force is not
// given, or are not regular files.
func replaceable(flag, pattern string, force bool) error {
	there, err := filepath.Glob(pattern)
	for _, path := range there {
		if _, _, err := durable.Target(path); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		if !force {
			return fmt.Errorf("--%s: %s exists; --force replaces it", flag, path)
		}
	}
	return err
}
