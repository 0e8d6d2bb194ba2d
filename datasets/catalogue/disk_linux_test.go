package catalogue

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDiskFull: a full disk is an error that says so, not a reason to retry; the next call resumes.
func TestDiskFull(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v): a full disk was not tried", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	content := noise(2 << 20)
	s := newSite(t, content)
	o := quick(t)
	o.Cache = small
	refused(t, plainSource(content, true, s.URL), o, "no space left", "SWLAB_CACHE")
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
	content = noise(700 << 10) // fits once, not twice: there is no space to unpack
	s.content = content
	source := plainSource(content, true, s.URL)
	source.Name = "other"
	os.RemoveAll(filepath.Join(small, "data", "toy"))
	refused(t, source, o, "no space left")
}
