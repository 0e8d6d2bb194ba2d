package vmfviz

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
)

// MatrixOptions describe a [Matrix] picture.
type MatrixOptions struct {
	Title string
	// Label names the quantity and its convention beside the colour bar, for
	// example "SW (rooted, mean over points)".
	Label string
	// Rows are the names of the rows, Columns those of the columns; nil means
	// none. Where there is no room for all, evenly many are written.
	Rows, Columns []string
}

// Matrix draws numbers values[i][j], for example the distance between cloud i
// and cloud j, as a table of colours with names and a colour bar; row 0 is on top.
// All rows have the same length. Where the cells are large enough, the numbers
// stand in them, to three digits.
func Matrix(o MatrixOptions, values [][]float64) (*Picture, error) {
	if err := checkText("Title", o.Title); err != nil {
		return nil, err
	}
	if err := checkText("Label", o.Label); err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("vmfviz: values has no rows, expected at least one")
	}
	rows, cols := len(values), len(values[0])
	if rows > maxCells || cols > maxCells {
		return nil, fmt.Errorf("vmfviz: values is [%d, %d], expected at most %d rows and columns", rows, cols, maxCells)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, r := range values {
		if err := checkFinite(fmt.Sprintf("values[%d]", i), r); err != nil {
			return nil, err
		}
		if len(r) != cols {
			return nil, fmt.Errorf("vmfviz: values[%d] has length %d, expected %d as values[0] has", i, len(r), cols)
		}
		l, h := bounds(r)
		lo, hi = math.Min(lo, l), math.Max(hi, h)
	}
	if err := checkNames("Rows", o.Rows, rows); err != nil {
		return nil, err
	}
	if err := checkNames("Columns", o.Columns, cols); err != nil {
		return nil, err
	}

	small := textStyle{size: sizeTick}
	side := math.Min(longest(small, o.Rows), 170)
	if side > 0 {
		side += 9
	}
	cell := math.Min(64, (cardWidth-2*margin-side-barWidth)/float64(cols))
	cell = math.Min(cell, math.Max(700/float64(rows), 1))
	if cell > 4 {
		cell = math.Floor(cell)
	}
	names := longest(small, o.Columns)
	upright := names <= cell-3 // the names fit above each other's cells
	foot := 0.0
	switch {
	case o.Columns == nil:
	case upright:
		foot = 22
	default:
		names = math.Min(names, 170)
		foot = names*math.Sqrt2/2 + 22
	}
	lean := 0.0 // room that slanting names need at the left
	if foot > 22 {
		lean = math.Max(0, names*math.Sqrt2/2-cell/2-side)
	}
	w, h := cell*float64(cols), cell*float64(rows)
	top := titleHeight(o.Title)
	left := margin + side + lean
	width := left + w + barWidth + margin
	if o.Title != "" {
		width = math.Min(cardWidth, math.Max(width, 2*margin+textWidth(textStyle{size: sizeTitle, bold: true}, plain(o.Title))))
	}
	bar := math.Max(140, math.Min(h, 320)*0.9)
	height := top + math.Max(h+foot, bar) + margin

	paint := func(s *page) {
		s.title(o.Title)
		b := box{left, top, w, h}
		shade := func(i, j int) color.NRGBA { return viridis(scaleTo(lo, hi, values[i][j])) }
		s.cells(b, rows, cols, shade)
		if cell >= 34 {
			big := math.Max(math.Abs(lo), math.Abs(hi))
			for i := range rows {
				for j := range cols {
					at := pt{b.x + (float64(j)+0.5)*cell, b.y + (float64(i)+0.5)*cell + 4}
					l := textStyle{size: sizeTick, align: 0.5, color: readable(shade(i, j)), maxLen: cell - 5}
					s.exact(func() { s.text(at, l, cellNumber(values[i][j], big)...) })
				}
			}
		}
		every := int(math.Ceil((sizeTick + 2) / cell))
		for i := 0; i < len(o.Rows); i += every {
			s.text(pt{b.x - 7, b.y + (float64(i)+0.5)*cell + 4}, textStyle{size: sizeTick, align: 1, maxLen: 170}, plain(o.Rows[i]))
		}
		for j := 0; j < len(o.Columns); j += every {
			x := b.x + (float64(j)+0.5)*cell
			if upright {
				s.text(pt{x, b.y + h + 16}, textStyle{size: sizeTick, align: 0.5}, plain(o.Columns[j]))
			} else {
				s.text(pt{x + 5, b.y + h + 12}, textStyle{size: sizeTick, align: 1, angle: math.Pi / 4, maxLen: 170}, plain(o.Columns[j]))
			}
		}
		s.colorBar(box{b.x + w + 20, top + math.Max(0, (h-bar)/2), 16, bar}, viridisMap, lo, hi, o.Label)
	}
	return newPicture(width, height, altText(o.Title, fmt.Sprintf("a table of %d by %d numbers as colours", rows, cols)), paint), nil
}

// maxCells is the largest number of rows or columns of a Matrix.
const maxCells = 2000

func checkNames(name string, texts []string, n int) error {
	if texts != nil && len(texts) != n {
		return fmt.Errorf("vmfviz: %s has %d names, expected %d", name, len(texts), n)
	}
	for i, t := range texts {
		if err := checkText(fmt.Sprintf("%s[%d]", name, i), t); err != nil {
			return err
		}
	}
	return nil
}

// longest returns the width of the longest text.
func longest(l textStyle, texts []string) float64 {
	w := 0.0
	for _, t := range texts {
		w = math.Max(w, textWidth(l, plain(t)))
	}
	return w
}

// readable is the colour of text on a ground, the one with more contrast.
func readable(ground color.NRGBA) color.NRGBA {
	black := color3(0x111111)
	if l := luminance(ground) + 0.05; l*l > 1.05*(luminance(black)+0.05) {
		return black
	}
	return white
}

// cellNumber writes a number of a table whose largest is big, all with as many
// decimals.
func cellNumber(v, big float64) []span {
	if v == 0 || big < 1e-3 || big >= 1e5 {
		return digits(v, 3)
	}
	return []span{plain(minus(strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(big)))), 64)))}
}

// cells paints a table of colours as one image, and lines between large cells.
func (s *page) cells(b box, rows, cols int, shade func(i, j int) color.NRGBA) {
	w, h := int(b.w*screenScale+0.5), int(b.h*screenScale+0.5)
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, shade(y*rows/h, x*cols/w))
		}
	}
	s.image(b, img)
	if b.w/float64(cols) >= 14 {
		for j := 1; j < cols; j++ {
			x := b.x + b.w*float64(j)/float64(cols)
			s.line(stroke{width: 1, color: white}, pt{x, b.y}, pt{x, b.y + b.h})
		}
		for i := 1; i < rows; i++ {
			y := b.y + b.h*float64(i)/float64(rows)
			s.line(stroke{width: 1, color: white}, pt{b.x, y}, pt{b.x + b.w, y})
		}
	}
	s.outline(b, stroke{width: 1, color: axis})
}
