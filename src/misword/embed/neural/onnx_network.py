"""ONNX graphs of a model, run by ONNX Runtime."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.requirements import Requirement
from misword.embed.neural.batches import Ids, States
from misword.embed.neural.models import INSTALL, Model

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("last_hidden_state", "token_embeddings")


@dataclass(frozen=True, eq=False)
class OnnxNetwork:
    """A graph that ONNX Runtime runs, and its output that is a vector of each piece."""

    session: Any
    output: str

    @property
    def parallel(self) -> bool:
        """Batches side by side, but on a graphics card."""
        return bool(self.session.get_providers()[0] == "CPUExecutionProvider")

    def run(self, ids: Ids, mask: Ids) -> States:
        """The states of the last layer."""
        given = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        names = [put.name for put in self.session.get_inputs()]
        feed = {name: given[name] for name in names}
        return np.asarray(self.session.run([self.output], feed)[0])

    def alone(self) -> AbstractContextManager[None]:
        """The session was opened for one thread."""
        return nullcontext()


def graph(model: Model, dtype: str) -> OnnxNetwork | None:
    """The model's graph of a precision, opened once, if it has one that gives states of pieces."""
    return model.keep(("graph", dtype), lambda: _open(model, dtype))


def _open(model: Model, dtype: str) -> OnnxNetwork | None:
    file = model.graph(dtype)
    if file is None:
        return None
    Requirement(("transformers", "onnxruntime"), INSTALL).check(model.name)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # what is wrong is told once, by us
    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
    try:
        session = onnxruntime.InferenceSession(str(file), options, providers=providers)
    except Exception as error:  # onnxruntime has no error of its own to name
        raise InputError(
            f"ONNX Runtime cannot open it: {error}", where=str(file), fix="fetch it again"
        ) from error
    made = str(model.config.get("architectures"))
    speaks = "CausalLM" in made or "LMHead" in made
    if speaks or not {put.name for put in session.get_inputs()} <= set(INPUTS):
        raise no_encoder(model)
    output = _states({put.name: len(put.shape) for put in session.get_outputs()})
    return OnnxNetwork(session, output) if output else None


def _states(ranks: dict[str, int]) -> str | None:
    """The output, by rank, that has a vector of each piece: by its name, or the only one it can be.

    Logits have that rank too, but as many numbers as there are words or labels.
    """
    if named := [name for name in OUTPUTS if name in ranks]:
        return named[0]
    left = [name for name, rank in ranks.items() if rank == 3 and "logits" not in name]
    return left[0] if len(left) == 1 else None


def no_encoder(model: Model) -> OptionError:
    """What is said of a model that only continues texts, or does not read them."""
    return OptionError(
        f"model {model.name!r} is of type {model.config['model_type']!r}, which is no text encoder",
        where=str(model.folder),
        fix="name an encoder (BERT, RoBERTa, CamemBERT, ...) or a sentence-transformers model",
    )
