"""Cut a long text at the segments of a reference, such as the translation of a whole talk.

Systems of speech translation write one text for a talk, or segments of their own, while scores such
as BLEU need a hypothesis for each segment of the reference. The text is aligned with the reference
once and cut (`alignment/segments.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Unpack

import numpy as np

from misword.alignment.costs import Costs
from misword.alignment.engine import align
from misword.asr.corpus import make_corpus
from misword.asr.downstreams import Downstream, create_downstreams
from misword.asr.options import SegmentOptions, combine
from misword.asr.recordings.cutting import RECORDING, settle_segments
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import takes
from misword.core.parts import describe
from misword.core.types import Corpus, Description, DisplayedResult, Result, Segments, Statistics
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.descriptions.alignments import SEGMENTATION
from misword.text.normalizers import Chain, normalize
from misword.text.texts import Texts
from misword.text.tokens import encode_lists, encode_words

# Words are similar if their first letters are the same and at most half of their letters differ.
FIRST_LETTERS = 2
MOST_DIFFERENT = 0.5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Segmentation(DisplayedResult):
    """Hypotheses that were cut at the segments of the references.

    Attributes:
        corpus: references and hypotheses by segment.
        segments: a row for each segment and system: `utt`, `system`, the texts of both sides, the
            number of word errors, and a column for each downstream score.
        summary: a row for each system: segments, words, word errors, and downstream scores with
            intervals over segments.
        bootstrap: how intervals were drawn.
        downstreams: the scores of translations by label.
    """

    description: ClassVar[Description] = SEGMENTATION

    corpus: Corpus
    segments: pl.DataFrame
    summary: pl.DataFrame
    bootstrap: Bootstrap
    downstreams: Mapping[str, Downstream]

    def texts(self, system: str | None = None) -> pl.DataFrame:
        """Return `utt` and `text` of each segment of a system; of the only one if none is named."""
        systems = self.corpus.systems
        if system is None and len(systems) > 1:
            raise OptionError(
                f"{len(systems)} systems: {', '.join(systems)}", fix="cut the texts of one system"
            )
        return self.segments.filter(system=system or systems[0]).select("utt", "text")

    def main_table(self) -> pl.DataFrame:
        """Return the table `segments`."""
        return self.segments

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return both tables, and the signatures of the downstream scores."""
        facts = {
            "misword": __version__,
            **(provenance or {}),
            **self.bootstrap.settings,
            "scores": {label: score.signature() for label, score in self.downstreams.items()},
            "parts": {label: describe(score) for label, score in self.downstreams.items()},
        }
        return Result("segmentation", {"summary": self.summary, "segments": self.segments}, facts)


@takes(SegmentOptions)
def segment(
    references: Any, hypotheses: Any = None, **options: Unpack[SegmentOptions]
) -> Segmentation:
    """Cut hypotheses at the segments of the references.

    `references` are the texts of the segments of one recording, in order; a `Corpus` of several
    recordings that `misword.read_corpus(..., segments="transfer")` read; or a function that returns
    one. A hypothesis is one text, or a list of texts that are joined; a mapping has one for each
    system. `costs` is `words` (the fewest word errors) or `spelling` (similar words cost less).
    `normalize` and `lang` are as in `misword.score`; the texts are cut as they are written.
    `downstream` names scores of translations, such as `bleu,chrf,ter`.

    >>> import misword
    >>> cut = misword.segment(["the cat sat", "on a mat"], "a cat sat on the mat")
    >>> cut.segments["text"].to_list()
    ['a cat sat', 'on the mat']
    """
    context = Context(options["lang"] or "")
    combined = combine(context, "wer", normalize=options["normalize"])
    named = options["downstream"]
    downstreams = create_downstreams(named) if named else {}
    bootstrap = Bootstrap.of(options)
    corpus = _corpus(references, hypotheses)
    costs = similar_words if options["costs"] == "spelling" else None
    cut = settle_segments(corpus, combined, (), context, costs, on_path=True)
    return _measured(cut, combined.chain, downstreams, bootstrap)


