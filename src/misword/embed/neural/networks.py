"""A model as a network: run by ONNX Runtime or by PyTorch, and tried before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.requirements import Requirement
from misword.embed.neural.architecture import depth, unloadable
from misword.embed.neural.batches import Ids, Network, Reduce, States
from misword.embed.neural.fused_bert import lean
from misword.embed.neural.models import INSTALL, WEIGHTS, Model, has
from misword.embed.neural.onnx_network import graph, no_encoder
from misword.embed.neural.tokenizer import ORDINARY, Pieces

Dtype = Literal["float32", "int8"]


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


def uses_graph(model: Model, dtype: Dtype, layer: int | None) -> bool:
    """Whether ONNX Runtime runs it: where there is a graph and its last layer is asked for."""
    if model.graph(dtype) is None or (layer is not None and layer != depth(model)):
        return False
    return graph(model, dtype) is not None


def settings(model: Model, dtype: Dtype, layer: int | None) -> tuple[tuple[str, str], ...]:
    """What runs a model, for a signature; versions are left out, as they move a number by 1e-6."""
    runtime = "onnx" if uses_graph(model, dtype, layer) else "torch"
    return (("runtime", runtime), ("dtype", dtype))


def network(model: Model, dtype: Dtype = "float32", layer: int | None = None) -> Network:
    """Load a model once; `layer`: leave out what comes after so many layers."""
    return model.keep(("network", dtype, layer), lambda: _network(model, dtype, layer))


def probe(model: Model, dtype: Dtype, layer: int | None, pieces: Pieces, reduce: Reduce) -> None:
    """Run one text through it, so that what does not fit together is told before any work."""

    def run() -> None:
        loaded = network(model, dtype, layer)
        (ids,) = pieces.ids([ORDINARY])
        ids[-1] = pieces.greatest
        try:
            reduce(loaded.run(ids[None], np.ones_like(ids[None])), np.array([len(ids)]))
        except Exception as error:  # whatever PyTorch, ONNX Runtime and numpy raise
            what = "does not run: tokenizer, network and pooling do not fit together"
            raise unloadable(model, error, what) from error

    model.keep(("probe", dtype, layer), run)


def _network(model: Model, dtype: Dtype, layer: int | None) -> Network:
    if uses_graph(model, dtype, layer):
        found = graph(model, dtype)
        assert found is not None
        return found
    if dtype == "int8" and model.graph(dtype) is None:
        raise OptionError(
            f"model {model.name!r} offers no int8 graph",
            fix="use dtype=float32, or put an onnx/model_quantized.onnx into its folder",
        )
    if dtype == "int8" and layer not in (None, depth(model)):
        raise OptionError(
            f"model {model.name!r} offers no int8 graph of layer {layer}, only of the last",
            fix=f"use dtype=float32, or layer={depth(model)}",
        )
    if dtype == "int8" or (model.graph(dtype) and not has(model.folder, WEIGHTS)):
        raise InputError(
            "the graph does not give a vector of each piece of a text",
            where=str(model.graph(dtype)),
            fix="export it with an output last_hidden_state"
            + (", or use dtype=float32" if dtype == "int8" else ", or add the model's weights"),
        )
    refuse_others(model)
    return _load_torch(model, layer)


def refuse_others(model: Model) -> None:
    """Only what reads a whole text can say what it means."""
    Requirement(("transformers", "torch"), INSTALL).check(model.name)
    from transformers.models.auto import modeling_auto as known

    kind = model.config["model_type"]
    masked = kind in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    translates = kind in known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
    if not (masked or translates or model.read("modules.json")):
        raise no_encoder(model)


def _load_torch(model: Model, layer: int | None) -> TorchNetwork:
    import torch
    from transformers import AutoModel

    try:
        with _quiet():
            module = AutoModel.from_pretrained(str(model.folder), trust_remote_code=False)
    except Exception as error:  # whatever the files make transformers raise
        raise unloadable(model, error) from error
    if module.config.is_encoder_decoder:
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

    layers = depth(model)
    if not 1 <= layer <= layers:
        raise OptionError(
            f"layer {layer} of {model.name!r}, which has {layers}", fix=f"use 1 to {layers}"
        )
    stacks = {
        name: part
        for name, part in module.named_modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) == layers
    }
    for name, stack in stacks.items():  # but no list within a layer that is as long by chance
        if not any(name.startswith(f"{other}.") for other in stacks):
            del stack[layer:]
    module.config.num_hidden_layers = layer  # for models that run one layer again and again
    if hasattr(module, "n_layers"):  # XLM
        module.n_layers = layer
