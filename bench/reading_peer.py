#!/usr/bin/env python3
"""Time a PyTorch DataLoader that reads, centres and scales batches of clouds in random order, seconds per batch; prints JSON.

    .venv-torch/bin/python bench/reading_peer.py --file .out/bench/clouds/set.npy --workers 0

A cloud is centred and scaled at every visit, as in the original program, whose loader has no workers. An .npy file is mapped, an .npz is
loaded whole: NumPy does not map what is inside one. With --write-npz the clouds of the .npy are stored as .npz, for both programs.
"""

import argparse
import pathlib
import time

import numpy as np
import repeat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--file", type=pathlib.Path, required=True)
    parser.add_argument("--write-npz", type=pathlib.Path, help="store the clouds there and stop")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0, help="processes of the loader")
    args = parser.parse_args()
    if args.write_npz:
        half = args.write_npz.with_suffix(".half.npz")
        np.savez(half, data=np.load(args.file))
        half.replace(args.write_npz)
        return
    time_loader(args)


def time_loader(args):
    import torch

    data = np.load(args.file, mmap_mode="r")
    data = data["data"] if args.file.suffix == ".npz" else data
    torch.manual_seed(1)
    loader = torch.utils.data.DataLoader(
        Clouds(data), args.batch, shuffle=True, drop_last=True, num_workers=args.workers, persistent_workers=args.workers > 0
    )
    seconds, value = [], None
    for _ in range(args.passes):
        start = time.perf_counter()
        for batch in loader:
            if value is None:
                value = batch.norm(dim=2).mean().item()
        seconds.append((time.perf_counter() - start) / len(loader))
    repeat.report("torch", f"{torch.__version__}, {args.workers} workers", seconds, value=value)


class Clouds:
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, row):
        cloud = np.array(self.data[row], dtype=np.float32)
        cloud -= cloud.mean(axis=0)
        return cloud / np.sqrt(np.square(cloud).sum(axis=1).max())


if __name__ == "__main__":
    main()
