package main

import "strings"

// pairs is a distance between the two sets of the fixture.
const pairs = "distance --x x.npy --y y.npy --backend go "

func init() {
	const sweep, table = "sweep --data data --points 32 --batch 4 --vary epochs=1,2", "table run ablation_L --preset smoke"
	const training = "train --loss sw --out new --data data --points 32 --batch 4"
	// Flags without effect: the call, the flag (the first word after the call), and what the
	// message says besides it. Which settings a loss reads is tested in package loss.
	for _, row := range []struct{ call, flag, why string }{
		{pairs + "--loss sw", "--kappa 3", "only markov-sw, rp-sw, v-dsw"},
		{pairs + "--loss v-dsw", "--dk 3", "--amortizer"},
		{pairs + "--loss v-dsw --amortizer la", "--ascent-steps 3", "--amortizer la"},
		{pairs + "--loss v-dsw --slicing point", "--kappa 3", "--slicing point"},
		{pairs + "--loss chamfer", "--slices 5", `"chamfer"`},
		{pairs + "--loss chamfer", "--path host", "no slices"},
		{pairs + "--loss chamfer", "--out-slices s.npy", "no slices"},
		{pairs + "--loss sw", "--normalize unit", "as they are"},
		{pairs + "--loss sw", "--weights run/weights.safetensors", "--amortizer"},
		{pairs + "--loss v-dsw --directions dirs.npy", "--amortizer la", "--directions"},
		{pairs + "--loss sw", "--key data", ".npz"},
		{pairs + "--loss sw", "--force", "no file"},
		{"direction --amortizer ea --x x.npy --y y.npy --out o.npy", "--k 3", `"ea"`},
		{training, "--kappa 2", "only"},
		{training, "--recipe text", "--amortizer"},
		{training, "--key data", "data"},
		{"train --loss sw --out new --data x.npy --points 32 --batch 2", "--split test", "no parts"},
		{"evaluate --run run --data x.npy", "--split test", "no parts"},
		{"evaluate --run run", "--key data", "builtin"},
		{"compare --run run --run run", "--key data", "builtin"},
		{"classify --run run --data data", "--key data", ".npz"},
		{"generate --run run --data data --test x.npy --out o.npy", "--test-split train", "no parts"},
		{"metrics --reference x.npy --generated y.npy --distances cd", "--normalize unit", "emd-approx"},
		{"encode --weights run/weights.safetensors --x x.npy --out o.npy", "--state last", "--run"},
		{"sweep --vary epochs=1,2 --seeds 1,2", "--seed 3", "--seeds"},
		{"sweep --vary epochs=1,2", "--epochs 3", "--vary epochs"},
		{"sweep --vary epochs=1,2", "--set epochs=3", "--vary epochs"},
		{sweep, "--set control=lower", "only cv-sw"},
		{table, "--seed 2", "--seeds"},
		{table, "--set gap_pairs=2", "gap_pairs"},
		{"table run vDSW_approximation --preset smoke", "--test x.npy", "--data"},
		{"table run all --preset smoke", "--rows sw", "all its rows"},
		{table + " --dry-run", "--jobs 2", "nothing runs"},
		{table + " --job sw/1", "--jobs 2", "no table is made"},
		{"data verify sub", "--cache sub", "sub"},
	} {
		flag, _, _ := strings.Cut(row.flag, " ")
		misuses = append(misuses, misuse{call: row.call + " " + row.flag, code: 2, stderr: []string{flag, "would do nothing", row.why}})
	}
	// Values that no call takes, what is missing, unknown or given twice.
	for call, stderr := range map[string]string{
		pairs + "--loss asw --epsilon 0":                         "--epsilon: expected a number > 0",
		pairs + "--loss qmc-sw --slices 8 --replicates 9":        "--replicates: expected at most the number of slices, 8, found 9",
		training + " --slices 8 --loss markov-sw":                "--loss: given twice",
		sweep + " --loss markov-sw --set slices=8 --set chain=9": "--chain: expected at most the number of slices, 8, found 9",
		pairs + "--loss sw --slices 0":                           "--slices: expected at least 1, found 0",
		pairs + "--loss sw --slices 1.5":                         `--slices: expected a whole number, found "1.5"`,
		pairs + "--loss sw -L 1.5":                               `--slices: expected a whole number, found "1.5"`,
		pairs + "--loss sw --slices 99999999999999999999":        "--slices: expected a whole number from",
		pairs + "--loss sw --slices 3 --slices 4":                `--slices: given twice, "3" and "4"`,
		pairs + "--loss sw --root --root":                        `--root: given twice`,
		pairs + "--loss sw --p nan":                              "--p: expected a number >= 1, found nan",
		pairs + "--loss sw --p 1e999":                            "--p: expected a number of at most 1.8e+308",
		pairs + "--loss v-dsw --kappa 1e60":                      "kappa: expected a number from 0 to 1e+15, found 1e60",
		pairs + "--loss v-dsw --amortizer lla":                   `--amortizer: unknown amortizer "lla"`,
		pairs + "--loss chamfre":                                 `did you mean "chamfer"`,
		pairs + "--loss sw --reduce men":                         `--reduce: expected sum or mean, found "men"; did you mean "mean"?`,
		pairs + "--loss sw --seed -1":                            `--seed: expected a whole number, 0 or more, found "-1"`,
		pairs + "--loss sw --root=maybe":                         `--root: expected true or false, found "maybe"`,
		pairs + "--loss sw --sliced 3":                           "unknown flag --sliced; did you mean --slices?",
		pairs + "--loss sw --format jsn":                         `--format: expected text or json, found "jsn"; did you mean "json"?`,
		pairs + "--loss":                                         "--loss: expected a value after it, found none",
		pairs + "--loss=":                                        `--loss: expected a value, found ""`,
		pairs + "-q 2":                                           "unknown flag -q",
		"distance x.npy y.npy dirs.npy":                          `unexpected argument "dirs.npy"`,
		"distance x.npy --x y.npy":                               "--x: given twice",
		"distance x.npy":                                         "--y is missing; see `swlab distance --help`",
		"train true --loss sw --out new":                         "--FLAG=true, in one word",
		"direction --x x.npy --y y.npy --out o.npy":              "--amortizer is missing",
		"vmf stats --kappa 1 --dim 1":                            "--dim: expected at least 2, found 1",
		"vmf stat --kappa 1":                                     `did you mean "vmf stats"`,
		"trian --loss sw":                                        "unknown command \"trian\"; `swlab help` lists them; did you mean \"train\"?",
		"help data lst":                                          `did you mean "data list"`,
		"completion bahs":                                        `did you mean "completion bash"`,
		"doctor now":                                             `unexpected argument "now"`,
		"data info":                                              "an argument is missing: expected `swlab data info PATH`",
		"data list modelnet":                                     `unknown data set "modelnet"`,
		"data fetch modelnet40-hdf --cache sub":                  `did you mean "modelnet40-hdf5"`,
		"table run ablation_kapa --preset smoke":                 `did you mean "ablation_kappa"`,
		"table run ablation_L --preset smok":                     `did you mean "smoke"`,
		"table run ablation_L":                                   "--preset is missing",
		table + " --set epoch=1":                                 `did you mean "epochs"`,
		table + " --set epochs=1 --set epochs=2":                 "epochs is given twice",
		table + " --data data --set data=x.npy":                  "--set: data is given twice, also by a flag",
		table + " --rows sv":                                     "unknown row",
		table + " --jobs 0":                                      "--jobs: expected at least 1, found 0",
		table + " --dry-run --format md":                         "expected text or json with --dry-run",
		"train --data data --loss max-sw --amortizer la --recipe text --out new": "--recipe",
		"train --loss emd-exact --out new":                                       "no network can be trained on it",
		"train --loss sw --out new --split tets":                                 `--split: expected train, test, val or all, found "tets"; did you mean "test"?`,
		"sweep loss=sw,foo":                                                      `vary loss=foo: unknown loss "foo"`,
		"sweep kappa=1,-2":                                                       "vary kappa",
		"sweep kappa=1,2 --loss sw --data data --points 32":                      "vary kappa: it would do nothing",
		"sweep kapa=1,2":                                                         `did you mean "kappa"`,
		"sweep kappa=1,2 kappa=3":                                                "vary kappa: given twice",
		"sweep kappa=1,2 --set epochs":                                           "--set: expected NAME=VALUE",
		"evaluate":                                                               "--run is missing",
		"compare run":                                                            "--run: expected two run folders, A and B, found 1",
		"metrics x.npy y.npy --distances emd":                                    "--distances: expected some of cd, emd-approx, emd-exact",
		"plot clouds x.npy --clouds 3 --out p.png":                               "--clouds: expected at most 2, as many as x.npy has, found 3",
		"--sed 3": "unknown flag --sed; did you mean --seed?",
	} {
		misuses = append(misuses, misuse{call: call, code: 2, stderr: []string{stderr}})
	}
}
