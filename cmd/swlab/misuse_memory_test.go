package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every row runs with GOMEMLIMIT=8GiB (TestMisuse), so that refusals do not depend on the machine.
func init() {
	const d = "distance --backend go --x x.npy --y y.npy --loss "
	const train = "train --backend go --out new --data builtin --points 32 --batch 4 --steps 0 --loss "
	refused := []string{"needs", "GB of memory", "GB are available", "GOMEMLIMIT"}
	for call, named := range map[string][]string{
		d + "sw --slices 2000000000":                                                                          {"slices", "2000000000"},
		d + "sw --slices 9223372036854775807":                                                                 {"slices", "more than"},
		d + "v-dsw --amortizer la --dk 1000000000":                                                            {"dk", "1000000000"},
		d + "max-sw --amortizer a --dk 9223372036854775807":                                                   {"dk", "more than"},
		"distance --backend go --loss sw --x tri.off --y tri.off --points 2000000000":                         {"--x", "tri.off", "points", "2000000000"},
		"distance --backend go --loss chamfer --x tri.off --y tri.off --points 200000":                        {"200000 times 200000 points"},
		"encode --backend go --run run --x tri.off --points 20000000 --out new.npy":                           {"--x", "tri.off", "20000000"},
		"vmf sample --kappa 1 --location 1,0,0 --n 2000000000 --out new.npy":                                  {"--n", "2000000000"},
		"data sample tri.off --points 2000000000 --out new.npy":                                               {"tri.off", "2000000000"},
		"data info builtin --points 2000000000":                                                               {"points", "2000000000"},
		"train --backend go --out new --data builtin --batch 4 --steps 0 --loss sw --points 2000000000":       {"points", "2000000000"},
		train + "sw --slices 2000000000":                                                                      {"slices", "2000000000"},
		train + "v-dsw --amortizer la --dk 1000000000":                                                        {"dk"},
		train + "v-dsw --amortizer la --k 1000000000":                                                         {"k = 1000000000"},
		"generate --backend go --run run --data data --test x.npy --clouds 2000000000 --out new.npy":          {"clouds", "2000000000"},
		"sweep --backend go --data data --points 40 --batch 4 --steps 0 --out new --vary slices=2,2000000000": {"slices"},
		"sweep --backend go --data data --points 40 --steps 0 --out new " + grid():                            {"vary", "grid"},
	} {
		misuses = append(misuses, misuse{call: call, code: 2, stderr: append(named, refused...)})
	}
	misuses = append(misuses, // affordable, but wrong or unwise
		misuse{call: "train --backend go --out new --data builtin --points 32 --steps 0 --loss sw --batch 2000000000", code: 2, stderr: []string{"batch", "2000000000", "1024"}},
		misuse{call: d + "v-dsw --kappa 1e300", code: 2, stderr: []string{"kappa", "1e300"}},
		misuse{call: d + "sw --p 1e6 --reduce mean", code: 1, stderr: []string{"pair 0", "x.npy and y.npy", "lower p"}},
		misuse{call: d + "chamfer --p 1e60", code: 1, stderr: []string{"pair 0", "x.npy and y.npy", "lower p"}},
		misuse{call: "distance --backend go --loss sw --x x.npy --y odd/far.npy --p 1e6", code: 1, stderr: []string{"lower p"}},
		misuse{call: d + "v-dsw --amortizer la --dk 0", code: 2, stderr: []string{"--dk", "0"}},
		misuse{call: d + "v-dsw --amortizer la --dk -3", code: 2, stderr: []string{"dk", "-3"}},
		misuse{call: d + "v-dsw --amortizer la --k 0", code: 2, stderr: []string{"--k", "0"}},
		misuse{call: d + "v-dsw --amortizer la --k -3", code: 2, stderr: []string{"k", "-3"}},
		misuse{call: d + "markov-sw --chain 2000000000", code: 2, stderr: []string{"--chain: expected at most the number of slices, 100, found 2000000000"}},
		misuse{call: d + "qmc-sw --replicates 9223372036854775807", code: 2, stderr: []string{"--replicates", "100", "9223372036854775807"}},
		misuse{call: "distance --backend go --loss sinkhorn --x tri.off --y tri.off --points 200000", code: 2, stderr: append([]string{"200000 times 200000 costs"}, refused...)},
		misuse{call: d + "sw --slices 20000", code: 0},
	)
}

