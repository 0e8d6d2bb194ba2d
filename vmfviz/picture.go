package vmfviz

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sliced-wasserstein/lab/internal/durable"
)

// screenScale is the number of device pixels per pixel of a PNG.
const screenScale = 2

// Picture is a finished drawing. It is immutable and may be used by several
// goroutines at once. The zero value is an empty picture of no size.
type Picture struct {
	width, height int // CSS pixels, 1/96 inch
	alt           string
	paint         func(*page)
	dark          bool
}

// newPicture rounds the size to whole pixels.
func newPicture(width, height float64, alt string, paint func(*page)) *Picture {
	return &Picture{width: int(width + 0.5), height: int(height + 0.5), alt: alt, paint: paint}
}

// Size returns width and height in CSS pixels (1/96 inch), the size at which
// the picture is meant to be shown. The PNG has twice as many pixels each way.
func (p *Picture) Size() (width, height int) {
	if p == nil {
		return 0, 0
	}
	return p.width, p.height
}

// Alt returns one sentence that says what the picture shows, for readers who
// do not see it.
func (p *Picture) Alt() string {
	if p == nil {
		return ""
	}
	return p.alt
}

// Image draws the picture with the given number of device pixels per pixel.
func (p *Picture) Image(scale float64) (image.Image, error) {
	if p == nil || p.paint == nil {
		return nil, fmt.Errorf("vmfviz: the picture is empty: make one with Sphere, Clouds, Slice or another drawing function")
	}
	if !(scale > 0 && scale <= 16) {
		return nil, fmt.Errorf("vmfviz: scale = %g, expected a number above 0 and at most 16", scale)
	}
	dpi := int(96*scale + 0.5)
	w, h := float64(p.width), float64(p.height)
	c := vgimg.NewWith(vgimg.UseWH(px(w), px(h)), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.Transparent))
	p.paint(newSheet(c, w, h, p.dark))
	return c.Image(), nil
}

// PNG returns the picture as a PNG file with two device pixels per pixel. It
// has at most 256 colours, chosen for the picture: the difference cannot be
// seen and the file is a third as long, which a notebook full of pictures needs.
func (p *Picture) PNG() ([]byte, error) { return p.pngAt(screenScale) }

func (p *Picture) pngAt(scale float64) ([]byte, error) {
	img, err := p.Image(scale)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&out, quantize(img)); err != nil {
		return nil, fmt.Errorf("vmfviz: writing PNG: %w", err)
	}
	return out.Bytes(), nil
}

// What SVG changes in the writer's output.
var (
	fontFamily  = regexp.MustCompile(`font-family:Liberation Sans[^;"]*`)
	textElement = regexp.MustCompile(`<text `)
)

// SVG returns the picture as an SVG file. Text stays text: the file names the
// Liberation Sans font, and Arial and Helvetica, which have the same letter
// widths, where it is not installed. Heat maps and point clouds are embedded
// images; everything else is vectors.
func (p *Picture) SVG() ([]byte, error) {
	if p == nil || p.paint == nil {
		return nil, fmt.Errorf("vmfviz: the picture is empty: make one with Sphere, Clouds, Slice or another drawing function")
	}
	w, h := float64(p.width), float64(p.height)
	c := vgsvg.NewWith(vgsvg.UseWH(px(w), px(h)))
	s := newSheet(c, w, h, p.dark)
	p.paint(s)
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("vmfviz: writing SVG: %w", err)
	}
	svg := fontFamily.ReplaceAll(out.Bytes(), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	svg = bytes.ReplaceAll(svg, []byte("data:image/jpg;"), []byte("data:image/png;"))
	// With the length of each piece of text another font cannot make it overlap
	// its neighbour; spaces at its ends count.
	i := 0
	return textElement.ReplaceAllFunc(svg, func([]byte) []byte {
		tag := fmt.Appendf(nil, `<text xml:space="preserve" textLength="%.2f" lengthAdjust="spacingAndGlyphs" `, s.lengths[i].Points())
		i++
		return tag
	}), nil
}

// PDF returns the picture as a PDF file of one page in the size of the picture,
// for papers and slides. Letters are outlines, so that the file needs no font;
// they cannot be searched. Heat maps and point clouds are embedded images.
func (p *Picture) PDF() ([]byte, error) {
	if p == nil || p.paint == nil {
		return nil, fmt.Errorf("vmfviz: the picture is empty: make one with Sphere, Clouds, Slice or another drawing function")
	}
	w, h := float64(p.width), float64(p.height)
	c := &pdfCanvas{w: px(w), h: px(h)}
	vg.Initialize(c)
	p.paint(newSheet(c, w, h, p.dark))
	return c.file(p.alt), nil
}

// Save writes the picture to a file; its ending, .png, .svg or .pdf, says how.
// The file appears whole or not at all. A missing folder is an error.
func (p *Picture) Save(path string) error {
	var data []byte
	var err error
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".png":
		data, err = p.PNG()
	case ".svg":
		data, err = p.SVG()
	case ".pdf":
		data, err = p.PDF()
	default:
		return fmt.Errorf("vmfviz: %s: expected a name that ends in .png, .svg or .pdf, found %q", path, ext)
	}
	if err != nil {
		return err
	}
	err = durable.Write(path, func(w io.Writer) error { _, err := w.Write(data); return err })
	if err != nil {
		return fmt.Errorf("vmfviz: saving %w", err)
	}
	return nil
}
