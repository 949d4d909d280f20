"""An encoder's tokenizer and the encoder itself: run by ONNX Runtime or by PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError, OptionError
from misword.embed.neural.batches import Ids, Network, States
from misword.embed.neural.lean import lean
from misword.embed.neural.models import INSTALL, Model, find
from misword.text.needs import Need, version_of

Dtype = Literal["float32", "int8"]

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
LONG = 10_000  # pieces that no model takes: what tokenizers say that know no limit


@dataclass(frozen=True, eq=False)
class Pieces:
    """A model's tokenizer: texts to ids of pieces, at most `limit` for each."""

    tokenizer: Any
    limit: int

    def ids(self, texts: Sequence[str]) -> list[Ids]:
        """The pieces of each text, with the model's own marks at its ends."""
        if not texts:
            return []
        cut = self.tokenizer(list(texts), truncation=True, max_length=self.limit)
        return [np.array(row, np.int64) for row in cut["input_ids"]]

    def beyond(self, texts: Sequence[str], rows: Sequence[Ids]) -> NDArray[np.bool_]:
        """Which texts, whose `ids` are the rows, have more pieces than that."""
        found = np.array([len(row) >= self.limit for row in rows], np.bool_)
        for at in np.flatnonzero(found).tolist():  # cut, or just as long
            whole = self.tokenizer(texts[at], truncation=False, verbose=False)["input_ids"]
            found[at] = len(whole) > self.limit
        return found

    @property
    def padding(self) -> int:
        """The id of what fills a batch up."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def marks(self) -> tuple[int, ...]:
        """The ids that begin and end a text."""
        ends = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        return tuple(mark for mark in ends if mark is not None)


@dataclass(frozen=True, eq=False)
class TorchNetwork:
    """A model that PyTorch runs, on a graphics card if there is one."""

    module: Any
    device: str

    @property
    def parallel(self) -> bool:
        """Batches side by side, but on a graphics card."""
        return self.device == "cpu"

    def run(self, ids: Ids, mask: Ids) -> States:
        """The states of the last layer."""
        import torch

        with torch.inference_mode():
            given = (torch.from_numpy(array).to(self.device) for array in (ids, mask))
            states = self.module(*given)[0]
            return np.asarray(states.float().cpu().numpy())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """PyTorch's own threads are put aside."""
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


@dataclass(frozen=True, eq=False)
class OnnxNetwork:
    """A graph that ONNX Runtime runs."""

    session: Any

    @property
    def parallel(self) -> bool:
        """Batches side by side, but on a graphics card."""
        return bool(self.session.get_providers()[0] == "CPUExecutionProvider")

    def run(self, ids: Ids, mask: Ids) -> States:
        """The graph's first output."""
        given = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        names = [put.name for put in self.session.get_inputs()]
        return np.asarray(self.session.run(None, {name: given[name] for name in names})[0])

    def alone(self) -> AbstractContextManager[None]:
        """The session was opened for one thread."""
        return nullcontext()


def need(model: Model, dtype: Dtype, layer: int | None) -> Need:
    """The packages that run a model."""
    if uses_graph(model, dtype, layer):
        return Need(("transformers", "onnxruntime"), INSTALL)
    return Need(("transformers", "torch"), INSTALL)


def uses_graph(model: Model, dtype: Dtype, layer: int | None) -> bool:
    """Whether ONNX Runtime runs it: where there is a graph and its last layer is asked for."""
    if layer is not None and layer != model.config.get("num_hidden_layers"):
        return False
    return model.graph(dtype) is not None


def settings(model: Model, dtype: Dtype, layer: int | None) -> tuple[tuple[str, str], ...]:
    """What runs a model, for a signature; versions are left out, as they move a number by 1e-6."""
    runtime = "onnx" if uses_graph(model, dtype, layer) else "torch"
    return (("runtime", runtime), ("dtype", dtype))


