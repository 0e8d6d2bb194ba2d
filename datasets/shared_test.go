package datasets

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// sharedMeshes are vertices, triangles and area of each original, found with Python: trimesh 4, and
// NumPy for the strips of igea.ply.
var sharedMeshes = map[string]struct {
	vertices, triangles int
	area                float64
}{
	"common_models/igea.ply":                    {134345, 268686, 0.023502819253836613},
	"common_models/stanford-bunny.obj":          {35947, 69451, 0.057128786060864294},
	"common_models/suzanne.obj":                 {507, 968, 12.468539112387251},
	"common_models/teapot.obj":                  {3644, 6320, 52.6607934255059},
	"modelnet10_off/bathtub_0001.off":           {3514, 3546, 32701.112088029935},
	"modelnet10_off/bathtub_0002.off":           {700, 664, 17020.348329791977},
	"modelnet10_off/bathtub_0003.off":           {14963, 19985, 12562.33355354606},
	"modelnet10_off/bathtub_0004.off":           {2842, 3519, 18972.581746801778},
	"modelnet10_off/bathtub_0005.off":           {18472, 30734, 7520.084684665302},
	"modelnet10_off/chair_0001.off":             {2382, 2234, 1.0272736745794089},
	"modelnet10_off/chair_0002.off":             {192, 96, 2.361221336804017},
	"modelnet10_off/toilet_0001.off":            {3739, 6341, 4.116217400740762},
	"modelnet10_off/toilet_0002.off":            {11098, 17826, 7.181130509572847},
	"psb_shrec12_obj/Car_m1513.obj":             {13106, 20844, 1.4652008262609795},
	"psb_shrec12_obj/Jet_m1201.obj":             {6769, 11310, 1.1484468301882682},
	"psb_shrec12_obj/Monoplane_D00011.obj":      {597, 1032, 2.447493424884146},
	"psb_shrec12_obj/NonWheelChair_D00037.obj":  {2936, 5336, 4.945896525384105},
	"psb_shrec12_obj/NonWheelChair_m785.obj":    {960, 1788, 1.1154255198293117},
	"psb_shrec12_obj/NonWheelChair_m801.obj":    {8188, 16268, 2.0779638074510283},
	"psb_shrec12_obj/RectangleTable_D00134.obj": {224, 422, 4.162793209042809},
	"psb_shrec12_obj/RectangleTable_m763.obj":   {116, 136, 1.8123159390962784},
	"shapenet_obj/model_normalized.obj":         {138, 624, 4.492062574081535},
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: found %v, expected %v", what, got, want)
	}
}

func TestSharedMeshes(t *testing.T) {
	dir := sharedData(t, "data", "originals")
	for name, want := range sharedMeshes {
		m, err := readMesh(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if len(m.vertices) != want.vertices || len(m.triangles)+m.flat != want.triangles {
			t.Errorf("%s: %d vertices, %d triangles and %d flat ones, expected %d and %d", name, len(m.vertices), len(m.triangles), m.flat, want.vertices, want.triangles)
		}
		near(t, name+": area", m.area(), want.area, 1e-12)
	}
	set := load(t, dir, Options{Classes: []string{"modelnet10_off"}})
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
