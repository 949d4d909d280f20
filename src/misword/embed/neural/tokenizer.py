"""The tokenizer of a model: from texts to the ids of subword tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.parts import Requirement
from misword.embed.neural.batches import TokenIds
from misword.embed.neural.models import (
    DEFAULT_POSITIONS,
    INSTALL,
    Model,
    position_count,
    unloadable,
)

# Tokenizers without a limit state a number above this one, more tokens than any model accepts.
NO_LIMIT = 10_000
# Frequent words of many languages; every tokenizer has one of them in its vocabulary.
COMMON_WORDS = "a the de la и в 的 の في के"


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """A tokenizer of transformers, and the `limit` of tokens for each text."""

    tokenizer: Any
    limit: int

    def ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return the token ids of each text, truncated, with the model's special tokens."""
        if not texts:
            return []
        encoding = self.tokenizer(list(texts), truncation=True, max_length=self.limit)
        return [np.array(ids, np.int64) for ids in encoding["input_ids"]]

    def truncated(self, texts: Sequence[str], texts_ids: Sequence[TokenIds]) -> NDArray[np.bool_]:
        """Return which texts, whose ids are `texts_ids`, have more tokens than the limit."""
        truncated = np.array([len(ids) >= self.limit for ids in texts_ids], np.bool_)
        for at in np.flatnonzero(truncated).tolist():  # truncated, or exactly as long as the limit
            whole = self.tokenizer(texts[at], truncation=False, verbose=False)["input_ids"]
            truncated[at] = len(whole) > self.limit
        return truncated

    def without_tokens(self, texts_ids: Sequence[TokenIds], empty: str = "") -> NDArray[np.bool_]:
        """Return which texts have the same token ids as the text `empty`."""
        (empty_ids,) = self.ids([empty])
        equal = (len(ids) == len(empty_ids) and np.array_equal(ids, empty_ids) for ids in texts_ids)
        return np.fromiter(equal, np.bool_, len(texts_ids))

    @cached_property
    def needs_leading_space(self) -> bool:
        """Whether a word at the start of a text has other tokens than within a text.

        This is so for the tokenizers of GPT-2 and RoBERTa. The package bert_score recognises them
        by their class and puts a space before each text.
        """
        classes = {kind.__name__.removesuffix("Fast") for kind in type(self.tokenizer).__mro__}
        return not classes.isdisjoint({"GPT2Tokenizer", "RobertaTokenizer"})

    @cached_property
    def greatest_id(self) -> int:
        """The greatest id in the vocabulary."""
        return int(max(self.tokenizer.get_vocab().values()))

    @property
    def padding(self) -> int:
        """The id of the padding token."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def boundary_ids(self) -> tuple[int, ...]:
        """The ids of the special tokens at the start and the end of a text."""
        ends = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        return tuple(token for token in ends if token is not None)


def load_tokenizer(model: Model, limit: int | None = None) -> Tokenizer:
    """Return the tokenizer of a model, loaded once.

    `limit` is the greatest number of tokens; without it the tokenizer's own limit is used. Neither
    is above the number of positions of the model.
    """
    tokenizer = model.load_once("transformers tokenizer", lambda: _load(model))
    length = limit or int(tokenizer.model_max_length)
    positions = position_count(model)
    if length >= NO_LIMIT and not limit:
        length = positions or DEFAULT_POSITIONS
    length = min(length, positions or length)
    return model.load_once(("tokenizer", limit), lambda: Tokenizer(tokenizer, length))


def _load(model: Model) -> Any:
    Requirement(("transformers",), INSTALL).check(model.name)
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(model.folder), trust_remote_code=False)
        word_ids = set(tokenizer(COMMON_WORDS)["input_ids"]).difference(tokenizer.all_special_ids)
    except Exception as error:  # transformers raises many kinds of errors for invalid files
        raise unloadable(model, error) from error
    if not word_ids:  # without files, transformers makes a tokenizer with an empty vocabulary
        raise InputError(
            "the tokenizer knows no word: its files are missing or empty",
            where=str(model.folder),
            fix="put the model's tokenizer.json, vocab.txt or the like into the folder",
        )
    return tokenizer
