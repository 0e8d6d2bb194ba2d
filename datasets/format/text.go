package format

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// lines reads text: whole files, and the headers of binary ones. A line ends in LF, CRLF or CR. A
// byte order mark, blank lines and comments are left out.
type lines struct {
	name    string
	data    []byte
	comment byte     // starts a comment to the end of the line; 0: none
	offset  int      // of the byte after the current line
	number  int      // of the current line, from 1
	line    []byte   // the current line
	fields  [][]byte // of the current line, without the blanks around them
	used    int      // fields of the current line that word has returned
	// delimited: a line with semicolons, or else one with commas, is split there, not at blanks, and
	// a field may be in double quotes.
	delimited bool
	bounded   bool // word stays in the current line
	classic   bool // the first line ends in CR alone
}

// newLines returns a reader before the first line. Text in UTF-16 is an error.
func newLines(name string, data []byte, comment byte) (*lines, error) {
	zeros := ""
	for _, c := range data[:min(4, len(data))] {
		zeros += map[bool]string{true: "0", false: "x"}[c == 0]
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) || zeros == "x0x0" ||
		zeros == "0x0x" {
		return nil, fmt.Errorf("%s: expected text in UTF-8, found UTF-16: save the file as UTF-8", name)
	}
	l := &lines{name: name, data: data, comment: comment}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		l.offset = len("\ufeff")
	}
	return l, nil
}

// next moves to the next line with fields; false at the end of the text.
func (l *lines) next() bool {
	found := l.nextLine()
	l.used, l.fields = 0, l.fields[:0]
	if found {
		l.split()
	}
	return found
}

// nextLine moves to the next line that is not blank, without its fields.
func (l *lines) nextLine() bool {
	for l.offset < len(l.data) {
		end := l.offset
		for end < len(l.data) && l.data[end] != '\n' && l.data[end] != '\r' {
			end++
		}
		l.line = l.data[l.offset:end]
		l.number++
		switch {
		case bytes.HasPrefix(l.data[end:], []byte("\r\n")):
			end++
		case l.number == 1 && end < len(l.data):
			l.classic = l.data[end] == '\r'
		}
		l.offset = min(end+1, len(l.data))
		if l.comment != 0 {
			l.line, _, _ = bytes.Cut(l.line, []byte{l.comment})
		}
		if l.line = bytes.TrimSpace(l.line); len(l.line) > 0 {
			return true
		}
	}
	l.line = nil
	return false
}

// split cuts the current line into its fields.
func (l *lines) split() {
	delimiter, line := byte(' '), l.line
	if l.delimited {
		if bytes.IndexByte(line, '"') >= 0 { // what is in quotes does not count
			line = bytes.Clone(line)
			quoted := false
			for i, c := range line {
				quoted = quoted != (c == '"')
				if quoted {
					line[i] = '"'
				}
			}
		}
		for _, c := range []byte(",;") {
			if bytes.IndexByte(line, c) >= 0 {
				delimiter = c
			}
		}
	}
	start := 0
	for i := range len(line) + 1 {
		if i < len(line) && line[i] != delimiter && (delimiter != ' ' || line[i] != '\t' && line[i] != '\v' &&
			line[i] != '\f') {
			continue
		}
		field := l.line[start:i]
		start = i + 1
		if delimiter != ' ' {
			field = bytes.TrimSpace(field)
		} else if len(field) == 0 {
			continue
		}
		if n := len(field); l.delimited && n > 1 && field[0] == '"' && field[n-1] == '"' {
			field = bytes.TrimSpace(field[1 : n-1])
		}
		l.fields = append(l.fields, field)
	}
}

// left counts the lines after the current one that are not blank.
func (l *lines) left() int {
	n, ahead := 0, *l
	for ahead.nextLine() {
		n++
	}
	return n
}

// body returns where the bytes after the current line begin, the last one of a header. After lines
// that end in CR alone, a LF is the first of these bytes.
func (l *lines) body() int {
	if l.classic && bytes.HasSuffix(l.data[:l.offset], []byte("\r\n")) {
		return l.offset - 1
	}
	return l.offset
}

