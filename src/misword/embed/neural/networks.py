"""Networks of models, run by ONNX Runtime or PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.parts.contract import Requirement, Settings
from misword.embed.neural.architecture import layer_count, unloadable
from misword.embed.neural.batches import HiddenStates, Network, Reduce, TokenIds
from misword.embed.neural.fused_bert import fuse
from misword.embed.neural.models import INSTALL, WEIGHTS, Model, has_file
from misword.embed.neural.onnx_network import load_graph, not_an_encoder
from misword.embed.neural.tokenizer import COMMON_WORDS, Tokenizer

Dtype = Literal["float32", "int8"]


@dataclass(frozen=True, eq=False)
class TorchNetwork:
    """A model that PyTorch runs, on a GPU if there is one."""

    module: Any
    device: str

    @property
    def parallel(self) -> bool:
        """Batches are run in parallel on a CPU, one after the other on a GPU."""
        return self.device == "cpu"

    def run(self, ids: TokenIds, mask: TokenIds) -> HiddenStates:
        """Return the hidden states of the last layer."""
        import torch

        with torch.inference_mode():
            inputs = (torch.from_numpy(array).to(self.device) for array in (ids, mask))
            states = self.module(*inputs)[0]
            return np.asarray(states.float().cpu().numpy())

    @contextmanager
    def single_threaded(self) -> Iterator[None]:
        """Set the number of PyTorch's threads to one within this context."""
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def uses_graph(model: Model, dtype: Dtype, layer: int | None) -> bool:
    """Whether ONNX Runtime runs the model: it has a graph, and the layer is the last one."""
    if model.graph(dtype) is None or (layer is not None and layer != layer_count(model)):
        return False
    return load_graph(model, dtype) is not None


def settings(model: Model, dtype: Dtype, layer: int | None) -> Settings:
    """Return the runtime of a model as settings of a signature.

    Versions of the runtime are left out, since they change a number by about 1e-6.
    """
    runtime = "onnx" if uses_graph(model, dtype, layer) else "torch"
    return (("runtime", runtime), ("dtype", dtype))


def load_network(model: Model, dtype: Dtype = "float32", layer: int | None = None) -> Network:
    """Return the network of a model, loaded once; layers after `layer` are left out."""
    return model.load_once(("network", dtype, layer), lambda: _load(model, dtype, layer))


def try_model(
    model: Model, dtype: Dtype, layer: int | None, tokenizer: Tokenizer, reduce: Reduce
) -> None:
    """Run one text through the network; raise if tokenizer, network and pooling do not match.

    The text contains the greatest token id, for which a network with a smaller vocabulary fails.
    """

    def run() -> None:
        network = load_network(model, dtype, layer)
        (ids,) = tokenizer.ids([COMMON_WORDS])
        ids[-1] = tokenizer.greatest_id
        try:
            reduce(network.run(ids[None], np.ones_like(ids[None])), np.array([len(ids)]))
        except Exception as error:  # PyTorch, ONNX Runtime and numpy raise many kinds of errors
            what = "does not run: tokenizer, network and pooling do not fit together"
            raise unloadable(model, error, what) from error

    model.load_once(("tried", dtype, layer), run)


def _load(model: Model, dtype: Dtype, layer: int | None) -> Network:
    if uses_graph(model, dtype, layer):
        graph = load_graph(model, dtype)
        assert graph is not None
        return graph
    if dtype == "int8" and model.graph(dtype) is None:
        raise OptionError(
            f"model {model.name!r} offers no int8 graph",
            fix="use dtype=float32, or put an onnx/model_quantized.onnx into its folder",
        )
    if dtype == "int8" and layer not in (None, layer_count(model)):
        raise OptionError(
            f"model {model.name!r} offers no int8 graph of layer {layer}, only of the last",
            fix=f"use dtype=float32, or layer={layer_count(model)}",
        )
    if dtype == "int8" or (model.graph(dtype) and not has_file(model.folder, WEIGHTS)):
        raise InputError(
            "the graph does not give a vector of each piece of a text",
            where=str(model.graph(dtype)),
            fix="export it with an output last_hidden_state"
            + (", or use dtype=float32" if dtype == "int8" else ", or add the model's weights"),
        )
    check_text_encoder(model)
    return _load_torch(model, layer)


def check_text_encoder(model: Model) -> None:
    """Raise unless each token of the model sees the whole text.

    Such models are masked language models, the encoders of translation models, and
    sentence-transformers models. In a model that only continues texts, a token sees only the tokens
    before it.
    """
    Requirement(("transformers", "torch"), INSTALL).check(model.name)
    from transformers.models.auto import modeling_auto as names

    kind = model.config["model_type"]
    masked = kind in names.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    translates = kind in names.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES
    if not (masked or translates or model.read_json("modules.json")):
        raise not_an_encoder(model)


def _load_torch(model: Model, layer: int | None) -> TorchNetwork:
    import torch
    from transformers import AutoModel

    try:
        with silent_transformers():
            module = AutoModel.from_pretrained(str(model.folder), trust_remote_code=False)
    except Exception as error:  # transformers raises many kinds of errors for invalid files
        raise unloadable(model, error) from error
    if module.config.is_encoder_decoder:
        module = module.get_encoder()
    if layer is not None:
        keep_first_layers(module, layer, model)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    module = module.eval().float().to(device)
    return TorchNetwork(fuse(module) if device == "cpu" else module, device)


@contextmanager
def silent_transformers() -> Iterator[None]:
    """Disable the progress bars and warnings of transformers, such as those on unused heads."""
    from transformers import utils

    logging: Any = utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def keep_first_layers(module: Any, layer: int, model: Model) -> None:
    """Remove the layers after the first `layer` layers from a PyTorch module."""
    import torch

    layers = layer_count(model)
    if not 1 <= layer <= layers:
        raise OptionError(
            f"layer {layer} of {model.name!r}, which has {layers}", fix=f"use 1 to {layers}"
        )
    stacks = {
        name: part
        for name, part in module.named_modules()
        if isinstance(part, torch.nn.ModuleList) and len(part) == layers
    }
    for name, stack in stacks.items():  # except a list of the same length within a layer
        if not any(name.startswith(f"{other}.") for other in stacks):
            del stack[layer:]
    module.config.num_hidden_layers = layer  # for models that run one layer repeatedly
    if hasattr(module, "n_layers"):  # XLM
        module.n_layers = layer
