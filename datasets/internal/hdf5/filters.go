package hdf5

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
)

// filter is a step that encoded a chunk. undo reverses it; size is that of the chunk before any
// filter.
type filter struct {
	name     string
	undo     func(data []byte, settings []uint64, size int) ([]byte, error)
	settings []uint64 // its parameters
}

// filters are the supported ones, by their registered number.
var filters = map[uint64]filter{
	1: {name: "gzip", undo: inflate},
	2: {name: "shuffle", undo: unshuffle},
}

// parseFilters reads the filter message.
func parseFilters(data []byte) ([]filter, error) {
	c := cursor{data: data}
	version, count := c.number(1), c.number(1)
	switch version {
	case 1:
		c.take(6)
	case 2:
	default:
		return nil, unsupported("filters of version %d", version)
	}
	var pipeline []filter
	for range count {
		kind, length := c.number(2), 0
		if version == 1 || kind >= 256 {
			length = int(c.number(2))
		}
		c.take(2) // flags
		settings := int(c.number(2))
		c.take(length)
		f, known := filters[kind]
		for range settings {
			f.settings = append(f.settings, c.number(4))
		}
		if version == 1 && settings%2 == 1 {
			c.take(4)
		}
		if err := c.done("filters"); err != nil {
			return nil, err
		}
		if !known {
			return nil, unsupported("the filter %d%s", kind, map[uint64]string{3: " (Fletcher-32)", 32000: " (LZF)"}[kind])
		}
		pipeline = append(pipeline, f)
	}
	return pipeline, nil
}

// inflate unpacks zlib data of at most size bytes, or one more.
func inflate(data []byte, _ []uint64, size int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	// chunks.add has checked that size is possible
	out := bytes.NewBuffer(make([]byte, 0, size+1+bytes.MinRead))
	_, err = out.ReadFrom(io.LimitReader(z, int64(size)+1))
	return out.Bytes(), err
}

// unshuffle reassembles the bytes of each number: all first bytes come first, then all second ones,
// and so on.
func unshuffle(data []byte, settings []uint64, _ int) ([]byte, error) {
	if len(settings) == 0 || settings[0] < 1 || settings[0] > 8 {
		return nil, fmt.Errorf("settings %v: expected the size of a number, 1 to 8 bytes", settings)
	}
	size := int(settings[0])
	n := len(data) / size
	out := make([]byte, len(data))
	for k := range size {
		for i, b := range data[k*n : (k+1)*n] {
			out[i*size+k] = b
		}
	}
	copy(out[n*size:], data[n*size:])
	return out, nil
}
