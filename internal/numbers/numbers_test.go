package numbers

import (
	"slices"
	"strings"
	"testing"
)

// TestNumbers: a row per type, with values that distinguish signs, widths and byte orders.
func TestNumbers(t *testing.T) {
	for code, c := range map[string]struct {
		raw  []byte
		want []float32
	}{
		"f4":  {[]byte{0, 0, 0xc0, 0x3f}, []float32{1.5}},
		"f8":  {[]byte{0, 0, 0, 0, 0, 0, 0, 0xc0}, []float32{-2}},
		">f8": {[]byte{0xc0, 0, 0, 0, 0, 0, 0, 0}, []float32{-2}},
		"B2":  {[]byte{0xc0, 0x3f}, []float32{1.5}},
		"f2":  {[]byte{0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b, 0x55, 0x35}, []float32{1, -2, 5.9604645e-08, 65504, 0.33325195}},
		"i8":  {[]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0, 0, 0, 0}, []float32{-2, 256}},
		">i4": {[]byte{0xff, 0xff, 0xff, 0xfe, 0, 0, 1, 0}, []float32{-2, 256}},
		"i2":  {[]byte{0xfe, 0xff, 0, 1}, []float32{-2, 256}},
		"i1":  {[]byte{0xfe, 7}, []float32{-2, 7}},
		"u1":  {[]byte{0xfe, 7}, []float32{254, 7}},
		"b1":  {[]byte{2, 0}, []float32{1, 0}},
	} {
		code, big := strings.CutPrefix(code, ">")
		kind := Of(code)
		kind.Big = big
		if got, err := Append(nil, kind, c.raw, Number[float32]); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v; %v", kind, got, c.want, err)
		}
	}
}
