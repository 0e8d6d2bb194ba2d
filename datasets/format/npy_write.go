package format

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// WriteNPY writes a float32 array as a NumPy .npy file, format 1.0, row-major. The write is atomic:
// a temporary file beside path is synced to disk and then renamed.
func WriteNPY(path string, data []float32, shape ...int) error {
	return writeNPY(path, "<f4", len(data), shape, func(w io.Writer) error {
		return writeWords(w, len(data), func(i int) uint32 { return math.Float32bits(data[i]) })
	})
}

// WriteNPYInts is [WriteNPY] for int32 arrays: labels and split files.
func WriteNPYInts(path string, data []int32, shape ...int) error {
	return writeNPY(path, "<i4", len(data), shape, func(w io.Writer) error {
		return writeWords(w, len(data), func(i int) uint32 { return uint32(data[i]) })
	})
}

// WriteNPYFloat64 is [WriteNPY] for float64.
func WriteNPYFloat64(path string, data []float64, shape ...int) error {
	return writeNPY(path, "<f8", len(data), shape, func(w io.Writer) error {
		return binary.Write(w, binary.LittleEndian,
			data)
	})
}

// writeNPY writes an array whose bytes body writes. Its error is that of body, or names path.
func writeNPY(path, descr string, count int, shape []int, body func(io.Writer) error) error {
	if want, ok := Product(shape...); !ok || want != count {
		return fmt.Errorf("%s: shape %v does not fit %d values", path, shape, count)
	}
	return durable.Write(path, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<18)
		if _, err := io.WriteString(b, npyHeaderText(descr, shape)); err != nil {
			return err
		}
		if err := body(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// WriteNPZ writes a NumPy .npz archive, uncompressed: data under the key "data", which [Read] reads,
// and one-dimensional int32 arrays under their names. The write is atomic.
func WriteNPZ(path string, data []float32, shape []int, ints map[string][]int32) error {
	if want, ok := Product(shape...); !ok || want != len(data) {
		return fmt.Errorf("%s: shape %v does not fit %d values", path, shape, len(data))
	}
	err := durable.Write(path, func(w io.Writer) error {
		archive := zip.NewWriter(w)
		entry := func(name, descr string, shape []int, n int, word func(i int) uint32) error {
			e, err := archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			if _, err := io.WriteString(e, npyHeaderText(descr, shape)); err != nil {
				return err
			}
			return writeWords(e, n, word)
		}
		if err := entry("data", "<f4", shape, len(data),
			func(i int) uint32 { return math.Float32bits(data[i]) }); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(ints)) {
			v := ints[name]
			if err := entry(name, "<i4", []int{len(v)}, len(v), func(i int) uint32 { return uint32(v[i]) }); err != nil {
				return err
			}
		}
		return archive.Close()
	})
	if err != nil {
		return FileError(path, err)
	}
	return nil
}

// npyHeaderText builds magic, version 1.0 and a header padded so that the data starts at a multiple
// of 64 bytes.
func npyHeaderText(descr string, shape []int) string {
	var dims strings.Builder
	for _, n := range shape {
		dims.WriteString(strconv.Itoa(n) + ", ")
	}
	sizes := dims.String()
	if len(shape) > 1 {
		sizes = strings.TrimSuffix(sizes, ", ")
	} else {
		sizes = strings.TrimSuffix(sizes, " ")
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, sizes)
	padding := 63 - (10+len(header))%64
	header += strings.Repeat(" ", padding) + "\n"
	length := binary.LittleEndian.AppendUint16(nil, uint16(len(header)))
	return npyMagic + "\x01\x00" + string(length) + header
}

// writeWords writes n little-endian 32-bit words.
func writeWords(w io.Writer, n int, word func(i int) uint32) error {
	var b [4]byte
	for i := range n {
		binary.LittleEndian.PutUint32(b[:], word(i))
		if _, err := w.Write(b[:]); err != nil {
			return err
		}
	}
	return nil
}
