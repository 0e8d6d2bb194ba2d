//go:build unix && !swlab_cell

package lab

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/experiments/calls"
	"github.com/sliced-wasserstein/lab/internal/client"
	"github.com/sliced-wasserstein/lab/swlab/engine"
)

// TestMain is the process of the lab where the environment asks for it. The tests run on the pure-Go backend unless another is chosen:
// XLA would compile for longer than the small calls take. The notebooks call the lab on XLA.
func TestMain(m *testing.M) {
	if _, set := os.LookupEnv(engine.Variable); !set {
		must.M(os.Setenv(engine.Variable, "go"))
	}
	if at := os.Getenv("SWLAB_TEST_PROCESS"); at != "" {
		pid := must.M1(strconv.Atoi(os.Getenv("SWLAB_TEST_PARENT")))
		p := calls.Process{Socket: at, Root: os.Getenv("SWLAB_TEST_ROOT"), Alive: func() bool { return syscall.Kill(pid, 0) == nil }}
		must.M(os.WriteFile(at+".pid", fmt.Append(nil, os.Getpid()), 0o600))
		if err := p.Serve(context.Background()); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// withProcess makes the calls of a test go to a process, the test binary; root is the source that it watches.
func withProcess(t *testing.T, root string) {
	dir := must.M1(os.MkdirTemp("", "lab")) // a short path, as sockets need
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := filepath.Join(dir, "socket")
	script := filepath.Join(dir, "start")
	must.M(os.WriteFile(script, fmt.Appendf(nil, "SWLAB_TEST_PROCESS=$1 SWLAB_TEST_ROOT='%s' SWLAB_TEST_PARENT=%d exec '%s'\n", root, os.Getpid(), must.M1(os.Executable())), 0o600))
	t.Setenv("SWLAB_LAB_START", script)
	t.Cleanup(func() { kill(); client.Socket = "" })
	client.Socket = at
}

// kill kills the process, if there is one.
func kill() bool {
	raw, err := os.ReadFile(client.Socket + ".pid")
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(string(raw))
	return err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil
}

// answers are what some calls find, as texts.
func answers() []string {
	x, y := Cloud("chair"), Cloud("bed", Size(300))
	z := Points([][]float64{{0, 0, 1}, {1e6, 1, 0}, {0.5, 0.5, 0.5}})
	big := make([][]float32, 9000)
	for i := range big {
		big[i] = []float32{float32(i), 1, float32(i % 7)}
	}
	d := VDSW(x, x, Kappa(3), Slices(5), Mean())
	return []string{SW(x, y, Mean()).String(), d.String(), fmt.Sprint(d.Location(), d.Costs()), fmt.Sprint(z.Coordinates()),
		fmt.Sprint(Points(big).Coordinates()[:9]), Ablate(x, x, Losses(SW, VDSW), Kappa(1, 9), Slices(1, 4), Repeats(2)).String(),
		fmt.Sprint(Keep("numbers", func() []float64 { return []float64{1, math.Inf(1)} }))}
}

// TestProcess: the process answers as this program does, what it has is not computed again, and its
// socket and folder are the user's alone.
func TestProcess(t *testing.T) {
	want := answers()
	withProcess(t, "")
	for range 2 {
		if got := answers(); !reflect.DeepEqual(got, want) {
			t.Errorf("found\n%q, expected\n%q", got, want)
		}
	}
	count := 0
	for range 2 {
		Keep("counted", func() int { count++; return count })
		Forget("nothing")
	}
	if count != 1 {
		t.Errorf("computed %d times", count)
	}
	Forget("counted")
	if Keep("counted", func() int { return 5 }) != 5 {
		t.Error("not forgotten")
	}
	if mode := must.M1(os.Stat(client.Socket)).Mode().Perm(); mode != 0o600 {
		t.Errorf("the socket has mode %o", mode)
	}
	if mode := must.M1(os.Stat(filepath.Dir(client.Socket))).Mode().Perm(); mode != 0o700 {
		t.Errorf("its folder has mode %o", mode)
	}
}

// TestShared: two notebooks that share a process have each other's values, and a restart forgets them.
func TestShared(t *testing.T) {
	withProcess(t, "")
	t.Setenv("TMPDIR", filepath.Dir(client.Socket))
	var sockets []string
	for _, notebook := range []string{"a", "b"} {
		own := filepath.Join(filepath.Dir(client.Socket), notebook)
		t.Setenv("SWLAB_LAB", own)
		client.Socket = own
		Share("two")
		sockets = append(sockets, client.Socket, client.At(own))
		if Keep("first", func() string { return notebook }) != "a" {
			t.Error("not shared")
		}
	}
	if sockets[0] != sockets[2] || sockets[1] != sockets[0] || sockets[3] != sockets[0] {
		t.Errorf("sockets %q", sockets)
	}
	Restart()
	if Keep("first", func() string { return "anew" }) == "a" {
		t.Error("kept over a restart")
	}
	for _, bad := range []string{"", "a/b", ".."} {
		if err := client.Share(bad); bad != ".." && err == nil {
			t.Errorf("%q is a name", bad)
		}
	}
}

// TestSources: functions with other code have other values, also where only what they call differs.
func TestSources(t *testing.T) {
	withProcess(t, "")
	a := Keep("value", func() int { return one() })
	b := Keep("value", func() int { return two() })
	if a != 1 || b != 2 {
		t.Errorf("found %d and %d", a, b)
	}
}

func one() int { return 1 }
func two() int { return 2 }

// TestFiles: a file counts by its content.
func TestFiles(t *testing.T) {
	withProcess(t, "")
	t.Chdir(t.TempDir())
	write := func(v float32) {
		must.M(os.WriteFile("x.txt", nil, 0o600))
		must.M(os.WriteFile("x.xyz", fmt.Appendf(nil, "0 0 0\n1 1 %g\n", v), 0o600))
	}
	write(2)
	if got := Cloud("x.xyz").Coordinates(); got[5] != 2 {
		t.Errorf("found %v", got)
	}
	info := must.M1(os.Stat("x.xyz"))
	write(3)
	must.M(os.Chtimes("x.xyz", info.ModTime(), info.ModTime()))
	if got := Cloud("x.xyz").Coordinates(); got[5] != 3 {
		t.Errorf("found %v after a change", got)
	}
}

// TestStale: a process whose source has changed answers no more; the next one does.
func TestStale(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "a.go")
	must.M(os.WriteFile(file, []byte("package a"), 0o600))
	withProcess(t, root)
	Cloud("chair")
	first := string(must.M1(os.ReadFile(client.Socket + ".pid")))
	Cloud("bed")
	if now := string(must.M1(os.ReadFile(client.Socket + ".pid"))); now != first {
		t.Error("another process without a change")
	}
	must.M(os.WriteFile(file, []byte("package b "), 0o600))
	Cloud("chair")
	if now := string(must.M1(os.ReadFile(client.Socket + ".pid"))); now == first {
		t.Error("the same process after a change")
	}
}

// TestTaken: a process that finds the socket in the hands of another one, which ends without answering, is started again.
func TestTaken(t *testing.T) {
	withProcess(t, "")
	other := must.M1(os.Create(client.Socket + ".lock"))
	must.M(syscall.Flock(int(other.Fd()), syscall.LOCK_EX))
	answered := make(chan int)
	go func() { answered <- Cloud("chair").Dim }()
	pid := ""
	for ended := false; !ended; { // until one has come and gone
		raw, _ := os.ReadFile(client.Socket + ".pid")
		if pid == "" {
			pid = string(raw)
		}
		ended = pid != "" && string(raw) != pid
		runtime.Gosched()
	}
	must.M(other.Close())
	if got := <-answered; got != 3 {
		t.Errorf("found dimension %d", got)
	}
}

// TestKilled: whenever the process is killed, answers are those of this program.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process fifty times")
	}
	want := answers()
	withProcess(t, "")
	r := rand.New(rand.NewPCG(1, 43))
	kills := 0
	for range 50 {
		timer := time.AfterFunc(time.Duration(r.IntN(60))*time.Millisecond, func() { kill() })
		if got := answers(); !reflect.DeepEqual(got, want) {
			t.Fatalf("found\n%q, expected\n%q", got, want)
		}
		if !timer.Stop() {
			kills++
		}
	}
	if kills < 25 {
		t.Errorf("only %d kills while it answered", kills)
	}
}