@cache
def network(name: str, dtype: Dtype = "float32", layer: int | None = None) -> Network:
    """Load a model once; `layer`: leave out what comes after so many layers."""
    model = find(name)
    need(model, dtype, layer).check(name)
    if dtype == "int8" and not uses_graph(model, dtype, layer):
        raise OptionError(
            f"model {name!r} offers no int8 graph" + (f" of layer {layer}" if layer else ""),
            fix="use dtype=float32, or put an onnx/model_quantized.onnx into its folder",
        )
    if uses_graph(model, dtype, layer):
        return _open_graph(model, dtype)
    refuse_others(model)
    return _load_torch(model, layer)


def refuse_others(model: Model) -> None:
    """Only what reads a whole text can say what it means."""
    from transformers.models.auto import modeling_auto as known

    kind = model.config["model_type"]
    masked = kind in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    translates = kind in known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
    if not (masked or translates or model.read("modules.json")):
        raise _no_encoder(model)


@cache
def pieces(name: str, limit: int | None = None) -> Pieces:
    """Load a model's tokenizer once; `limit`: so many pieces at most, else what the model takes."""
    model = find(name)
    Need(("transformers",), INSTALL).check(name)
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(str(model.folder), local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise _unloadable(model, error) from error
    return Pieces(tokenizer, limit or _longest(model, tokenizer))


def _longest(model: Model, tokenizer: Any) -> int:
    """As many pieces as the tokenizer says, or as the model has places for."""
    said = int(tokenizer.model_max_length)
    if said < LONG:
        return said
    # RoBERTa and its like count places from after the padding's number.
    return int(model.config.get("max_position_embeddings") or 514) - 2


def _open_graph(model: Model, dtype: Dtype) -> OnnxNetwork:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    file = str(model.graph(dtype))
    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
    try:
        session = onnxruntime.InferenceSession(file, options, providers=providers)
    except Exception as error:  # onnxruntime has no error of its own to name
        raise InputError(
            f"ONNX Runtime cannot open it: {error}", where=file, fix="fetch it again"
        ) from error
    made = str(model.config.get("architectures"))
    speaks = "CausalLM" in made or "LMHead" in made
    if speaks or not {put.name for put in session.get_inputs()} <= set(INPUTS):
        raise _no_encoder(model)
    return OnnxNetwork(session)


def _load_torch(model: Model, layer: int | None) -> TorchNetwork:
    import torch
    from transformers import AutoModel

    try:
        with _quiet():
            module = AutoModel.from_pretrained(str(model.folder), local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        raise _unloadable(model, error) from error
    if model.config.get("is_encoder_decoder"):
        module = module.get_encoder()
    if layer is not None:
        cut(module, layer, model)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    module = module.eval().float().to(device)
    return TorchNetwork(lean(module) if device == "cpu" else module, device)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bars and reports of transformers: a model's unused heads are no news."""
    from transformers import utils

    told: Any = utils.logging
    level, bars = told.get_verbosity(), told.is_progress_bar_enabled()
    told.set_verbosity_error()
    told.disable_progress_bar()
    try:
        yield
    finally:
        told.set_verbosity(level)
        if bars:
            told.enable_progress_bar()


def cut(module: Any, layer: int, model: Model) -> None:
    """Leave out the layers after the first so many."""
    import torch

    depth = module.config.num_hidden_layers
    if not 1 <= layer <= depth:
        raise OptionError(
            f"layer {layer} of {model.name!r}, which has {depth}", fix=f"use 1 to {depth}"
        )
    stacks = [
        part
        for part in module.modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) == depth
    ]
    module.config.num_hidden_layers = layer  # for models that run one layer again and again
    for stack in stacks:
        del stack[layer:]


def _no_encoder(model: Model) -> OptionError:
    return OptionError(
        f"model {model.name!r} is of type {model.config['model_type']!r}, which is no text encoder",
        where=str(model.folder),
        fix="name an encoder (BERT, RoBERTa, CamemBERT, ...) or a sentence-transformers model",
    )


def _unloadable(model: Model, error: Exception) -> InputError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(
        f"the model does not load: {reason}",
        where=str(model.folder),
        fix=f"check the folder; transformers is {version_of('transformers')}",
    )