def _corpus(references: Any, hypotheses: Any) -> Corpus:
    """Return the corpus that is to be cut."""
    if callable(references) or isinstance(references, Corpus):
        corpus = make_corpus(references, hypotheses, cuts=True)
        if corpus.segments is None or corpus.segments.settled:
            raise InputError(
                "the hypotheses have the segments of the references already",
                fix="score them: misword score REF HYP",
            )
        return corpus
    if hypotheses is None:
        raise InputError("there are no hypotheses")
    named = hypotheses if isinstance(hypotheses, Mapping) else {"hypothesis": hypotheses}
    joined = {
        str(name): [texts if isinstance(texts, str) else " ".join(texts)]
        for name, texts in named.items()
    }
    rows = make_corpus(list(references), {name: [""] * len(references) for name in joined})
    whole = make_corpus([RECORDING], joined, ids=[RECORDING])
    frame = rows.references.with_columns(pl.lit(RECORDING).alias(RECORDING))
    return Corpus(frame, whole.hypotheses, None, Segments("transfer"))


def _measured(
    corpus: Corpus, chain: Chain, downstreams: Mapping[str, Downstream], bootstrap: Bootstrap
) -> Segmentation:
    """Count the word errors of all segments and compute the downstream scores."""
    expected = corpus.references.select("utt", pl.col("text").alias("reference"))
    rows = corpus.hypotheses.select("utt", "system", "text").join(
        expected, on="utt", how="left", maintain_order="left"
    )
    sides = encode_words([normalize(Texts.of(rows[name]), chain) for name in ("reference", "text")])
    errors = align(sides[0], sides[1], operations=False).costs.astype(np.int64)
    table = rows.select("utt", "system", "reference", "text").with_columns(
        pl.Series("words", sides[0].lengths), pl.Series("errors", errors)
    )
    summary = []
    systems = table.partition_by("system", maintain_order=True)
    parts = []
    for frame in systems:
        row: dict[str, Any] = {
            "system": frame["system"][0],
            "segments": len(frame),
            "words": int(frame["words"].sum()),
            "errors": int(frame["errors"].sum()),
        }
        row["rate"] = row["errors"] / row["words"] if row["words"] else None
        columns = []
        for label, score in downstreams.items():
            found = score.statistics(frame["text"].to_list(), frame["reference"].to_list())
            low, high = interval(found, _scores(score), bootstrap)
            sums = found.sum(axis=0, keepdims=True)
            row |= {label: float(score.scores(sums)[0]), f"{label}.low": low, f"{label}.high": high}
            columns.append(pl.Series(label, score.segment_scores(found)))
        parts.append(frame.hstack(columns))
        summary.append(row)
    shown = pl.DataFrame(summary, infer_schema_length=None).fill_nan(None)
    return Segmentation(corpus, pl.concat(parts), shown, bootstrap, downstreams)


def _scores(score: Downstream) -> Any:
    """Return the function from sums of any shape to scores."""

    def scores(sums: Statistics) -> Statistics:
        flat = sums.reshape(-1, sums.shape[-1])
        return np.asarray(score.scores(flat)).reshape(sums.shape[:-1])

    return scores


def similar_words(words: Sequence[str]) -> Costs:
    """Return costs by which a substitution costs the share of letters that differ.

    A substitution of words that are not similar, an insertion and a deletion cost 1.

    >>> similar_words(["house", "houses", "cat"]).of(np.array([0]), np.array([1])).round(3).tolist()
    [0.167]
    """
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        groups.setdefault(word[:FIRST_LETTERS].casefold(), []).append(number)
    listed = [pair for group in groups.values() for pair in product(group, group)]
    pairs = np.array([pair for pair in listed if pair[0] != pair[1]], np.int64).reshape(-1, 2)
    letters = encode_lists([list(word) for word in words])
    distances = align(letters, letters, pairs=pairs, operations=False).costs
    shares = distances / np.maximum(letters.lengths[pairs].max(axis=1, initial=1), 1)
    kept = shares <= MOST_DIFFERENT
    left, right = pairs[kept].T
    return Costs.pairs(left, right, shares[kept], size=len(words))
