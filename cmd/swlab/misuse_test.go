package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/janpfeifer/must"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// misuses are calls that must be refused with exit code 2, or another one that stands before the call, without touching a file.
// Behind => stands what the message says, in any order. The files are relative to misuseFiles.
var misuses = `
# Names, arguments and values
--sed 3 => unknown flag --sed; did you mean --seed?
trian --loss sw => unknown command "trian" | did you mean "train"?
vmf stat --kappa 1 => did you mean "vmf stats"
plot spher --kappa 1 --out p.png => unknown command "plot spher" | did you mean "plot sphere"
help data lst => did you mean "data list"
completion bahs => did you mean "completion bash"
doctor now => unexpected argument "now"
distance x.npy y.npy dirs.npy => unexpected argument "dirs.npy"
distance x.npy --x y.npy => --x: given twice
distance x.npy => --y is missing; see
data info => an argument is missing: expected
train true --loss sw --out new => --FLAG=true, in one word
D --slices 0 => --slices: expected at least 1, found 0
D --slices 99999999999999999999 => --slices: expected a whole number from
D --slices 3 --slices 4 => --slices: given twice, "3" and "4"
D --root --root => --root: given twice
D --root=maybe => --root: expected true or false, found "maybe"
D --p nan => --p: expected a number >= 1, found nan
D --p 1e999 => --p: expected a number of at most 1.8e+308
D --seed -1 => --seed: expected a whole number, 0 or more, found "-1"
D --reduce men => --reduce: expected sum or mean, found "men"; did you mean "mean"?
D --sliced 3 => unknown flag --sliced; did you mean --slices?
D --format jsn => --format: expected text or json, found "jsn"; did you mean "json"?
D --loss => --loss: expected a value after it, found none
D --loss= => --loss: expected a value, found ""
D -q 2 => unknown flag -q
D --loss chamfre => did you mean "chamfer"
D --loss asw --epsilon 0 => --epsilon: expected a number > 0
D --loss qmc-sw --slices 8 --replicates 9 => --replicates: expected at most the number of slices, 8, found 9
D --loss markov-sw --chain 2000000000 => --chain: expected at most the number of slices, 100, found 2000000000
D --loss v-dsw --kappa 1e60 => kappa: expected a number from 0 to 1e+15, found 1e60
D --loss v-dsw --kappa -1 => swlab: --kappa
D --cost cramr => --cost: expected wasserstein, cramer, energy or epps-pulley, found "cramr"; did you mean "cramer"?
D --cost cramer --p 2 => p = 2 would do nothing: not with --cost cramer, a mean over points without an exponent
D --cost energy --reduce mean => reduce = mean would do nothing: not with --cost energy
D --cost epps-pulley --root => would do nothing: not with --cost epps-pulley
D --cost cramer --path graph => the cost cramer of a direction is found on the host, not in a graph
D --loss chamfer --cost cramer => loss "chamfer" has no use for it
D --loss v-dsw --amortizer lla => --amortizer: unknown amortizer "lla"
D --loss v-dsw --amortizer la --dk 0 => --dk | 0
D --backend tpu => --backend | auto, xla:cuda, xla:cpu or go | "tpu"
direction --x x.npy --y y.npy --out o.npy => --amortizer is missing
vmf stats --kappa 1 --dim 1 => --dim: expected at least 2, found 1
data fetch modelnet40-hdf --cache sub => did you mean "modelnet40-hdf5"
data fetch builtin => nothing to fetch
data fetch shapenet-core55 --accept-licence => https://shapenet.org
data fetch shapenet-chairs --accept-licence --from sub => train.npz
data verify builtin => TestShapesChecksum
data verify modelnet10 => not been fetched
data verify sub => fetched.json
table run ablation_kapa --preset smoke => did you mean "ablation_kappa"
table run ablation_L --preset smok => did you mean "smoke"
table run ablation_L => --preset is missing
T --set epoch=1 => did you mean "epochs"
T --set epochs=1 --set epochs=2 => epochs is given twice
T --data data --set data=x.npy => --set: data is given twice, also by a flag
T --rows sv => unknown row
T --jobs 0 => --jobs: expected at least 1, found 0
T --dry-run --format md => expected text or json with --dry-run
sweep loss=sw,foo => vary loss=foo: unknown loss "foo"
sweep kappa=1,1 --out new => kappa | twice
sweep kapa=1,2 => did you mean "kappa"
sweep kappa=1,2 kappa=3 => vary kappa: given twice
sweep kappa=1,2 --set epochs => --set: expected NAME=VALUE
sweep kappa=1,2 --loss sw --data data --points 32 => vary kappa: it would do nothing
train --data data --out new => --loss is missing
train --loss emd-exact --out new => no network can be trained on it
train --data data --loss max-sw --amortizer la --recipe text --out new => --recipe
train --loss sw --out new --split tets => --split: expected train, test, val or all, found "tets"; did you mean "test"?
L --points 0 => --points | at least 1 | found 0
L --batch 1 => batch | at least 2 | found 1
L --batch 11 => 10 training clouds
L --points 41 => 40
L --learning-rate 1e60 => --learning-rate | 3.4e+38 | 1e60
L --amortizer-steps 2 => amortizer-steps | no amortizer
train --resume --epochs 10 --out sub => sub | holds no run
train --resume --steps 5 --kappa 3 --out run => another run | kappa: 3, the run has 1
train --data data --loss sw --points 32 --batch 4 --steps 0 --out run => holds a run already
evaluate => --run is missing
evaluate --run run --state first => --state: expected best or last, found "first"
compare run => --run: expected two run folders, A and B, found 1
metrics x.npy y.npy --distances emd => --distances: expected some of cd, emd-approx, emd-exact
generate run --sinkhorn exact --out new.npy => --sinkhorn: expected log or released, found "exact"
encode --run run --x x.npy --normalize yes --out new.npy => --normalize | auto, unit or none | "yes"
encode --x x.npy --out new.npy => expected one of --weights and --run
encode --x x.npy --run run --weights run/weights.safetensors --out new.npy => expected one of --weights and --run

# Flags without effect
D --kappa 3 => would do nothing | only markov-sw, rp-sw, v-dsw
D --loss v-dsw --dk 3 => would do nothing | --amortizer
D --loss v-dsw --amortizer la --ascent-steps 3 => would do nothing | --amortizer la
D --loss sw --ascent-starts 2 => ascent_starts = 2 would do nothing | max-sw, v-dsw
D --loss sw --certify => --certify | expected max-sw
D --loss max-sw --gap 0.1 => --gap would do nothing: it belongs to --certify
D --loss max-sw --certify --ascent-starts 2 => --ascent-starts would do nothing: --certify replaces the ascent
D --loss max-sw --certify --directions dirs.npy => --certify | the directions are given
D --loss max-sw --certify --budget 0 => --budget: expected at least 1, found 0
D --loss v-dsw --directions dirs.npy --amortizer la => would do nothing | --directions
D --loss chamfer --path host => would do nothing | no slices
D --loss chamfer --out-slices s.npy => would do nothing | no slices
D --normalize unit => would do nothing | as they are
D --weights run/weights.safetensors => would do nothing | --amortizer
D --key data => would do nothing | .npz
D --force => --force would do nothing | no file
D --labelled dirs.npy => --labelled would do nothing: it belongs to --bracket
D --bracket --p 1 => --bracket: expected p = 2, found 1
D --loss chamfer --bracket => --bracket: loss "chamfer" takes no slices
plan one.npy one.npy --directions dirs.npy --slices 3 => --slices would do nothing
plan x.npy y.npy => --x: expected one cloud, found 2
plan one.npy one.npy --temperature 0 => --temperature: expected a number > 0, found 0
plan one.npy one.npy --directions odd/flatdirs.npy => --directions: expected shape [L, 3], found [2 2]
plan one.npy one.npy --mass-x odd/mass.npy => --mass-x: expected shape [1, 40]
direction --amortizer ea --x x.npy --y y.npy --out o.npy --k 3 => would do nothing | "ea"
L --recipe text => would do nothing | --amortizer
L --key data => would do nothing | data
train --loss sw --out new --data x.npy --points 32 --batch 2 --split test => would do nothing | no parts
evaluate --run run --data x.npy --split test => would do nothing | no parts
evaluate --run run --key data => would do nothing | builtin
classify run --svm-c 3 => --svm-c would do nothing: not with --classifier mlp
classify run --classifier svm --epochs 3 => --epochs would do nothing: not with --classifier svm
generate --run run --data data --test x.npy --out o.npy --test-split train => would do nothing | no parts
metrics x.npy y.npy --distances cd --normalize unit => would do nothing | emd-approx
encode --weights run/weights.safetensors --x x.npy --out o.npy --state last => would do nothing | --run
sweep --vary epochs=1,2 --seeds 1,2 --seed 3 => would do nothing | --seeds
sweep --vary epochs=1,2 --epochs 3 => would do nothing | --vary epochs
S --set control=lower => would do nothing | only cv-sw
T --seed 2 => would do nothing | --seeds
T --set gap_pairs=2 => would do nothing | gap_pairs
table run vDSW_approximation --preset smoke --test x.npy => would do nothing | --data
table run all --preset smoke --rows sw => would do nothing | all its rows
T --dry-run --jobs 2 => would do nothing | nothing runs
data verify sub --cache sub => would do nothing | sub
plot clouds x.npy --errors --out p.png => --errors would do nothing
plot sphere --kappa 1 --distribution uniform --out p.png => --kappa would do nothing
plot sphere --kappa 1 --distribution markov --location 1,0,0 --out p.png => --location would do nothing
plot sphere --kappa 1 --map --out p.html => --map would do nothing

# Clouds
distance nan.npy y.npy => --x | nan.npy | cloud 0 | point 33 | finite
distance short.npy y.npy => --x | short.npy
distance plane.npy y.npy => dimension | 2 | 3
distance one.npy data/points.npy => as many clouds | found 1 in one.npy and 14
distance x.npy run/config.json => --y | config.json | .csv | .pt
distance x.npy data/classes.txt => --y | classes.txt:2 | expected a finite number | plate
distance odd/empty.npy y.npy => --x | empty.npy | header | ends
distance odd/noclouds.npy y.npy => --x | noclouds.npy | no points
distance odd/claims.npy y.npy => --x | claims.npy | 2000000000 | bytes
distance odd/huge.npy y.npy => --x | huge.npy | finite
distance odd/far.xyz y.npy => --x | far.xyz:2 | 1e+60
distance odd/text.npz y.npy => --x | text.npz | zip
distance odd/mixed y.npy => --x | b.npy | dimension
distance sub y.npy => --x | sub | no clouds
distance x.npy odd/two.npy => 40 | 2 | mean
D --directions odd/flatdirs.npy => direction | [2 2]
D --reduce mean --mass-x odd/negmass.npy => mass | cloud 1 | point 39 | -1
D --mass-x odd/mass.npy => mass | mean
data info odd/beyond.off => beyond.off | 7
data sample sub --out new.npy => sub | no meshes
data sample x.npy --out new.npy => x.npy | mesh
direction --amortizer l --x odd/claims.npy --y y.npy --out new.npy => claims.npy
encode --run run --x plane.npy --out new.npy => --x | plane.npy | dimension 3
reconstruct --run run --x odd/claims.npy --out new.npy => claims.npy
reconstruct --run run --x one.npy --batch-stats --out new.npy => at least 2 clouds, found 1
metrics y.npy odd/noclouds.npy => --generated | noclouds.npy
evaluate --run run --data odd/claims.npy => claims.npy
evaluate --run run --data odd/notest => test | notest
classify --run run --data data --test odd/claims.npy => claims.npy
classify --run run --data x.npy => --test is missing: x.npy has no parts
classify --run run --data odd/plain --test odd/classes => --data: expected clouds with class labels | plain
classify --run run --data odd/classes --test odd/plain => --test: expected clouds with class labels | plain
classify --run run --data odd/oneclass --test odd/oneclass => --data | two classes
classify --run run --data odd/classes --test odd/third => --test: expected the 2 classes of
classify --run run --data odd/lacking --test odd/classes => --test: class 1, jar, of cloud 1 of
L --data nan.npy => nan.npy | finite
L --data plane.npy => plane.npy | dimension 3
L --data one.npy => one.npy | at least 2 clouds | found 1
L --data odd/notrain => train | notrain
S --data x.npy => --test is missing | x.npy has no test part
S --test odd/claims.npy => --test | claims.npy
S --test plane.npy => --test | dimension 3 | 2 | plane.npy
S --batch 11 => --batch: 11 is larger than the 10 training clouds
S --points 41 => --data | 41 points | 40
sweep points=50,60 --loss sw --steps 1 --out new --data data => data | 50 points | 40
T --data x.npy => --test is missing | x.npy has no test part
T --data one.npy --test x.npy => --data | one.npy | at least 2 clouds
T --data data --test odd/claims.npy => --test | claims.npy
table run short_generation_result --preset smoke --out new --data x.npy => --data | no test part | short_generation_result
distance odd/arrays.npz y.npy => --x | arrays.npz: expected an array named "data", found a, b; --key chooses one
0 generate --run run --data x.npy --test x.npy --epochs 1 --distances cd --out new.npy => warning: the test has clouds of x.npy that are also learned from
0 encode --run run --x x.npy --normalize none --out new.npy => warning: --x: 2 of 2 clouds | --normalize unit
0 encode --weights run/weights.safetensors --x y.npy --out new.npy => warning: --x | centre

# Runs and weights
evaluate --run sub => --run | config.json
evaluate --run odd/noweights => --run | weights
evaluate --run odd/badrun => --run | config.json
evaluate --run odd/cutrun => --run | weights.safetensors
evaluate --run odd/missing => --run | missing
evaluate --run x.npy => --run | x.npy
evaluate --run odd/manyrun --data odd/plain => --run | weights.safetensors | 64 | 32
evaluate --run odd/editedrun --data odd/plain => --run | config.json | the file is damaged or was edited
compare --run run --run odd/badrun => --run | config.json
train --loss sw --resume --out odd/badrun => config.json
L --data data --out x.npy => out | x.npy
encode --x x.npy --out new.npy --weights odd/cut.safetensors => --weights | cut.safetensors
encode --x x.npy --out new.npy --weights odd/text.safetensors => --weights | text.safetensors
encode --x x.npy --out new.npy --weights odd/linear.safetensors => --weights | linear.safetensors
encode --x x.npy --out new.npy --weights x.npy => --weights | .safetensors, .pth or .pt
direction --amortizer la --x x.npy --y y.npy --out new.npy --weights run/weights.safetensors => --weights | attn
D --loss v-dsw --amortizer la --weights odd/linear.safetensors => --weights | linear.safetensors

# Files to write: an input, an output of the same call, a file that exists, a wrong name or place
E --out x.npy => --out | x.npy | is also an input | --x
E --out sub/../x.npy => --out | is also an input
E --out link.npy --force => --out | link.npy | is also an input
D --directions dirs.npy --out-directions dirs.npy --force => --out-directions | is also an input | --directions
evaluate --run run --data data --out-per-cloud data/points.npy --force => --out-per-cloud | --data | in the folder
data sample sub --out sub/new.npy => --out | in the folder | sub
train --loss sw --data data --out data => --out | is also an input | --data
table run ablation_L --preset smoke --data data --out ./data/ => --out | is also an input | --data
metrics data x.npy --store data => --store | is also an input | --reference
D --out-slices sub/a.npy --out-grad ./sub/../sub/a.npy => is also an output
D --out-slices new.npy --out-grad dirs.npy => --out-grad | exists; --force replaces it
E --out s => --out | .npy
E --out s.npz --force => --out | .npy | s.npz
E --out none/s.npy => --out | no folder none
data sample builtin --points 4 --out clouds.npz => --out | .npy | clouds.npz
data sample builtin --points 4 --out data => --out | not empty
sweep kappa=1 --plot p.npy => --plot | .png | .svg | p.npy
table run ablation_L --preset smoke --pictures x.npy => --pictures | expected a folder | the file x.npy

# Pictures
plot clouds x.npy --out p.html => --out | .png, .svg or .pdf | p.html
plot clouds dirs.npy x.npy --out p.png => --x | expected 1 clouds of dimension 3 as in dirs.npy | x.npy
plot clouds x.npy plane.npy --out p.png => --x | dimension 3 as in x.npy | dimension 2 in plane.npy
plot clouds x.npy --clouds 3 --out p.png => --clouds: expected at most 2, as many as x.npy has, found 3
plot clouds x.npy y.npy --caption a --out p.png => --caption: expected one for each of 2 inputs, found 1
plot clouds x.npy --view 12 --out p.png => --view | "12"
plot slice x.npy plane.npy --out p.png => --y: expected a cloud of shape [40,3] | [40,2] in plane.npy
plot slice x.npy dirs.npy --out p.png => --y | [40,3] | [5,3] in dirs.npy | --points
plot slice x.npy y.npy --pair 2 --out p.png => --pair: expected 0 to 1 | x.npy | found 2
plot slice x.npy y.npy --pair 0,1,0 --out p.png => --pair: expected one number or two, found 3
plot slice x.npy y.npy --direction 1,0 --out p.png => --direction: expected 3 coordinates | found 2
plot sphere --out p.png => --kappa is missing | "vmf"
plot sphere --kappa -1 --out p.png => --kappa | -1 | [0, 1e+15]
plot sphere --kappa 1001 --out p.html => --kappa: expected at most 1000 | 1001
plot sphere --kappa 1 --location 1,0 --out p.png => --location: expected 3 coordinates, found 2
plot sphere --kappa 1 --distribution vmff --out p.png => --distribution | did you mean "vmf"
plot sphere --kappa 1 --distribution random-path --out p.png => --distribution | clouds
plot curves --run run --out p.png => --run | no step in its log
plot curves --run run --smooth 1 --out p.png => --smooth: expected a number from 0 to below 1, found 1

# More memory than there is, and numbers that overflow
M D --slices 2000000000 => slices | 2000000000
M D --loss v-dsw --amortizer la --dk 1000000000 => dk | 1000000000
M distance tri.off tri.off --points 2000000000 => --x | tri.off | points | 2000000000
M distance tri.off tri.off --loss chamfer --points 200000 => 200000 times 200000 points
M distance tri.off tri.off --loss sinkhorn --points 200000 => 200000 times 200000 costs
M vmf sample --kappa 1 --location 1,0,0 --n 2000000000 --out new.npy => --n | 2000000000
M plot sphere --kappa 1 --n 9000000000000 --out p.png => --n: 9000000000000 directions
M data sample tri.off --points 2000000000 --out new.npy => tri.off | 2000000000
M L --data builtin --points 2000000000 => points | 2000000000
M generate --run run --data data --test x.npy --clouds 2000000000 --out new.npy => clouds | 2000000000
M sweep --data data --points 40 --batch 4 --steps 0 --out new --loss sw --vary slices=2,2000000000 => slices
M sweep --data data --points 40 --steps 0 --out new GRID => vary | grid
L --data builtin --batch 2000000000 => batch | 2000000000 | 1024
1 D --p 1e6 --reduce mean => pair 0 | x.npy and y.npy | lower p
1 D --loss chamfer --p 1e60 => pair 0 | x.npy and y.npy | lower p
`

