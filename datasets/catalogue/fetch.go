// The page of the playground keeps no files.

//go:build !swlab_page

// Package catalogue lists data sets and gets them. It downloads them into a cache, or
// takes files downloaded by hand, checks them against the catalogue's sizes and SHA-256 sums,
// unpacks them, and keeps a record for later verification.
//
// In the cache a data set NAME has the folder data/NAME with
//
//	files/         the files, as unpacked
//	fetched.json   the [Record]; it is written last, so that a set with a record is whole
//	FILE.part      a partial download, removed at the end
//
// A file without a published checksum is trusted the first time, if it holds as many clouds and points
// as the catalogue says. Its sum is recorded, and a later fetch must match it.
package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// Options say where to fetch from and where to store.
type Options struct {
	Cache string // folder of all fetched sets ([CacheDir])
	From  string // a file, or a folder with the set's files, instead of the network

	AcceptLicence bool

	Client   *http.Client // nil: one that refuses redirects from https to http
	Progress func(file string, done, total int64)
	// Note is called with messages for the user: what failed and is tried again.
	Note func(text string)
}

// ErrTerms is the error of a fetch before its licence is accepted; it is in a [UsageError].
var ErrTerms = errors.New("its terms have not been accepted: --accept-licence accepts them")

// UsageError says that the call is invalid: the licence was not accepted, a file must be downloaded
// by hand, an option does not fit, the file given is not that of the catalogue or not the one fetched
// before. Nothing was fetched.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

