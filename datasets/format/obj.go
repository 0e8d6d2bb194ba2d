package format

import "bytes"

// parseOBJ reads the vertices (v) and polygons (f) of a Wavefront OBJ file. Corners may be v, v/vt,
// v//vn or v/vt/vn; negative numbers count back from the latest vertex. Lines may be continued with
// a backslash. Other statements (normals, materials, groups, curves, ...) are ignored.
func parseOBJ(name string, data []byte) (*Mesh, error) {
	text, err := newLines(name, data, '#')
	if err != nil {
		return nil, err
	}
	m, faces := &Mesh{}, &polygons{}
	var corners []int
	for text.next() {
		if err := text.join(); err != nil {
			return nil, err
		}
		switch keyword := text.word(); {
		case is(keyword, "v"):
			text.bounded = true
			if err := m.addPoint(text); err != nil {
				return nil, err
			}
		case is(keyword, "f"):
			corners = corners[:0]
			for _, field := range text.fields[1:] {
				if slash := bytes.IndexByte(field, '/'); slash >= 0 {
					field = field[:slash]
				}
				c, err := text.integer(field, "corner")
				if err != nil {
					return nil, err
				}
				switch {
				case c > 0:
					c--
				case c < 0 && c+len(m.vertices) >= 0:
					c += len(m.vertices)
				default:
					return nil, text.errorf("a face refers to vertex %d: expected 1 to %d, or -1 to -%d", c, len(m.vertices),
						len(m.vertices))
				}
				corners = append(corners, c)
			}
			faces.add(text.number, corners...)
		}
	}
	return m, faces.addTo(m, text.errorAt)
}

// join appends the lines that follow to the current one while it ends in a backslash.
func (l *lines) join() error {
	var joined [][]byte
	for {
		last := len(l.fields) - 1
		part, more := bytes.CutSuffix(l.fields[last], []byte{'\\'})
		if !more {
			if joined != nil {
				l.fields = append(joined, l.fields...)
			}
			return nil
		}
		joined = append(joined, l.fields[:last]...)
		if len(part) > 0 {
			joined = append(joined, part)
		}
		if !l.next() {
			return l.errorf("a line ends in a backslash and the file ends")
		}
	}
}
