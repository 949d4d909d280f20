"""Networks of models, run by ONNX Runtime or PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from misword.core.errors import InputError, OptionError
from misword.core.parts import Requirement, Settings
from misword.embed.neural.batches import HiddenStates, Network, Reduce, TokenIds
from misword.embed.neural.models import INSTALL, WEIGHTS, Model, has_file, layer_count, unloadable
from misword.embed.neural.tokenizer import COMMON_WORDS, Tokenizer

# ONNX graphs of a model.

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


# A faster implementation of BERT for CPUs.
#
# BERT, RoBERTa and similar models spend a quarter of their time moving numbers between matrix
# products. Here queries, keys and values come from one product, and biases, residuals and
# activations are added in place. The sums are the same, and the time is a few per cent shorter.
# The output is compared with the model's own when the model is loaded; if the two differ, the
# model's own implementation is used.

KINDS = ("bert", "camembert", "roberta", "xlm-roberta")
TOLERANCE = 1e-4


@dataclass(frozen=True, eq=False)
class FusedLayer:
    """The transposed weights and biases of a layer, and its two layer norms."""

    query_key_value: tuple[Any, Any]
    attention_output: tuple[Any, Any]
    attention_norm: Any
    intermediate: tuple[Any, Any]
    output: tuple[Any, Any]
    output_norm: Any

    def __call__(self, rows: Any, attention_mask: Any, shape: tuple[int, ...]) -> Any:
        """Return the states of all tokens of a batch; `shape` is texts, tokens, 3, heads, size."""
        import torch

        weight, bias = self.query_key_value
        query, key, value = torch.mm(rows, weight).add_(bias).view(shape).permute(2, 0, 3, 1, 4)
        attend = torch.nn.functional.scaled_dot_product_attention
        attended = attend(query, key, value, attn_mask=attention_mask)
        attended = attended.transpose(1, 2).reshape(rows.shape)
        weight, bias = self.attention_output
        rows = self.attention_norm(rows.add_(bias).addmm_(attended, weight))
        weight, bias = self.intermediate
        inner = torch.ops.aten.gelu_(torch.mm(rows, weight).add_(bias))
        weight, bias = self.output
        return self.output_norm(rows.add_(bias).addmm_(inner, weight))


@dataclass(frozen=True, eq=False)
class FusedBert:
    """A BERT model of fused layers, called in the same way as the original model."""

    embeddings: Any
    layers: tuple[FusedLayer, ...]
    heads: int

    def __call__(self, ids: Any, mask: Any) -> tuple[Any]:
        """Return the hidden states of the last layer."""
        import torch

        texts, tokens = ids.shape
        states = self.embeddings(input_ids=ids)
        width = states.shape[-1]
        attention_mask = None
        if not mask.all():
            attention_mask = torch.zeros(texts, 1, 1, tokens)
            attention_mask.masked_fill_(mask[:, None, None, :] == 0, float("-inf"))
            attention_mask = attention_mask.expand(texts, 1, tokens, tokens)
        rows = states.reshape(texts * tokens, width).clone()
        for layer in self.layers:
            rows = layer(rows, attention_mask, (texts, tokens, 3, self.heads, width // self.heads))
        return (rows.view(texts, tokens, width),)


def fuse(module: Any) -> Any:
    """Return the fused version of a model if there is one with equal output, else the model."""
    import torch

    config = module.config
    if config.model_type not in KINDS or config.hidden_act != "gelu":
        return module
    try:
        with torch.inference_mode():
            layers = tuple(_fuse_layer(layer) for layer in module.encoder.layer)
            fused = FusedBert(module.embeddings, layers, config.num_attention_heads)
            equal = _equal_output(fused, module, tokens=6)
    except (AttributeError, RuntimeError, IndexError):  # the model has another structure
        return module
    return fused if equal else module


def _equal_output(fused: Any, original: Any, tokens: int) -> bool:
    """Whether both models give the same states of two texts, one of them padded."""
    import torch

    config = original.config
    ids = torch.arange(2 * tokens).view(2, tokens) % min(config.vocab_size, 1000)
    ids[ids == config.pad_token_id] = 5
    mask = torch.ones_like(ids)
    ids[1, 4:], mask[1, 4:] = config.pad_token_id or 0, 0
    one, other = (model(ids, mask)[0][mask.bool()] for model in (fused, original))
    return torch.allclose(one, other, atol=TOLERANCE)


def _fuse_layer(layer: Any) -> FusedLayer:
    import torch

    attention = layer.attention.self
    projections = (attention.query, attention.key, attention.value)
    weight = torch.cat([part.weight for part in projections]).t().contiguous()
    return FusedLayer(
        (weight, torch.cat([part.bias for part in projections])),
        _transposed(layer.attention.output.dense),
        layer.attention.output.LayerNorm,
        _transposed(layer.intermediate.dense),
        _transposed(layer.output.dense),
        layer.output.LayerNorm,
    )


def _transposed(dense: Any) -> tuple[Any, Any]:
    return dense.weight.t().contiguous(), dense.bias


# PyTorch, and the choice between the two.

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
