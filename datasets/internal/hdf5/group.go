package hdf5

import (
	"errors"
	"fmt"
	"path"
	"slices"
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

// list adds the object at an address, and its members, under a name.
func (f *File) list(name string, address uint64, depth int) {
	defer within("object %q", name)
	messages := f.header(address)
	if slices.ContainsFunc(messages, func(m message) bool { return m.kind == messageDataspace }) && name != "" {
		if _, ok := f.arrays[name]; ok {
			fail("the name occurs twice: the file is damaged")
		}
		f.Names, f.arrays[name] = append(f.Names, name), address
		return
	}
	if first, ok := f.groups[address]; ok { // a second name of the same group, or of an enclosing one
		f.add("", name, link{target: "/" + first})
		return
	}
	if depth > maxDepth {
		fail("more than %d groups in each other", maxDepth)
	}
	f.groups[address] = name
	for _, m := range messages {
		switch c := (&cursor{m.data}); m.kind {
		case messageSymbolTable:
			f.table(name, c.number(8), c.number(8), depth)
		case messageLink:
			f.link(name, c, depth)
		case messageLinkInfo:
			if c.take(1); c.number(1)&1 != 0 {
				c.take(8) // the largest number of a link
			}
			if c.number(8) != undefined {
				unsupported("so many links in a group that they are in a heap")
			}
		}
	}
}

// table lists a group that keeps its members in a B-tree of symbol tables, and their names in a
// heap.
func (f *File) table(group string, tree, heap uint64, depth int) {
	c := f.block(heap, "HEAP\x00", 32)
	c.take(19)
	names := c.number(8)
	f.tree("TREE\x00", 8, tree, -1, func(_ *cursor, leaf uint64) {
		c := f.block(leaf, "SNOD\x01", 8)
		c.take(1)
		for c = f.at(leaf+8, 40*c.number(2)); len(c.data) > 0; {
			name, object, cache := f.text(names+c.number(8)), c.number(8), c.number(4)
			c.take(4)
			target := c.number(4)
			c.take(12)
			if cache == 2 { // a soft link
				f.add(group, name, link{target: f.text(names + target)})
			} else {
				f.list(join(group, name), object, depth+1)
			}
		}
	})
}

// add keeps a link.
func (f *File) add(group, name string, to link) {
	name = join(group, name)
	if _, ok := f.links[name]; ok {
		fail("the name %q occurs twice: the file is damaged", name)
	}
	if len(f.links) == maxLinks {
		fail("more than %d links", maxLinks)
	}
	f.links[name] = to
}

// link lists a member whose link is a message of its group's header.
func (f *File) link(group string, c *cursor, depth int) {
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
	name := string(c.take(c.number(1 << (flags & 3))))
	if kind == 0 {
		f.list(join(group, name), c.number(8), depth+1)
		return
	}
	to := link{target: string(c.take(c.number(2)))}
	switch kind {
	case 1: // soft
	case 64: // external: a byte, the file and the path in it
		to.file, to.target, _ = strings.Cut(to.target[min(1, len(to.target)):], "\x00")
		to.target = strings.TrimRight(to.target, "\x00")
	default:
		to.file = fmt.Sprintf("a link of kind %d", kind)
	}
	f.add(group, name, to)
}

func join(group, name string) string {
	if group == "" {
		return name
	}
	return group + "/" + name
}
