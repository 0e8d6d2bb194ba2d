"""Writes the files that the tests read; h5py 3.16, NumPy 2. Entry i of every array, in row-major order, is i % 251."""
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

with h5py.File("latest.h5", "w", libver="latest") as f:
    f.create_dataset("contiguous", data=numbers(7, 10, 3))
    f.create_group("fixed").create_dataset("gzip", data=numbers(7, 10, 3), chunks=(3, 4, 2), compression="gzip", shuffle=True)

with h5py.File("ordered.h5", "w", track_order=True) as f:
    f.create_dataset("z", data=numbers(4, 3))
    f.create_dataset("a", data=numbers(4, 3), chunks=(2, 3), compression="gzip")
    for i in range(20):
        f.attrs[f"long attribute {i}"] = "x" * 100

with h5py.File("links.h5", "w") as f:
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
    f["out/far"] = h5py.ExternalLink("other.h5", "/data")
    f["names"] = np.array(["cup", "bowl", "cup", "b"], "S4")
    f["label"] = h5py.SoftLink("/names")
