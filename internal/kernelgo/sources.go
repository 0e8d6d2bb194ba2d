package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// sources are the files that packages are built from, by folder: of every one its name, size, times and
// number.
type sources map[string]string

// isSource reports whether `go build` may read a file of that name.
func isSource(name string) bool {
	return slices.Contains([]string{".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx",
		".f", ".F", ".for", ".f90", ".s", ".S", ".sx", ".swig", ".swigcxx", ".syso", ".mod"}, filepath.Ext(name)) && !strings.HasSuffix(name, "_test.go")
}

// recent is how long before a build a file must have changed last for its time to tell versions apart.
const recent = time.Second

// snapshot lists the sources in the folders of packages. ok is false if one may have changed while they were built, or
// if this system does not say when a file was changed.
func snapshot(dirs []string, began time.Time) (s sources, ok bool) {
	s = sources{}
	for _, dir := range dirs {
		text, newest, err := list(dir, isSource)
		if err != nil || newest.After(began.Add(-recent)) {
			return nil, false
		}
		s[dir] = text
		embedded, err := embeds(dir)
		if err != nil {
			return nil, false
		}
		for _, folder := range embedded {
			text, newest, err := list(folder, nil)
			if err != nil || newest.After(began.Add(-recent)) {
				return nil, false
			}
			s[folder+whole] = text
		}
	}
	return s, true
}

// whole marks a folder whose every file counts.
const whole = string(filepath.Separator) + "..."

// unchanged reports whether all sources are as they were.
func (s sources) unchanged() bool {
	if s == nil {
		return false
	}
	for dir, text := range s {
		counts := isSource
		folder, all := strings.CutSuffix(dir, whole)
		if all {
			counts = nil
		}
		if now, _, err := list(folder, counts); err != nil || now != text {
			return false
		}
	}
	return true
}

// list describes the files of a folder that count, or with nil all below it, and when the newest was changed.
func list(dir string, counts func(string) bool) (text string, newest time.Time, err error) {
	var b strings.Builder
	add := func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		number, changed, ok := identity(info)
		if !ok {
			return fmt.Errorf("%s: this system does not say when it was changed", path)
		}
		for _, t := range []time.Time{changed, info.ModTime()} {
			if t.After(newest) {
				newest = t
			}
		}
		fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), number, info.IsDir())
		return nil
	}
	if counts == nil {
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return add(path)
		})
		return b.String(), newest, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", newest, err
	}
	for _, e := range entries {
		if counts(e.Name()) {
			if err := add(filepath.Join(dir, e.Name())); err != nil {
				return "", newest, err
			}
		}
	}
	return b.String(), newest, nil
}

var embed = regexp.MustCompile(`(?m)^//go:embed (.*)$`)

// embeds returns the files and folders that hold what a package embeds.
func embeds(dir string) (found []string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range embed.FindAllStringSubmatch(string(text), -1) {
			for _, pattern := range strings.Fields(m[1]) {
				pattern = strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:")
				if strings.ContainsAny(pattern, "*?[\\\"`") {
					pattern, _, _ = strings.Cut(pattern, "*")
					pattern = filepath.Dir(pattern + "x")
				}
				found = append(found, filepath.Join(dir, filepath.FromSlash(pattern)))
			}
		}
	}
	return found, nil
}

// stamp tells one version of a file from another.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path + " none"
	}
	number, changed, _ := identity(info)
	return fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano(), changed.UnixNano(), number)
}
