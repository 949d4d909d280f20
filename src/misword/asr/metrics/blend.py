"""Blends of metrics, with weights that were learnt from people, and the blend of misword."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from misword.asr.metrics import Metric
from misword.asr.pairs import Pairs
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.types import Statistics
from misword.stat.measure import ratio_of_terms

if TYPE_CHECKING:
    from misword.asr.people.blend_file import Blend as Weights


class BlendedRate(Metric):
    """Base class of metrics that are weighted means of other metrics.

    The rate of an utterance is the weighted mean of its rates by the blended metrics, the rate of a
    corpus is the mean over utterances. Equal texts have the rate 0. If a blended metric has no rate
    for an utterance, as for an empty reference, that rate counts as 1.
    """

    __slots__ = ()

    family: ClassVar[str] = "people"
    statistics: ClassVar[tuple[str, ...]] = ("distance", "utterances")
    fractional: ClassVar[frozenset[str]] = frozenset({"distance"})
    operations: ClassVar[bool] = True  # a blended metric may need them

    def weights(self) -> Weights:
        """Return the metrics and their weights."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """The file of the weights, for messages."""
        raise NotImplementedError

    @property
    def blended(self) -> list[Metric]:
        """The blended metrics; an empty list without a file, for which `check` raises."""
        return [part.create() for part in self.weights().metrics] if self.source else []

    @property
    def needs(self) -> tuple[str, ...]:
        """What any of the metrics needs."""
        return tuple(dict.fromkeys(name for metric in self.blended for name in metric.needs))

    @property
    def uses(self) -> tuple[str, ...]:
        """What any of the metrics uses."""
        return tuple(dict.fromkeys(name for metric in self.blended for name in metric.uses))

    @property
    def fitted(self) -> bool:
        """Whether one of the metrics is fitted to the references."""
        return any(metric.fitted for metric in self.blended)

    def check(self, context: Context) -> None:
        """Raise unless each metric can be used and is the one that was blended."""
        self.weights().check(context, self.source)

    def settings(self, context: Context) -> Settings:
        """The digest of the weights, and the settings of each metric."""
        from misword.asr.people.blend_file import settings_of

        weights = self.weights()
        parts = [
            (f"part{number}", _joined(part.spec, settings_of(part.create(), context)))
            for number, part in enumerate(weights.metrics, 1)
        ]
        return ("weights", weights.digest), *parts

    def notes(self, context: Context) -> tuple[str, ...]:
        """Say if the weights were learnt in another language; notes of the blended metrics."""
        weights = self.weights()
        notes = [note for metric in self.blended for note in metric.notes(context)]
        notes += weights.other_versions(context)
        if context.lang and weights.lang and context.lang != weights.lang:
            notes.append(
                f"its weights were learnt from judgements in {weights.lang!r}; learn your own from "
                "fifty choices in this language: misword fit --prior people"
            )
        return tuple(dict.fromkeys(notes))

    def measure(self, pairs: Pairs) -> Statistics:
        """Compute the weighted mean of the metrics' rates of each pair."""
        from misword.asr.people.blend_file import utterance_rates

        weights = self.weights()
        rates = utterance_rates(self.blended, pairs)
        distances = rates @ np.array([part.weight for part in weights.metrics])
        return np.column_stack([distances, np.ones(len(pairs))])

    def rate(self, terms: Statistics) -> Statistics:
        """The mean over utterances; nan without utterances."""
        return ratio_of_terms(terms)

    def reference(self, statistics: Statistics) -> Statistics:
        """The number of utterances."""
        return np.asarray(statistics[..., -1])


def _joined(spec: str, settings: Settings) -> str:
    """Return the signature of a blended metric, within the signature of the blend."""
    return " ".join([spec, *(f"{key}={value}" for key, value in settings)])


@dataclass(frozen=True, slots=True)
class BlendMetric(BlendedRate):
    """A weighted mean of metrics, with weights that `misword fit` learnt from people's judgements.

    Why: no single metric chooses between two transcripts as people do; a weighted mean of a few
    cheap ones agrees with people more often than each of them.

    `file` is the JSON file that `misword fit -o` wrote. The rate of an utterance is the weighted
    mean of its rates by the blended metrics; a corpus has the mean over utterances. The weights are
    not negative, so a hypothesis with no higher rate by any metric has no higher blend. Equal texts
    have 0. A
    rate that is undefined, as CER for an empty reference, counts as 1.

    Known problems: weights are valid for the language and the kind of errors of the judgements.
    The scale is that of no other metric.

    Example: `misword score ref.txt hyp.txt --metrics wer,blend:file=people.json --lang fr`

    Reference: T. Bañeras-Roux et al., HATS: an open data set integrating human perception applied
    to the evaluation of automatic speech recognition metrics, TSD 2023.
    """

    name: ClassVar[str] = "blend"
    title: ClassVar[str] = "Blend"
    cites: ClassVar[tuple[str, ...]] = ("hats2023",)

    file: str = ""

    @property
    def source(self) -> str:
        """The file of the weights."""
        return self.file

    def weights(self) -> Weights:
        """Return the metrics and weights of the file."""
        if not self.file:
            raise OptionError(
                "a blend needs a file", fix="blend:file=people.json; make one: misword fit"
            )
        path = Path(self.file)
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            stamp = (0, 0)
        return _read(self.file, stamp)


@lru_cache(maxsize=16)
def _read(file: str, stamp: tuple[int, int]) -> Weights:
    """Read a blend, again if its file has changed."""
    from misword.asr.people.blend_file import read_blend

    return read_blend(file)


# The blend that is part of misword.

FOLDER = "misword.asr.people"


@dataclass(frozen=True, slots=True)
class People(BlendedRate):
    """A weighted mean of metrics that chooses between two transcripts as people do.

    Why: on HATS, where people chose between two French transcripts, it agrees with them more often
    than each of its metrics and than WER.

    `size=full` blends CER, the phoneme error rate over articulatory features, SemDist and
    BERTScore. `size=small` needs no neural model: it blends CER, the phoneme error rate and WIL
    (characters, sounds and words). The weights were learnt by `tools/make_people.py` from the open
    half of HATS (MIT licence); docs/fit.md has the measured agreement.

    Known problems: the choices are about one language (French) and one task: people read a
    reference and two transcripts of one sentence. In another language the weights are a first
    guess, and `misword fit --prior people` with some of your own choices is better. The scale
    is that of no other metric.

    Example: `misword score ref.txt hyp.txt --metrics wer,people --lang fr`

    Reference: T. Bañeras-Roux et al., HATS: an open data set integrating human perception applied
    to the evaluation of automatic speech recognition metrics, TSD 2023.
    """

    name: ClassVar[str] = "people"
    title: ClassVar[str] = "People"
    cites: ClassVar[tuple[str, ...]] = ("hats2023",)

    size: Literal["full", "small"] = "full"

    @property
    def source(self) -> str:
        """The file of the weights, in the package."""
        return f"people-{self.size}.json"

    def weights(self) -> Weights:
        """Return the metrics and weights of the file."""
        return _shipped(self.source)


@cache
def _shipped(name: str) -> Weights:
    from misword.asr.people.blend_file import parse_blend

    return parse_blend((files(FOLDER) / name).read_text("utf-8"), name)