// abbreviations are words of misuses that stand for others.
var abbreviations = map[string]string{
	"D": "distance --x x.npy --y y.npy",
	"E": "encode --run run --x x.npy",
	"L": "train --loss sw --out new --data data --points 32 --batch 4 --steps 0",
	"S": "sweep --loss sw --out new --data data --points 32 --batch 4 --vary epochs=1,2",
	"T": "table run ablation_L --preset smoke --out new",
}

// grid is a sweep over 5 settings of 60 values each.
func grid() (flags string) {
	list := strings.TrimSuffix(strings.ReplaceAll(fmt.Sprintf("%060d", 0), "0", "#,"), ",")
	for i := range 60 {
		list = strings.Replace(list, "#", fmt.Sprint(i+1), 1)
	}
	for _, name := range []string{"kappa", "slices", "batch", "ascent-steps", "epochs"} {
		flags += " --vary " + name + "=" + list
	}
	return flags
}

// TestMisuse makes every call of misuses in one folder. With -short it makes every fifth.
func TestMisuse(t *testing.T) {
	t.Setenv("SWLAB_CACHE", t.TempDir())
	dir := misuseFiles(t)
	t.Chdir(dir)
	// The same memory limit on every machine, so that refusals do not depend on it.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(8 << 30))
	rows := strings.Split(misuses, "\n")
	switch { // a requested backend that is missing is an error for any work
	case !engine.HasXLA:
		rows = append(rows, "1 D --backend xla:cpu => xla:cpu | built without XLA")
	case !engine.Nvidia():
		rows = append(rows, "1 D --backend xla:cuda => xla:cuda | no NVIDIA device")
	}
	before := states(t, dir)
	for i, row := range rows {
		call, says, found := strings.Cut(row, " => ")
		if !found || testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(strings.ReplaceAll(call, "/", "|"), func(t *testing.T) {
			words, code, want := strings.Fields(strings.ReplaceAll(call, "GRID", grid())), 2, strings.Split(says, " | ")
			switch words[0] {
			case "0", "1":
				code, words = int(words[0][0]-'0'), words[1:]
			case "M":
				words, want = words[1:], append(want, "needs", "GB of memory", "GB are available", "GOMEMLIMIT")
			}
			args := words
			if long := abbreviations[words[0]]; long != "" {
				args = with(strings.Fields(long), words[1:]...)
			}
			got, out, errs := command(t, args...)
			if got != code {
				t.Errorf("exit code %d, expected %d\nstderr: %s\nstdout: %.300s", got, code, errs, out)
			}
			for _, text := range want {
				if !strings.Contains(errs, text) {
					t.Errorf("stderr lacks %q: %s", text, errs)
				}
			}
			if n := strings.Count(errs, "\n"); code == 2 && n != 1 || strings.Contains(errs, "goroutine ") || strings.Contains(errs, "internal error") {
				t.Errorf("a refused call takes one line, found %d: %s", n, errs)
			}
			if code == 0 {
				if err := os.Remove("new.npy"); err != nil {
					t.Error(err)
				}
			}
			if after := states(t, dir); !maps.Equal(before, after) {
				t.Errorf("files changed: before %v, after %v", before, after)
				before = after
			}
		})
	}
}

