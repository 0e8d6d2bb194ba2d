package datasets

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: found %v, expected %v", what, got, want)
	}
}

func TestSharedMeshes(t *testing.T) {
	set := load(t, sharedData(t, "data", "originals"), Options{Classes: []string{"modelnet10_off"}})
	if n := set.Summary().DegenerateFaces; n != 131 {
		t.Errorf("%d faces without area, expected 131", n)
	}
}

// TestSharedArrays compares sums with those of h5py and NumPy.
func TestSharedArrays(t *testing.T) {
	dir := sharedData(t, "data")
	for _, c := range []struct {
		path                   string
		clouds, labels         int
		sum, absolute, squares float64
	}{
		{"originals/h5_modelnet40_layout/box.h5", 1, 0, -9113.782351354466, 0, 133772.04697790142},
		{"originals/h5_modelnet40_layout/test_model.h5", 6, 15, 1071.714082797775, 0, 146.6813261613101},
		{"originals/h5_modelnet40_layout/ycb_objects_train.h5", 60, 150, 10771.354628813966, 0, 1479.3717659107865},
		{"psb_shrec12", 2470, 84137, 0, 3458119.450163112, 1485448.008084149},
		{"modelnet10_vox32", 1354, 465, 0, 2139211.339695894, 847687.5663209043},
		{"common_models", 15, 105, 0, 23593.31828733648, 10204.036207717843},
	} {
		s := load(t, filepath.Join(dir, filepath.FromSlash(c.path)), Options{Raw: true})
		sum, absolute, squares, labels := 0.0, 0.0, 0.0, 0
		for _, v := range s.Coords {
			sum, absolute, squares = sum+float64(v), absolute+math.Abs(float64(v)), squares+float64(v)*float64(v)
		}
		for _, l := range s.Labels {
			labels += int(l)
		}
		if s.Clouds != c.clouds || s.Points != 2048 || labels != c.labels {
			t.Errorf("%s: %d clouds of %d points, labels add up to %d", c.path, s.Clouds, s.Points, labels)
		}
		near(t, c.path+": squares", squares, c.squares, 1e-7)
		if c.absolute != 0 {
			near(t, c.path+": absolute", absolute, c.absolute, 1e-9)
		} else {
			near(t, c.path+": sum", sum, c.sum, 1e-7)
		}
	}
	all := load(t, filepath.Join(dir, "originals", "h5_modelnet40_layout"), Options{})
	wantShape(t, all, "folder", 67, 2048, 3)
}

// TestSharedLabels compares the class of every shape with the folder it came from.
func TestSharedLabels(t *testing.T) {
	dir := sharedData(t, "data", "psb_shrec12")
	file, err := os.Open(filepath.Join(dir, "meta.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	table := csv.NewReader(file)
	table.Comma = '\t'
	rows, err := table.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := load(t, dir, Options{Raw: true})
	if len(rows)-1 != s.Clouds || s.Clouds != 2470 {
		t.Fatalf("%d clouds, %d rows", s.Clouds, len(rows)-1)
	}
	for i, row := range rows[1:] {
		if s.Classes[s.Labels[i]] != row[2] || strconv.Itoa(int(s.Labels[i])) != row[3] {
			t.Fatalf("cloud %d: class %s, expected %s", i, s.Classes[s.Labels[i]], row[2])
		}
	}
	chairs := load(t, dir, Options{Classes: []string{"NonWheelChair", "WheelChair"}})
	if chairs.Clouds < 80 || len(chairs.Classes) != 69 {
		t.Errorf("%d chairs", chairs.Clouds)
	}
}
