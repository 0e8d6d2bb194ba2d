package datasets

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Source describes a data set: what it is, its terms, how to get its files and how they are laid
// out. It holds only data. Package fetch downloads, checks and unpacks it.
type Source struct {
	Name    string // as given to `swlab data fetch` and, once fetched, to [Load]
	What    string // one line
	Kind    string // what Load finds: "builtin", "modelnet", "npz", "folder" or "meshes"
	Clouds  int    // clouds or meshes
	Points  int    // points per cloud; 0: meshes, sampled on reading
	Classes int    // 0: no labels
	// Parts holds the number of clouds of each part by its name; nil: the set has no parts.
	Parts map[string]int
	Home  string // web page

	Licence  string // in a few words
	Terms    string // what must be accepted before fetching; "": nothing
	TermsURL string

	Files       []File // what is downloaded; nil: nothing to fetch
	Manual      string // how to get the files by hand, if no program can
	Root        string // what Load reads, below the unpacked files
	MaxUnpacked int64  // limit in bytes of all unpacked files
	Notes       string
}

// File is one file of a Source.
type File struct {
	Name     string   // as saved
	URLs     []string // tried in this order
	Bytes    int64    // 0: not known
	SHA256   string   // in hexadecimal; "": not known
	Recorded string   // who published SHA256
	Archive  string   // "zip", or "" for a plain file
	To       string   // path of a plain file, with slashes; "": Name
}

// Catalogue returns all known data sets.
func Catalogue() []Source { return slices.Clone(catalogue) }

// FindSource returns the data set of this name.
func FindSource(name string) (Source, error) {
	var names []string
	for _, s := range catalogue {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Source{}, suggest.Unknown("data set", name, names)
}

// RecordName is the file in a data set's folder of the cache that marks the set as complete.
const RecordName = "fetched.json"

// FilesName is the folder with a fetched set's files, beside the record.
const FilesName = "files"

// cacheVariable chooses the folder of fetched data.
const cacheVariable = "SWLAB_CACHE"

// CacheDir returns the folder of what can be downloaded or computed again: that of the environment
// variable SWLAB_CACHE, or swlab in the user's cache folder. Fetched data sets are in its
// sub-folder data.
func CacheDir() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for fetched data: set %s: %w", cacheVariable, err)
	}
	return filepath.Join(dir, "swlab"), nil
}

// Dir returns the data set's folder in a cache.
func (s Source) Dir(cache string) string { return filepath.Join(cache, "data", s.Name) }

// Path returns what Load reads once the set has been fetched.
func (s Source) Path(cache string) string {
	if s.Files == nil {
		return s.Name
	}
	return filepath.Join(s.Dir(cache), FilesName, filepath.FromSlash(s.Root))
}

// Check compares what Load would read at path with the numbers of clouds, of points and of clouds in
// each part. It reads the headers of arrays and counts the files of meshes. A Source without a number of
// clouds accepts everything.
func (s Source) Check(path string) error {
	if s.Clouds == 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return fileError(path, err)
	}
	files, partOf := []cloudFile{{path: path, parts: []string{filepath.Base(path)}}}, cloudFile.part
	switch {
	case info.IsDir() && isModelNet(path):
		var parts map[string]uint8
		files, parts, err = modelNetFiles(path)
		partOf = func(f cloudFile) (uint8, bool) { p, ok := parts[f.name()]; return p, ok }
	case info.IsDir():
		files, err = findClouds(path)
	}
	if err != nil {
		return err
	}
	clouds, inPart := 0, map[string]int{}
	for _, f := range files {
		n := 1
		if !f.isMesh {
			shape, err := storedShape(f.path)
			if err != nil {
				return err
			}
			set, err := newSet[float32](f.path, "", nil, shape)
			if err != nil {
				return err
			}
			if n = set.Clouds; s.Points > 0 && set.Points != s.Points {
				return fmt.Errorf("%s: expected clouds of %d points, found %d", f.path, s.Points, set.Points)
			}
		}
		clouds += n
		if p, ok := partOf(f); ok {
			inPart[partNames[p]] += n
		}
	}
	if clouds != s.Clouds {
		return fmt.Errorf("%s: expected %d clouds, found %d", path, s.Clouds, clouds)
	}
	for _, part := range slices.Sorted(maps.Keys(s.Parts)) {
		if n := s.Parts[part]; inPart[part] != n {
			return fmt.Errorf("%s: expected %d clouds in the part %s, found %d", path, n, part, inPart[part])
		}
	}
	return nil
}

// NotFetchedError says that a data set of the catalogue is not on this machine.
type NotFetchedError struct {
	Source Source
	Cache  string // where it was looked for
}

// Error says how to get the data set.
func (e *NotFetchedError) Error() string {
	if e == nil {
		return "a data set has not been fetched"
	}
	return fmt.Sprintf("%[1]s: there is no such file, and the data set of this name has not been fetched into %[2]s: `swlab data fetch %[1]s` says how", e.Source.Name, e.Cache)
}

// Locate turns the name of a fetched data set into its path. Anything else, including a file or
// folder that has the name of a data set, is returned unchanged. A data set that has not been
// fetched is a [NotFetchedError], which says how to get it.
func Locate(path string) (string, error) {
	source, err := FindSource(path)
	if err != nil || source.Files == nil {
		return path, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(source.Dir(cache), RecordName)); errors.Is(err, os.ErrNotExist) {
		return "", &NotFetchedError{source, cache}
	} else if err != nil {
		return "", fileError(source.Dir(cache), err)
	}
	return source.Path(cache), nil
}
