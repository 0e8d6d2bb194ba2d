package hdf5

import (
	"fmt"
	"slices"
)

// chunks is where the numbers of a chunked array are. The axes that a chunk spans entirely are taken together with the
// one before them, except the first: an array [n, 2048, 3] in chunks [32, 2048, 3] is one of [n, 6144] in [32, 6144].
type chunks struct {
	array       *Array
	shape, dims []int // of the array and of a chunk, last axis in bytes
	bytes       int   // of an unpacked chunk
	tree        uint64
	step        []int // of a chunk along each axis of the array
	filters     []filter
	list        map[int]chunk // by number, chunks counted in row-major order
}

// chunk is a chunk as it lies in the file.
type chunk struct {
	address uint64
	size    uint64 // packed
	skipped uint64 // filters that were not applied, a bit for each
}

func newChunks(a *Array, c *cursor, filters []byte) (*chunks, error) {
	rank := int(c.number(1)) // with an axis for the bytes of a number
	k := &chunks{array: a, tree: c.number(8)}
	if rank != len(a.Shape)+1 || rank < 2 {
		return nil, fmt.Errorf("chunks of rank %d for an array of rank %d: the file is damaged", rank-1, len(a.Shape))
	}
	for range rank {
		n := int(c.number(4))
		if n == 0 {
			return nil, fmt.Errorf("a chunk without extent: the file is damaged")
		}
		k.dims = append(k.dims, n)
	}
	if err := c.done("layout"); err != nil {
		return nil, err
	}
	if last := k.dims[rank-1]; last != a.Type.Size {
		return nil, fmt.Errorf("chunks of numbers of %d bytes in an array of %d: the file is damaged", last, a.Type.Size)
	}
	var ok bool
	if k.bytes, ok = product(k.dims); !ok || !a.file.holds(k.bytes) {
		return nil, fmt.Errorf("chunks of %v bytes cannot come from a file of %d bytes", k.dims, a.file.size)
	}
	if k.tree == undefined && a.Bytes() > 0 {
		return nil, fmt.Errorf("the numbers were never written")
	}
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
	return k, k.index()
}

// grid returns the number of chunks along an axis.
func (k *chunks) grid(axis int) int { return (k.shape[axis]-1)/k.dims[axis] + 1 }

// index reads where all chunks are. None may be missing, and none so small that it cannot hold its numbers.
func (k *chunks) index() error {
	k.list = map[int]chunk{}
	keySize := 8 + 8*(len(k.step)+1)
	t := tree1{file: k.array.file, kind: 1, keySize: keySize, seen: map[uint64]bool{}}
	err := t.walk(k.tree, -1, func(key []byte, address uint64) error {
		c := cursor{data: key}
		at := chunk{address: address, size: c.number(4), skipped: c.number(4)}
		number := 0
		for axis, n := range k.array.Shape {
			start := c.number(8)
			if start >= uint64(n) {
				return nil // left over from a larger array
			}
			if axis < len(k.shape) {
				number = number*k.grid(axis) + int(start)/k.step[axis]
			}
		}
		const deflateBest = 1032 // to one
		if uint64(k.bytes)/deflateBest > at.size+16 {
			return fmt.Errorf("a chunk of %d bytes cannot hold %d: the file is damaged", at.size, k.bytes)
		}
		k.list[number] = at
		return nil
	})
	if err != nil {
		return err
	}
	want := 1
	for axis := range k.shape {
		want *= k.grid(axis)
	}
	if len(k.list) != want {
		return fmt.Errorf("%d of %d chunks are missing: the file was not written to its end", want-len(k.list), want)
	}
	return nil
}

// read copies rows of the array from the chunks that hold them.
func (k *chunks) read(dst []byte, first, rows int) error {
	across := 1 // chunks beside each other
	for axis := 1; axis < len(k.shape); axis++ {
		across *= k.grid(axis)
	}
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

// copy puts the part of a chunk that lies in the rows, and in the array, in its place.
func (k *chunks) copy(dst []byte, first, rows int, data []byte, origin []int) {
	last := len(k.shape) - 1
	// from and to are byte offsets in the chunk and the rows, of the point that axes before axis have reached.
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
	for i := len(k.filters) - 1; i >= 0; i-- {
		if c.skipped>>i&1 != 0 {
			continue
		}
		if data, err = k.filters[i].undo(data, k.bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", k.filters[i].name(), err)
		}
	}
	if len(data) != k.bytes {
		return nil, fmt.Errorf("expected %d bytes, found %d", k.bytes, len(data))
	}
	return data, nil
}
