package notebook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/sliced-wasserstein/lab/datasets"
	"github.com/sliced-wasserstein/lab/datasets/format"
	"github.com/sliced-wasserstein/lab/experiments"
	"github.com/sliced-wasserstein/lab/swlab/train"
	"github.com/sliced-wasserstein/lab/vmfviz"
)

// TestBook runs through a notebook: cells that share only the folder.
func TestBook(t *testing.T) {
	out := t.TempDir()
	t.Setenv("SWLAB_OUT", out)
	t.Setenv("SWLAB_DATA", "")
	t.Setenv("FAST", "1")
	cell := func() *Session { // every cell opens a new session
		t.Helper()
		return must.M1(Open("x"))
	}
	e := must.M1(cell().Backend())
	trainSet, testSet := must.M2(cell().Clouds(16, 1))
	if trainSet.Clouds <= testSet.Clouds || testSet.Clouds == 0 || trainSet.Points != 16 {
		t.Fatalf("%d and %d clouds of %d points", trainSet.Clouds, testSet.Clouds, trainSet.Points)
	}
	c := train.DefaultConfig()
	c.Points, c.Batch, c.Steps, c.Slices = 16, 8, 2, 4
	if _, err := cell().Finished(e, trainSet, c); err == nil || !strings.Contains(err.Error(), "run the cell that trains it first") {
		t.Errorf("a run that is not there: %v", err)
	}
	first := must.M1(cell().Train(e, trainSet, c))
	if r, err := cell().Finished(e, trainSet, c); err != nil || !reflect.DeepEqual(r, first) {
		t.Errorf("read %+v, %v, trained %+v", r, err, first)
	}
	again, err := cell().Train(e, trainSet, c)
	if err != nil || !reflect.DeepEqual(again, first) || first.Steps != 2 {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	other := c
	other.Seed = 2
	other.Steps = 1
	must.M1(cell().Train(e, trainSet, other))
	other.Seed = 3
	if _, err := cell().Finished(e, trainSet, other); err == nil {
		t.Error("a run that was not made is finished")
	}

	for range 2 { // a cell that is run twice counts once
		cell().time("training")()
	}
	cell().time("pictures")()
	p, err := vmfviz.Gallery(vmfviz.GalleryOptions{}, testSet.Cloud(0))
	cell().Picture("1_cloud", p, err)
	must.M(cell().Summary("SW", experiments.Scores{}, experiments.Scores{CD: experiments.Score{Mean: 1}}))
	raw := must.M1(os.ReadFile(filepath.Join(out, "summary.json")))
	var s struct {
		Backend, Why, Data string
		Row                struct {
			Name   string
			Before map[string]float64
			After  map[string]float64
		}
		Times    []partTime
		Pictures []string
	}
	must.M(json.Unmarshal(raw, &s))
	if s.Backend != e.Name || s.Why == "" || s.Data != "builtin" || s.Row.Name != "SW" || s.Row.After["cd"] != 1 || len(s.Times) != 3 ||
		len(s.Pictures) != 1 || filepath.Base(s.Pictures[0]) != "1_cloud.png" {
		t.Errorf("summary %s", raw)
	}
}

// TestUsersData: clouds without parts are split, and too few are refused.
func TestUsersData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	write := func(n int) {
		v := make([]float32, n*8*3)
		for i := range v {
			v[i] = float32(i*i%17) - 8
		}
		must.M(format.WriteNPY(path, v, n, 8, 3))
	}
	b := &Session{Data: path}
	write(10)
	if a, z, err := b.Clouds(4, 1); err != nil || a.Clouds != 8 || z.Clouds != 2 {
		t.Errorf("%v", err)
	}
	write(4)
	if a, z, err := b.Clouds(512, 1); err != nil || a.Clouds != 2 || z.Clouds != 2 || a.Points != 8 {
		t.Errorf("4 clouds of 8 points where 512 are wanted: %v", err)
	}
	for n := 1; n < 4; n++ {
		write(n)
		if _, _, err := b.Clouds(4, 1); err == nil || !strings.Contains(err.Error(), "at least 4 clouds") || strings.Contains(err.Error(), "asked for") {
			t.Errorf("%d clouds: %v", n, err)
		}
	}
}

func TestOnePerClass(t *testing.T) {
	s := &datasets.Set{Clouds: 6, Labels: []int32{2, 0, 2, 1, 0, 3}, Classes: []string{"a", "b", "c", "d"}}
	rows, names := OnePerClass(s, 9)
	if !slices.Equal(rows, []int{1, 3, 0, 5}) || !slices.Equal(names, []string{"a", "b", "c", "d"}) {
		t.Errorf("%v %v", rows, names)
	}
	if rows, names := OnePerClass(s, 2); !slices.Equal(rows, []int{1, 0}) || !slices.Equal(names, []string{"a", "c"}) {
		t.Errorf("%v %v", rows, names)
	}
	if rows, names := OnePerClass(&datasets.Set{Clouds: 10}, 2); !slices.Equal(rows, []int{0, 5}) || names[1] != "cloud 5" {
		t.Errorf("%v %v", rows, names)
	}
}

// TestOut: results lie beside the notebook, also in the module of somebody else; those of a lecture in the repository.
func TestOut(t *testing.T) {
	t.Setenv("SWLAB_OUT", "")
	root := must.M1(repository())
	t.Setenv("SWLAB_ROOT", root)
	for dir, want := range map[string]string{"": "swlab-out/mine", "module/deep": "module/deep/swlab-out/mine"} {
		top := must.M1(filepath.EvalSymlinks(t.TempDir()))
		must.M(os.MkdirAll(filepath.Join(top, "module", "deep"), 0o755))
		must.M(os.WriteFile(filepath.Join(top, "module", "go.mod"), []byte("module example.com/mine\n"), 0o644))
		t.Chdir(filepath.Join(top, dir))
		if b := must.M1(Open("mine")); b.Out != filepath.Join(top, want) {
			t.Errorf("in %q: results in %s, expected %s", dir, b.Out, filepath.Join(top, want))
		}
	}
	t.Chdir(filepath.Join(root, "notebooks"))
	if repositoryOf(must.M1(os.Getwd())) != root {
		t.Errorf("a lecture's repository is %s, expected %s", repositoryOf(must.M1(os.Getwd())), root)
	}
}

// TestRepository: outside of the repository the folder is the one that the kernel names.
func TestRepository(t *testing.T) {
	inside, err := repository()
	if err != nil || filepath.Base(inside) == "notebook" {
		t.Errorf("inside: %s, %v", inside, err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("SWLAB_ROOT", "")
	if root, err := repository(); err == nil || !strings.Contains(err.Error(), "start the notebook inside the repository") {
		t.Errorf("outside: %s, %v", root, err)
	}
	t.Setenv("SWLAB_ROOT", inside)
	if root, err := repository(); err != nil || root != inside {
		t.Errorf("outside, named: %s, %v", root, err)
	}
}

// TestSize: the short form has the second number.
func TestSize(t *testing.T) {
	if full, short := (&Session{}).Size(7, 3), (&Session{Fast: true}).Size(7, 3); full != 7 || short != 3 {
		t.Errorf("sizes %d and %d", full, short)
	}
}
