package vmfviz

import (
	"image"
	"image/color"
	"math"
	"sort"
)

// dot3 is a point as it is painted: place and radius in pixels of the image,
// depth towards the reader.
type dot3 struct {
	x, y, r, depth float64
	col            color.NRGBA
}

// splat paints discs with soft edges, far ones first, on a transparent image.
// It is much faster than paths, and one embedded image instead of thousands of
// paths keeps an SVG small.
func splat(w, h int, dots []dot3) *image.NRGBA {
	sort.SliceStable(dots, func(i, j int) bool { return dots[i].depth < dots[j].depth })
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for _, d := range dots {
		x0, x1 := max(0, int(d.x-d.r-1)), min(w-1, int(d.x+d.r+1))
		y0, y1 := max(0, int(d.y-d.r-1)), min(h-1, int(d.y+d.r+1))
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				dist := math.Hypot(float64(x)+0.5-d.x, float64(y)+0.5-d.y)
				cover := math.Min(1, d.r-dist+0.5)
				if cover <= 0 {
					continue
				}
				over(img.Pix[img.PixOffset(x, y):], d.col, cover)
			}
		}
	}
	return img
}

// over lays a colour with the given cover on one pixel (straight alpha).
func over(p []uint8, c color.NRGBA, cover float64) {
	under := float64(p[3]) / 255
	a := cover + under*(1-cover)
	blend := func(top, bottom uint8) uint8 {
		return uint8((float64(top)*cover+float64(bottom)*under*(1-cover))/a + 0.5)
	}
	p[0], p[1], p[2] = blend(c.R, p[0]), blend(c.G, p[1]), blend(c.B, p[2])
	p[3] = uint8(255*a + 0.5)
}