// words returns the fields of the current line in lower case.
func (l *lines) words() []string {
	return strings.Split(strings.ToLower(string(bytes.Join(l.fields, []byte("\n")))), "\n")
}

// is reports whether a field is that keyword, in any case.
func is(field []byte, keyword string) bool { return strings.EqualFold(string(field), keyword) }

// word returns the next field, of whatever line; nil at the end.
func (l *lines) word() []byte {
	for l.used == len(l.fields) {
		if l.bounded || !l.next() {
			return nil
		}
	}
	l.used++
	return l.fields[l.used-1]
}

// end returns an error if there are more words. Every format with a count has this rule.
func (l *lines) end(after string) error {
	l.bounded = false
	if word := l.word(); word != nil {
		return l.errorf("expected the end of the file after %s, found %q", after, shorten(string(word), 40))
	}
	return nil
}

// checkEnd is lines.end for the bytes after the last number of a binary file, where line ends are
// left out.
func checkEnd(rest []byte, after string) error {
	if len(bytes.Trim(rest, "\r\n")) > 0 {
		return fmt.Errorf("expected the end of the file after %s, found %d more bytes", after, len(rest))
	}
	return nil
}

// errorf is an error at the current line.
func (l *lines) errorf(format string, args ...any) error {
	return l.errorAt(l.number, fmt.Errorf(format, args...))
}

// errorAt is an error at the line of that number.
func (l *lines) errorAt(number int, err error) error {
	return fmt.Errorf("%s:%d: %w", l.name, max(number, 1), err)
}

// point reads the next three words.
func (l *lines) point() (vec, error) {
	var v [3]float64
	for k := range v {
		word := l.word()
		if word == nil {
			return vec{}, l.errorf("expected three coordinates, found %q", shorten(string(l.line), 60))
		}
		x, err := parseCoordinate(word)
		if err != nil {
			return vec{}, l.errorf("%w", err)
		}
		v[k] = x
	}
	return vec{X: v[0], Y: v[1], Z: v[2]}, nil
}

// addPoint reads the next three words as a vertex.
func (m *Mesh) addPoint(text *lines) error {
	v, err := text.point()
	if err != nil {
		return err
	}
	if err := m.addVertex(v); err != nil {
		return text.errorf("%w", err)
	}
	return nil
}

// integer reads a field as an integer.
func (l *lines) integer(field []byte, what string) (int, error) {
	n, err := strconv.Atoi(string(field))
	if err != nil {
		return 0, l.errorf("%s: expected a whole number, found %q", what, shorten(string(field), 40))
	}
	return n, nil
}

// parseNumber reads a decimal number, also with an exponent as Fortran writes it, 1D-5.
func parseNumber(field []byte) (float64, error) {
	x, err := strconv.ParseFloat(string(field), 64)
	if errors.Is(err, strconv.ErrSyntax) {
		x, err = strconv.ParseFloat(strings.NewReplacer("D", "e", "d", "e").Replace(string(field)), 64)
	}
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return x, nil
	}
	hint := ""
	if hasDecimalComma(field) {
		hint = decimalComma
	}
	return 0, fmt.Errorf("expected a finite number, found %q%s", shorten(string(field), 40), hint)
}

const decimalComma = ": decimals need a point, not a comma"

// hasDecimalComma reports whether a field is a number with a comma, or was cut at such commas: in
// "0,5 1,5", "5 1" is between them.
func hasDecimalComma(field []byte) bool {
	at := bytes.IndexAny(field, ", \t")
	if at < 0 {
		return false
	}
	_, err := strconv.ParseFloat(string(field[:at])+"."+string(field[at+1:]), 64)
	return err == nil
}

// parseCoordinate reads a finite decimal number.
func parseCoordinate(field []byte) (float64, error) {
	x, err := parseNumber(field)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = fmt.Errorf("expected a finite number, found %q", shorten(string(field), 40))
	}
	return x, err
}

// ReadLines reads a file with a name per line, and the number of each line.
func ReadLines(path string) (names []string, numbers []int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, FileError(path, err)
	}
	text, err := newLines(path, data, 0)
	if err != nil {
		return nil, nil, err
	}
	for text.next() {
		names, numbers = append(names, string(text.line)), append(numbers, text.number)
	}
	return names, numbers, nil
}
