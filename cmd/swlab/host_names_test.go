package main

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
)

// TestOutputsNameNoHost: no file that a call writes, and no answer, names the working folder, the
// home folder, the temporary folder, the machine or the user. The calls get relative paths only.
func TestOutputsNameNoHost(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	here := must.M1(os.Getwd())
	anyClouds(t)
	dir := misuseInputs(t)
	clouds := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2}
	must.M(format.WriteNPZ(filepath.Join(dir, "shapenet57448xyzonly.npz"), clouds, []int{2, 2, 3}, nil))
	inputs := digests(t, dir)
	home, temporary := t.TempDir(), t.TempDir()
	names := map[string]string{
		"the working folder": dir, "the folder of the program's source": filepath.Dir(filepath.Dir(here)), "the home folder": home, "the temporary folder": temporary,
		"the user": "user-of-this-test",
	}
	t.Chdir(dir)
	for name, value := range map[string]string{"HOME": home, "TMPDIR": temporary, "USER": names["the user"], "LOGNAME": names["the user"]} {
		t.Setenv(name, value)
	}
	if host, err := os.Hostname(); err == nil && len(host) > 3 {
		names["the machine"] = host
	}
	// root is a word of its own: in an answer, the root of a distance.
	if u, err := user.Current(); err == nil && u.Username != "root" && len(u.Username) > 3 {
		names["the user's account"], names["the account's home folder"] = u.Username, u.HomeDir
	}

	const sweep = "sweep --vary kappa=1,2 --loss v-dsw --data data --points 16 --batch 5 --steps 1 --set slices=3 --out sweep "
	const table = "table run ablation_kappa --preset smoke --rows v-dsw,sw --data data --jobs 2 --out store "
	const diverging = "train --data data --loss sw --points 40 --batch 5 --steps 1 --learning-rate 3e38 --out broken --backend go"
	if code, stdout, _ := command(t, strings.Fields(diverging)...); code != 1 || stdout != "" {
		t.Fatalf("%s: exit code %d, %s", diverging, code, stdout)
	}
	answers := map[string]string{}
	for _, call := range []string{
		"train --data data --loss v-dsw --amortizer la --points 40 --batch 5 --epochs 1 --slices 3 --dk 8 --k 8 --checkpoint-every 1 --out run",
		"evaluate --run run --out-per-cloud scores.npy",
		"encode --run run --x x.npy --out codes.npy",
		"generate --run run --epochs 1 --distances cd --store distances --out generated.npy",
		"direction --amortizer l --x x.npy --y y.npy --out directions.npy",
		"distance --loss sw --x x.npy --y y.npy --slices 4 --out-slices slices.npy --out-grad grad.npy --out-directions drawn.npy",
		"data fetch shapenet-core55 --accept-licence --from . --cache cache",
		"data sample tri.off --points 16 --out sampled",
		"plot sphere --kappa 5 --out sphere.html",
		"plot clouds --x one.npy --out clouds.pdf",
		"plot clouds --x one.npy --out clouds.png",
		"plot curves --run run --out curves.svg",
		sweep + "--plot sweep.svg",
		table + "--pictures pictures",
	} {
		code, stdout, stderr := command(t, strings.Fields(call+" --format json")...)
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", call, code, stderr)
		}
		answers[call] = stdout
	}
	kinds := map[string]int{}
	must.M(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || !e.Type().IsRegular() || inputs[rel] != "" {
			return err
		}
		raw, err := os.ReadFile(path)
		answers[rel] = rel + "\n" + string(unpacked(t, raw))
		kinds[filepath.Ext(rel)]++
		return err
	}))
	for where, content := range answers {
		for what, name := range names {
			if at := strings.Index(content, name); at >= 0 {
				t.Errorf("%s names %s: ...%s...", where, what, content[max(0, at-60):min(len(content), at+len(name)+60)])
			}
		}
	}
	t.Logf("%d files and answers; files by extension: %v", len(answers), kinds)
	for _, kind := range strings.Fields(".json .jsonl .safetensors .npy .npz .png .svg .pdf .html .txt .md .csv .tex .log") {
		if kinds[kind] == 0 {
			t.Errorf("no %s among the files", kind)
		}
	}
}

// unpacked is the content of a file and, of a zip or a PDF, of what is compressed in it.
func unpacked(t *testing.T, raw []byte) []byte {
	t.Helper()
	out := bytes.Clone(raw)
	add := func(r io.Reader, err error) {
		must.M(err)
		out = append(out, must.M1(io.ReadAll(r))...)
	}
	if z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw))); err == nil {
		for _, f := range z.File {
			add(f.Open())
		}
	}
	if bytes.HasPrefix(raw, []byte("%PDF")) {
		for _, part := range bytes.Split(raw, []byte("/FlateDecode"))[1:] {
			_, stream, _ := bytes.Cut(part, []byte("stream\n"))
			add(zlib.NewReader(bytes.NewReader(stream)))
		}
	}
	return out
}
