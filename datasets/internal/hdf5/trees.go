package hdf5

import (
	"fmt"
	"math/bits"
)

// tree1 visits the entries in the leaves of a B-tree of version 1, in order, each with the key
// before it. The signature includes the tree's type; level is that of the node, -1 for the root's.
func (w walker) tree1(signature string, keySize int, address uint64, level int, visit func(key []byte, child uint64) error) error {
	c, err := w.visit(address, signature, 24)
	if err != nil {
		return err
	}
	found := int(c.number(1))
	if level >= 0 && found != level {
		return fmt.Errorf("tree at %d: expected a node of level %d, found %d: the file is damaged", address, level, found)
	}
	entries, err := w.file.bytes(address+24, c.number(2)*uint64(keySize+8))
	if err != nil {
		return fmt.Errorf("tree: %w", err)
	}
	for c := (cursor{data: entries}); len(c.data) > 0; {
		key, child := c.take(keySize), c.number(8)
		if found > 0 {
			err = w.tree1(signature, keySize, child, found-1, visit)
		} else {
			err = visit(key, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tree2 is a B-tree of version 2.
type tree2 struct {
	walker
	record   uint64   // bytes
	count    int      // bytes of the number of records of a child
	pointers []uint64 // bytes of a pointer to a child, by level
	visit    func(record []byte) error
}

// tree2 visits the records of a B-tree of version 2, in order.
func (w walker) tree2(address uint64, visit func(record []byte) error) error {
	c, err := w.visit(address, "BTHD\x00", 38)
	if err != nil {
		return err
	}
	c.take(1) // type
	t := tree2{walker: w, visit: visit}
	node := c.number(4)
	t.record = c.number(2)
	depth := int(c.number(2))
	c.take(2)
	const frame, maxTree = 10, 16 // bytes around the records of a node; levels
	if t.record == 0 || node < 2*(frame+t.record) || depth > maxTree {
		return fmt.Errorf("tree at %d: %d levels of records of %d bytes in nodes of %d: the file is damaged", address, depth, t.record, node)
	}
	// The numbers next to a pointer are wide enough for the most records below it.
	most := (node - frame) / t.record
	t.count = width(most)
	t.pointers = []uint64{0}
	for below, total := most, 0; len(t.pointers) <= depth; total = width(below) {
		p := uint64(8 + t.count + total)
		most = (node - frame - min(p, node-frame)) / (t.record + p)
		below = (most+1)*below + most
		t.pointers = append(t.pointers, p)
	}
	return t.walk(c.number(8), c.number(2), depth)
}

// width is the number of bytes that numbers up to n need.
func width(n uint64) int { return (bits.Len64(n) + 7) / 8 }

// walk visits the n records of a node, and those of its children between them.
func (t *tree2) walk(address, n uint64, level int) error {
	if n > t.file.size {
		return fmt.Errorf("tree at %d: %d records: the file is damaged", address, n)
	}
	if n == 0 && level == 0 {
		return nil
	}
	signature, size := "BTLF\x00", 6+n*t.record
	if level > 0 {
		signature, size = "BTIN\x00", size+(n+1)*t.pointers[level]
	}
	c, err := t.walker.visit(address, signature, size)
	if err != nil {
		return err
	}
	c.take(1) // type
	records := cursor{data: c.take(int(n * t.record))}
	for i := range n + 1 {
		if level > 0 {
			child := cursor{data: c.take(int(t.pointers[level]))}
			if err := t.walk(child.number(8), child.number(t.count), level-1); err != nil {
				return err
			}
		}
		if i < n {
			if err := t.visit(records.take(int(t.record))); err != nil {
				return err
			}
		}
	}
	return nil
}
