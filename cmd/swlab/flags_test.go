package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/experiments/reproduce"
	"github.com/sliced-wasserstein/lab/experiments/table"
	"github.com/sliced-wasserstein/lab/swlab/amortizer"
	"github.com/sliced-wasserstein/lab/swlab/loss"
	"github.com/sliced-wasserstein/lab/swlab/slicing"
)

// proof that a flag has an effect: two calls that differ only in the flag, and in their results. In
// the calls, BASE is the call of the group, and | separates it from the parts without the flag:
// "distance ... | --p 1".
type proof struct{ off, on string }

// proofs holds one for every flag of every call, by call and flag. The entry "" of a call is the
// beginning of its proofs.
var proofs = map[string]map[string]proof{
	"": {
		"seed":    {"vmf sample --kappa 1 --location 0,1 --n 3 --out s.npy", "--seed 2"},
		"backend": {"version --backend go", "version --backend xla:cuda"},
		"format":  {"vmf stats --kappa 1 --dim 3", "--format json"},
		"version": {"", "--version"},
	},
	"distance": {
		"":               {"distance --x x.npy --y y.npy --backend go", ""},
		"loss":           {"--loss sw", "= distance --x x.npy --y y.npy --backend go --loss chamfer"},
		"x":              {"= distance --loss sw --slices 5 --y y.npy --x x.npy", "= distance --loss sw --slices 5 --y y.npy --x link.npy --points 3"},
		"y":              {"= distance --loss sw --slices 5 --x x.npy --y y.npy", "= distance --loss sw --slices 5 --x x.npy --y x.npy"},
		"key":            {"= distance --loss sw --slices 5 --x k.npz --y x.npy", "--key other"},
		"points":         {"--loss sw --slices 5", "--points 7"},
		"p":              {"--loss sw --slices 5", "--p 1"},
		"slices":         {"--loss sw", "--slices 5"},
		"slicing":        {"--loss sw --slices 5", "--slicing orthogonal"},
		"kappa":          {"--loss v-dsw --slices 5 --ascent-steps 0", "--kappa 30"},
		"reflection":     {"--loss v-dsw --slices 5 --ascent-steps 0", "--reflection stable"},
		"chain":          {"--loss markov-sw --slices 6", "--chain 3"},
		"replicates":     {"--loss qmc-sw --slices 8", "--replicates 2"},
		"control":        {"--loss cv-sw --slices 20", "--control lower"},
		"epsilon":        {"--loss asw --slices 50", "--epsilon 0.001"},
		"ascent-steps":   {"--loss max-sw --ascent-rate 0.1 --ascent-steps 1", "= distance --x x.npy --y y.npy --backend go --loss max-sw --ascent-rate 0.1 --ascent-steps 2"},
		"ascent-rate":    {"--loss max-sw --ascent-steps 1", "--ascent-rate 0.1"},
		"ascent-tangent": {"--loss max-sw --ascent-steps 2 --ascent-rate 0.1", "--ascent-tangent"},
		"ascent-sgd":     {"--loss max-sw --ascent-steps 1 --ascent-rate 0.1", "--ascent-sgd"},
		"ground":         {"--loss emd-exact", "--ground p"},
		"reg":            {"--loss sinkhorn", "--reg 0.1"},
		"reduce":         {"--loss sw --slices 5", "--reduce mean"},
		"root":           {"--loss sw --slices 5", "--root"},
		"amortizer":      {"--loss max-sw --ascent-steps 0", "= distance --x x.npy --y y.npy --backend go --loss max-sw --amortizer la"},
		"fine-tune":      {"--loss max-sw --amortizer l", "--fine-tune --ascent-steps 2 --ascent-rate 0.1"},
		"dk":             {"--loss max-sw --amortizer la", "--dk 3"},
		"k":              {"--loss max-sw --amortizer la", "--k 3"},
		"variant":        {"--loss max-sw --amortizer la", "--variant paper"},
		"weights":        {"--loss max-sw --amortizer la", "--weights text.npy"},
		"directions":     {"--loss sw", "--directions dirs.npy"},
		"mass-x":         {"--loss sw --slices 5 --reduce mean", "--mass-x mass.npy"},
		"mass-y":         {"--loss sw --slices 5 --reduce mean", "--mass-y mass.npy"},
		"normalize":      {"--loss emd-approx", "--normalize unit"},
		"path":           {"--loss sw --slices 5", "--path graph"},
		"out-slices":     {"--loss sw --slices 5", "--out-slices o.npy"},
		"out-grad":       {"--loss sw --slices 5", "--out-grad o.npy"},
		"out-directions": {"--loss sw --slices 5", "--out-directions o.npy"},
		"force":          {"--loss sw --slices 5 --out-slices one.npy", "--force"},
	},
	"direction": {
		"":          {"direction --backend go --x x.npy --y y.npy --out o.npy", ""},
		"amortizer": {"--amortizer l", "= direction --backend go --x x.npy --y y.npy --out o.npy --amortizer g"},
		"x":         {"--amortizer l", "= direction --backend go --x y.npy --y y.npy --out o.npy --amortizer l"},
		"y":         {"--amortizer l", "= direction --backend go --x x.npy --y x.npy --out o.npy --amortizer l"},
		"out":       {"--amortizer l", "= direction --backend go --x x.npy --y y.npy --out p.npy --amortizer l"},
		"key":       {"= direction --backend go --x k.npz --y y.npy --out o.npy --amortizer l", "--key other"},
		"points":    {"--amortizer l", "--points 7"},
		"weights":   {"--amortizer l", "--weights text.npy"},
		"dk":        {"--amortizer la", "--dk 3"},
		"k":         {"--amortizer la", "--k 3"},
		"variant":   {"--amortizer la", "--variant paper"},
		"force":     {"= direction --backend go --x x.npy --y y.npy --out one.npy --amortizer l", "--force"},
	},
	"invariance": {
		"":        {"invariance --points 16", ""},
		"data":    {"", "--data data"},
		"key":     {"--data k.npz", "--key other"},
		"points":  {"= invariance --data data --points 16", "= invariance --data data --points 17"},
		"pairs":   {"", "--pairs 2"},
		"dk":      {"", "--dk 3"},
		"k":       {"", "--k 3"},
		"variant": {"", "--variant paper"},
	},
	"vmf sample": {
		"":         {"vmf sample", ""},
		"kappa":    {"--location 0,1 --n 3 --out s.npy --kappa 1", "= vmf sample --location 0,1 --n 3 --out s.npy --kappa 2"},
		"location": {"--kappa 1 --n 3 --out s.npy --location 0,1", "= vmf sample --kappa 1 --n 3 --out s.npy --location 1,0"},
		"n":        {"--kappa 1 --location 0,1 --out s.npy --n 3", "= vmf sample --kappa 1 --location 0,1 --out s.npy --n 4"},
		"out":      {"--kappa 1 --location 0,1 --n 3 --out s.npy", "= vmf sample --kappa 1 --location 0,1 --n 3 --out t.npy"},
		"force":    {"--kappa 1 --location 0,1 --n 3 --out one.npy", "--force"},
	},
	"vmf stats": {
		"":      {"vmf stats", ""},
		"kappa": {"--dim 3 --kappa 1", "= vmf stats --dim 3 --kappa 2"},
		"dim":   {"--kappa 1 --dim 3", "= vmf stats --kappa 1 --dim 4"},
	},
	"train": {
		"":                        {"train --data data --points 32 --out new", ""},
		"loss":                    {"--batch 4 --loss sw", "= train --data data --points 32 --out new --batch 4 --loss asw"},
		"data":                    {"= train --loss sw --points 32 --out new --batch 2 --data data", "= train --loss sw --points 32 --out new --batch 2 --data x.npy"},
		"key":                     {"= train --loss sw --points 32 --out new --batch 2 --data k.npz", "--key other"},
		"split":                   {"--loss sw --batch 2", "--split test"},
		"out":                     {"--loss sw --batch 2", "= train --data data --points 32 --loss sw --batch 2 --out other"},
		"points":                  {"--loss sw --batch 2", "= train --data data --loss sw --batch 2 --out new --points 31"},
		"batch":                   {"--loss sw --batch 2", "= train --data data --points 32 --out new --loss sw --batch 3"},
		"devices":                 {"--loss sw --batch 2", "--devices 2"},
		"epochs":                  {"--loss sw --batch 2", "--epochs 2"},
		"steps":                   {"--loss sw --batch 2", "--steps 2"},
		"p":                       {"--loss sw --batch 2", "--p 1"},
		"slices":                  {"--loss sw --batch 2", "--slices 2"},
		"slicing":                 {"--loss sw --batch 2", "--slicing qmc"},
		"kappa":                   {"--loss v-dsw --batch 2", "--kappa 2"},
		"reflection":              {"--loss v-dsw --batch 2", "--reflection exact"},
		"chain":                   {"--loss markov-sw --batch 2", "--chain 2"},
		"replicates":              {"--loss qmc-sw --batch 2", "--replicates 2"},
		"control":                 {"--loss cv-sw --batch 2", "--control lower"},
		"epsilon":                 {"--loss asw --batch 2", "--epsilon 2"},
		"ascent-steps":            {"--loss v-dsw --batch 2", "--ascent-steps 2"},
		"ascent-rate":             {"--loss v-dsw --batch 2", "--ascent-rate 2"},
		"ascent-tangent":          {"--loss v-dsw --batch 2", "--ascent-tangent"},
		"ascent-sgd":              {"--loss v-dsw --batch 2", "--ascent-sgd"},
		"amortizer":               {"--loss v-dsw --batch 2", "--amortizer la"},
		"fine-tune":               {"--loss v-dsw --batch 2 --amortizer la", "--fine-tune"},
		"dk":                      {"--loss v-dsw --batch 2 --amortizer la", "--dk 3"},
		"k":                       {"--loss v-dsw --batch 2 --amortizer la", "--k 3"},
		"variant":                 {"--loss v-dsw --batch 2 --amortizer la", "--variant paper"},
		"reduce":                  {"--loss chamfer --batch 2", "--reduce sum"},
		"root":                    {"--loss sw --batch 2", "--root"},
		"plain":                   {"--loss sw --batch 2", "--plain sort"},
		"checkpoint-every":        {"--loss sw --batch 2", "--checkpoint-every 5"},
		"on-nonfinite":            {"--loss sw --batch 2", "--on-nonfinite skip"},
		"resume":                  {"--loss sw --batch 2", "--resume"},
		"learning-rate":           {"--loss sw --batch 2", "--learning-rate 0.5"},
		"momentum":                {"--loss sw --batch 2", "--momentum 0.5"},
		"weight-decay":            {"--loss sw --batch 2", "--weight-decay 0.5"},
		"amortizer-learning-rate": {"--loss v-dsw --amortizer la --batch 2", "--amortizer-learning-rate 0.5"},
		"amortizer-beta1":         {"--loss v-dsw --amortizer la --batch 2", "--amortizer-beta1 0.5"},
		"amortizer-beta2":         {"--loss v-dsw --amortizer la --batch 2", "--amortizer-beta2 0.5"},
		"amortizer-steps":         {"--loss v-dsw --amortizer la --batch 2", "--amortizer-steps 2"},
		"simultaneous":            {"--loss v-dsw --amortizer la --batch 2", "--simultaneous"},
		"common-slices":           {"--loss v-dsw --amortizer la --batch 2", "--common-slices"},
		"location-gradient":       {"--loss v-dsw --amortizer la --batch 2", "--location-gradient"},
		"other-location":          {"--loss v-dsw --amortizer la --batch 2", "--other-location"},
	},
	"evaluate": {
		"":              {"evaluate --run run --data data --exact-emd=false --backend go", ""},
		"run":           {"", "= evaluate --run sub --data data --exact-emd=false --backend go"},
		"data":          {"", "= evaluate --run run --data x.npy --exact-emd=false --backend go"},
		"key":           {"= evaluate --run run --data k.npz --exact-emd=false --backend go", "--key other"},
		"split":         {"", "--split all"},
		"state":         {"", "--state last"},
		"exact-emd":     {"", "= evaluate --run run --data data --exact-emd --backend go"},
		"out-per-cloud": {"", "--out-per-cloud o.npy"},
		"force":         {"--out-per-cloud one.npy", "--force"},
	},
	"compare": {
		"":          {"compare --run run --run run --data data --exact-emd=false --backend go", ""},
		"run":       {"", "--run run"},
		"data":      {"", "= compare --run run --run run --data x.npy --exact-emd=false --backend go"},
		"key":       {"= compare --run run --run run --data k.npz --exact-emd=false --backend go", "--key other"},
		"split":     {"", "--split all"},
		"state":     {"", "--state last"},
		"exact-emd": {"", "= compare --run run --run run --data data --exact-emd --backend go"},
	},
	"classify": {
		"":           {"classify --run run", ""},
		"run":        {"--data data", "= classify --run sub --data data"},
		"state":      {"--data data", "--state last"},
		"data":       {"--split all", "--data data"},
		"test":       {"--data data", "--test builtin"},
		"key":        {"--data k.npz --test k.npz", "--key other"},
		"split":      {"--data data", "--split all"},
		"test-split": {"--data data", "--test-split all"},
		"epochs":     {"--data data", "--epochs 3"},
		"classifier": {"--data data", "--classifier svm"},
		"svm-c":      {"--data data --classifier svm", "--svm-c 3"},
	},
	"generate": {
		"":           {"generate --run run --out o.npy", ""},
		"run":        {"--data data", "= generate --run sub --data data --out o.npy"},
		"out":        {"--data data", "= generate --run run --data data --out p.npy"},
		"state":      {"--data data", "--state last"},
		"data":       {"--split all", "--data data"},
		"test":       {"--data data", "--test builtin"},
		"key":        {"--data k.npz --test data", "--key other"},
		"split":      {"--data data", "--split all"},
		"test-split": {"--data data", "--test-split all"},
		"clouds":     {"--data data", "--clouds 3"},
		"epochs":     {"--data data", "--epochs 3"},
		"sinkhorn":   {"--data data", "--sinkhorn released"},
		"distances":  {"--data data", "--distances cd"},
		"store":      {"--data data", "--store blocks"},
		"force":      {"= generate --run run --data data --out one.npy", "--force"},
	},
	"metrics": {
		"":          {"metrics --distances cd --backend go", ""},
		"reference": {"--generated y.npy --reference x.npy", "= metrics --distances cd --backend go --generated y.npy --reference y.npy"},
		"generated": {"--reference y.npy --generated x.npy", "= metrics --distances cd --backend go --reference y.npy --generated y.npy"},
		"distances": {"--reference x.npy --generated y.npy", "--distances emd-approx"},
		"store":     {"--reference x.npy --generated y.npy", "--store blocks"},
		"key":       {"--reference x.npy --generated k.npz", "--key other"},
		"points":    {"--reference x.npy --generated y.npy", "--points 7"},
		"normalize": {"= metrics --distances emd-approx --backend go --reference x.npy --generated y.npy", "--normalize unit"},
	},
	"encode": {
		"":            {"encode --backend go --x x.npy --out o.npy", ""},
		"weights":     {"--weights run/weights.safetensors", "= encode --backend go --x x.npy --out o.npy --weights text.npy"},
		"run":         {"--run run", "= encode --backend go --x x.npy --out o.npy --run sub"},
		"state":       {"--run run", "--state last"},
		"x":           {"--run run", "= encode --backend go --x one.npy --out o.npy --run run"},
		"key":         {"= encode --backend go --x k.npz --out o.npy --run run", "--key other"},
		"points":      {"--run run", "--points 7"},
		"out":         {"--run run", "= encode --backend go --x x.npy --out p.npy --run run"},
		"batch-stats": {"--run run", "--batch-stats"},
		"normalize":   {"--run run", "--normalize none"},
		"force":       {"= encode --backend go --x x.npy --out one.npy --run run", "--force"},
	},
	"reconstruct": {
		"":            {"reconstruct --backend go --x x.npy --out o.npy", ""},
		"weights":     {"--weights run/weights.safetensors", "= reconstruct --backend go --x x.npy --out o.npy --weights text.npy"},
		"run":         {"--run run", "= reconstruct --backend go --x x.npy --out o.npy --run sub"},
		"state":       {"--run run", "--state last"},
		"x":           {"--run run", "= reconstruct --backend go --x y.npy --out o.npy --run run"},
		"key":         {"= reconstruct --backend go --x k.npz --out o.npy --run run", "--key other"},
		"points":      {"--run run", "--points 7"},
		"out":         {"--run run", "= reconstruct --backend go --x x.npy --out p.npy --run run"},
		"batch-stats": {"--run run", "--batch-stats"},
		"normalize":   {"--run run", "--normalize none"},
		"force":       {"= reconstruct --backend go --x x.npy --out one.npy --run run", "--force"},
	},
	"table run": {
		"":         {"table run ablation_L --preset smoke", ""},
		"preset":   {"", "= table run ablation_L --preset quick"},
		"rows":     {"", "--rows sw"},
		"select":   {"", "--select validation"},
		"seeds":    {"", "--seeds 3"},
		"data":     {"", "--data data --set points=32 --set batch=2"},
		"test":     {"", "--test x.npy --set points=32"},
		"set":      {"", "--set epochs=1"},
		"out":      {"", "--out other"},
		"format":   {"", "--format csv"},
		"pictures": {"", "--pictures sub"},
		"ours":     {"", "--ours=false"},
		"jobs":     {"", "--jobs 2"},
		"job":      {"", "--job sw/1"},
		"dry-run":  {"", "--dry-run"},
		"force":    {"--pictures drawn", "--force"},
	},
	"sweep": {
		"":       {"sweep --data data --points 32 --batch 4", ""},
		"vary":   {"--vary epochs=2,3", "--vary steps=2,3"},
		"data":   {"= sweep --vary epochs=2,3 --points 32 --batch 4 --data data", "= sweep --vary epochs=2,3 --points 32 --batch 4 --data builtin"},
		"key":    {"= sweep --vary epochs=2,3 --points 32 --batch 2 --data k.npz --test x.npy", "--key other"},
		"test":   {"--vary epochs=2,3", "--test x.npy"},
		"seeds":  {"--vary epochs=2,3", "--seeds 3"},
		"out":    {"--vary epochs=2,3", "--out other"},
		"format": {"--vary epochs=2,3", "--format md"},
		"plot":   {"--vary epochs=2,3", "--plot p.png"},
		"loss":   {"--vary epochs=2,3", "--loss sw"},
		"points": {"= sweep --data data --batch 4 --vary epochs=2,3 --points 32", "= sweep --data data --batch 4 --vary epochs=2,3 --points 31"},
		"batch":  {"= sweep --data data --points 32 --vary epochs=2,3 --batch 4", "= sweep --data data --points 32 --vary epochs=2,3 --batch 3"},
		"epochs": {"--vary steps=2,3", "--epochs 5"},
		"steps":  {"--vary epochs=2,3", "--steps 5"},
		"force":  {"--vary epochs=2,3 --plot p.png", "--force"},
	},
	"plot clouds": {
		"":          {"plot clouds --x x.npy --out p.png", ""},
		"x":         {"", "--x y.npy"},
		"out":       {"", "= plot clouds --x x.npy --out p.svg"},
		"caption":   {"--x y.npy", "--caption a --caption b"},
		"key":       {"= plot clouds --x k.npz --out p.png", "--key other"},
		"points":    {"", "--points 7"},
		"clouds":    {"", "--clouds 1"},
		"normalize": {"", "--normalize unit"},
		"errors":    {"--x y.npy", "--errors"},
		"view":      {"", "--view 10,20"},
		"force":     {"= plot clouds --x x.npy --out old.png", "--force"},
	},
	"plot slice": {
		"":          {"plot slice --x x.npy --y y.npy --out p.png", ""},
		"x":         {"", "= plot slice --x y.npy --y y.npy --out p.png"},
		"y":         {"", "= plot slice --x x.npy --y x.npy --out p.png"},
		"out":       {"", "= plot slice --x x.npy --y y.npy --out p.svg"},
		"key":       {"= plot slice --x k.npz --y y.npy --out p.png", "--key other"},
		"points":    {"", "--points 7"},
		"pair":      {"", "--pair 0,1"},
		"slices":    {"", "--slices 20"},
		"direction": {"", "--direction 1,0,0"},
		"reduce":    {"", "--reduce mean"},
		"quantiles": {"", "--quantiles"},
		"view":      {"", "--view 10,20"},
		"force":     {"= plot slice --x x.npy --y y.npy --out old.png", "--force"},
	},
	"plot sphere": {
		"":             {"plot sphere --out p.png", ""},
		"kappa":        {"--kappa 1", "--kappa 2"},
		"out":          {"--kappa 1", "= plot sphere --kappa 1 --out p.html"},
		"distribution": {"--kappa 1", "--distribution markov"},
		"location":     {"--kappa 1", "--location 0,0,1"},
		"n":            {"--kappa 1", "--n 5"},
		"map":          {"--kappa 1", "--map"},
		"view":         {"--kappa 1", "--view 10,20"},
		"force":        {"= plot sphere --kappa 1 --out old.png", "--force"},
	},
	"plot curves": {
		"":        {"plot curves --run short --out p.png", ""},
		"run":     {"", "--run short"},
		"out":     {"", "= plot curves --run short --out p.svg"},
		"caption": {"", "--caption a"},
		"smooth":  {"", "--smooth 0.5"},
		"log":     {"", "--log"},
		"force":   {"= plot curves --run short --out old.png", "--force"},
	},
	"data list": {"": {"data list modelnet10 --cache sub", ""}, "cache": {"", "= data list modelnet10 --cache other"}},
	"data info": {
		"":           {"data info data", ""},
		"key":        {"= data info k.npz", "--key other"},
		"points":     {"", "--points 7"},
		"classes":    {"", "--classes rod"},
		"val":        {"", "--val 0.2"},
		"test":       {"", "--test 0.5"},
		"thumbnails": {"", "--thumbnails p.svg"},
		"force":      {"--thumbnails old.png", "--force"},
	},
	"data sample": {
		"":       {"data sample mesh.off --points 5 --out s.npy", ""},
		"out":    {"", "= data sample mesh.off --points 5 --out t.npy"},
		"points": {"", "= data sample mesh.off --points 6 --out s.npy"},
		"raw":    {"", "--raw"},
		"force":  {"= data sample mesh.off --points 5 --out one.npy", "--force"},
	},
	"data fetch": {
		"":               {"data fetch modelnet40-hdf5 --cache sub --mirror http://127.0.0.1:1 --retries 1", ""},
		"cache":          {"= data fetch modelnet40-hdf5 --accept-licence --from x.npy --cache sub", "= data fetch modelnet40-hdf5 --accept-licence --from x.npy --cache text.npy"},
		"accept-licence": {"", "--accept-licence"},
		"from":           {"= data fetch modelnet40-hdf5 --cache sub --accept-licence --from x.npy", "= data fetch modelnet40-hdf5 --cache sub --accept-licence --from y.npy"},
		"mirror":         {"", "= data fetch modelnet40-hdf5 --cache sub --accept-licence --mirror http://127.0.0.1:2 --retries 1"},
		"stall":          {"", "--stall -1s"},
		"retries":        {"", "= data fetch modelnet40-hdf5 --cache sub --mirror http://127.0.0.1:1 --retries 0"},
	},
	"data verify": {"": {"data verify --cache sub", ""}, "cache": {"", "= data verify --cache other"}},
}

