package main

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets"
)

const triangleOFF = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"

// wantCall runs a call that must end with this code, say these things on standard error and nothing
// on standard output.
func wantCall(t *testing.T, code int, args []string, texts ...string) {
	t.Helper()
	got, out, errs := command(t, args...)
	if got != code || out != "" {
		t.Errorf("%v: exit code %d, output %q, expected %d and none", args, got, out, code)
	}
	for _, text := range texts {
		if !strings.Contains(errs, text) {
			t.Errorf("%v: %q, expected %q in it", args, errs, text)
		}
	}
}

// TestDataFetchFrom: a data set downloaded by hand, from the terms to a damaged file.
func TestDataFetchFrom(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("SWLAB_CACHE", cache)
	t.Setenv("SWLAB_MIRROR", "http://localhost:1") // --from takes precedence
	npz := filepath.Join(t.TempDir(), "shapenet57448xyzonly.npz")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("data.npy")
	if err != nil {
		t.Fatal(err)
	}
	npy := filepath.Join(t.TempDir(), "x.npy")
	if err := datasets.WriteNPY(npy, []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2}, 2, 2, 3); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(npy)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(data)
	w.Close()
	if err := os.WriteFile(npz, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}

	call := []string{"data", "fetch", "shapenet-core55", "--from", npz}
	wantCall(t, 2, call, "non-commercial research", "https://shapenet.org/terms", "--accept-licence")
	wantCall(t, 2, []string{"data", "info", "shapenet-core55"}, "swlab data fetch shapenet-core55")
	v := object(t, append(call, "--accept-licence")...)
	has(t, v, "name", "path", "kind", "clouds", "points", "classes", "bytes", "licence", "files")
	if sum := v["sha256"].(string); len(sum) != 64 || v["checksum"] != "first use" || v["fetched"] != true || v["bytes"] != float64(b.Len()) {
		t.Errorf("%v", v)
	}
	if v = object(t, call...); v["fetched"] != false {
		t.Errorf("again: %v", v)
	}
	if info := object(t, "data", "info", "shapenet-core55"); info["clouds"] != 2.0 || info["points"] != 2.0 {
		t.Errorf("%v", info)
	}
	for _, args := range [][]string{{}, {"shapenet-core55"}, {v["path"].(string)}} {
		if v := object(t, append([]string{"data", "verify"}, args...)...); v["ok"] != true || len(v["sets"].([]any)) != 1 {
			t.Errorf("%v: %v", args, v)
		}
	}
	list := object(t, "data", "list")
	has(t, list, "cache", "sets")
	for _, s := range list["sets"].([]any) {
		s := s.(map[string]any)
		if here := s["name"] == "builtin" || s["name"] == "shapenet-core55"; s["fetched"] != here {
			t.Errorf("%v fetched: %v", s["name"], s["fetched"])
		}
	}
	if err := os.Truncate(v["path"].(string), 9); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "data", "verify", "--format", "json")
	if code != 1 || !strings.Contains(out, `"ok":false`) || !strings.Contains(out, "found 9") || !strings.Contains(errs, "shapenet-core55: not as fetched") {
		t.Errorf("damaged: exit code %d, %q, %q", code, out, errs)
	}
	other := filepath.Join(t.TempDir(), "cache")
	if v := object(t, append(call, "--accept-licence", "--cache", other)...); !strings.HasPrefix(v["path"].(string), other) {
		t.Errorf("%v", v)
	}
	if v := object(t, "data", "verify", "--cache", other); v["ok"] != true {
		t.Errorf("%v", v)
	}
}

