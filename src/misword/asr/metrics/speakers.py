"""Error rates of recordings with several speakers, and who speaks when.

Names of speakers differ between references and hypotheses. cpWER matches the speakers of both sides
so that the errors of a recording are fewest; ORC WER gives each segment of the reference to any
speaker of the hypothesis, so that a wrong speaker is no error. Their difference is what wrong
speakers cost.

A pair is a whole recording: segments are joined (`--segments recording`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.alignment.speaker_streams import TimedTokens, assign, assign_segments, count_timed
from misword.alignment.speaker_streams import exact_distance as orc_distance
from misword.asr.costs import COSTS, Cost
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import COUNTS, PricedRate
from misword.asr.pairs import Pairs
from misword.asr.speakers import Speakers, Stretch
from misword.asr.views import VIEWS, View
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.parts import Settings
from misword.core.types import Corpus, Op, Statistics, Tokens, offsets_of
from misword.stat.measure import ratio_of_terms
from misword.stat.times.speech import speech_times

Integers = NDArray[np.int64]
NOBODY = -1


class Matching(NamedTuple):
    """Which speakers of a recording are the same: their numbers on both sides, or `NOBODY`."""

    reference: Integers
    hypothesis: Integers


def match_speakers(costs: NDArray[np.float64]) -> Matching:
    """Match rows and columns with the least sum; the last row and the last column are nobody.

    >>> found = match_speakers(np.array([[1.0, 3.0, 2.0], [2.0, 0.0, 5.0]]))
    >>> found.reference.tolist(), found.hypothesis.tolist()
    ([0, -1], [0, 1])
    """
    said, heard = costs.shape[0] - 1, costs.shape[1] - 1
    size = max(said, heard)
    if not size:
        return Matching(np.zeros(0, np.int64), np.zeros(0, np.int64))
    rows, columns = np.minimum(np.arange(size), said), np.minimum(np.arange(size), heard)
    found = columns[assign(costs[np.ix_(rows, columns)])]
    return Matching(np.where(rows == said, NOBODY, rows), np.where(found == heard, NOBODY, found))


@dataclass(frozen=True, slots=True)
class RecordingMetric(Metric):
    """A metric of whole recordings whose words have speakers."""

    of_recordings: ClassVar[bool] = True
    family: ClassVar[str] = "speakers"

    def reference(self, statistics: Statistics) -> Statistics:
        """Return the denominator of the rate."""
        return np.asarray(self.terms(statistics)[..., 1])

    def rate(self, terms: Statistics) -> Statistics:
        """Errors divided by the size of the reference; nan where it is empty."""
        return ratio_of_terms(terms)


# cpWER: streams of speakers, matched by their errors.


@dataclass(frozen=True, slots=True)
class StreamRate(PricedRate):
    """The edit rate between two streams of speakers, by any view and cost; not in the registry."""

    name: ClassVar[str] = "stream"
    aligns: ClassVar[bool] = True

    shown: str = "word"
    cost: str = "unit"

    def view(self, context: Context) -> View:
        """Return the view that is named, for the language of the context if it needs one."""
        view: Any = VIEWS.create(self.shown)
        if hasattr(view, "lang"):
            view = replace(view, lang=context.language(view.lang))
        assert isinstance(view, View)
        return view

    def substitution_cost(self, context: Context) -> Cost | None:
        """Return the cost that is named; None for unit costs."""
        return None if self.cost == "unit" else COSTS.create(self.cost).for_view(self.view(context))


class StreamPairs(NamedTuple):
    """Pairs of all streams of each recording, and the rows of each recording as a matrix.

    The last row and the last column of a matrix are pairs with an empty stream.
    """

    pairs: Pairs
    rows: Sequence[Integers]


def stream_pairs(pairs: Pairs) -> StreamPairs:
    """Return the pairs of streams of all recordings, computed once."""
    return pairs.once("pairs of streams", lambda: _stream_pairs(pairs))


def _stream_pairs(pairs: Pairs) -> StreamPairs:
    said, heard = [""], [""]
    index: list[tuple[int, int]] = []
    matrices: list[Integers] = []
    for reference, hypothesis in Speakers.of(pairs).sides:
        rows = [*range(len(said), len(said) + len(reference.names)), 0]
        columns = [*range(len(heard), len(heard) + len(hypothesis.names)), 0]
        said += reference.stream_texts
        heard += hypothesis.stream_texts
        numbers = np.arange(len(index), len(index) + len(rows) * len(columns))
        matrices.append(numbers.reshape(len(rows), len(columns)))
        index += product(rows, columns)
    system = pl.lit("streams").alias("system")
    corpus = Corpus(_frame(said), _frame(heard).with_columns(system, pl.lit(1).alias("rank")))
    return StreamPairs(pairs.like(corpus, np.array(index, np.int64).reshape(-1, 2)), matrices)


def _frame(texts: Sequence[str]) -> pl.DataFrame:
    frame = pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)})
    return frame.select(pl.int_range(pl.len()).cast(pl.String).alias("utt"), "text")


@dataclass(frozen=True, slots=True)
class CpWER(RecordingMetric):
    """Concatenated minimum-permutation WER: word errors of all speakers of a recording.

    The words of each speaker are joined in the order of the segments, and each speaker of the
    reference is matched with one of the hypothesis so that the sum of the errors is least. A
    speaker who is nobody on the other side is all deletions or all insertions. Differences of
    writing can be forgiven, and references can have alternatives.

    With `view=lemma` (phoneme, tag, character, ...) other tokens are compared; with `cost=cosine`
    (near, features) substitutions have a cost.

    Known problems: words of a wrong speaker are two errors, a deletion and an insertion; `orcwer`
    and `wder` tell these errors from those of the recogniser.

    Example: `misword score ref.stm hyp.stm --metrics cpwer,orcwer`

    Reference: S. Watanabe et al., CHiME-6 Challenge: Tackling Multispeaker Speech Recognition for
    Unsegmented Recordings, CHiME 2020.
    """

    name: ClassVar[str] = "cpwer"
    title: ClassVar[str] = "cpWER"
    cites: ClassVar[tuple[str, ...]] = ("watanabe2020",)
    statistics: ClassVar[tuple[str, ...]] = (*COUNTS, "cost")
    fractional: ClassVar[frozenset[str]] = frozenset({"cost"})

    view: str = "word"
    cost: str = "unit"

    @property
    def needs(self) -> tuple[str, ...]:
        """What the view and the cost need."""
        inner = self.inner
        view = VIEWS.create(inner.shown)
        own = ("lang", *view.needs) if hasattr(view, "lang") else view.needs
        return (*own, *(() if inner.cost == "unit" else COSTS.create(inner.cost).needs))

    @property
    def inner(self) -> StreamRate:
        """The rate by which two streams are compared."""
        return StreamRate(shown=self.view, cost=self.cost)

    def check(self, context: Context) -> None:
        """Raise if the view or the cost cannot be used."""
        Metric.check(self, context)
        self.inner.check(context)

    def settings(self, context: Context) -> Settings:
        """The settings of the view and the cost."""
        own = (("view", self.view),) if self.view != type(self)().view else ()
        return *own, *self.inner.settings(context)

    def measure(self, pairs: Pairs) -> Statistics:
        """Add up the counts of the matched speakers of each recording."""
        counts = self._stream_counts(pairs)
        rows = zip(stream_pairs(pairs).rows, self.matchings(pairs), strict=True)
        sums = [counts[numbers[found.reference, found.hypothesis]].sum(axis=0)
                for numbers, found in rows]  # fmt: skip
        return np.array(sums, np.float64).reshape(-1, counts.shape[1])

    def matchings(self, pairs: Pairs) -> list[Matching]:
        """Return which speakers are the same in each recording."""

        def matchings() -> list[Matching]:
            costs = self._stream_counts(pairs)[:, -1]
            return [match_speakers(costs[numbers]) for numbers in stream_pairs(pairs).rows]

        return pairs.once(("matchings", self), matchings)

    def _stream_counts(self, pairs: Pairs) -> Statistics:
        inner = self.inner
        return pairs.once(
            ("stream counts", inner), lambda: inner.measure(stream_pairs(pairs).pairs)
        )

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors, or their costs, and reference tokens."""
        hits, substitutions, _, deletions, cost = np.moveaxis(statistics, -1, 0)
        return np.stack([cost, hits + substitutions + deletions], axis=-1)


