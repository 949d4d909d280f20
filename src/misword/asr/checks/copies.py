"""Checks for copied text: in hypotheses, in training data, and in translations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.findings import Finding, Severity, deletion_command, make_finding
from misword.asr.checking.texts import CheckedText, CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.context import Context
from misword.core.formatting import counted
from misword.embed.vectors.words import check_word_vectors, word_vectors

# Hypotheses that were copied from the references.

FEWEST_LINES = 10  # lines of a stretch without errors
EXPECTED = 20.0  # the least number of errors that would be expected in such a stretch
LOW_RATE = 0.1  # the quantile of the other error rates by which errors are expected
FEWEST_WORDS, MANY_WORDS = 300, 2_000  # of a whole text without errors


@dataclass(frozen=True, slots=True)
class CopiedCheck(Check):
    """Stretches of hypotheses without any error, while the rest of the text has errors.

    A stretch is reported if at least 20 errors would be expected in it. The expected error rate is
    the lowest decile of all stretches of the same size, so that easy recordings are not reported.
    Case and punctuation are ignored.

    Known problems: a system with a low error rate has long stretches without errors; a stretch with
    fewer than 20 expected errors is never reported.

    Example: `misword check ref.txt hyp.txt --checks copied`
    """

    name: ClassVar[str] = "copied"
    title: ClassVar[str] = "copied references"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Find stretches without errors in each pair."""
        for pair in texts.matching_pairs:
            words, errors = pair.left_words, pair.errors
            if not len(words) or not words.sum():
                continue
            if not errors.any():
                yield from _whole_text_finding(pair)
                continue
            for first, last in errorless_stretches(words, errors):
                yield _stretch_finding(texts, pair, first, last)


def _whole_text_finding(pair: TextPair) -> Iterator[Finding]:
    """Yield a finding if a whole text of some length has no error."""
    words = int(pair.left_words.sum())
    if words >= FEWEST_WORDS and len(pair.rows) >= FEWEST_LINES:
        yield make_finding(
            CopiedCheck.name,
            "warning" if words >= MANY_WORDS else "note",
            pair.right,
            f"all {counted(len(pair.rows), 'line')} have the same words as {pair.left.name}",
            other=pair.left,
            evidence={"words": words},
        )


def _stretch_finding(texts: CheckedTexts, pair: TextPair, first: int, last: int) -> Finding:
    rows = pair.rows[first : last + 1]
    words = int(pair.left_words[first : last + 1].sum())
    outside = np.ones(len(pair.rows), bool)
    outside[first : last + 1] = False
    rate = pair.errors[outside].sum() / max(1, pair.left_words[outside].sum())
    size = last - first + 1
    return make_finding(
        CopiedCheck.name,
        "warning",
        pair.right,
        f"{counted(size, 'consecutive line')} with {words:,} words have no error, the other lines "
        f"have {100 * rate:.1f} % errors: they may be copied from {pair.left.name}",
        rows=rows[:, 1].tolist(),
        other=pair.left,
        pairs=[(row, mate) for mate, row in rows[:3].tolist()],
        evidence={"words without error": words, "error rate of the other lines": float(rate)},
        mend=deletion_command(texts, pair.right, rows[:, 1].tolist()),
    )


