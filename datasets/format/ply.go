package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// parsePLY reads a Stanford PLY file, text or binary of either byte order: the coordinates x, y, z
// of its vertices, its polygons (element face, list vertex_indices or vertex_index) and triangle
// strips (element tristrips, -1 ends a strip). Other elements and properties are skipped. A file
// without faces is a cloud of its vertices.
func parsePLY(name string, data []byte) (*Mesh, error) {
	text, err := newLines(name, data, 0)
	if err != nil {
		return nil, err
	}
	head, err := parsePLYHeader(text)
	if err != nil {
		return nil, err
	}
	p := &plyBody{mesh: &Mesh{}}
	if !head.binary {
		p.values = &plyText{lines: text}
		text.used = len(text.fields)
	} else {
		p.values = &plyBinary{name: name, data: data, at: text.body(), big: head.big}
	}
	for _, e := range head.elements {
		if err := p.element(e); err != nil {
			return nil, p.values.errorAt(p.values.place(), fmt.Errorf("element %s: %w", e.name, err))
		}
	}
	if err := p.values.end("the last row that the header promises"); err != nil {
		return nil, err
	}
	return p.mesh, p.faces.addTo(p.mesh, p.values.errorAt)
}

// plyValues returns the numbers of the body one by one.
type plyValues interface {
	value(k numbers.Type) (float64, error)
	place() int // of the last number
	errorAt(place int, err error) error
	rowEnd(row, rows int) error // an error unless the last number can end that row of an element
	end(after string) error
}

// plyText reads numbers separated by blanks and line ends. If the first row is a line, so must be all
// rows: else a row too many or too few could be made up for by the next element's numbers. An element
// of one row may always go on in the next line. If the first row is no line, elements are lines.
type plyText struct {
	*lines
	begin          int // line of the row's first number; 0: before it
	started, byRow bool
}

func (t *plyText) value(numbers.Type) (float64, error) {
	word := t.word()
	if word == nil {
		return 0, fmt.Errorf("the file ends")
	}
	if t.begin == 0 {
		t.begin = t.number
	}
	return parseNumber(word)
}

func (t *plyText) place() int { return t.number }

func (t *plyText) rowEnd(row, rows int) error {
	ends := t.used == len(t.fields)
	whole := ends && t.begin == t.number
	if !t.started {
		t.started, t.byRow = true, whole
	}
	t.begin = 0
	if t.byRow && !whole && rows > 1 || row == rows-1 && !ends && t.left() > 0 {
		return fmt.Errorf("row %d of %d: expected a line of its own, found %q", row, rows, shorten(string(t.line), 60))
	}
	return nil
}

// plyBinary reads packed numbers.
type plyBinary struct {
	name string
	data []byte
	at   int
	big  bool
}

func (b *plyBinary) value(k numbers.Type) (float64, error) {
	if len(b.data)-b.at < k.Size {
		return 0, fmt.Errorf("the file ends")
	}
	b.at += k.Size
	k.Big = b.big
	return k.Float(b.data[b.at-k.Size:]), nil
}

func (b *plyBinary) place() int { return b.at }

func (b *plyBinary) errorAt(place int, err error) error {
	return fmt.Errorf("%s: byte %d: %w", b.name, place, err)
}

func (b *plyBinary) rowEnd(int, int) error { return nil }

func (b *plyBinary) end(after string) error {
	if err := checkEnd(b.data[b.at:], after); err != nil {
		return b.errorAt(b.at, err)
	}
	return nil
}

// plyBody collects vertices and faces while the elements are read.
type plyBody struct {
	values plyValues
	mesh   *Mesh
	faces  polygons
}

// element reads all rows of an element. Every row takes at least one byte of the file, so an
// impossible count ends in an error without allocating memory.
func (p *plyBody) element(e plyElement) error {
	if len(e.properties) == 0 {
		return nil
	}
	axes, indices := make([]int, len(e.properties)), -1 // the axis of each property, or -1; the corners
	for i, property := range e.properties {
		axes[i] = -1
		switch {
		case e.name == "vertex" && !property.list && len(property.name) == 1:
			axes[i] = strings.Index("xyz", property.name)
		case (e.name == "face" || e.name == "tristrips") && property.list &&
			(property.name == "vertex_indices" || property.name == "vertex_index"):
			indices = i
		}
	}
	for axis := range 3 {
		if e.name == "vertex" && !slices.Contains(axes, axis) {
			return fmt.Errorf("property %q is missing", "xyz"[axis:axis+1])
		}
	}
	if (e.name == "face" || e.name == "tristrips") && indices < 0 && e.count > 0 {
		return fmt.Errorf("list property vertex_indices is missing")
	}
	var list []int
	for row := range e.count {
		var v [3]float64
		for i, property := range e.properties {
			if !property.list {
				x, err := p.values.value(property.kind)
				if err != nil {
					return fmt.Errorf("row %d of %d: %w", row, e.count, err)
				}
				if axes[i] >= 0 {
					v[axes[i]] = x
				}
				continue
			}
			var err error
			if list, err = p.list(list[:0], property, i == indices); err != nil {
				return fmt.Errorf("row %d of %d: %w", row, e.count, err)
			}
			if i == indices {
				p.addFaces(e.name, list)
			}
		}
		if e.name == "vertex" {
			if err := p.mesh.addVertex(vec{X: v[0], Y: v[1], Z: v[2]}); err != nil {
				return err
			}
		}
		if err := p.values.rowEnd(row, e.count); err != nil {
			return err
		}
	}
	return nil
}

// list reads one list. Its numbers are kept, and must be whole, only if keep is set.
func (p *plyBody) list(dst []int, property plyProperty, keep bool) ([]int, error) {
	length, err := p.values.value(property.length)
	if err != nil {
		return dst, err
	}
	if length < 0 || length != math.Trunc(length) || length > math.MaxInt32 {
		return dst, fmt.Errorf("list %s: length %v", shorten(property.name, 40), length)
	}
	for range int(length) {
		x, err := p.values.value(property.kind)
		if err != nil {
			return dst, fmt.Errorf("list %s of %v: %w", shorten(property.name, 40), length, err)
		}
		if keep {
			if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
				return dst, fmt.Errorf("list %s: expected a vertex number, found %v", shorten(property.name, 40), x)
			}
			dst = append(dst, int(x))
		}
	}
	return dst, nil
}

// addFaces keeps the corners of a polygon, or of every triangle of a list of strips.
func (p *plyBody) addFaces(element string, list []int) {
	if element == "face" {
		p.faces.add(p.values.place(), list...)
		return
	}
	start := 0
	for i, c := range list {
		if c == -1 {
			start = i + 1
			continue
		}
		if i-start < 2 {
			continue
		}
		a, b := list[i-2], list[i-1]
		if (i-start)%2 == 1 { // every second triangle of a strip is flipped
			a, b = b, a
		}
		p.faces.add(p.values.place(), a, b, c)
	}
}
