package catalogue

import (
	"encoding/hex"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// TestCatalogue: every entry can be fetched or says how to get it, names its terms, and has
// complete or no checksums.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		if s.Name == "" || seen[s.Name] || strings.ContainsAny(s.Name, `/\. `) || s.What == "" || s.Licence == "" || s.Clouds == 0 {
			t.Errorf("entry %+v", s)
		}
		seen[s.Name] = true
		if s.Files == nil {
			continue
		}
		if s.Terms == "" || s.TermsURL == "" || s.Root == "" || s.Home == "" {
			t.Errorf("%s: terms, their address, the home page and what is loaded must be known", s.Name)
		}
		for _, f := range s.Files {
			if sum, err := hex.DecodeString(f.SHA256); err != nil || f.SHA256 != "" && (len(sum) != 32 || f.Recorded == "" || f.Bytes == 0) {
				t.Errorf("%s: file %+v", s.Name, f)
			}
			if f.Name != path.Base(f.Name) || (f.URLs == nil) != (s.Manual != "") || f.Archive != "" && s.MaxUnpacked == 0 {
				t.Errorf("%s: file %+v", s.Name, f)
			}
			for _, u := range f.URLs {
				if p, err := url.Parse(u); err != nil || p.Scheme != "https" && f.SHA256 == "" || !strings.HasSuffix(u, f.Name) {
					t.Errorf("%s: address %s: expected https, or a checksum, and the file's name at the end", s.Name, u)
				}
			}
		}
	}
	if b, err := Find(Builtin); err != nil || b.Clouds != 1280 || b.Path("x") != Builtin {
		t.Errorf("%+v, %v", b, err)
	}
	wantError(t, failure(Find("nothing")), "nothing", "modelnet10")
}

// TestLocate: a name means the fetched data set, unless a file has that name.
func TestLocate(t *testing.T) {
	t.Chdir(t.TempDir())
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv("SWLAB_CACHE", cache)
	for _, name := range []string{Builtin, "no-such.npy", "sub/modelnet10"} {
		if got, err := Locate(name); err != nil || got != name {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	wantError(t, failure(Locate("modelnet10")), "modelnet10", cache, "swlab data fetch modelnet10")

	source := must.M1(Find("modelnet10"))
	put(t, filepath.Join(source.Dir(cache), RecordName), []byte("{}"))
	if got, err := Locate("modelnet10"); err != nil || got != source.Path(cache) {
		t.Errorf("fetched: %s, %v", got, err)
	}
	must.M(os.Mkdir("modelnet10", 0o755))
	if got, err := Locate("modelnet10"); err != nil || got != "modelnet10" {
		t.Errorf("a folder of that name: %s, %v", got, err)
	}
	t.Setenv("SWLAB_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	wantError(t, failure(Locate("modelnet40")), "SWLAB_CACHE")
}

func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, expected one with %q", err, text)
		}
	}
}

// failure returns the error of a call.
func failure[T any](_ T, err error) error { return err }
