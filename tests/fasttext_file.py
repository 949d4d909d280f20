"""Small fastText models, byte for byte."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray


def fasttext_bin(
    names: list[bytes],
    matrix: NDArray[np.float32],
    *,
    labels: int = 0,
    grams: tuple[int, int, int] = (0, 0, 0),
    pruned: list[tuple[int, int]] | None = None,
    quantised: bool = False,
    version: int = 12,
) -> bytes:
    """The bytes of a fastText model; `grams` are the shortest, the longest and the buckets."""
    shortest, longest, buckets = grams
    content = struct.pack("<ii", 793712314, version)
    arguments = [matrix.shape[1], 5, 5, 1, 5, 1, 2, 2, buckets, shortest, longest, 100]
    content += struct.pack("<12id", *arguments, 1e-4)
    size = -1 if pruned is None else len(pruned)
    content += struct.pack("<iiiqq", len(names) + labels, len(names), labels, 99, size)
    for i, name in enumerate([*names, *(b"__label__%d" % i for i in range(labels))]):
        content += name + b"\0" + struct.pack("<qb", 1, i >= len(names))
    for pair in pruned or []:
        content += struct.pack("<ii", *pair)
    content += struct.pack("<?qq", quantised, *matrix.shape)
    return content + matrix.astype("<f4").tobytes() + b"\0output"
