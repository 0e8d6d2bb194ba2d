package datasets

import (
	"encoding/hex"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// TestCatalogue: every entry can be fetched or says how to get it, names its terms, and has
// complete or no checksums.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Catalogue() {
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
	if b, err := FindSource(Builtin); err != nil || b.Clouds != 1280 || b.Path("x") != Builtin {
		t.Errorf("%+v, %v", b, err)
	}
	_, err := FindSource("nothing")
	wantError(t, err, "nothing", "modelnet10")
}

// TestLocate: a name means the fetched data set, unless a file has that name.
func TestLocate(t *testing.T) {
	t.Chdir(t.TempDir())
	cache := filepath.Join(t.TempDir(), "cache")
	t.Setenv(cacheVariable, cache)
	for _, name := range []string{Builtin, "no-such.npy", "sub/modelnet10"} {
		if got, err := Locate(name); err != nil || got != name {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	_, err := Load("modelnet10", Options{})
	wantError(t, err, "modelnet10", cache, "swlab data fetch modelnet10")

	source, err := FindSource("modelnet10")
	if err != nil {
		t.Fatal(err)
	}
	const triangle = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
	chair := filepath.Join(source.Path(cache), "chair", "train", "chair_0001.off")
	for name, text := range map[string]string{chair: triangle, filepath.Join(source.Dir(cache), RecordName): "{}"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set := load(t, "modelnet10", Options{Points: 8})
	if set.Clouds != 1 || set.Classes[0] != "chair" || set.Split[0] != TrainPart {
		t.Errorf("%+v", set)
	}
	if clouds, err := Load("modelnet10", Options{}); err != nil || clouds.Clouds != 1 {
		t.Errorf("opened: %v", err)
	}
	if err := os.Mkdir("modelnet10", 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Locate("modelnet10"); err != nil || got != "modelnet10" {
		t.Errorf("a folder of that name: %s, %v", got, err)
	}
	t.Setenv(cacheVariable, "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	_, err = Locate("modelnet40")
	wantError(t, err, cacheVariable)
}
