"""Calls of the shared library, libswlab.so, on NumPy's buffers."""

import ctypes
import json
import os
import pathlib
import warnings

import numpy as np

_path = pathlib.Path(__file__).with_name("libswlab.so")
_library = None
_forked = False


def _load():
    """The library, loaded by the first call: a process that only imports this package may still fork."""
    global _library
    if _forked:
        raise RuntimeError(
            "swlab was used before this process was forked, and its threads did not survive that: "
            'start processes by multiprocessing.get_context("spawn") or "forkserver", or use swlab in the children alone'
        )
    if _library is None:
        library = ctypes.CDLL(os.fspath(_path))
        library.swlab_call.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)]
        library.swlab_call.restype = ctypes.c_void_p
        library.swlab_read.argtypes = [ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
        library.swlab_read.restype = None
        library.swlab_free.argtypes = [ctypes.c_size_t, ctypes.c_void_p]
        library.swlab_free.restype = None
        _library = library
    return _library


def _after_fork():
    global _forked
    _forked = _library is not None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def array(name, values, axes, dtype=np.float32):
    """values as the library reads them: row-major, with that many axes.

    A C-contiguous, aligned array of that type is returned as it is. Everything else is copied, and
    other numbers are rounded to it.
    """
    given = np.asarray(values)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"{name}: expected an array of real numbers, found dtype {given.dtype}")
    if given.ndim not in axes:
        raise ValueError(f"{name}: expected {' or '.join(map(str, axes))} axes, found shape {given.shape}")
    with np.errstate(over="ignore"):  # the library refuses infinite numbers, and says where they are
        return np.require(given, dtype, ["C", "A"])


def call(function, settings, arrays, seed=0):
    """Call a function of the library; returns its texts and its arrays.

    settings whose value is None are left to the library. Other threads run meanwhile.
    """
    if isinstance(seed, bool) or seed != int(seed) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"seed: expected a whole number from 0 to 2**64 - 1, found {seed}")
    library = _load()
    request = {
        "function": function,
        "seed": int(seed),
        "settings": {name: str(value) for name, value in settings.items() if value is not None},
        "arrays": [{"name": name, "shape": a.shape, "dtype": str(a.dtype)} for name, a in arrays.items()],
    }
    pointers = (ctypes.c_void_p * max(1, len(arrays)))(*[a.ctypes.data for a in arrays.values()])
    result = ctypes.c_size_t()
    text = library.swlab_call(json.dumps(request).encode(), pointers, ctypes.byref(result))
    try:
        answer = json.loads(ctypes.string_at(text))
        if "error" in answer:
            kinds = {"value": ValueError, "memory": MemoryError}
            raise kinds.get(answer["kind"], RuntimeError)(answer["error"])
        for warning in answer.get("warnings", []):
            warnings.warn(warning, stacklevel=3)
        found = {}
        for i, a in enumerate(answer.get("arrays", [])):
            found[a["name"]] = np.empty(a["shape"], a["dtype"])
            library.swlab_read(result, i, found[a["name"]].ctypes.data)
        return answer.get("text", {}), found
    finally:
        library.swlab_free(result, text)
