package lzf

import (
	"bytes"
	"strings"
	"testing"
)

func TestUnpack(t *testing.T) {
	for _, c := range []struct {
		packed, want string
	}{
		{"", ""},
		{"\x02abc", "abc"},
		{"\x02abc\x20\x02", "abcabc"}, // three bytes from three before
		{"\x00a\x20\x00", "aaaa"},     // a repeat that runs into itself
		{"\x01ab\xe0\x03\x01", "abababababababab"[:2+12]}, // a long one: 2 + 7 + 3
	} {
		got, err := Unpack([]byte(c.packed), len(c.want))
		if err != nil || string(got) != c.want {
			t.Errorf("%q: found %q, %v, expected %q", c.packed, got, err, c.want)
		}
	}
	far := append([]byte{31}, bytes.Repeat([]byte{'x'}, 32)...)
	far = bytes.Repeat(far, 40) // 1280 bytes
	got, err := Unpack(append(far, 1<<5|4, 0), 1283)
	if err != nil || len(got) != 1283 {
		t.Errorf("a repeat from 1025 before: %d bytes, %v", len(got), err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	for packed, want := range map[string]string{"\x02ab": "run of 3", "\x20": "inside a repeat", "\xe0\x01": "inside a repeat", "\x00a\x20\x01": "before the start", "\x00ab": "inside a", "\x01ab": "expected 3 bytes, found 2", "\x03abcd": "found 4 or more"} {
		if _, err := Unpack([]byte(packed), 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", packed, err, want)
		}
	}
}
