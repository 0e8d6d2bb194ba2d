package datasets

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sliced-wasserstein/lab/datasets/format"
)

// textNPY is an array of text: UTF-32 in either byte order, or bytes.
func textNPY(descr string, names ...string) []byte {
	size := 0
	for _, n := range names {
		size = max(size, len([]rune(n)))
	}
	var data []byte
	for _, n := range names {
		entry := make([]byte, size)
		if descr == "S" {
			copy(entry, n)
		} else {
			var order binary.ByteOrder = binary.LittleEndian
			if descr == ">U" {
				order = binary.BigEndian
			}
			entry = make([]byte, 4*size)
			for i, r := range []rune(n) {
				order.PutUint32(entry[4*i:], uint32(r))
			}
		}
		data = append(data, entry...)
	}
	return npyBytes(1, npyHeaderFor(fmt.Sprint(descr, size), "False", fmt.Sprintf("(%d, 1)", len(names))), data)
}

func wantLabels(t *testing.T, h *Set, labels []int32, classes ...string) {
	t.Helper()
	if !slices.Equal(h.Labels, labels) || !slices.Equal(h.Classes, classes) {
		t.Errorf("labels %v of classes %q, expected %v of %q", h.Labels, h.Classes, labels, classes)
	}
}

// TestLabelsAsText: the names are the classes, sorted, or have the numbers of classes.txt.
func TestLabelsAsText(t *testing.T) {
	clouds := cloudNPY(3, 5, 3, 1)
	for _, descr := range []string{"<U", ">U", "S"} {
		path := write(t, "a.npz", zipBytes(t, map[string][]byte{"data.npy": clouds, "labels.npy": textNPY(descr, "cup", "bowl", "cup")}))
		s := load(t, path, Options{Raw: true})
		wantLabels(t, s, []int32{1, 0, 1}, "bowl", "cup")
		if cups := load(t, path, Options{Raw: true, Classes: []string{"cup"}}); cups.Clouds != 2 {
			t.Errorf("%d cups", cups.Clouds)
		}
	}
	accent := load(t, write(t, "a.npz", zipBytes(t, map[string][]byte{"data.npy": clouds, "label.npy": textNPY("<U", "Schüssel", "é", "z ")})), Options{Raw: true})
	wantLabels(t, accent, []int32{0, 2, 1}, "Schüssel", "z", "é")

	dir := map[string][]byte{"points.npy": clouds, "labels.npy": textNPY("<U", "cup", "bowl", "cup"), "classes.txt": []byte("vase\rcup\rbowl\r")}
	wantLabels(t, load(t, tree(t, dir), Options{}), []int32{1, 2, 1}, "vase", "cup", "bowl")
	delete(dir, "classes.txt")
	wantLabels(t, load(t, tree(t, dir), Options{}), []int32{1, 0, 1}, "bowl", "cup")
	dir["classes.txt"] = []byte("cup\nvase\n")
	wantError(t, failure(Load(tree(t, dir), Options{})), "labels.npy", `"bowl" of cloud 1`, "cup, vase")

	// Files of one folder have one numbering.
	npz := func(labels []byte) []byte {
		return zipBytes(t, map[string][]byte{"data.npy": clouds, "label.npy": labels})
	}
	two := map[string][]byte{"a.npz": npz(textNPY("<U", "cup", "cup", "vase")), "b.npz": npz(textNPY("S", "bowl", "vase", "bowl"))}
	wantLabels(t, load(t, tree(t, two), Options{}), []int32{1, 1, 2, 0, 2, 0}, "bowl", "cup", "vase")
	two["c.npz"] = npz(floatNPY("(3,)", 0, 1, 2))
	wantError(t, failure(Load(tree(t, two), Options{})), "names of 6 clouds")
	two["c.npz"] = clouds
	two["c.npy"] = clouds
	delete(two, "c.npz")
	wantLabels(t, load(t, tree(t, two), Options{}), nil)

	for what, labels := range map[string][]byte{
		"2 labels for 3 clouds": textNPY("<U", "cup", "bowl"),
		"entry 1":               textNPY("<U", "cup", "", "bowl"),
		"save numbers as float32, and names with dtype=str": npyBytes(1, npyHeaderFor("|O", "False", "(3,)"), make([]byte, 24)),
		`type "<U0"`:          npyBytes(1, npyHeaderFor("<U0", "False", "(3,)"), nil),
		"needs 1.2e+16 bytes": npyBytes(1, npyHeaderFor("<U1000", "False", "(3000000000000,)"), nil),
	} {
		wantError(t, failure(Load(write(t, "bad.npz", npz(labels)), Options{})), "bad.npz", what)
	}
	for name, data := range map[string][]byte{"a.npy": textNPY("<U", "1", "2"), "a.npz": zipBytes(t, map[string][]byte{"data.npy": textNPY("S", "1", "2")})} {
		path := write(t, name, data)
		wantError(t, failure(Load(path, Options{})), name, "expected numbers, found text")
		if _, _, err := format.ReadNPYInts(path); strings.HasSuffix(name, ".npy") {
			wantError(t, err, name, "expected numbers, found text")
		}
	}
	_, err := Load(filepath.Join("internal", "hdf5", "testdata", "default.h5"), Options{Key: "bad/text"})
	wantError(t, err, "default.h5", "bad/text", "found text")
}
