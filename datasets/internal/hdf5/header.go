package hdf5

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

// message is an entry of an object's header.
type message struct {
	kind   uint64
	shared bool // the data hold the message's location instead
	data   []byte
}

// header reads the messages of the object at an address, in any version of the format.
func (f *File) header(address uint64) (messages []message) {
	defer within("object header at %d", address)
	start := f.at(address, 16)
	kind, skip := uint64(2), uint64(3) // bytes of a message's type, and between its flags and its data
	var blocks []*cursor
	switch version := start.number(1); {
	case version == 1:
		start.take(7)
		blocks = append(blocks, f.at(address+16, start.number(4)))
	case version == 'O' && string(start.take(3)) == "HDR":
		if version := start.number(1); version != 2 {
			unsupported("version %d", version)
		}
		flags := start.number(1)
		kind, skip = 1, flags&4/2 // messages may have a number
		at, width := address+6, uint64(1)<<(flags&3)
		if flags&0x20 != 0 {
			at += 16 // times
		}
		if flags&0x10 != 0 {
			at += 4 // attributes
		}
		blocks = append(blocks, f.at(at+width, f.at(at, width).number(width)))
	default:
		fail("expected version 1 or the signature OHDR, found %d", version)
	}
	for ; len(blocks) > 0; blocks = blocks[1:] {
		for c := blocks[0]; uint64(len(c.data)) >= kind+3+skip; {
			m := message{kind: c.number(kind)}
			size := c.number(2)
			m.shared = c.number(1)&2 != 0
			c.take(skip)
			m.data = c.take(size)
			if messages = append(messages, m); m.kind != messageContinuation {
				continue
			}
			next := cursor{m.data}
			at, length := next.number(8), next.number(8)
			if kind == 1 { // signature before and checksum after the messages
				at, length = at+4, max(length, 8)-8
			}
			blocks = append(blocks, f.at(at, length))
		}
	}
	return messages
}

// find returns the message of a kind; nil where there is none.
func find(messages []message, kind uint64) *cursor {
	for _, m := range messages {
		if m.kind == kind {
			if m.shared {
				unsupported("a message shared between objects (a named type)")
			}
			return &cursor{m.data}
		}
	}
	return nil
}
