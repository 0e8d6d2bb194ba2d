"""Checks run.py's reading of a profile against one written here, byte by byte; check calls it."""

import run


def field(number, value):
    if isinstance(value, int):
        return varint(number * 8) + varint(value)
    return varint(number * 8 + 2) + varint(len(value)) + value


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def plane(name, line):
    names = b"".join(field(4, field(1, k) + field(2, field(1, k) + field(2, v))) for k, v in ((3, b"sort_7"), (300, b"fusion")))
    events = b"".join(field(4, field(1, k) + field(2, 10**12) + field(3, ps)) for k, ps in ((3, 5_000_000), (300, 7), (3, 1_000_000)))
    return field(1, field(1, 1) + field(2, name) + field(3, field(1, 9) + field(2, line) + events) + names)


space = plane(b"/host:CPU", b"Stream #1") + plane(b"/device:GPU:0", b"XLA Ops") + plane(b"/device:GPU:0", b"Stream #13(Compute)")
for end in (b"", b"\0"):
    found = run.kernel_times(space + end)
    if {k: (n, round(s * 1e12)) for k, (n, s) in found.items()} != {"sort_7": (2, 6_000_000), "fusion": (1, 7)}:
        raise SystemExit(f"FAILED: the profile is read as {found}")
