"""The blend that is part of misword."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar, Literal

from misword.asr.metrics.blend import BlendedRate

if TYPE_CHECKING:
    from misword.asr.blending.blend_file import Blend as Weights

FOLDER = "misword.asr.blending"


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
    from misword.asr.blending.blend_file import parse_blend

    return parse_blend((files(FOLDER) / name).read_text("utf-8"), name)
