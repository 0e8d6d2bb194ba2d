package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	npz := filepath.Join(t.TempDir(), "shapenet57448xyzonly.npz")
	whole := headNPZ(t, 57448, 2048)
	if err := os.WriteFile(npz, whole, 0o644); err != nil {
		t.Fatal(err)
	}

	call := []string{"data", "fetch", "shapenet-core55", "--from", npz}
	wantCall(t, 2, call, "non-commercial research", "https://shapenet.org/terms", "--accept-licence")
	wantCall(t, 2, []string{"data", "info", "shapenet-core55"}, "swlab data fetch shapenet-core55")
	v := object(t, append(call, "--accept-licence")...)
	has(t, v, "name", "path", "kind", "clouds", "points", "classes", "bytes", "licence", "files")
	if sum := v["sha256"].(string); len(sum) != 64 || v["checksum"] != "first use" || v["fetched"] != true || v["bytes"] != float64(len(whole)) {
		t.Errorf("%v", v)
	}
	if v = object(t, call...); v["fetched"] != false {
		t.Errorf("again: %v", v)
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

// headNPZ is a file of that many clouds as far as its headers tell: what follows them is not there.
func headNPZ(t *testing.T, clouds, points int) []byte {
	t.Helper()
	head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d, 3), }", clouds, points)
	npy := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	var b, packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(append(npy, head...))
	z.Write(make([]byte, 1<<12))
	z.Close()
	body := clouds * points * 3
	packed.Write(make([]byte, body/99)) // no clouds shrink by more
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "data.npy", Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(npy) + len(head) + body)})
	if err != nil {
		t.Fatal(err)
	}
	f.Write(packed.Bytes())
	w.Close()
	return b.Bytes()
}

