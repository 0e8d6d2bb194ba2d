package format

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// plyHeader is what a PLY header declares.
type plyHeader struct {
	order    binary.ByteOrder // nil: text
	elements []plyElement
}

type plyElement struct {
	name       string
	count      int
	properties []plyProperty
}

type plyProperty struct {
	name   string
	kind   plyKind
	list   bool
	length plyKind // type of a list's length
}

// plyKind is a scalar type: size in bytes and class 'i', 'u' or 'f'.
type plyKind struct {
	class byte
	size  int
}

var plyKinds = map[string]plyKind{
	"char": {'i', 1}, "int8": {'i', 1}, "uchar": {'u', 1}, "uint8": {'u', 1},
	"short": {'i', 2}, "int16": {'i', 2}, "ushort": {'u', 2}, "uint16": {'u', 2},
	"int": {'i', 4}, "int32": {'i', 4}, "uint": {'u', 4}, "uint32": {'u', 4},
	"float": {'f', 4}, "float32": {'f', 4}, "double": {'f', 8}, "float64": {'f', 8},
}

// parsePLYHeader reads up to and including the line end_header, in upper or lower case.
func parsePLYHeader(text *lines) (*plyHeader, error) {
	if !text.next() || !is(text.fields[0], "ply") {
		return nil, text.errorf("expected the keyword ply")
	}
	head := &plyHeader{}
	formatSeen := false
	for text.next() {
		f := text.words()
		switch f[0] {
		case "comment", "obj_info":
		case "format":
			if len(f) != 3 || f[2] != "1.0" {
				return nil, text.errorf("expected format NAME 1.0, found %q", shorten(strings.Join(f, " "), 60))
			}
			switch f[1] {
			case "ascii":
			case "binary_little_endian":
				head.order = binary.LittleEndian
			case "binary_big_endian":
				head.order = binary.BigEndian
			default:
				return nil, text.errorf("format %q: expected ascii, binary_little_endian or binary_big_endian", shorten(f[1], 40))
			}
			formatSeen = true
		case "element":
			if len(f) != 3 {
				return nil, text.errorf("expected element NAME COUNT, found %q", shorten(strings.Join(f, " "), 60))
			}
			n, err := text.integer(text.fields[2], "number of "+shorten(f[1], 40))
			if err != nil {
				return nil, err
			}
			if n < 0 {
				return nil, text.errorf("number of %s: expected at least 0, found %d", shorten(f[1], 40), n)
			}
			head.elements = append(head.elements, plyElement{name: f[1], count: n})
		case "property":
			if len(head.elements) == 0 {
				return nil, text.errorf("a property before the first element")
			}
			property, err := parsePLYProperty(f)
			if err != nil {
				return nil, text.errorf("%w", err)
			}
			last := &head.elements[len(head.elements)-1]
			last.properties = append(last.properties, property)
		case "end_header":
			if !formatSeen {
				return nil, text.errorf("the header has no format line")
			}
			return head, nil
		default:
			return nil, text.errorf("expected a header line, found %q", shorten(f[0], 40))
		}
	}
	return nil, text.errorf("the file ends inside the header")
}

func parsePLYProperty(f []string) (plyProperty, error) {
	var p plyProperty
	var ok bool
	switch {
	case len(f) == 3:
		p.name = f[2]
		if p.kind, ok = plyKinds[f[1]]; !ok {
			return p, fmt.Errorf("property type %q is unknown", shorten(f[1], 40))
		}
	case len(f) == 5 && f[1] == "list":
		p.name, p.list = f[4], true
		if p.length, ok = plyKinds[f[2]]; !ok || p.length.class == 'f' {
			return p, fmt.Errorf("list length type %q: expected a whole-number type", shorten(f[2], 40))
		}
		if p.kind, ok = plyKinds[f[3]]; !ok {
			return p, fmt.Errorf("list type %q is unknown", shorten(f[3], 40))
		}
	default:
		return p, fmt.Errorf("expected property TYPE NAME or property list LENGTH TYPE NAME, found %q",
			shorten(strings.Join(f, " "), 60))
	}
	return p, nil
}
