package datasets

import (
	"bytes"
	"strings"
)

// parseOFF reads the Object File Format: the keyword OFF (also with the prefixes ST, C, N whose
// extra numbers are ignored), the counts, one vertex per line, one polygon per line with optional
// colours. The counts may follow the keyword on its line, even without a blank between ("OFF490 518
// 0", as in parts of ModelNet). Comments start with #.
func parseOFF(name string, data []byte) (*mesh, error) {
	text := &lines{name: name, rest: data, comment: '#'}
	if !text.next() {
		return nil, text.errorf("expected the keyword OFF, the file is empty")
	}
	keyword := text.fields[0]
	at := bytes.Index(keyword, []byte("OFF"))
	if at < 0 || strings.Trim(string(keyword[:at]), "STCN") != "" {
		return nil, text.errorf("expected the keyword OFF, found %q", shorten(string(keyword), 20))
	}
	counts := text.fields[1:]
	if glued := keyword[at+len("OFF"):]; len(glued) > 0 {
		counts = append([][]byte{glued}, counts...)
	}
	if len(counts) > 0 && bytes.Equal(counts[0], []byte("BINARY")) {
		return nil, text.errorf("binary OFF files are not read: save it as text")
	}
	if len(counts) == 0 {
		if !text.next() {
			return nil, text.errorf("expected the numbers of vertices and faces, the file ends")
		}
		counts = text.fields
	}
	if len(counts) < 2 {
		return nil, text.errorf("expected the numbers of vertices and faces, found %q", shorten(string(counts[0]), 40))
	}
	vertices, err := text.integer(counts[0], "number of vertices")
	if err != nil {
		return nil, err
	}
	faces, err := text.integer(counts[1], "number of faces")
	if err != nil {
		return nil, err
	}
	if vertices < 0 || faces < 0 {
		return nil, text.errorf("expected numbers of vertices and faces, found %d and %d", vertices, faces)
	}
	m := &mesh{}
	for i := range vertices {
		if !text.next() {
			return nil, text.errorf("expected %d vertices, the file ends after %d", vertices, i)
		}
		v, err := text.vertex(0)
		if err != nil {
			return nil, err
		}
		if err := m.addVertex(v); err != nil {
			return nil, text.errorf("%w", err)
		}
	}
	var corners []int
	for i := range faces {
		if !text.next() {
			return nil, text.errorf("expected %d faces, the file ends after %d", faces, i)
		}
		n, err := text.integer(text.fields[0], "number of corners")
		if err != nil {
			return nil, err
		}
		if n < 0 || n > len(text.fields)-1 {
			return nil, text.errorf("a face claims %d corners: the line has %d more fields", n, len(text.fields)-1)
		}
		if n < 3 { // points and edges have no area
			m.faces++
			m.flat++
			continue
		}
		corners = corners[:0]
		for _, field := range text.fields[1 : n+1] {
			c, err := text.integer(field, "corner")
			if err != nil {
				return nil, err
			}
			corners = append(corners, c)
		}
		if err := m.addFace(corners); err != nil {
			return nil, text.errorf("%w", err)
		}
	}
	if text.next() {
		return nil, text.errorf("expected the end of the file after %d vertices and %d faces, found %q", vertices, faces, shorten(string(text.fields[0]), 40))
	}
	return m, nil
}
