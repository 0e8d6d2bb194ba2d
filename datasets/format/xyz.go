package format

import (
	"bytes"
	"fmt"
)

// parseXYZ reads a point per line: three coordinates separated by blanks, commas or semicolons.
// Further columns (normals, colours) are ignored, and comments start with #. A first line may start
// with //: CloudCompare names the columns there.
func parseXYZ(name string, data []byte) (*Mesh, error) { return parseLines(name, data, false) }

// parsePTS reads a .pts file: like .xyz, and the number of points may be alone on the first line.
func parsePTS(name string, data []byte) (*Mesh, error) { return parseLines(name, data, true) }

func parseLines(name string, data []byte, counted bool) (*Mesh, error) {
	text, err := newLines(name, data, '#')
	if err != nil {
		return nil, err
	}
	text.delimited, text.bounded = true, true
	m, want := &Mesh{}, -1
	for text.next() {
		if text.number == 1 && bytes.HasPrefix(text.line, []byte("//")) {
			continue
		}
		if counted && want < 0 && len(m.vertices) == 0 && len(text.fields) == 1 {
			if want, err = text.integer(text.fields[0], "number of points"); err != nil {
				return nil, err
			}
			if want < 0 {
				return nil, text.errorf("number of points: expected at least 0, found %d", want)
			}
			continue
		}
		if err := m.addPoint(text); err != nil {
			return nil, err
		}
	}
	if want >= 0 && len(m.vertices) != want {
		return nil, fmt.Errorf("%s: expected %d points as the first line says, found %d", name, want, len(m.vertices))
	}
	return m, nil
}
