package main

import "strings"

// Hostile and odd data; see oddFiles.
func init() {
	add := func(call string, stderr ...string) {
		misuses = append(misuses, misuse{call: call, code: 2, stderr: stderr})
	}
	// Files that every reader of clouds rejects.
	for file, named := range map[string][]string{
		"odd/empty.npy":    {"header", "ends"},
		"odd/noclouds.npy": {"no points"},
		"odd/claims.npy":   {"2000000000", "bytes"},
		"odd/huge.npy":     {"finite"},
		"odd/text.npz":     {"zip"},
		"odd/text.h5":      {"HDF5"},
		"odd/beyond.off":   {"7"},
		"odd/text.ply":     {"ply"},
		"odd/mixed":        {"b.npy", "dimension"},
		"sub":              {"no clouds"},
	} {
		name := file[strings.LastIndex(file, "/")+1:]
		add("distance --backend go --loss sw --x "+file+" --y y.npy", append(named, "--x", name)...)
		switch file {
		case "odd/huge.npy": // data info counts what is not finite
		default:
			add("data info "+file, append(named, name)...)
		}
	}
	for _, call := range []string{
		"direction --backend go --amortizer l --x BAD --y y.npy --out new.npy",
		"encode --backend go --run run --x BAD --out new.npy",
		"reconstruct --backend go --run run --x BAD --out new.npy",
		"metrics --backend go --reference BAD --generated y.npy",
		"metrics --backend go --reference y.npy --generated BAD",
		"evaluate --backend go --run run --data BAD",
		"compare --backend go --run run --run run --data BAD",
		"classify --backend go --run run --data BAD",
		"classify --backend go --run run --data data --test BAD",
		"generate --backend go --run run --data BAD --out new.npy",
		"train --backend go --loss sw --points 2 --batch 2 --steps 0 --out new --data BAD",
		"sweep --backend go --vary kappa=1,2 --points 2 --batch 2 --steps 0 --out new --data BAD",
	} {
		for _, bad := range []string{"odd/claims.npy", "odd/noclouds.npy"} {
			add(strings.ReplaceAll(call, "BAD", bad), bad[len("odd/"):])
		}
	}
	add("data sample odd/beyond.off --out new.npy", "beyond.off", "7")
	add("data sample sub --out new.npy", "sub", "no meshes")
	add("data sample x.npy --out new.npy", "x.npy", "mesh")

	// Folders with inconsistent parts.
	add("data info odd/labels", "labels.npy", "3", "4")
	add("data info odd/split", "split.npy", "7")
	add("train --backend go --loss sw --points 32 --batch 2 --steps 0 --out new --data odd/notrain", "train", "notrain")
	add("evaluate --backend go --run run --data odd/notest", "test", "notest")
	add("classify --backend go --run run --data odd/plain --test odd/classes", "--data", "label", "plain")
	add("classify --backend go --run run --data odd/classes --test odd/plain", "--test", "label", "plain")
	add("classify --backend go --run run --data odd/oneclass --test odd/onemore", "--data", "two classes")
	add("classify --backend go --run run --data odd/classes --test odd/third", "--test", "classes")

	// Clouds that a sweep or a table cannot train or be tested on: nothing is written.
	const sweep, table = "sweep --backend go --vary slices=2,3 --loss sw --steps 1 --out new --data ", "table run ablation_L --backend go --preset smoke --out new --data "
	for _, call := range []string{sweep, table} {
		add(call+"x.npy", "--test is missing", "x.npy has no test part")
		add(call+"one.npy --test x.npy", "--data", "one.npy", "at least 2 clouds")
		add(call+"data --test odd/claims.npy", "--test", "claims.npy")
	}
	add(sweep+"data --test plane.npy", "--test", "dimension 3", "2", "plane.npy")
	add(sweep+"data --batch 11", "--batch: 11 is larger than the 10 training clouds")
	add(sweep+"data --points 41", "--data", "41 points", "40")
	add(sweep+"data --points 40 --test odd/two.npy", "--test", "two.npy", "40 points", "has 2")
	add("sweep --backend go --vary points=50,60 --loss sw --steps 1 --out new --data data", "data", "50 points", "40")
	add("table run short_generation_result --backend go --preset smoke --out new --data x.npy", "--data", "no test part", "short_generation_result")

	// Clouds that are learned from and tested on: a warning, unless the call is refused.
	add("classify --backend go --run run --data x.npy --test x.npy", "--data", "class labels")
	misuses = append(misuses, misuse{call: "generate --backend go --run run --data x.npy --test x.npy --epochs 1 --distances cd --out new.npy", code: 0,
		stderr: []string{"warning: the test has clouds of x.npy that are also learned from"}, changes: []string{"new.npy"}})

	// Folders that are not runs.
	for _, call := range []string{"encode --x x.npy --out new.npy", "reconstruct --x x.npy --out new.npy", "evaluate", "classify --data odd/classes --test odd/classes", "generate --data odd/plain --test odd/plain --out new.npy"} {
		for run, named := range map[string]string{"sub": "config.json", "odd/noconfig": "config.json", "odd/noweights": "weights", "odd/badrun": "config.json", "odd/typerun": "config.json", "odd/cutrun": "weights.safetensors", "odd/missing": "missing", "x.npy": "x.npy"} {
			add(call+" --backend go --run "+run, "--run", named)
		}
	}
	add("evaluate --backend go --run odd/manyrun --data odd/plain", "--run", "weights.safetensors", "64", "32")
	add("evaluate --backend go --run odd/editedrun --data odd/plain", "--run", "config.json", "the file is damaged or was edited")
	add("compare --backend go --run run --run odd/badrun", "--run", "config.json")
	add("train --backend go --loss sw --resume --out odd/badrun", "config.json")
	add("train --backend go --loss sw --resume --out sub", "config.json")
	add("train --backend go --loss sw --points 32 --batch 2 --steps 0 --out x.npy", "out", "x.npy")

	// Files that are not weights, or another network's.
	for file, named := range map[string]string{"odd/cut.safetensors": "cut.safetensors", "odd/text.safetensors": "text.safetensors", "odd/empty.safetensors": "empty.safetensors",
		"odd/text.pth": "text.pth", "odd/linear.safetensors": "linear.safetensors", "x.npy": "x.npy", "sub": "sub", "odd/missing.safetensors": "missing.safetensors"} {
		add("encode --backend go --x x.npy --out new.npy --weights "+file, "--weights", named)
		add("direction --backend go --amortizer la --x x.npy --y y.npy --out new.npy --weights "+file, "--weights", named)
		add("distance --backend go --loss v-dsw --amortizer la --x x.npy --y y.npy --weights "+file, "--weights", named)
	}
	add("direction --backend go --amortizer la --x x.npy --y y.npy --out new.npy --weights run/weights.safetensors", "--weights", "attn")

	// Masses and directions.
	const sw = "distance --backend go --loss sw --x x.npy --y y.npy "
	add(sw+"--reduce mean --mass-x odd/negmass.npy", "mass", "cloud 1", "point 39", "-1")
	add(sw+"--reduce mean --mass-y odd/nomass.npy", "mass", "cloud 0", "0")
	add(sw+"--mass-x odd/mass.npy", "mass", "mean")
	add(sw+"--directions odd/flatdirs.npy", "direction", "[2 2]")

	// Inconsistent sizes.
	add("distance --backend go --loss sw --x x.npy --y odd/two.npy", "40", "2", "mean")
	add("distance --backend go --loss sw --x x.npy --y y.npy --points 41", "--x", "41", "40")
	add("metrics --backend go --reference plane.npy --generated y.npy", "dimension 3", "2")
	add("encode --backend go --run run --x plane.npy --out new.npy", "--x", "plane.npy", "dimension 3")
	add("train --backend go --loss sw --points 40 --batch 2 --steps 0 --out new --data plane.npy", "plane.npy", "dimension 3")
	add("train --backend go --loss sw --points 40 --batch 2 --steps 0 --out new --data nan.npy", "nan.npy", "finite")

	// Unknown names.
	add("sweep --backend go --vary kappa=1,1 --out new", "kappa", "twice")
}