@dataclass(frozen=True, slots=True)
class CpCER(CpWER):
    """Concatenated minimum-permutation CER: character errors of all speakers of a recording.

    As `cpwer`, over characters and the single spaces between words, for languages without spaces
    between words.

    Known problems: those of cpWER.

    Example: `misword score ref.stm hyp.stm --metrics cpcer`
    """

    name: ClassVar[str] = "cpcer"
    title: ClassVar[str] = "cpCER"

    view: str = "character"


# Words of streams and segments, as they are after normalisation: nothing is forgiven.


def _refuse_alternatives(pairs: Pairs, name: str) -> None:
    if len(pairs.reader.texts.signs):
        raise InputError(
            f"{name} does not read references with alternatives",
            fix="use cpwer, which does; or --no-alternatives",
        )


def _stacked(sides: Sequence[Tokens]) -> Tokens:
    """Return the rows of several sequences one after the other."""
    lengths = np.concatenate([[0], *(side.lengths for side in sides)])[1:]
    ids = np.concatenate([np.zeros(0, np.int32), *(side.ids for side in sides)])
    return Tokens(ids.astype(np.int32), offsets_of(lengths), sides[0].vocabulary if sides else [])


@dataclass(frozen=True, slots=True)
class TcpWER(RecordingMetric):
    """Time-constrained cpWER: words may only be aligned if they are said at the same time.

    As `cpwer`; two words can be a hit or a substitution only if their intervals overlap. Words of a
    segment share its interval in proportion to their characters, unless they have times of their
    own; a word of the hypothesis is the middle of its interval, widened by `collar` seconds on both
    sides.

    Known problems: nothing is forgiven, and alternatives are refused. With a small collar, times of
    segments are too rough.

    Example: `misword score ref.stm hyp.stm --metrics cpwer,tcpwer:collar=5`

    Reference: T. von Neumann et al., MeetEval: A Toolkit for Computation of Word Error Rates for
    Meeting Transcription Systems, CHiME 2023.
    """

    name: ClassVar[str] = "tcpwer"
    title: ClassVar[str] = "tcpWER"
    cites: ClassVar[tuple[str, ...]] = ("neumann2023",)
    statistics: ClassVar[tuple[str, ...]] = COUNTS

    collar: float = 5.0

    def check(self, context: Context) -> None:
        """Raise if the collar is negative."""
        if not 0 <= self.collar < np.inf:
            raise OptionError(f"collar is {self.collar}", fix="use 0 or more seconds")

    def settings(self, context: Context) -> Settings:
        """The collar."""
        return (("collar", f"{self.collar:g}"),)

    def measure(self, pairs: Pairs) -> Statistics:
        """Add up the counts of the matched speakers of each recording."""
        _refuse_alternatives(pairs, self.name)
        speakers = Speakers.of(pairs)
        speakers.check_times(self.name)
        return np.array([self._counts(*sides) for sides in speakers.sides]).reshape(-1, 4)

    def _counts(self, reference: Stretch, hypothesis: Stretch) -> Integers:
        said, heard = reference.streams, hypothesis.streams
        rows, columns = len(said), len(heard)
        begin, end = hypothesis.times()
        middle = (begin + end) / 2
        pairs = np.array(list(product(range(rows), range(columns))), np.int64).reshape(-1, 2)
        found = count_timed(
            TimedTokens(said, *reference.times()),
            TimedTokens(heard, middle - self.collar, middle + self.collar),
            pairs,
        )
        counts = np.zeros((rows + 1, columns + 1, 4), np.int64)
        counts[:rows, :columns] = found.reshape(rows, columns, 4)
        counts[:rows, columns, Op.DELETION] = said.lengths
        counts[rows, :columns, Op.INSERTION] = heard.lengths
        matching = match_speakers(counts[..., 1:].sum(axis=-1).astype(np.float64))
        return np.asarray(counts[matching.reference, matching.hypothesis].sum(axis=0))

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and reference words."""
        hits, substitutions, insertions, deletions = np.moveaxis(statistics, -1, 0)
        words = hits + substitutions + deletions
        return np.stack([substitutions + insertions + deletions, words], axis=-1)


@dataclass(frozen=True, slots=True)
class OrcWER(RecordingMetric):
    """Optimal reference combination WER: word errors whoever is said to have spoken them.

    Each segment of the reference is given to the speaker of the hypothesis with whom the sum of the
    errors is least; the segments of one speaker stay in their order. With `search=greedy` segments
    are moved one after the other until none moves, from the matching of cpWER; `search=exact` finds
    the least sum, for short recordings only.

    Known problems: the greedy search may miss the least sum. Nothing is forgiven, and alternatives
    are refused.

    Example: `misword score ref.stm hyp.stm --metrics cpwer,orcwer`

    Reference: T. von Neumann et al., MeetEval: A Toolkit for Computation of Word Error Rates for
    Meeting Transcription Systems, CHiME 2023.
    """

    name: ClassVar[str] = "orcwer"
    title: ClassVar[str] = "ORC WER"
    cites: ClassVar[tuple[str, ...]] = ("neumann2023",)
    statistics: ClassVar[tuple[str, ...]] = ("errors", "words")
    exchanged: ClassVar[bool] = False

    search: Literal["greedy", "exact"] = "greedy"

    def settings(self, context: Context) -> Settings:
        """The search."""
        return (("search", self.search),)

    def measure(self, pairs: Pairs) -> Statistics:
        """Count errors and reference words of each recording."""
        _refuse_alternatives(pairs, self.name)
        rows = []
        for reference, hypothesis in Speakers.of(pairs).sides:
            rows.append([self.errors(reference, hypothesis), len(reference.tokens.ids)])
        return np.array(rows, np.int64).reshape(-1, 2)

    def errors(self, reference: Stretch, hypothesis: Stretch) -> int:
        """Count the errors of a recording."""
        divided, whole = (hypothesis, reference) if self.exchanged else (reference, hypothesis)
        segments, speaker = divided.spoken
        streams = whole.streams
        if not len(segments) or not len(streams):
            return len(segments.ids) + len(streams.ids)
        if self.search == "exact":
            return orc_distance(segments, streams)
        distances = stream_distances(divided.streams, streams)
        found = match_speakers(distances)
        stream_of = distances[:-1, :-1].argmin(axis=1)
        known = (found.reference != NOBODY) & (found.hypothesis != NOBODY)
        stream_of[found.reference[known]] = found.hypothesis[known]
        return assign_segments(segments, streams, stream_of[speaker])[1]

    def terms(self, statistics: Statistics) -> Statistics:
        """Errors and reference words."""
        return statistics


def stream_distances(said: Tokens, heard: Tokens) -> NDArray[np.float64]:
    """Return the edit distances of all streams; the last row and column are empty streams."""
    rows, columns = len(said), len(heard)
    distances = np.zeros((rows + 1, columns + 1))
    pairs = np.array(list(product(range(rows), range(columns))), np.int64).reshape(-1, 2)
    distances[:rows, :columns] = align(said, heard, pairs=pairs).costs.reshape(rows, columns)
    distances[:rows, columns], distances[rows, :columns] = said.lengths, heard.lengths
    return distances


@dataclass(frozen=True, slots=True)
class DiCpWER(OrcWER):
    """Diarisation-invariant cpWER: word errors if segments of the hypothesis had right speakers.

    As `orcwer` with the sides exchanged: each segment of the hypothesis is given to the speaker of
    the reference with whom the sum of the errors is least.

    Known problems: those of ORC WER.

    Example: `misword score ref.stm hyp.stm --metrics cpwer,dicpwer`
    """

    name: ClassVar[str] = "dicpwer"
    title: ClassVar[str] = "DI-cpWER"
    exchanged: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class WDER(RecordingMetric):
    """Word diarisation error rate: words with the wrong speaker, of those that are aligned.

    The words of a recording are aligned in the order of their segments, whoever said them. Of the
    hits and substitutions, those count whose speakers are not the same; speakers are matched so
    that these are fewest. It is near one minus the share of the most frequent speaker if the
    speakers of the hypothesis are at chance.

    Known problems: where people talk at once, words of both sides can be in another order, and are
    not aligned.

    Example: `misword score ref.stm hyp.stm --metrics cpwer,wder`

    Reference: L. El Shafey et al., Joint Speech Recognition and Speaker Diarization via Sequence
    Transduction, Interspeech 2019.
    """

    name: ClassVar[str] = "wder"
    title: ClassVar[str] = "WDER"
    cites: ClassVar[tuple[str, ...]] = ("elshafey2019",)
    statistics: ClassVar[tuple[str, ...]] = ("wrong", "aligned")

    def measure(self, pairs: Pairs) -> Statistics:
        """Count the words with a wrong speaker, and the aligned words, of each recording."""
        _refuse_alternatives(pairs, self.name)
        return np.array([self._counts(each) for each in aligned_speakers(pairs)]).reshape(-1, 2)

    def _counts(self, together: Integers) -> tuple[int, int]:
        gain = np.zeros((together.shape[0] + 1, together.shape[1] + 1))
        gain[:-1, :-1] = together
        found = match_speakers(-gain)
        total = int(together.sum())
        return total - int(gain[found.reference, found.hypothesis].sum()), total

    def terms(self, statistics: Statistics) -> Statistics:
        """Words with a wrong speaker, and aligned words."""
        return statistics


def aligned_speakers(pairs: Pairs) -> list[Integers]:
    """Return `speakers_of_aligned_words` of all recordings, computed once."""

    def found() -> list[Integers]:
        return [speakers_of_aligned_words(*sides) for sides in Speakers.of(pairs).sides]

    return pairs.once("speakers of aligned words", found)


def aligned_places(
    reference: Stretch, hypothesis: Stretch
) -> tuple[tuple[Integers, Integers], NDArray[np.bool_]]:
    """Align all words of a recording, whoever said them.

    Returned are the numbers of the aligned words on both sides, in the order of the units, and
    whether each pair is a hit.
    """
    sides = [
        side.joined(np.zeros(len(side.speaker), np.int64), 1) for side in (reference, hypothesis)
    ]
    ops = align(*sides, operations=True).all_operations
    aligned = (ops == Op.HIT) | (ops == Op.SUBSTITUTION)
    said, heard = (
        (np.cumsum(ops != lacking) - 1)[aligned] for lacking in (Op.INSERTION, Op.DELETION)
    )
    return (said, heard), ops[aligned] == Op.HIT


def speakers_of_aligned_words(reference: Stretch, hypothesis: Stretch) -> Integers:
    """Return how many words of each speaker (row) are aligned with words of each (column)."""
    places, _ = aligned_places(reference, hypothesis)
    said, heard = (
        np.repeat(side.speaker, side.tokens.lengths)[place]
        for side, place in zip((reference, hypothesis), places, strict=True)
    )
    shape = len(reference.names), len(hypothesis.names)
    return np.bincount(said * shape[1] + heard, minlength=shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True, slots=True)
class DER(RecordingMetric):
    """Diarisation error rate: missed, false and confused speech, in seconds, per second of speech.

    Speakers are matched so that their common time is longest. With `collar=0.25`, half of it before
    and half after each boundary of the reference are not scored; with `overlap=false`, neither is
    speech of several speakers at once.

    Files may be RTTM, which has no words.

    Known problems: references whose segments are longer than the speech in them make speech that is
    missed. It says nothing about words.

    Example: `misword score ref.rttm hyp.rttm --metrics der,der:collar=0.25`

    Reference: J. Fiscus et al., The Rich Transcription 2006 Spring Meeting Recognition Evaluation,
    2006.
    """

    of_words: ClassVar[bool] = False
    name: ClassVar[str] = "der"
    title: ClassVar[str] = "DER"
    cites: ClassVar[tuple[str, ...]] = ("fiscus2006",)
    statistics: ClassVar[tuple[str, ...]] = ("missed", "false_alarm", "confused", "speech")
    fractional: ClassVar[frozenset[str]] = frozenset(statistics)

    collar: float = 0.0
    overlap: bool = True

    def check(self, context: Context) -> None:
        """Raise if the collar is negative."""
        if not 0 <= self.collar < np.inf:
            raise OptionError(f"collar is {self.collar}", fix="use 0 or more seconds")

    def settings(self, context: Context) -> Settings:
        """The collar, and whether overlapping speech is scored."""
        return ("collar", f"{self.collar:g}"), ("overlap", str(self.overlap).lower())

    def measure(self, pairs: Pairs) -> Statistics:
        """Add up the seconds of each kind of error, and of speech."""
        speakers = Speakers.of(pairs)
        speakers.check_times(self.name)
        rows = []
        for sides in speakers.sides:
            said, heard = (np.column_stack([side.speaker, side.begin, side.end]) for side in sides)
            rows.append(speech_times(said, heard, self.collar, overlap=self.overlap))
        return np.array(rows, np.float64).reshape(-1, 4)

    def terms(self, statistics: Statistics) -> Statistics:
        """Seconds of errors, and of speech in the reference."""
        missed, false_alarm, confused, speech = np.moveaxis(statistics, -1, 0)
        return np.stack([missed + false_alarm + confused, speech], axis=-1)
