package hdf5

import (
	"errors"
	"fmt"
	"path"
	"strings"
)

const (
	maxDepth = 32      // of groups in groups
	maxChain = 16      // links that lead to each other
	maxPath  = 1 << 10 // bytes of what a link leads to
	maxLinks = 1 << 14 // of a file
)

// ErrMissing is the error of a name that a file does not have.
var ErrMissing = errors.New("no such array")

// link is a name for what is elsewhere.
type link struct {
	target string // path of the array or group
	file   string // that holds it; "": this one
}

// resolve follows the links in a name and returns the address of the array.
func (f *File) resolve(name string) (uint64, error) {
	at := name
	for n := range maxChain {
		if len(at) > maxPath {
			return 0, fmt.Errorf("a path of %d bytes, expected at most %d", len(at), maxPath)
		}
		at = strings.TrimPrefix(path.Clean("/"+at), "/")
		if address, ok := f.arrays[at]; ok {
			return address, nil
		}
		prefix, rest, to := "", at, link{} // the shortest part of the path that is a link
		for found := false; !found; {
			if rest == "" {
				if n == 0 {
					return 0, ErrMissing
				}
				return 0, fmt.Errorf("a link to %q, where the file has no array", at)
			}
			part := ""
			part, rest, _ = strings.Cut(rest, "/")
			prefix = join(prefix, part)
			to, found = f.links[prefix]
		}
		if to.file != "" {
			return 0, fmt.Errorf("a link to %q in another file, %q: name that file, or copy the array into this one",
				to.target, to.file)
		}
		if !strings.HasPrefix(to.target, "/") {
			to.target = path.Dir("/"+prefix) + "/" + to.target
		}
		at = to.target + "/" + rest
	}
	return 0, errors.New("its links lead in a circle")
}

// lister walks through the groups of a file.
type lister struct {
	walker
	groups map[uint64]string // the first name of each
	depth  int
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
				if _, ok := l.file.arrays[name]; ok {
					return fmt.Errorf("the name %q occurs twice: the file is damaged", name)
				}
				l.file.Names = append(l.file.Names, name)
				l.file.arrays[name] = address
				return nil
			}
		case messageSymbolTable, messageLinkInfo, messageLink:
			group = true
		}
	}
	if !group {
		return nil
	}
	if first, ok := l.groups[address]; ok { // a second name of the same group, or of an enclosing one
		return l.add("", name, link{target: "/" + first})
	}
	l.groups[address] = name
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
			c := cursor{data: m.data}
			if c.take(1); c.number(1)&1 != 0 {
				c.take(8) // the largest number of a link
			}
			if c.number(8) != undefined {
				err = unsupported("so many links in a group that they are in a heap")
			}
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
			c.take(4)
			target := c.number(4)
			c.take(12)
			name, err := l.file.text(names + at)
			if err != nil {
				return err
			}
			if cache == 2 { // a soft link
				if target, err := l.file.text(names + target); err != nil {
					return err
				} else if err := l.add(group, name, link{target: target}); err != nil {
					return err
				}
				continue
			}
			if err := l.list(join(group, name), object); err != nil {
				return err
			}
		}
		return nil
	})
}

// add keeps a link.
func (l *lister) add(group, name string, to link) error {
	name = join(group, name)
	if _, ok := l.file.links[name]; ok {
		return fmt.Errorf("the name %q occurs twice: the file is damaged", name)
	}
	if len(l.file.links) == maxLinks {
		return fmt.Errorf("more than %d links", maxLinks)
	}
	l.file.links[name] = to
	return nil
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
		value := string(c.take(int(c.number(2))))
		if err := c.done("link"); err != nil {
			return err
		}
		switch kind {
		case 1: // soft
			return l.add(group, name, link{target: value})
		case 64: // external: a byte, the file and the path in it
			file, target, _ := strings.Cut(value[min(1, len(value)):], "\x00")
			return l.add(group, name, link{target: strings.TrimRight(target, "\x00"), file: file})
		}
		return l.add(group, name, link{target: value, file: fmt.Sprintf("a link of kind %d", kind)})
	}
	object := c.number(8)
	if err := c.done("link"); err != nil {
		return err
	}
	return l.list(join(group, name), object)
}

func join(group, name string) string {
	if group == "" {
		return name
	}
	return group + "/" + name
}
