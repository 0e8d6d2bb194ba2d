package format

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// parseOFF reads the Object File Format: the keyword OFF (also with the prefixes ST, C, N, for
// vertices with texture coordinates, colours, normals), the counts, the vertices, the polygons with
// optional colours. The counts may follow the keyword on its line, even without a blank between
// ("OFF490 518 0", as in parts of ModelNet). Comments start with #.
//
// If the vertices and polygons have a line each, what comes after a vertex or polygon on its line is
// ignored; a polygon may go on in the next line. Otherwise line ends do not matter, except after the
// last vertex, and a vertex has as many numbers as the keyword says.
func parseOFF(name string, data []byte) (*Mesh, error) {
	text, err := newLines(name, data, '#')
	if err != nil {
		return nil, err
	}
	perVertex, err := parseOFFKeyword(text)
	if err != nil {
		return nil, err
	}
	vertices, faces, err := parseOFFCounts(text)
	if err != nil {
		return nil, err
	}
	m, rows, first := &Mesh{}, text.left(), *text
	first.fields = nil
	first.next()
	text.bounded = rows >= vertices+faces && text.used == len(text.fields) && len(first.fields) >= 3 &&
		(rows == vertices+faces || len(first.fields) >= perVertex || perVertex == 3)
	err = m.addOFF(text, vertices, faces, perVertex)
	if err != nil && rows != vertices+faces {
		err = fmt.Errorf("%w (%d lines for %d vertices and %d faces)", err, rows, vertices, faces)
	}
	return m, err
}

// offKeyword are the prefixes, the keyword and what is glued to it.
var offKeyword = regexp.MustCompile(`^(?i)([STCN]*)(OFF)(.*)$`)

// parseOFFKeyword returns the numbers of a vertex that the keyword announces.
func parseOFFKeyword(text *lines) (perVertex int, err error) {
	keyword := string(text.word())
	if keyword == "" {
		return 0, text.errorf("expected the keyword OFF, the file is empty")
	}
	parts := offKeyword.FindStringSubmatch(keyword)
	if parts == nil || strings.HasSuffix(parts[1], "n") && parts[2] == "OFF" { // nOFF has n dimensions
		return 0, text.errorf("expected the keyword OFF, found %q", shorten(keyword, 20))
	}
	if parts[3] != "" {
		text.fields[0], text.used = []byte(parts[3]), 0
	}
	perVertex = 3
	for prefix, numbers := range map[string]int{"ST": 2, "C": 4, "N": 3} {
		if strings.Contains(strings.ToUpper(parts[1]), prefix) {
			perVertex += numbers
		}
	}
	return perVertex, nil
}

// parseOFFCounts reads the numbers of vertices, faces and edges. The last may be missing.
func parseOFFCounts(text *lines) (vertices, faces int, err error) {
	for _, n := range []*int{&vertices, &faces} {
		word := text.word()
		switch {
		case word == nil:
			return 0, 0, text.errorf("expected the numbers of vertices and faces, the file ends")
		case is(word, "BINARY"):
			return 0, 0, text.errorf("binary OFF files are not read: save it as text")
		}
		if *n, err = text.integer(word, "number of vertices and of faces"); err != nil {
			return 0, 0, err
		}
	}
	if vertices < 0 || faces < 0 {
		return 0, 0, text.errorf("expected numbers of vertices and faces, found %d and %d", vertices, faces)
	}
	after := *text
	after.fields = nil
	if text.used < len(text.fields) || after.next() && len(after.fields) == 1 {
		text.word()
	}
	return vertices, faces, nil
}

// addOFF reads the vertices and faces up to the end of the file.
func (m *Mesh) addOFF(text *lines, vertices, faces, perVertex int) error {
	for i := range vertices {
		if text.bounded {
			text.next()
		} else if text.word() == nil {
			return text.errorf("expected %d vertices, the file ends after %d", vertices, i)
		} else {
			text.used--
		}
		if err := m.addPoint(text); err != nil {
			return err
		}
		for range perVertex - 3 {
			if text.word() == nil && !text.bounded {
				return text.errorf("expected %d numbers per vertex, the file ends", perVertex)
			}
		}
	}
	switch {
	case text.bounded:
	case text.used == len(text.fields):
		text.bounded = text.left() == faces
	case text.left() > 0:
		return text.errorf("expected the end of the line after %d vertices, found %q", vertices,
			shorten(string(text.fields[text.used]), 40))
	}
	var corners []int
	for i := range faces {
		if text.bounded {
			text.next()
		}
		word := text.word()
		if word == nil {
			return text.errorf("expected %d faces, the file ends after %d", faces, i)
		}
		line := text.number
		n, err := text.integer(word, "number of corners")
		if err != nil {
			return err
		}
		corners = corners[:0]
		for len(corners) < n && err == nil {
			c := 0
			if word = text.word(); word == nil && text.bounded && text.next() {
				// Not if this line may be a face of its own.
				if n, err := strconv.Atoi(string(text.fields[0])); err != nil || n < 0 || n >= len(text.fields) {
					word = text.word()
				}
			}
			if word == nil {
				break
			}
			c, err = text.integer(word, "corner")
			corners = append(corners, c)
		}
		if err != nil {
			return err
		}
		if len(corners) != n {
			return text.errorAt(line, fmt.Errorf("a face claims %d corners: found %d", n, len(corners)))
		}
		if err := m.addFace(corners); err != nil {
			return text.errorf("%w", err)
		}
	}
	if text.bounded {
		text.used = len(text.fields)
	}
	return text.end(fmt.Sprintf("%d vertices and %d faces", vertices, faces))
}
