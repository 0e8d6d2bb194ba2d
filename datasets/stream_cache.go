package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// unpackedDir is the folder of unpacked copies.
func unpackedDir() (string, error) {
	dir, err := CacheDir()
	return filepath.Join(dir, "unpacked"), err
}

// abandoned is the age from which a temporary file counts as left by a killed process.
const abandoned = time.Hour

// openCached opens the unpacked copy of the array key of the file at path. If there is none, unpack
// writes it; its progress is in bytes.
func openCached(path, key string, o OpenOptions, unpack func(w io.Writer, progress func(done, total int64)) error) (rowReader, error) {
	dir := o.Unpacked
	if dir == "" {
		var err error
		if dir, err = unpackedDir(); err != nil {
			return nil, err
		}
	}
	prefix, name, err := cacheName(path, key)
	if err != nil {
		return nil, err
	}
	name = filepath.Join(dir, name)
	if r, err := openCopy(name); err == nil {
		return r, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("%s (for the unpacked %s; %s chooses another folder): %w", dir, path, cacheVariable, err)
	}
	removeCopies(dir, prefix)
	what := fmt.Sprintf("unpacking %s once to %s (%s chooses another folder), MB", path, name, cacheVariable)
	err = durable.Write(name, func(w io.Writer) error {
		return unpack(w, func(done, total int64) {
			if o.Progress != nil {
				o.Progress(what, int(done>>20), int(total>>20))
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("unpacking %s to %s (%s chooses another folder): %w", path, dir, cacheVariable, err)
	}
	return openCopy(name)
}

// cacheName names the copy: a prefix for path and key, and the rest for the state of the file.
func cacheName(path, key string) (prefix, name string, err error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", "", fileError(path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", fileError(path, err)
	}
	hash := func(format string, a ...any) string {
		sum := sha256.Sum256(fmt.Appendf(nil, format, a...))
		return hex.EncodeToString(sum[:])[:16]
	}
	prefix = hash("%q %q", whole, key) + "-"
	const form = 2 // of what is written
	return prefix, prefix + hash("%d %d %d", form, info.Size(), info.ModTime().UnixNano()) + ".npy", nil
}

// openCopy opens a copy if it exists and is complete.
func openCopy(name string) (rowReader, error) {
	a := &storedArray{file: name}
	if err := a.findNPY(); err != nil {
		return nil, err
	}
	return a.rows(OpenOptions{})
}

// removeCopies removes the copies with that prefix and abandoned temporary files. It ignores
// errors.
func removeCopies(dir, prefix string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		old := strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), ".npy.") && time.Since(info.ModTime()) > abandoned
		if old || strings.HasPrefix(e.Name(), prefix) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// unpackNPZ copies the entry of an archive and verifies its checksum at the end.
func unpackNPZ(path, key string, w io.Writer, progress func(done, total int64)) error {
	archive, err := openNPZ(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	entry := archive.find(key)
	if entry == nil {
		return fmt.Errorf("no array named %q any more", key)
	}
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	buffer, total := make([]byte, 1<<20), int64(entry.UncompressedSize64)
	for done := int64(0); ; {
		n, err := io.ReadFull(r, buffer)
		if _, err := w.Write(buffer[:n]); err != nil {
			return err
		}
		done += int64(n)
		progress(done, total)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF && done == total:
			return nil
		case err != nil:
			return err
		}
	}
}
