package hdf5

import "fmt"

// tree1 visits the entries in the leaves of a B-tree of version 1, in order, each with the key
// before it. The signature includes the tree's type; level is that of the node, -1 for the root's.
func (w walker) tree1(signature string, keySize int, address uint64, level int, visit func(key []byte,
	child uint64) error) error {
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
