package format

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// WriteNPY writes a float32 array as a NumPy .npy file, format 1.0, row-major. The write is atomic:
// a temporary file beside path is synced to disk and then renamed.
func WriteNPY(path string, data []float32, shape ...int) error {
	return writeNPY(path, "<f4", data, shape)
}

// WriteNPYInts is [WriteNPY] for int32 arrays: labels and split files.
func WriteNPYInts(path string, data []int32, shape ...int) error {
	return writeNPY(path, "<i4", data, shape)
}

// WriteNPYFloat64 is [WriteNPY] for float64.
func WriteNPYFloat64(path string, data []float64, shape ...int) error {
	return writeNPY(path, "<f8", data, shape)
}

func writeNPY[T word](path, descr string, data []T, shape []int) error {
	if want, ok := Product(shape...); !ok || want != len(data) {
		return fmt.Errorf("%s: shape %v does not fit %d values", path, shape, len(data))
	}
	return durable.Write(path, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<18)
		if err := writeArray(b, descr, data, shape); err != nil {
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
		entry := func(name string) (io.Writer, error) {
			return archive.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		}
		e, err := entry(dataKey)
		if err == nil {
			err = writeArray(e, "<f4", data, shape)
		}
		for _, name := range slices.Sorted(maps.Keys(ints)) {
			if err == nil {
				e, err = entry(name)
			}
			if err == nil {
				err = writeArray(e, "<i4", ints[name], []int{len(ints[name])})
			}
		}
		if err != nil {
			return err
		}
		return archive.Close()
	})
	if err != nil {
		return FileError(path, err)
	}
	return nil
}

// word is a type of numbers that are written.
type word interface{ float32 | float64 | int32 }

// writeArray writes the header and the numbers of an array.
func writeArray[T word](w io.Writer, descr string, data []T, shape []int) error {
	if _, err := io.WriteString(w, npyHeaderText(descr, shape)); err != nil {
		return err
	}
	for part := range slices.Chunk(data, 1<<14) {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// npyHeaderText builds magic, version 1.0 and a header padded so that the data starts at a multiple
// of 64 bytes.
func npyHeaderText(descr string, shape []int) string {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	if len(shape) == 1 {
		dims += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, dims)
	padding := 63 - (10+len(header))%64
	header += strings.Repeat(" ", padding) + "\n"
	length := binary.LittleEndian.AppendUint16(nil, uint16(len(header)))
	return npyMagic + "\x01\x00" + string(length) + header
}
