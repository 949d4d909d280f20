"""`entities=` and `keywords=` of whole scores, compared with a count in plain loops over steps."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.asr.align import Aligned
from misword.asr.metrics.edit_rate import EditRate
from misword.core.types import Op

WORDS = ["a", "A", "b,", "c", "--", "Don't", "do", "not", "20", "twenty", "gonna", "going", "to"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"normalize": "lower,nopunct"},
    {"forgive": "case"},
    {"forgive": "writing", "lang": "en"},
    {"normalize": "lower,nopunct", "forgive": "writing", "lang": "en"},
]
FIELDS = ("words", "substitutions", "deletions", "insertions", "terms", "found")
Span = tuple[int, int, str]  # the first word, the word after the last, and the class
Counts = dict[tuple[str, str, str], list[int]]  # of utterance, system and class
Case = tuple[list[list[str]], dict[str, list[list[str]]], list[list[Span]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw references, the hypotheses of two systems, and spans of which none cross."""
    references = draw(st.lists(TEXTS, min_size=1, max_size=3))
    # Hypotheses like the reference, so that many words are right.
    systems = {
        name: [
            [draw(st.sampled_from(WORDS)) if draw(st.integers(0, 3)) == 0 else w for w in words]
            + draw(st.lists(st.sampled_from(WORDS), max_size=2))
            for words in references
        ]
        for name in "xy"
    }
    spans = []
    for words in references:
        edges = sorted(draw(st.sets(st.integers(0, len(words)), max_size=5)))
        kinds = st.sampled_from("PQ")
        found = [(a, b, draw(kinds)) for a, b in pairwise(edges) if draw(st.booleans())]
        if len(edges) > 2 and draw(st.booleans()):
            found.append((edges[0], edges[-1], draw(kinds)))
        spans.append(found)
    if not any(spans):
        spans[0] = [(0, 1, "P")]
    return references, systems, spans


def in_characters(words: list[str], spans: list[Span]) -> str:
    """The spans as a value of a column of entities."""
    starts = [sum(len(word) + 1 for word in words[:at]) for at in range(len(words))]
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    return json.dumps([[starts[a], ends[b - 1], kind] for a, b, kind in spans])


KINDS = {Op.HIT: "hit", Op.SUBSTITUTION: "substitution", Op.INSERTION: "insertion",
         Op.DELETION: "deletion"}  # fmt: skip
SIDES = ("reference", "hypothesis")


def words_of(aligned: Aligned, row: int, side: str) -> list[str]:
    """The words of a text as it is compared."""
    texts = (getattr(step, side) for step in aligned.steps(row))
    return [word for text in texts if text for word in text.split()]


def steps_of(aligned: Aligned, row: int, side: str) -> tuple[list[str], list[int]]:
    """The kind of each step, and the step of each word of one side, as the metric aligns them.

    `Aligned.steps` has other steps of the same cost where these pair words that are alike.
    """
    assert isinstance(aligned.metric, EditRate)
    alignment = aligned.metric.alignment(aligned.pairs, operations=True)
    starts, ends = aligned.metric.readings(aligned.pairs).blocks.side(SIDES.index(side))
    sizes = dict(zip(alignment.forgiven.tolist(), (ends - starts).tolist(), strict=True))
    other = "deletion" if side == "hypothesis" else "insertion"
    lo, hi = alignment.all_offsets[row : row + 2].tolist()
    kinds = ["hit" if k in sizes else KINDS[Op(alignment.all_operations[k])] for k in range(lo, hi)]
    step_of: list[int] = []
    for at, kind in enumerate(kinds):
        step_of += [at] * sizes.get(lo + at, int(kind != other))
    return kinds, step_of


