// The page of the playground keeps no files.

//go:build !swlab_page

package catalogue

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	maxFiles = 200_000
	// maxRatio is unpacked to packed: text meshes and HDF5 files stay below 10, a zip bomb is far
	// above.
	maxRatio = 100
	minSpace = 1 << 20
)

// limits are what an archive may unpack to.
type limits struct {
	bytes int64
	files int
}

// unpacker writes files below a folder.
type unpacker struct {
	root    *os.Root // no name can lead out of it
	left    limits
	entries []Entry
}

// place puts a file, or the files in it, below stage.
func place(local string, file File, stage string, most limits) ([]Entry, error) {
	root, err := os.OpenRoot(stage)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := os.Open(local)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	u := &unpacker{root: root, left: limits{info.Size(), 1}}
	if file.Archive == "zip" {
		u.left = limits{min(most.bytes, max(info.Size()*maxRatio, minSpace)), most.files}
		err = u.zip(f, info.Size())
	} else {
		err = u.write(cmp.Or(file.To, file.Name), f)
	}
	if err == nil && len(u.entries) == 0 {
		err = errors.New("the archive holds no files")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", local, err)
	}
	return u.entries, nil
}

func (u *unpacker) zip(archive io.ReaderAt, size int64) error {
	r, err := zip.NewReader(archive, size)
	if err != nil {
		return fmt.Errorf("expected a zip archive: %w", err)
	}
	for _, f := range r.File {
		name := path.Clean(strings.TrimSuffix(f.Name, "/"))
		if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
			return fmt.Errorf("the archive has an entry %q, which leads out of its folder or is not UTF-8: refused", f.Name)
		}
		if f.Mode().IsDir() || strings.HasPrefix(name, "__MACOSX/") || path.Base(name) == ".DS_Store" {
			continue
		}
		if mode := f.Mode(); !mode.IsRegular() {
			return fmt.Errorf("%s: expected a file, found a link or a device (%s): refused", f.Name, mode.Type())
		}
		content, err := f.Open()
		if err == nil {
			err = u.write(name, content)
			content.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write unpacks one file within the limits and adds it to the entries.
func (u *unpacker) write(name string, content io.Reader) error {
	if u.left.files--; u.left.files < 0 {
		return errors.New("more files than such data have: refused")
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
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(content, u.left.bytes+1))
	if err = cmp.Or(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if u.left.bytes -= n; u.left.bytes < 0 {
		return fmt.Errorf("%s: unpacks to far more than such data needs (over %d times its size, or over the catalogue's bound): refused", name, maxRatio)
	}
	u.entries = append(u.entries, Entry{Path: name, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}
