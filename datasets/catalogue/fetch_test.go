package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/internal/durable"
)

// meshes is a data set of two meshes in a zip archive.
func meshes(t *testing.T, urls ...string) (Source, []byte) {
	const triangle = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
	archive := zipOf(t, "Toy/README", "hello", "Toy/chair/train/chair_1.off", triangle, "Toy/table/test/table_1.off", triangle, "__MACOSX/Toy/._README", "x")
	return Source{Name: "toys", Licence: "free", Terms: "be kind", MaxUnpacked: 1 << 20, Root: "Toy",
		Files: []File{{Name: "toys.zip", URLs: urls, Bytes: int64(len(archive)), SHA256: sumOf(archive), Archive: "zip"}}}, archive
}

// TestFetchArchive: from an archive to clouds that can be loaded. A second call does nothing, and
// damage is found and repaired.
func TestFetchArchive(t *testing.T) {
	s := newSite(t, nil)
	source, archive := meshes(t, s.URL)
	s.content = archive
	o := quick(t)
	ctx := context.Background()
	r, err := Fetch(ctx, source, o)
	if err != nil || !r.Fetched || len(r.Files) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	source.Clouds, source.Parts = 2, map[string]int{"train": 1, "test": 1}
	first := Record{Files: r.Files}
	must.M(first.check(source, filepath.Join(r.dir, FilesName)))
	source.Parts["test"] = 2
	wantError(t, first.check(source, filepath.Join(r.dir, FilesName)), "expected 2 clouds in the part test, found 1")
	o.AcceptLicence = false // once is enough
	if r, err = Fetch(ctx, source, o); err != nil || r.Fetched || len(s.requests()) != 1 {
		t.Errorf("again: %+v, %v, %d requests", r, err, len(s.requests()))
	}

	file := filepath.Join(r.Path(), "README")
	found, err := FindRecord(r.Path())
	if err != nil || found.Name != "toys" {
		t.Fatal(found, err)
	}
	verify := func(want ...string) {
		t.Helper()
		problems, err := found.Verify(ctx, o.Progress)
		if err != nil || len(problems) != len(want) {
			t.Fatalf("found %q, %v", problems, err)
		}
		for i := range want {
			if !strings.Contains(problems[i], want[i]) {
				t.Errorf("found %q, expected %q", problems[i], want[i])
			}
		}
	}
	verify()
	put(t, file, []byte("hullo"))
	put(t, file+"2", nil)
	put(t, filepath.Join(r.Path(), ".hidden"), nil)
	verify("Toy/README: expected 5 bytes with the SHA-256 "+sumOf([]byte("hello")), "Toy/README2: not in the record")
	put(t, file, []byte("hell"))
	verify("found 4 with "+sumOf([]byte("hell")), "README2")
	os.Remove(file)
	verify("Toy/README: missing", "README2")
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := found.Verify(canceled, o.Progress); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := Fetch(ctx, source, o); !errors.As(err, new(UsageError)) || !strings.Contains(err.Error(), "--accept-licence") {
		t.Errorf("without the licence: %v", err)
	}
	o.AcceptLicence = true
	if r, err = Fetch(ctx, source, o); err != nil || !r.Fetched {
		t.Fatalf("damaged: %+v, %v", r, err)
	}
	verify()
	os.RemoveAll(filepath.Join(source.Dir(o.Cache), FilesName))
	verify("missing", "missing", "missing")
}

// TestFirstUse: a file without a published sum is trusted once; other content under its name is
// refused later.
func TestFirstUse(t *testing.T) {
	content := noise(1000)
	s := newSite(t, content)
	source := plainSource(content, false, s.URL)
	o := quick(t)
	r := fetched(t, source, o, content)
	if r.Checksum != "first use" {
		t.Errorf("%+v", r)
	}
	os.Truncate(r.Path(), 3)
	s.content = noise(1001)
	_, err := Fetch(context.Background(), source, o)
	wantError(t, err, sumOf(content), "first fetch")
	s.content = content
	if r = fetched(t, source, o, content); r.Checksum != "first use" {
		t.Errorf("%+v", r)
	}
	// The catalogue now has the sum: no reason to fetch again.
	source.Files[0].SHA256 = sumOf(content)
	if r, err := Fetch(context.Background(), source, o); err != nil || r.Fetched {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestFrom: files downloaded by hand pass the same checks.
func TestFrom(t *testing.T) {
	content := noise(1000)
	dir := t.TempDir()
	file := filepath.Join(dir, "f.bin")
	put(t, file, content)
	manual := plainSource(content, false)
	manual.Manual = "ask nicely"
	if err := refused(t, manual, quick(t), "ask nicely", "--from"); !errors.As(err, new(UsageError)) {
		t.Errorf("%T", err)
	}
	for _, from := range []string{file, dir} {
		fetched(t, manual, quickFrom(t, from), content)
		fetched(t, plainSource(content, true), quickFrom(t, from), content)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file itself must stay: %v", err)
	}
	short := plainSource(content, true)
	short.Files[0].Bytes++
	refused(t, short, quickFrom(t, file), file, "expected 1001 bytes, found 1000")
	wrong := plainSource(noise(2), true)
	wrong.Files[0].Bytes = 0
	refused(t, wrong, quickFrom(t, file), file, "SHA-256")
	two := plainSource(content, true)
	two.Files = append(two.Files, File{Name: "g.bin", To: "sub/g.bin"})
	refused(t, two, quickFrom(t, file), "expected a folder")
	refused(t, two, quickFrom(t, dir), "g.bin")
	refused(t, manual, quickFrom(t, filepath.Join(dir, "no")), "--from")
	put(t, filepath.Join(dir, "g.bin"), content[:7])
	r := fetched(t, two, quickFrom(t, dir), content)
	if r.SHA256 != "" || len(r.Downloads) != 2 || r.Files[1].Path != "sub/g.bin" {
		t.Errorf("%+v", r)
	}
}

func quickFrom(t *testing.T, from string) Options {
	o := quick(t)
	o.From = from
	return o
}

// TestOneAtATime: a second process is refused with a message; leftovers of a killed one are
// removed.
func TestOneAtATime(t *testing.T) {
	content := noise(1000)
	s := newSite(t, content)
	source, o := plainSource(content, true, s.URL), quick(t)
	dir := source.Dir(o.Cache)
	put(t, filepath.Join(dir, FilesName, "left"), nil)
	put(t, filepath.Join(dir, ".unpack", "left"), nil)
	unlock := must.M1(durable.Lock(dir))
	if _, err := Fetch(context.Background(), source, o); !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("locked: %v", err)
	}
	unlock()
	fetched(t, source, o, content)
	if _, err := os.Stat(filepath.Join(dir, FilesName, "left")); err == nil {
		t.Error("data of a killed process are still there")
	}
}

// TestRecord: invalid records are errors.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	wantError(t, failure(FindRecord(filepath.Join(dir, "a", "b"))), RecordName)
	for text, want := range map[string]string{
		`{`:             "expected the record",
		`{"name": "x"}`: "expected a name and files",
	} {
		put(t, filepath.Join(dir, RecordName), []byte(text))
		wantError(t, failure(FindRecord(dir)), want)
	}
	r := Record{Name: "modelnet10", dir: dir, Downloads: []Download{{Name: "ModelNet10.zip", SHA256: "00"}}}
	if problems, err := r.Verify(context.Background(), quick(t).Progress); err != nil || len(problems) != 1 || !strings.Contains(problems[0], "the catalogue has") {
		t.Errorf("an archive that is not the catalogue's: %q, %v", problems, err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}
