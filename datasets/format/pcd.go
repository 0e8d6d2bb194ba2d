package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/datasets/internal/lzf"
	"github.com/sliced-wasserstein/lab/internal/numbers"
)

// parsePCD reads the fields x, y, z of a Point Cloud Data file of version 0.5 to 0.7, stored as
// text, binary or binary_compressed (LZF, field by field). Other fields are skipped.
func parsePCD(name string, data []byte) (*Mesh, error) {
	text, err := newLines(name, data, '#')
	if err != nil {
		return nil, err
	}
	head, err := parsePCDHeader(text)
	if err != nil {
		return nil, err
	}
	m := &Mesh{}
	if head.storage == "ascii" {
		return m, head.readText(text, m)
	}
	at := text.body()
	body := data[at:]
	byField := head.storage == "binary_compressed"
	if byField {
		if body, err = head.unpack(body); err != nil {
			return nil, fmt.Errorf("%s: byte %d: %w", name, at, err)
		}
	}
	if head.points > len(body)/head.record {
		return nil, fmt.Errorf("%s: byte %d: %d points of %d bytes: the data hold %d bytes", name, at, head.points,
			head.record, len(body))
	}
	if err := checkEnd(body[head.points*head.record:], fmt.Sprintf("%d points", head.points)); err != nil {
		return nil, fmt.Errorf("%s: byte %d: %w", name, at+head.points*head.record, err)
	}
	for i := range head.points {
		var v [3]float64
		for k, f := range head.axes {
			at := i*head.record + f.start
			if byField {
				at = f.start*head.points + i*f.kind.Size*f.count
			}
			v[k] = f.kind.Float(body[at:])
		}
		if err := m.addVertex(vec{X: v[0], Y: v[1], Z: v[2]}); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return m, nil
}

// pcdField is the position of a field in the record of a point.
type pcdField struct {
	kind  numbers.Type
	count int // numbers in the field
	start int // bytes before the field
	first int // numbers before the field
}

// pcdHeader is what a PCD header declares.
type pcdHeader struct {
	axes    [3]pcdField
	record  int // bytes per point
	columns int // numbers per point
	points  int
	storage string
}

// parsePCDHeader reads up to and including the line DATA. FIELDS, DATA and POINTS, or WIDTH and
// HEIGHT, are needed. Fields are of type and size F4 unless TYPE and SIZE say otherwise, and hold one number unless COUNT does.
func parsePCDHeader(text *lines) (*pcdHeader, error) {
	entries := map[string][]string{}
	for text.next() {
		key := strings.ToUpper(string(text.fields[0]))
		switch key {
		case "VERSION", "FIELDS", "COLUMNS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS", "DATA":
		default:
			return nil, text.errorf("expected a line of a PCD header, found %q", shorten(key, 40))
		}
		if key == "COLUMNS" { // its name in version 0.5
			key = "FIELDS"
		}
		if entries[key] != nil {
			return nil, text.errorf("%s occurs twice", key)
		}
		entries[key] = text.words()[1:]
		if key != "DATA" {
			continue
		}
		head := &pcdHeader{}
		if err := head.set(entries); err != nil {
			return nil, text.errorf("header: %w", err)
		}
		return head, nil
	}
	return nil, text.errorf("the file ends inside the PCD header")
}

// set fills the header from its lines.
func (h *pcdHeader) set(entries map[string][]string) (err error) {
	// entry is the i-th word of a line of that many words, or the standard one without the line.
	entry := func(key string, i, of int, standard string) string {
		switch list := entries[key]; {
		case list == nil && standard != "":
			return standard
		case len(list) == of:
			return list[i]
		default:
			err = cmp.Or(err, fmt.Errorf("%s has %d entries: expected %d", key, len(list), of))
			return "0"
		}
	}
	number := func(key string, i, of int, standard string, most int) int {
		text := entry(key, i, of, standard)
		n, wrong := strconv.Atoi(text)
		if wrong != nil || n < 0 || n > most {
			err = cmp.Or(err, fmt.Errorf("%s: expected a whole number from 0 to %d, found %q", key, most, shorten(text, 40)))
		}
		return n
	}
	names, found := entries["FIELDS"], 0
	for i, name := range names {
		class := entry("TYPE", i, len(names), "f")
		f := pcdField{kind: numbers.Type{Class: class[0], Size: number("SIZE", i, len(names), "4", 8)},
			count: number("COUNT", i, len(names), "1", 1<<16), start: h.record, first: h.columns}
		if err != nil {
			return err
		}
		if kind := f.kind.String(); len(class) > 1 || !slices.Contains(strings.Fields("f4 f8 i1 i2 i4 i8 u1 u2 u4 u8"), kind) {
			return fmt.Errorf("field %s: type and size %q: expected F4, F8, I1 to I8 or U1 to U8", shorten(name, 40),
				strings.ToUpper(kind))
		}
		h.record += f.kind.Size * f.count
		h.columns += f.count
		if axis := strings.Index("xyz", name); axis >= 0 && len(name) == 1 && f.count == 1 {
			h.axes[axis] = f
			found |= 1 << axis
		}
	}
	if found != 7 {
		return fmt.Errorf("expected the fields x, y and z, found %s", Listed(names))
	}
	extent := ""
	if entries["WIDTH"] != nil || entries["HEIGHT"] != nil { // 32-bit numbers
		extent = strconv.Itoa(number("WIDTH", 0, 1, "", math.MaxInt32) * number("HEIGHT", 0, 1, "", math.MaxInt32))
	}
	h.points = number("POINTS", 0, 1, extent, math.MaxInt32)
	if extent != "" && extent != strconv.Itoa(h.points) {
		err = cmp.Or(err, fmt.Errorf("WIDTH times HEIGHT is %s: expected POINTS, %d", extent, h.points))
	}
	h.storage = strings.Join(entries["DATA"], " ")
	if !slices.Contains([]string{"ascii", "binary", "binary_compressed"}, h.storage) {
		err = cmp.Or(err, fmt.Errorf("DATA %q: expected ascii, binary or binary_compressed", shorten(h.storage, 40)))
	}
	return err
}

// readText reads a point per line.
func (h *pcdHeader) readText(text *lines, m *Mesh) error {
	for text.next() {
		if len(text.fields) != h.columns {
			return text.errorf("expected %d numbers, found %d", h.columns, len(text.fields))
		}
		f := text.fields
		f[0], f[1], f[2] = f[h.axes[0].first], f[h.axes[1].first], f[h.axes[2].first]
		if err := m.addPoint(text); err != nil {
			return err
		}
	}
	if len(m.vertices) != h.points {
		return text.errorf("expected %d points, found %d", h.points, len(m.vertices))
	}
	return nil
}

// unpack expands a compressed body: the sizes packed and unpacked as 32-bit words, then LZF.
func (h *pcdHeader) unpack(body []byte) ([]byte, error) {
	if len(body) < 8 {
		return nil, fmt.Errorf("expected the sizes of the compressed data, the file ends")
	}
	packed, size := int64(binary.LittleEndian.Uint32(body)), int64(binary.LittleEndian.Uint32(body[4:]))
	if packed > int64(len(body)-8) {
		return nil, fmt.Errorf("expected %d compressed bytes, the file ends after %d", packed, len(body)-8)
	}
	if size != int64(h.points)*int64(h.record) {
		return nil, fmt.Errorf("%d points of %d bytes: the compressed data claim %d bytes", h.points, h.record, size)
	}
	if err := checkEnd(bytes.Trim(body[8+packed:], "\x00"), "the compressed data"); err != nil {
		return nil, err
	}
	return lzf.Unpack(body[8:8+packed], int(size))
}
