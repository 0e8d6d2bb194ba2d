package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Record describes what was fetched. It is stored beside the data as fetched.json.
type Record struct {
	Name    string `json:"name"`
	Licence string `json:"licence"`
	// Checksum is "catalogue" if published sums matched, "first use" if at least one file had none
	// and was trusted.
	Checksum  string     `json:"checksum"`
	SHA256    string     `json:"sha256,omitempty"` // of the downloaded file, if there is only one
	Bytes     int64      `json:"bytes"`            // downloaded
	Root      string     `json:"root"`             // what is loaded, below files
	Downloads []Download `json:"downloads"`
	Files     []Entry    `json:"files"`
	Fetched   bool       `json:"-"` // fetched by this call
	dir       string
}

// Download is a file as downloaded.
type Download struct {
	Name   string `json:"name"`
	From   string `json:"from"` // its address, or "--from"
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Entry is a file below files.
type Entry struct {
	Path   string `json:"path"` // with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Path returns what [datasets.Load] reads.
func (r *Record) Path() string {
	return filepath.Join(r.dir, FilesName, filepath.FromSlash(r.Root))
}

// download finds the record of a downloaded file; nil if there is none.
func (r *Record) download(name string) *Download {
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.Downloads, func(d Download) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Downloads[i]
}

// ReadRecord reads the record in a data set's folder.
func ReadRecord(dir string) (*Record, error) {
	path := filepath.Join(dir, RecordName)
	r := &Record{dir: dir}
	_, err := durable.ReadJSON(path, r)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("expected the record of a fetched data set: %w", err)
	}
	if len(r.Files) == 0 || r.Name == "" {
		return nil, fmt.Errorf("%s: expected a name and files in the record", path)
	}
	return r, nil
}

// FindRecord reads the record of the data set that a path belongs to: its folder, or something
// below its files.
func FindRecord(path string) (*Record, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	for dir := absolute; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, RecordName)); err == nil {
			return ReadRecord(dir)
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("%s: no %s here or in a folder above: it was not fetched by `swlab data fetch`", path,
				RecordName)
		}
	}
}

// Verify reads every file of a fetched data set again and returns the problems, one per line: files
// that are missing, changed or not in the record, downloads whose sum differs from the catalogue's
// current one, and numbers that differ from the catalogue's if it had no sum.
func (r *Record) Verify(ctx context.Context, progress func(file string, done, total int64)) (problems []string,
	err error) {
	total, done := int64(0), int64(0)
	known := map[string]bool{}
	for _, e := range r.Files {
		total += e.Bytes
		known[e.Path] = true
	}
	root := filepath.Join(r.dir, FilesName)
	for _, e := range r.Files {
		size, sum, err := hash(ctx, filepath.Join(root, filepath.FromSlash(e.Path)))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			problems = append(problems, e.Path+": missing")
		case err != nil:
			problems = append(problems, fmt.Sprintf("%s: %v", e.Path, err))
		case size != e.Bytes || sum != e.SHA256:
			problems = append(problems, fmt.Sprintf("%s: expected %d bytes with the SHA-256 %s, found %d with %s", e.Path,
				e.Bytes, e.SHA256, size, sum))
		}
		done += e.Bytes
		progress(e.Path, done, total)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if relative = filepath.ToSlash(relative); err == nil && !known[relative] {
			problems = append(problems, relative+": not in the record")
		}
		return err
	})
	if os.IsNotExist(err) {
		err = nil // every file of the record has been reported as missing
	}
	if source, notFound := Find(r.Name); notFound == nil {
		for _, f := range source.Files {
			if d := r.download(f.Name); d != nil && f.SHA256 != "" && d.SHA256 != f.SHA256 {
				problems = append(problems, fmt.Sprintf("%s: was fetched with the SHA-256 %s, the catalogue has %s", f.Name,
					d.SHA256, f.SHA256))
			}
		}
		if problems == nil && err == nil {
			if differs := r.check(source, root); differs != nil {
				problems = []string{differs.Error()}
			}
		}
	}
	return problems, err
}

// check compares files without a published sum with the numbers of clouds, of points and of clouds in
// each part that the catalogue has, if any. It reads the headers of arrays and counts the files of
// meshes. Its errors name the files below root as they are in the set.
func (r *Record) check(s Source, root string) error {
	if r.Checksum == "catalogue" || s.Clouds == 0 {
		return nil
	}
	wrong := func(path, format string, args ...any) error {
		return fmt.Errorf("not %s: %s: %s", s.Name, path, fmt.Sprintf(format, args...))
	}
	clouds, inPart := 0, map[string]int{}
	for _, e := range r.Files {
		if !strings.HasPrefix(e.Path, s.Root) || !slices.Contains(format.FolderTypes(), strings.ToLower(path.Ext(e.Path))) {
			continue
		}
		n := 1
		if !format.IsMesh(e.Path) {
			shape, err := format.Shape(filepath.Join(root, filepath.FromSlash(e.Path)))
			switch {
			case err != nil:
				return fmt.Errorf("not %s: %s", s.Name, strings.ReplaceAll(err.Error(), root+string(filepath.Separator), ""))
			case len(shape) != 3:
				return wrong(e.Path, "expected an array [clouds, points, 3], found shape %v", shape)
			case s.Points > 0 && shape[1] != s.Points:
				return wrong(e.Path, "expected clouds of %d points, found %d", s.Points, shape[1])
			}
			n = shape[0]
		}
		clouds += n
		for part := range s.Parts {
			if strings.Contains(e.Path, "/"+part+"/") {
				inPart[part] += n
			}
		}
	}
	if clouds != s.Clouds {
		return wrong(s.Root, "expected %d clouds, found %d", s.Clouds, clouds)
	}
	for _, part := range slices.Sorted(maps.Keys(s.Parts)) {
		if n := s.Parts[part]; inPart[part] != n {
			return wrong(s.Root, "expected %d clouds in the part %s, found %d", n, part, inPart[part])
		}
	}
	return nil
}

// hash returns size and SHA-256 of a file.
func hash(ctx context.Context, path string) (int64, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // ends a long read
	h := sha256.New()
	n, err := io.Copy(h, f)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return n, hex.EncodeToString(h.Sum(nil)), err
}
