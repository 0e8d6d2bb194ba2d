package format

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
)

// ReadNPZ reads one array of a NumPy .npz archive as float32, as [ReadNPY] does. The key "" means
// "data", or the only array of the archive, such as the arr_0 of numpy.savez(path, points). An
// unknown key is an error that lists the keys. The checksum of the entry is verified, and memory
// grows only with bytes actually unpacked.
func ReadNPZ(path, key string) ([]float32, []int, error) {
	a, _, err := readNPZ(path, key)
	return a.float32s(), a.Shape, err
}

// readNPZ reads the clouds under key and, where present, the class labels.
func readNPZ(path, key string) (a Array, labels Labels, err error) {
	archive, err := openNPZ(path)
	if err != nil {
		return a, labels, err
	}
	defer archive.Close()
	if key, err = archive.key(key); err != nil {
		return a, labels, err
	}
	if a, err = archive.floats(key); err == nil {
		labels, err = archive.labels(key)
	}
	return a, labels, err
}

// npzFile is an open .npz archive.
type npzFile struct {
	path string
	zip  *zip.ReadCloser
}

func openNPZ(path string) (*npzFile, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, fmt.Errorf("%s: expected a .npz archive (zip): %w", path, err)
		}
		return nil, FileError(path, err)
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		err := checkEntry(f)
		if err == nil && seen[f.Name] {
			err = fmt.Errorf("entry %q occurs twice", shorten(f.Name, 80))
		}
		seen[f.Name] = true
		if err != nil {
			z.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return &npzFile{path, z}, nil
}

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

func (a *npzFile) Close() error { return a.zip.Close() }

// keys lists the arrays in the archive, sorted.
func (a *npzFile) keys() []string {
	var keys []string
	for _, f := range a.zip.File {
		if key, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// key returns the array that holds the clouds ([arrayKey]).
func (a *npzFile) key(asked string) (string, error) { return arrayKey(a.path, asked, a.keys()) }

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
	return "", fmt.Errorf("%s: no array named %q: it holds %s; expected the key (--key) of one of them", path, dataKey,
		Listed(names))
}

// find returns the entry of key, or nil.
func (a *npzFile) find(key string) *zip.File {
	for _, f := range a.zip.File {
		if f.Name == key+".npy" {
			return f
		}
	}
	return nil
}

func (a *npzFile) floats(key string) (out Array, err error) {
	err = a.read(key, func(r io.Reader, size int64) error {
		out, err = readNPYArray(r, size, false)
		return err
	})
	return out, err
}

// labels reads the class labels beside the array named key, if there are any.
func (a *npzFile) labels(key string) (l Labels, err error) {
	for _, name := range labelKeys {
		if name != key && a.find(name) != nil {
			return l, a.read(name, func(r io.Reader, size int64) error {
				l, err = readNPYLabels(r, size, false)
				return err
			})
		}
	}
	return l, nil
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
	entry := a.find(key)
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
