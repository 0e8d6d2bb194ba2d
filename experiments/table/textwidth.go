package table

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// panels distributes the columns over as few panels of this width as they need, evenly. Settings at the left, which tell rows of one
// name apart, stand in every panel.
func (s sheet) panels(columns []textColumn, width int) [][]int {
	fixed := 0
	for fixed < len(columns) && s.columns[fixed].Better == None {
		width -= len(gap) + columns[fixed].width
		fixed++
	}
	split := func(most int) (out [][]int) { // at most so many beside each other
		free := 0
		for j := fixed; j < len(columns); j++ {
			need := len(gap) + columns[j].width
			if len(out) == 0 || need > free || len(out[len(out)-1]) == fixed+most {
				panel := make([]int, fixed)
				for k := range panel {
					panel[k] = k
				}
				out, free = append(out, panel), width
			}
			out[len(out)-1] = append(out[len(out)-1], j)
			free -= need
		}
		return out
	}
	rest := len(columns) - fixed
	if rest == 0 {
		return nil
	}
	few := len(split(rest))
	if even := split((rest + few - 1) / few); len(even) == few {
		return even
	}
	return split(rest)
}

func left(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func right(text string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text))) + text
}

// paragraph writes text in lines of the width, all but the first indented.
func paragraph(b *bytes.Buffer, text, indent string, width int) {
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
}