func (p *Picture) isPNG() bool {
	return bytes.HasPrefix(client.Values[uint8](p.found, "png"), []byte("\x89PNG"))
}

// TestPictures: every picture can be drawn, in the plane and in space, and saved.
func TestPictures(t *testing.T) {
	withProcess(t, "")
	t.Chdir(t.TempDir())
	for _, x := range []*Clouds{Cloud("chair"), Points([][]float32{{0, 0}, {1, 0}, {0, 2}})} {
		d := VDSW(x, x, Slices(20))
		all := map[string]*Picture{"plot.png": d.Plot(), "slice.svg": d.Slice(make1(x.Dim)...), "landscape.pdf": d.Landscape(math.Inf(1), 10).Picture, "clouds.png": x.Plot()}
		if x.Dim == 3 {
			all["sphere.png"] = d.Sphere()
		}
		for name, p := range all {
			p.Save(name)
			if p.Alt == "" || !p.isPNG() || must.M1(os.Stat(name)).Size() < 1000 {
				t.Errorf("%s: %q", name, p.Alt)
			}
		}
	}
	if p := Curve("x", "y", []float64{1, 2}, []float64{3, 4}); !p.isPNG() {
		t.Error("no curve")
	}
	if p := VMF([]float64{0, 0, 2}, 1, 10); !p.isPNG() || !strings.Contains(p.found.Text("turns"), "swlab-sphere") {
		t.Error("no sphere that turns")
	}
	x := Points([][]float64{{3, 3}, {1, 1}})
	if p := SW(x, Points([][]float64{{2, 2.5}, {3, 2}}), Slices(50)).Plan(); p.Cost != 2.125 || len(p.Rows) != 2 || p.Rows[0][2] != 0.5 {
		t.Errorf("%v %v", p, p.Rows)
	}
	x = Cloud("chair")
	a := Ablate(x, Cloud("bed"), Kappa(1, 10, 100), Slices(1, 10), Repeats(3))
	a.Save("kappa.csv")
	a.Save("kappa.pdf")
	if raw := string(must.M1(os.ReadFile("kappa.csv"))); strings.Count(raw, "\n") != 7 {
		t.Errorf("found %s", raw)
	}
	Vars()
}

