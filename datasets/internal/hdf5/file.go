// Package hdf5 reads arrays of numbers and text from HDF5 files as h5py writes them by default:
// groups, soft links, and contiguous, compact and chunked arrays with the filters gzip and shuffle.
// Anything else the format offers is an error of type [*Unsupported].
//
// Files are not trusted: no header can cause allocations larger than the file can hold, and every
// structure is visited at most once. The format and its terms: "HDF5 File Format Specification",
// version 3.0.
package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

const signature = "\x89HDF\r\n\x1a\n"

// undefined is the address of what was never written.
const undefined = ^uint64(0)

// Unsupported is the error of files, or arrays, that are stored in a way this package does not
// read.
type Unsupported struct{ What string }

func (u *Unsupported) Error() string { return u.What + " is not supported" }

func unsupported(format string, args ...any) error { return &Unsupported{fmt.Sprintf(format, args...)} }

// File is an open HDF5 file. It is safe for concurrent use.
type File struct {
	// Names of the arrays, and of links to arrays, sorted, each with the groups it is in: "group/data".
	Names   []string
	arrays  map[string]uint64
	links   map[string]link // soft, external, and further names of groups
	lock    sync.Mutex
	heaps   map[uint64]map[uint64]string // texts by address of their collection and number
	inHeaps uint64                       // bytes of these collections
	in      io.ReaderAt
	base    uint64 // start of the HDF5 data; other data may precede them
	size    uint64 // of the HDF5 data
	close   func() error
}

// Open opens a file and lists its arrays.
func Open(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err == nil {
		var f *File
		if f, err = Read(in, info.Size()); err == nil {
			f.close = in.Close
			return f, nil
		}
	}
	in.Close()
	return nil, err
}

// Read lists the arrays of a file of the given size.
func Read(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, arrays: map[string]uint64{}, links: map[string]link{}, heaps: map[uint64]map[uint64]string{},
		close: func() error { return nil }}
	start := int64(0)
	for { // the signature is at byte 0, 512, 1024, 2048, ...
		head := make([]byte, len(signature))
		if n, err := in.ReadAt(head, start); n < len(head) {
			if err != io.EOF {
				return nil, err
			}
			return nil, errors.New("not an HDF5 file: no signature")
		}
		if string(head) == signature {
			break
		}
		start = max(512, 2*start)
	}
	f.base, f.size = uint64(start), uint64(size-start)
	root, err := f.superblock()
	if err != nil {
		return nil, fmt.Errorf("superblock: %w", err)
	}
	l := lister{walker: newWalker(f), groups: map[uint64]string{}}
	if err := l.list("", root); err != nil {
		return nil, err
	}
	for name := range f.links {
		if _, err := f.resolve(name); err == nil {
			f.Names = append(f.Names, name)
		}
	}
	slices.Sort(f.Names)
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// superblock returns the address of the root group's header.
func (f *File) superblock() (root uint64, err error) {
	head, err := f.bytes(0, 12)
	if err != nil {
		return 0, err
	}
	version := head[8]
	var offsets, lengths byte
	at := uint64(0) // of the root group's header
	switch version {
	case 0, 1:
		// 24 bytes (28 in version 1), four addresses, then the root group's symbol table entry: its
		// second word.
		at = 24 + 4*uint64(version) + 4*8 + 8
		if head, err = f.bytes(0, 16); err != nil {
			return 0, err
		}
		offsets, lengths = head[13], head[14]
	case 2, 3:
		at, offsets, lengths = 12+3*8, head[9], head[10]
	default:
		return 0, unsupported("version %d", version)
	}
	if offsets != 8 || lengths != 8 {
		return 0, unsupported("addresses of %d and lengths of %d bytes", offsets, lengths)
	}
	word, err := f.bytes(at, 8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(word), nil
}

// bytes reads n bytes at an address. It allocates only what the file holds.
func (f *File) bytes(address, n uint64) ([]byte, error) {
	if address > f.size || n > f.size-address {
		return nil, fmt.Errorf("%d bytes at %d: the file ends at %d: it was cut off or is damaged", n, address, f.size)
	}
	out := make([]byte, n)
	if _, err := f.in.ReadAt(out, int64(f.base+address)); err != nil && err != io.EOF {
		return nil, err
	}
	return out, nil
}

// holds reports whether n bytes of numbers may come from the file. Compression shrinks clouds by a
// third and labels by a factor of hundreds; deflate alone could make 250 GB of a file of 250 MB.
func (f *File) holds(n int64) bool {
	const (
		small = 256 << 20
		ratio = 100
	)
	return n <= small || uint64(n)/ratio <= f.size
}

// block reads n bytes that begin with a signature, often followed by the version or type, and
// returns the rest.
func (f *File) block(address uint64, signature string, n uint64) (cursor, error) {
	data, err := f.bytes(address, n)
	if err != nil {
		return cursor{}, fmt.Errorf("%.4s: %w", signature, err)
	}
	if !bytes.HasPrefix(data, []byte(signature)) {
		return cursor{}, fmt.Errorf("at %d: expected %q, found %q", address, signature, data[:min(len(data), len(signature))])
	}
	return cursor{data: data[len(signature):]}, nil
}

// walker visits the blocks of a structure, each once.
type walker struct {
	file *File
	seen map[uint64]bool
}

func newWalker(f *File) walker { return walker{f, map[uint64]bool{}} }

// visit is File.block for a block that must not have been visited before.
func (w walker) visit(address uint64, signature string, n uint64) (cursor, error) {
	if w.seen[address] {
		return cursor{}, fmt.Errorf("the block %.4s at %d is reached twice: the file is damaged", signature, address)
	}
	w.seen[address] = true
	return w.file.block(address, signature, n)
}

// text reads a string of at most 1024 bytes that ends in 0.
func (f *File) text(address uint64) (string, error) {
	if address >= f.size {
		return "", fmt.Errorf("name at %d: the file ends at %d: it was cut off or is damaged", address, f.size)
	}
	out, err := f.bytes(address, min(1024, f.size-address))
	if err != nil {
		return "", err
	}
	end := bytes.IndexByte(out, 0)
	if end < 0 {
		return "", fmt.Errorf("name at %d: expected at most 1023 bytes", address)
	}
	return string(out[:end]), nil
}

// cursor takes little-endian numbers off the front of a message. Beyond the end it returns zeros.
type cursor struct {
	data  []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.data) {
		c.short, c.data = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	out := c.data[:n]
	c.data = c.data[n:]
	return out
}

// number takes an unsigned number of 1, 2, 4 or 8 bytes.
func (c *cursor) number(size int) uint64 {
	var word [8]byte
	copy(word[:], c.take(size))
	return binary.LittleEndian.Uint64(word[:])
}

// done reports a truncated message.
func (c *cursor) done(what string) error {
	if c.short {
		return fmt.Errorf("%s: the message is too short: the file is damaged", what)
	}
	return nil
}
