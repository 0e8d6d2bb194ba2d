package datasets

import "bytes"

// parseOBJ reads the vertices (v) and polygons (f) of a Wavefront OBJ file. Corners may be v, v/vt,
// v//vn or v/vt/vn; negative numbers count back from the latest vertex. Lines may be continued with
// a backslash. Other statements (normals, materials, groups, curves, ...) are ignored.
func parseOBJ(name string, data []byte) (*mesh, error) {
	text := &lines{name: name, rest: data, comment: '#'}
	m := &mesh{}
	var corners []int
	var ends []int // corners of all faces: face i ends at ends[i]
	var at []int   // line of each face
	for text.next() {
		fields, err := text.continued()
		if err != nil {
			return nil, err
		}
		switch string(fields[0]) {
		case "v":
			v, err := text.vertex(1)
			if err != nil {
				return nil, err
			}
			if err := m.addVertex(v); err != nil {
				return nil, text.errorf("%w", err)
			}
		case "f":
			if len(fields) < 4 {
				return nil, text.errorf("a face has %d corners: expected at least 3", len(fields)-1)
			}
			for _, field := range fields[1:] {
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
					return nil, text.errorf("a face refers to vertex %d: expected 1 to %d, or -1 to -%d", c, len(m.vertices), len(m.vertices))
				}
				corners = append(corners, c)
			}
			ends, at = append(ends, len(corners)), append(at, text.number)
		}
	}
	// A face may come before its vertices, so faces are resolved at the end.
	start := 0
	for i, end := range ends {
		if err := m.addFace(corners[start:end]); err != nil {
			text.number = at[i]
			return nil, text.errorf("%w", err)
		}
		start = end
	}
	return m, nil
}

// continued joins the current line with the ones after it while it ends in a backslash, and returns
// its fields.
func (l *lines) continued() ([][]byte, error) {
	last := l.fields[len(l.fields)-1]
	if last[len(last)-1] != '\\' {
		return l.fields, nil
	}
	var joined [][]byte
	for {
		last := l.fields[len(l.fields)-1]
		more := last[len(last)-1] == '\\'
		if more {
			if last = last[:len(last)-1]; len(last) == 0 {
				l.fields = l.fields[:len(l.fields)-1]
			} else {
				l.fields[len(l.fields)-1] = last
			}
		}
		joined = append(joined, l.fields...)
		if !more {
			break
		}
		if !l.next() {
			return nil, l.errorf("a line ends in a backslash and the file ends")
		}
	}
	if len(joined) == 0 {
		return nil, l.errorf("expected a statement, found a lone backslash")
	}
	l.fields = joined
	return joined, nil
}
