"""ONNX graphs of a model, run by ONNX Runtime."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.parts.contract import Requirement
from misword.embed.neural.batches import HiddenStates, TokenIds
from misword.embed.neural.models import INSTALL, Model

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUTS = ("last_hidden_state", "token_embeddings")


@dataclass(frozen=True, eq=False)
class OnnxNetwork:
    """A graph that ONNX Runtime runs; `output` is the name of its hidden states."""

    session: Any
    output: str

    @property
    def parallel(self) -> bool:
        """Batches are run in parallel on a CPU, one after the other on a GPU."""
        return bool(self.session.get_providers()[0] == "CPUExecutionProvider")

    def run(self, ids: TokenIds, mask: TokenIds) -> HiddenStates:
        """Return the hidden states of the last layer."""
        arrays = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        names = [tensor.name for tensor in self.session.get_inputs()]
        feed = {name: arrays[name] for name in names}
        return np.asarray(self.session.run([self.output], feed)[0])

    def single_threaded(self) -> AbstractContextManager[None]:
        """Return an empty context: the session was opened with one thread."""
        return nullcontext()


def load_graph(model: Model, dtype: str) -> OnnxNetwork | None:
    """Return the graph of a precision, opened once, if the model has one with hidden states."""
    return model.load_once(("graph", dtype), lambda: _open(model, dtype))


def _open(model: Model, dtype: str) -> OnnxNetwork | None:
    file = model.graph(dtype)
    if file is None:
        return None
    Requirement(("transformers", "onnxruntime"), INSTALL).check(model.name)
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # errors are reported below, not by the runtime
    preferred = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in preferred if name in onnxruntime.get_available_providers()]
    try:
        session = onnxruntime.InferenceSession(str(file), options, providers=providers)
    except Exception as error:  # onnxruntime has no base class of its errors
        raise InputError(
            f"ONNX Runtime cannot open it: {error}", where=str(file), fix="fetch it again"
        ) from error
    architectures = str(model.config.get("architectures"))
    generates = "CausalLM" in architectures or "LMHead" in architectures
    if generates or not {tensor.name for tensor in session.get_inputs()} <= set(INPUTS):
        raise not_an_encoder(model)
    ranks = {tensor.name: len(tensor.shape) for tensor in session.get_outputs()}
    output = _hidden_states_output(ranks)
    return OnnxNetwork(session, output) if output else None


def _hidden_states_output(ranks: dict[str, int]) -> str | None:
    """Return the name of the output with the hidden states, given the rank of each output.

    It has a usual name, or it is the only output of rank 3. Logits have rank 3 too, but their last
    axis is the vocabulary or the labels.
    """
    if usual := [name for name in OUTPUTS if name in ranks]:
        return usual[0]
    candidates = [name for name, rank in ranks.items() if rank == 3 and "logits" not in name]
    return candidates[0] if len(candidates) == 1 else None


def not_an_encoder(model: Model) -> OptionError:
    """Make the error for a model that only continues texts, or has no text as input."""
    return OptionError(
        f"model {model.name!r} is of type {model.config['model_type']!r}, which is no text encoder",
        where=str(model.folder),
        fix="name an encoder (BERT, RoBERTa, CamemBERT, ...) or a sentence-transformers model",
    )
