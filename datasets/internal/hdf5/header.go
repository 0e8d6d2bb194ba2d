package hdf5

import "fmt"

// The types of header messages that matter here.
const (
	messageDataspace    = 0x01
	messageLinkInfo     = 0x02
	messageDatatype     = 0x03
	messageLink         = 0x06
	messageLayout       = 0x08
	messageFilters      = 0x0b
	messageContinuation = 0x10
	messageSymbolTable  = 0x11
)

const (
	maxMessages = 1 << 16 // of an object
	maxBlock    = 1 << 20 // bytes of a part of a header
)

// message is an entry of an object's header.
type message struct {
	kind   int
	shared bool // the data say where the message is instead
	data   []byte
}

// header reads the messages of the object at an address, in any version of the format.
func (f *File) header(address uint64) ([]message, error) {
	start, err := f.bytes(address, 16)
	if err != nil {
		return nil, err
	}
	h := headerReader{file: f, seen: map[uint64]bool{}}
	if string(start[:4]) == "OHDR" {
		return h.messages, h.version2(address, start)
	}
	if start[0] != 1 {
		return nil, fmt.Errorf("object header at %d: expected version 1 or the signature OHDR, found %q", address, start[:4])
	}
	c := cursor{data: start[8:]}
	err = h.block(address+16, c.number(4))
	return h.messages, err
}

type headerReader struct {
	file     *File
	messages []message
	seen     map[uint64]bool // blocks
	new      bool            // version 2
	ordered  bool            // messages of version 2 carry their number
}

// version2 reads the header's start, which says how long the first block is.
func (h *headerReader) version2(address uint64, start []byte) error {
	if start[4] != 2 {
		return unsupported("object header of version %d", start[4])
	}
	flags := start[5]
	h.new, h.ordered = true, flags&4 != 0
	skip := uint64(6)
	if flags&0x20 != 0 {
		skip += 16 // times
	}
	if flags&0x10 != 0 {
		skip += 4 // attributes
	}
	width := uint64(1) << (flags & 3)
	size, err := h.file.bytes(address+skip, width)
	if err != nil {
		return err
	}
	c := cursor{data: size}
	return h.block(address+skip+width, c.number(int(width)))
}

// block reads the messages of one block, and of those that continue it.
func (h *headerReader) block(address, size uint64) error {
	if h.seen[address] {
		return fmt.Errorf("object header at %d: a block is reached twice: the file is damaged", address)
	}
	h.seen[address] = true
	if size > maxBlock {
		return fmt.Errorf("object header at %d: a block of %d bytes: expected at most %d", address, size, maxBlock)
	}
	data, err := h.file.bytes(address, size)
	if err != nil {
		return fmt.Errorf("object header: %w", err)
	}
	c := cursor{data: data}
	least := 8
	if h.new {
		least = 4
	}
	for len(c.data) >= least {
		m, size := message{}, 0
		if h.new {
			m.kind, size = int(c.number(1)), int(c.number(2))
			m.shared = c.number(1)&2 != 0
			if h.ordered {
				c.take(2)
			}
		} else {
			m.kind, size = int(c.number(2)), int(c.number(2))
			m.shared = c.number(1)&2 != 0
			c.take(3)
		}
		m.data = c.take(size)
		if err := c.done(fmt.Sprintf("object header at %d", address)); err != nil {
			return err
		}
		if len(h.messages) == maxMessages {
			return fmt.Errorf("object header at %d: more than %d messages", address, maxMessages)
		}
		h.messages = append(h.messages, m)
		if m.kind != messageContinuation {
			continue
		}
		next := cursor{data: m.data}
		at, length := next.number(8), next.number(8)
		if err := next.done("continuation"); err != nil {
			return err
		}
		if h.new { // signature before and checksum after the messages
			if length < 8 {
				return fmt.Errorf("object header at %d: a continuation of %d bytes", address, length)
			}
			at, length = at+4, length-8
		}
		if err := h.block(at, length); err != nil {
			return err
		}
	}
	return nil
}

// find returns the message of a kind; nil where there is none.
func find(messages []message, kind int) ([]byte, error) {
	for _, m := range messages {
		if m.kind == kind {
			if m.shared {
				return nil, unsupported("a message shared between objects (a named type)")
			}
			return m.data, nil
		}
	}
	return nil, nil
}
