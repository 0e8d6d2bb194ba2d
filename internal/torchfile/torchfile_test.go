package torchfile

import (
	"slices"
	"testing"
)

// One row per number type, with values that distinguish signs, widths and byte orders.
func TestDecode(t *testing.T) {
	for dtype, c := range map[string]struct {
		raw  []byte
		want []float32
	}{
		"F32":  {[]byte{0, 0, 0xc0, 0x3f}, []float32{1.5}},
		"F64":  {[]byte{0, 0, 0, 0, 0, 0, 0, 0xc0}, []float32{-2}},
		"BF16": {[]byte{0xc0, 0x3f}, []float32{1.5}},
		"F16":  {[]byte{0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b, 0x55, 0x35}, []float32{1, -2, 5.9604645e-08, 65504, 0.33325195}},
		"I64":  {[]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0, 0, 0, 0}, []float32{-2, 256}},
		"I32":  {[]byte{0xfe, 0xff, 0xff, 0xff, 0, 1, 0, 0}, []float32{-2, 256}},
		"I16":  {[]byte{0xfe, 0xff, 0, 1}, []float32{-2, 256}},
		"I8":   {[]byte{0xfe, 7}, []float32{-2, 7}},
		"U8":   {[]byte{0xfe, 7}, []float32{254, 7}},
		"BOOL": {[]byte{1, 0}, []float32{1, 0}},
		"C64":  {[]byte{1, 0}, nil},
	} {
		if got := Decode[float32](dtype, c.raw); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", dtype, got, c.want)
		}
	}
}