// TestDataFetchMirror: over the network, with failures.
func TestDataFetchMirror(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("benchmark/db/0/m1/m1.off")
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte(triangleOFF))
	w.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/psb_v1.zip" {
			http.NotFound(w, r)
			return
		}
		w.Write(b.Bytes())
	}))
	defer server.Close()
	t.Setenv("SWLAB_CACHE", t.TempDir())
	t.Setenv("SWLAB_MIRROR", server.URL)
	v := object(t, "data", "fetch", "psb", "--accept-licence")
	if v["fetched"] != true || v["downloads"].([]any)[0].(map[string]any)["from"] != server.URL+"/psb_v1.zip" {
		t.Errorf("%v", v)
	}
	out := filepath.Join(t.TempDir(), "clouds.npy")
	if v := object(t, "data", "sample", "psb", "--points", "7", "--out", out); v["clouds"] != 1.0 {
		t.Errorf("%v", v)
	}
	wantCall(t, 1, []string{"data", "fetch", "modelnet10", "--accept-licence"}, "/ModelNet10.zip", "404", "--mirror", "--from")
	wantCall(t, 1, []string{"data", "fetch", "modelnet10", "--accept-licence", "--mirror", server.URL + "/psb_v1.zip"}, "404")
	wantCall(t, 1, []string{"data", "fetch", "modelnet10", "--accept-licence", "--from", out}, out, "expected 473402300 bytes")
}

func TestDataWrongCalls(t *testing.T) {
	t.Setenv("SWLAB_CACHE", t.TempDir())
	for _, c := range []struct{ call, text string }{
		{"data fetch", "arg"},
		{"data fetch nothing", "modelnet10"},
		{"data fetch builtin", "nothing to fetch"},
		{"data fetch shapenet-core55 --accept-licence", "https://shapenet.org"},
		{"data fetch shapenet-chairs --accept-licence --from /", "train.npz"},
		{"data fetch modelnet10 --accept-licence --from /nowhere", "--from"},
		{"data fetch modelnet10 --accept-licence --mirror nowhere", "--mirror"},
		{"data fetch modelnet10 --stall 0s", "--stall"},
		{"data list nothing", "modelnet10"},
		{"data verify builtin", "TestShapesChecksum"},
		{"data verify modelnet10", "not been fetched"},
		{"data verify /", "fetched.json"},
		{"data sample /nowhere --out x.npy", "/nowhere"},
		{"data sample modelnet10", "--out"},
		{"data sample modelnet10 --out x.npy", "swlab data fetch modelnet10"},
		{"data sample modelnet10 --out x.npy --points 0", "--points"},
	} {
		wantCall(t, 2, strings.Fields(c.call), c.text)
	}
	if v := object(t, "data", "verify"); v["ok"] != true || len(v["sets"].([]any)) != 0 {
		t.Errorf("nothing fetched: %v", v)
	}
	for _, call := range [][]string{{"data", "list"}, {"data", "list", "psb"}, {"data", "verify"}} {
		if code, out, errs := command(t, call...); code != 0 || out == "" {
			t.Errorf("%v: exit code %d, %q, %q", call, code, out, errs)
		}
	}
}

// TestDataSample: a folder of meshes becomes a folder of clouds that other calls read.
func TestDataSample(t *testing.T) {
	in := t.TempDir()
	for _, name := range []string{"rod/train/a.off", "plate/train/b.off", "plate/test/c.off", "plate/val/d.off"} {
		path := filepath.Join(in, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(triangleOFF), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "clouds")
	v := object(t, "data", "sample", in, "--points", "30", "--out", out, "--seed", "3", "--raw")
	if v["path"] != out || v["kind"] != "folder" || v["clouds"] != 4.0 || v["points"] != 30.0 || v["classes"] != 2.0 || v["train"] != 2.0 || v["test"] != 1.0 || v["val"] != 1.0 {
		t.Errorf("%v", v)
	}
	got, err := datasets.Load(out, datasets.Options{Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := datasets.Load(in, datasets.Options{Raw: true, Points: 30, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Coords, want.Coords) || !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Split, want.Split) || !slices.Equal(got.Classes, want.Classes) {
		t.Error("not what loading the meshes gives")
	}
	wantCall(t, 2, []string{"data", "sample", in, "--out", out}, "not empty")
}
