package hdf5

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// chunks locates the numbers of a chunked array. Axes that a chunk spans entirely are merged with
// the one before them, except the first: an array [n, 2048, 3] in chunks [32, 2048, 3] is treated
// as [n, 6144] in [32, 6144].
type chunks struct {
	array       *Array
	shape, dims []int // of the array and of a chunk, last axis in bytes
	bytes       int   // of an unpacked chunk
	step        []int // of a chunk along each axis of the array
	filters     []filter
	list        map[int]chunk // by number, chunks counted in row-major order
}

// chunk is a chunk as stored in the file.
type chunk struct {
	address uint64
	size    uint64 // packed
	skipped uint64 // filters that were not applied, a bit for each
}

// newChunks reads a layout message of chunks, and their index.
func newChunks(a *Array, c *cursor, filters []byte) (*chunks, error) {
	k := &chunks{array: a, list: map[int]chunk{}}
	rank := int(c.number(1)) // with an axis for the bytes of a number
	tree := c.number(8)
	if rank != len(a.Shape)+1 || rank < 2 {
		return nil, fmt.Errorf("chunks of rank %d for an array of rank %d: the file is damaged", rank-1, len(a.Shape))
	}
	for range rank {
		n := c.number(4)
		if n == 0 {
			return nil, fmt.Errorf("a chunk without extent: the file is damaged")
		}
		k.dims = append(k.dims, int(n))
	}
	if err := c.done("layout"); err != nil {
		return nil, err
	}
	if last := k.dims[rank-1]; last != a.Type.Size {
		return nil, fmt.Errorf("chunks of numbers of %d bytes in an array of %d: the file is damaged", last, a.Type.Size)
	}
	bytes := memory.Bytes(k.dims...)
	if !a.file.holds(bytes) {
		return nil, fmt.Errorf("chunks of %v bytes cannot come from a file of %d bytes", k.dims, a.file.size)
	}
	k.bytes = int(bytes)
	k.step = slices.Clone(k.dims[:rank-1])
	k.shape = append(slices.Clone(a.Shape), a.Type.Size)
	for n := len(k.dims) - 1; n > 1 && k.dims[n] == k.shape[n]; n = len(k.dims) - 1 {
		k.dims[n-1] *= k.dims[n]
		k.shape[n-1] *= k.shape[n]
		k.dims, k.shape = k.dims[:n], k.shape[:n]
	}
	if filters != nil {
		var err error
		if k.filters, err = parseFilters(filters); err != nil {
			return nil, err
		}
	}
	if a.Bytes() == 0 {
		return k, nil
	}
	if tree == undefined {
		return nil, errors.New("the numbers were never written")
	}
	err := k.index(tree)
	if missing := k.count() - len(k.list); err == nil && missing != 0 {
		err = fmt.Errorf("%d of %d chunks are missing: the file was not written to its end", missing, k.count())
	}
	return k, err
}

// index reads the B-tree that lists the chunks.
func (k *chunks) index(tree uint64) error {
	return newWalker(k.array.file).tree1("TREE\x01", 8+8*(len(k.step)+1), tree, -1, func(key []byte,
		address uint64) error {
		c := cursor{data: key}
		found := chunk{address: address, size: c.number(4), skipped: c.number(4)}
		at := make([]uint64, len(k.step))
		for axis, step := range k.step {
			at[axis] = c.number(8) / uint64(step)
		}
		return k.add(at, found)
	})
}

// grid returns the number of chunks along an axis.
func (k *chunks) grid(axis int) int { return (k.shape[axis]-1)/k.dims[axis] + 1 }

// count returns the number of chunks.
func (k *chunks) count() int {
	n := 1
	for axis := range k.shape {
		n *= k.grid(axis)
	}
	return n
}

// add records where a chunk is; at counts chunks along each axis of the array. No chunk may be too
// small for its numbers.
func (k *chunks) add(at []uint64, found chunk) error {
	number := 0
	for axis, n := range at {
		if n > uint64((k.array.Shape[axis]-1)/k.step[axis]) {
			return nil // left over from a larger array
		}
		if axis < len(k.shape) {
			number = number*k.grid(axis) + int(n)
		}
	}
	const deflateBest = 1032 // to one
	if uint64(k.bytes)/deflateBest > found.size+16 {
		return fmt.Errorf("a chunk of %d bytes cannot hold %d: the file is damaged", found.size, k.bytes)
	}
	k.list[number] = found
	return nil
}

// read copies rows of the array from the chunks that hold them.
func (k *chunks) read(dst []byte, first, rows int) error {
	across := k.count() / k.grid(0) // chunks side by side
	for number := first / k.dims[0] * across; number < ((first+rows-1)/k.dims[0]+1)*across; number++ {
		data, err := k.unpack(k.list[number])
		if err != nil {
			return fmt.Errorf("chunk %d: %w", number, err)
		}
		origin, n := make([]int, len(k.shape)), number
		for axis := len(k.shape) - 1; axis >= 0; axis-- {
			origin[axis] = n % k.grid(axis) * k.dims[axis]
			n /= k.grid(axis)
		}
		k.copy(dst, first, rows, data, origin)
	}
	return nil
}

// copy copies the part of a chunk that lies in the rows, and in the array.
func (k *chunks) copy(dst []byte, first, rows int, data []byte, origin []int) {
	last := len(k.shape) - 1
	// from and to are byte offsets in the chunk and the rows, of the point that axes before axis
	// have reached.
	var walk func(axis, from, to int)
	walk = func(axis, from, to int) {
		low, high := 0, min(k.dims[axis], k.shape[axis]-origin[axis])
		start := origin[axis]
		if axis == 0 {
			low, high = max(0, first-start), min(high, first+rows-start)
			start -= first
		}
		if axis == last {
			from, to = from*k.dims[axis], to*k.shape[axis]+start
			copy(dst[to+low:to+high], data[from+low:from+high])
			return
		}
		for i := low; i < high; i++ {
			extent := k.shape[axis]
			if axis == 0 {
				extent = 0 // to is 0 there
			}
			walk(axis+1, from*k.dims[axis]+i, to*extent+start+i)
		}
	}
	walk(0, 0, 0)
}

// unpack reads a chunk and undoes its filters.
func (k *chunks) unpack(c chunk) ([]byte, error) {
	data, err := k.array.file.bytes(c.address, c.size)
	if err != nil {
		return nil, err
	}
	for i, f := range slices.Backward(k.filters) {
		if c.skipped>>i&1 != 0 {
			continue
		}
		if data, err = f.undo(data, f.settings, k.bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if len(data) != k.bytes {
		return nil, fmt.Errorf("expected %d bytes, found %d", k.bytes, len(data))
	}
	return data, nil
}
