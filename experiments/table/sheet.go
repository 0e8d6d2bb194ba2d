package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sliced-wasserstein/lab/internal/version"
)

// Document is a table with numbers: for readers a sheet, for programs CSV lines and a JSON value.
type Document interface {
	Sheet() Sheet
	Records() [][]string // the first is the header
	JSON() any           // an object; Write adds the key version
}

// Sheet is a table as readers see it, before formatting.
type Sheet struct {
	Name      string // label in LaTeX
	Title     string
	About     []string // where the numbers come from
	RowHeader string
	Columns   []Column
	Lines     []Line
	Below     string   // what the second lines of rows are
	Legend    []string // what a reader has to know about the numbers

	footnotes []string // by number, from 1
	failures  []string
	notes     []string // on the paper's table
}

// Line is a row: a cell for every column, and optionally a second line below it.
type Line struct {
	Name         string
	Cells, Below []Entry

	notes []int // footnotes
	ours  bool
	rule  bool // a rule above
}

// Entry is a number as shown: the mean, what follows ± and what is in brackets, each "" if there is
// nothing to show.
type Entry struct {
	Mean, Spread, Aside string

	mark  Mark  // of ours; of the paper's paperBold
	notes []int // footnotes
}

// label returns the row's name, with a dagger if it is ours.
func (l Line) label() string {
	if l.ours {
		return l.Name + dagger
	}
	return l.Name
}

// both returns the entries of column j: the first line's, and the second's where there is one.
func (l Line) both(j int) []Entry {
	if l.Below == nil {
		return []Entry{l.Cells[j]}
	}
	return []Entry{l.Cells[j], l.Below[j]}
}

// number returns the mean and its spread.
func (e Entry) number() string {
	if e.Spread == "" {
		return e.Mean
	}
	return e.Mean + " ± " + e.Spread
}

const (
	nothing = "-"
	failed  = "failed"
	dagger  = "†"
)

// remarks returns what is printed below the table: footnotes, failures, the legend, the marks that
// occur, the units.
func (s Sheet) remarks(m markup) []string {
	var out []string
	for i, note := range s.footnotes {
		out = append(out, strings.TrimSpace(fmt.Sprintf(m.note, i+1))+m.gap+m.escape(note))
	}
	for _, why := range s.failures {
		out = append(out, "failed: "+m.escape(why))
	}
	for _, line := range s.Legend {
		out = append(out, m.escape(line))
	}
	has := map[Mark]bool{}
	for _, l := range s.Lines {
		for j := range l.Cells {
			for _, e := range l.both(j) {
				has[e.mark] = true
			}
		}
	}
	var signs []string
	for _, sign := range []struct {
		mark Mark
		text string
	}{{Best, m.bestName + ": best"}, {Second, m.secondName + ": second best"}, {paperBold, m.boldName + " in a line of the paper: bold there"}} {
		if has[sign.mark] {
			signs = append(signs, sign.text)
		}
	}
	if signs != nil {
		out = append(out, strings.Join(signs, "; ")+".")
	}
	for _, unit := range units(s.Columns) {
		out = append(out, m.escape(unit))
	}
	return out
}

var formats = []string{"text", "md", "csv", "latex", "json", "html"}

// Formats returns the formats of Write.
func Formats() []string { return slices.Clone(formats) }

// Write writes the table in one of the Formats; csv and json hold its numbers with full precision.
func Write(w io.Writer, d Document, format string) error {
	s := d.Sheet()
	var b bytes.Buffer
	var err error
	switch format {
	case "text":
		s.text(&b, 120)
	case "md":
		asMarkdown.write(&b, s, format)
	case "latex":
		asLaTeX.write(&b, s, format)
	case "html":
		asHTML.write(&b, s, format)
	case "csv":
		err = csv.NewWriter(&b).WriteAll(d.Records())
	case "json":
		var raw []byte
		if raw, err = json.Marshal(d.JSON()); err == nil {
			fmt.Fprintf(&b, "%s,\"version\":%q}\n", raw[:len(raw)-1], version.String())
		}
	default:
		err = fmt.Errorf("unknown format %q, expected one of %s", format, strings.Join(formats, ", "))
	}
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// Text writes the table for a terminal of that many columns. Columns that do not fit go below,
// under the same rows.
func Text(w io.Writer, d Document, width int) error {
	var b bytes.Buffer
	d.Sheet().text(&b, width)
	_, err := w.Write(b.Bytes())
	return err
}
