package main

func init() {
	misuses = append(misuses,
		misuse{call: "distance --loss sw --x x.npy --y run/config.json", code: 2, stderr: []string{"--y", "config.json", ".csv", ".pt"}},
		misuse{call: "distance --loss sw --x x.npy --y data/classes.txt", code: 2, stderr: []string{"--y", "classes.txt:2", "expected a finite number", "plate"}},
		misuse{call: "distance --loss sw --x one.npy --y data/points.npy", code: 2, stderr: []string{"found 1 in one.npy and 14"}},
	)
}
