package hdf5

import "fmt"

const maxDepth = 32 // of groups in groups

// lister walks through the groups of a file.
type lister struct {
	walker
	depth int
}

// list adds the object at an address, and its members, under a name.
func (l *lister) list(name string, address uint64) error {
	messages, err := l.file.header(address)
	if err != nil {
		return fmt.Errorf("object %q: %w", name, err)
	}
	group := name == ""
	for _, m := range messages {
		switch m.kind {
		case messageDataspace:
			if name != "" {
				l.file.Names = append(l.file.Names, name)
				l.file.arrays[name] = address
				return nil
			}
		case messageSymbolTable, messageLinkInfo, messageLink:
			group = true
		}
	}
	if !group || l.seen[address] { // a second link to the same group, or to an enclosing one
		return nil
	}
	l.seen[address] = true
	if l.depth++; l.depth > maxDepth {
		return fmt.Errorf("group %q: more than %d groups in each other", name, maxDepth)
	}
	defer func() { l.depth-- }()
	for _, m := range messages {
		switch m.kind {
		case messageSymbolTable:
			c := cursor{data: m.data}
			tree, heap := c.number(8), c.number(8)
			err = c.done("symbol table")
			if err == nil {
				err = l.table(name, tree, heap)
			}
		case messageLink:
			err = l.link(name, m.data)
		case messageLinkInfo:
			err = l.dense(name, m.data)
		}
		if err != nil {
			return fmt.Errorf("group %q: %w", name, err)
		}
	}
	return nil
}

// table lists a group that keeps its members in a B-tree of symbol tables, and their names in a
// heap.
func (l *lister) table(group string, tree, heap uint64) error {
	c, err := l.file.block(heap, "HEAP\x00", 32)
	if err != nil {
		return err
	}
	c.take(19)
	names := c.number(8)
	return l.tree1("TREE\x00", 8, tree, -1, func(_ []byte, leaf uint64) error {
		c, err := l.visit(leaf, "SNOD\x01", 8)
		if err != nil {
			return err
		}
		c.take(1)
		entries, err := l.file.bytes(leaf+8, 40*c.number(2))
		if err != nil {
			return err
		}
		for c := (cursor{data: entries}); len(c.data) > 0; {
			at, object, cache := c.number(8), c.number(8), c.number(4)
			c.take(20)
			if cache == 2 {
				continue // a soft link
			}
			name, err := l.file.text(names + at)
			if err != nil {
				return err
			}
			if err := l.list(join(group, name), object); err != nil {
				return err
			}
		}
		return nil
	})
}

// link lists a member whose link is a message of its group's header.
func (l *lister) link(group string, data []byte) error {
	c := cursor{data: data}
	c.take(1)
	flags, kind := c.number(1), uint64(0)
	if flags&8 != 0 {
		kind = c.number(1)
	}
	if flags&4 != 0 {
		c.take(8) // its number
	}
	if flags&16 != 0 {
		c.take(1) // character set
	}
	name := string(c.take(int(min(c.number(1<<(flags&3)), 1<<16))))
	if kind != 0 {
		return c.done("link") // soft or external
	}
	object := c.number(8)
	if err := c.done("link"); err != nil {
		return err
	}
	return l.list(join(group, name), object)
}

// dense lists a group with so many members that their links are kept in a heap, indexed by a tree
// of their names.
func (l *lister) dense(group string, info []byte) error {
	c := cursor{data: info}
	c.take(1)
	if c.number(1)&1 != 0 {
		c.take(8) // the largest number of a link
	}
	address, tree := c.number(8), c.number(8)
	if err := c.done("link info"); err != nil || address == undefined {
		return err
	}
	h, err := l.file.heap(address)
	if err != nil {
		return err
	}
	return l.tree2(tree, func(record []byte) error {
		link, err := h.object(record[min(4, len(record)):]) // after the hash of the name
		if err != nil {
			return err
		}
		return l.link(group, link)
	})
}

func join(group, name string) string {
	if group == "" {
		return name
	}
	return group + "/" + name
}
