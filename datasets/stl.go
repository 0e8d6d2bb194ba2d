package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// parseSTL reads a stereolithography file, binary or text. A file of exactly the length of a binary
// file with the stated number of triangles is binary, even if its header starts with "solid", as
// some programs write it.
func parseSTL(name string, data []byte) (*mesh, error) {
	const header, record = 84, 50
	count := uint64(0)
	if len(data) >= header {
		count = uint64(binary.LittleEndian.Uint32(data[80:]))
		if uint64(len(data)) == header+record*count {
			return parseBinarySTL(name, data[header:])
		}
	}
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("solid")) {
		return parseTextSTL(name, data)
	}
	if len(data) < header {
		return nil, fmt.Errorf("%s: expected an STL file: %d bytes are too few for a binary one, and it does not start with \"solid\"", name, len(data))
	}
	return nil, fmt.Errorf("%s: byte 80: a binary STL file with %d triangles has %d bytes, found %d", name, count, header+record*count, len(data))
}

// parseBinarySTL reads records of 50 bytes: normal, three corners, two bytes of attributes.
func parseBinarySTL(name string, records []byte) (*mesh, error) {
	m := &mesh{}
	for i := 0; i < len(records); i += 50 {
		for corner := 12; corner < 48; corner += 12 {
			if err := m.addVertex(vec{
				float64(math.Float32frombits(binary.LittleEndian.Uint32(records[i+corner:]))),
				float64(math.Float32frombits(binary.LittleEndian.Uint32(records[i+corner+4:]))),
				float64(math.Float32frombits(binary.LittleEndian.Uint32(records[i+corner+8:]))),
			}); err != nil {
				return nil, fmt.Errorf("%s: byte %d: %w", name, 84+i+corner, err)
			}
		}
		k := len(m.vertices)
		m.addTriangle(k-3, k-2, k-1)
	}
	return m, nil
}

// parseTextSTL reads facets: "outer loop", three lines "vertex x y z", "endloop".
func parseTextSTL(name string, data []byte) (*mesh, error) {
	text := &lines{name: name, rest: data}
	m := &mesh{}
	inLoop, corners, open := false, 0, false
	for text.next() {
		switch word := strings.ToLower(string(text.fields[0])); word {
		case "solid":
			open = true
		case "endsolid":
			open = false
		case "facet", "endfacet":
		case "outer":
			inLoop, corners = true, 0
		case "vertex":
			v, err := text.vertex(1)
			if err != nil {
				return nil, err
			}
			if !inLoop {
				return nil, text.errorf("a vertex outside a loop")
			}
			if err := m.addVertex(v); err != nil {
				return nil, text.errorf("%w", err)
			}
			corners++
		case "endloop":
			if !inLoop || corners != 3 {
				return nil, text.errorf("a loop has %d vertices: expected 3", corners)
			}
			k := len(m.vertices)
			m.addTriangle(k-3, k-2, k-1)
			inLoop = false
		default:
			return nil, text.errorf("expected facet, outer loop, vertex, endloop, endfacet or endsolid, found %q", shorten(word, 40))
		}
	}
	if open {
		return nil, text.errorf("the file ends without endsolid: it was cut off")
	}
	return m, nil
}
