package vmfviz

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"unicode/utf16"
)

// file returns the PDF file. Its bytes depend on what was drawn only.
func (c *pdfCanvas) file(title string) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(body string, stream []byte) int {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", len(offsets))
		if stream == nil {
			fmt.Fprintf(&out, "<<%s>>\nendobj\n", body)
			return len(offsets)
		}
		packed := deflate(stream)
		fmt.Fprintf(&out, "<<%s/Filter/FlateDecode/Length %d>>\nstream\n", body, len(packed))
		out.Write(packed)
		out.WriteString("\nendstream\nendobj\n")
		return len(offsets)
	}
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	object("/Type/Catalog/Pages 2 0 R", nil)
	object("/Type/Pages/Kids[3 0 R]/Count 1", nil)
	var resources bytes.Buffer
	resources.WriteString("/ExtGState<<")
	for i, a := range c.alphas {
		fmt.Fprintf(&resources, "/G%d<</ca %.4f/CA %.4f>>", i, float64(a)/255, float64(a)/255)
	}
	resources.WriteString(">>/XObject<<")
	for i := range c.images { // two objects each, behind page and content
		fmt.Fprintf(&resources, "/I%d %d 0 R", i, 6+2*i)
	}
	resources.WriteString(">>")
	object(fmt.Sprintf("/Type/Page/Parent 2 0 R/MediaBox[0 0 %.3f %.3f]/Resources<<%s>>/Contents 4 0 R", c.w.Points(), c.h.Points(), resources.String()), nil)
	object("", c.page.Bytes())
	for _, img := range c.images {
		b := img.Bounds()
		var rgb, mask []byte
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				p := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
				rgb, mask = append(rgb, p.R, p.G, p.B), append(mask, p.A)
			}
		}
		head := fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8", b.Dx(), b.Dy())
		m := object(head+"/ColorSpace/DeviceGray", mask)
		object(head+fmt.Sprintf("/ColorSpace/DeviceRGB/SMask %d 0 R", m), rgb)
	}
	info := object("/Title<feff"+utf16Hex(title)+">", nil)
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, info, start)
	return out.Bytes()
}

func deflate(data []byte) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestCompression) // the level is valid
	_, _ = w.Write(data)                                    // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// utf16Hex writes text as PDF's strings have it, after the mark feff.
func utf16Hex(s string) string {
	var out bytes.Buffer
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&out, "%04x", u)
	}
	return out.String()
}
