"""A model's tokenizer: texts to the ids of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import InputError
from misword.core.requirements import Requirement
from misword.embed.neural.architecture import USUAL, places, unloadable
from misword.embed.neural.batches import Ids
from misword.embed.neural.models import INSTALL, Model

LONG = 10_000  # pieces that no model takes: what tokenizers say that know no limit
# Words of which any tokenizer knows one.
ORDINARY = "a the de la и в 的 の في के"


@dataclass(frozen=True, eq=False)
class Pieces:
    """A tokenizer, and the `limit` of pieces for each text."""

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

    def hollow(self, rows: Sequence[Ids], empty: str = "") -> NDArray[np.bool_]:
        """Which rows have no more pieces than a text that says nothing."""
        (nothing,) = self.ids([empty])
        short = (len(row) == len(nothing) and np.array_equal(row, nothing) for row in rows)
        return np.fromiter(short, np.bool_, len(rows))

    @cached_property
    def spaced(self) -> bool:
        """Whether a word at the start is another piece than within a text.

        So it is with the tokenizers of GPT-2 and RoBERTa, which the package bert_score knows by
        their class and gives a space before each text.
        """
        kinds = {kind.__name__.removesuffix("Fast") for kind in type(self.tokenizer).__mro__}
        return not kinds.isdisjoint({"GPT2Tokenizer", "RobertaTokenizer"})

    @cached_property
    def greatest(self) -> int:
        """The greatest id that it can give."""
        return int(max(self.tokenizer.get_vocab().values()))

    @property
    def padding(self) -> int:
        """The id of what fills a batch up."""
        return int(self.tokenizer.pad_token_id or 0)

    @property
    def marks(self) -> tuple[int, ...]:
        """The ids that begin and end a text."""
        ends = (self.tokenizer.cls_token_id, self.tokenizer.sep_token_id)
        return tuple(mark for mark in ends if mark is not None)


def pieces(model: Model, limit: int | None = None) -> Pieces:
    """A model's tokenizer, loaded once; `limit`: so many pieces at most, if the model takes them.

    Without a limit it is the tokenizer's own, or as many as the model has places for.
    """
    tokenizer = model.keep("tokenizer", lambda: _load(model))
    said = limit or int(tokenizer.model_max_length)
    room = places(model)
    if said >= LONG and not limit:
        said = room or USUAL
    return model.keep(("pieces", limit), lambda: Pieces(tokenizer, min(said, room or said)))


def _load(model: Model) -> Any:
    Requirement(("transformers",), INSTALL).check(model.name)
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(model.folder), trust_remote_code=False)
        known = set(tokenizer(ORDINARY)["input_ids"]).difference(tokenizer.all_special_ids)
    except Exception as error:  # whatever the files make transformers raise
        raise unloadable(model, error) from error
    if not known:  # without files, transformers makes a tokenizer that knows nothing
        raise InputError(
            "the tokenizer knows no word: its files are missing or empty",
            where=str(model.folder),
            fix="put the model's tokenizer.json, vocab.txt or the like into the folder",
        )
    return tokenizer
