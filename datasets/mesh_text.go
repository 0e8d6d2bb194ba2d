package datasets

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// lines iterates over the lines of a text file that are not blank or comments.
type lines struct {
	name    string
	rest    []byte
	number  int      // of the current line, from 1
	fields  [][]byte // of the current line, blanks removed
	comment byte     // starts a comment to the end of the line; 0: none
	offset  int      // byte offset just after the current line
	// delimited: a line with semicolons, or else one with commas, is split there, not at blanks.
	delimited bool
}

// next moves to the next line with fields; false at the end of the text.
func (l *lines) next() bool {
	for len(l.rest) > 0 {
		line := l.rest
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, l.rest = line[:end], line[end+1:]
			l.offset += end + 1
		} else {
			l.offset += len(line)
			l.rest = nil
		}
		l.number++
		if l.comment != 0 {
			if start := bytes.IndexByte(line, l.comment); start >= 0 {
				line = line[:start]
			}
		}
		if l.fields = l.split(line); len(l.fields) > 0 {
			return true
		}
	}
	l.fields = l.fields[:0]
	return false
}

// split cuts a line into its fields.
func (l *lines) split(line []byte) [][]byte {
	if l.delimited {
		for _, delimiter := range []byte(";,") {
			if bytes.IndexByte(line, delimiter) < 0 {
				continue
			}
			fields := bytes.Split(line, []byte{delimiter})
			for i, f := range fields {
				fields[i] = bytes.TrimSpace(f)
			}
			return fields
		}
	}
	return splitFields(l.fields[:0], line)
}

// errorf is an error at the current line.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, max(l.number, 1), fmt.Errorf(format, args...))
}

// vertex reads the three fields from first on as a point.
func (l *lines) vertex(first int) (vec, error) {
	if len(l.fields) < first+3 {
		return vec{}, l.errorf("expected three coordinates, found %q", shorten(string(bytes.Join(l.fields, []byte(" "))), 60))
	}
	var v [3]float64
	for k := range v {
		x, err := parseCoordinate(l.fields[first+k])
		if err != nil {
			return vec{}, l.errorf("%w", err)
		}
		v[k] = x
	}
	return vec{v[0], v[1], v[2]}, nil
}

// integer reads a field as an integer.
func (l *lines) integer(field []byte, what string) (int, error) {
	n, err := strconv.Atoi(string(field))
	if err != nil {
		return 0, l.errorf("%s: expected a whole number, found %q", what, shorten(string(field), 40))
	}
	return n, nil
}

// parseCoordinate reads a finite decimal number.
func parseCoordinate(field []byte) (float64, error) {
	x, err := strconv.ParseFloat(string(field), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("expected a finite number, found %q", shorten(string(field), 40))
	}
	return x, nil
}

// splitFields appends the fields of a line, separated by blanks, tabs or carriage returns, to dst.
func splitFields(dst [][]byte, line []byte) [][]byte {
	start := -1
	for i, c := range line {
		blank := c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'
		switch {
		case blank && start >= 0:
			dst = append(dst, line[start:i])
			start = -1
		case !blank && start < 0:
			start = i
		}
	}
	if start >= 0 {
		dst = append(dst, line[start:])
	}
	return dst
}