// states maps every file below dir to its size and the time of its last change.
func states(t *testing.T, dir string) map[string]string {
	t.Helper()
	return files(t, dir, func(path string, d fs.DirEntry) (string, error) {
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return "", err
		}
		return fmt.Sprint(info.Size(), info.ModTime()), nil
	})
}

// digests maps every path below dir to a hash of its content, or to its kind.
func digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	return files(t, dir, func(path string, d fs.DirEntry) (string, error) {
		if !d.Type().IsRegular() {
			return d.Type().String(), nil
		}
		raw, err := os.ReadFile(path)
		return fmt.Sprintf("%x", sha256.Sum256(raw)), err
	})
}

// files maps every path below dir to what is known of it.
func files(t *testing.T, dir string, known func(path string, d fs.DirEntry) (string, error)) map[string]string {
	t.Helper()
	out := map[string]string{}
	must.M(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out[rel], err = known(path, d)
		return err
	}))
	return out
}

// misuseRun makes one finished run, of 0 steps, for all tests.
var misuseRun = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "swlab-misuse")
	if err != nil {
		return "", err
	}
	root, out := newRoot(), filepath.Join(dir, "run")
	root.SetArgs([]string{"train", "--data", "builtin", "--loss", "sw", "--points", "32", "--batch", "4", "--steps", "0", "--backend", "go", "--out", out})
	return out, root.Execute()
})