// TestDataFetchWrongFile: a file that is not the set of the catalogue is refused before it is recorded.
// One that an older program recorded, or that differs from what was fetched, is never left in place
// silently: the error says what to delete, and then the right file is fetched.
func TestDataFetchWrongFile(t *testing.T) {
	cache, dir := t.TempDir(), t.TempDir()
	t.Setenv("SWLAB_CACHE", cache)
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(path string, data []byte) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	page := []byte("<!DOCTYPE html><html><head><title>Quota exceeded</title></head></html>")
	whole := headNPZ(t, 57448, 2048)
	put(at("page.npz"), page)
	put(at("few.npz"), headNPZ(t, 57447, 2048))
	put(at("short.npz"), headNPZ(t, 57448, 2047))
	put(at("half.npz"), whole[:len(whole)/2])
	put(at("whole.npz"), whole)
	for name, files := range map[string][]string{"twos.zip": {"benchmark/db/0/a.off", "benchmark/db/1/b.off"}, "else.zip": {"README"}} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, file := range files {
			f, err := w.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			f.Write([]byte(triangleOFF))
		}
		w.Close()
		put(at(name), b.Bytes())
	}
	put(at("other.npz"), append(slices.Clip(whole), 0))
	call := func(name, from string) []string {
		return []string{"data", "fetch", name, "--accept-licence", "--from", at(from)}
	}
	core := filepath.Join(cache, "data", "shapenet-core55")
	for file, says := range map[string]string{
		"page.npz": "expected a .npz archive", "half.npz": "expected a .npz archive", "few.npz": "expected 57448 clouds, found 57447", "short.npz": "expected clouds of 2048 points, found 2047",
	} {
		wantCall(t, 2, call("shapenet-core55", file), "--from: "+at(file), "not shapenet-core55: shapenet57448xyzonly.npz: ", says)
		if left, _ := os.ReadDir(core); len(left) != 0 {
			t.Errorf("%s left %v", file, left)
		}
	}
	for _, set := range []map[string][]byte{
		{"train": headNPZ(t, 5763, 2048), "val": headNPZ(t, 338, 2048), "test": page},
		{"train": headNPZ(t, 5763, 2048), "val": headNPZ(t, 677, 2048), "test": headNPZ(t, 338, 2048)},
	} {
		for part, data := range set {
			put(at(part+".npz"), data)
		}
		wantCall(t, 2, call("shapenet-chairs", ""), "--from: "+dir, "not shapenet-chairs: chairs", "test")
	}
	put(at("val.npz"), headNPZ(t, 338, 2048))
	put(at("test.npz"), headNPZ(t, 677, 2048))
	if v := object(t, call("shapenet-chairs", "")...); v["fetched"] != true {
		t.Errorf("%v", v)
	}
	wantCall(t, 2, call("psb", "page.npz"), "--from: "+at("page.npz"), "expected a zip archive")
	wantCall(t, 2, call("psb", "twos.zip"), "--from: "+at("twos.zip"), "not psb: benchmark/db: expected 1814 clouds, found 2")
	wantCall(t, 2, call("psb", "else.zip"), "--from: ", "benchmark/db")
	wantCall(t, 2, call("modelnet10", "page.npz"), "--from: "+at("page.npz"), "expected 473402300 bytes")

	// Recorded by a program that did not look.
	sum := sha256.Sum256(page)
	text := hex.EncodeToString(sum[:])
	put(filepath.Join(core, "files", "shapenet57448xyzonly.npz"), page)
	put(filepath.Join(core, "fetched.json"), fmt.Appendf(nil, `{"name": "shapenet-core55", "checksum": "first use", "sha256": %[1]q, "bytes": %[2]d, "root": "shapenet57448xyzonly.npz",
		"downloads": [{"name": "shapenet57448xyzonly.npz", "from": "--from", "bytes": %[2]d, "sha256": %[1]q}], "files": [{"path": "shapenet57448xyzonly.npz", "bytes": %[2]d, "sha256": %[1]q}]}`, text, len(page)))
	code, out, errs := command(t, "data", "verify", "shapenet-core55")
	if code != 1 || !strings.Contains(out, "expected a .npz archive") || !strings.Contains(errs, "delete the folder") {
		t.Errorf("verified: exit code %d, %s%s", code, out, errs)
	}
	wantCall(t, 2, call("shapenet-core55", "whole.npz"), "not shapenet-core55", "delete "+core)
	if err := os.Remove(filepath.Join(core, "files", "shapenet57448xyzonly.npz")); err != nil {
		t.Fatal(err)
	}
	wantCall(t, 2, call("shapenet-core55", "whole.npz"), at("whole.npz"), text, "delete "+core)
	if err := os.RemoveAll(core); err != nil {
		t.Fatal(err)
	}
	for _, now := range []bool{true, false} {
		if v := object(t, call("shapenet-core55", "whole.npz")...); v["fetched"] != now {
			t.Errorf("%v", v)
		}
	}
	wantCall(t, 2, call("shapenet-core55", "other.npz"), at("other.npz"), "fetched before", "delete "+core)
	wantCall(t, 2, call("shapenet-core55", "page.npz"), at("page.npz"), "fetched before", "delete "+core)
	wantCall(t, 2, call("shapenet-core55", "none.npz"), "--from", "none.npz")
}

// TestDataFetchArchive: an archive of meshes is unpacked and sampled.
func TestDataFetchArchive(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range 1814 {
		f, err := w.Create(fmt.Sprintf("benchmark/db/%d/m%[1]d/m%[1]d.off", i))
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(triangleOFF))
	}
	w.Close()
	archive := filepath.Join(t.TempDir(), "psb_v1.zip")
	if err := os.WriteFile(archive, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SWLAB_CACHE", t.TempDir())
	if v := object(t, "data", "fetch", "psb", "--accept-licence", "--from", archive); v["fetched"] != true {
		t.Errorf("%v", v)
	}
	out := filepath.Join(t.TempDir(), "clouds.npy")
	if v := object(t, "data", "sample", "psb", "--points", "7", "--out", out); v["clouds"] != 1814.0 {
		t.Errorf("%v", v)
	}
	wantCall(t, 2, []string{"data", "fetch", "modelnet10", "--accept-licence", "--from", out}, out, "expected 473402300 bytes")
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
