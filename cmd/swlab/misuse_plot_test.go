package main

func init() {
	refuse := func(call string, stderr ...string) {
		misuses = append(misuses, misuse{call: call, code: 2, stderr: stderr})
	}
	refuse("plot spher --kappa 1 --out p.png", `unknown command "plot spher"`, `did you mean "plot sphere"`)

	refuse("plot clouds --x x.npy", "--out is missing")
	refuse("plot clouds --x x.npy --out p.html", "--out", ".png, .svg or .pdf", "p.html")
	refuse("plot clouds --x x.npy --out x.npy", "--out", "x.npy")
	refuse("plot clouds --x dirs.npy --x x.npy --out p.png", "--x", "expected 1 clouds of dimension 3 as in dirs.npy", "x.npy")
	refuse("plot clouds --x x.npy --x plane.npy --out p.png", "--x", "dimension 3 as in x.npy", "dimension 2 in plane.npy")
	refuse("plot clouds --x x.npy --points 41 --out p.png", "--x", "41")
	refuse("plot clouds --x x.npy --clouds 0 --out p.png", "--clouds: expected at least 1, found 0")
	refuse("plot clouds --x x.npy --errors --out p.png", "--errors would do nothing")
	refuse("plot clouds --x x.npy --x y.npy --caption a --out p.png", "--caption: expected one for each of 2 inputs, found 1")
	refuse("plot clouds --x x.npy --view 12 --out p.png", "--view", `"12"`)

	refuse("plot slice --x x.npy --y plane.npy --out p.png", "--y: expected a cloud of shape [40,3]", "[40,2] in plane.npy")
	refuse("plot slice --x x.npy --y dirs.npy --out p.png", "--y", "[40,3]", "[5,3] in dirs.npy", "--points")
	refuse("plot slice --x x.npy --y y.npy --pair 2 --out p.png", "--pair: expected 0 to 1", "x.npy", "found 2")
	refuse("plot slice --x x.npy --y y.npy --pair 0,1,0 --out p.png", "--pair: expected one number or two, found 3")
	refuse("plot slice --x x.npy --y y.npy --direction 1,0 --out p.png", "--direction: expected 3 coordinates", "found 2")
	refuse("plot slice --x x.npy --y y.npy --direction 0,0,0 --out p.png", "--direction", "zero vector")
	refuse("plot slice --x x.npy --y y.npy --slices 0 --out p.png", "--slices: expected at least 1, found 0")

	refuse("plot sphere --out p.png", "--kappa is missing", `"vmf"`)
	refuse("plot sphere --kappa -1 --out p.png", "--kappa", "-1", "[0, 1e+15]")
	refuse("plot sphere --kappa 1001 --out p.html", "--kappa: expected at most 1000", "1001")
	refuse("plot sphere --kappa 1 --location 1,0 --out p.png", "--location: expected 3 coordinates, found 2")
	refuse("plot sphere --kappa 1 --n 0 --out p.png", "--n: expected at least 1, found 0")
	refuse("plot sphere --kappa 1 --n 9000000000000 --out p.png", "--n: 9000000000000 directions")
	refuse("plot sphere --kappa 1 --distribution vmff --out p.png", "--distribution", `did you mean "vmf"`)
	refuse("plot sphere --kappa 1 --distribution uniform --out p.png", "--kappa would do nothing")
	refuse("plot sphere --kappa 1 --distribution random-path --out p.png", "--distribution", "clouds")
	refuse("plot sphere --kappa 1 --distribution markov --location 1,0,0 --out p.png", "--location would do nothing")
	refuse("plot sphere --kappa 1 --map --out p.html", "--map would do nothing")
	refuse("plot sphere --kappa 1 --out p.gif", "--out", ".html", ".pdf", "p.gif")

	refuse("plot curves --run sub --out p.png", "--run", "sub")
	refuse("plot curves --run run --out p.png", "--run", "no step in its log")
	refuse("plot curves --run run --smooth 1 --out p.png", "--smooth: expected a number from 0 to below 1, found 1")
	refuse("plot curves --run run --caption a --caption b --out p.png", "--caption: expected one for each of 1 inputs, found 2")
}