func make1(dim int) []float64 { return append(make([]float64, dim-1), 2) }

// TestTraining: a training is read when it has finished, and its table can be saved.
func TestTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	t.Setenv("SWLAB_ROOT", must.M1(os.Getwd())) // for Results
	withProcess(t, "")
	t.Chdir(t.TempDir())
	set := Shapes("builtin", Size(32))
	train := func() *Run { return Train(VDSW, LA, On(set), Steps(3), Batch(8), Slices(5)) }
	first := train()
	if got := train(); got.Steps != 3 || got.Loss != first.Loss || len(got.Losses()) != 3 || !strings.Contains(got.Folder, "swlab-out") {
		t.Errorf("found %v, expected %v", got, first)
	}
	shown := first.found.Text("shown")
	if !strings.Contains(shown, "<img") || train().found.Text("shown") != shown {
		t.Errorf("the training has shown %.100q, and the same again something else", shown)
	}
	x, y := Cloud("chair", Size(32)), Cloud("bed", Size(32))
	o := VDSW(x, y, first.Amortized(), Slices(5)).Optimum()
	cost := SW(x, y, Mean(), Slices(500)).Value
	if !(o.Highest > cost) || !(o.Cost <= o.Highest+o.Gap) || !(o.Angle >= 0 && o.Angle <= 90) || !o.Plot().isPNG() {
		t.Errorf("found %+v, mean cost %v", o, cost)
	}
	must.M(os.Remove(first.Amortizer()))
	must.M(os.RemoveAll(first.Folder))
	if again := train(); again.Loss != first.Loss || again.found.Text("shown") == "" {
		t.Errorf("after its folder was removed: %v, expected %v", again, first)
	} else if _, err := os.Stat(again.Amortizer()); err != nil {
		t.Error(err)
	}
	table := Sweep(Kappa(1, 10), Set("points", 32), Epochs(1), Batch(8), Set("per_class", 1), Set("per_test", 1))
	if rows := table.Rows; len(rows) != 2 || len(rows[1].Values["emd_exact"].Values) != 1 || rows[1].Settings["kappa"] != 10.0 ||
		!(rows[1].Difference["cd"].Low < rows[1].Difference["cd"].High) {
		t.Errorf("found rows %+v", table.Rows)
	}
	must.M(os.Mkdir("clouds", 0o755))
	for i := range 10 { // without parts: two of ten are scored
		file := must.M1(os.Create(filepath.Join("clouds", fmt.Sprint(i, ".xyz"))))
		for k := range 8 {
			fmt.Fprintln(file, i, k, k*k%3)
		}
		must.M(file.Close())
	}
	if own := Sweep(On(Shapes("clouds")), Kappa(1, 10), Epochs(1), Batch(4), Slices(2)); !strings.Contains(own.String(), "2 clouds") {
		t.Errorf("found %v", own)
	}
	table.Save("sweep.tex")
	if raw := string(must.M1(os.ReadFile("sweep.tex"))); !strings.Contains(raw, "tabular") {
		t.Errorf("found %s", raw)
	}
	Results("ablation_kappa")
	Results("ablation_kappa", Rows("SW", "κ = 10"), Metric("SW"), Against("κ = 1"), Repeats(2), Title("Two seeds"))
	Results("ablation_kappa", Rows("κ = 10"), Seeds("1-2", "1-3"))
	Show(Table("ablation_kappa", Rows("la-v-dsw")))
	Show(table.found.Request.Function)
	g := Gap(LA, On(set), Set("batches", 1), Set("pairs", 4), Set("held_out", 4), Set("passes", 1), Set("common", 50))
	if g["held_out"].(map[string]any)["pairs"].(float64) != 4 {
		t.Errorf("found %v", g)
	}
}

