"""Several references of one text, merged by spans: each place where they differ is an alternative.

All references are aligned with the first one. Words are compared without case and without the
punctuation around them, so that writing does not hide that two references have the same words. A
difference is a run of words between words that all references share; where the differences of
several references overlap, or an insertion touches another difference, they are one place.

The rules: `any` accepts each text that a reference has in a place. `majority` accepts the text that
most references have there, or the texts if several have the most votes. `whole` makes no places:
each text is an alternative as a whole. Only the first reference has a role of its own; the order of
the others does not matter, and a reference that is a copy of another one has no vote.

Reference: J. Fiscus, A post-processing system to yield reduced word error rates, ASRU 1997 (words
of several transcripts aligned into places).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.core.errors import OptionError, did_you_mean
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.types import Alignment, Corpus, Offsets, Op, Tokens
from misword.io.transcripts.alternatives import CLOSE, OPEN, SIGN, either_text, group
from misword.text.tokens import encode_lists

Numbers = NDArray[np.int64]
Rule = Literal["any", "majority", "whole"]
RULES: tuple[Rule, ...] = get_args(Rule)
AROUND = re.compile(r"^\W+|\W+$")


def check_rule(rule: str) -> Rule:
    """Return the rule of this name; raise if there is none."""
    if rule not in RULES:
        near = did_you_mean(rule, RULES)
        raise OptionError(
            f"unknown rule {rule!r} for several references",
            fix=f"{near}use one of: {', '.join(RULES)}",
        )
    return rule


# The differences of texts from the texts that they are aligned with.


class Differences(NamedTuple):
    """Runs of words in which a text differs from the one it is aligned with, in order.

    Run `r` of pair `pair[r]` is the words `start[r]` to `end[r] - 1` of the first side, and
    `other_start[r]` to `other_end[r] - 1` of the other side; one of the two may be empty.
    """

    pair: Numbers
    start: Numbers
    end: Numbers
    other_start: Numbers
    other_end: Numbers


def differences(
    alignment: Alignment,
    sizes: tuple[Numbers, Numbers],
    alike: NDArray[np.bool_] | None = None,
) -> Differences:
    """Return the differences of all pairs of an alignment.

    `sizes` has the number of words that each operation takes on either side. `alike` says which
    operations take words that are alike; by default hits. A hit of words that are not alike, such
    as the same word in another case, is a difference by itself.
    """
    ops, offsets = alignment.all_operations, alignment.all_offsets
    pair = np.repeat(np.arange(len(alignment)), np.diff(offsets))
    hit = ops == Op.HIT
    same = hit if alike is None else hit & alike
    before = [_places(side, pair, offsets) for side in sizes]
    first = np.ones(len(ops), np.bool_)  # whether an operation begins a run
    if len(ops) > 1:
        joins = ~hit[1:] & ~hit[:-1] & (pair[1:] == pair[:-1])
        first[1:] = ~joins
    begins = np.flatnonzero(first)
    differs = ~same[begins]
    ends = np.append(begins[1:], len(ops)) - 1
    begins, ends = begins[differs], ends[differs]
    starts = [side[begins] for side in before]
    stops = [side[ends] + size[ends] for side, size in zip(before, sizes, strict=True)]
    return Differences(pair[begins], starts[0], stops[0], starts[1], stops[1])


def _places(sizes: Numbers, pair: Numbers, offsets: Offsets) -> Numbers:
    """Return the number of words of a pair before each operation."""
    total = np.concatenate([[0], np.cumsum(sizes)])
    return np.asarray(total[:-1] - total[offsets[:-1]][pair])


def unit_sizes(alignment: Alignment) -> tuple[Numbers, Numbers]:
    """Return the numbers of words that operations of single words take on either side."""
    ops = alignment.all_operations
    return (ops != Op.INSERTION).astype(np.int64), (ops != Op.DELETION).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Boundaries:
    """Where the borders between the words of the first side are on the other side of each pair.

    Border `b` of pair `p` stands before word `b` of the first side; it is number `first[p] + b`.
    `start` is the position of the border for a span that begins there, `end` for one that ends
    there: words that the other side inserts at the border lie between the two.
    """

    first: Offsets
    start: Numbers
    end: Numbers

    @classmethod
    def of(cls, found: Differences, lengths: Numbers, other_lengths: Numbers) -> Boundaries:
        """Find the borders; `lengths` are the numbers of words of both sides of each pair."""
        first = np.concatenate([[0], np.cumsum(lengths + 1)]).astype(np.int64)
        # Outside of differences, both sides advance together.
        shift = np.zeros(first[-1] + 1, np.int64)
        grown = (found.other_end - found.other_start) - (found.end - found.start)
        base = first[found.pair]
        np.add.at(shift, base + found.end, grown)
        np.add.at(shift, first[found.pair + 1], -grown)
        plain = np.arange(first[-1]) - np.repeat(first[:-1], lengths + 1)
        at = plain + np.cumsum(shift)[:-1]
        start, end = at.copy(), at.copy()
        empty = found.start == found.end
        start[(base + found.start)[empty]] = found.other_start[empty]
        end[(base + found.end)[empty]] = found.other_end[empty]
        start[(base + found.start)[~empty]] = found.other_start[~empty]
        end[(base + found.start)[~empty]] = found.other_start[~empty]
        start[(base + found.end)[~empty]] = found.other_end[~empty]
        end[(base + found.end)[~empty]] = found.other_end[~empty]
        return cls(first, start, end)


# The places at which references differ.


@dataclass(frozen=True, slots=True)
class Place:
    """A place where references differ: words `start` to `end - 1` of the first reference of a row.

    `texts` has the texts of all references, that of the first first; the others by their votes.
    `votes` has the number of references with each text.
    """

    row: int
    start: int
    end: int
    texts: tuple[str, ...]
    votes: tuple[int, ...]

    def accepted(self, rule: Rule) -> tuple[str, ...]:
        """Return the texts that a rule accepts."""
        if rule != "majority":
            return self.texts
        most = max(self.votes)
        return tuple(t for t, votes in zip(self.texts, self.votes, strict=True) if votes == most)


@dataclass(frozen=True, slots=True)
class MergedReferences:
    """References merged by spans.

    `texts` has a text of each row, with alternatives. `places` are the places where references
    differ. `distinct` is the number of references that are no copies of others, `left_out` the
    number of words that are signs of alternatives.
    """

    texts: tuple[str, ...]
    places: tuple[Place, ...]
    distinct: int
    left_out: int


def merge_references(columns: Sequence[Sequence[str]], rule: Rule = "any") -> MergedReferences:
    """Merge columns of references, the first of them the one that the others are aligned with.

    >>> columns = [["we are gonna go"], ["we're going to go"], ["we are going to go"]]
    >>> merge_references(columns).texts
    ("{ we are gonna / we are going to / we're going to } go",)
    >>> merge_references([["a b c d"], ["a c D"], ["a c d"]], "majority").texts
    ('a c d',)
    """
    distinct = list(dict.fromkeys(tuple(map(_spaced, column)) for column in columns))
    if len(distinct) == 1:
        return MergedReferences(tuple(columns[0]), (), 1, 0)
    if rule == "whole":
        rows = [either_text(row) for row in zip(*distinct, strict=True)]
        left_out = sum(left for _, left in rows)
        return MergedReferences(tuple(text for text, _ in rows), (), len(distinct), left_out)
    units = [[_units(text) for text in column] for column in distinct]
    places = _places_of(units)
    by_row: dict[int, list[Place]] = {}
    for place in places:
        by_row.setdefault(place.row, []).append(place)
    texts, left_out = list(columns[0]), 0
    for row, found in by_row.items():
        texts[row], left = _with_places(units[0][row], found, rule)
        left_out += left
    return MergedReferences(tuple(texts), tuple(places), len(distinct), left_out)


def merged_corpus(corpus: Corpus) -> Corpus:
    """Return a corpus whose utterances have several references, with merged references."""
    several = corpus.several
    if several is None:
        return corpus
    columns = [text.to_list() for text in several.texts]
    found = merge_references(columns, check_rule(several.rule))
    notes = []
    if copies := len(columns) - found.distinct:
        notes.append(
            f"{copies:,} of {len(columns):,} references are copies of others and do not count"
        )
    if found.left_out:
        words = counted(found.left_out, "word")
        what = f"{words} / or @ left out of places where references differ"
        notes.append(f"{what}, where they are signs of alternatives")
    table = corpus.references.with_columns(pl.Series("text", found.texts, pl.String))
    return replace(
        corpus, references=table, several=replace(several, merged=True, notes=tuple(notes))
    )


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _units(text: str) -> list[str]:
    """Return the words of a text; alternatives that it has already are one unit."""
    words = text.split()
    if OPEN not in text:
        return words
    units: list[str] = []
    depth = 0
    for word in words:
        if depth:
            units[-1] += f" {word}"
        else:
            units.append(word)
        depth = max(0, depth + word.count(OPEN) - word.count(CLOSE))
    return units


def _places_of(units: Sequence[Sequence[Sequence[str]]]) -> list[Place]:
    """Return the places of all rows; `units` has the words of each row of each reference."""
    rows = len(units[0])
    flat = encode_lists([text for column in units for text in column])
    keys = _keys(flat)
    numbers = np.arange(rows)
    runs: list[Differences] = []
    borders: list[Boundaries] = []
    lengths = flat.lengths
    for number in range(1, len(units)):
        pairs = np.stack([numbers, number * rows + numbers], axis=1)
        # The costs of sclite keep more shared words than unit costs, so places are smaller.
        alignment = align(keys, keys, pairs=pairs, ties="sclite")
        alike = _alike(alignment, flat, pairs)
        found = differences(alignment, unit_sizes(alignment), alike)
        runs.append(found)
        borders.append(Boundaries.of(found, lengths[:rows], lengths[pairs[:, 1]]))
    first = borders[0].first
    places = []
    for row, start, end in _joined(runs):
        texts = [" ".join(units[0][row][start:end])]
        for number, border in enumerate(borders, 1):
            at = int(first[row])
            low, high = int(border.start[at + start]), int(border.end[at + end])
            texts.append(" ".join(units[number][row][low:high]))
        places.append(_place(row, start, end, texts))
    return [place for place in places if len(place.texts) > 1]


def _place(row: int, start: int, end: int, texts: Sequence[str]) -> Place:
    votes = Counter(texts)
    others = sorted(set(texts) - {texts[0]}, key=lambda text: (-votes[text], text))
    listed = (texts[0], *others)
    return Place(row, start, end, listed, tuple(votes[text] for text in listed))


def _keys(tokens: Tokens) -> Tokens:
    """Return tokens that are the same for words that differ in case or outer punctuation only."""
    numbers: dict[str, int] = {}
    keys = (word_key(word) for word in tokens.vocabulary[:])
    key_of = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int32)
    ids = key_of[tokens.ids] if len(tokens.ids) else tokens.ids
    return Tokens(ids, tokens.offsets, list(numbers))


def word_key(word: str) -> str:
    """Return a word without case and outer punctuation; a word of signs stays as it is.

    >>> word_key("Don't,"), word_key("--")
    ("don't", '--')
    """
    return AROUND.sub("", word.casefold()) or word


def _alike(alignment: Alignment, flat: Tokens, pairs: Numbers) -> NDArray[np.bool_]:
    """Return which operations are hits of words that are written in the same way."""
    ops = alignment.all_operations
    sides = []
    for column, absent in ((0, Op.INSERTION), (1, Op.DELETION)):
        ids = np.full(len(ops), -1 - column, np.int64)
        ids[ops != absent] = flat.take(pairs[:, column]).ids
        sides.append(ids)
    return np.asarray(sides[0] == sides[1])


def _joined(runs: Iterable[Differences]) -> Iterator[tuple[int, int, int]]:
    """Yield the places of all runs: those that overlap are one, and insertions join neighbours."""
    rows = np.concatenate([run.pair for run in runs])
    starts = np.concatenate([run.start for run in runs])
    ends = np.concatenate([run.end for run in runs])
    order = np.lexsort((ends, starts, rows))
    row, start, end, inserts = -1, 0, 0, False
    listed = zip(*(column[order].tolist() for column in (rows, starts, ends)), strict=True)
    for next_row, next_start, next_end in listed:
        is_insertion = next_start == next_end
        touches = next_start == end and (inserts or is_insertion)
        if next_row == row and (next_start < end or touches):
            grows = next_end > end
            inserts = is_insertion if grows else inserts or (is_insertion and next_start == end)
            end = max(end, next_end)
            continue
        if row >= 0:
            yield row, start, end
        row, start, end, inserts = next_row, next_start, next_end, is_insertion
    if row >= 0:
        yield row, start, end


def _with_places(words: Sequence[str], places: Sequence[Place], rule: Rule) -> tuple[str, int]:
    """Return a text with alternatives at its places, and the number of signs that were left out."""
    pieces: list[str] = []
    at = left_out = 0
    for place in places:
        pieces += words[at : place.start]
        kept = []
        for text in place.accepted(rule):
            inner = [word for word in _units(text) if not SIGN.fullmatch(word)]
            left_out += len(_units(text)) - len(inner)
            kept.append(" ".join(inner))
        merged = group(kept)
        pieces += [merged] if merged else []
        at = place.end
    return " ".join([*pieces, *words[at:]]), left_out
