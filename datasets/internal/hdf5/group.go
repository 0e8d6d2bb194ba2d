package hdf5

import "fmt"

const maxDepth = 32 // of groups in groups

// lister walks through the groups of a file.
type lister struct {
	file  *File
	seen  map[uint64]bool // objects, and nodes of the trees that list them
	depth int
}

// list adds the object at an address, and what lies in it, under a name.
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
	if !group || l.seen[address] { // a second link to the same group, or to one around it
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
			err = linkInfo(m.data)
		}
		if err != nil {
			return fmt.Errorf("group %q: %w", name, err)
		}
	}
	return nil
}

// table lists a group that keeps its members in a B-tree of symbol tables, and their names in a heap.
func (l *lister) table(group string, tree, heap uint64) error {
	head, err := l.file.bytes(heap, 32)
	if err != nil {
		return err
	}
	if string(head[:4]) != "HEAP" {
		return fmt.Errorf("names at %d: expected the signature HEAP, found %q", heap, head[:4])
	}
	c := cursor{data: head[24:]}
	names := c.number(8)
	t := tree1{file: l.file, keySize: 8, seen: l.seen}
	return t.walk(tree, -1, func(_ []byte, leaf uint64) error {
		if l.seen[leaf] {
			return fmt.Errorf("symbol table at %d is reached twice: the file is damaged", leaf)
		}
		l.seen[leaf] = true
		head, err := l.file.bytes(leaf, 8)
		if err != nil {
			return err
		}
		if string(head[:4]) != "SNOD" {
			return fmt.Errorf("symbol table at %d: expected the signature SNOD, found %q", leaf, head[:4])
		}
		count := cursor{data: head[6:]}
		entries, err := l.file.bytes(leaf+8, 40*count.number(2))
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

// linkInfo refuses groups with so many members that they are kept elsewhere.
func linkInfo(data []byte) error {
	c := cursor{data: data}
	c.take(1)
	if c.number(1)&1 != 0 {
		c.take(8)
	}
	heap := c.number(8)
	if err := c.done("link info"); err != nil {
		return err
	}
	if heap != undefined {
		return unsupported("a group that keeps its links in a heap")
	}
	return nil
}

func join(group, name string) string {
	if group == "" {
		return name
	}
	return group + "/" + name
}

// tree1 is a B-tree of version 1.
type tree1 struct {
	file    *File
	kind    byte // 0: groups, 1: chunks
	keySize int
	seen    map[uint64]bool
}

// walk visits the leaves' entries in order, with the key before each. level is that of the node, -1 for the root's.
func (t *tree1) walk(address uint64, level int, visit func(key []byte, child uint64) error) error {
	if t.seen[address] {
		return fmt.Errorf("B-tree at %d: a node is reached twice: the file is damaged", address)
	}
	t.seen[address] = true
	head, err := t.file.bytes(address, 24)
	if err != nil {
		return fmt.Errorf("B-tree: %w", err)
	}
	if string(head[:4]) != "TREE" || head[4] != t.kind {
		return fmt.Errorf("B-tree at %d: expected the signature TREE and the type %d, found %q and %d", address, t.kind, head[:4], head[4])
	}
	if level < 0 {
		level = int(head[5])
	}
	if int(head[5]) != level {
		return fmt.Errorf("B-tree at %d: expected a node of level %d, found %d: the file is damaged", address, level, head[5])
	}
	c := cursor{data: head[6:]}
	entries, err := t.file.bytes(address+24, c.number(2)*uint64(t.keySize+8))
	if err != nil {
		return fmt.Errorf("B-tree: %w", err)
	}
	for c := (cursor{data: entries}); len(c.data) > 0; {
		key, child := c.take(t.keySize), c.number(8)
		if level > 0 {
			err = t.walk(child, level-1, visit)
		} else {
			err = visit(key, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
