package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// parseSTL reads a stereolithography file, binary or text. A file as long as a binary file with the
// stated number of triangles is binary, even if its header starts with "solid", as some programs
// write it, and so is one with bytes that are zero.
func parseSTL(name string, data []byte) (*Mesh, error) {
	const header, record = 84, 50
	count := uint64(0)
	if len(data) >= header {
		count = uint64(binary.LittleEndian.Uint32(data[80:]))
		size := header + record*count
		if size <= uint64(len(data)) && checkEnd(data[size:], "") == nil {
			return parseBinarySTL(name, data[header:size])
		}
	}
	text, err := newLines(name, data, 0)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(data, 0) < 0 && is(text.word(), "solid") {
		text.used--
		return parseTextSTL(text)
	}
	if len(data) < header {
		return nil, fmt.Errorf("%s: expected an STL file: %d bytes are too few for a binary one, and it is no text that starts with \"solid\"", name, len(data))
	}
	return nil, fmt.Errorf("%s: byte 80: a binary STL file with %d triangles has %d bytes, found %d", name, count,
		header+record*count, len(data))
}

// parseBinarySTL reads records of 50 bytes: normal, three corners, two bytes of attributes.
func parseBinarySTL(name string, records []byte) (*Mesh, error) {
	m := &Mesh{}
	for i := 0; i < len(records); i += 50 {
		for corner := 12; corner < 48; corner += 12 {
			if err := m.addVertex(vec{
				X: float64(math.Float32frombits(binary.LittleEndian.Uint32(records[i+corner:]))),
				Y: float64(math.Float32frombits(binary.LittleEndian.Uint32(records[i+corner+4:]))),
				Z: float64(math.Float32frombits(binary.LittleEndian.Uint32(records[i+corner+8:]))),
			}); err != nil {
				return nil, fmt.Errorf("%s: byte %d: %w", name, 84+i+corner, err)
			}
		}
		k := len(m.vertices)
		m.addTriangle(k-3, k-2, k-1)
	}
	return m, nil
}

// parseTextSTL reads facets: "outer loop", three times "vertex x y z", "endloop". Only the line of
// solid, which has a name, and that of endsolid matter.
func parseTextSTL(text *lines) (*Mesh, error) {
	m := &Mesh{}
	var corners []int
	inFacet, inLoop, open := false, false, false
	for word := text.word(); word != nil; word = text.word() {
		switch {
		case is(word, "solid"), is(word, "endsolid"):
			open = is(word, "solid")
			text.used = len(text.fields)
		case is(word, "facet"), is(word, "endfacet"):
			inFacet = is(word, "facet")
		case is(word, "outer"):
			inLoop, corners = true, corners[:0]
			if word = text.word(); !is(word, "loop") {
				return nil, text.errorf("expected outer loop, found outer %q", shorten(string(word), 40))
			}
		case is(word, "vertex"):
			if !inLoop {
				return nil, text.errorf("a vertex outside a loop")
			}
			corners = append(corners, len(m.vertices))
			if err := m.addPoint(text); err != nil {
				return nil, err
			}
		case is(word, "endloop"):
			if !inLoop || len(corners) > 3 {
				return nil, text.errorf("a loop has %d vertices: expected 3", len(corners))
			}
			inLoop = false
			if err := m.addFace(corners); err != nil {
				return nil, text.errorf("%w", err)
			}
		case !inFacet || inLoop: // else the normal, which is not used
			return nil, text.errorf("expected facet, outer loop, vertex, endloop, endfacet or endsolid, found %q",
				shorten(string(word), 40))
		}
	}
	if open || inLoop {
		return nil, text.errorf("the file ends without endsolid: it was cut off")
	}
	return m, nil
}