func usageErrorf(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Fetch makes a data set available and returns its record. An existing one is left alone
// (Record.Fetched is false), unless it is not what the catalogue says or not what Options.From holds:
// that is an error, which says what to delete. An interrupted download resumes.
func Fetch(ctx context.Context, source Source, o Options) (_ *Record, err error) {
	if len(source.Files) == 0 {
		return nil, usageErrorf("%s: there is nothing to fetch: it is made in memory", source.Name)
	}
	o.Client = cmp.Or(o.Client, &http.Client{CheckRedirect: checkRedirect})
	defer func() {
		if full(err) {
			err = fmt.Errorf("%w; --cache or SWLAB_CACHE puts the set on another disk", err)
		}
	}()
	given, err := o.given(source)
	if err != nil {
		return nil, err
	}
	if record, err := before(ctx, source, o.Cache, given); record != nil || err != nil {
		return record, err
	}
	if source.Terms != "" && !o.AcceptLicence {
		return nil, usageErrorf("%s: %w", source.Name, ErrTerms)
	}
	if given == nil && source.Files[0].URLs == nil {
		return nil, usageErrorf("%s: no program can download it: %s; then `swlab data fetch %s --accept-licence --from PATH`", source.Name, source.Manual, source.Name)
	}
	dir := source.Dir(o.Cache)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	old, _ := ReadRecord(dir) // nil on an error: no sum is known
	if err := durable.RemoveTemporary(filepath.Join(dir, RecordName)); err != nil {
		return nil, err
	}
	record := &Record{Name: source.Name, Licence: source.Licence, Root: source.Root, Checksum: "catalogue",
		Fetched: true, dir: dir}
	stage := filepath.Join(dir, ".unpack")
	if err := os.RemoveAll(stage); err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	if err := os.Mkdir(stage, 0o755); err != nil {
		return nil, err
	}
	for i, file := range source.Files {
		if file.SHA256 == "" {
			record.Checksum = "first use"
			if known := old.download(file.Name); known != nil {
				file.SHA256, file.Recorded = known.SHA256, "the first fetch; delete "+dir+" to trust another file"
			}
		}
		var got Download
		var local string
		if given == nil {
			got, local, err = o.download(ctx, file, dir)
		} else {
			local = given[i]
			got, err = check(ctx, local, local, file)
			got.From, err = "--from", o.refused(err)
		}
		if err != nil {
			return nil, err
		}
		record.Downloads = append(record.Downloads, got)
		record.Bytes += got.Bytes
		entries, err := place(local, file, stage, limits{source.MaxUnpacked, maxFiles})
		if err != nil {
			return nil, o.refused(err)
		}
		record.Files = append(record.Files, entries...)
	}
	if len(record.Downloads) == 1 {
		record.SHA256 = record.Downloads[0].SHA256
	}
	if _, err = os.Stat(filepath.Join(stage, filepath.FromSlash(source.Root))); err != nil {
		err = fmt.Errorf("the archive has no %s: it is not the expected file", source.Root)
	} else {
		err = record.check(source, stage)
	}
	if err != nil {
		record.discardDownloads()
		return nil, o.refused(fmt.Errorf("%s: %w", cmp.Or(o.From, record.Downloads[0].From), err))
	}
	return record, record.settle(stage)
}

// refused is the error of a file's content: a wrong call if the user gave the file.
func (o Options) refused(err error) error {
	if err == nil || o.From == "" || errors.As(err, new(*fs.PathError)) || full(err) || errors.Is(err, context.Canceled) {
		return err
	}
	return usageErrorf("--from: %w", err)
}

// before returns the record of a set whose files are there, or nil. It is an error if they are not what
// the catalogue says, or not those that are given.
func before(ctx context.Context, source Source, cache string, given []string) (*Record, error) {
	record, err := ReadRecord(source.Dir(cache))
	if err != nil || !record.present() {
		return nil, nil
	}
	if err := record.check(source, filepath.Join(record.dir, FilesName)); err != nil {
		return nil, usageErrorf("%w; delete %s, which holds it, and fetch again", err, record.dir)
	}
	for i, local := range given {
		_, sum, err := hash(ctx, local)
		if err != nil {
			return nil, err
		}
		name := source.Files[i].Name
		if known := record.download(name); known != nil && known.SHA256 != sum {
			return nil, usageErrorf("--from: %s has the SHA-256 %s; %s was fetched before with %s: delete %s to replace it",
				local, sum, name, known.SHA256, record.dir)
		}
	}
	record.discardDownloads() // of a process killed just before its end
	return record, nil
}

// given finds the files of the set below the path of --from; nil without one.
func (o Options) given(source Source) (paths []string, err error) {
	if o.From == "" {
		return nil, nil
	}
	if info, err := os.Stat(o.From); err == nil && !info.IsDir() {
		if n := len(source.Files); n > 1 {
			return nil, usageErrorf("--from %s: expected a folder: %s consists of %d files", o.From, source.Name, n)
		}
		return []string{o.From}, nil
	}
	for _, file := range source.Files {
		path := filepath.Join(o.From, file.Name)
		if _, err := os.Stat(path); err != nil {
			return nil, usageErrorf("--from %s: expected the file %s in this folder", o.From, file.Name)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// check reads the file at path, which comes from `from`, and compares it with the catalogue.
func check(ctx context.Context, path, from string, want File) (Download, error) {
	got := Download{Name: want.Name, From: from}
	var err error
	switch got.Bytes, got.SHA256, err = hash(ctx, path); {
	case err != nil:
	case want.Bytes > 0 && got.Bytes != want.Bytes:
		err = fmt.Errorf("%s: expected %d bytes, found %d: not the file of the catalogue, or a part of it", from, want.Bytes,
			got.Bytes)
	case want.SHA256 != "" && !strings.EqualFold(got.SHA256, want.SHA256):
		err = fmt.Errorf("%s: expected the SHA-256 %s (%s), found %s: refused", from, want.SHA256, want.Recorded, got.SHA256)
	}
	return got, err
}

// present reports whether the files of a record exist with their sizes; [Verify] also reads them.
func (r *Record) present() bool {
	for _, e := range r.Files {
		if info, err := os.Stat(filepath.Join(r.dir, FilesName, filepath.FromSlash(e.Path))); err != nil ||
			info.Size() != e.Bytes {
			return false
		}
	}
	return true
}

// settle moves the unpacked files to their place and writes the record. Nothing else is left in the
// folder then.
func (r *Record) settle(stage string) error {
	name, data := filepath.Join(r.dir, RecordName), filepath.Join(r.dir, FilesName)
	if err := errors.Join(os.RemoveAll(name), os.RemoveAll(data)); err != nil {
		return err
	}
	if err := os.Rename(stage, data); err != nil {
		return err
	}
	if err := durable.SyncDir(r.dir); err != nil {
		return err
	}
	if err := durable.WriteJSON(name, r); err != nil {
		return err
	}
	r.discardDownloads()
	return nil
}

// discardDownloads removes the downloads of a set that is in its place. Leftovers do no harm.
func (r *Record) discardDownloads() {
	for _, d := range r.Downloads {
		os.Remove(filepath.Join(r.dir, d.Name+partSuffix))
	}
}

// full reports whether an error is that of a full disk.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
