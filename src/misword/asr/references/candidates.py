"""Spans of references where systems write the same other words: candidates for suspects.

Every system is aligned with the references, and differences of writing are forgiven. A candidate is
a span of the words of a reference, and other words that some systems have there. Systems support it
if these words are the same after forgiving writing, and oppose it if they have the words of the
reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from misword.alignment.several_references import Differences, differences, unit_sizes, word_key
from misword.asr.forgiving.blocks import Blocks
from misword.asr.measuring import prepare_with
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import ScoringOptions
from misword.asr.word_tables import shown_alignment
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import Alignment, Corpus, Op
from misword.io.transcripts.alternatives import CLOSE, DIVIDE, NOTHING, OPEN

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Spans of more words are not compared word by word: such errors are no slips of the pen.
MOST_WORDS = 6
LEAST_SYSTEMS = 2


@dataclass(frozen=True, slots=True)
class PlainText:
    """The words of a text in its first reading, and where each stands in the text as written.

    `places` has the number of each word among the words of the text; -1 for words that are
    alternatives, which are never suspect.
    """

    words: tuple[str, ...]
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> PlainText:
        """Read a text.

        >>> PlainText.of("so { um / @ } yes").places
        (0, -1, 6)
        """
        written = text.split()
        if OPEN not in text:
            return cls(tuple(written), tuple(range(len(written))))
        words, places = [], []
        ended: list[bool] = []  # for each open group, whether its first alternative has ended
        for place, word in enumerate(written):
            if word == OPEN:
                ended.append(False)
            elif ended and word == CLOSE:
                ended.pop()
            elif ended and word == DIVIDE:
                ended[-1] = True
            elif not any(ended) and not (ended and word == NOTHING):
                words.append(word)
                places.append(-1 if ended else place)
        return cls(tuple(words), tuple(places))


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words of a reference, and what systems have in their place.

    The words are `start` to `end - 1` of the reference of row `row`; one of the two sides may be
    empty. `text` is how most of the supporting systems write it. `support` and `against` are the
    numbers of the systems that have these words, and of those that have the words of the reference.
    """

    row: int
    start: int
    end: int
    text: str
    support: tuple[int, ...]
    against: tuple[int, ...]

    @property
    def words(self) -> int:
        """The number of words of the longer side."""
        return max(self.end - self.start, len(self.text.split()))


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """References and what each system has for each of their words.

    `texts` are the references. `hits` has a row for each word of all references, one after the
    other from `first[row]` on, and a column for each system: whether the system has this word.
    `steps` are the single differences: row, start, end, words, system. `errors` has the number of
    errors of each row and system, `sizes` the number of words of the hypotheses.
    """

    ids: tuple[str, ...]
    systems: tuple[str, ...]
    texts: tuple[PlainText, ...]
    hypotheses: tuple[tuple[tuple[str, ...], ...], ...]
    first: Numbers
    hits: Flags
    inserted: Flags
    steps: tuple[Step, ...]
    errors: Numbers

    @property
    def words(self) -> list[str]:
        """The keys of the words of all references, one reference after the other."""
        return [word_key(word) for text in self.texts for word in text.words]


@dataclass(frozen=True, slots=True)
class Step:
    """A difference of a system from a reference: the words of the span and those of the system.

    `is_part` says that it is a single word of a longer difference.
    """

    row: int
    start: int
    end: int
    text: str
    system: int
    is_part: bool


def listen(corpus: Corpus, options: ScoringOptions, equivalents: object, context: Context) -> Heard:
    """Align all systems with the references, and return what they have for each word."""
    texts = tuple(PlainText.of(text) for text in corpus.references["text"])
    plain = pl.Series("text", [" ".join(text.words) for text in texts], pl.String)
    best = corpus.hypotheses.filter(pl.col("rank") == 1)
    spoken = Corpus(corpus.references.select("utt", "text").with_columns(plain), best)
    pairs = prepare_with(options, spoken, equivalents or (), context)  # type: ignore[arg-type]
    rate, readings = EditRate(), pairs.readings()
    alignment = shown_alignment(rate, pairs)
    sizes = unit_sizes(alignment)
    _count_blocks(sizes, alignment, readings.blocks)
    index, systems = readings.index, corpus.systems
    system_of = best["system"].replace_strict(systems, range(len(systems))).to_numpy()
    row_of = index[:, 0]
    lengths = np.array([len(text.words) for text in texts], np.int64)
    first = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    found = differences(alignment, sizes)
    hits = np.ones((int(first[-1]), len(systems)), np.bool_)
    inserted = np.zeros((int(first[-1]) + len(texts), len(systems)), np.bool_)
    heard = [text.split() for text in best["text"]]
    steps = _steps(found, alignment, sizes, row_of, system_of, heard)
    for step in steps:
        if step.is_part:
            continue
        at = int(first[step.row])
        hits[at + step.start : at + step.end, step.system] = False
        if step.text:
            inserted[at + step.row + step.start : at + step.row + step.end + 1, step.system] = True
    words: list[list[tuple[str, ...]]] = [[()] * len(texts) for _ in systems]
    errors = np.zeros((len(texts), len(systems)), np.int64)
    for pair, (row, system) in enumerate(zip(row_of.tolist(), system_of.tolist(), strict=True)):
        words[system][row] = tuple(heard[pair])
        errors[row, system] = int(alignment.costs[pair])
    return Heard(
        tuple(corpus.references["utt"]), tuple(systems), texts, tuple(map(tuple, words)),
        first, hits, inserted, tuple(steps), errors,
    )  # fmt: skip


