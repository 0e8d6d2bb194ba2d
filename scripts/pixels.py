"""The pixels of a screenshot, read from its PNG."""

import struct
import zlib
from collections import Counter


def pixels(png):
    """Rows of an 8-bit PNG without interlacing, each as a list of (red, green, blue)."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            if depth != 8 or color not in (2, 6) or interlaced:
                raise ValueError(f"expected a PNG of 8 bits a channel in RGB or RGBA, found depth {depth}, colour type {color}")
        elif kind == b"IDAT":
            data += body
        at += length + 12
    channels = 3 if color == 2 else 4
    raw, stride = zlib.decompress(data), width * channels
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), above, channels)
        rows.append(list(zip(above[::channels], above[1::channels], above[2::channels])))
    return rows


def unfilter(kind, row, above, channels):
    """The row before one of the five filters of PNG."""
    for i in range(len(row)):
        left = row[i - channels] if i >= channels else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        elif kind == 4:
            corner = above[i - channels] if i >= channels else 0
            p = left + above[i] - corner
            a, b, c = abs(p - left), abs(p - above[i]), abs(p - corner)
            guess = left if a <= b and a <= c else above[i] if b <= c else corner
        else:
            break
        row[i] = (row[i] + guess) & 255
    return row


def drawn(png, ground=0.95):
    """Whether there is a picture: at least 16 colours, and no more than that share of the pixels in the most frequent one."""
    counts = Counter(pixel for row in pixels(png) for pixel in row)
    return len(counts) >= 16 and counts.most_common(1)[0][1] < ground * counts.total()


def changed(before, after):
    """Share of the pixels that differ, 1 where the sizes do."""
    a, b = pixels(before), pixels(after)
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        return 1.0
    return sum(p != q for r, s in zip(a, b) for p, q in zip(r, s)) / (len(a) * len(a[0]))
