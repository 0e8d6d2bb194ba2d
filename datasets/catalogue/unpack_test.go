package catalogue

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// unpackBytes unpacks an archive into a new folder.
func unpackBytes(t *testing.T, archive []byte, most limits) ([]Entry, string, error) {
	t.Helper()
	base := t.TempDir()
	local, stage := filepath.Join(base, "archive"), filepath.Join(base, "stage")
	put(t, local, archive)
	must.M(os.Mkdir(stage, 0o755))
	entries, err := place(local, File{Name: "archive", Archive: "zip"}, stage, most)
	if found, _ := os.ReadDir(base); len(found) != 2 {
		t.Errorf("written outside: %v", found)
	}
	return entries, stage, err
}

var roomy = limits{bytes: 1 << 30, files: 100}

func TestUnpack(t *testing.T) {
	archive := zipOf(t, "a/", "", "a/b.txt", "a/b.txt", "./c", "./c", "__MACOSX/a", "x", "a/.DS_Store", "x")
	entries, stage := must.M2(unpackBytes(t, archive, roomy))
	if want := []Entry{{"a/b.txt", 7, sumOf([]byte("a/b.txt"))}, {"c", 3, sumOf([]byte("./c"))}}; !slices.Equal(entries, want) {
		t.Errorf("%v", entries)
	}
	if got, err := os.ReadFile(filepath.Join(stage, "a", "b.txt")); err != nil || string(got) != "a/b.txt" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestUnpackRefused: archives that are broken or harmful.
func TestUnpackRefused(t *testing.T) {
	good := zipOf(t, "a", strings.Repeat("abc", 1000))
	many := make([]string, 0, 202)
	for i := range 101 {
		many = append(many, "f"+string(rune('0'+i%10))+string(rune('a'+i/10)), "")
	}
	for name, c := range map[string]struct {
		archive []byte
		budget  limits
		text    string
	}{
		"upwards":          {zipOf(t, "a/../../x", "x"), roomy, "leads out"},
		"absolute":         {zipOf(t, "/tmp/x", "x"), roomy, "leads out"},
		"backslash":        {zipOf(t, `..\x`, "x"), roomy, "leads out"},
		"not UTF-8":        {zipOf(t, "a\xff/b", "x"), roomy, "not UTF-8"},
		"no name":          {zipWith(t, zip.FileHeader{Name: "."}, "x"), roomy, "."},
		"symbolic link":    {zipLink(t), roomy, "refused"},
		"twice":            {zipOf(t, "a", "1", "a", "2"), roomy, "twice"},
		"file and folder":  {zipOf(t, "a", "1", "a/b", "2"), roomy, "a/b"},
		"bomb":             {zipOf(t, "a", strings.Repeat("\x00", 4<<20)), roomy, "far more"},
		"bomb in pieces":   {zipOf(t, "a", strings.Repeat("\x00", 700<<10), "b", strings.Repeat("\x00", 700<<10)), roomy, "b: unpacks to far more"},
		"over the bound":   {good, limits{bytes: 2999, files: 9}, "bound"},
		"together over it": {zipOf(t, "a", strings.Repeat("a", 2000), "b", strings.Repeat("b", 2000)), limits{bytes: 3999, files: 9}, "b: unpacks to far more"},
		"too many files":   {zipOf(t, many...), roomy, "more files than"},
		"nothing in it":    {zipOf(t), roomy, "no files"},
		"not a zip":        {[]byte("<html>"), roomy, "expected a zip"},
		"cut":              {good[:len(good)-5], roomy, "expected a zip"},
		"a bit of content": {flip(zipStored(t), "content"), roomy, "checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unpackBytes(t, c.archive, c.budget)
			wantError(t, err, c.text)
		})
	}
}

// zipWith is a zip archive of one stored file.
func zipWith(t *testing.T, h zip.FileHeader, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h.CRC32, h.UncompressedSize64, h.CompressedSize64 = crc32.ChecksumIEEE([]byte(content)), uint64(len(content)), uint64(len(content))
	must.M1(w.CreateRaw(&h)).Write([]byte(content))
	w.Close()
	return b.Bytes()
}

func zipStored(t *testing.T) []byte { return zipWith(t, zip.FileHeader{Name: "a"}, "some content") }

func zipLink(t *testing.T) []byte {
	h := zip.FileHeader{Name: "l"}
	h.SetMode(fs.ModeSymlink | 0o777)
	return zipWith(t, h, "/etc/passwd")
}

// flip changes the first byte of text.
func flip(b []byte, text string) []byte {
	b[bytes.Index(b, []byte(text))] ^= 1
	return b
}

// FuzzUnpack: whatever an archive holds, it is unpacked within its folder and its bounds, to the
// files that are listed, or not at all.
func FuzzUnpack(f *testing.F) {
	f.Add(zipOf(f, "a/b.txt", "text", "__MACOSX/a", "x"))
	f.Add(zipOf(f, "a/../../x", "x"))
	f.Fuzz(func(t *testing.T, archive []byte) {
		b := limits{bytes: 1 << 20, files: 20}
		entries, stage, err := unpackBytes(t, archive, b)
		if err != nil {
			return
		}
		listed := map[string]bool{}
		total := int64(0)
		for _, e := range entries {
			raw, err := os.ReadFile(filepath.Join(stage, filepath.FromSlash(e.Path)))
			if err != nil || int64(len(raw)) != e.Bytes || sumOf(raw) != e.SHA256 {
				t.Errorf("%+v: %d bytes, %v", e, len(raw), err)
			}
			listed[e.Path] = true
			total += e.Bytes
		}
		if total > b.bytes || len(entries) > b.files {
			t.Errorf("%d bytes in %d files", total, len(entries))
		}
		err = fs.WalkDir(os.DirFS(stage), ".", func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && (!listed[name] || !e.Type().IsRegular()) {
				t.Errorf("%s (%v) is not listed", name, e.Type())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
