package catalogue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/suggest"
)

// Builtin is the name of the procedural shapes.
const Builtin = "builtin"

// Source describes a data set: what it is, its terms, how to get its files and how they are laid
// out. [Fetch] downloads, checks and unpacks it.
type Source struct {
	Name    string `json:"name"`    // as given to `swlab data fetch` and, once fetched, to Load
	What    string `json:"what"`    // one line
	Kind    string `json:"kind"`    // what Load finds: "builtin", "modelnet", "npz", "folder" or "meshes"
	Clouds  int    `json:"clouds"`  // clouds or meshes
	Points  int    `json:"points"`  // points per cloud; 0: meshes, sampled on reading
	Classes int    `json:"classes"` // 0: no labels
	// Parts holds the number of clouds of each part by its name; nil: the set has no parts.
	Parts map[string]int `json:"-"`
	Home  string         `json:"home"` // web page

	Licence  string `json:"licence"` // in a few words
	Terms    string `json:"terms"`   // what must be accepted before fetching; "": nothing
	TermsURL string `json:"terms_url"`

	Files       []File `json:"files"`  // what is downloaded; nil: nothing to fetch
	Manual      string `json:"manual"` // how to get the files by hand, if no program can
	Root        string `json:"-"`      // what Load reads, below the unpacked files
	MaxUnpacked int64  `json:"-"`      // limit in bytes of all unpacked files
	Notes       string `json:"notes"`
}

// File is one file of a Source.
type File struct {
	Name     string   `json:"name"`          // as saved
	URLs     []string `json:"urls"`          // tried in this order
	Bytes    int64    `json:"bytes"`         // 0: not known
	SHA256   string   `json:"sha256"`        // in hexadecimal; "": not known
	Recorded string   `json:"sha256_source"` // who published SHA256
	Archive  string   `json:"-"`             // "zip", or "" for a plain file
	To       string   `json:"-"`             // path of a plain file, with slashes; "": Name
}

// All returns all known data sets.
func All() []Source { return slices.Clone(catalogue) }

// Find returns the data set of this name.
func Find(name string) (Source, error) {
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

// CacheDir returns the folder of what can be downloaded or computed again: that of the environment
// variable SWLAB_CACHE, or swlab in the user's cache folder. Fetched data sets are in its
// sub-folder data.
func CacheDir() (string, error) {
	if dir := os.Getenv("SWLAB_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for fetched data: set SWLAB_CACHE: %w", err)
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

// NotFetchedError says that a data set of the catalogue is not on this machine.
type NotFetchedError struct {
	Source Source
	Cache  string // where it was looked for
}

// Error says how to get the data set.
func (e *NotFetchedError) Error() string {
	return fmt.Sprintf("%[1]s: there is no such file, and the data set of this name has not been fetched into %[2]s: `swlab data fetch %[1]s` says how",
		e.Source.Name, e.Cache)
}

// Locate turns the name of a fetched data set into its path. Anything else, including a file or
// folder that has the name of a data set, is returned unchanged. A data set that has not been
// fetched is a [NotFetchedError], which says how to get it.
func Locate(path string) (string, error) {
	source, err := Find(path)
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
	_, err = os.Stat(filepath.Join(source.Dir(cache), RecordName))
	if errors.Is(err, os.ErrNotExist) {
		return "", &NotFetchedError{source, cache}
	}
	if err != nil {
		return "", format.FileError(source.Dir(cache), err)
	}
	return source.Path(cache), nil
}
