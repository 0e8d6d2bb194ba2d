package catalogue

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxFiles = 200_000
	// maxRatio is unpacked to packed: text meshes and HDF5 files stay below 10, a zip bomb is far
	// above.
	maxRatio = 100
	minSpace = 1 << 20
)

// budget is what all archives of a set may still unpack to.
type budget struct {
	bytes int64
	files int
}

// place puts a file, or the files in it, below stage.
func place(local string, file File, stage string, b *budget) ([]Entry, error) {
	info, err := os.Stat(local)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(stage) // no name can lead out of it
	if err != nil {
		return nil, err
	}
	defer root.Close()
	u := &unpacker{root: root, archive: local, budget: b, left: max(info.Size()*maxRatio, minSpace)}
	if file.Archive == "zip" {
		err = u.zip()
	} else {
		err = u.plain(file, info.Size())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", local, diskFull(err, stage))
	}
	if len(u.entries) == 0 {
		return nil, fmt.Errorf("%s: the archive holds no files", local)
	}
	return u.entries, nil
}

type unpacker struct {
	root    *os.Root
	archive string
	budget  *budget
	left    int64 // bytes that this archive may still unpack to, by maxRatio
	entries []Entry
}

// plain copies a file that is not an archive.
func (u *unpacker) plain(file File, size int64) error {
	f, err := os.Open(u.archive)
	if err != nil {
		return err
	}
	defer f.Close()
	to := file.To
	if to == "" {
		to = file.Name
	}
	u.left, u.budget.bytes = size, max(size, u.budget.bytes)
	return u.write(to, f)
}

func (u *unpacker) zip() error {
	r, err := zip.OpenReader(u.archive)
	if err != nil {
		return fmt.Errorf("expected a zip archive: %w", err)
	}
	defer r.Close()
	for _, f := range r.File {
		name, skip, err := entryName(f.Name)
		if err != nil {
			return err
		}
		if mode := f.Mode(); mode.IsDir() || skip {
			continue
		} else if !mode.IsRegular() {
			return fmt.Errorf("%s: expected a file, found a link or a device (%s): refused", f.Name, mode.Type())
		}
		content, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		err = u.write(name, content)
		content.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// entryName checks the name of an archive's entry. skip marks what some systems add to archives.
func entryName(name string) (clean string, skip bool, err error) {
	clean = path.Clean(strings.TrimSuffix(name, "/"))
	if strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\\\x00") ||
		!filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", false, fmt.Errorf("the archive has an entry %q, which leads out of its folder: refused", name)
	}
	if !utf8.ValidString(name) {
		return "", false, fmt.Errorf("the archive has an entry %q, whose name is not UTF-8, as the record of its files must be: refused", name)
	}
	first, _, _ := strings.Cut(clean, "/")
	return clean, first == "__MACOSX" || path.Base(clean) == ".DS_Store", nil
}

// write unpacks one file within the bounds and adds it to the entries.
func (u *unpacker) write(name string, content io.Reader) error {
	if u.budget.files--; u.budget.files < 0 {
		return fmt.Errorf("more than %d files: refused", maxFiles)
	}
	if err := u.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: appears twice: refused", name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	bound := min(u.left, u.budget.bytes)
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(content, bound+1))
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n > bound {
		return fmt.Errorf("%s: unpacks to far more than such data needs (over %d times its size, or over the catalogue's bound): refused", name, maxRatio)
	}
	u.left -= n
	u.budget.bytes -= n
	u.entries = append(u.entries, Entry{Path: name, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}
