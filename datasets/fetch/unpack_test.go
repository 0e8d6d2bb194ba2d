package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
)

// unpackBytes unpacks an archive into a new folder.
func unpackBytes(t *testing.T, kind string, archive []byte, b budget) ([]Entry, string, error) {
	t.Helper()
	base := t.TempDir()
	local, stage := filepath.Join(base, "archive"), filepath.Join(base, "stage")
	put(t, local, archive)
	if err := os.Mkdir(stage, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := place(local, datasets.File{Name: "archive", Archive: kind}, stage, &b)
	if found, _ := os.ReadDir(base); len(found) != 2 {
		t.Errorf("written outside: %v", found)
	}
	return entries, stage, err
}

var roomy = budget{bytes: 1 << 30, files: 100}

// tarOf is a tar.gz archive of these headers; regular files hold their name.
func tarOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		h.Mode = 0o644
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(h.Name))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			w.Write([]byte(h.Name))
		}
	}
	w.Close()
	z.Close()
	return b.Bytes()
}

func TestUnpack(t *testing.T) {
	reg := func(name string) tar.Header { return tar.Header{Name: name, Typeflag: tar.TypeReg} }
	for kind, archive := range map[string][]byte{
		"zip":    zipOf(t, "a/", "", "a/b.txt", "a/b.txt", "./c", "./c", "__MACOSX/a", "x", "a/.DS_Store", "x"),
		"tar.gz": tarOf(t, tar.Header{Name: "a/", Typeflag: tar.TypeDir}, reg("a/b.txt"), reg("./c"), reg("__MACOSX/a"), reg("a/.DS_Store")),
	} {
		entries, stage, err := unpackBytes(t, kind, archive, roomy)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		want := []Entry{{"a/b.txt", 7, sumOf([]byte("a/b.txt"))}, {"c", 3, sumOf([]byte("./c"))}}
		if !slices.Equal(entries, want) {
			t.Errorf("%s: %v", kind, entries)
		}
		if got, err := os.ReadFile(filepath.Join(stage, "a", "b.txt")); err != nil || string(got) != "a/b.txt" {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
	}
}

// TestUnpackRefused: archives that are broken or harmful.
func TestUnpackRefused(t *testing.T) {
	good := zipOf(t, "a", strings.Repeat("abc", 1000))
	reg := tar.Header{Name: "a", Typeflag: tar.TypeReg}
	goodTar := tarOf(t, reg)
	many := make([]string, 0, 202)
	for i := range 101 {
		many = append(many, "f"+string(rune('0'+i%10))+string(rune('a'+i/10)), "")
	}
	for name, c := range map[string]struct {
		kind    string
		archive []byte
		budget  budget
		text    string
	}{
		"upwards":             {"zip", zipOf(t, "a/../../x", "x"), roomy, "leads out"},
		"upwards in tar":      {"tar.gz", tarOf(t, tar.Header{Name: "../x", Typeflag: tar.TypeReg}), roomy, "leads out"},
		"absolute":            {"zip", zipOf(t, "/tmp/x", "x"), roomy, "leads out"},
		"absolute in tar":     {"tar.gz", tarOf(t, tar.Header{Name: "/tmp/x", Typeflag: tar.TypeReg}), roomy, "leads out"},
		"backslash":           {"zip", zipOf(t, `..\x`, "x"), roomy, "leads out"},
		"not UTF-8":           {"zip", zipOf(t, "a\xff/b", "x"), roomy, "not UTF-8"},
		"not UTF-8 in tar":    {"tar.gz", tarOf(t, tar.Header{Name: "a\xff", Typeflag: tar.TypeReg}), roomy, "not UTF-8"},
		"no name":             {"zip", zipWith(t, zip.FileHeader{Name: "."}, "x"), roomy, "."},
		"symbolic link":       {"zip", zipLink(t), roomy, "refused"},
		"link in tar":         {"tar.gz", tarOf(t, tar.Header{Name: "l", Linkname: "/etc", Typeflag: tar.TypeSymlink}), roomy, "refused"},
		"hard link in tar":    {"tar.gz", tarOf(t, reg, tar.Header{Name: "l", Linkname: "a", Typeflag: tar.TypeLink}), roomy, "refused"},
		"device in tar":       {"tar.gz", tarOf(t, tar.Header{Name: "d", Typeflag: tar.TypeChar}), roomy, "refused"},
		"twice":               {"zip", zipOf(t, "a", "1", "a", "2"), roomy, "twice"},
		"file and folder":     {"zip", zipOf(t, "a", "1", "a/b", "2"), roomy, "a/b"},
		"bomb":                {"zip", zipOf(t, "a", strings.Repeat("\x00", 4<<20)), roomy, "far more"},
		"bomb in pieces":      {"zip", zipOf(t, "a", strings.Repeat("\x00", 700<<10), "b", strings.Repeat("\x00", 700<<10)), roomy, "b: unpacks to far more"},
		"over the bound":      {"zip", good, budget{bytes: 2999, files: 9}, "bound"},
		"together over it":    {"zip", zipOf(t, "a", strings.Repeat("a", 2000), "b", strings.Repeat("b", 2000)), budget{bytes: 3999, files: 9}, "b: unpacks to far more"},
		"too many files":      {"zip", zipOf(t, many...), roomy, "more than"},
		"nothing in it":       {"zip", zipOf(t), roomy, "no files"},
		"nothing in tar":      {"tar.gz", tarOf(t), roomy, "no files"},
		"not a zip":           {"zip", []byte("<html>"), roomy, "expected a zip"},
		"not a tar":           {"tar.gz", []byte("<html>"), roomy, "expected a gzipped"},
		"cut":                 {"zip", good[:len(good)-5], roomy, "expected a zip"},
		"cut tar":             {"tar.gz", goodTar[:len(goodTar)/2], roomy, "unexpected EOF"},
		"tar without its sum": {"tar.gz", goodTar[:len(goodTar)-4], roomy, "damaged"},
		"a bit of content":    {"zip", flip(zipStored(t), "content"), roomy, "checksum"},
		"an unknown kind":     {"rar", good, roomy, "rar"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unpackBytes(t, c.kind, c.archive, c.budget)
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, expected %q in it", err, c.text)
			}
		})
	}
}

// zipWith is a zip archive of one stored file.
func zipWith(t *testing.T, h zip.FileHeader, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h.CRC32, h.UncompressedSize64, h.CompressedSize64 = crc32.ChecksumIEEE([]byte(content)), uint64(len(content)), uint64(len(content))
	f, err := w.CreateRaw(&h)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte(content))
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
	f.Add(true, zipOf(f, "a/b.txt", "text", "__MACOSX/a", "x"))
	f.Add(true, zipOf(f, "a/../../x", "x"))
	f.Add(false, tarOf(f, tar.Header{Name: "a/b.txt", Typeflag: tar.TypeReg}, tar.Header{Name: "c", Typeflag: tar.TypeReg}))
	f.Add(false, tarOf(f, tar.Header{Name: "l", Linkname: "/etc", Typeflag: tar.TypeSymlink}))
	f.Fuzz(func(t *testing.T, zipped bool, archive []byte) {
		b, kind := budget{bytes: 1 << 20, files: 20}, "tar.gz"
		if zipped {
			kind = "zip"
		}
		entries, stage, err := unpackBytes(t, kind, archive, b)
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