// alike are flags that package cobra makes, the same in every call that has them.
var alike = map[string]string{
	"help":            "shows the help",
	"no-descriptions": "of cobra's completion scripts",
}

// TestEveryFlagDoesSomething walks all calls and all their flags: each flag changes the result of a
// call. The flags that every call has are proved once: scripts may give them to calls that draw
// nothing, compute nothing or print nothing.
func TestEveryFlagDoesSomething(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make check")
	}
	dir := flagFiles(t)
	stopped := errors.New("looked at")
	var seen string
	looked = func(v any) error {
		seen = fmt.Sprintf("%+v", v)
		return stopped
	}
	t.Cleanup(func() { looked = func(any) error { return nil } })
	before := map[string]string{}
	outcome := func(call string) string {
		if known, ok := before[call]; ok {
			return known
		}
		seen = ""
		before[call] = fmt.Sprint(inFolder(t, dir, call), seen)
		return before[call]
	}
	used := map[string]bool{}
	check := func(call string, f *pflag.Flag) {
		if alike[f.Name] != "" {
			return
		}
		p, ok := proofs[call][f.Name]
		if p.on == "" && call == "sweep" { // a setting, proved for train
			p, ok = proofs["train"][f.Name]
			p.off = "--vary epochs=2,3 " + strings.ReplaceAll(p.off, "--batch 2", "")
		}
		if !ok {
			t.Errorf("swlab %s --%s: no proof that it does something: add one to proofs", call, f.Name)
			return
		}
		used[call+" "+f.Name] = true
		base := proofs[call][""].off
		off := strings.TrimSpace(base + " " + p.off)
		if own, ok := strings.CutPrefix(p.off, "= "); ok {
			off = own
		}
		on := off + " " + p.on
		if own, ok := strings.CutPrefix(p.on, "= "); ok {
			on = own
		} else if call == "" && strings.HasPrefix(p.on, "version") {
			on = p.on
		}
		a, b := outcome(off), outcome(on)
		if a == b {
			t.Errorf("swlab %s --%s changes nothing: `%s` and `%s` both: %.600s", call, f.Name, off, on, a)
		}
		for _, bad := range []string{"would do nothing", "unknown flag", "given twice"} {
			if strings.Contains(a, bad) || strings.Contains(b, bad) {
				t.Errorf("swlab %s --%s: a proof that is none: `%s`: %.300s `%s`: %.300s", call, f.Name, off, a, on, b)
			}
		}
	}
	walk(newRoot(), func(cmd *cobra.Command) {
		each := func(f *pflag.Flag) { check(callOf(cmd), f) }
		cmd.LocalNonPersistentFlags().VisitAll(each)
		cmd.PersistentFlags().VisitAll(each)
	})
	for call, flags := range proofs {
		for name := range flags {
			if name != "" && !used[call+" "+name] {
				t.Errorf("proofs: swlab %s has no flag --%s", call, name)
			}
		}
	}
}

