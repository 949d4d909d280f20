"""The words of each pair that are compared: readings of both sides, and forgiven blocks.

A reference with alternatives has several readings. Families of differences of writing and lists
of equivalents allow blocks: words of the reference and words of the hypothesis that count as the
same. For each pair, the reading and the blocks are those of the alignment with the fewest word
errors (`alignment/blocks.py`), and every metric uses them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.blocks import (
    NOT_OPTIONAL,
    OPTIONAL,
    SCLITE_PRICES,
    UNIT_PRICES,
    BlockAlignment,
    Forgiveness,
    align_blocks,
)
from misword.alignment.engine import Ties, align
from misword.asr.compared_texts import NOTHING, ComparedTexts, Signs, append, map_tokens
from misword.asr.forgiving.blocks import NO_BLOCKS, Blocks, BlockSegments, Paths, WordClasses
from misword.asr.forgiving.choice import ForgivenFamilies
from misword.asr.forgiving.equivalents import Equivalents
from misword.asr.forgiving.spans import (
    MOST_RUN,
    FormTexts,
    KeyedSpans,
    Keys,
    SideSpans,
    class_spans,
    family_spans,
    join_spans,
    optional_spans,
)
from misword.asr.views import Utterances
from misword.core.errors import InputError
from misword.core.types import Alignment, Offsets, Sides, Tokens, join_ranges
from misword.text.normalizers import Chain
from misword.text.texts import Texts
from misword.text.tokens import decode_words

if TYPE_CHECKING:
    from polars import Series

    from misword.asr.forgiving.contexts import Contexts


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """The texts of pairs after the choice of readings and blocks.

    Pair `p` is the reference in row `index[p, 0]` and the hypothesis in row `index[p, 1]` of
    `utterances`: the references followed by the readings that were chosen, each once. `blocks` are
    the forgiven blocks of the pairs, `families` the names of their families, `unread` the number of
    sequences that were too long to be read by a family.
    """

    utterances: Utterances
    index: NDArray[np.int64]
    blocks: Blocks = NO_BLOCKS
    families: tuple[str, ...] = ()
    unread: int = 0

    def notes(self) -> list[str]:
        """Return a note if families did not read all words."""
        if not self.unread:
            return []
        return [
            f"forgiving: {self.unread:,} sequences of more than {MOST_RUN} numbers were compared "
            "as they are written"
        ]

    @property
    def block_segments(self) -> BlockSegments:
        """The segments of the pairs around their blocks."""
        return BlockSegments.of(self.blocks, self.index)

    def align(self, sides: Sides, *, operations: bool, **rule: Any) -> Alignment:
        """Align the pairs around their blocks; `rule` are arguments of `alignment.engine.align`."""
        aligned: Callable[..., Alignment] = partial(align, operations=operations, **rule)
        if operations:
            return self.block_segments.align(sides, aligned)
        changed, pair = np.unique(self.blocks.pair, return_inverse=True)
        around = BlockSegments.of(self.blocks._replace(pair=pair), self.index[changed])
        whole, parts = aligned(*sides, pairs=self.index), around.align(sides, aligned)
        whole.counts[changed], whole.costs[changed] = parts.counts, parts.costs
        if whole.bursts is not None and parts.bursts is not None:
            whole.bursts[changed] = parts.bursts
        return whole

    def rewritten(self) -> Readings:
        """Return readings in which each forgiven block is written as the hypothesis writes it."""
        changed = np.unique(self.blocks.pair)
        readings = self.block_segments.rewritten(self.utterances.words).take(changed)
        utterances, index = _with_readings(self.utterances, self.index, changed, readings)
        return Readings(utterances, index)


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """Chooses readings and blocks of the pairs of `index` from their texts.

    They are those with the fewest errors; with the tie rule `sclite`, those of the lowest cost.
    `contexts` are the texts in which families read words, if these are not the rows.
    """

    texts: ComparedTexts
    index: NDArray[np.int64]
    equivalents: Equivalents
    workers: int | None = None
    ties: Ties = "misword"
    contexts: Contexts | None = None

    def read(self, choice: ForgivenFamilies) -> Readings:
        """Choose the reading and the blocks with the fewest errors for each pair."""
        classes = self._classes(choice)
        by_class = self._errors(classes, self.index)
        keys = Keys()
        aligned = self._align(classes, choice, self.index, by_class, keys)
        plain = Utterances(*self.texts.normal, self.texts.plain_words)
        utterances, index = _with_readings(plain, self.index, aligned.read, aligned.readings)
        blocks = Blocks.join(
            part
            for paths in (
                (aligned.pairs, aligned.ops, aligned.offsets),
                self._plain_paths(classes, aligned.pairs, by_class),
            )
            for part in Paths(*paths, utterances.words, index).blocks(classes)
        )
        names = (*choice.names, *(["equivalents"] if self.equivalents.classes else []))
        return Readings(utterances, index, blocks, names, keys.unread)

    def originals(self) -> list[str]:
        """Return a text of each reference that does not depend on a hypothesis.

        For a reference with alternatives, it is the reading for an empty hypothesis.
        """
        rows = self.texts.normal[0].split()
        several = np.flatnonzero(np.diff(self.texts.signs.offsets))
        if len(several):
            empty = np.full_like(several, len(self.texts.words[1]) - 1)
            pairs = np.stack([several, empty], axis=1)
            classes = WordClasses.of(self.texts.words[0].vocabulary[:], ForgivenFamilies())
            errors = self._errors(classes, pairs)
            aligned = self._align(classes, ForgivenFamilies(), pairs, errors, Keys())
            found = decode_words(aligned.readings).split()
            for row, text in zip(several[aligned.read].tolist(), found, strict=True):
                rows[row] = text
        return rows

    def _classes(self, choice: ForgivenFamilies) -> WordClasses:
        """Return the classes of words, with the words that equivalents say may be left out."""
        vocabulary = self.texts.words[0].vocabulary[:]
        classes = WordClasses.of(vocabulary, choice)
        left_out = {phrase[0] for phrase in self.equivalents.optional if len(phrase) == 1}
        if left_out:
            number = len(choice.families)
            flags = np.fromiter((word in left_out for word in vocabulary), np.bool_)
            classes.optional[flags & (classes.optional == NOT_OPTIONAL)] = number
        return classes

    def _errors(self, classes: WordClasses, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cost of each pair without blocks, where words of one class are the same."""
        sides = self._class_sides(classes)
        return self._aligned(sides, pairs, operations=False).costs.astype(np.int64)

    def _aligned(
        self, sides: Sides, pairs: NDArray[np.int64], *, operations: bool = True
    ) -> Alignment:
        """Align pairs, ignoring alternatives and blocks."""
        return align(
            *sides, pairs=pairs, ties=self.ties, operations=operations, workers=self.workers
        )

    def _class_sides(self, classes: WordClasses) -> Sides:
        """Return the texts with the class of each word."""
        if classes.trivial:
            return self.texts.words
        reference, hypothesis = (map_tokens(s, classes.class_of) for s in self.texts.words)
        return reference, hypothesis

    def _plain_paths(
        self, classes: WordClasses, aligned: NDArray[np.int64], by_class: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8], Offsets]:
        """Return the other pairs in which classes forgive words, and their operations.

        These are pairs that are not in `aligned` and whose errors become fewer by the classes.
        """
        rest = np.full(len(self.index), not classes.trivial)
        rest[aligned] = False
        pairs = np.flatnonzero(rest)
        words = self._aligned(self.texts.words, self.index[pairs], operations=False)
        pairs = pairs[words.costs > by_class[pairs]]
        found = self._aligned(self._class_sides(classes), self.index[pairs])
        return pairs, found.all_operations, found.all_offsets

    def _align(
        self,
        classes: WordClasses,
        choice: ForgivenFamilies,
        pairs: NDArray[np.int64],
        errors: NDArray[np.int64],
        keys: Keys,
    ) -> BlockAlignment:
        """Find the cheapest alignment of each pair; `errors` are those without blocks."""
        words = self.texts.words
        several = np.diff(self.texts.signs.offsets) > 0
        bounds = np.where(several[pairs[:, 0]], -1, errors)
        references, hypotheses = self._spans(choice, pairs, bounds, keys)
        families = np.append(np.array(keys.families) < len(choice.families), False)
        of_family = families[np.maximum(references.key, OPTIONAL)]  # optional spans: the last
        references = references.take(self._listed(references, of_family))
        forgiveness = Forgiveness(
            classes.class_of,
            classes.optional,
            references.by_row(len(words[0])),
            hypotheses.by_row(len(words[1])),
            np.array(keys.families, np.uint8),
        )
        prices = SCLITE_PRICES if self.ties == "sclite" else UNIT_PRICES
        return align_blocks(
            self.texts.written, words[1], pairs, forgiveness, prices, bounds, workers=self.workers
        )

    def _spans(
        self,
        choice: ForgivenFamilies,
        pairs: NDArray[np.int64],
        bounds: NDArray[np.int64],
        keys: Keys,
    ) -> SideSpans:
        """Return the spans of both sides from which blocks are made."""

        from misword.asr.forgiving.places import placed_spans

        words, lang = self.texts.words, choice.lang
        found: list[SideSpans] = []
        compared = self._compared(pairs[bounds != 0])
        contexts = self._contexts()
        compared = contexts.compared(compared)
        written = [numbered for numbered in choice.numbered if not numbered[1].reads_normal_words]
        normal = [numbered for numbered in choice.numbered if numbered[1].reads_normal_words]
        if written:
            as_written = contexts.written(self.texts.as_written())
            spans = family_spans(as_written.sides, written, lang, compared, keys)
            spans += placed_spans(as_written.sides, written, lang, keys)
            found += map(as_written.in_normal_text, spans)
        if normal:
            found += family_spans(contexts.normal(words), normal, lang, compared, keys)
        if self.equivalents.classes:
            sides, number = contexts.normal(words), len(choice.families)
            texts = FormTexts.of(sides, words[0].vocabulary[:])
            found.append(class_spans(texts, [(number, self.equivalents.classes)], keys))
            left_out = [phrase for phrase in self.equivalents.optional if len(phrase) > 1]
            found.append(optional_spans(texts, left_out, number))
        return join_spans(contexts.by_row(spans, words) for spans in found)

    def _contexts(self) -> Contexts:
        """Return the texts that families read: the rows if references have alternatives."""
        if self.contexts is not None and not len(self.texts.signs):
            return self.contexts
        from misword.asr.forgiving.contexts import Contexts

        return Contexts()

    def _compared(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of words that pairs compare.

        Each hypothesis is compared with its reference or, if the reference has alternatives, with
        each segment and with the written reading of the reference.
        """
        written = self.texts.written
        several = np.diff(written.sign_at)[pairs[:, 0]]
        first = written.first_segment[pairs[:, 0]]
        rows = join_ranges(first, several + 1)
        segments = np.stack([rows, np.repeat(pairs[:, 1], several + 1)], axis=1)
        readings = np.stack([written.reading.row[pairs[:, 0]], pairs[:, 1]], axis=1)
        return np.concatenate([segments, readings[readings[:, 0] >= 0]])

    def _listed(self, spans: KeyedSpans, of_family: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each reference span is kept.

        Spans of segments are kept. A span of a written reading is kept if it is one of a family
        and crosses a border of segments: within one segment, it is a span of that segment too.
        """
        written = self.texts.written
        row, chosen, at = written.reading
        listed = np.ones(len(spans.row), np.bool_)
        if not len(chosen):
            return listed
        owner = np.repeat(np.arange(len(row)), np.diff(at))
        sizes = written.segments.lengths[written.first_segment[owner] + chosen]
        # Readings are the last rows of the words. `ends` are the ends of their segments.
        ends = int(written.segments.offsets[-1]) - int(sizes.sum()) + np.cumsum(sizes)
        of_reading = np.flatnonzero(spans.row >= row.max() - np.count_nonzero(row >= 0) + 1)
        first = written.segments.offsets[spans.row[of_reading]]
        start, last = (
            np.searchsorted(ends, first + place[of_reading], "right")
            for place in (spans.start, spans.end - 1)
        )
        listed[of_reading] = of_family[of_reading] & (start != last)
        return listed


def _with_readings(
    utterances: Utterances,
    index: NDArray[np.int64],
    pairs: NDArray[np.int64],
    readings: Tokens,
) -> tuple[Utterances, NDArray[np.int64]]:
    """Return utterances with further references, the readings of `pairs`, and the new index.

    Each text is added once.
    """
    references, words = utterances.references, utterances.words
    texts = decode_words(readings).data.split(b"\0") if len(readings) else []
    numbers: dict[bytes, int] = {}
    rows = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
    firsts = np.unique(rows, return_index=True)[1]
    index = index.copy()
    index[pairs, 0] = references.rows + rows
    joined = words[0].append(readings.take(firsts))
    added = append(references, list(numbers))
    return Utterances(added, utterances.hypotheses, (joined, words[1])), index


# Alternatives in hypotheses: the reading of each hypothesis that is scored.
#
# A hypothesis may contain alternatives (`{ a / b }`), as the references do: sclite's ctm files
# have them, and rules of a GLM file make them. As in sclite, the pair of a reading of the
# reference and a reading of the hypothesis with the fewest word errors is scored.
#
# The readings of a reference are listed one by one. For each of them, the search that otherwise
# chooses the reading of a reference (`Reader`) chooses the reading of the hypothesis: the number of
# errors is the same if the two sides are exchanged.

# Readings of a reference that are compared with a hypothesis that has alternatives itself.
MOST_READINGS = 4096


def note_on_alternatives(signs: Signs) -> str:
    """Return a note on the hypotheses with alternatives, which are scored by their best reading."""
    several = np.count_nonzero(np.diff(signs.offsets))
    return (
        f"hypotheses with alternatives ({{ a / b }}): {several:,}; of each, the reading with the "
        "fewest errors is scored"
    )


def choose_hypotheses(
    index: NDArray[np.int64],
    signs: tuple[Signs, Signs],
    chain: Chain,
    ids: Series,
    ties: Ties,
    workers: int | None,
) -> Texts:
    """Return the hypotheses, each with one reading; those with alternatives are normalised.

    `signs` are those of the references and hypotheses before normalisation; `index` has the rows of
    each pair, with every hypothesis at most once; `ids` are the ids of the references. The
    costs of the tie rule `ties` decide.
    """
    of_references, of_hypotheses = signs
    pairs = index[np.diff(of_hypotheses.offsets)[index[:, 1]] > 0]
    rows = np.unique(pairs[:, 0])
    segments = of_references.segments.split() if len(of_references) else []
    listed = {
        row: list_readings(*_row(of_references, segments, row), ids[row]) for row in rows.tolist()
    }
    readings = Texts.of(text for texts in listed.values() for text in texts)
    first = dict(zip(listed, np.cumsum([0, *map(len, listed.values())]).tolist(), strict=False))
    compared = np.array(
        [
            (hypothesis, first[row] + number)
            for row, hypothesis in pairs.tolist()
            for number in range(len(listed[row]))
        ],
        np.int64,
    )
    exchanged = ComparedTexts.of(of_hypotheses.texts, readings, of_hypotheses, chain)
    chosen = Reader(exchanged, compared, Equivalents(()), workers, ties).read(ForgivenFamilies())
    tokens = chosen.utterances.words
    costs = align(*tokens, pairs=chosen.index, ties=ties, operations=False, workers=workers).costs
    best = _first_of_least(costs, compared[:, 0])
    texts, read = of_hypotheses.texts.split(), chosen.utterances.references.split()
    for pair in best.tolist():
        texts[compared[pair, 0]] = read[chosen.index[pair, 0]]
    return Texts.of(texts)


def _first_of_least(costs: NDArray[np.float64], owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each owner the number of the first of its rows with the lowest cost."""
    order = np.lexsort((costs, owners))  # rows of equal cost keep their order
    _, first = np.unique(owners[order], return_index=True)
    return order[first]


def _row(signs: Signs, segments: list[str], row: int) -> tuple[list[str], str]:
    """Return the segments of a reference and the signs between them."""
    if not len(signs):
        return [signs.texts.split()[row]], ""
    lo, hi = signs.offsets[row], signs.offsets[row + 1]
    kinds = signs.kinds[lo:hi].tobytes().decode()
    return segments[lo + row : hi + row + 1], kinds


def list_readings(segments: list[str], kinds: str, utt: str) -> list[str]:
    """Return all readings of a text with alternatives, in the order in which they are written.

    `kinds` are the signs between the segments: `{`, `/` and `}`.

    >>> list_readings(["so", "um", "@", "we"], "{/}", "u1")
    ['so um we', 'so we']
    """
    # For each open group: the readings of the text before it, and those of its alternatives.
    outer: list[tuple[list[str], list[str]]] = []
    readings = [segments[0].strip()]
    for kind, segment in zip(kinds, segments[1:], strict=True):
        if kind == "{":
            outer.append((readings, []))
            readings = [""]
        elif kind == "/":
            outer[-1][1].extend(readings)
            readings = [""]
        else:
            before, group = outer.pop()
            readings = [f"{start} {end}".strip() for start in before for end in group + readings]
        words = [word for word in segment.split() if not outer or word != NOTHING]
        readings = [f"{reading} {' '.join(words)}".strip() for reading in readings]
        if len(readings) > MOST_READINGS:
            raise InputError(
                f"the reference has more than {MOST_READINGS:,} readings, and its hypothesis has "
                "alternatives too",
                where=f"utterance {utt!r}",
                fix="divide the utterance, or leave alternatives out of the hypothesis",
            )
    return readings
