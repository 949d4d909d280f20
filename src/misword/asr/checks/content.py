"""Checks of the content of utterances: lengths, empty texts, duplicates, and texts that repeat."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.findings import Finding, Severity, deletion_command, make_finding
from misword.asr.checking.suspicious import LOOPED, looped_words
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted
from misword.core.types import Op
from misword.text.texts import Texts
from misword.text.tokens import encode_words

# Paired texts with very different lengths, and texts that were cut off.

RATIO = 4.0  # how many times longer than its counterpart a text may be
DIFFERENT = "{} more than four times longer or shorter than in {}"
DIFFERENCE = 15  # the least difference in words of very different lengths
FEW_ERRORS = 0.75  # the least share of correct words before the cut
CUT_WORDS = 5  # the least number of words that are missing at the end
CUT_SHARE = 0.3  # the least share of the reference that is missing at the end
WARNED_LINES, WARNED_SHARE = 5, 0.002
LONGEST_WORD = 12  # characters: texts that are cut between words end this much earlier
FEWEST_AT_LIMIT = 5  # texts that end at the limit


@dataclass(frozen=True, slots=True)
class LengthsCheck(Check):
    """Texts far longer or shorter than their counterparts, and texts that were cut off.

    A text is cut off if it is right up to a point and at least five words and 30 % of the reference
    are missing after it. If all long texts end at one length, a limit has cut them.

    Example: `misword check ref.txt hyp.txt --checks lengths`
    """

    name: ClassVar[str] = "lengths"
    title: ClassVar[str] = "lengths"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare the lengths of each pair of texts."""
        for pair in texts.matching_pairs:
            limit = list(_limit_findings(pair))
            yield from limit
            cut = _cut_off(pair)
            if not limit:
                yield from _length_findings(
                    pair, cut, "{} cut off: the end of the text of {} is missing"
                )
            unlike = _differ_in_length(pair.left_words, pair.right_words) & ~cut
            yield from _length_findings(pair, unlike, DIFFERENT)
        for pair in texts.translated_pairs:
            left, right = _characters(pair)
            unlike = _differ_in_length(left / 6, right / 6 * left.sum() / max(1, right.sum()))
            yield from _length_findings(pair, unlike, DIFFERENT)


def _length_findings(pair: TextPair, chosen: NDArray[np.bool_], message: str) -> Iterator[Finding]:
    """Yield a finding about the chosen pairs of rows: a warning if there are many, else a note."""
    rows = [(row, mate) for mate, row in pair.rows[chosen].tolist()]
    if not rows:
        return
    many = len(rows) >= WARNED_LINES and len(rows) >= WARNED_SHARE * len(pair.rows)
    severity: Severity = "warning" if many else "note"
    verb = "is" if len(rows) == 1 else "are"
    yield make_finding(
        LengthsCheck.name,
        severity,
        pair.right,
        message.format(f"{counted(len(rows), 'line')} {verb}", pair.left.name),
        rows=[row for row, _ in rows],
        other=pair.left,
        pairs=rows,
        evidence={"share of lines": len(rows) / len(pair.rows)},
    )