// TestErrors: a wrong call is one error that names the setting, and the process lives on.
func TestErrors(t *testing.T) {
	withProcess(t, "")
	x := Cloud("chair")
	for says, call := range map[string]func(){
		`did you mean "kappa"?`:           func() { SW(x, x, Set("kapa", 3)) },
		"kappa would do nothing":          func() { SW(x, x, Kappa(3)) },
		"expected one value":              func() { SW(x, x, Slices(1, 2)) },
		"no such file":                    func() { Cloud("nothing-here") },
		"row 1 has 2 coordinates":         func() { Points([][]float64{{1, 2, 3}, {1, 2}}) },
		"expected a setting with numbers": func() { Ablate(x, x, Losses(SW, MaxSW)).Curves() },
		"seed: expected a whole number":   func() { SW(x, x, Set("seed", "x")) },
		"one pair of clouds that has":     func() { SW(x, x).Optimum() },
		"coordinates other than 0":        func() { VMF([]float64{0, 0}, 1) },
		"expected as many y as x":         func() { Curve("x", "y", []float64{1}, nil) },
	} {
		func() {
			defer func() {
				if e := fmt.Sprint(recover()); !strings.Contains(e, says) {
					t.Errorf("found %q, expected %q", e, says)
				}
			}()
			call()
		}()
	}
	SW(x, x)
}

// TestOptions: every option sets what it is called after.
func TestOptions(t *testing.T) {
	r := newRequest("distance", []Option{Kappa(2), Slices(3), Power(1), Slicing("qmc"), AscentSteps(4), AscentRate(0.5), Mean(), Root(),
		Epochs(5), Steps(6), Batch(7), LearningRate(0.25), Repeats(8), Size(9), LA, Preset("quick"), Rows("sw", "la"), Set("ascent-tangent", true), Seed(10)})
	for name, want := range map[string]string{"kappa": "2", "slices": "3", "p": "1", "slicing": "qmc", "ascent_steps": "4", "ascent_rate": "0.5",
		"reduce": "mean", "root": "true", "epochs": "5", "steps": "6", "batch": "7", "learning_rate": "0.25", "repeats": "8", "points": "9",
		"amortizer": "la", "ascent_tangent": "true", "preset": "quick", "rows": "sw,la"} {
		if got := r.Settings[name]; got != want {
			t.Errorf("%s: found %q, expected %q", name, got, want)
		}
	}
	if r.Seed != 10 || len(r.Settings) != 18 {
		t.Errorf("seed %d, settings %v", r.Seed, r.Settings)
	}
}

var moments = Loss("test-moments", func(x, y *Node) *Node {
	return graph.ReduceSum(graph.Square(graph.Sub(graph.ReduceMean(x, 1), graph.ReduceMean(y, 1))), -1)
})

var farthest = LossFunc("test-farthest", func(x, y [][]float64) float64 {
	most := 0.0
	for i := range x {
		most = math.Max(most, math.Abs(x[i][0]-y[i][0]))
	}
	return most
})

var upright = Directions("test-upright", func(r *rand.Rand) []float64 { return []float64{0, 0, 2} })

var together = Directions("test-together", func(r *rand.Rand) []float64 { return []float64{0, 0, 2, 0, 3, 0} })

var linear = Amortizer("test-linear", Weights{"w": {3, 3}, "b": {3}}, func(w W, x, y *Node) *Node {
	d := graph.Sub(graph.ReduceMean(y, 1), graph.ReduceMean(x, 1))
	return graph.Add(graph.Dot(d, graph.Transpose(w.Get("w"), 0, 1)).Product(), graph.BroadcastToShape(graph.InsertAxes(w.Get("b"), 0), d.Shape()))
})

