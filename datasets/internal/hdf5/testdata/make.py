"""Writes the files that the tests read; h5py 3.16, NumPy 2. Entry i of every array, in row-major order, is i % 251."""
import gzip
import os

import h5py
import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def numbers(*shape, dtype="f4"):
    return (np.arange(np.prod(shape, dtype=int)) % 251).reshape(shape).astype(dtype)


with h5py.File("default.h5", "w") as f:
    shape, odd = (7, 10, 3), (3, 4, 2)  # chunks that fit nowhere
    f.create_dataset("contiguous", data=numbers(*shape))
    f.create_dataset("gzip", data=numbers(*shape), chunks=odd, compression="gzip")
    f.create_dataset("shuffle", data=numbers(*shape), chunks=(2, 10, 3), compression="gzip", shuffle=True)
    f.create_dataset("lzf", data=numbers(*shape), chunks=(4, 10, 1), compression="lzf", shuffle=True)
    f.create_dataset("fletcher", data=numbers(*shape), chunks=(7, 10, 3), fletcher32=True)
    f.create_dataset("plain chunks", data=numbers(*shape), chunks=(1, 3, 3))
    f.create_dataset("line", data=numbers(100), chunks=(7,), compression="gzip")
    f.create_dataset("scalar", data=np.float32(0))
    f.create_dataset("empty", data=numbers(0, 3))
    grown = f.create_dataset("resized", data=numbers(9, 3), chunks=(2, 2), maxshape=(None, None))
    grown.resize((5, 3))
    for name in ("f2", "f8", ">f4", ">f8", "i1", "i2", ">i4", "i8", "u1", ">u2", "u4", "u8"):
        data = numbers(4, 3, dtype=name)
        f.create_dataset("types/" + name.replace(">", "big "), data=data)
    f.create_dataset("deep/er/group", data=numbers(2, 2))
    f["again"] = f["gzip"]  # a hard link
    f["soft"] = h5py.SoftLink("/gzip")
    f["deep/up"] = f["/"]  # a circle
    f.attrs["made by"] = "make.py"
    f.create_dataset("bad/text", data=["a", "b"])
    f.create_dataset("bad/bool", data=np.array([True, False]))
    f.create_dataset("bad/complex", data=np.zeros(2, "c8"))
    f.create_dataset("bad/missing chunk", shape=(4, 3), chunks=(2, 3), dtype="f4")[:2] = 1
    f.create_dataset("bad/never written", shape=(4, 3), dtype="f4")
    f.create_dataset("bad/scaleoffset", data=numbers(4, 3, dtype="i4"), chunks=(2, 3), scaleoffset=0)

with h5py.File("many.h5", "w") as f:  # trees of several levels
    f.create_dataset("data", data=numbers(400, 1, dtype="u1"), chunks=(1, 1))
    for i in range(40):
        f.create_dataset(f"group/{i}", data=numbers(1, 1, dtype="u1"))

with h5py.File("userblock.h5", "w", userblock_size=1024) as f:
    f.create_dataset("data", data=numbers(4, 5, 3))

for name in ("latest", "v110"):
    with h5py.File(name + ".h5", "w", libver=name) as f:
        shape, odd = (7, 10, 3), (3, 4, 2)
        f.create_dataset("contiguous", data=numbers(*shape))
        f.create_dataset("empty", data=numbers(0, 3), chunks=(2, 3), maxshape=(None, 3))
        single = f.create_group("single")
        single.create_dataset("plain", data=numbers(*shape), chunks=shape)
        single.create_dataset("gzip", data=numbers(*shape), chunks=shape, compression="gzip")
        early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        early.set_chunk(odd)
        early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        space = h5py.h5s.create_simple(shape, (9, 12, 4))
        implicit = h5py.h5d.create(f.id, b"implicit", h5py.h5t.IEEE_F32LE, space, early)
        implicit.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers(*shape))
        for index, largest in {"fixed": (9, 12, 4), "rows": (None, 10, 3), "columns": (7, None, 4), "tree": (None, 10, None)}.items():
            group = f.create_group(index)
            group.create_dataset("plain", data=numbers(*shape), chunks=odd, maxshape=largest)
            group.create_dataset("gzip", data=numbers(*shape), chunks=odd, maxshape=largest, compression="gzip", shuffle=True)
            shrunk = group.create_dataset("shrunk", data=numbers(12, 3), chunks=(2, 2), maxshape=(None if largest[0] is None else 14, 3))
            shrunk.resize((7, 3))
        f.create_dataset("bad/missing chunk", shape=(4, 3), chunks=(2, 3), dtype="f4")[:2] = 1
        f.create_dataset("bad/never written", shape=(4, 3), chunks=(2, 3), dtype="f4")

with h5py.File("large.h5", "w", libver="latest") as f:  # pages, trees and heaps of several levels; packed, as it is large
    f.create_dataset("fixed", data=numbers(2500, dtype="u1"), chunks=(1,))
    f.create_dataset("rows", data=numbers(140_000, dtype="u1"), chunks=(1,), maxshape=(None,))
    f.create_dataset("tree", data=numbers(80, 100, dtype="u1"), chunks=(1, 1), maxshape=(None, None))
    group = f.create_group("group")
    for i in range(700):
        group[f"{i:04}" + 990 * "x"] = f["fixed"]
with open("large.h5", "rb") as f, gzip.GzipFile("large.h5.gz", "wb", mtime=0) as packed:
    packed.write(f.read())
os.remove("large.h5")

with h5py.File("ordered.h5", "w", track_order=True) as f:
    f.create_dataset("z", data=numbers(4, 3))
    f.create_dataset("a", data=numbers(4, 3), chunks=(2, 3), compression="gzip")
    for i in range(20):
        f.attrs[f"long attribute {i}"] = "x" * 100

with h5py.File("heap.h5", "w", libver="latest") as f:  # so many links that they leave the header
    for i in range(30):
        f.create_dataset(f"a{i}", data=numbers(1, 1, dtype="u1"))

for name, libver in (("links.h5", "earliest"), ("links_latest.h5", "latest")):
    with h5py.File(name, "w", libver=libver) as f:
        f.create_dataset("real", data=numbers(4, 5, 3))
        f.create_dataset("g/own", data=numbers(2, 2))
        f["data"] = h5py.SoftLink("/real")
        f["chain"] = h5py.SoftLink("data")
        f["g/near"] = h5py.SoftLink("own")
        f["g/up"] = h5py.SoftLink("/chain")
        f["folder"] = h5py.SoftLink("/g")
        f["twin"] = f["g"]  # a hard link
        f["self"] = h5py.SoftLink("/")
        f["tour"] = h5py.SoftLink("/turn")
        f["turn"] = h5py.SoftLink("/tour")
        f["longer"] = h5py.SoftLink("/longer/longer")
        f["gone"] = h5py.SoftLink("/nowhere/data")
        f["far"] = h5py.ExternalLink("other.h5", "/data")
        f["names"] = np.array(["cup", "bowl", "cup", "b"], "S4")
        f["label"] = h5py.SoftLink("/names")
