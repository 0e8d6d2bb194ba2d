package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// textWidth is that of Write's text, in columns of a terminal.
const textWidth = 120

var writers = []struct {
	format string
	write  func(Filled, *bytes.Buffer) error
}{
	{"text", func(f Filled, b *bytes.Buffer) error { f.sheet().text(b, textWidth); return nil }},
	{"md", func(f Filled, b *bytes.Buffer) error { f.sheet().markdown(b); return nil }},
	{"csv", Filled.csv},
	{"latex", func(f Filled, b *bytes.Buffer) error { f.sheet().latex(b, f.Table.Name); return nil }},
	{"json", Filled.json},
	{"html", func(f Filled, b *bytes.Buffer) error { f.sheet().html(b); return nil }},
}

// Formats are the names that Write takes.
func Formats() []string {
	names := make([]string, len(writers))
	for i, w := range writers {
		names[i] = w.format
	}
	return names
}

// Write writes the table in one of the Formats. text, md, latex and html show our numbers above the paper's; csv and json hold both
// with full precision. Every format says which preset the numbers have and what was reduced.
func (f Filled) Write(w io.Writer, format string) error {
	i := slices.Index(Formats(), format)
	if i < 0 {
		return fmt.Errorf("unknown format %q, expected one of %s", format, strings.Join(Formats(), ", "))
	}
	return f.write(w, writers[i].write)
}

// Text is the format text for a terminal of so many columns: what does not fit beside goes below, under the same rows.
func (f Filled) Text(w io.Writer, width int) error {
	return f.write(w, func(f Filled, b *bytes.Buffer) error { f.sheet().text(b, width); return nil })
}

func (f Filled) write(w io.Writer, format func(Filled, *bytes.Buffer) error) error {
	if w == nil {
		return errors.New("expected where to write the table, found nil")
	}
	if err := f.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := format(f, &b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