// misuseFiles is misuseInputs with run/, a finished run of 0 steps on builtin, 32 points, and variants of it.
func misuseFiles(t *testing.T) string {
	t.Helper()
	dir := misuseInputs(t)
	var run string
	var err error
	captured(t, func() { run, err = misuseRun() })
	must.M(errors.Join(err, os.CopyFS(filepath.Join(dir, "run"), os.DirFS(run))))
	config, saved := content(t, filepath.Join(run, "config.json")), content(t, filepath.Join(run, "weights.safetensors"))
	unsealed := append(bytes.Clone(config[:bytes.Index(config, []byte(",\n  \"sha256\""))]), "\n}\n"...) // of the first version
	more := func(config []byte) []byte {
		return bytes.Replace(config, []byte(`"points": 32`), []byte(`"points": 64`), 1)
	}
	for name, content := range map[string][]byte{
		"cut.safetensors": saved[:len(saved)/2], "noweights/config.json": config,
		"cutrun/config.json": config, "cutrun/weights.safetensors": saved[:len(saved)/2],
		"badrun/config.json":  []byte("{\"points\": "),
		"manyrun/config.json": more(unsealed), "manyrun/weights.safetensors": saved,
		"editedrun/config.json": more(config), "editedrun/weights.safetensors": saved,
	} {
		put(t, filepath.Join(dir, "odd", name), content)
	}
	return dir
}

