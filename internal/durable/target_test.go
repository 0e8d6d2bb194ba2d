package durable

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

func hello(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }

func read(t *testing.T, path string) string {
	t.Helper()
	return string(must.M1(os.ReadFile(path)))
}

// TestLinks: a symbolic link stays and its target is replaced, through chains, relative links in
// linked folders, and for a missing target.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"real", "real/deep", "other"} {
		must.M(os.Mkdir(at(name), 0o755))
	}
	for link, to := range map[string]string{
		"a": "other/file", "b": "a", "folder": "real/deep", "real/deep/up": "../new", "lost": "none/file", "round": "circle", "circle": "round",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	must.M(os.WriteFile(at("other/file"), []byte("old"), 0o640))
	for path, file := range map[string]string{"b": "other/file", "folder/up": "real/new"} {
		must.M(Write(at(path), hello))
		if got := read(t, at(file)); got != "hello" {
			t.Errorf("%s through %s holds %q", file, path, got)
		}
		if info, err := os.Lstat(at(path)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v %v", path, info.Mode(), err)
		}
	}
	for _, path := range []string{"lost", "round"} {
		if err := Write(at(path), hello); err == nil || !strings.HasPrefix(err.Error(), at(path)+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestMode: an existing file keeps its permissions.
func TestMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, mode := range []fs.FileMode{newMode, 0o600, 0o755} {
		must.M(Write(path, hello))
		if mode != newMode {
			must.M(errors.Join(os.Chmod(path, mode), Write(path, hello)))
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%v %v, expected %v", info.Mode(), err, mode)
		}
	}
}

// TestRegularOnly: anything but a regular file is refused by name and left unchanged, also at the
// end of a link.
func TestRegularOnly(t *testing.T) {
	dir := t.TempDir()
	folder, socket, link := filepath.Join(dir, "folder"), filepath.Join(dir, "s"), filepath.Join(dir, "link")
	must.M(os.Mkdir(folder, 0o755))
	cases := map[string]string{folder: "a folder"}
	if l, err := net.Listen("unix", socket); err == nil {
		defer l.Close()
		cases[socket] = "a socket"
		if err := os.Symlink(socket, link); err == nil {
			cases[link] = "a socket"
		}
	}
	for path, kind := range special(t, dir) {
		cases[path] = kind
	}
	for path, kind := range cases {
		before := must.M1(os.Lstat(path))
		var wrong *Error
		if err := Write(path, hello); !errors.As(err, &wrong) || err.Error() != path+": expected a regular file, found "+kind {
			t.Error(err)
		}
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s was %v and is %v, %v", path, before.Mode(), after.Mode(), err)
		}
	}
}
