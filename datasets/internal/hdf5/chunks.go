package hdf5

import (
	"bytes"
	"compress/zlib"
	"io"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// chunks locates the numbers of a chunked array.
type chunks struct {
	array       *Array
	shape, dims []int // of the array and of a chunk, the last axis the bytes of a number
	bytes       int   // of an unpacked chunk
	filters     []filter
	list        map[int]chunk // by number, chunks counted in row-major order
}

// chunk is a chunk as stored in the file.
type chunk struct {
	at      []int // its first number in the array
	packed  []byte
	skipped uint64 // filters that were not applied, a bit for each
}

// newChunks reads a layout message of chunks, and their index.
func newChunks(a *Array, c, filters *cursor) *chunks {
	k := &chunks{array: a, shape: a.sizes(), list: map[int]chunk{}}
	rank, tree := int(c.number(1)), c.number(8)
	if rank != len(k.shape) || rank < 2 {
		fail("chunks of rank %d for an array of rank %d: the file is damaged", rank-1, len(a.Shape))
	}
	for range rank {
		k.dims = append(k.dims, int(c.number(4)))
	}
	if slices.Contains(k.dims, 0) || k.dims[rank-1] != a.Type.Size {
		fail("chunks %v without extent, or of other numbers than of %d bytes: the file is damaged", k.dims, a.Type.Size)
	}
	k.bytes = a.file.holds("a chunk", k.dims, memory.Bytes(k.dims...))
	if filters != nil {
		k.filters = parseFilters(filters)
	}
	if a.bytes == 0 {
		return k
	}
	if tree == undefined {
		fail("the numbers were never written")
	}
	a.file.tree("TREE\x01", 8+8*uint64(rank), tree, -1, k.add)
	count := 1
	for axis, n := range k.shape {
		count *= (n-1)/k.dims[axis] + 1
	}
	if missing := count - len(k.list); missing != 0 {
		fail("%d of %d chunks are missing: the file was not written to its end", missing, count)
	}
	return k
}

// add records where a chunk is. No chunk may be too small for its numbers.
func (k *chunks) add(key *cursor, address uint64) {
	size, found := key.number(4), chunk{skipped: key.number(4)}
	number := 0
	for axis, n := range k.shape {
		at := key.number(8)
		if at >= uint64(n) {
			return // left over from a larger array
		}
		step := k.dims[axis]
		number = number*((n-1)/step+1) + int(at)/step
		found.at = append(found.at, int(at)/step*step)
	}
	const deflateBest = 1032 // to one
	if uint64(k.bytes)/deflateBest > size+16 {
		fail("a chunk of %d bytes cannot hold %d: the file is damaged", size, k.bytes)
	}
	found.packed = k.array.file.slice(address, size)
	k.list[number] = found
}

// read returns the numbers of all chunks.
func (k *chunks) read() []byte {
	out := make([]byte, k.array.bytes)
	for number, c := range k.list {
		place(out, k.unpack(number, c), k.shape, k.dims, c.at)
	}
	return out
}

// place copies the part of a chunk that lies in the array; at is where the chunk begins.
func place(to, from []byte, shape, dims, at []int) {
	rows, row, packed := min(dims[0], shape[0]-at[0]), len(to)/shape[0], len(from)/dims[0]
	if slices.Equal(dims[1:], shape[1:]) {
		copy(to[at[0]*row:], from[:rows*row])
		return
	}
	for i := range rows {
		place(to[(at[0]+i)*row:][:row], from[i*packed:][:packed], shape[1:], dims[1:], at[1:])
	}
}

// unpack undoes the filters of a chunk.
func (k *chunks) unpack(number int, c chunk) []byte {
	defer within("chunk %d", number)
	data := c.packed
	for i, f := range slices.Backward(k.filters) {
		if c.skipped>>i&1 == 0 {
			data = f(data, k.bytes)
		}
	}
	if len(data) != k.bytes {
		fail("expected %d bytes, found %d", k.bytes, len(data))
	}
	return data
}

// filter undoes a step that encoded a chunk; size is that of the chunk before any filter.
type filter func(data []byte, size int) []byte

// parseFilters reads the filter message.
func parseFilters(c *cursor) (pipeline []filter) {
	version, count := c.number(1), c.number(1)
	switch version {
	case 1:
		c.take(6)
	case 2:
	default:
		unsupported("filters of version %d", version)
	}
	for range count {
		kind, name := c.number(2), uint64(0)
		if version == 1 || kind >= 256 {
			name = c.number(2)
		}
		c.take(2) // flags
		settings := c.number(2)
		c.take(name)
		values := cursor{c.take(4 * settings)}
		if version == 1 && settings%2 == 1 {
			c.take(4)
		}
		switch kind {
		case 1:
			pipeline = append(pipeline, inflate)
		case 2:
			pipeline = append(pipeline, unshuffle(int(values.number(4))))
		default:
			unsupported("the filter %d%s", kind, map[uint64]string{3: " (Fletcher-32)", 32000: " (LZF)"}[kind])
		}
	}
	return pipeline
}

// inflate unpacks zlib data of at most size bytes, or one more.
func inflate(data []byte, size int) []byte {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		fail("gzip: %w", err)
	}
	// chunks.add has checked that size is possible
	out := bytes.NewBuffer(make([]byte, 0, size+1+bytes.MinRead))
	if _, err = out.ReadFrom(io.LimitReader(z, int64(size)+1)); err != nil {
		fail("gzip: %w", err)
	}
	return out.Bytes()
}

// unshuffle reassembles the bytes of each number of that size: all first bytes come first, then all
// second ones, and so on.
func unshuffle(size int) filter {
	if size < 1 || size > 8 {
		fail("shuffle: expected the size of a number, 1 to 8 bytes, found %d", size)
	}
	return func(data []byte, _ int) []byte {
		n := len(data) / size
		out := make([]byte, len(data))
		for k := range size {
			for i, b := range data[k*n : (k+1)*n] {
				out[i*size+k] = b
			}
		}
		copy(out[n*size:], data[n*size:])
		return out
	}
}
