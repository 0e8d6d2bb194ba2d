"""Writes the .pt files of this folder (PyTorch 2.15). What is in them: torch_test.go."""
import os

import torch

here = os.path.dirname(os.path.abspath(__file__))


def save(name, value, **more):
    torch.save(value, os.path.join(here, name), **more)


def ramp(*shape, dtype=torch.float32):
    """0, 1, 2, ... times 0.5 - 1: exact in every type."""
    return (torch.arange(torch.Size(shape).numel(), dtype=torch.float64) * 0.5 - 1).to(dtype).reshape(shape)


class Boom:
    def __reduce__(self):
        return os.system, ("touch was_run",)


save("batch.pt", ramp(2, 4, 3))
save("one.pth", ramp(3, 5, dtype=torch.float64).t())  # a transposed view
save("legacy.pt", ramp(2, 4, 3), _use_new_zipfile_serialization=False)
save("whole.pt", torch.arange(12).reshape(4, 3))
save("dict.pt", {"data": ramp(2, 4, 3, dtype=torch.bfloat16), "label": torch.tensor([[7], [0]]), "note": "any"})
save("only.pt", {"points": ramp(2, 4, 3, dtype=torch.float16), "labels": torch.tensor([1, 2], dtype=torch.uint8)})
save("several.pt", {"points": ramp(2, 4, 3), "normals": ramp(2, 4, 3)})
save("halves.pt", {"data": ramp(2, 4, 3), "label": torch.tensor([0.5, 1])})
save("list.pt", [ramp(4, 3), ramp(5, 3)])
save("numbers.pt", {"data": 3})
save("flat.pt", ramp(6))
save("nan.pt", torch.tensor([[0.0, 1.0], [float("nan"), 2.0]]))
save("malicious.pt", {"data": ramp(4, 3), "x": Boom()})