def errorless_stretches(
    words: NDArray[np.int64], errors: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Yield the first and the last row of stretches without errors that are not due to chance.

    >>> words, errors = np.full(200, 10), np.full(200, 2)
    >>> errors[50:80] = 0
    >>> list(errorless_stretches(words, errors))
    [(50, 79)]
    """
    ends = np.flatnonzero(np.concatenate([[True], errors > 0, [True]]))
    for start, end in zip(ends[:-1].tolist(), (ends[1:] - 1).tolist(), strict=True):
        lines, size = end - start, int(words[start:end].sum())
        if lines < FEWEST_LINES or not size:
            continue
        other_words, other_errors = (np.delete(c, slice(start, end)) for c in (words, errors))
        rate = _low_error_rate(other_words, other_errors, size)
        if rate * size >= EXPECTED:
            yield start, end - 1


def _low_error_rate(words: NDArray[np.int64], errors: NDArray[np.int64], size: int) -> float:
    """Return the lowest decile of the error rates of stretches with about `size` words."""
    places = np.cumsum(words)
    total = int(places[-1]) if len(places) else 0
    if total < size:  # the rest is smaller than the stretch
        return float(errors.sum() / max(1, total)) if total >= FEWEST_WORDS else 0.0
    block = np.minimum((places - 1) // size, total // size - 1)
    rates = np.bincount(block, errors) / np.maximum(1, np.bincount(block, words))
    return float(np.quantile(rates, LOW_RATE))


# Unusual words of the references that are recognised too often: the system may have seen them.

FEWEST = 30  # unusual words
LETTERS = 5  # letters of a word; shorter words are recognised by chance
STANDARD_ERRORS = 4.0  # by which unusual words must be recognised more often than usual ones


@dataclass(frozen=True, slots=True)
class MemorisedCheck(Check):
    """Unusual words of the references that are recognised more often than usual words.

    Words that are not in the vectors of `--vectors` are rare names and misspellings. A recogniser
    gets them wrong more often than usual words, unless it was trained on the references.

    Known problems: without `--vectors`, nothing is checked; a word counts as recognised anywhere in
    the hypothesis.

    Example: `misword check ref.fr hyp.fr --vectors cc.fr.300.vec --checks memorised`
    """

    name: ClassVar[str] = "memorised"
    title: ClassVar[str] = "memorised references"
    family: ClassVar[str] = "content"

    @property
    def uses(self) -> tuple[str, ...]:
        """The vectors: a word without a vector is unusual."""
        return ("vectors",)

    def check(self, context: Context) -> None:
        """Open the vectors, if there are any."""
        if context.source is not None:
            check_word_vectors(context)

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare how often usual and unusual words of the references are in the hypotheses."""
        if texts.context.source is None:
            return
        for pair in texts.matching_pairs:
            if pair.left is texts.references:
                yield from _memorised_findings(pair, _unusual_words(pair, texts.context))


def _unusual_words(pair: TextPair, context: Context) -> set[str]:
    """Return the words of the references that have no vector."""
    words = sorted({word for line in pair.left.words for word in line if _is_long(word)})
    numbers = word_vectors(context).find(words)
    return {word for word, number in zip(words, numbers.tolist(), strict=True) if number < 0}


def _is_long(word: str) -> bool:
    return len(word) >= LETTERS and word.isalpha()


def _memorised_findings(pair: TextPair, unusual: set[str]) -> Iterator[Finding]:
    counts = {True: [0, 0], False: [0, 0]}  # all and recognised words, of unusual words if True
    rows = []
    for row, mate in pair.rows.tolist():
        heard = set(pair.right.words[mate])
        for word in filter(_is_long, pair.left.words[row]):
            kind = counts[word in unusual]
            kind[0] += 1
            kind[1] += word in heard
            if word in unusual and word in heard:
                rows.append((mate, row))
    (size, right), (others, others_right) = counts[True], counts[False]
    if size < FEWEST or not others:
        return
    share, usual = right / size, others_right / others
    error = (max(usual * (1 - usual), 1e-4) / size) ** 0.5
    if share < usual + STANDARD_ERRORS * error:
        return
    yield make_finding(
        MemorisedCheck.name,
        "warning",
        pair.right,
        f"{100 * share:.0f} % of {counted(size, 'unusual word')} are right, and {100 * usual:.0f} "
        f"% of the usual ones: the system may have been trained on {pair.left.name}",
        rows=sorted({row for row, _ in rows}),
        other=pair.left,
        pairs=rows,
        evidence={"unusual words": size, "right": share, "usual words right": usual},
    )


# Test sentences that are also in the training data.

FEWEST_SENTENCE_WORDS = 4  # shorter sentences occur in every corpus
WARNED_LINES, WARNED_SHARE = 5, 0.01


@dataclass(frozen=True, slots=True)
class TrainingCheck(Check):
    """References and reference translations that are also in training data (`--training FILE`).

    Case and punctuation are ignored. Sentences of fewer than four words are ignored, unless the
    references are a list of words, as in a lexicon.

    Example: `misword check ref.txt hyp.txt --training train.txt`
    """

    name: ClassVar[str] = "training"
    title: ClassVar[str] = "training data"
    family: ClassVar[str] = "content"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Look up each reference in the training data."""
        targets = [texts.references]
        if texts.translation_references is not None:
            targets.append(texts.translation_references)
        for corpus in texts.training:
            known = {line: row for row, line in enumerate(corpus.plain)}
            for text in targets:
                yield from _training_findings(texts, text, corpus, known)


def _training_findings(
    texts: CheckedTexts, text: CheckedText, corpus: CheckedText, known: dict[str, int]
) -> Iterator[Finding]:
    sizes = sorted(map(len, text.words))
    fewest = (
        FEWEST_SENTENCE_WORDS if sizes and sizes[len(sizes) // 2] >= FEWEST_SENTENCE_WORDS else 1
    )
    pairs = [
        (row, known[line]) for row, line in enumerate(text.plain)
        if line in known and len(text.words[row]) >= fewest
    ]  # fmt: skip
    if not pairs:
        return
    rows = [row for row, _ in pairs]
    share = len(rows) / len(text)
    severity: Severity = "note"
    if len(rows) >= WARNED_LINES or share >= WARNED_SHARE:
        severity = "warning"
    yield make_finding(
        TrainingCheck.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} ({100 * share:.1f} %) {'is' if len(rows) == 1 else 'are'} "
        f"also in {corpus.name}",
        rows=rows,
        other=corpus,
        pairs=pairs,
        evidence={"share of lines": share},
        mend=deletion_command(texts, text, rows),
    )


# Translations that equal the source text.

FEWEST_LINE_WORDS = 4  # names and exclamations of fewer words are the same in many languages
ALMOST = 0.9  # the least share of equal characters of a nearly unchanged text
WARNED = 3  # lines that are worth a warning


@dataclass(frozen=True, slots=True)
class UntranslatedCheck(Check):
    """Translations that equal their source text, or nearly equal it.

    Names, numbers and short exclamations may be the same in both languages, so texts of fewer than
    four words are ignored.

    Example: `misword check ref.fr hyp.fr --translations hyp.en --translation-references ref.en`
    """

    name: ClassVar[str] = "untranslated"
    title: ClassVar[str] = "untranslated lines"
    family: ClassVar[str] = "language"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare each translation with its source."""
        for pair in texts.translated_pairs:
            rows = [(row, mate) for mate, row in pair.rows.tolist() if _is_copy(pair, mate, row)]
            if not rows:
                continue
            severity: Severity = "warning" if len(rows) >= WARNED else "note"
            if 2 * len(rows) > len(pair.rows):
                severity = "error"
            one = len(rows) == 1
            yield make_finding(
                self.name,
                severity,
                pair.right,
                f"{counted(len(rows), 'line')} {'is' if one else 'are'} the text of "
                f"{pair.left.name}, not {'its translation' if one else 'their translations'}",
                rows=[row for row, _ in rows],
                other=pair.left,
                pairs=rows,
                evidence={"share of lines": len(rows) / len(pair.rows)},
                mend=deletion_command(texts, pair.right, [row for row, _ in rows]),
            )


def _is_copy(pair: TextPair, source: int, target: int) -> bool:
    """Return whether a translation equals its source, except for a few characters."""
    words, others = pair.left.words[source], pair.right.words[target]
    if len(words) < FEWEST_LINE_WORDS or not any(word.isalpha() for word in words):
        return False
    if words == others:
        return True
    # The comparison of characters is slow, so it is made only if most words are the same.
    if len(others) < FEWEST_LINE_WORDS or 2 * len(set(words) & set(others)) < len(set(words)):
        return False
    matcher = SequenceMatcher(None, " ".join(words), " ".join(others), autojunk=False)
    return matcher.ratio() >= ALMOST and len(words) > FEWEST_LINE_WORDS + 1