// TestOwn: losses, directions and amortizers of one's own give what their formulas say, with and without a
// withProcess that knows nothing of them, and go with the rest.
func TestOwn(t *testing.T) {
	for _, with := range []bool{false, true} {
		if with {
			withProcess(t, "")
		}
		x, y := Points([][]float64{{0, 0, 0}, {2, 0, 4}}), Points([][]float64{{1, 0, 2}, {3, 2, 2}})
		if d := moments(x, y); math.Abs(d.Value-2) > 1e-6 { // means (1, 0, 2) and (2, 1, 2)
			t.Errorf("moments: %v", d)
		}
		if d := farthest(x, y); d.Value != 1 {
			t.Errorf("farthest: %v", d)
		}
		if d := SW(x, y, upright, Slices(3), Mean()); math.Abs(d.Value-4) > 1e-6 { // 0, 4 against 2, 2
			t.Errorf("upright: %v %v", d, d.Directions())
		} else if p := d.Slice(); !p.isPNG() {
			t.Error("no picture of own directions")
		}
		if d := SW(x, y, together, Slices(5)); !slices.Equal(d.Directions(), []float32{0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1}) {
			t.Errorf("together: %v", d.Directions())
		} else if d := SW(x, y, together, Slices(4)); d.StdErr > 1e-9 { // of two equal means
			t.Errorf("together: %v", d)
		}
		d := VDSW(Cloud("chair"), Cloud("bed"), linear, Slices(4))
		if at := d.Location(); len(at) != 3 || math.Abs(float64(at[0]*at[0]+at[1]*at[1]+at[2]*at[2])-1) > 1e-5 {
			t.Errorf("location %v", at)
		}
		if a := Ablate(x, y, Losses(moments, farthest, SW), Slices(2)); len(a.Rows) != 3 || math.Abs(a.Rows[0].Mean-2) > 1e-6 || a.Rows[1].Mean != 1 {
			t.Errorf("ablation %+v", a)
		}
	}
}

// TestOwnTraining: a training on a loss of one's own lowers it.
func TestOwnTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	t.Chdir(t.TempDir())
	run := Train(moments, On(Shapes("builtin", Size(32))), Steps(12), Batch(8))
	if l := run.Losses(); l[11] >= l[0] {
		t.Errorf("losses %v", l)
	}
}

// TestLandscape: two points and the same, moved by (0, 0, 2): F is (2z)², its mean 4/3, and J that of the second moment
// under a von Mises-Fisher distribution.
func TestLandscape(t *testing.T) {
	withProcess(t, "")
	d := SW(Points([][]float64{{0, 0, 0}, {1, 0, 0}}), Points([][]float64{{0, 0, 2}, {1, 0, 2}}), Slices(5))
	if f := d.F(0, 0, 3); math.Abs(f-4) > 1e-6 {
		t.Errorf("F is %v along the move", f)
	}
	l := d.Landscape()
	if math.Abs(l.Mean-4.0/3) > 1e-4 || math.Abs(l.Highest-4) > 1e-5 || l.Lowest > 1e-6 || math.Abs(l.Best[2]*l.Best[2]-1) > 1e-4 || math.Abs(l.Worst[2]) > 1e-3 {
		t.Errorf("%+v", l)
	}
	if !l.Rings(l.Best, l.Worst).isPNG() {
		t.Error("no rings")
	}
	if c := l.Circles(l.Best); !c.Rings(l.Best).isPNG() || c.Mean != l.Mean || c.Picture.found == l.Picture.found {
		t.Error("no circles")
	}
	if w := l.Way([]float32{1, 0, 0, 0, 0, 1}); !w.isPNG() || !l.Way().isPNG() || w.Up(l.Mean) != 0 || math.Abs(w.Up(4)-100) > 1e-3 {
		t.Errorf("the way up: %+v", w)
	}
	const kappa = 10
	j, second := d.Landscape(kappa), 1-2*(1/math.Tanh(kappa)-1.0/kappa)/kappa
	if math.Abs(j.At(0, 0, 1)-4*second) > 1e-3 || math.Abs(j.Highest-4*second) > 1e-3 || math.Abs(j.Mean-l.Mean) > 1e-12 {
		t.Errorf("J is %v at the move, at most %v, expected %v", j.At(0, 0, 1), j.Highest, 4*second)
	}
	if plane := SW(Points([][]float64{{0, 0}}), Points([][]float64{{1, 0}})).Landscape(); math.Abs(plane.Mean-0.5) > 1e-6 || len(plane.Values()) != 720 {
		t.Errorf("in the plane: %+v", plane)
	}
}

