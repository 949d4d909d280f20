"""The network of InferSent: a bidirectional LSTM, loaded from a file of published weights."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import Any

from misword.core.errors import InputError

WEIGHTS_URL = "https://dl.fbaipublicfiles.com/infersent/infersent2.pkl"
LAYER = "enc_lstm."


def load_infersent(file: str) -> tuple[Any, str]:
    """Return the `torch.nn.LSTM` of a file and the first 12 digits of the file's SHA-256.

    The size of the network is read from the file. Only tensors are read: no code in it is run.
    """
    try:
        stat = os.stat(file)
    except OSError as error:
        fix = f"the published weights: {WEIGHTS_URL}"
        raise InputError(str(error.strerror), where=file, fix=fix) from None
    return _load_unchanged(file, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=2)
def _load_unchanged(file: str, size: int, modified: int) -> tuple[Any, str]:
    """Load a file; size and time of modification are arguments so that a changed file is reread."""
    import torch

    wrong = InputError(
        "this is not the state of an InferSent encoder",
        where=file,
        fix=f"name a file of weights as published, such as {WEIGHTS_URL}",
    )
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except Exception:  # torch raises errors of many classes for damaged or foreign files
        raise wrong from None
    if not (isinstance(state, Mapping) and all(isinstance(name, str) for name in state)):
        raise wrong
    layer = {n.removeprefix(LAYER): value for n, value in state.items() if n.startswith(LAYER)}
    weights: Any = layer.get("weight_ih_l0")
    if not isinstance(weights, torch.Tensor) or weights.ndim != 2 or weights.shape[0] % 4:
        raise wrong
    network = torch.nn.LSTM(weights.shape[1], weights.shape[0] // 4, bidirectional=True)
    try:
        network.load_state_dict(layer)
    except RuntimeError:
        raise wrong from None
    with Path(file).open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()[:12]
    return network.float().eval(), digest
