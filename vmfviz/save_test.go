package vmfviz

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestSave: every kind, whole files only, no left-overs, errors that name the
// file.
func TestSave(t *testing.T) {
	p := must.M1(Sphere(SphereOptions{}, SpherePanel{}))
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.SVG", "c.pdf"} {
		if err := p.Save(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	missing := filepath.Join(dir, "no", "c.png")
	if err := p.Save(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing folder: %v", err)
	}
	if err := p.Save(filepath.Join(dir, "d.gif")); err == nil || !strings.Contains(err.Error(), "d.gif") || !strings.Contains(err.Error(), ".png, .svg or .pdf") {
		t.Errorf("GIF: %v", err)
	}
	must.M(os.Mkdir(filepath.Join(dir, "e.png"), 0o755))
	if err := p.Save(filepath.Join(dir, "e.png")); err == nil {
		t.Error("a folder was overwritten")
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 4 {
		t.Errorf("files left: %v", left)
	}
	f := must.M1(os.Open(filepath.Join(dir, "a.png")))
	defer f.Close()
	c, kind, err := image.DecodeConfig(f)
	if w, h := p.Size(); err != nil || kind != "png" || c.Width != 2*w || c.Height != 2*h {
		t.Errorf("%s of %d × %d, err %v; expected two pixels for one of %d × %d", kind, c.Width, c.Height, err, w, h)
	}
}
