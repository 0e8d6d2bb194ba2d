package vmfviz

import (
	"image"
	"image/color"
	"slices"
)

// shade is a colour of an image with the number of pixels that have it.
type shade struct {
	c [4]uint8
	n int
}

// quantize returns the image with at most 256 colours: a box of colours is cut in two, again and
// again the one with the largest error (a form of the median cut of P. Heckbert, SIGGRAPH 1982),
// then all colours of a box become one. An image of 256 colours or fewer does not change. The
// result depends on the pixels only.
func quantize(src *image.RGBA) *image.Paletted {
	count := map[[4]uint8]int{}
	for i := 0; i < len(src.Pix); i += 4 {
		count[[4]uint8(src.Pix[i:])]++
	}
	all := make([]shade, 0, len(count))
	for c, n := range count {
		all = append(all, shade{c, n})
	}
	slices.SortFunc(all, func(a, b shade) int { return slices.Compare(a.c[:], b.c[:]) })

	boxes := []colorBox{newColorBox(all)}
	for len(boxes) < 256 {
		worst := 0
		for i := range boxes {
			if boxes[i].err > boxes[worst].err {
				worst = i
			}
		}
		b := boxes[worst]
		if b.err < 0.1 {
			break // every box is one colour
		}
		high := func(s shade) bool { return float64(s.c[b.channel]) > b.mean[b.channel] }
		low := slices.DeleteFunc(slices.Clone(b.shades), high)
		boxes[worst] = newColorBox(low)
		boxes = append(boxes, newColorBox(slices.DeleteFunc(b.shades, func(s shade) bool { return !high(s) })))
	}

	out := image.NewPaletted(src.Rect, nil)
	index := make(map[[4]uint8]uint8, len(all))
	for i, b := range boxes {
		out.Palette = append(out.Palette, b.color())
		for _, s := range b.shades {
			index[s.c] = uint8(i)
		}
	}
	for i := range out.Pix {
		out.Pix[i] = index[[4]uint8(src.Pix[4*i:])]
	}
	return out
}

// colorBox is a set of colours, with their mean, the channel in which its pixels differ most and
// the sum of the squared differences from the mean there: the error that a cut removes.
type colorBox struct {
	shades  []shade
	mean    [4]float64
	channel int
	err     float64
}

func newColorBox(shades []shade) colorBox {
	b := colorBox{shades: shades}
	for k := range b.mean {
		n, sum, square := 0, 0, 0
		for _, s := range shades {
			v := int(s.c[k])
			n, sum, square = n+s.n, sum+s.n*v, square+s.n*v*v
		}
		b.mean[k] = float64(sum) / float64(n)
		if e := float64(square) - float64(sum)*b.mean[k]; e > b.err && len(shades) > 1 {
			b.channel, b.err = k, e
		}
	}
	return b
}

// color is the mean colour of the pixels of a box, or one that most of them have.
func (b colorBox) color() color.Color {
	n, top := 0, b.shades[0]
	for _, s := range b.shades {
		if n += s.n; s.n > top.n {
			top = s
		}
	}
	c := top.c
	for k := range c {
		if 2*top.n <= n {
			c[k] = uint8(b.mean[k] + 0.5)
		}
	}
	return color.RGBA{c[0], c[1], c[2], c[3]}
}
