"""Test sentences that are also in the training data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import leave_out
from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check
from misword.core.formatting import counted

FEWEST_WORDS = 4  # shorter sentences are in any corpus
WARNED_LINES, WARNED_SHARE = 5, 0.01


@dataclass(frozen=True, slots=True)
class Training(Check):
    """References and reference translations that are also in training data (`--training FILE`).

    Case and punctuation are ignored. Sentences of fewer than four words are not looked at, unless
    the references are a list of words, as in a lexicon.

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
                yield from _known(texts, text, corpus, known)


def _known(
    texts: CheckedTexts, text: CheckedText, corpus: CheckedText, known: dict[str, int]
) -> Iterator[Finding]:
    sizes = sorted(map(len, text.words))
    fewest = FEWEST_WORDS if sizes and sizes[len(sizes) // 2] >= FEWEST_WORDS else 1
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
    yield found(
        Training.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} ({100 * share:.1f} %) {'is' if len(rows) == 1 else 'are'} "
        f"also in {corpus.name}",
        rows=rows,
        other=corpus,
        pairs=pairs,
        evidence={"share of lines": share},
        mend=leave_out(texts, text, rows),
    )
