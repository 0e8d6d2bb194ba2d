"""Calls of the shared library, libswlab.so, on NumPy's buffers."""

import ctypes
import json
import math
import numbers
import os
import pathlib
import reprlib
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
    """values as the library reads them: row-major, with that many axes. Without a dtype they are float32
    where that holds every number of their own type, else float64.

    A C-contiguous, aligned array of that type is returned as it is. Everything else is copied, and
    other numbers are rounded to it.
    """
    if masked(values):
        raise ValueError(
            f"{name}: expected an array without a mask, found a masked array: leave the masked points out, as in "
            "c[~np.ma.getmaskarray(c).any(axis=-1)].data for a cloud c, or give them masses of 0"
        )
    try:
        given = np.asarray(values)
    except Exception as error:
        raise TypeError(f"{name}: expected an array of real numbers, found {found(values)}: {error}") from error
    if given.dtype.kind not in "fiu":
        raise TypeError(f"{name}: expected an array of real numbers, found {found(values)} of dtype {given.dtype}")
    if given.ndim not in axes:
        line = f"; a cloud on the line is {name}[:, None]" if given.ndim == 1 and name in ("x", "y") else ""
        raise ValueError(f"{name}: expected {' or '.join(map(str, axes))} axes, found shape {given.shape}{line}")
    if dtype is None:
        dtype = np.float32 if np.can_cast(given.dtype, np.float32) else np.float64
    with np.errstate(invalid="ignore"):  # 2^63, which is no int64
        if given.dtype.kind in "iu" and (given.astype(np.float64).astype(given.dtype) != given).any():
            raise ValueError(
                f"{name}: float64 holds whole numbers up to 2^53 exactly, found {given.flat[abs(given).argmax()]}; "
                "subtract an origin first"
            )
    with np.errstate(over="ignore"):  # the library refuses infinite numbers, and says where they are
        return np.require(given, dtype, ["C", "A"])


def masked(values):
    """Whether values are a masked array, or hold one, whose mask NumPy would drop."""
    return isinstance(values, np.ma.MaskedArray) or isinstance(values, (list, tuple)) and any(map(masked, values))


def found(value):
    """A value in an error, on one line."""
    return " ".join(reprlib.repr(value).split())


# What the arguments that are no arrays have to be; text if they are not listed.
_KINDS = {name: kind for kind, names in {
    "a whole number": "slices features permutations quantiles steps points starts chain replicates ascent_steps ascent_starts budget dk k n seed",
    "a finite number": "p kappa epsilon reg ascent_rate gap temperature kernel",
    "True or False": "gradient bracket population scale root ascent_tangent ascent_sgd certify round fine_tune",
    "the path of a file": "weights",
    "text": "loss slicing reduce control ground reflection amortizer variant normalize path cost",
}.items() for name in names.split()}  # fmt: skip


def setting(name, value):
    """An argument as text, if it is of its kind."""
    kind = _KINDS.get(name, "a number, True, False or text")
    plain = value.item() if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 else value
    if kind == "True or False":
        good = isinstance(plain, bool)
    elif kind == "a whole number":
        good = isinstance(plain, numbers.Integral) and not isinstance(plain, bool)
    elif kind == "a finite number":
        good = isinstance(plain, numbers.Real) and not isinstance(plain, bool) and abs(plain) < math.inf
    elif kind == "the path of a file":
        good = isinstance(plain, (str, bytes, os.PathLike))
    elif kind == "text":
        good = isinstance(plain, str)
    else:
        good = isinstance(plain, (bool, numbers.Real, str))
    if not good:
        raise ValueError(f"{name}: expected {kind}, found {found(value)}")
    return os.fsdecode(plain) if kind == "the path of a file" else str(plain)


def call(function, settings, arrays, seed=0, level=3, folder=None):
    """Call a function of the library; returns its texts and its arrays.

    settings are the arguments that were given. Other threads run meanwhile. level is the depth of the
    caller's code on the stack, to which warnings point. folder is where relative paths start.
    """
    try:
        whole = int(setting("seed", seed))
    except ValueError:
        whole = -1
    if not 0 <= whole < 2**64:
        raise ValueError(f"seed: expected a whole number from 0 to 2**64 - 1, found {found(seed)}")
    texts = {name: setting(name, value) for name, value in settings.items()}
    library = _load()
    request = {
        "function": function,
        "seed": whole,
        "dir": folder or os.getcwd(),
        "settings": texts,
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
            warnings.warn(warning, stacklevel=level)
        results = {}
        for i, a in enumerate(answer.get("arrays", [])):
            results[a["name"]] = np.empty(a["shape"], a["dtype"])
            library.swlab_read(result, i, results[a["name"]].ctypes.data)
        return answer.get("text", {}), results
    finally:
        library.swlab_free(result, text)
