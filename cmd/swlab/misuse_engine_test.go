package main

import "github.com/sliced-wasserstein/lab/swlab/engine"

func init() {
	misuses = append(misuses,
		misuse{call: "distance --loss chamfer --x x.npy --y y.npy --backend tpu", code: 2, stderr: []string{"--backend", "auto, xla:cuda, xla:cpu or go", `"tpu"`}},
		misuse{call: "direction --amortizer la --x x.npy --y y.npy --out d.npy --backend cuda", code: 2, stderr: []string{"--backend", `"cuda"`}},
	)
	switch { // a requested backend that is missing is an error for any work
	case !engine.HasXLA:
		misuses = append(misuses,
			misuse{call: "distance --loss sw --x x.npy --y y.npy --backend xla:cpu", code: 1, stderr: []string{"xla:cpu", "built without XLA"}},
			misuse{call: "distance --loss chamfer --x x.npy --y y.npy --backend xla:cuda", code: 1, stderr: []string{"xla:cuda", "built without XLA"}})
	case !engine.Nvidia():
		misuses = append(misuses, misuse{call: "distance --loss sw --x x.npy --y y.npy --backend xla:cuda", code: 1, stderr: []string{"xla:cuda", "no NVIDIA device"}})
	}
}
