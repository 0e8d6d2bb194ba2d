package format

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// readTable reads a cloud from a .csv, .tsv or .txt file, row-major [points, dim].
func readTable(path string) (data []float64, dim int, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, FileError(path, err)
	}
	return parseTable(path, raw)
}

// parseTable reads a point per line, with the same number of coordinates on each. Fields are
// separated by commas, semicolons or blanks; # starts a comment. A first line whose first field is
// not a number is a header. If it has columns x, y and z only these are read, else all with a name,
// which leaves out the index that pandas writes.
//
// A first line 0,1,2 may be the header that pandas gives to unnamed columns, and more than three
// unnamed columns in a .txt file may be points with normals. Both are errors that say how to write
// what is meant.
func parseTable(name string, raw []byte) (data []float64, dim int, err error) {
	text, err := newLines(name, raw, '#')
	if err != nil {
		return nil, 0, err
	}
	text.delimited = true
	if !text.next() {
		return nil, 0, text.errorf("expected a point, the file is empty")
	}
	width, columns := len(text.fields), []int(nil)
	if header := text.unquoted(); isHeader(header) {
		columns = coordinateColumns(header)
		if len(columns) == 0 {
			return nil, 0, text.errorf("expected columns with names, found the header %q", shorten(strings.Join(header, ","),
				60))
		}
		if !text.next() {
			return nil, 0, text.errorf("expected points after the header, the file ends")
		}
	} else {
		switch comma := slices.IndexFunc(text.fields, hasDecimalComma); {
		case comma >= 0:
			return nil, 0, text.errorf("column %d: expected a finite number, found %q%s", comma+1, shorten(header[comma], 40),
				decimalComma)
		case isCount(header):
			return nil, 0, text.errorf("%s: a header as pandas writes it, or a point? Write no header (header=False), name the columns x, y, z, or write the point as %s.0",
				strings.Join(header, ","), strings.Join(header, ","))
		case width > 3 && strings.EqualFold(filepath.Ext(name), ".txt"):
			return nil, 0, text.errorf("%d columns: named .xyz the first three are the point, named .csv all of them are", width)
		}
		for i := range width {
			columns = append(columns, i)
		}
	}
	for more := true; more; more = text.next() {
		if len(text.fields) != width {
			hint := ""
			if slices.ContainsFunc(text.fields, hasDecimalComma) {
				hint = decimalComma
			}
			return nil, 0, text.errorf("expected %d columns as in the first line, found %d%s", width, len(text.fields), hint)
		}
		for _, c := range columns {
			x, err := parseCoordinate(text.fields[c])
			if err == nil && math.Abs(x) > math.MaxFloat32 {
				err = errNotFinite(x)
			}
			if err != nil {
				return nil, 0, text.errorf("column %d: %w", c+1, err)
			}
			data = append(data, x)
		}
	}
	return data, len(columns), nil
}

// unquoted returns the fields of the line without the quotes that a header may have, and without
// the // before its first name.
func (l *lines) unquoted() []string {
	out := make([]string, len(l.fields))
	for i, f := range l.fields {
		out[i] = strings.Trim(string(f), `"'`)
	}
	out[0] = strings.TrimPrefix(out[0], "//")
	return out
}

// isHeader reports whether a line names columns: its first field is not a number, nor starts like
// one.
func isHeader(fields []string) bool {
	_, err := strconv.ParseFloat(fields[0], 64)
	return err != nil && (fields[0] == "" || !strings.ContainsRune("+-.0123456789", rune(fields[0][0])))
}

// isCount reports whether the fields are 0, 1, 2, ..., at least two of them.
func isCount(fields []string) bool {
	for i, f := range fields {
		if f != strconv.Itoa(i) {
			return false
		}
	}
	return len(fields) > 1
}

// coordinateColumns returns the columns x, y and z, if there are all three; otherwise all that have
// a name.
func coordinateColumns(header []string) []int {
	var axes, named []int
	for _, axis := range []string{"x", "y", "z"} {
		if at := slices.IndexFunc(header, func(f string) bool { return strings.EqualFold(f, axis) }); at >= 0 {
			axes = append(axes, at)
		}
	}
	if len(axes) == 3 {
		return axes
	}
	for i, f := range header {
		if f != "" {
			named = append(named, i)
		}
	}
	return named
}
