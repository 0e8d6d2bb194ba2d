package hdf5

import (
	"fmt"
	"math/bits"
	"slices"
)

// The kinds of chunk index that layouts of version 4 and 5 name.
const (
	indexSingle = iota + 1
	indexImplicit
	indexFixedArray
	indexExtensibleArray
	indexTree2
)

// entry takes a chunk off an index's entry of n bytes: its address and, if the chunks are filtered,
// its size in the remaining bytes and the filters that were skipped.
func (k *chunks) entry(c *cursor, n int) chunk {
	if n == 8 {
		return chunk{address: c.number(8), size: uint64(k.bytes)}
	}
	return chunk{address: c.number(8), size: c.number(min(n-12, 8)), skipped: c.number(4)}
}

func checkEntry(n int) error {
	if n != 8 && (n < 13 || n > 20) {
		return fmt.Errorf("a chunk index with entries of %d bytes: the file is damaged", n)
	}
	return nil
}

// index1 reads the B-tree of version 1 that older layouts use.
func (k *chunks) index1(tree uint64) error {
	return newWalker(k.array.file).tree1("TREE\x01", 8+8*(len(k.step)+1), tree, -1, func(key []byte, address uint64) error {
		c := cursor{data: key}
		found := chunk{address: address, size: c.number(4), skipped: c.number(4)}
		at := make([]uint64, len(k.step))
		for axis, step := range k.step {
			at[axis] = c.number(8) / uint64(step)
		}
		return k.add(at, found)
	})
}

// index2 reads the index that a layout of version 4 or 5 ends with.
func (k *chunks) index2(c *cursor, flags uint64) error {
	kind := c.number(1)
	only := chunk{size: uint64(k.bytes)}
	switch kind {
	case indexSingle:
		if flags&2 != 0 {
			only.size, only.skipped = c.number(8), c.number(4)
		}
	case indexImplicit:
	case indexFixedArray:
		c.take(1)
	case indexExtensibleArray:
		c.take(5)
	case indexTree2:
		c.take(6)
	default:
		return unsupported("chunk index %d", kind)
	}
	address := c.number(8)
	if err := c.done("layout"); err != nil || k.array.Bytes() == 0 {
		return err
	}
	if address == undefined {
		return errNeverWritten
	}
	a := entries{chunks: k, walker: newWalker(k.array.file), page: ^uint64(0)}
	switch kind {
	case indexSingle:
		only.address = address
		return a.put(only)
	case indexImplicit:
		if k.bytes < 16 {
			return unsupported("chunk index %d of chunks of %d bytes", kind, k.bytes)
		}
		for ; len(k.list) < k.count() && address < k.array.file.size; address += only.size {
			only.address = address
			if err := a.put(only); err != nil {
				return err
			}
		}
		return nil
	case indexFixedArray:
		return a.fixed(address)
	case indexExtensibleArray:
		return a.extensible(address)
	}
	rank := len(k.step)
	return a.tree2(address, func(record []byte) error {
		n := len(record) - 8*rank
		if err := checkEntry(n); err != nil {
			return err
		}
		c := cursor{data: record}
		found := k.entry(&c, n)
		at := make([]uint64, rank)
		for axis := range at {
			at[axis] = c.number(8)
		}
		return k.add(at, found)
	})
}

// entries reads the chunks of an index that lists them in order: row-major, but an unlimited axis
// counts as the first.
type entries struct {
	walker
	chunks *chunks
	size   int    // bytes of an entry
	page   uint64 // entries of a page
	next   uint64 // number of the next chunk
	used   uint64 // of an extensible array: the number after that of the last chunk
	prefix uint64 // of an extensible array: bytes before what is in a data or secondary block
}

// put adds the next chunk.
func (e *entries) put(found chunk) error {
	number := e.next
	e.next++
	if found.address == undefined {
		return nil
	}
	largest := e.chunks.array.largest
	first := max(0, slices.Index(largest, undefined))
	at := make([]uint64, len(largest))
	for axis := len(at) - 1; axis >= 0; axis-- {
		if axis != first {
			across := max(1, (largest[axis]-1)/uint64(e.chunks.step[axis])+1)
			at[axis], number = number%across, number/across
		}
	}
	at[first] = number
	return e.chunks.add(at, found)
}

// read reads n entries: at once or, if they are more than a page, page by page with a checksum
// after each. Only pages whose bit in written is set are in use; first is the bit of the first.
func (e *entries) read(address, n uint64, written []byte, first uint64) error {
	step, checksum := n, uint64(0)
	if n > e.page {
		step, checksum = e.page, 4
	}
	for i := uint64(0); i < n; i += step {
		count := min(step, n-i)
		page := first + i/step
		if n > e.page && page/8 >= uint64(len(written)) {
			return fmt.Errorf("chunk index at %d: the list of its pages ends too early: the file is damaged", address)
		}
		if n > e.page && written[page/8]>>(7-page%8)&1 == 0 {
			e.next += count
		} else {
			data, err := e.file.bytes(address, count*uint64(e.size))
			if err != nil {
				return err
			}
			for c := (cursor{data: data}); len(c.data) > 0; {
				if err := e.put(e.chunks.entry(&c, e.size)); err != nil {
					return err
				}
			}
		}
		address += count*uint64(e.size) + checksum
	}
	return nil
}

