package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/sliced-wasserstein/lab/internal/memory"
)

// Array is an array of numbers, or of text, in a file.
type Array struct {
	Shape    []int
	Type     Type
	file     *File
	variable bool // text of any length, which is elsewhere
	row      int  // bytes of a row: one index of the first axis
	// Where the numbers are, one of:
	compact    []byte
	contiguous uint64 // their address
	chunks     *chunks
}

// Type is the type of an array's numbers.
type Type struct {
	Class byte // 'f', 'i', 'u' or 'S' (text: see Array.Text), as in NumPy
	Size  int  // bytes
	Order binary.ByteOrder
}

// Array returns the array of that name, one of File.Names or one reached through a link to its group.
// It is ErrMissing if there is none.
func (f *File) Array(name string) (*Array, error) {
	address, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	messages, err := f.header(address)
	if err != nil {
		return nil, err
	}
	a := &Array{file: f}
	for _, part := range []struct {
		kind  int
		name  string
		parse func([]byte) error
	}{
		{messageDatatype, "type", a.setType},
		{messageDataspace, "shape", a.setShape},
		{messageLayout, "layout", func(data []byte) error { return a.setLayout(data, messages) }},
	} {
		data, err := find(messages, part.kind)
		if err == nil && data == nil {
			err = errors.New("missing in the header")
		}
		if err == nil {
			err = part.parse(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return a, nil
}

// setType reads the datatype message.
func (a *Array) setType(data []byte) error {
	c := cursor{data: data}
	class := c.number(1) & 15
	bits := c.number(1)
	c.take(2)
	a.Type = Type{Size: int(c.number(4)), Order: binary.LittleEndian}
	if bits&1 != 0 {
		a.Type.Order = binary.BigEndian
	}
	whole := c
	offset, precision := c.number(2), c.number(2)
	switch class {
	case 0:
		a.Type.Class = 'u'
		if bits&8 != 0 {
			a.Type.Class = 'i'
		}
		if s := a.Type.Size; s != 1 && s != 2 && s != 4 && s != 8 {
			return unsupported("a whole number of %d bytes", s)
		}
	case 1:
		a.Type.Class = 'f'
		c.take(1)
		exponent := c.number(1)
		if want, ok := map[int]uint64{2: 5, 4: 8, 8: 11}[a.Type.Size]; !ok || exponent != want || bits&64 != 0 {
			return unsupported("a float of %d bytes with an exponent of %d bits", a.Type.Size, exponent)
		}
	case 3, 9: // text of one length, or of any
		a.Type.Class, a.variable = 'S', class == 9
		if class == 9 && (bits&15 != 1 || a.Type.Size != 16) {
			return unsupported("an array of lists")
		}
		if a.Type.Size < 1 {
			return errors.New("text of 0 bytes")
		}
		return whole.done("datatype")
	default:
		return unsupported("an array of something else than numbers or text (datatype class %d)", class)
	}
	if err := c.done("datatype"); err != nil {
		return err
	}
	if offset != 0 || precision != 8*uint64(a.Type.Size) {
		return unsupported("a number of %d bits in %d bytes", precision, a.Type.Size)
	}
	return nil
}

// setShape reads the dataspace message.
func (a *Array) setShape(data []byte) error {
	c := cursor{data: data}
	version, rank := c.number(1), int(c.number(1))
	c.take(1)
	switch version {
	case 1:
		c.take(5)
	case 2:
		if c.number(1) == 2 {
			return unsupported("an empty dataspace")
		}
	default:
		return unsupported("dataspace of version %d", version)
	}
	for range rank {
		n := c.number(8)
		if n > math.MaxInt {
			return fmt.Errorf("a size of %d", n)
		}
		a.Shape = append(a.Shape, int(n))
	}
	if err := c.done("dataspace"); err != nil {
		return err
	}
	bytes := memory.Bytes(append([]int{a.Type.Size}, a.Shape...)...)
	if !a.file.holds(bytes) {
		return fmt.Errorf("%v of %d bytes each cannot come from a file of %d bytes", a.Shape, a.Type.Size, a.file.size)
	}
	a.row = int(bytes)
	if bytes > 0 && len(a.Shape) > 0 {
		a.row /= a.Shape[0]
	}
	return nil
}

// setLayout reads the layout message and, for chunks, their filters.
func (a *Array) setLayout(data []byte, messages []message) error {
	c := cursor{data: data}
	version, class := c.number(1), c.number(1)
	switch {
	case version < 3 || version > 5 || version > 3 && class == 2:
		return unsupported("layout of version %d", version)
	case class == 0:
		a.compact = c.take(int(c.number(2)))
		if len(a.compact) != a.Bytes() {
			return fmt.Errorf("%d bytes for %d: the file is damaged", len(a.compact), a.Bytes())
		}
	case class == 1:
		a.contiguous = c.number(8)
		if a.contiguous == undefined && a.Bytes() > 0 {
			return errors.New("the numbers were never written")
		}
		if n := uint64(a.Bytes()); n > 0 && (a.contiguous > a.file.size || n > a.file.size-a.contiguous) {
			return fmt.Errorf("%d bytes at %d: the file ends at %d: it was cut off or is damaged", n, a.contiguous, a.file.size)
		}
	case class == 2:
		filters, err := find(messages, messageFilters)
		if err != nil {
			return err
		}
		if a.chunks, err = newChunks(a, &c, filters); err != nil {
			return err
		}
	default:
		return unsupported("layout class %d", class)
	}
	return c.done("layout")
}

// Rows returns the length of the first axis; a single number has one row, an array without numbers
// none.
func (a *Array) Rows() int {
	switch {
	case a.row == 0:
		return 0
	case len(a.Shape) == 0:
		return 1
	}
	return a.Shape[0]
}

// Bytes returns the size of all numbers.
func (a *Array) Bytes() int { return a.Rows() * a.row }

// Step returns the number of rows of a chunk. Reading that many from a multiple of it unpacks no
// chunk twice.
func (a *Array) Step() int {
	if a.chunks == nil {
		return 1
	}
	return a.chunks.dims[0]
}

// ReadRows reads rows of the first axis into dst, which must have their size, as stored: see Type.
func (a *Array) ReadRows(dst []byte, first, rows int) error {
	if first < 0 || rows < 0 || rows > a.Rows()-first || len(dst) != rows*a.row {
		return fmt.Errorf("rows %d to %d of %d, of %d bytes each, into %d bytes", first, first+rows, a.Rows(), a.row,
			len(dst))
	}
	switch {
	case len(dst) == 0:
		return nil
	case a.chunks != nil:
		return a.chunks.read(dst, first, rows)
	case a.compact != nil:
		copy(dst, a.compact[first*a.row:])
		return nil
	}
	_, err := a.file.in.ReadAt(dst, int64(a.file.base+a.contiguous)+int64(first*a.row))
	if err == io.EOF {
		err = nil
	}
	return err
}

// Text returns an entry of text, which may end in zeros.
func (a *Array) Text(entry []byte) (string, error) {
	if !a.variable {
		return string(entry), nil
	}
	c := cursor{data: entry}
	n, address, index := c.number(4), c.number(8), c.number(4)
	if err := c.done("text"); err != nil || n == 0 {
		return "", err
	}
	objects, err := a.file.objects(address)
	if err != nil {
		return "", fmt.Errorf("text: %w", err)
	}
	text, ok := objects[index]
	if !ok || uint64(len(text)) < n {
		return "", fmt.Errorf("text: %d bytes in object %d at %d: found %d", n, index, address, len(text))
	}
	return text[:n], nil
}