// walk visits a call and all below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walk(sub, visit)
	}
}

// times are what differs between equal calls.
var times = regexp.MustCompile(`[0-9.e-]+ s\b|"seconds":[0-9.e-]+`)

// inFolder runs a call in this process, in a copy of a folder, and returns its results: exit code,
// output, files.
func inFolder(t *testing.T, files, call string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var output [2]*os.File
	for i := range output {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		output[i] = f
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = output[0], output[1]
	code := run(strings.Fields(call))
	os.Stdout, os.Stderr = stdout, stderr
	result := fmt.Sprintln("exit code", code)
	for _, f := range output {
		raw, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		result += times.ReplaceAllString(string(raw), "") + "\n"
	}
	after := digests(t, dir)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		result += path + " " + after[path] + "\n"
		if path != "." {
			if err := os.RemoveAll(path); err != nil { // the copies of a thousand calls would take 10 GB
				t.Error(err)
			}
		}
	}
	return strings.ReplaceAll(result, dir, "DIR")
}

// flagFiles is misuseFiles without links, with more: k.npz (data is x, other is not, labels),
// mass.npy, mesh.off, the logs of short and amortized, and a best epoch of run.
func flagFiles(t *testing.T) string {
	t.Helper()
	dir := misuseFiles(t)
	x, err := os.ReadFile(filepath.Join(dir, "x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	other := make([]float32, 240)
	for i := range other {
		other[i] = float32(i * i % 17)
	}
	scratch := filepath.Join(t.TempDir(), "scratch.npy")
	stored := func(v []float32, shape ...int) []byte {
		if err := datasets.WriteNPY(scratch, v, shape...); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(scratch)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string][]byte{"data.npy": x, "other.npy": stored(other, 2, 40, 3), "label.npy": stored([]float32{0, 1}, 2)} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(dir, "run", "weights.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(dir, "run", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]string{"short": "", "amortized": `"ascent": 4, "ascent_angle_deg": 1.5, `} {
		log := ""
		for step := 1; step <= 3; step++ {
			log += fmt.Sprintf("{\"step\": %d, \"epoch\": 0, \"loss\": %d.5, %s\"seconds\": 1}\n", step, 5-step*step/2, more)
		}
		if err := errors.Join(os.Mkdir(filepath.Join(dir, name), 0o755), os.WriteFile(filepath.Join(dir, name, "config.json"), config, 0o644),
			os.WriteFile(filepath.Join(dir, name, "log.jsonl"), []byte(log), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	mass := make([]float32, 80)
	for i := range mass {
		mass[i] = float32(1 + i%3)
	}
	link := filepath.Join(dir, "link.npy")
	if err := errors.Join(os.Remove(link), os.WriteFile(link, x, 0o644), os.WriteFile(filepath.Join(dir, "k.npz"), b.Bytes(), 0o644),
		os.WriteFile(filepath.Join(dir, "run", "best.safetensors"), weights, 0o644), datasets.WriteNPY(filepath.Join(dir, "mass.npy"), mass, 2, 40),
		os.WriteFile(filepath.Join(dir, "old.png"), nil, 0o644), os.Mkdir(filepath.Join(dir, "drawn"), 0o755),
		os.WriteFile(filepath.Join(dir, "drawn", "ablation_L-smoke-cd.png"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "mesh.off"), []byte("OFF\n4 4 0\n0 0 0\n1 0 0\n0 2 0\n0 0 3\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestHelp: every call has a readable example, every flag with a value describes it, and the help
// of train lists only losses that can be trained on.
func TestHelp(t *testing.T) {
	walk(newRoot(), func(cmd *cobra.Command) {
		call := callOf(cmd)
		if call == "" || call == "work" || strings.HasPrefix(call, "completion ") {
			return
		}
		if cmd.Example == "" {
			t.Errorf("swlab %s has no example", call)
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			words := strings.Fields(line)
			if i := slices.Index(words, "swlab"); i == 0 {
				found, rest, err := newRoot().Find(words[1:])
				if err == nil {
					err = found.ParseFlags(rest)
				}
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := kindOf(cmd, f.Name); !ok && f.Value.Type() != "bool" {
				t.Errorf("swlab %s --%s: no unit: add it to kinds", call, f.Name)
			}
		})
	})
	for call, want := range map[string]bool{"train": false, "sweep": false, "distance": true} {
		cmd, _, err := newRoot().Find([]string{call})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(cmd.Flags().Lookup("loss").Usage, "emd-exact"); got != want {
			t.Errorf("swlab %s --loss names emd-exact: %t", call, got)
		}
	}
}

// TestCompletion: the shell is offered what flags and arguments take.
func TestCompletion(t *testing.T) {
	for call, want := range map[string][]string{
		"distance --loss ":                 loss.Names(),
		"train --loss ":                    loss.GraphNames(),
		"distance --amortizer ":            amortizer.Names(),
		"distance --slicing ":              slicing.Names(),
		"table run ":                       append(table.Names(), allTables),
		"table run ablation_L --preset ":   reproduce.PresetNames(),
		"table run ablation_L --format l":  {"latex"},
		"doctor --backend xla":             {"xla:cpu", "xla:cuda"},
		"metrics --distances cd,emd":       {"cd,emd-approx", "cd,emd-exact"},
		"sweep --vary kap":                 {"kappa="},
		"evaluate --split t":               {"test", "train"},
		"evaluate --state ":                {"best", "last"},
		"data fetch modelnet":              {"modelnet40-hdf5"},
		"distance --format ":               {"json", "text"},
		"train --loss sw --plain encoder,": {"encoder,ascent", "encoder,attention", "encoder,encoder", "encoder,host", "encoder,sort", "encoder,tables"},
	} {
		words := strings.Fields(call)
		if strings.HasSuffix(call, " ") {
			words = append(words, "")
		}
		root := newRoot()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs(append([]string{cobra.ShellCompNoDescRequestCmd}, words...))
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		got := lines[:len(lines)-1] // the last is for the shell
		slices.Sort(got)
		want = slices.Sorted(slices.Values(want))
		if call == "data fetch modelnet" {
			if !slices.Contains(got, want[0]) {
				t.Errorf("%q: offered %v, expected %v among them", call, got, want)
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("%q: offered %v, expected %v", call, got, want)
		}
	}
}

// TestVersion: the version is in its own call, in answers and in result files.
func TestVersion(t *testing.T) {
	v := object(t, "version", "--backend", "go")
	has(t, v, "version", "commit", "dirty", "backend")
	if v["backend"] != "go" {
		t.Errorf("backend %v", v["backend"])
	}
	if again := object(t, "--version", "--backend", "go"); again["version"] != v["version"] {
		t.Errorf("swlab --version: %v, swlab version: %v", again, v)
	}
	for _, call := range []string{"vmf stats --kappa 1 --dim 3", "data list", "data info builtin", "table list", "doctor --backend go"} {
		if answer := object(t, strings.Fields(call)...); answer["version"] != v["version"] {
			t.Errorf("%s: version %v, expected %v", call, answer["version"], v["version"])
		}
	}
	run, err := misuseRun()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(run, "result.json"))
	if err != nil || !strings.Contains(string(raw), fmt.Sprintf(`"version": %q`, v["version"])) && !strings.Contains(string(raw), fmt.Sprintf(`"version":%q`, v["version"])) {
		t.Errorf("result.json of a run: %s, %v", raw, err)
	}
}

// TestHugeNumbers: a number of a file that float32 cannot hold is not called infinite.
func TestHugeNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "far.xyz")
	if err := os.WriteFile(path, []byte("1 2 3\n1e60 2 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command(t, "data", "sample", path, "--out", filepath.Join(t.TempDir(), "s.npy"), "--points", "2")
	if code == 0 || strings.Contains(stderr, "Inf") {
		t.Errorf("data sample: exit code %d, %s", code, stderr)
	}
	code, _, stderr = command(t, "distance", "--loss", "sw", "--x", path, "--y", path)
	if code != 2 || strings.Contains(stderr, "Inf") || !strings.Contains(stderr, "far.xyz") {
		t.Errorf("distance: exit code %d, %s", code, stderr)
	}
}