def _differ_in_length(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which pairs of non-empty texts have very different lengths (in words)."""
    longer, shorter = np.maximum(left, right), np.minimum(left, right)
    unlike = (shorter > 0) & (longer > RATIO * shorter) & (longer - shorter >= DIFFERENCE)
    return np.asarray(unlike, bool)


def _characters(pair: TextPair) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers of characters of each pair of rows."""
    left, right = (np.array([len(t) for t in text.plain]) for text in (pair.left, pair.right))
    return left[pair.rows[:, 0]], right[pair.rows[:, 1]]


def _cut_off(pair: TextPair) -> NDArray[np.bool_]:
    """Return which right texts are correct up to a point and end there."""
    missing = trailing_deletions(pair)
    kept = pair.left_words - missing
    rest = pair.errors - missing
    is_right = (pair.right_words >= 3) & (rest <= (1 - FEW_ERRORS) * np.maximum(kept, 1))
    is_cut = (missing >= CUT_WORDS) & (missing >= CUT_SHARE * pair.left_words)
    return np.asarray(is_right & is_cut, bool)


def trailing_deletions(pair: TextPair) -> NDArray[np.int64]:
    """Return the number of left words after the last word that the right text has."""
    operations, offsets = pair.alignment.all_operations, pair.alignment.all_offsets
    # For each position, the position after the last operation before it that is not a deletion.
    kept = np.flatnonzero(operations != Op.DELETION) + 1
    last = np.zeros(len(operations) + 1, np.int64)
    last[kept] = kept
    last = np.maximum.accumulate(last)
    ends, starts = offsets[1:], offsets[:-1]
    return np.asarray(ends - np.maximum(last[ends], starts))


def _limit_findings(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding if the right texts of long left texts all end at about the same length."""
    left, right = _characters(pair)
    if not len(right):
        return
    limit = int(right.max())
    long = left > 1.15 * limit
    cut = long & (right >= limit - LONGEST_WORD)
    if long.sum() < FEWEST_AT_LIMIT or cut.sum() < FEW_ERRORS * long.sum():
        return
    rows = [(row, mate) for mate, row in pair.rows[cut].tolist()]
    yield make_finding(
        LengthsCheck.name,
        "warning",
        pair.right,
        f"{counted(len(rows), 'text')} are cut off: all long texts end after about {limit:,} "
        "characters",
        rows=[row for row, _ in rows],
        other=pair.left,
        pairs=rows,
        evidence={"longest text": limit, "longest text on the other side": int(left.max())},
    )


# Utterances without text.

LONG_RUN = 5  # consecutive empty texts: so many are unlikely by chance
LARGE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class EmptyCheck(Check):
    """Empty texts whose counterpart on the other side has words.

    A recogniser may hear nothing in an utterance, so a few empty hypotheses are a note. Many of
    them, or several in a row, are a warning; so are empty references, which have no error rate, and
    empty translations.

    Example: `misword check ref.txt hyp.txt --checks empty`
    """

    name: ClassVar[str] = "empty"
    title: ClassVar[str] = "empty lines"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare both sides of each pair."""
        seen: set[tuple[str, str]] = set()
        for pair in (*texts.matching_pairs, *texts.translated_pairs):
            for finding in _empty_texts(pair):
                if (finding.file, finding.side) not in seen:
                    seen.add((finding.file, finding.side))
                    yield finding


def _empty_texts(pair: TextPair) -> Iterator[Finding]:
    for place, text, other in ((0, pair.left, pair.right), (1, pair.right, pair.left)):
        rows = [
            (row[place], row[1 - place])
            for row in pair.rows.tolist()
            if not text.texts[row[place]].strip() and len(other.words[row[1 - place]]) > 1
        ]
        if not rows:
            continue
        share = len(rows) / len(pair.rows)
        many = share > LARGE_SHARE or longest_run([row for row, _ in rows]) >= LONG_RUN
        severity: Severity = "warning" if many or text.side != "hypothesis" else "note"
        verb = "is" if len(rows) == 1 else "are"
        yield make_finding(
            EmptyCheck.name,
            severity,
            text,
            f"{counted(len(rows), 'line')} {verb} empty where {other.name} has words",
            rows=[row for row, _ in rows],
            other=other,
            pairs=rows,
            evidence={"share of lines": share},
        )


def longest_run(rows: list[int]) -> int:
    """Return the length of the longest run of consecutive numbers in a rising list.

    >>> longest_run([1, 2, 5, 6, 7])
    3
    """
    best = length = 0
    previous = None
    for row in rows:
        length = length + 1 if previous is not None and row == previous + 1 else 1
        best, previous = max(best, length), row
    return best


# Lines that differ from earlier lines in a few words only.

GRAM = 3  # words of an n-gram
LONG_LINE = 8  # the least number of words of a line that is compared
ALIKE = 0.7  # the least share of common n-grams
MOST_LINES = 20  # an n-gram in more lines is a common phrase and is ignored


def near_duplicates(lines: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Yield an earlier and a later line that share most of their n-grams and are not equal.

    Each later line is yielded once. Similarity is the Jaccard index of the sets of word trigrams.

    >>> words = "a b c d e f g h i j k l".split()
    >>> list(near_duplicates([words, ["x"], [*words[:11], "m"]]))
    [(0, 2)]
    """
    places: dict[int, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for row, words in enumerate(lines):
        grams = _grams(words) if len(words) >= LONG_LINE else set()
        sizes.append(len(grams))
        earlier: list[int] = []
        for gram in grams:
            rows = places[gram]
            if len(rows) < MOST_LINES:
                earlier += rows
                rows.append(row)
        if not earlier:
            continue
        common = Counter(earlier)
        other, count = max(common.items(), key=lambda item: (item[1], -item[0]))
        union = sizes[row] + sizes[other] - count
        if count >= ALIKE * union and list(lines[other]) != list(words):
            yield other, row


def _grams(words: Sequence[str]) -> set[int]:
    """Return hashes of the n-grams of words."""
    return {hash(tuple(words[start : start + GRAM])) for start in range(len(words) - GRAM + 1)}


# Duplicate utterances, and sentences that recur.

LONG, CHARACTERS = 6, 12  # words and characters: a shorter sentence may recur by chance
VERY_LONG = 10  # words: two people rarely say so long a sentence in the same words
SEVERAL_TIMES = 0.1  # with a larger share of recurring long lines, sentences recur by design
FEWEST_LINES = 3  # near duplicates that are worth a note
WARNED = 5  # duplicate utterances that are worth a warning
# The least size of a duplicate block: lines, different sentences, lines with the same errors.
BLOCK, SENTENCES, WITH_ERRORS = 5, 3, 2
MOST_OCCURRENCES = 20  # a text with more occurrences is ignored in the search for blocks


@dataclass(frozen=True, slots=True)
class DuplicateCheck(Check):
    """Duplicate utterances: the same reference with the same hypotheses.

    A sentence that several people read has the same reference, but its hypotheses differ. It is a
    note, since intervals then need blocks (`--block`). Duplicate blocks of lines are found if their
    hypotheses have the same errors. Sentences of fewer than six words are ignored, because
    different people give the same short answers.

    Example: `misword check ref.txt hyp.txt --checks duplicate`
    """

    name: ClassVar[str] = "duplicate"
    title: ClassVar[str] = "duplicate utterances"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Find recurring references, with their hypotheses."""
        references = texts.references
        keys = _texts_of_rows(texts)
        groups = _recurring(references)
        long = sum(map(_is_long, references.words))
        again = sum(len(rows) - 1 for rows in groups)
        recurs_by_design = again > SEVERAL_TIMES * max(1, long)
        in_blocks: set[int] = set()
        with_errors = _rows_with_errors(texts)
        blocks = duplicate_blocks(keys, references, with_errors)
        for first, second, size in sorted(blocks, key=lambda block: -block[2]):
            if in_blocks.isdisjoint(range(second, second + size)):
                in_blocks.update(range(second, second + size))
                yield _block_finding(texts, first, second, size)
        rest = [[row for row in rows if row not in in_blocks] for rows in groups]
        if recurs_by_design:
            yield from _recurrence_note(references, rest)
        else:
            yield from _duplicate_findings(texts, rest, keys, with_errors)
        yield from _near_duplicate_note(references)


def _recurring(text: CheckedText) -> list[list[int]]:
    """Return the rows of each long text that occurs more than once."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, (line, words) in enumerate(zip(text.plain, text.words, strict=True)):
        if _is_long(words):
            rows[line].append(row)
    return [group for group in rows.values() if len(group) > 1]


def _is_long(words: Sequence[str]) -> bool:
    return len(words) >= LONG and sum(map(len, words)) >= CHARACTERS


def _texts_of_rows(texts: CheckedTexts) -> list[tuple[str, ...]]:
    """Return the reference and the hypotheses of each row of the references."""
    columns = [texts.references.plain]
    for pair in texts.pairs:
        if pair.left is texts.references:
            column = [""] * len(pair.left)
            for row, mate in pair.rows.tolist():
                column[row] = pair.right.plain[mate]
            columns.append(column)
    return list(zip(*columns, strict=True))


def _rows_with_errors(texts: CheckedTexts) -> set[int]:
    """Return the rows of the references in which a hypothesis has an error."""
    return {
        row
        for pair in texts.pairs
        if pair.left is texts.references
        for row in pair.rows[pair.errors > 0, 0].tolist()
    }


def duplicate_blocks(
    keys: Sequence[tuple[str, ...]], text: CheckedText, with_errors: set[int]
) -> Iterator[tuple[int, int, int]]:
    """Yield the first row of a block, the first row of its copy, and the number of rows."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        places[key].append(row)
    runs: dict[int, int] = {}  # the first row of the open run at each distance from its copy
    for row in range(len(keys) + 1):
        after = places[keys[row]] if row < len(keys) else []
        few = after if len(after) <= MOST_OCCURRENCES else []
        distances = {other - row for other in few if other > row}
        for distance in [d for d in runs if d not in distances]:
            start = runs.pop(distance)
            if _is_block(range(start, row), text, keys, with_errors):
                yield start, start + distance, row - start
        for distance in distances:
            runs.setdefault(distance, row)


def _is_block(
    rows: range, text: CheckedText, keys: Sequence[tuple[str, ...]], with_errors: set[int]
) -> bool:
    if len(rows) < BLOCK or len({text.plain[row] for row in rows}) < SENTENCES:
        return False
    if sum(_is_long(text.words[row]) for row in rows) < SENTENCES:
        return False
    has_hypotheses = len(keys[rows[0]]) > 1
    return not has_hypotheses or sum(row in with_errors for row in rows) >= WITH_ERRORS


def _block_finding(texts: CheckedTexts, first: int, second: int, size: int) -> Finding:
    text = texts.references
    begin, end = text.lines[first], text.lines[first + size - 1]
    return make_finding(
        DuplicateCheck.name,
        "warning",
        text,
        f"{size:,} consecutive lines are a copy of lines {begin:,} to {end:,}, with the same "
        "hypotheses",
        rows=list(range(second, second + size)),
        evidence={"lines": size},
        mend=deletion_command(texts, text, range(second, second + size)),
    )


def _recurrence_note(text: CheckedText, groups: Sequence[Sequence[int]]) -> Iterator[Finding]:
    """Yield a note about a text in which many sentences recur."""
    rows = sorted(row for group in groups for row in group[1:])
    if not rows:
        return
    sentences = sum(len(group) > 1 for group in groups)
    yield make_finding(
        DuplicateCheck.name,
        "note",
        text,
        f"{sentences:,} sentences occur more than once ({counted(len(rows), 'further line')}): "
        "they are not independent, so test and resample them together (--block)",
        rows=rows,
        evidence={"sentences": sentences, "share of lines": len(rows) / len(text)},
    )


def _duplicate_findings(
    texts: CheckedTexts,
    groups: Sequence[Sequence[int]],
    keys: Sequence[tuple[str, ...]],
    with_errors: set[int],
) -> Iterator[Finding]:
    """Yield duplicate utterances of a text whose sentences do not recur.

    Equal hypotheses prove little if they are correct. So a duplicate must be very long, or its
    hypotheses must have the same errors.
    """
    text = texts.references
    duplicate: list[int] = []
    again: list[int] = []
    for rows in groups:
        for row in rows[1:]:
            same = any(keys[row] == keys[other] for other in rows if other < row)
            telling = row in with_errors or len(text.words[row]) >= VERY_LONG
            (duplicate if same and telling and len(keys[row]) > 1 else again).append(row)
    for rows, what in (
        (duplicate, "as earlier lines, and the same hypotheses"),
        (again, "as earlier lines"),
    ):
        severity: Severity = "note"
        if rows is duplicate and len(rows) >= WARNED:
            severity = "warning"
        if rows:
            yield make_finding(
                DuplicateCheck.name,
                severity,
                text,
                f"{counted(len(rows), 'line')} {'has' if len(rows) == 1 else 'have'} the same "
                f"text of six words or more {what}",
                rows=sorted(rows),
                evidence={"share of lines": len(rows) / len(text)},
                mend=deletion_command(texts, text, rows) if severity == "warning" else "",
            )


def _near_duplicate_note(text: CheckedText) -> Iterator[Finding]:
    """Yield a note on lines that differ from earlier ones in few words."""
    pairs = list(near_duplicates(text.words))
    if len(pairs) >= FEWEST_LINES:
        yield make_finding(
            DuplicateCheck.name,
            "note",
            text,
            f"{counted(len(pairs), 'line')} are nearly the same as earlier lines",
            rows=sorted(later for _, later in pairs),
            evidence={"share of lines": len(pairs) / len(text)},
            other=text,
            pairs=[(later, earlier) for earlier, later in pairs],
        )


# Hypotheses that repeat themselves: one text for many utterances, or a loop within one.

FEWEST_WORDS, FEWEST_CHARACTERS = 3, 10  # of a text; shorter texts are common answers
REPEATED_SHARE = 0.002  # the share of lines with the same wrong text that is worth a warning
FEWEST_REPEATED = 4  # different references with the same wrong text
WRONG = 0.8  # the least error rate of a text that was not said
WARNED_LOOPS = 5  # lines with a loop that are worth a warning


@dataclass(frozen=True, slots=True)
class RepeatedCheck(Check):
    """The same hypothesis for different references, and loops within a hypothesis.

    Recognisers that were trained on subtitles write texts such as `Thank you for watching` where
    nothing was said, and some repeat a phrase over and over.

    Example: `misword check ref.txt hyp.txt --checks repeated`
    """

    name: ClassVar[str] = "repeated"
    title: ClassVar[str] = "repeated hypotheses"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Examine the right side of each pair."""
        for pair in texts.matching_pairs:
            yield from _repeated_texts(pair)
            yield from _loops(pair)


def _repeated_texts(pair: TextPair) -> Iterator[Finding]:
    """Yield wrong texts that are repeated for different texts of the other side."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    said = set(pair.left.plain)
    wrong = pair.errors >= WRONG * pair.left_words
    for (mate, row), is_wrong in zip(pair.rows.tolist(), wrong.tolist(), strict=True):
        text = pair.right.plain[row]
        if is_wrong and text not in said and _is_distinctive(pair.right.words[row]):
            places[text].append((row, mate))
    for rows in sorted(places.values(), key=len, reverse=True):
        references = {pair.left.plain[mate] for _, mate in rows}
        if len(references) >= FEWEST_REPEATED:
            shown = pair.right.texts[rows[0][0]]
            many = len(rows) >= REPEATED_SHARE * len(pair.rows)
            yield make_finding(
                RepeatedCheck.name,
                "warning" if many else "note",
                pair.right,
                f"{counted(len(rows), 'line')} have the same text, which was never said: "
                f"{shown[:60]}",
                rows=[row for row, _ in rows],
                other=pair.left,
                pairs=rows,
                evidence={"different texts on the other side": len(references)},
            )


def _is_distinctive(words: Sequence[str]) -> bool:
    return len(words) >= FEWEST_WORDS and sum(map(len, words)) >= FEWEST_CHARACTERS


def _loops(pair: TextPair) -> Iterator[Finding]:
    """Yield the lines in which a phrase is repeated more often than it was said."""
    left, right = encode_words([Texts.of(pair.left.plain), Texts.of(pair.right.plain)])
    looped = looped_words((left, right), pair.rows)
    rows = [(row, mate) for mate, row in pair.rows[looped >= LOOPED].tolist()]
    if rows:
        severity: Severity = "warning" if len(rows) >= WARNED_LOOPS else "note"
        verb = "repeats" if len(rows) == 1 else "repeat"
        yield make_finding(
            RepeatedCheck.name,
            severity,
            pair.right,
            f"{counted(len(rows), 'line')} {verb} a phrase over and over",
            rows=[row for row, _ in rows],
            other=pair.left,
            pairs=rows,
        )