// grid is a sweep over 5 settings of 60 values each.
func grid() string {
	var values []string
	for i := range 60 {
		values = append(values, strconv.Itoa(i+1))
	}
	list := strings.Join(values, ",")
	return "--vary kappa=" + list + " --vary slices=" + list + " --vary batch=" + list + " --vary ascent-steps=" + list + " --vary epochs=" + list
}

// TestLongAscent starts an ascent that would take years. It needs no more memory than a short one,
// and an interrupt ends it.
func TestLongAscent(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("reads /proc")
	}
	dir := misuseFiles(t)
	cmd := process(strings.Fields("distance --backend go --loss v-dsw --x x.npy --y y.npy --ascent-steps 2000000000")...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	proc := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
	for ticks := 0; ticks < 100; { // a second of work
		raw, err := os.ReadFile(proc + "stat")
		if err != nil {
			t.Fatalf("it is gone: %v", err)
		}
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		ticks, _ = strconv.Atoi(fields[11]) // utime
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	raw, _ := os.ReadFile(proc + "status")
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if kb, _ := strconv.Atoi(strings.Fields(rest)[0]); kb > 500_000 {
				t.Errorf("%d MB after a second", kb/1000)
			}
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if _, ok := err.(*exec.ExitError); !ok {
			t.Errorf("interrupted: %v", err)
		}
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		t.Error("an interrupt does not end it")
	}
}

