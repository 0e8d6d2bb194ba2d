package datasets

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNames: lists of names and classes are text as well.
func TestNames(t *testing.T) {
	want := []string{"cup", "big bowl"}
	for _, text := range []string{"cup\nbig bowl\n", "\ufeffcup\r\nbig bowl", "cup \rbig bowl\r\r\n"} {
		if names, err := readClasses(write(t, "names.txt", []byte(text))); err != nil || !slices.Equal(names, want) {
			t.Errorf("%q: %q, %v", text, names, err)
		}
	}
	for text, want := range map[string]string{"cup\r\rbowl": "names.txt:2", "": "names.txt:1", "c\x00u\x00p\x00": "UTF-16", "\xfe\xff\x00c": "UTF-16"} {
		_, err := readClasses(write(t, "names.txt", []byte(text)))
		wantError(t, err, want)
	}
}

// TestSharedCases reads the inputs that others had trouble with.
func TestSharedCases(t *testing.T) {
	dir := sharedData(t, "cases")
	const mesh, points = "dim 3", "points [0 0 0 1 0 0 0 2 0 0 0 3 1 2 3 -1 -2 -3]"
	for name, want := range map[string]string{
		"txt/cr.xyz": points, "txt/cr.txt": points, "txt/bom.xyz": points, "txt/quoted.csv": points, "txt/xy_height.csv": points + ", dim 3",
		"obj/cr.obj": mesh, "obj/bom.obj": mesh, "obj/bom_points.obj": points, "obj/two_corners.obj": mesh,
		"off/wrapped.off": mesh, "off/lower.off": mesh, "stl/upper.stl": mesh, "stl/solid_trailing.stl": mesh,
		"ply/cr_binary.ply": points, "ply/crlf_binary.ply": points, "ply/bigendian_faces_first.ply": mesh, "ply/more_rows.ply": "error: expected the end of the file",
		"pcd/v05.pcd": points, "pcd/count_zero.pcd": points, "obj/negative_blocks.obj": mesh,
		"npz/streamed_zip64.npz": "", "npy/odd_tuple.npy": "", "h5/softlink.h5": "", "npz/string_labels.npz": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		s, err := Load(path, Options{Raw: true, Seed: 1})
		if message, refused := strings.CutPrefix(want, "error: "); refused {
			wantError(t, err, filepath.Base(name), message)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if want == "" {
			continue
		}
		got := fmt.Sprintf("points %v, dim %d", s.Coords, s.Dim)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s: expected %s", name, got, want)
		}
	}
	halves := load(t, filepath.Join(dir, "obj", "negative_blocks.obj"), Options{Raw: true, Points: 2000})
	low := 0
	for i := 2; i < len(halves.Coords); i += 3 {
		if halves.Coords[i] == 0 {
			low++
		}
	}
	if low < 900 || low > 1100 {
		t.Errorf("%d of 2000 points on the first of two equal triangles", low)
	}
	labelled := load(t, filepath.Join(dir, "npz", "string_labels.npz"), Options{Raw: true})
	if len(labelled.Labels) != 4 || len(labelled.Classes) == 0 || !slices.IsSorted(labelled.Classes) {
		t.Errorf("labels %v of classes %q", labelled.Labels, labelled.Classes)
	}
}
