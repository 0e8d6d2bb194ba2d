package hdf5

import (
	"errors"
	"fmt"
	"math/bits"
)

// heap is a fractal heap, which holds the links of a large group. It is a table of blocks, width
// per row: start bytes each in the first two rows, twice as large in every later row. Blocks larger
// than direct are tables.
type heap struct {
	file                 *File
	width, start, direct uint64
	offset               int // bytes of an offset in the heap
	rows                 int // of the root; 0: the root is a block
	root                 uint64
}

func (f *File) heap(address uint64) (*heap, error) {
	c, err := f.block(address, "FRHP\x00", 142)
	if err != nil {
		return nil, err
	}
	c.take(2) // bytes of an object's ID
	if c.number(2) != 0 {
		return nil, unsupported("a compressed heap")
	}
	c.take(1 + 4 + 12*8) // flags, the largest object, statistics
	h := &heap{file: f, width: c.number(2), start: c.number(8), direct: c.number(8)}
	h.offset = int(c.number(2)+7) / 8
	c.take(2)
	h.root, h.rows = c.number(8), int(c.number(2))
	return h, c.done("heap")
}

// object resolves an ID: a byte for its kind, an offset in the heap and a length.
func (h *heap) object(id []byte) ([]byte, error) {
	c := cursor{data: id}
	if kind := c.number(1); kind != 0 {
		return nil, unsupported("a link outside the blocks of its heap")
	}
	at := c.number(min(h.offset, 8))
	n := c.number(min(len(c.data), 8))
	if err := c.done("heap ID"); err != nil {
		return nil, err
	}
	address := h.root
	for rows := h.rows; rows > 0; {
		row, size := 0, h.start
		for ; row < rows && at >= size*h.width; row++ {
			at -= size * h.width
			if row > 0 {
				size *= 2
			}
		}
		if row == rows {
			return nil, errors.New("a link beyond the end of its heap: the file is damaged")
		}
		child := 13 + uint64(h.offset) + 8*(uint64(row)*h.width+at/size)
		c, err := h.file.block(address, "FHIB\x00", child+8)
		if err != nil {
			return nil, err
		}
		c.take(int(child) - 5)
		address = c.number(8)
		at %= size
		below := 0
		if size > h.direct {
			below = bits.Len64(size) - bits.Len64(h.start*h.width) + 1
		}
		if below >= rows {
			return nil, fmt.Errorf("heap: %d rows in a block of %d: the file is damaged", below, rows)
		}
		rows = below
	}
	return h.file.bytes(address+at, n)
}

// objects returns the objects of a collection in the global heap, by number.
func (f *File) objects(address uint64) (map[uint64]string, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if found, ok := f.heaps[address]; ok {
		return found, nil
	}
	c, err := f.block(address, "GCOL\x01", 16)
	if err != nil {
		return nil, err
	}
	c.take(3)
	size := max(16, c.number(8))
	if f.inHeaps += size; f.inHeaps < size || f.inHeaps > f.size {
		return nil, fmt.Errorf("collections of %d bytes in a file of %d: the file is damaged", f.inHeaps, f.size)
	}
	data, err := f.bytes(address+16, size-16)
	if err != nil {
		return nil, err
	}
	found := map[uint64]string{}
	for c := (cursor{data: data}); len(c.data) >= 16; {
		index := c.number(2)
		c.take(6)
		n := c.number(8)
		if index == 0 { // the rest is free
			break
		}
		if n > uint64(len(c.data)) {
			return nil, fmt.Errorf("a heap object of %d bytes in a collection of %d: the file is damaged", n, size)
		}
		found[index] = string(c.take(int(n)))
		c.take(int(min((8-n%8)%8, uint64(len(c.data)))))
	}
	f.heaps[address] = found
	return found, nil
}
