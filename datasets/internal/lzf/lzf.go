// Package lzf expands data compressed by LibLZF, which point cloud files (.pcd) use.
package lzf

import "fmt"

// Unpack expands packed to exactly size bytes. A byte c below 32 is followed by c+1 bytes as they
// are; any other repeats 2 + c>>5 bytes, with c>>5 = 7 that many more as the next byte says, from 1
// + 256 (c&31) + (the next byte) before the end. Memory grows with the bytes unpacked.
func Unpack(packed []byte, size int) ([]byte, error) {
	var out []byte
	for at := 0; at < len(packed); {
		c := int(packed[at])
		at++
		if c < 32 {
			if at+c+1 > len(packed) {
				return nil, fmt.Errorf("lzf: the data end inside a run of %d bytes", c+1)
			}
			out = append(out, packed[at:at+c+1]...)
			at += c + 1
		} else {
			length, need := c>>5, 1
			if length == 7 {
				need = 2
			}
			if at+need > len(packed) {
				return nil, fmt.Errorf("lzf: the data end inside a repeat")
			}
			if need == 2 {
				length += int(packed[at])
				at++
			}
			from := len(out) - 1 - (c&31)<<8 - int(packed[at])
			at++
			if from < 0 {
				return nil, fmt.Errorf("lzf: a repeat of bytes %d before the start", -from)
			}
			for i := range length + 2 { // byte by byte: a repeat may run into itself
				out = append(out, out[from+i])
			}
		}
		if len(out) > size {
			break
		}
	}
	if len(out) != size {
		return nil, fmt.Errorf("lzf: expected %d bytes, found %d or more", size, len(out))
	}
	return out, nil
}
