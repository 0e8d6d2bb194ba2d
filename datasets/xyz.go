package datasets

import "fmt"

// parseXYZ reads a point per line: three coordinates separated by blanks, commas or semicolons.
// Further columns (normals, colours) are ignored, and comments start with #.
func parseXYZ(name string, data []byte) (*mesh, error) {
	m := &mesh{}
	return m, m.addLines(&lines{name: name, rest: data, comment: '#', delimited: true})
}

// parsePTS reads a .pts file: like .xyz, and the number of points may be alone on the first line.
func parsePTS(name string, data []byte) (*mesh, error) {
	text, m := &lines{name: name, rest: data, comment: '#', delimited: true}, &mesh{}
	if !text.next() {
		return m, nil
	}
	if len(text.fields) > 1 {
		text = &lines{name: name, rest: data, comment: '#', delimited: true}
		return m, m.addLines(text)
	}
	want, err := text.integer(text.fields[0], "number of points")
	if err != nil {
		return nil, err
	}
	if err := m.addLines(text); err != nil {
		return nil, err
	}
	if len(m.vertices) != want {
		return nil, fmt.Errorf("%s: expected %d points as the first line says, found %d", name, want, len(m.vertices))
	}
	return m, nil
}

// addLines reads a vertex from each of the remaining lines.
func (m *mesh) addLines(text *lines) error {
	for text.next() {
		v, err := text.vertex(0)
		if err != nil {
			return err
		}
		if err := m.addVertex(v); err != nil {
			return text.errorf("%w", err)
		}
	}
	return nil
}
