"""What the optimized HLO of a program for a GPU asks of the device: kernels, bytes to and from memory, arithmetic."""

import math
import re
from collections import defaultdict
from dataclasses import dataclass

BYTES = dict(pred=1, s8=1, u8=1, s16=2, u16=2, f16=2, bf16=2, s32=4, u32=4, f32=4, s64=8, u64=8, f64=8)

HEAD = re.compile(r"(ENTRY )?%([\w.\-]+) \(.*\{$")
LINE = re.compile(r"\s+(ROOT )?%([\w.\-]+) = (\(.*?\)|\S+) ([\w\-]+)\((.*)$")
ARRAY = re.compile(r"\b(" + "|".join(BYTES) + r")\[([\d,]*)\]")
CONTRACTED = re.compile(r'lhs_contracting_dims=\{([\d,]*)\}|"lhs_contracting_dimensions":\[([\d",]*)\]')
CALLEE = r"=\{?%([\w.\-]+)"

# A product by cuBLAS; it returns its working space too.
PRODUCT = 'custom_call_target="__cublas$lt$matmul"'

# Instructions that are no work of the device.
FREE = {"parameter", "constant", "get-tuple-element", "bitcast", "tuple", "after-all"}
# Instructions whose work is in the computation that they call, and the attribute that names it.
CALLS = {"call": "to_apply", "async-start": "calls"}
# Arithmetic on single numbers, counted as one operation each.
SINGLE = set("add subtract multiply divide negate abs maximum minimum exponential exponential-minus-one log log-plus-one sqrt rsqrt power tanh sine cosine erf".split())


@dataclass
class Kernel:
    """A kernel, and how often a call of the program launches it."""

    name: str
    times: int
    bytes: int  # read and written, every array once
    flops: int  # of products
    singles: int  # floating-point operations outside of products


@dataclass
class Instruction:
    root: bool
    name: str
    shape: str
    op: str
    operands: list  # (name, number in its tuple or None)
    text: str  # operands and attributes


def arrays(shape):
    """The arrays of a shape: their bytes."""
    return [BYTES[kind] * math.prod(map(int, filter(None, dims.split(",")))) for kind, dims in ARRAY.findall(shape)]


def dims(shape, number=None):
    """The sizes of an array, or of the array of that number in a tuple."""
    return [int(d) for d in ARRAY.findall(shape)[number or 0][1].split(",") if d]


def parse(text):
    """The computations of a module by name, each a dict of instructions by name, and the name of the entry."""
    computations, entry, current = {}, None, None
    for line in text.splitlines():
        if head := HEAD.match(line):
            current = computations[head.group(2)] = {}
            entry = head.group(2) if head.group(1) else entry
        elif current is not None and (m := LINE.match(line)):
            inside = m.group(5)[: closing(m.group(5))]
            operands = [(name, int(number) if number else None) for name, number in re.findall(r"%([\w.\-]+)(?:#(\d+))?", inside)]
            current[m.group(2)] = Instruction(bool(m.group(1)), m.group(2), m.group(3), m.group(4), operands, m.group(5))
    if entry is None:
        raise ValueError("expected HLO with an ENTRY computation, found none")
    return computations, entry


def closing(text):
    """The place of the parenthesis that closes the operands."""
    depth = 1
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i
    return len(text)


def callee(instruction, attribute):
    return re.search(attribute + CALLEE, instruction.text).group(1)


def kernels(text):
    """The kernels of a call of the program. A loop whose number of turns XLA does not know is an error."""
    computations, entry = parse(text)
    found = []

    def walk(name, times):
        for i in computations[name].values():
            if i.op in FREE or i.op.endswith("-done"):
                continue
            if i.op in CALLS:
                walk(callee(i, CALLS[i.op]), times)
            elif i.op == "while":
                turns = re.search(r'"known_trip_count":\{"n":"(\d+)"', i.text)
                if not turns:
                    raise ValueError(f"expected a loop with a known number of turns, found {i.name}")
                walk(callee(i, "body"), times * int(turns.group(1)))  # XLA counts the turns itself and asks no condition
            elif i.op == "conditional" or i.op == "custom-call" and PRODUCT not in i.text:
                raise ValueError(f"expected instructions whose work is known, found the {i.op} {i.name}")
            else:
                found.append(Kernel(i.name, times, *work(computations, name, i)))

    walk(entry, 1)
    return found