// misuseInputs makes a folder of valid and broken inputs:
//
//	x.npy y.npy       two sets of 2 clouds of 40 points, [2,40,3]
//	one.npy           one cloud, [40,3]
//	plane.npy         2 clouds in the plane, [2,40,2]
//	nan.npy           x with a NaN
//	short.npy         x, truncated
//	dirs.npy          five directions, [5,3]
//	data/             a folder with points, labels, parts and classes: 14 clouds of 40 points
//	sub/              an empty folder
//	link.npy          a symbolic link to x.npy
//	tri.off odd/      a triangle, and hostile and odd data
func misuseInputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.M(os.CopyFS(filepath.Join(dir, "data"), os.DirFS(folder(t))))
	values := func(n int, shift float32) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32((i*7919)%101)/101 - 0.5 + shift
		}
		return out
	}
	write := func(name string, v []float32, shape ...int) {
		must.M(format.WriteNPY(filepath.Join(dir, name), v, shape...))
	}
	write("x.npy", values(240, 0), 2, 40, 3)
	write("y.npy", values(240, 0.25), 2, 40, 3)
	write("one.npy", values(120, 0), 40, 3)
	write("plane.npy", values(160, 0), 2, 40, 2)
	write("dirs.npy", []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0.6, 0.8, 0, 0, 0.6, 0.8}, 5, 3)
	bad := values(240, 0)
	bad[100] = float32(math.NaN())
	write("nan.npy", bad, 2, 40, 3)
	raw := content(t, filepath.Join(dir, "x.npy"))
	npy := func(descr, shape string, values any) []byte {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
		out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
		out = must.M1(binary.Append(append(out, head...), binary.LittleEndian, values))
		return out
	}
	clouds := npy("<f4", "(4, 32, 3)", values(384, 0.5))
	labels := func(v ...int64) []byte { return npy("<i8", fmt.Sprintf("(%d,)", len(v)), v) }
	names := func(v ...string) []byte { return []byte(strings.Join(v, "\n") + "\n") }
	for name, content := range map[string][]byte{
		"short.npy": raw[:len(raw)/2], "tri.off": []byte(triangleOFF), "sub/x": nil,
		"odd/empty.npy":           nil,
		"odd/noclouds.npy":        npy("<f4", "(0, 40, 3)", []byte{}),
		"odd/claims.npy":          npy("<f4", "(2000000000, 40, 3)", make([]byte, 48)),
		"odd/two.npy":             npy("<f4", "(2, 2, 3)", values(12, 0.5)),
		"odd/huge.npy":            npy("<f8", "(1, 2, 3)", bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0xef, 0x7f}, 6)),
		"odd/far.xyz":             []byte("1 2 3\n1e60 2 3\n"),
		"odd/text.npz":            []byte("no archive"),
		"odd/beyond.off":          []byte("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"),
		"odd/mixed/a.npy":         npy("<f4", "(1, 4, 3)", values(12, 0.5)),
		"odd/mixed/b.npy":         npy("<f4", "(1, 4, 2)", values(8, 0.5)),
		"odd/plain/points.npy":    clouds,
		"odd/notest/split.npy":    labels(0, 0, 0, 0),
		"odd/notrain/split.npy":   labels(1, 1, 1, 1),
		"odd/oneclass/labels.npy": labels(0, 0, 0, 0), "odd/oneclass/classes.txt": names("cup"),
		"odd/lacking/labels.npy": labels(0, 0, 0, 0), "odd/lacking/classes.txt": names("cup", "jar"),
		"odd/classes/labels.npy": labels(0, 1, 0, 1), "odd/classes/classes.txt": names("cup", "jar"),
		"odd/third/labels.npy": labels(0, 1, 2, 1), "odd/third/classes.txt": names("cup", "jar", "bowl"),
		"odd/text.safetensors":   []byte("these are no weights at all, just a text"),
		"odd/linear.safetensors": append(binary.LittleEndian.AppendUint64(nil, 62), `{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}        `+"\x00\x00\x00\x00"...),
		"odd/mass.npy":           npy("<f4", "(2, 40)", values(80, 1.5)),
		"odd/negmass.npy":        npy("<f4", "(2, 40)", append(values(79, 1.5), -1)),
		"odd/flatdirs.npy":       npy("<f4", "(2, 2)", []float32{1, 0, 0, 1}),
	} {
		put(t, filepath.Join(dir, name), content)
		if set, _, found := strings.Cut(strings.TrimPrefix(name, "odd/"), "/"); found && set != "mixed" && set != "sub" {
			put(t, filepath.Join(dir, "odd", set, "points.npy"), clouds)
		}
	}
	writeZip(t, filepath.Join(dir, "odd/arrays.npz"), "a.npy", clouds, "b.npy")
	must.M(errors.Join(os.Remove(filepath.Join(dir, "sub", "x")), os.Symlink("x.npy", filepath.Join(dir, "link.npy"))))
	return dir
}
