package main

func init() {
	const distance = "distance --loss sw --x x.npy --y y.npy --backend go "
	const encode = "encode --run run --x x.npy --backend go "
	const sample = "vmf sample --kappa 1 --location 0,0,1 --n 3 "
	const input, output, exists = "is also an input", "is also an output", "exists; --force replaces it"
	refuse := func(call string, stderr ...string) {
		misuses = append(misuses, misuse{call: call, code: 2, stderr: stderr})
	}

	// An output is an input, by any name, also with --force.
	for _, force := range []string{"", " --force"} {
		refuse(encode+"--out x.npy"+force, "--out", "x.npy", input, "--x")
		refuse(encode+"--out sub/../x.npy"+force, "--out", input)
		refuse(encode+"--out link.npy"+force, "--out", "link.npy", input)
		refuse("encode --run run --x link.npy --out x.npy --backend go"+force, "--out", "x.npy", input)
		refuse(distance+"--directions dirs.npy --out-directions dirs.npy"+force, "--out-directions", input, "--directions")
		refuse("evaluate --run run --data data --out-per-cloud data/points.npy"+force, "--out-per-cloud", "--data", "in the folder")
		refuse("data sample sub --out sub/new.npy"+force, "--out", "in the folder", "sub")
	}
	refuse("train --loss sw --data data --out data", "--out", input, "--data")
	refuse("train --loss sw --data sub --out sub/run", "--out", "in the folder", "--data")
	refuse("table run ablation_L --preset smoke --data data --out ./data/", "--out", input, "--data")
	refuse("metrics --reference data --generated x.npy --store data", "--store", input, "--reference")

	// Two outputs are one file, a file exists, the name does not fit, or the place cannot hold it.
	refuse(distance+"--out-slices sub/a.npy --out-grad ./sub/../sub/a.npy", output)
	refuse(distance+"--out-directions dirs.npy --out-grad dirs.npy --force", output)
	refuse(sample+"--out link.npy", "--out", "link.npy", exists)
	refuse(distance+"--out-slices new.npy --out-grad dirs.npy", "--out-grad", exists)
	refuse(sample+"--out s", "--out", ".npy")
	refuse(sample+"--out s.npz --force", "--out", ".npy", "s.npz")
	refuse("data sample builtin --points 4 --out clouds.npz", "--out", ".npy", "clouds.npz")
	refuse("sweep kappa=1 --plot p.npy", "--plot", ".png", ".svg", "p.npy")
	refuse(sample+"--out none/s.npy", "--out", "no folder none")
	refuse(sample+"--out x.npy/s.npy", "--out", "no folder x.npy")
	refuse("train --loss sw --data data --out x.npy", "--out", "expected a folder", "the file x.npy")
	refuse("table run ablation_L --preset smoke --pictures x.npy", "--pictures", "expected a folder")
	refuse("data sample builtin --points 4 --out data", "--out", "not empty")
}
