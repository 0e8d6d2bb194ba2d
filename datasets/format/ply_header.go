package format

import (
	"fmt"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// plyHeader is what a PLY header declares.
type plyHeader struct {
	binary   bool
	big      bool // big-endian
	elements []plyElement
}

type plyElement struct {
	name       string
	count      int
	properties []plyProperty
}

type plyProperty struct {
	name   string
	kind   numbers.Type
	list   bool
	length numbers.Type // type of a list's length
}

var plyKinds = map[string]numbers.Type{
	"char": numbers.Of("i1"), "int8": numbers.Of("i1"), "uchar": numbers.Of("u1"), "uint8": numbers.Of("u1"),
	"short": numbers.Of("i2"), "int16": numbers.Of("i2"), "ushort": numbers.Of("u2"), "uint16": numbers.Of("u2"),
	"int": numbers.Of("i4"), "int32": numbers.Of("i4"), "uint": numbers.Of("u4"), "uint32": numbers.Of("u4"),
	"float": numbers.Of("f4"), "float32": numbers.Of("f4"), "double": numbers.Of("f8"), "float64": numbers.Of("f8"),
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
			case "binary_little_endian", "binary_big_endian":
				head.binary, head.big = true, f[1] == "binary_big_endian"
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
		if p.length, ok = plyKinds[f[2]]; !ok || p.length.Class == 'f' {
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
