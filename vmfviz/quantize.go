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

// quantize returns the image with at most 256 colours: a box of colours is cut in two,
// again and again the one with the largest error (a form of the median cut of
// P. Heckbert, SIGGRAPH 1982), then all colours of a box become one. An image of 256
// colours or fewer does not change. The result depends on the pixels only.
func quantize(img image.Image) image.Image {
	const most = 256
	src, ok := img.(*image.RGBA)
	if !ok {
		return img
	}
	count := map[[4]uint8]int{}
	for i := 0; i < len(src.Pix); i += 4 {
		count[[4]uint8(src.Pix[i:])]++
	}
	all := make([]shade, 0, len(count))
	for c, n := range count {
		all = append(all, shade{c, n})
	}
	slices.SortFunc(all, func(a, b shade) int { return slices.Compare(a.c[:], b.c[:]) })

	boxes := [][]shade{all}
	channels, errs := make([]int, most), make([]float64, most)
	channels[0], errs[0] = spread(all)
	for len(boxes) < most {
		worst := 0
		for i := range boxes {
			if errs[i] > errs[worst] {
				worst = i
			}
		}
		if errs[worst] < 0.1 {
			break // every box is one colour
		}
		a, b := cut(boxes[worst], channels[worst])
		boxes[worst] = a
		boxes = append(boxes, b)
		for i, b := range map[int][]shade{worst: a, len(boxes) - 1: b} {
			channels[i], errs[i] = spread(b)
		}
	}

	palette := make(color.Palette, len(boxes))
	index := make(map[[4]uint8]uint8, len(all))
	for i, b := range boxes {
		c := center(b)
		palette[i] = color.RGBA{c[0], c[1], c[2], c[3]}
		for _, s := range b {
			index[s.c] = uint8(i)
		}
	}
	out := image.NewPaletted(src.Rect, palette)
	for i := range out.Pix {
		out.Pix[i] = index[[4]uint8(src.Pix[4*i:])]
	}
	return out
}

// spread returns the channel in which the pixels of a box differ most and the
// sum of their squared differences from the mean there: the error that a cut
// can remove.
func spread(b []shade) (channel int, err float64) {
	for k := range 4 {
		n, sum, square := 0, 0, 0
		for _, s := range b {
			v := int(s.c[k])
			n, sum, square = n+s.n, sum+s.n*v, square+s.n*v*v
		}
		if e := float64(square) - float64(sum)*float64(sum)/float64(n); e > err && b[0].c != b[len(b)-1].c {
			channel, err = k, e
		}
	}
	return channel, err
}

// cut splits a box at the mean of a channel.
func cut(b []shade, k int) (low, high []shade) {
	n, sum := 0, 0
	for _, s := range b {
		n, sum = n+s.n, sum+s.n*int(s.c[k])
	}
	for _, s := range b {
		if int(s.c[k])*n <= sum {
			low = append(low, s)
		} else {
			high = append(high, s)
		}
	}
	return low, high
}

// center returns the mean colour of the pixels of a box, except that a colour
// that holds most of them stays as it is.
func center(b []shade) [4]uint8 {
	var sum [4]int
	n, top := 0, b[0]
	for _, s := range b {
		n += s.n
		if s.n > top.n {
			top = s
		}
		for k := range 4 {
			sum[k] += s.n * int(s.c[k])
		}
	}
	if 2*top.n > n {
		return top.c
	}
	var c [4]uint8
	for k := range 4 {
		c[k] = uint8((sum[k] + n/2) / n)
	}
	return c
}
