"""A faster implementation of BERT for CPUs.

BERT, RoBERTa and similar models spend a quarter of their time moving numbers between matrix
products. Here queries, keys and values come from one product, and biases, residuals and activations
are added in place. The sums are the same, and the time is a few per cent shorter. The output is
compared with the model's own when the model is loaded; if the two differ, the model's own
implementation is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
