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

// parseNPYHeader parses the Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (2,
// 3), }; keys in any order, each once.
func parseNPYHeader(text string) (npyHeader, error) {
	p := literal{strings.TrimRight(text, " \n\x00")}
	var head npyHeader
	seen := map[string]bool{}
	if !p.eat("{") {
		return head, errors.New("expected a dictionary")
	}
	for !p.eat("}") {
		key, err := p.quoted()
		if err != nil {
			return head, err
		}
		if seen[key] {
			return head, fmt.Errorf("key %q occurs twice", key)
		}
		seen[key] = true
		if !p.eat(":") {
			return head, fmt.Errorf("expected a colon after %q", key)
		}
		switch key {
		case "descr":
			head.kind, err = p.dtype()
		case "fortran_order":
			head.fortran, err = p.boolean()
		case "shape":
			head.shape, err = p.tuple()
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return head, err
		}
		if !p.eat(",") && !strings.HasPrefix(p.rest, "}") {
			return head, errors.New("expected a comma or the end of the dictionary")
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return head, fmt.Errorf("key %q is missing", key)
		}
	}
	if p.rest != "" {
		return head, fmt.Errorf("unexpected text %q after the dictionary", shorten(p.rest, 20))
	}
	return head, nil
}

// literal is the unread rest of a Python literal.
type literal struct{ rest string }

// eat consumes token, after blanks, if it comes next, and the blanks after it.
func (p *literal) eat(token string) bool {
	rest := strings.TrimLeft(p.rest, " \n\t")
	after, ok := strings.CutPrefix(rest, token)
	if ok {
		rest = strings.TrimLeft(after, " \n\t")
	}
	p.rest = rest
	return ok
}

func (p *literal) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if strings.HasPrefix(p.rest, quote) {
			body, after, ok := strings.Cut(p.rest[1:], quote)
			if !ok {
				return "", errors.New("unterminated string")
			}
			p.rest = strings.TrimLeft(after, " \n\t")
			return body, nil
		}
	}
	return "", fmt.Errorf("expected a quoted string, found %q", shorten(p.rest, 20))
}

func (p *literal) boolean() (bool, error) {
	switch {
	case p.eat("True"):
		return true, nil
	case p.eat("False"):
		return false, nil
	}
	return false, fmt.Errorf("fortran_order: expected True or False, found %q", shorten(p.rest, 20))
}

func (p *literal) tuple() ([]int, error) {
	if !p.eat("(") {
		return nil, fmt.Errorf("shape: expected a tuple, found %q", shorten(p.rest, 20))
	}
	shape := []int{}
	for !p.eat(")") {
		end := 0
		for end < len(p.rest) && p.rest[end] >= '0' && p.rest[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(p.rest[:end])
		if err != nil {
			return nil, fmt.Errorf("shape: expected a size of at least 0 that fits this machine, found %q", shorten(p.rest, 24))
		}
		p.rest = p.rest[end:]
		shape = append(shape, n)
		p.eat("L") // written by Python 2
		if len(shape) > 32 {
			return nil, errors.New("shape: more than 32 axes")
		}
		if !p.eat(",") && !strings.HasPrefix(p.rest, ")") {
			return nil, errors.New("shape: expected a comma or the end of the tuple")
		}
	}
	return shape, nil
}

// dtype is the byte order, and the class with the size of a number or text, which is not 0.
var dtype = regexp.MustCompile(`^([<>|=]?)(f[248]|[iu][1248]|b1|\?|[SU][1-9][0-9]{0,4})$`)

func (p *literal) dtype() (numbers.Type, error) {
	if strings.HasPrefix(p.rest, "[") {
		return numbers.Type{}, errors.New("descr: structured arrays cannot be read: save a plain float32 array")
	}
	descr, err := p.quoted()
	if err != nil {
		return numbers.Type{}, fmt.Errorf("descr: %w", err)
	}
	if part := dtype.FindStringSubmatch(descr); part != nil {
		t := numbers.Type{Big: part[1] == ">", Class: part[2][0], Size: 1}
		if t.Class == '?' {
			t.Class = 'b'
		} else if t.Size, err = strconv.Atoi(part[2][1:]); t.Class == 'U' {
			t.Size *= 4
		}
		return t, err
	}
	if strings.HasSuffix(descr, "O") {
		return numbers.Type{}, errors.New("descr: type \"O\": Python objects are not read: save numbers as float32, and names with dtype=str")
	}
	return numbers.Type{}, fmt.Errorf("descr: type %q: expected f2, f4, f8, i1 to i8, u1 to u8 or bool", shorten(descr, 20))
}

// shorten cuts a text for an error message.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:limit] + "..."
}