def work(computations, name, i):
    """The bytes, the flops and the singles of one instruction that is a kernel."""
    here = computations[name]
    read = {operand: size(here, operand) for operand in i.operands}
    if i.op != "fusion":
        # Outside a fusion an update in place is an instruction of its own: it touches no more than its updates.
        body = {operand: here[operand] for operand, _ in i.operands} | {i.name: i}
        reads = sum(touched(body, operand[0], bytes) for operand, bytes in read.items())
        writes = arrays(i.shape)[0] if i.op == "custom-call" else written(body, i.name)
        return reads + writes, flops(computations, {i.name: i}, here), singles(computations, {i.name: i}, here)
    body = computations[callee(i, "calls")]
    parameters = {int(re.match(r"\d+", p.text).group()): p.name for p in body.values() if p.op == "parameter"}
    reads, seen = 0, set()
    for number, operand in enumerate(i.operands):
        if operand not in seen:
            seen.add(operand)
            reads += touched(body, parameters[number], read[operand])
    return reads + sum(written(body, root.name) for root in body.values() if root.root), flops(computations, body, body), singles(computations, body, body)


def size(here, operand):
    name, number = operand
    parts = arrays(here[name].shape)
    return sum(parts) if number is None else parts[number]


def touched(body, name, whole):
    """The bytes of a parameter that are read: of a slice or a gather what it takes, of an update in place nothing."""
    users = defaultdict(list)
    for i in body.values():
        for place, (operand, _) in enumerate(i.operands):
            users[operand].append((i, place))

    def read(name):
        total = 0
        for user, place in users[name]:
            if user.op == "bitcast":
                total += read(user.name)
            elif user.op in ("slice", "dynamic-slice", "gather") and place == 0:
                total += sum(arrays(user.shape))
            elif user.op not in ("dynamic-update-slice", "scatter") or place != 0:
                return whole
        return total

    return min(whole, read(name))


def written(body, name):
    """The bytes of a result that are written: of an update in place the updates."""
    i = body[name]
    if i.op in ("tuple", "bitcast"):
        return sum(written(body, operand) for operand, _ in i.operands)
    if i.op in ("dynamic-update-slice", "scatter"):
        return size(body, i.operands[1 if i.op == "dynamic-update-slice" else -1])
    return sum(arrays(i.shape))


def flops(computations, body, here):
    """Twice the multiplications of the products in a computation and in those of its fusions. Operands are those of here."""
    total = 0
    for i in body.values():
        if i.op == "dot" or i.op == "custom-call":
            contracted = "".join(CONTRACTED.search(i.text).groups(""))
            name, number = i.operands[0]
            left = dims(here[name].shape, number)
            total += 2 * math.prod(dims(i.shape)) * math.prod(left[int(k)] for k in re.findall(r"\d+", contracted))
        elif i.op == "fusion":
            inner = computations[callee(i, "calls")]
            total += flops(computations, inner, inner)
    return total


def singles(computations, body, here):
    """The floating-point operations outside of products, if every number is computed once. Operands are those of here."""
    total = 0
    for i in body.values():
        floating = i.shape.lstrip("(").startswith(("f", "bf"))
        if i.op == "fusion":
            inner = computations[callee(i, "calls")]
            total += singles(computations, inner, inner)
        elif floating and i.op in SINGLE:
            total += math.prod(dims(i.shape))
        elif floating and i.op == "reduce":
            total += math.prod(dims(here[i.operands[0][0]].shape))
    return total
