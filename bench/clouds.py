"""Procedural point clouds: random ellipsoids, boxes and tori, two or three to a cloud, free of any licence.

Every number comes from the hash of hashed.py, so a cloud is fixed by (seed, index) on every machine.
"""

import numpy as np

import hashed


def cloud(seed, index, points):
    """One cloud, float32 [points, 3]: centroid at 0, largest radius 1 (before the rounding to float32)."""
    first = 1000 + 16 * index  # 16 tensors of the hash for each cloud
    parts = 2 + int(hashed.unit(seed, first, 1)[0] * 2)
    part = np.minimum((hashed.unit(seed, first + 1, points) * parts).astype(int), parts - 1)
    a, b, c = (hashed.unit(seed, first + t, points) for t in (2, 3, 4))
    shape = hashed.unit(seed, first + 5, 16 * parts).reshape(parts, 16)
    out = np.empty((points, 3))
    for p in range(parts):
        rows = part == p
        kind = int(shape[p, 0] * 3)
        size = 0.3 + 0.7 * shape[p, 1:4]
        surface = (_ellipsoid, _box, _torus)[kind](a[rows], b[rows], c[rows], size)
        out[rows] = surface @ _rotation(shape[p, 4:8]).T + 1.6 * (shape[p, 8:11] - 0.5)
    return normalise(out).astype(np.float32)


def clouds(seed, count, points, first=0):
    """count clouds, float32 [count, points, 3], with the indices first, first + 1, ..."""
    return np.stack([cloud(seed, first + i, points) for i in range(count)])


def normalise(points):
    """Subtract the mean of the points, then divide by the largest norm (last two axes [points, 3])."""
    centred = points - points.mean(axis=-2, keepdims=True)
    return centred / np.linalg.norm(centred, axis=-1, keepdims=True).max(axis=-2, keepdims=True)


def _ellipsoid(a, b, _, size):
    z, angle = 2 * a - 1, 2 * np.pi * b
    ring = np.sqrt(1 - z * z)
    return np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1) * size


def _box(a, b, c, size):
    points = np.stack([2 * a - 1, 2 * b - 1, 2 * c - 1], axis=1)
    axis = np.abs(points).argmax(axis=1)
    rows = np.arange(len(points))
    points[rows, axis] = np.sign(points[rows, axis])  # push each point out to the nearest face
    return points * size


def _torus(a, b, _, size):
    around, tube = 2 * np.pi * a, 2 * np.pi * b
    radius = size[0] + 0.4 * size[1] * np.cos(tube)
    return np.stack([radius * np.cos(around), radius * np.sin(around), 0.4 * size[1] * np.sin(tube)], axis=1)


def _rotation(four):
    """Rotation matrix of the quaternion with the entries 2 * four - 1, normalised."""
    w, x, y, z = (2 * four - 1) / np.linalg.norm(2 * four - 1)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
