// Package hdf5 reads arrays of numbers and text from HDF5 files as h5py writes them by default:
// groups, soft links, and contiguous, compact and chunked arrays with the filters gzip and shuffle.
// Anything else the format offers is an error of type [*Unsupported].
//
// Files are not trusted: no header can cause allocations larger than the file can hold, and what is
// read of a file's structure is bounded by its size. The format and its terms: "HDF5 File Format
// Specification", version 3.0.
package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

const signature = "\x89HDF\r\n\x1a\n"

// undefined is the address of what was never written.
const undefined = ^uint64(0)

// Unsupported is the error of files, or arrays, that are stored in a way this package does not
// read.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return u.What + " is not supported" }

// failure is what the readers of a structure panic with; catch returns it.
type failure struct{ error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func unsupported(format string, args ...any) {
	panic(failure{&Unsupported{fmt.Sprintf(format, args...)}})
}

// catch, deferred, stores the error of a failure.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}

// within, deferred, says where a failure was.
func within(format string, args ...any) {
	p := recover()
	if f, ok := p.(failure); ok {
		fail("%s: %w", fmt.Sprintf(format, args...), f.error)
	}
	if p != nil {
		panic(p)
	}
}

// File is the content of an HDF5 file.
type File struct {
	// Names of the arrays, and of links to arrays, sorted, each with the groups it is in: "group/data".
	Names  []string
	arrays map[string]uint64
	groups map[uint64]string            // the first name of each
	links  map[string]link              // soft, external, and further names of groups
	texts  map[uint64]map[uint64]string // by address of their collection and number
	data   []byte                       // from the signature on
	left   int                          // bytes of its structure that may still be read
}

// Read lists the arrays of a file.
func Read(data []byte) (f *File, err error) {
	defer catch(&err)
	start := 0 // the signature is at byte 0, 512, 1024, 2048, ...
	for start < len(data) && !bytes.HasPrefix(data[start:], []byte(signature)) {
		start = max(512, 2*start)
	}
	if start >= len(data) {
		fail("not an HDF5 file: no signature")
	}
	f = &File{data: data[start:], left: 1<<20 + 16*len(data), arrays: map[string]uint64{}, groups: map[uint64]string{},
		links: map[string]link{}, texts: map[uint64]map[uint64]string{}}
	f.list("", f.root(), 0)
	for name := range f.links {
		if _, err := f.resolve(name); err == nil {
			f.Names = append(f.Names, name)
		}
	}
	slices.Sort(f.Names)
	return f, nil
}

// root returns the address of the root group's header.
func (f *File) root() uint64 {
	defer within("superblock")
	head := f.at(8, 8).data
	at, sizes := uint64(12+3*8), head[1:3] // the root group's word, and the bytes of addresses and lengths
	switch version := head[0]; version {
	case 0, 1:
		// 24 bytes (28 in version 1), four addresses, then the root group's symbol table entry: its
		// second word.
		at, sizes = 24+4*uint64(version)+4*8+8, head[5:7]
	case 2, 3:
	default:
		unsupported("version %d", version)
	}
	if sizes[0] != 8 || sizes[1] != 8 {
		unsupported("addresses of %d and lengths of %d bytes", sizes[0], sizes[1])
	}
	return f.at(at, 8).number(8)
}

// slice returns n bytes at an address.
func (f *File) slice(address, n uint64) []byte {
	if size := uint64(len(f.data)); address > size || n > size-address {
		fail("%d bytes at %d: the file ends at %d: it was cut off or is damaged", n, address, size)
	}
	return f.data[address : address+n : address+n]
}

// at returns n bytes of the file's structure. In a damaged file that may lead in circles.
func (f *File) at(address, n uint64) *cursor {
	data := f.slice(address, n)
	if f.left -= len(data) + 1; f.left < 0 {
		fail("the file refers to the same places over and over: it is damaged")
	}
	return &cursor{data}
}

// block is at for a block that begins with a signature, often followed by the version or type; it
// returns the rest.
func (f *File) block(address uint64, signature string, n uint64) *cursor {
	c := f.at(address, n)
	if found := c.take(uint64(len(signature))); string(found) != signature {
		fail("at %d: expected %q, found %q", address, signature, found)
	}
	return c
}

// text reads a string of at most 1023 bytes that ends in 0.
func (f *File) text(address uint64) string {
	size := uint64(len(f.data))
	text, _, ends := bytes.Cut(f.slice(address, min(1024, size-min(address, size))), []byte{0})
	if !ends {
		fail("name at %d: expected at most 1023 bytes that end in 0", address)
	}
	return string(f.at(address, uint64(len(text))).data)
}

// tree visits the entries in the leaves of a B-tree of version 1, in order, each with the key before
// it. The signature includes the tree's type; level is that of the node, -1 for the root's.
func (f *File) tree(signature string, keySize, address uint64, level int, visit func(key *cursor, child uint64)) {
	c := f.block(address, signature, 24)
	found := int(c.number(1))
	if level >= 0 && found != level {
		fail("tree at %d: expected a node of level %d, found %d: the file is damaged", address, level, found)
	}
	for c = f.at(address+24, c.number(2)*(keySize+8)); len(c.data) > 0; {
		key, child := &cursor{c.take(keySize)}, c.number(8)
		if found > 0 {
			f.tree(signature, keySize, child, found-1, visit)
		} else {
			visit(key, child)
		}
	}
}

// holds fails unless numbers of so many bytes may come from the file. Compression shrinks clouds by a
// third and labels by a factor of hundreds; deflate alone could make 250 GB of a file of 250 MB.
func (f *File) holds(what string, sizes []int, bytes int64) int {
	const (
		small = 256 << 20
		ratio = 100
	)
	if bytes > small && bytes/ratio > int64(len(f.data)) {
		fail("%s %v of numbers cannot come from a file of %d bytes", what, sizes, len(f.data))
	}
	return int(bytes)
}

// cursor takes little-endian numbers off the front of a message.
type cursor struct{ data []byte }

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.data)) {
		fail("the message is too short: the file is damaged")
	}
	out := c.data[:n]
	c.data = c.data[n:]
	return out
}

// number takes an unsigned number of 1, 2, 4 or 8 bytes.
func (c *cursor) number(size uint64) uint64 {
	var word [8]byte
	copy(word[:], c.take(size))
	return binary.LittleEndian.Uint64(word[:])
}