// TestDrawn: curves of functions and matchings are pictures.
func TestDrawn(t *testing.T) {
	withProcess(t, "")
	square := func(x int) float64 { return float64(x * x) }
	p := Curves("x", "y", Dots("a", []int{1, 10}, func(x int) (float64, float64) { return square(x), 0.1 }), Theory("b", []int{1, 1000}, square))
	d := SW(Points([][]float64{{0, 0}, {1, 0}}), Points([][]float64{{0, 2}, {1, 3}}))
	if !strings.Contains(d.Turn(0, 2).found.Text("turns"), "swlab-slice") {
		t.Error("no slice that turns")
	}
	for _, p := range []*Picture{p, Matchings([]float64{0, 1}, []float64{3, 2}, []int{0, 1}, []int{1, 0}).Caption("c")} {
		if !p.isPNG() {
			t.Errorf("%s is no picture", p)
		}
	}
}

// TestValue: as many digits as the error allows.
func TestValue(t *testing.T) {
	for text, v := range map[string]Value{"0.0532 ± 0.0014": {0.05317, 0.00141}, "81.7 ± 1.2": {81.69, 1.23}, "1235": {1234.6, 0}} {
		if v.String() != text {
			t.Errorf("%s, expected %s", v, text)
		}
	}
	c := Columns("a", "b")
	c.Row("x", Percent(0.5))
	c.Row(1, 0.123456)
	if _, text := client.Table(c.rows); text != "a  b\nx  50 %\n1  0.1235\n" {
		t.Errorf("%q", text)
	}
}

// ring are n points of an ellipse around (at, 0).
func ring(n int, at, wide float64) *Clouds {
	var rows [][]float64
	for i := range n {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		rows = append(rows, []float64{at + wide*c, s})
	}
	return Points(rows)
}

// TestDescend: the flow of W₂² halves the distance with η = 1/2; one fixed direction sees only its own; a row has the
// settings that vary.
func TestDescend(t *testing.T) {
	withProcess(t, "")
	t.Chdir(t.TempDir())
	x, y := ring(40, 0, 1), ring(40, 0.5, 0.3)
	all := Descend(y, x, Losses(SW, EMD, VDSW, MaxSW, Chamfer), Steps(4), LearningRate(0.5), Slices(20))
	if len(all.Rows) != 5 || len(all.Steps) != 5 || all.Rows[1].Settings["loss"] != "emd-exact" {
		t.Fatalf("found %+v", all)
	}
	w := all.Rows[1].W2
	for i := 1; i < len(w); i++ {
		if math.Abs(w[i]/w[i-1]-0.5) > 1e-3 {
			t.Errorf("W₂ goes from %v to %v, expected half", w[i-1], w[i])
		}
	}
	if got := EMD(all.End(1), x).Plan().Cost; math.Abs(math.Sqrt(got)/w[4]-1) > 1e-3 {
		t.Errorf("W₂ of the end is %v, expected %v", math.Sqrt(got), w[4])
	}
	if l := all.Rows[0].Losses; len(l) != 5 || !(l[4] < l[0]/4) {
		t.Errorf("SW falls as %v", l)
	}
	slices := Descend(y, x, Slices(1), Fresh(false, true), Steps(200), LearningRate(0.5))
	if fixed, fresh := slices.Rows[0], slices.Rows[1]; !(fresh.W2[len(fresh.W2)-1] < 0.1*fixed.W2[len(fixed.W2)-1]) || fixed.Label != "fixed" {
		t.Errorf("found %+v", slices.Rows)
	}
	for name, p := range map[string]*Picture{"flows.png": all.Plot(), "curves.svg": all.Curves(), "space.png": Descend(Cloud("chair"), Cloud("bed"), Steps(2)).Plot()} {
		p.Save(name)
		if must.M1(os.Stat(name)).Size() < 1000 {
			t.Error(name)
		}
	}
}

// TestDifferences: the intervals can be drawn.
func TestDifferences(t *testing.T) {
	withProcess(t, "")
	t.Chdir(t.TempDir())
	Differences("EMD", "κ = 1", Interval{Label: "κ = 10", Low: -1, High: 1}, Interval{"κ = 100", 1, 2, []float64{1, 3}}).Save("differences.svg")
	if must.M1(os.Stat("differences.svg")).Size() < 1000 {
		t.Error("no picture")
	}
}

