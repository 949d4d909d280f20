"""Vectors of the pieces of texts in their context, for metrics that match piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import Step
from misword.core.requirements import Requirement
from misword.embed.neural import architecture, batches, models, networks
from misword.embed.neural.batches import Ids, States
from misword.embed.neural.models import Model
from misword.embed.neural.networks import Dtype
from misword.embed.neural.tokenizer import Pieces, pieces
from misword.embed.sentence_cache import SentenceCache, through


@dataclass(frozen=True, slots=True)
class Contextual:
    """A model cut off after a `layer` (0: the model's best, or three quarters of all)."""

    model: str
    layer: int = 0
    dtype: Dtype = "float32"

    def check(self) -> None:
        """The packages and the model must be there; the hub is asked later."""
        Requirement(("transformers",), models.INSTALL).check("bertscore")
        models.check(self.model)

    @property
    def depth(self) -> int:
        """The number of the layer that is used."""
        if self.layer:
            return self.layer
        layers = architecture.depth(self._model)
        name = self.model.rstrip("/")
        own = best_layers().get(name) or best_layers().get(name.rpartition("/")[2], 0)
        return own if 1 <= own <= layers else ceil(layers * 3 / 4)

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The model, its digest, the layer, and what runs it."""
        model = self._model
        networks.probe(model, self.dtype, self.depth, pieces(model), scaled)
        run = networks.settings(model, self.dtype, self.depth)
        return *model.settings, ("layer", str(self.depth)), *run

    @property
    def marks(self) -> tuple[int, ...]:
        """Ids of the pieces that only begin and end a text."""
        return self._pieces.marks

    def pieces(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text's pieces."""
        return self._pieces.ids(self._spell(texts))

    def partial(self, texts: Sequence[str], rows: Sequence[Ids]) -> NDArray[np.bool_]:
        """Which texts have more pieces than the model takes."""
        return self._pieces.beyond(self._spell(texts), rows)

    def hollow(self, rows: Sequence[Ids]) -> NDArray[np.bool_]:
        """Which texts, by their pieces, have none: only characters that the tokenizer drops."""
        return self._pieces.hollow(rows)

    def units(
        self,
        texts: Sequence[str],
        rows: Sequence[Ids],
        *,
        step: Step,
        keep: bool = False,
        workers: int | None = None,
    ) -> list[States]:
        """For each text a matrix: the vectors of its pieces, of length one."""
        cache = SentenceCache(repr(self.settings)) if keep else None
        ids = dict(zip(texts, rows, strict=True))
        kept = len(texts)

        def encode(some: Sequence[str]) -> list[States]:
            nonlocal kept
            kept -= len(some)
            return self._run([ids[text] for text in some], step, workers)

        found = through(cache, texts, encode)
        step(kept)
        return found

    def _run(self, rows: Sequence[Ids], step: Step, workers: int | None) -> list[States]:
        network = networks.network(self._model, self.dtype, self.depth)
        padding = self._pieces.padding
        found: list[States] = [np.empty((0, 0), np.float32)] * len(rows)
        for which, left in batches.run(network, rows, padding, scaled, step=step, workers=workers):
            for at, states in zip(which.tolist(), left, strict=True):
                found[at] = states[: len(rows[at])]
        return found

    @property
    def _model(self) -> Model:
        return models.find(self.model)

    @property
    def _pieces(self) -> Pieces:
        return pieces(self._model)

    def _spell(self, texts: Sequence[str]) -> Sequence[str]:
        """Texts with a space before them, where the first word would else be another piece."""
        return [f" {text}" if text else text for text in texts] if self._pieces.spaced else texts


@cache
def best_layers() -> dict[str, int]:
    """The layer of a model whose vectors agree best with people's judgements of translations.

    The table of the package bert_score 0.3.13 (MIT), made on WMT 2016. Of other models three
    quarters of the layers is about that.
    """
    table = files("misword.embed.neural").joinpath("layers.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    return {name: int(layer) for name, layer in rows}


def scaled(states: States, lengths: Ids) -> States:
    """Each state of length one."""
    norms = np.sqrt(np.einsum("bpn,bpn->bp", states, states))
    norms[norms == 0] = 1
    return np.asarray(states / norms[..., None], np.float32)
