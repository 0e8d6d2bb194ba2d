package format

import (
	"bytes"
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
func (h *pcdHeader) set(entries map[string][]string) error {
	names := entries["FIELDS"]
	for key, standard := range map[string]string{"SIZE": "4", "TYPE": "f", "COUNT": "1"} {
		if entries[key] == nil {
			entries[key] = slices.Repeat([]string{standard}, len(names))
		}
		if len(entries[key]) != len(names) {
			return fmt.Errorf("FIELDS names %d fields, %s has %d entries", len(names), key, len(entries[key]))
		}
	}
	found := 0
	for i, name := range names {
		f := pcdField{start: h.record, first: h.columns}
		var err error
		if f.count, err = pcdNumber("COUNT", entries["COUNT"][i], 1<<16); err != nil {
			return err
		}
		if f.kind.Size, err = pcdNumber("SIZE", entries["SIZE"][i], 8); err != nil {
			return err
		}
		f.kind.Class = entries["TYPE"][i][0]
		switch kind := strings.ToUpper(entries["TYPE"][i]) + entries["SIZE"][i]; kind {
		case "F4", "F8", "I1", "I2", "I4", "I8", "U1", "U2", "U4", "U8":
		default:
			return fmt.Errorf("field %s: type and size %q: expected F4, F8, I1 to I8 or U1 to U8", shorten(name, 40),
				shorten(kind, 20))
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
	return h.setSize(entries)
}

// setSize reads the number of points and how they are stored.
func (h *pcdHeader) setSize(entries map[string][]string) (err error) {
	extent := 1 // WIDTH times HEIGHT
	sized := entries["WIDTH"] != nil || entries["HEIGHT"] != nil
	for _, key := range []string{"WIDTH", "HEIGHT"} {
		if sized {
			n, err := pcdEntry(entries, key)
			if err != nil {
				return err
			}
			extent *= n // of 32-bit numbers
		}
	}
	if sized && entries["POINTS"] == nil {
		entries["POINTS"] = []string{strconv.Itoa(extent)}
	}
	if h.points, err = pcdEntry(entries, "POINTS"); err != nil {
		return err
	}
	if sized && extent != h.points {
		return fmt.Errorf("WIDTH times HEIGHT is %d: expected POINTS, %d", extent, h.points)
	}
	h.storage = strings.Join(entries["DATA"], " ")
	if !slices.Contains([]string{"ascii", "binary", "binary_compressed"}, h.storage) {
		return fmt.Errorf("DATA %q: expected ascii, binary or binary_compressed", shorten(h.storage, 40))
	}
	return nil
}

// pcdEntry reads a line that holds one number of points.
func pcdEntry(entries map[string][]string, key string) (int, error) {
	if len(entries[key]) != 1 {
		return 0, fmt.Errorf("%s: expected one number, found %q", key, shorten(strings.Join(entries[key], " "), 40))
	}
	return pcdNumber(key, entries[key][0], math.MaxInt32)
}

func pcdNumber(key, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s: expected a whole number from 0 to %d, found %q", key, most, shorten(text, 40))
	}
	return n, nil
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
