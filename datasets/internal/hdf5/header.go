package hdf5

import "fmt"

// The types of header messages that are used here.
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
	maxBlock    = 1 << 20 // bytes per part of a header
)

// message is an entry per object's header.
type message struct {
	kind   int
	shared bool // the data hold the message's location instead
	data   []byte
}

// header reads the messages of the object at an address, in any version of the format.
func (f *File) header(address uint64) ([]message, error) {
	start, err := f.bytes(address, 16)
	if err != nil {
		return nil, err
	}
	h := headerReader{walker: newWalker(f), kind: 2, skip: 3}
	switch {
	case string(start[:4]) == "OHDR":
		err = h.version2(address, start)
	case start[0] == 1:
		c := cursor{data: start[8:]}
		err = h.block(address+16, c.number(4))
	default:
		err = fmt.Errorf("object header at %d: expected version 1 or the signature OHDR, found %q", address, start[:4])
	}
	return h.messages, err
}

type headerReader struct {
	walker
	messages []message
	kind     int // bytes of a message's type: 2, or 1 in version 2
	skip     int // bytes between a message's flags and its data
}

// version2 reads the header's start, which says how long the first block is.
func (h *headerReader) version2(address uint64, start []byte) error {
	if start[4] != 2 {
		return unsupported("object header of version %d", start[4])
	}
	flags := start[5]
	h.kind, h.skip = 1, int(flags&4)/2 // messages may have a number
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
	if size > maxBlock {
		return fmt.Errorf("object header at %d: a block of %d bytes: expected at most %d", address, size, maxBlock)
	}
	c, err := h.visit(address, "", size)
	if err != nil {
		return fmt.Errorf("object header: %w", err)
	}
	for len(c.data) >= h.kind+3+h.skip {
		m := message{kind: int(c.number(h.kind))}
		size := int(c.number(2))
		m.shared = c.number(1)&2 != 0
		c.take(h.skip)
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
		if h.kind == 1 { // signature before and checksum after the messages
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
