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
		refuse(encode+"--out ./x.npy"+force, "--out", "./x.npy", input)
		refuse(encode+"--out sub/../x.npy"+force, "--out", input)
		refuse(encode+"--out link.npy"+force, "--out", "link.npy", input)
		refuse("encode --run run --x link.npy --out x.npy --backend go"+force, "--out", "x.npy", input)
		refuse("reconstruct --run run --x x.npy --out x.npy"+force, "--out", input)
		refuse(distance+"--out-slices y.npy"+force, "--out-slices", input, "--y")
		refuse(distance+"--out-grad x.npy"+force, "--out-grad", input, "--x")
		refuse(distance+"--directions dirs.npy --out-directions dirs.npy"+force, "--out-directions", input, "--directions")
		refuse("direction --amortizer l --x x.npy --y y.npy --out y.npy"+force, "--out", input, "--y")
		refuse("evaluate --run run --data data --out-per-cloud data/points.npy"+force, "--out-per-cloud", "--data", "in the folder")
		refuse("evaluate --run run --data x.npy --out-per-cloud x.npy"+force, "--out-per-cloud", input, "--data")
		refuse("generate --run run --data data --test x.npy --out x.npy"+force, "--out", input, "--test")
		refuse("generate --run run --data data --out data/labels.npy"+force, "--out", "in the folder", "--data")
		refuse("data sample sub --out sub/new.npy"+force, "--out", "in the folder", "sub")
	}
	refuse("train --loss sw --data data --out data", "--out", input, "--data")
	refuse("train --loss sw --data sub --out sub/run", "--out", "in the folder", "--data")
	refuse("sweep --vary kappa=1 --data data --out data", "--out", input, "--data")
	refuse("table run ablation_L --preset smoke --data data --out ./data/", "--out", input, "--data")
	refuse("metrics --reference data --generated x.npy --store data", "--store", input, "--reference")
	refuse("data sample data --out data", "--out", "not empty")

	// Two outputs are one file.
	refuse(distance+"--out-slices a.npy --out-grad a.npy", "a.npy", output, "--out-slices")
	refuse(distance+"--out-slices sub/a.npy --out-grad ./sub/../sub/a.npy", output)
	refuse(distance+"--out-directions dirs.npy --out-grad dirs.npy --force", output)
	refuse("generate --run run --out new.npy --store new.npy", "--out", output, "--store")

	// A file exists.
	refuse(sample+"--out x.npy", "--out", "x.npy", exists)
	refuse(sample+"--out link.npy", "--out", "link.npy", exists)
	refuse(encode+"--out y.npy", "--out", exists)
	refuse(distance+"--out-slices dirs.npy", "--out-slices", exists)
	refuse(distance+"--out-slices new.npy --out-grad dirs.npy", "--out-grad", exists)
	refuse("evaluate --run run --data data --out-per-cloud x.npy", "--out-per-cloud", exists)
	refuse("data sample builtin --points 4 --out x.npy", "--out", exists)

	// The name does not fit what is written.
	refuse(sample+"--out s.csv", "--out", ".npy", "s.csv")
	refuse(sample+"--out s", "--out", ".npy")
	refuse(sample+"--out s.npz --force", "--out", ".npy", "s.npz")
	refuse(encode+"--out z.csv", "--out", ".npy", "z.csv")
	refuse(distance+"--out-slices s.txt", "--out-slices", ".npy", "s.txt")
	refuse(distance+"--out-grad g.csv", "--out-grad", ".npy", "g.csv")
	refuse(distance+"--out-directions d.json", "--out-directions", ".npy", "d.json")
	refuse("evaluate --run run --data data --out-per-cloud v.csv", "--out-per-cloud", ".npy", "v.csv")
	refuse("data sample builtin --points 4 --out clouds.npz", "--out", ".npy", "clouds.npz")
	refuse("sweep --vary kappa=1 --plot p.npy", "--plot", ".png", ".svg", "p.npy")

	// The place cannot hold a file or a folder.
	refuse(sample+"--out none/s.npy", "--out", "no folder none")
	refuse(sample+"--out x.npy/s.npy", "--out", "no folder x.npy")
	refuse(distance+"--out-slices none/s.npy", "--out-slices", "no folder none")
	refuse("train --loss sw --data data --out x.npy", "--out", "expected a folder", "the file x.npy")
	refuse("train --loss sw --data data --out x.npy/run", "--out", "expected a folder", "x.npy")
	refuse("sweep --vary kappa=1 --data data --out y.npy", "--out", "expected a folder")
	refuse("table run ablation_L --preset smoke --pictures x.npy", "--pictures", "expected a folder")
	refuse("metrics --reference x.npy --generated y.npy --store dirs.npy", "--store", "expected a folder")
	refuse("generate --run run --out new.npy --store x.npy", "--store", "expected a folder")
	refuse("data sample builtin --points 4 --out data", "--out", "not empty")
	refuse("data sample builtin --points 4 --out run", "--out", "not empty")
}
