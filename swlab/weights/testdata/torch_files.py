"""Writes the .pth files of this folder (PyTorch 2.15). What is in them: expect() in torch_test.go."""
import os
from collections import OrderedDict

import torch

here = os.path.dirname(os.path.abspath(__file__))


def save(name, value, **more):
    torch.save(value, os.path.join(here, name), **more)


def ramp(*shape, dtype=torch.float32):
    """0, 1, 2, ... times 0.5 - 1: exact in every type."""
    n = 1
    for s in shape:
        n *= s
    return (torch.arange(n, dtype=torch.float64) * 0.5 - 1).to(dtype).reshape(shape)


class Boom:
    def __reduce__(self):
        return os.system, ("touch was_run",)


plain = OrderedDict([("b.weight", ramp(3, 2, 1)), ("a.bias", ramp(3)), ("scalar", ramp(1)[0]),
                     ("bn.num_batches_tracked", torch.tensor(7))])
plain._metadata = {"": {"version": 1}}
save("plain.pth", plain)
save("legacy.pth", plain, _use_new_zipfile_serialization=False)
save("protocol4.pt", plain, pickle_protocol=4)

module = torch.nn.Sequential(torch.nn.Linear(2, 2))
adam = torch.optim.Adam(module.parameters())
module(torch.ones(1, 2)).sum().backward()
adam.step()
save("autoencoder.pth", {"epoch": 3, "loss": 0.5, "optimizer": adam.state_dict(), "autoencoder": plain})
save("model.pth", {"model": dict(plain), "note": "one"})
save("nested.pth", {"model": {"state_dict": plain, "epoch": 1}})

base = ramp(4, 6)
views = {"transposed": base.t(), "column": base[:, 2], "corner": base[1:3, 2:5], "expanded": ramp(3).expand(2, 3),
         "whole": base, "empty": torch.zeros(0, 3)}
save("views.pth", views)
save("views_legacy.pth", views, _use_new_zipfile_serialization=False)
save("types.pth", {"f16": ramp(5, dtype=torch.float16), "bf16": ramp(5, dtype=torch.bfloat16), "f64": ramp(5, dtype=torch.float64),
                   "f32": ramp(5)})
save("parameters.pth", {"w": torch.nn.Parameter(ramp(2, 3))})

save("malicious.pth", {"w": ramp(2), "x": Boom()})
save("malicious_legacy.pth", {"w": ramp(2), "x": Boom()}, _use_new_zipfile_serialization=False)
save("module.pth", module)
save("integers.pth", {"w": torch.arange(4)})
save("list.pth", [ramp(2)])
save("mixed.pth", {"w": ramp(2), "epoch": 3})