// into writes files below a folder.
func into(t *testing.T, dir string) func(name string, content []byte) {
	return func(name string, content []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// oddRuns adds variants of the finished run: broken ones, and truncated weights.
func oddRuns(t *testing.T, dir string) {
	t.Helper()
	put := into(t, dir)
	read := func(name string) []byte {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	config, saved := read("run/config.json"), read("run/weights.safetensors")
	unsealed := append(bytes.Clone(config[:bytes.Index(config, []byte(",\n  \"sha256\""))]), "\n}\n"...) // of the first version
	put("odd/cut.safetensors", saved[:len(saved)/2])
	put("odd/noconfig/weights.safetensors", saved)
	put("odd/noweights/config.json", config)
	put("odd/cutrun/config.json", config)
	put("odd/cutrun/weights.safetensors", saved[:len(saved)/2])
	put("odd/badrun/config.json", []byte("{\"points\": "))
	put("odd/typerun/config.json", []byte("{\"points\": \"many\"}"))
	put("odd/manyrun/config.json", bytes.Replace(unsealed, []byte(`"points": 32`), []byte(`"points": 64`), 1))
	put("odd/editedrun/config.json", bytes.Replace(config, []byte(`"points": 32`), []byte(`"points": 64`), 1))
	put("odd/editedrun/weights.safetensors", saved)
	put("odd/manyrun/weights.safetensors", saved)
}

// oddFiles adds hostile and odd data of every kind to misuseFiles, mostly below odd/.
func oddFiles(t *testing.T, dir string) {
	t.Helper()
	put := into(t, dir)
	npy := func(descr, shape string, data []byte) []byte {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
		out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
		return append(append(out, head...), data...)
	}
	floats := func(v ...float32) []byte {
		out, _ := binary.Append(nil, binary.LittleEndian, v)
		return out
	}
	longs := func(v ...int64) []byte {
		out, _ := binary.Append(nil, binary.LittleEndian, v)
		return out
	}
	many := func(n int, v float32) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = v + float32(i*7919%101)/101
		}
		return out
	}
	put("tri.off", []byte("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"))

	put("odd/empty.npy", nil)
	put("odd/noclouds.npy", npy("<f4", "(0, 40, 3)", nil))
	put("odd/claims.npy", npy("<f4", "(2000000000, 40, 3)", make([]byte, 48)))
	put("odd/negative.npy", npy("<f4", "(-2, 3)", make([]byte, 24)))
	put("odd/far.npy", npy("<f4", "(2, 40, 3)", floats(many(240, 9)...)))
	put("odd/two.npy", npy("<f4", "(2, 2, 3)", floats(many(12, 0)...)))
	put("odd/huge.npy", npy("<f8", "(1, 2, 3)", bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0xef, 0x7f}, 6)))

	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("other.npy")
	if err == nil {
		_, err = w.Write(npy("<f4", "(2, 3)", make([]byte, 24)))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	put("odd/other.npz", archive.Bytes())
	put("odd/text.npz", []byte("no archive"))
	put("odd/text.h5", []byte("no HDF5"))

	put("odd/beyond.off", []byte("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"))
	put("odd/text.ply", []byte("no mesh"))
	put("odd/texts/readme.txt", []byte("no cloud here\n"))
	put("odd/mixed/a.npy", npy("<f4", "(1, 4, 3)", floats(many(12, 0)...)))
	put("odd/mixed/b.npy", npy("<f4", "(1, 4, 2)", floats(many(8, 0)...)))

	clouds := npy("<f4", "(4, 32, 3)", floats(many(384, 0)...))
	for name, files := range map[string]map[string][]byte{
		"labels":   {"labels.npy": npy("<i8", "(3,)", longs(0, 1, 0))},
		"below":    {"labels.npy": npy("<i8", "(4,)", longs(0, 1, -1, 0))},
		"beyond":   {"labels.npy": npy("<i8", "(4,)", longs(0, 1, 9, 0)), "classes.txt": []byte("cup\njar\n")},
		"fraction": {"labels.npy": npy("<f4", "(4,)", floats(0, 0.5, 1, 1))},
		"split":    {"split.npy": npy("<i8", "(4,)", longs(0, 1, 7, 0))},
		"parts":    {"split.npy": npy("<i8", "(2,)", longs(0, 1))},
		"notest":   {"split.npy": npy("<i8", "(4,)", longs(0, 0, 0, 0))},
		"notrain":  {"split.npy": npy("<i8", "(4,)", longs(1, 1, 1, 1))},
		"oneclass": {"labels.npy": npy("<i8", "(4,)", longs(0, 0, 0, 0)), "classes.txt": []byte("cup\n")},
		"onemore":  {"labels.npy": npy("<i8", "(4,)", longs(0, 0, 0, 0)), "classes.txt": []byte("cup\n")},
		"classes":  {"labels.npy": npy("<i8", "(4,)", longs(0, 1, 0, 1)), "classes.txt": []byte("cup\njar\n")},
		"third":    {"labels.npy": npy("<i8", "(4,)", longs(0, 1, 2, 1)), "classes.txt": []byte("cup\njar\n" + "bowl\n")},
		"plain":    {},
	} {
		put("odd/"+name+"/points.npy", clouds)
		for file, content := range files {
			put("odd/"+name+"/"+file, content)
		}
	}

	put("odd/text.safetensors", []byte("these are no weights at all, just a text"))
	put("odd/empty.safetensors", nil)
	put("odd/text.pth", []byte("these are no weights at all, just a text"))
	put("odd/linear.safetensors", append(binary.LittleEndian.AppendUint64(nil, 62), `{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}        `+"\x00\x00\x00\x00"...))

	put("odd/mass.npy", npy("<f4", "(2, 40)", floats(many(80, 1)...)))
	put("odd/negmass.npy", npy("<f4", "(2, 40)", floats(append(many(79, 1), -1)...)))
	put("odd/nomass.npy", npy("<f4", "(2, 40)", floats(make([]float32, 80)...)))
	put("odd/flatdirs.npy", npy("<f4", "(2, 2)", floats(1, 0, 0, 1)))
}
