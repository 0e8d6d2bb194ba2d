package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets"
)

// TestDataFetchFrom: a data set downloaded by hand, from the terms to a damaged file.
func TestDataFetchFrom(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("SWLAB_CACHE", cache)
	npz := filepath.Join(t.TempDir(), "shapenet57448xyzonly.npz")
	whole := headNPZ(t, 57448, 2048)
	put(t, npz, whole)

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
	must.M(os.Truncate(v["path"].(string), 9))
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
	z := must.M1(flate.NewWriter(&packed, flate.BestSpeed))
	z.Write(append(npy, head...))
	z.Write(make([]byte, 1<<12))
	z.Close()
	body := clouds * points * 3
	packed.Write(make([]byte, body/99)) // no clouds shrink by more
	w := zip.NewWriter(&b)
	f := must.M1(w.CreateRaw(&zip.FileHeader{Name: "data.npy", Method: zip.Deflate,
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(npy) + len(head) + body)}))
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
	page := []byte("<!DOCTYPE html><html><head><title>Quota exceeded</title></head></html>")
	whole := headNPZ(t, 57448, 2048)
	for name, raw := range map[string][]byte{"page.npz": page, "few.npz": headNPZ(t, 57447, 2048), "short.npz": headNPZ(t, 57448, 2047), "half.npz": whole[:len(whole)/2],
		"whole.npz": whole, "other.npz": append(slices.Clip(whole), 0), "train.npz": headNPZ(t, 5763, 2048), "val.npz": headNPZ(t, 677, 2048), "test.npz": headNPZ(t, 338, 2048)} {
		put(t, at(name), raw)
	}
	writeZip(t, at("one.zip"), "benchmark/db/0/a.off", []byte(triangleOFF))
	call := func(name, from string) []string {
		return []string{"data", "fetch", name, "--accept-licence", "--from", at(from)}
	}
	core := filepath.Join(cache, "data", "shapenet-core55")
	for file, says := range map[string]string{"page.npz": `expected a .npz archive (zip), found a file that begins with "<!DOCTYPE html>`, "half.npz": "expected a .npz archive",
		"few.npz": "expected 57448 clouds, found 57447", "short.npz": "expected clouds of 2048 points, found 2047"} {
		wantCall(t, 2, call("shapenet-core55", file), "--from: "+at(file), "not shapenet-core55: shapenet57448xyzonly.npz: ", says)
		if left, _ := os.ReadDir(core); len(left) != 0 {
			t.Errorf("%s left %v", file, left)
		}
	}
	wantCall(t, 2, call("shapenet-chairs", ""), "--from: "+dir, "not shapenet-chairs: chairs", "test") // val and test are exchanged
	wantCall(t, 2, call("psb", "page.npz"), "--from: "+at("page.npz"), "expected a zip archive")
	wantCall(t, 2, call("psb", "one.zip"), "--from: "+at("one.zip"), "not psb: benchmark/db: expected 1814 clouds, found 1")
	wantCall(t, 2, call("modelnet10", "page.npz"), "--from: "+at("page.npz"), "expected 473402300 bytes")

	// Recorded by a program that did not look.
	text := fmt.Sprintf("%x", sha256.Sum256(page))
	put(t, filepath.Join(core, "files", "shapenet57448xyzonly.npz"), page)
	put(t, filepath.Join(core, "fetched.json"), fmt.Appendf(nil, `{"name": "shapenet-core55", "checksum": "first use", "sha256": %[1]q, "bytes": %[2]d, "root": "shapenet57448xyzonly.npz",
		"downloads": [{"name": "shapenet57448xyzonly.npz", "from": "--from", "bytes": %[2]d, "sha256": %[1]q}], "files": [{"path": "shapenet57448xyzonly.npz", "bytes": %[2]d, "sha256": %[1]q}]}`, text, len(page)))
	code, out, errs := command(t, "data", "verify", "shapenet-core55")
	if code != 1 || !strings.Contains(out, "expected a .npz archive") || !strings.Contains(errs, "delete the folder") {
		t.Errorf("verified: exit code %d, %s%s", code, out, errs)
	}
	wantCall(t, 2, call("shapenet-core55", "whole.npz"), "not shapenet-core55", "delete "+core)
	must.M(os.RemoveAll(core))
	object(t, call("shapenet-core55", "whole.npz")...)
	wantCall(t, 2, call("shapenet-core55", "other.npz"), at("other.npz"), "fetched before", "delete "+core)
}

// TestDataSample: a folder of meshes becomes a folder of clouds that other calls read.
func TestDataSample(t *testing.T) {
	in := t.TempDir()
	for _, name := range []string{"rod/train/a.off", "plate/train/b.off", "plate/test/c.off", "plate/val/d.off"} {
		put(t, filepath.Join(in, name), []byte(triangleOFF))
	}
	out := filepath.Join(t.TempDir(), "clouds")
	v := object(t, "data", "sample", in, "--points", "30", "--out", out, "--seed", "3", "--raw")
	if v["path"] != out || v["kind"] != "folder" || v["clouds"] != 4.0 || v["points"] != 30.0 || v["classes"] != 2.0 || v["train"] != 2.0 || v["test"] != 1.0 || v["val"] != 1.0 {
		t.Errorf("%v", v)
	}
	got := must.M1(datasets.Load(out, datasets.Options{Raw: true}))
	want := must.M1(datasets.Load(in, datasets.Options{Raw: true, Points: 30, Seed: 3}))
	if !slices.Equal(got.Coords, want.Coords) || !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Split, want.Split) || !slices.Equal(got.Classes, want.Classes) {
		t.Error("not what loading the meshes gives")
	}
	wantCall(t, 2, []string{"data", "sample", in, "--out", out}, "not empty")
}
