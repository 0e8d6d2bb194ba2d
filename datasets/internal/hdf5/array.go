package hdf5

import (
	"math"

	"github.com/sliced-wasserstein/lab/internal/memory"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// Array is an array of numbers, or of text, in a file.
type Array struct {
	Shape    []int
	Type     numbers.Type // text: see Array.Text
	file     *File
	variable bool // text of any length, which is elsewhere
	bytes    int  // of all numbers
	// Where the numbers are, one of:
	data   []byte
	chunks *chunks
}

// Array returns the array of that name, one of File.Names or one reached through a link to its group.
// It is ErrMissing if there is none.
func (f *File) Array(name string) (a *Array, err error) {
	address, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	defer catch(&err)
	messages := f.header(address)
	a = &Array{file: f}
	for _, part := range []struct {
		kind  uint64
		name  string
		parse func(*cursor)
	}{
		{messageDatatype, "type", a.setType},
		{messageDataspace, "shape", a.setShape},
		{messageLayout, "layout", func(c *cursor) { a.setLayout(c, find(messages, messageFilters)) }},
	} {
		func() {
			defer within("%s", part.name)
			c := find(messages, part.kind)
			if c == nil {
				fail("missing in the header")
			}
			part.parse(c)
		}()
	}
	return a, nil
}

// setType reads the datatype message.
func (a *Array) setType(c *cursor) {
	class, bits := c.number(1)&15, c.number(1)
	c.take(2)
	size := c.number(4)
	a.Type = numbers.Type{Size: int(size), Big: bits&1 != 0}
	if class == 3 || class == 9 { // text of one length, or of any
		a.Type.Class, a.variable = 'S', class == 9
		if a.variable && (bits&15 != 1 || size != 16) {
			unsupported("an array of lists")
		}
		if size < 1 {
			fail("text of 0 bytes")
		}
		return
	}
	if class > 1 {
		unsupported("an array of something else than numbers or text (datatype class %d)", class)
	}
	if offset, precision := c.number(2), c.number(2); offset != 0 || precision != 8*size {
		unsupported("a number of %d bits in %d bytes", precision, size)
	}
	if class == 0 {
		a.Type.Class = 'u'
		if bits&8 != 0 {
			a.Type.Class = 'i'
		}
		if size != 1 && size != 2 && size != 4 && size != 8 {
			unsupported("a whole number of %d bytes", size)
		}
		return
	}
	a.Type.Class = 'f'
	c.take(1)
	exponent := c.number(1)
	if want, ok := map[uint64]uint64{2: 5, 4: 8, 8: 11}[size]; !ok || exponent != want || bits&64 != 0 {
		unsupported("a float of %d bytes with an exponent of %d bits", size, exponent)
	}
}

// setShape reads the dataspace message.
func (a *Array) setShape(c *cursor) {
	version, rank := c.number(1), c.number(1)
	c.take(1)
	switch version {
	case 1:
		c.take(5)
	case 2:
		if c.number(1) == 2 {
			unsupported("an empty dataspace")
		}
	default:
		unsupported("version %d", version)
	}
	for range rank {
		n := c.number(8)
		if n > math.MaxInt {
			fail("a size of %d", n)
		}
		a.Shape = append(a.Shape, int(n))
	}
	a.bytes = a.file.holds("an array", a.Shape, memory.Bytes(a.sizes()...))
}

// sizes are the array's axes, the last one the bytes of a number.
func (a *Array) sizes() []int { return append(a.Shape[:len(a.Shape):len(a.Shape)], a.Type.Size) }

// setLayout reads the layout message and, for chunks, their filters.
func (a *Array) setLayout(c, filters *cursor) {
	switch version, class := c.number(1), c.number(1); {
	case version < 3 || version > 5 || version > 3 && class == 2:
		unsupported("version %d", version)
	case class == 0:
		if a.data = c.take(c.number(2)); len(a.data) != a.bytes {
			fail("%d bytes for %d: the file is damaged", len(a.data), a.bytes)
		}
	case class == 1:
		if at := c.number(8); at != undefined {
			a.data = a.file.slice(at, uint64(a.bytes))
		} else if a.bytes > 0 {
			fail("the numbers were never written")
		}
	case class == 2:
		a.chunks = newChunks(a, c, filters)
	default:
		unsupported("class %d", class)
	}
}

// Read returns all numbers in row-major order, as stored: see Type. They may be those in the file.
func (a *Array) Read() (data []byte, err error) {
	defer catch(&err)
	if a.chunks != nil {
		return a.chunks.read(), nil
	}
	return a.data, nil
}

// Text returns an entry of text, which may end in zeros.
func (a *Array) Text(entry []byte) (text string, err error) {
	if !a.variable {
		return string(entry), nil
	}
	defer catch(&err)
	defer within("text")
	c := cursor{entry}
	n, address, index := c.number(4), c.number(8), c.number(4)
	if n == 0 {
		return "", nil
	}
	text, ok := a.file.collection(address)[index]
	if !ok || uint64(len(text)) < n {
		fail("%d bytes in object %d at %d: found %d", n, index, address, len(text))
	}
	return text[:n], nil
}

// collection returns the texts of a collection in the global heap, by number.
func (f *File) collection(address uint64) map[uint64]string {
	if found, ok := f.texts[address]; ok {
		return found
	}
	c := f.block(address, "GCOL\x01", 16)
	c.take(3)
	found := map[uint64]string{}
	for c = f.at(address+16, max(16, c.number(8))-16); len(c.data) >= 16; {
		index := c.number(2)
		c.take(6)
		n := c.number(8)
		if index == 0 { // the rest is free
			break
		}
		found[index] = string(c.take(n))
		c.take(min(-n%8, uint64(len(c.data))))
	}
	f.texts[address] = found
	return found
}