// pages is the number of pages of n entries; 0: they are not in pages.
func (e *entries) pages(n uint64) uint64 {
	if n <= e.page {
		return 0
	}
	return (n-1)/e.page + 1
}

// header reads the start of a fixed or extensible array's header.
func (e *entries) header(address uint64, signature string, n uint64) (cursor, error) {
	c, err := e.visit(address, signature, n)
	if err != nil {
		return c, err
	}
	c.take(1) // filtered or not; the size of the entries also says so
	e.size = int(c.number(1))
	return c, checkEntry(e.size)
}

// fixed reads a fixed array.
func (e *entries) fixed(address uint64) error {
	c, err := e.header(address, "FAHD\x00", 28)
	if err != nil {
		return err
	}
	e.page = 1 << min(c.number(1), 63)
	n, data := c.number(8), c.number(8)
	if n > e.file.size {
		return fmt.Errorf("%d chunks in an index: the file is damaged", n)
	}
	const prefix = 14
	extra := (e.pages(n) + 7) / 8
	if c, err = e.visit(data, "FADB\x00", prefix+extra); err != nil {
		return err
	}
	c.take(9)
	at := data + prefix
	if extra > 0 {
		at += extra + 4
	}
	return e.read(at, n, c.data, 0)
}

// extensible reads an extensible array: the first entries are in the index block; those after in
// data blocks, listed by the index block or by secondary blocks. Secondary block i has 2^(i/2) data
// blocks of least 2^((i+1)/2) entries; the data blocks of the first few are listed in the index
// block.
func (e *entries) extensible(address uint64) error {
	c, err := e.header(address, "EAHD\x00", 12+6*8+8)
	if err != nil {
		return err
	}
	most, inIndex, least, pointers := int(c.number(1)), c.number(1), c.number(1), c.number(1)
	e.page = 1 << min(c.number(1), 63)
	c.take(4 * 8)
	e.used = c.number(8)
	c.take(8)
	if least == 0 || pointers == 0 || most > 64 {
		return fmt.Errorf("an extensible array of 2^%d entries, at least %d a block: the file is damaged", most, least)
	}
	e.prefix = 14 + uint64(most+7)/8
	blocks := max(0, 1+most-(bits.Len64(least)-1))
	direct := min(blocks, 2*(bits.Len64(pointers)-1))
	index := c.number(8)
	head := 14 + inIndex*uint64(e.size)
	if c, err = e.visit(index, "EAIB\x00", head+8*(2*(pointers-1)+uint64(blocks-direct))); err != nil {
		return err
	}
	if err := e.read(index+14, inIndex, nil, 0); err != nil {
		return err
	}
	c.take(int(head) - 5)
	for i := 0; i < blocks && e.next < e.used; i++ {
		count, n := uint64(1)<<(i/2), least<<((i+1)/2)
		if i < direct {
			err = e.dataBlocks(&c, count, n, nil)
		} else {
			err = e.secondary(c.number(8), count, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// secondary reads a secondary block: which pages of its count data blocks are in use, and the
// addresses of these blocks.
func (e *entries) secondary(address, count, n uint64) error {
	if address == undefined {
		e.next += count * n
		return nil
	}
	bitmap := (e.pages(n) + 7) / 8
	if count > e.file.size || bitmap > e.file.size {
		return fmt.Errorf("a chunk index of %d blocks of %d: the file is damaged", count, n)
	}
	c, err := e.visit(address, "EASB\x00", e.prefix+count*(bitmap+8))
	if err != nil {
		return err
	}
	c.take(int(e.prefix) - 5)
	written := c.take(int(count * bitmap))
	return e.dataBlocks(&c, count, n, written)
}

// dataBlocks reads the data blocks, of n entries each, whose addresses are next in a list.
func (e *entries) dataBlocks(list *cursor, count, n uint64, written []byte) error {
	pages := e.pages(n)
	for i := range count {
		address := list.number(8)
		if address == undefined || e.next >= e.used {
			e.next += n
			continue
		}
		if _, err := e.visit(address, "EADB\x00", e.prefix); err != nil {
			return err
		}
		at := address + e.prefix
		if pages > 0 {
			at += 4 // a checksum before the pages
		}
		if err := e.read(at, n, written, i*pages); err != nil {
			return err
		}
	}
	return nil
}
