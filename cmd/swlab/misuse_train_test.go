package main

func init() {
	train := "train --data data --loss sw --backend go --out new "
	misuses = append(misuses,
		misuse{call: "train --data data --out new", code: 2, stderr: []string{"--loss is missing"}},
		misuse{call: train + "--points 0", code: 2, stderr: []string{"--points", "at least 1", "found 0"}},
		misuse{call: train + "--batch 1", code: 2, stderr: []string{"batch", "at least 2", "found 1"}},
		misuse{call: train + "--learning-rate 1e60", code: 2, stderr: []string{"--learning-rate", "3.4e+38", "1e60"}},
		misuse{call: train + "--momentum 1", code: 2, stderr: []string{"momentum", "below 1"}},
		misuse{call: train + "--amortizer-steps 2", code: 2, stderr: []string{"amortizer-steps", "no amortizer"}},
		misuse{call: "train --data data --loss v-dsw --amortizer la --amortizer-steps 0 --out new", code: 2, stderr: []string{"amortizer-steps", "at least 1"}},
		misuse{call: "train --data one.npy --loss sw --out new", code: 2, stderr: []string{"one.npy", "at least 2 clouds", "found 1"}},
		misuse{call: "train --resume --epochs 10 --out sub", code: 2, stderr: []string{"sub", "holds no run"}},
		misuse{call: "train --resume --epochs 10 --out run", code: 2, stderr: []string{"ends after 0 steps all the same", "steps (0; -1: no bound)"}},
		misuse{call: "train --resume --steps 5 --kappa 3 --out run", code: 2, stderr: []string{"another run", "kappa: 3, the run has 1"}},
		misuse{call: "encode --run run --x x.npy --normalize yes --out new.npy", code: 2, stderr: []string{"--normalize", "auto, unit or none", `"yes"`}},
		misuse{call: "encode --run run --backend go --x x.npy --normalize none --out new.npy", code: 0, stderr: []string{"warning: --x: 2 of 2 clouds", "--normalize unit"}, changes: []string{"new.npy"}},
		misuse{call: "encode --weights run/weights.safetensors --backend go --x y.npy --out new.npy", code: 0, stderr: []string{"warning: --x", "centre"}, changes: []string{"new.npy"}},
	)
}