// TestNetwork: a trained network encodes, decodes and is looked at, and a generator of codes learns.
func TestNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	withProcess(t, "")
	t.Chdir(t.TempDir())
	set := Shapes("builtin", Size(32))
	run := Train(SW, On(set), Steps(3), Batch(8), Slices(5))
	codes := run.Encode(set)
	if codes.Count != 1 || codes.Points != set.Count || codes.Dim != 256 {
		t.Errorf("found codes %v", codes)
	}
	norm := 0.0
	for _, v := range codes.Coordinates()[:256] {
		norm += float64(v) * float64(v)
	}
	if math.Abs(norm-1) > 1e-4 {
		t.Errorf("a code has the norm %v", math.Sqrt(norm))
	}
	x := Cloud("chair", Size(32))
	if y := run.Reconstruct(x); y.Count != 1 || y.Points != 32 || y.Dim != 3 {
		t.Errorf("found %v", y)
	}
	g := Generate(codes, 5, Slices(20), Epochs(6))
	if last := len(g.Losses) - 1; last != 5 || !(g.Losses[last] < g.Losses[0]) || run.Decode(g.Codes).Count != 5 {
		t.Errorf("found losses %v", g.Losses)
	}
	all := run.Decode(codes).Coordinates()
	for i, v := range run.Decode(Points(codes.Rows()[:1])).Coordinates() {
		if math.Abs(float64(v-all[i])) > 1e-4 {
			t.Fatalf("a code alone decodes to %v, among others to %v", v, all[i])
		}
	}
	run.Looks().Save("looks.png")
	Strip(x.Called("chair"), run.Reconstruct(x).Called("reconstruction")).Save("strip.png")
	for _, name := range []string{"looks.png", "strip.png"} {
		if must.M1(os.Stat(name)).Size() < 1000 {
			t.Error(name)
		}
	}
}

// TestDisplacement: halfway, every point is in the middle between itself and its partner.
func TestDisplacement(t *testing.T) {
	withProcess(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}}), Points([][]float64{{1, 2}, {0, 2}})
	got := Displacement(x, y, 0, 0.5, 1)
	if !Film([]string{"0", "½", "1"}, got).isPNG() {
		t.Error("no film")
	}
	want := []float32{0, 0, 1, 0, 0, 1, 1, 1, 0, 2, 1, 2}
	for i, v := range got.Coordinates() {
		if v != want[i] {
			t.Fatalf("found %v, expected %v", got.Coordinates(), want)
		}
	}
}

// TestProducts: along an axis they are coordinates.
func TestProducts(t *testing.T) {
	got := Points([][]float64{{0, 1, 5}, {2, 3, 4}}).Products([]float64{0, 2, 0})
	if !slices.Equal(got, []float64{2, 6}) {
		t.Errorf("products %v", got)
	}
}

// TestTurned: a quarter turn takes y to x and leaves z.
func TestTurned(t *testing.T) {
	withProcess(t, "")
	got := Points([][]float64{{0, 1, 5}}).Turned(0, 90)
	for i, v := range []float32{0, 1, 5, 1, 0, 5} {
		if math.Abs(float64(got.Coordinates()[i]-v)) > 1e-6 {
			t.Fatalf("found %v", got.Coordinates())
		}
	}
}

func Example() {
	x, y := Cloud("chair"), Cloud("bed")
	d := SW(x, y, Slices(1000), Mean())
	fmt.Printf("%s %.3f, %s\n", d.Loss, d.Value, d.Convention)
	for _, row := range Ablate(x, y, Kappa(1, 10), Slices(10), Mean()).Rows {
		fmt.Printf("kappa %s: %.3f\n", row.Settings["kappa"], row.Mean)
	}
	// Output:
	// SW 0.023, W_2^2: mean over points, mean over slices, no root
	// kappa 1: 0.024
	// kappa 10: 0.018
}

func ExampleDistance_Plan() {
	x, y := Points([][]float64{{0, 0}, {1, 1}}), Points([][]float64{{0, 1}, {1, 0}})
	d := SW(x, y, Mean())
	low, high := d.Bracket()
	best := EMD(x, y, Power(2)).Plan()
	fmt.Println(d.Plan(1, 0).Cost, best.Cost, low <= 1 && high >= 1)
	// Output: 1 1 true
}

