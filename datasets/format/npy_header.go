package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/numbers"
)

const (
	npyMagic = "\x93NUMPY"
	// npyHeaderLimit is in bytes; NumPy writes 118 and refuses more than 10000.
	npyHeaderLimit = 1 << 20
)

// npyHeader is the header of a .npy array.
type npyHeader struct {
	kind    numbers.Type
	fortran bool
	shape   []int
}

// readNPYHeader reads magic, version and header, and returns the number of bytes read.
func readNPYHeader(r io.Reader) (npyHeader, int64, error) {
	var fixed [12]byte
	if _, err := io.ReadFull(r, fixed[:8]); err != nil {
		return npyHeader{}, 0, fmt.Errorf("npy: expected a header, the data ends: %w", err)
	}
	if string(fixed[:6]) != npyMagic {
		return npyHeader{}, 0, fmt.Errorf("npy: expected to start with %q, found %q", npyMagic, fixed[:6])
	}
	major, width := fixed[6], 2
	switch major {
	case 1:
	case 2, 3:
		width = 4
	default:
		return npyHeader{}, 0, fmt.Errorf("npy: format version %d.%d: expected 1, 2 or 3", major, fixed[7])
	}
	if _, err := io.ReadFull(r, fixed[8:8+width]); err != nil {
		return npyHeader{}, 0, fmt.Errorf("npy: the data ends inside the header: %w", err)
	}
	length := int(binary.LittleEndian.Uint16(fixed[8:10]))
	if width == 4 {
		long := binary.LittleEndian.Uint32(fixed[8:12])
		if long > npyHeaderLimit {
			return npyHeader{}, 0, fmt.Errorf("npy: header of %d bytes: expected at most %d", long, npyHeaderLimit)
		}
		length = int(long)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return npyHeader{}, 0, fmt.Errorf("npy: the data ends inside the header of %d bytes: %w", length, err)
	}
	head, err := parseNPYHeader(string(text))
	if err != nil {
		return npyHeader{}, 0, fmt.Errorf("npy: header %q: %w", shorten(string(text), 120), err)
	}
	return head, int64(8 + width + length), nil
}

// npyItem is an entry of a header: its key, and a text, a truth value or a tuple (with the L of Python 2).
var npyItem = regexp.MustCompile(`^\s*['"](descr|fortran_order|shape)['"]\s*:\s*` +
	`(?:['"]([^'"]*)['"]|(True|False)|\(((?:\d+L?,\s*)*(?:\d+L?)?)\))\s*(?:,\s*|$)`)

// parseNPYHeader parses the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (2,
// 3), }; keys in any order, each once.
func parseNPYHeader(text string) (head npyHeader, err error) {
	const form = "expected {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	rest, open := strings.CutPrefix(strings.Trim(text, " \n\t\x00"), "{")
	rest, closed := strings.CutSuffix(rest, "}")
	if !open || !closed {
		return head, errors.New(form)
	}
	seen := map[string]string{}
	for rest != "" {
		item := npyItem.FindStringSubmatch(rest)
		switch {
		case strings.Contains(rest, "[("):
			return head, errors.New("descr: structured arrays cannot be read: save a plain float32 array")
		case item == nil:
			return head, fmt.Errorf("%s, found %q", form, shorten(rest, 40))
		case seen[item[1]] != "":
			return head, fmt.Errorf("key %q occurs twice", item[1])
		}
		seen[item[1]] = item[0]
		rest = rest[len(item[0]):]
		switch item[1] {
		case "descr":
			head.kind, err = npyDtype(item[2])
		case "fortran_order":
			head.fortran = item[3] == "True"
		case "shape":
			head.shape, err = npyShape(item[4])
		}
		if err != nil {
			return head, fmt.Errorf("%s: %w", item[1], err)
		}
	}
	if len(seen) != 3 {
		return head, errors.New(form)
	}
	return head, nil
}

func npyShape(text string) ([]int, error) {
	shape := []int{}
	for _, size := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(size)
		if err != nil || len(shape) == 32 {
			return nil, fmt.Errorf("expected at most 32 sizes that fit this machine, found %q", shorten(text, 24))
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// dtype is the byte order, and the class with the size of a number or text, which is not 0.
var dtype = regexp.MustCompile(`^([<>|=]?)(f[248]|[iu][1248]|b1|\?|[SU][1-9][0-9]{0,4})$`)

func npyDtype(descr string) (t numbers.Type, err error) {
	part := dtype.FindStringSubmatch(descr)
	switch {
	case strings.HasSuffix(descr, "O"):
		return t, fmt.Errorf("type %q: Python objects are not read: save numbers as float32, and names with dtype=str", descr)
	case part == nil:
		return t, fmt.Errorf("type %q: expected f2, f4, f8, i1 to i8, u1 to u8 or bool", shorten(descr, 20))
	}
	t = numbers.Type{Big: part[1] == ">", Class: part[2][0], Size: 1}
	if t.Class == '?' {
		t.Class = 'b'
	} else if t.Size, err = strconv.Atoi(part[2][1:]); t.Class == 'U' {
		t.Size *= 4
	}
	return t, err
}

// shorten cuts a text for an error message.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:limit] + "..."
}
