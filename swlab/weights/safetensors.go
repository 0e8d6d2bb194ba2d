package weights

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// maxHeader bounds the JSON header of a safetensors file (the format's own limit).
const maxHeader = 100 << 20

type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// ReadSafetensors reads a file of the safetensors format (8 bytes little-endian header length, a
// JSON header, raw data). F32, F64, F16 and BF16 tensors become float32. Integer tensors are
// allowed only for "num_batches_tracked" entries, which are dropped. Tensors come in the order of
// their data. A key twice, bytes that belong to two tensors or to none, and a file of
// [WriteSafetensors] that was damaged are errors.
func ReadSafetensors(path string) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	set, err := readSafetensors(f, fi.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

func readSafetensors(r io.ReaderAt, fileSize int64) (*Set, error) {
	var head [8]byte
	if fileSize < 8 {
		return nil, fmt.Errorf("not a safetensors file: %d bytes, expected at least 8", fileSize)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > maxHeader || int64(n) > fileSize-8 {
		return nil, fmt.Errorf("not a safetensors file: header of %d bytes in a file of %d", n, fileSize)
	}
	raw := make([]byte, n)
	if _, err := r.ReadAt(raw, 8); err != nil {
		return nil, err
	}
	var header map[string]json.RawMessage
	if err := durable.UnmarshalJSON(raw, &header); err != nil {
		return nil, fmt.Errorf("safetensors header: %w", err)
	}
	if err := checkSum(header, io.NewSectionReader(r, 8+int64(n), fileSize-8-int64(n))); err != nil {
		return nil, err
	}
	type named struct {
		name string
		entry
	}
	var list []named
	for name, msg := range header {
		if name == metadataKey {
			continue
		}
		var e entry
		if err := json.Unmarshal(msg, &e); err != nil {
			return nil, fmt.Errorf("safetensors entry %q: %w", name, err)
		}
		list = append(list, named{name, e})
	}
	slices.SortFunc(list, func(a, b named) int {
		return cmp.Or(slices.Compare(a.Offsets[:], b.Offsets[:]), cmp.Compare(a.name, b.name))
	})
	set := NewSet()
	data, at := fileSize-8-int64(n), int64(0)
	for _, e := range list {
		if e.Offsets[0] != at {
			return nil, fmt.Errorf("tensor %q: expected its data at byte %d, after those of the tensor before, found offsets %v",
				e.name, at, e.Offsets)
		}
		at = e.Offsets[1]
		if strings.HasSuffix(e.name, ".num_batches_tracked") {
			continue
		}
		kind, known := map[string]numbers.Type{"F32": numbers.Of("f4"), "F64": numbers.Of("f8"), "F16": numbers.Of("f2"),
			"BF16": numbers.Of("B2")}[e.DType]
		if !known {
			return nil, fmt.Errorf("tensor %q: expected dtype F32, F64, F16 or BF16, found %q", e.name, e.DType)
		}
		count, width := int64(1), int64(kind.Size)
		for _, d := range e.Shape {
			if d < 0 || (d > 0 && count > data/int64(d)) {
				return nil, fmt.Errorf("tensor %q: shape %v does not fit into the file's %d bytes of data",
					e.name, e.Shape, data)
			}
			count *= int64(d)
		}
		if lo, hi := e.Offsets[0], e.Offsets[1]; lo < 0 || hi < lo || hi > data || hi-lo != count*width {
			return nil, fmt.Errorf("tensor %q: %s %v needs %d bytes, offsets are %v in %d bytes of data",
				e.name, e.DType, e.Shape, count*width, e.Offsets, data)
		}
		buf := make([]byte, count*width)
		if _, err := r.ReadAt(buf, 8+int64(n)+e.Offsets[0]); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.name, err)
		}
		values, err := numbers.Append(make([]float32, 0, count), kind, buf, numbers.Number[float32])
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", e.name, err)
		}
		set.Put(e.name, Tensor{Shape: append([]int{}, e.Shape...), Data: values})
	}
	if at != data {
		return nil, fmt.Errorf("expected the end of the file after %d bytes of tensors, found %d", at, data)
	}
	return set, nil
}

// checkSum compares the tensors with the checksum in the header. Files of other programs have none.
func checkSum(header map[string]json.RawMessage, data io.Reader) error {
	var metadata map[string]string
	if raw, ok := header[metadataKey]; !ok || json.Unmarshal(raw, &metadata) != nil || metadata[sumKey] == "" {
		return nil
	}
	tensors := maps.Clone(header)
	delete(tensors, metadataKey)
	head, err := json.Marshal(tensors)
	if err != nil {
		return err
	}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, data); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != metadata[sumKey] {
		return fmt.Errorf("its tensors have the SHA-256 %s, expected %s as in its header: the file is damaged",
			got, metadata[sumKey])
	}
	return nil
}

// The metadata of a file are strings by name. Under sumKey is the SHA-256 of the JSON header without
// the metadata, followed by the data.
const (
	metadataKey = "__metadata__"
	sumKey      = "sha256"
)

// WriteSafetensors writes set as float32 safetensors, with a checksum in the metadata; path holds
// either the old file or the whole new one.
func WriteSafetensors(path string, set *Set) error {
	return durable.Write(path, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<20)
		if err := writeSafetensors(b, set); err != nil {
			return err
		}
		return b.Flush()
	})
}

func writeSafetensors(w io.Writer, set *Set) error {
	header := map[string]any{}
	var at int64
	for _, n := range set.Names() {
		t, _ := set.Get(n)
		end := at + int64(4*len(t.Data))
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		header[n] = entry{DType: "F32", Shape: shape, Offsets: [2]int64{at, end}}
		at = end
	}
	raw, err := json.Marshal(header)
	if err != nil {
		return err
	}
	h := sha256.New()
	h.Write(raw)
	if err := writeData(h, set); err != nil {
		return err
	}
	header[metadataKey] = map[string]string{sumKey: hex.EncodeToString(h.Sum(nil))}
	if raw, err = json.Marshal(header); err != nil {
		return err
	}
	for len(raw)%8 != 0 {
		raw = append(raw, ' ')
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(raw))); err != nil {
		return err
	}
	if _, err := w.Write(raw); err != nil {
		return err
	}
	return writeData(w, set)
}

func writeData(w io.Writer, set *Set) error {
	for _, n := range set.Names() {
		if err := binary.Write(w, binary.LittleEndian, set.tensors[n].Data); err != nil {
			return err
		}
	}
	return nil
}