def count(aligned: Aligned, row: int, side: str, spans: set[Span]) -> dict[str, list[int]]:
    """Count the words, errors and spans of each class, one word after the other."""
    missed = "insertion" if side == "hypothesis" else "deletion"
    added = "deletion" if side == "hypothesis" else "insertion"
    kinds, step_of = steps_of(aligned, row, side)
    counts: dict[str, list[int]] = {}
    counted: set[tuple[str, int]] = set()
    between: set[tuple[str, int]] = set()
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        numbers = counts.setdefault(kind, [0] * len(FIELDS))
        for at in range(start, end):
            if (kind, at) not in counted:
                counted.add((kind, at))
                numbers[0] += 1
                numbers[1] += kinds[step_of[at]] == "substitution"
                numbers[2] += kinds[step_of[at]] == missed
        inside = range(step_of[start], step_of[end - 1] + 1)
        for at in inside:
            if kinds[at] == added and (kind, at) not in between:
                between.add((kind, at))
                numbers[3] += 1
        numbers[4] += 1
        numbers[5] += all(kinds[at] == "hit" for at in inside)
    return counts


def counts_of(scores: misword.Scores, fields: tuple[str, ...] = FIELDS) -> Counts:
    rows = scores.result().tables["entity_counts"].to_dicts()
    found = {(r["utt"], r["system"], r["class"]): [r[name] for name in fields] for r in rows}
    return {key: numbers for key, numbers in found.items() if any(numbers)}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(case=cases())
@settings(max_examples=20, deadline=None)
def test_entities_are_counted_as_in_plain_loops(options: dict[str, Any], case: Case) -> None:
    references, systems, spans = case
    texts = [" ".join(words) for words in references]
    spoken = {name: [" ".join(words) for words in lists] for name, lists in systems.items()}
    tags = {"tags": [in_characters(*both) for both in zip(references, spans, strict=True)]}
    scores = misword.score(texts, spoken, "wer", metadata=tags, entities="tags:tags", **options)
    expected: Counts = {}
    for name, hypotheses in spoken.items():
        aligned = misword.align(texts, hypotheses, **options)
        for row, words in enumerate(references):
            # `nopunct` leaves nothing of a word without letters.
            sizes = [int(word != "--" or "normalize" not in options) for word in words]
            placed = {(sum(sizes[:a]), sum(sizes[:b]), kind) for a, b, kind in spans[row]}
            kept = {span for span in placed if span[0] < span[1]}
            for kind, numbers in count(aligned, row, "reference", kept).items():
                expected[str(row + 1), name, kind] = numbers
    assert counts_of(scores) == expected


TERMS = {"a": "P", "do not": "P", "going to": "Q", "not": "Q", "twenty 20": "P", "to a": "Q"}


def occurrences(words: list[str], terms: dict[tuple[str, ...], str]) -> set[Span]:
    """The terms in a text: at each word the longest, and none within another."""
    found: set[Span] = set()
    at = 0
    while at < len(words):
        fits = [term for term in terms if tuple(words[at : at + len(term)]) == term]
        if fits:
            longest = max(fits, key=len)
            found.add((at, at + len(longest), terms[longest]))
        at += len(longest) if fits else 1
    return found


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
@given(case=cases())
@settings(max_examples=20, deadline=None)
def test_keywords_are_counted_as_in_plain_loops(options: dict[str, Any], case: Case) -> None:
    references, systems, _ = case
    texts = [" ".join(words) for words in references]
    spoken = {name: [" ".join(words) for words in lists] for name, lists in systems.items()}
    terms = {tuple(term.split()): kind for term, kind in TERMS.items()}
    scores = misword.score(texts, spoken, "wer", keywords=TERMS, **options)
    expected: Counts = {}
    for name, hypotheses in spoken.items():
        aligned = misword.align(texts, hypotheses, **options)
        for row in range(len(references)):
            for side, first, last in (("reference", 0, 6), ("hypothesis", 4, 6)):
                spans = occurrences(words_of(aligned, row, side), terms)
                for kind, numbers in count(aligned, row, side, spans).items():
                    key = (str(row + 1), name, kind)
                    place = expected.setdefault(key, [0] * 8)
                    at = 0 if side == "reference" else 6
                    place[at : at + last - first] = numbers[first:last]
    assert counts_of(scores, (*FIELDS, "proposed", "confirmed")) == expected