def _count_blocks(sizes: tuple[Numbers, Numbers], alignment: Alignment, blocks: Blocks) -> None:
    """Set the numbers of words of forgiven blocks, each of which is one operation."""
    if not len(alignment.forgiven):
        return
    sizes[0][alignment.forgiven] = blocks.reference_end - blocks.reference_start
    sizes[1][alignment.forgiven] = blocks.hypothesis_end - blocks.hypothesis_start


def _steps(
    found: Differences,
    alignment: Alignment,
    sizes: tuple[Numbers, Numbers],
    row_of: Numbers,
    system_of: Numbers,
    heard: Sequence[Sequence[str]],
) -> list[Step]:
    """Return the differences of all systems, and the single words of long differences."""
    steps = []
    columns = (column.tolist() for column in found)
    for pair, start, end, low, high in zip(*columns, strict=True):
        text = " ".join(heard[pair][low:high])
        steps.append(Step(int(row_of[pair]), start, end, text, int(system_of[pair]), False))
    # Single errors within longer differences.
    ops, offsets = alignment.all_operations, alignment.all_offsets
    pair_of = np.repeat(np.arange(len(alignment)), np.diff(offsets))
    error = ops != Op.HIT
    beside = np.zeros(len(ops), np.bool_)
    if len(ops) > 1:
        near = error[1:] & error[:-1] & (pair_of[1:] == pair_of[:-1])
        beside[1:] |= near
        beside[:-1] |= near
        # The words of a run of insertions have no places of their own.
        run = np.cumsum(np.concatenate([[True], ~near]))
        others = np.bincount(run, ops != Op.INSERTION)
        beside &= others[run] > 0
    places = []
    for size in sizes:
        total = np.concatenate([[0], np.cumsum(size)])
        places.append(total[:-1] - total[offsets[:-1]][pair_of])
    for at in np.flatnonzero(beside).tolist():
        pair, op = int(pair_of[at]), int(ops[at])
        start, low = int(places[0][at]), int(places[1][at])
        text = heard[pair][low] if op != Op.DELETION else ""
        end = start + (op != Op.INSERTION)
        steps.append(Step(int(row_of[pair]), start, end, text, int(system_of[pair]), True))
    return steps


def find_candidates(
    heard: Heard,
    options: ScoringOptions,
    context: Context,
    least: int = LEAST_SYSTEMS,
    left_out: int | None = None,
) -> list[Candidate]:
    """Return the spans where at least `least` systems agree against the reference.

    `left_out` is the number of a system that has no vote.
    """
    spans: dict[tuple[int, int, int], dict[str, list[Step]]] = defaultdict(dict)
    for step in heard.steps:
        if step.system == left_out or _is_unfit(step, heard):
            continue
        key = " ".join(map(word_key, step.text.split()))
        spans[step.row, step.start, step.end].setdefault(key, []).append(step)
    several = {span: texts for span, texts in spans.items()
               if len({s.system for steps in texts.values() for s in steps}) >= least}  # fmt: skip
    same = _same_writing(several.values(), options, context)
    candidates = []
    for (row, start, end), texts in several.items():
        for steps in _united(texts, same):
            support = tuple(sorted({step.system for step in steps}))
            if len(support) >= least:
                text = _usual([step.text for step in steps])
                against = _against(heard, row, start, end, left_out)
                candidates.append(Candidate(row, start, end, text, support, against))
    return candidates


def _is_unfit(step: Step, heard: Heard) -> bool:
    """Whether a difference is too long, or touches words that are alternatives."""
    places = heard.texts[step.row].places[step.start : step.end]
    longest = max(step.end - step.start, len(step.text.split()))
    return longest > MOST_WORDS or -1 in places


def _usual(texts: Sequence[str]) -> str:
    """Return the most frequent text; of equally frequent ones, the first."""
    return max(texts, key=texts.count)


def _against(heard: Heard, row: int, start: int, end: int, left_out: int | None) -> tuple[int, ...]:
    """Return the systems that have the words of the reference, and nothing between them."""
    at = int(heard.first[row])
    agree = heard.hits[at + start : at + end].all(axis=0)
    low, high = (start, end + 1) if start == end else (start + 1, end)
    agree &= ~heard.inserted[at + row + low : at + row + high].any(axis=0)
    return tuple(number for number in np.flatnonzero(agree).tolist() if number != left_out)


Variants = set[tuple[str, str]]


def _same_writing(
    groups: Iterable[dict[str, list[Step]]], options: ScoringOptions, context: Context
) -> Variants:
    """Return the pairs of texts that differ in nothing but writing."""
    wanted = sorted({
        pair
        for texts in groups
        if len(texts) > 1
        for pair in combinations(sorted(filter(None, texts)), 2)
    })  # fmt: skip
    if not wanted:
        return set()
    ids = pl.int_range(len(wanted), eager=True).cast(pl.String)
    one, other = (pl.Series([pair[side] for pair in wanted], dtype=pl.String) for side in (0, 1))
    corpus = Corpus.of(pl.DataFrame({"utt": ids, "text": one}), {"other": other})
    pairs = prepare_with(options, corpus, (), context)
    costs = EditRate().alignment(pairs).costs.tolist()
    return {pair for pair, cost in zip(wanted, costs, strict=True) if cost == 0}


def _united(texts: dict[str, list[Step]], same: Variants) -> list[list[Step]]:
    """Return the steps of each text, those of texts that differ in writing alone together."""
    groups: list[tuple[list[str], list[Step]]] = []
    for key, steps in texts.items():
        for keys, joined in groups:
            if any((min(key, other), max(key, other)) in same for other in keys):
                keys.append(key)
                joined.extend(steps)
                break
        else:
            groups.append(([key], list(steps)))
    return [steps for _, steps in groups]
