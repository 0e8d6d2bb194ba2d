package main

func init() {
	misuses = append(misuses,
		misuse{call: "distance --loss sw --x nan.npy --y y.npy", code: 2, stderr: []string{"--x", "nan.npy", "cloud 0", "point 33", "finite"}},
		misuse{call: "distance --loss sw --x short.npy --y y.npy", code: 2, stderr: []string{"--x", "short.npy"}},
		misuse{call: "distance --loss sw --x text.npy --y y.npy", code: 2, stderr: []string{"--x", "text.npy"}},
		misuse{call: "distance --loss sw --x missing.npy --y y.npy", code: 2, stderr: []string{"--x", "missing.npy"}},
		misuse{call: "distance --loss sw --x plane.npy --y y.npy", code: 2, stderr: []string{"dimension", "2", "3"}},
		misuse{call: "distance --loss sw --x one.npy --y y.npy", code: 2, stderr: []string{"as many clouds"}},
		misuse{call: "distance --loss sw --x x.npy --y y.npy --force", code: 2, stderr: []string{"--force would do nothing"}},
		misuse{call: "distance --loss v-dsw --amortizer la --x x.npy --y y.npy --weights=", code: 2, stderr: []string{"--weights", `found ""`}},
		misuse{call: "distance --loss sw --x x.npy --y y.npy --directions=", code: 2, stderr: []string{"--directions", `found ""`}},
		misuse{call: "distance --loss sw --x x.npy --y y.npy --out-slices=", code: 2, stderr: []string{"--out-slices", `found ""`}},
		misuse{call: "distance --loss v-dsw --x x.npy --y y.npy --kappa -1", code: 2, stderr: []string{"swlab: --kappa"}},
	)
}
