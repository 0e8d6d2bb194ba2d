package format

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readNPZ reads the clouds under key ([arrayKey]) and, where present, the class labels. The checksum of
// an entry is verified, and memory grows only with bytes actually unpacked.
func readNPZ(path, key string) (a Array, labels Labels, err error) {
	archive, err := openNPZ(path)
	if err != nil {
		return a, labels, err
	}
	defer archive.Close()
	if key, err = arrayKey(path, key, archive.keys()); err != nil {
		return a, labels, err
	}
	err = archive.read(key, func(r io.Reader, size int64) error {
		a, err = readNPYArray(r, size, false)
		return err
	})
	for _, name := range labelKeys {
		if err == nil && name != key && archive.arrays[name] != nil {
			return a, labels, archive.read(name, func(r io.Reader, size int64) error {
				labels, err = readNPYLabels(r, size, false)
				return err
			})
		}
	}
	return a, labels, err
}

// npzFile is an open .npz archive.
type npzFile struct {
	*zip.ReadCloser
	path   string
	arrays map[string]*zip.File
}

func openNPZ(path string) (*npzFile, error) {
	z, err := zip.OpenReader(path)
	if errors.Is(err, zip.ErrFormat) {
		return nil, fmt.Errorf("%s: expected a .npz archive (zip), found %s", path, beginning(path))
	}
	if err != nil {
		return nil, FileError(path, err)
	}
	a := &npzFile{z, path, map[string]*zip.File{}}
	for _, f := range z.File {
		err := checkEntry(f)
		key, isArray := strings.CutSuffix(f.Name, ".npy")
		if a.arrays[key] != nil {
			err = fmt.Errorf("entry %q occurs twice", shorten(f.Name, 80))
		}
		if err != nil {
			z.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if isArray {
			a.arrays[key] = f
		}
	}
	return a, nil
}

// keys lists the arrays in the archive, sorted.
func (a *npzFile) keys() []string { return slices.Sorted(maps.Keys(a.arrays)) }

// checkEntry rejects what no program that saves arrays writes: names that lead out of the archive,
// and entries that unpack to hundreds of times their size and more than a modest amount, made to
// fill memory or disk. Clouds shrink by a third when compressed.
func checkEntry(f *zip.File) error {
	const (
		modest = 256 << 20
		ratio  = 100
	)
	if !filepath.IsLocal(f.Name) || strings.Contains(f.Name, `\`) {
		return fmt.Errorf("entry %q: expected a name inside the archive", shorten(f.Name, 80))
	}
	if f.UncompressedSize64 > modest && f.UncompressedSize64/ratio > f.CompressedSize64 {
		return fmt.Errorf("entry %q: %d bytes that unpack to %d: more than clouds can shrink", shorten(f.Name, 80),
			f.CompressedSize64, f.UncompressedSize64)
	}
	return nil
}

// arrayKey chooses the array of a file that holds the clouds: the one asked for; else the one named
// data; else the only one that does not hold class labels.
func arrayKey(path, asked string, names []string) (string, error) {
	if asked != "" {
		return asked, nil // the reader lists the arrays if this one is missing
	}
	if slices.Contains(names, dataKey) {
		return dataKey, nil
	}
	var others []string
	for _, n := range names {
		if !slices.Contains(labelKeys, n) {
			others = append(others, n)
		}
	}
	if len(others) == 1 {
		return others[0], nil
	}
	return "", &KeyError{path, names}
}

// KeyError says that a file holds several arrays and none of the usual name: a key must choose.
type KeyError struct {
	Path   string
	Arrays []string
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("%s: expected an array named %q, found %s", e.Path, dataKey, Listed(e.Arrays))
}

// beginning describes the content of a file that is not what its name says.
func beginning(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := io.ReadFull(f, head)
	return fmt.Sprintf("a file that begins with %q", head[:n])
}

// read is open for read that takes the whole array; it verifies the checksum.
func (a *npzFile) read(key string, read func(r io.Reader, size int64) error) error {
	return a.open(key, func(entry io.Reader, size int64) error {
		r := bufio.NewReaderSize(entry, 1<<18)
		if err := read(r, size); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, r) // to the end, where the checksum is verified
		return err
	})
}

// open opens the array named key for read, which gets its bytes and their number.
func (a *npzFile) open(key string, read func(r io.Reader, size int64) error) error {
	entry := a.arrays[key]
	if entry == nil {
		return fmt.Errorf("%s: no array named %q: it holds %s", a.path, key, Listed(a.keys()))
	}
	if entry.UncompressedSize64 > math.MaxInt64 {
		return fmt.Errorf("%s: array %q claims %d bytes", a.path, key, entry.UncompressedSize64)
	}
	r, err := entry.Open()
	if err != nil {
		return fmt.Errorf("%s: array %q: %w", a.path, key, err)
	}
	defer r.Close()
	if err := read(r, int64(entry.UncompressedSize64)); err != nil {
		return fmt.Errorf("%s: array %q: %w", a.path, key, err)
	}
	return nil
}

// Listed joins names for an error message, at most 20 of them.
func Listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	more := ""
	if len(names) > 20 {
		more = fmt.Sprintf(" and %d more", len(names)-20)
		names = names[:20]
	}
	return strings.Join(names, ", ") + more
}
