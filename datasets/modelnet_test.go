package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/must"
)

// modelNetParts are the files of ModelNet40 with their numbers of clouds, in the order in which
// they are read.
var modelNetParts = []struct {
	name   string
	clouds int
}{{"ply_data_test0.h5", 2048}, {"ply_data_test1.h5", 420}, {"ply_data_train0.h5", 2048}, {"ply_data_train1.h5", 2048}, {"ply_data_train2.h5", 2048}, {"ply_data_train3.h5", 2048}, {"ply_data_train4.h5", 1648}}

// modelNet writes a folder as the download and the authors' script leave it, with clouds of two
// points: the first coordinate counts the clouds, the label is that number modulo 40.
func modelNet(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name, text string) {
		must.M(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var trainList, testList, names strings.Builder
	number := 0
	for _, part := range modelNetParts {
		points, labels := make([]float32, part.clouds*6), make([]float32, part.clouds)
		for i := range part.clouds {
			points[6*i], points[6*i+3], labels[i] = float32(number), float32(number), float32(number%40)
			points[6*i+1] = 2
			number++
		}
		from := writeH5(t, map[string]h5Data{"data": {points, []int{part.clouds, 2, 3}}, "label": {labels, []int{part.clouds, 1}}, "faceId": {make([]float32, 8), []int{8}}})
		folder, list := "train", &trainList
		if strings.Contains(part.name, "test") {
			folder, list = "test", &testList
		}
		fmt.Fprintf(list, "data/modelnet40_ply_hdf5_2048/%s\n", part.name)
		data := must.M1(os.ReadFile(from))
		must.M(os.MkdirAll(filepath.Join(dir, folder), 0o700))
		put(part.name, string(data))
		put(filepath.Join(folder, part.name), string(data)) // the script's copies
	}
	for i := range 40 {
		fmt.Fprintf(&names, "class_%d\n", i)
	}
	put("train_files.txt", trainList.String())
	put("test_files.txt", testList.String())
	put("shape_names.txt", names.String())
	put("ply_data_train_0_id2file.json", "[]")
	return dir
}

func TestModelNet40(t *testing.T) {
	dir := modelNet(t)
	s := load(t, dir, Options{Raw: true})
	wantShape(t, s, "modelnet", 12308, 2, 3)
	for i := range s.Clouds {
		part := TrainPart
		if i < 2468 {
			part = TestPart
		}
		if s.Cloud(i)[0] != float32(i) || s.Labels[i] != int32(i%40) || s.Split[i] != part {
			t.Fatalf("cloud %d: number %v, label %d, part %d", i, s.Cloud(i)[0], s.Labels[i], s.Split[i])
		}
	}
	if len(s.Classes) != 40 || s.Classes[39] != "class_39" || s.Name != dir {
		t.Errorf("%q: classes %v", s.Name, s.Classes)
	}
	train, err := s.Part("train")
	if err != nil || train.Clouds != 9840 {
		t.Errorf("train part: %v, %v", train.Clouds, err)
	}
	checkNormalized(t, load(t, dir, Options{}))
	chairs := load(t, dir, Options{Raw: true, Classes: []string{"class_8"}, Points: 1})
	if chairs.Clouds != 308 || chairs.Cloud(1)[0] != 48 || chairs.Labels[0] != 8 || chairs.Points != 1 {
		t.Errorf("%d clouds of class 8", chairs.Clouds)
	}
	// In a folder above, the copies do not count either.
	above := filepath.Join(t.TempDir(), "above")
	must.M(os.MkdirAll(above, 0o700))
	if err := os.Symlink(dir, filepath.Join(above, "modelnet40_ply_hdf5_2048")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if s := load(t, above, Options{Raw: true}); s.Clouds != 12308 {
		t.Errorf("%d clouds below a folder above", s.Clouds)
	}
}

func TestModelNetLists(t *testing.T) {
	h5 := func(n int, label float32) []byte {
		labels := slices.Repeat([]float32{label}, n)
		clouds := h5Data{randomSet(n, 4, 3, 1).Coords, []int{n, 4, 3}}
		return must.M1(os.ReadFile(writeH5(t, map[string]h5Data{"data": clouds, "label": {labels, []int{n, 1}}})))
	}
	files := map[string][]byte{"a.h5": h5(2, 0), "b.h5": h5(1, 1), "train_files.txt": []byte("data\\x\\b.h5\r\n\n"), "test_files.txt": []byte("a.h5"), "shape_names.txt": []byte("cup\njar\n")}
	s := load(t, tree(t, files), Options{})
	wantShape(t, s, "modelnet", 3, 4, 3)
	if !slices.Equal(s.Split, []uint8{1, 1, 0}) || !slices.Equal(s.Labels, []int32{0, 0, 1}) || !slices.Equal(s.Classes, []string{"cup", "jar"}) {
		t.Errorf("found %v %v %v", s.Split, s.Labels, s.Classes)
	}
	for name, c := range map[string]struct {
		change map[string][]byte
		want   []string
	}{
		"missing":     {map[string][]byte{"train_files.txt": []byte("b.h5\ndata/c.h5")}, []string{"train_files.txt", "data/c.h5", "no file c.h5"}},
		"not listed":  {map[string][]byte{"c.h5": h5(1, 0)}, []string{"c.h5", "in neither"}},
		"listed both": {map[string][]byte{"test_files.txt": []byte("a.h5\nb.h5")}, []string{"test_files.txt", "b.h5", "train_files.txt"}},
		"unnamed":     {map[string][]byte{"b.h5": h5(1, 2)}, []string{"label 2 of cloud 2", "shape_names.txt names 2"}},
		"damaged":     {map[string][]byte{"b.h5": []byte("x")}, []string{"b.h5", "HDF5"}},
	} {
		changed := map[string][]byte{}
		for k, v := range files {
			changed[k] = v
		}
		for k, v := range c.change {
			changed[k] = v
		}
		_, err := Load(tree(t, changed), Options{})
		t.Run(name, func(t *testing.T) { wantError(t, err, c.want...) })
	}
	// Lists of files that are elsewhere say nothing about those that are here.
	other := load(t, tree(t, map[string][]byte{"a.h5": files["a.h5"], "train_files.txt": []byte("x.h5"), "test_files.txt": []byte("y.h5")}), Options{})
	if other.Kind != "folder" || other.Split != nil {
		t.Errorf("%s with parts %v", other.Kind, other.Split)
	}
}