// TestPlans: masses are those of a plan's rows, an expected plan costs the mean, and the bracket holds W2.
func TestPlans(t *testing.T) {
	withProcess(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}, {0, 2}}), Points([][]float64{{3, 0}, {3, 1}})
	d := SW(x, y, Mean(), Slices(20), MassX([]float64{2, 1, 1}), MassY([]float64{1, 1}))
	p := d.Plan()
	first := 0.0
	for _, r := range p.Rows {
		if r[0] == 0 {
			first += r[2]
		}
	}
	if math.Abs(first-0.5) > 1e-9 || p.Expected().Cost < p.Cost-1e-9 || len(p.Expected().Rows) < len(p.Rows) {
		t.Errorf("%v %v %v", first, p, p.Expected().Rows)
	}
	z := Points([][]float64{{3, 0}, {3, 1}, {5, 5}})
	best := EMD(x, z, Power(2)).Plan()
	low, high := SW(x, z, Mean(), Slices(20)).Bracket()
	if w := math.Sqrt(best.Cost); low > w || high < w || best.Costs != nil || best.String() == p.String() {
		t.Errorf("%v, between %v and %v", best, low, high)
	}
	if !Plans(p, p.Expected(), best).isPNG() || !best.Plot().isPNG() || !Sinograms([]string{"both", "x"}, Together(x, x), x).isPNG() {
		t.Error("no picture")
	}
	if m := Named("partial-sw")(x, z).Marginal(); len(m) != 3 || m[2] < m[0] || d.Marginal() != nil {
		t.Errorf("marginal costs %v", m)
	}
}

// TestPopulation: the interval of two samples of 100 points is wider than that of the directions, and there is none
// between a cloud and itself.
func TestPopulation(t *testing.T) {
	withProcess(t, "")
	x, y := Cloud("chair", Size(100)), Cloud("chair", Size(100))
	far := y.Coordinates()
	for i := range far {
		far[i] += 1
	}
	y = made("", far, 1, 100, 3)
	d := SW(x, y, Mean())
	p := d.Population()
	if !(p.Low < d.Low && p.High > d.Value) || p.Value != d.Value {
		t.Errorf("%v, of the population %v", d, p)
	}
	if q := SW(x, x, Mean()).Population(); !math.IsNaN(q.Low) {
		t.Errorf("%v", q)
	}
	if same, other := TwoSampleTest(x, x), TwoSampleTest(x, y); same.PValue < 0.5 || other.PValue > 0.01 || other.String() == "" {
		t.Errorf("%v, %v", same, other)
	}
}

// TestBarycenter: that of translates is in their middle, and a cloud that is there three times weighs three times.
func TestBarycenter(t *testing.T) {
	withProcess(t, "")
	x, y := Points([][]float64{{0, 0}, {1, 0}, {0, 2}}), Points([][]float64{{4, 0}, {5, 0}, {4, 2}})
	for want, set := range map[float32]*Clouds{2: Together(x, y), 1: Together(x, x, x, y)} {
		if c := Barycenter(set, Steps(10)).Coordinates(); math.Abs(float64(c[0]-want)) > 1e-3 || math.Abs(float64(c[5]-2)) > 1e-3 {
			t.Errorf("%v, expected %v", c, want)
		}
	}
	a := Image(6, 4, func(x, y float64) [3]float64 { return [3]float64{x, y, 0} })
	b := Image(6, 4, func(x, y float64) [3]float64 { return [3]float64{0, x / 2, y} })
	c := a.Recolor(b, Steps(5))
	if got := c.Coordinates(); len(got) != 72 || got[0] > 0.1 {
		t.Errorf("%v", got)
	}
	titles := []string{"a", "b", "c"}
	if !Images(titles, a, b, c).isPNG() ||
		!GreatCircles(Points([][]float64{{0, 0, 1}}), Points([][]float64{{0, 1, 0}}), []float64{1, 1, 1}).isPNG() {
		t.Error("no picture")
	}
}

// TestPredictions: a prediction and its answer as text, a table, the short form, and a network that is not there.
func TestPredictions(t *testing.T) {
	t.Setenv("FAST", "1")
	t.Setenv("SWLAB_ROOT", t.TempDir())
	for got, want := range map[string]string{
		Predict("a", "Up or down?", "up", "down").String(): "Predict. Up or down?\n- up\n- down",
		PredictNumber("b", "How far?", 0, 2).String():      "Predict, between 0 and 2. How far?",
		Answer("a", "up", "It rises.").String():            "up. It rises.",
		Answer("b", 1.2345, "Measured.").String():          "1.23. Measured.",
		fmt.Sprint(Fast(1000, 10)):                         "10",
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	Predict("a", "Up or down?", "up", "down").Show()
	Columns("n", "value").Row(3, Value{0.05321, 0.0014}).Show()
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "make network") {
			t.Errorf("without a network: %s", said)
		}
	}()
	Pretrained()
}
