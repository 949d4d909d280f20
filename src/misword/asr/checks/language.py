"""Text in another language than the other side, the rest of the file, or `--lang`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import leave_out
from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.function_words import FUNCTION_WORDS
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check
from misword.core.formatting import counted

FEWEST_WORDS = 60  # of a text, for a statement on its language
LEAST_SHARE = 0.15  # of words that are function words of the language
CLEARLY_MORE = 1.3  # times those of the next language
# A line: function words of another language, and their share of the words.
LINE_WORDS, LINE_SHARE = 4, 0.35
WARNED_LINES, WARNED_SHARE = 5, 0.002
BLOCK = 3  # lines near each other, in a stretch of at most three times as many lines


@dataclass(frozen=True, slots=True)
class Language(Check):
    """Text in another language than `--lang`, than the other side or than the rest of the file.

    The language is recognised by function words of 27 languages, and only reported if it is clear.
    Languages with much the same function words (Czech and Slovak) are not told apart in a line.

    Known problems: there are no lists for other languages; a text in one of them has no language.

    Example: `misword check ref.fr hyp.fr --checks language --lang fr`
    """

    name: ClassVar[str] = "language"
    title: ClassVar[str] = "language"
    family: ClassVar[str] = "language"

    @property
    def uses(self) -> tuple[str, ...]:
        """The language that references and hypotheses should have."""
        return ("lang",)

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare each text with what it should be, then each line with its text."""
        languages = {id(text): main_language(text) for text in texts.files}
        wrong = set()
        for text, expected, why in _expectations(texts, languages):
            language = languages[id(text)]
            if id(text) not in wrong and language and language != expected:
                wrong.add(id(text))
                yield _whole_text(text, language, expected, why)
        for pair in texts.translated_pairs:
            source, target = (languages[id(text)] for text in (pair.left, pair.right))
            if source and source == target and not {id(pair.left), id(pair.right)} & wrong:
                yield found(
                    self.name,
                    "error",
                    pair.right,
                    f"this is in the same language ({source}) as {pair.left.name}, of which it "
                    "should be a translation",
                    other=pair.left,
                    pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
                )
        for text in texts.files:
            if languages[id(text)]:
                yield from _other_lines(texts, text, languages[id(text)])


def _expectations(
    texts: CheckedTexts, languages: dict[int, str]
) -> Iterator[tuple[CheckedText, str, str]]:
    """Yield each text with the language that it should have, and why."""
    lang = texts.context.lang
    if lang in FUNCTION_WORDS:
        for text in (texts.references, *texts.hypotheses):
            yield text, lang, "--lang"
    for pair in texts.pairs:
        if expected := languages[id(pair.left)]:
            yield pair.right, expected, pair.left.name


def _whole_text(text: CheckedText, language: str, expected: str, why: str) -> Finding:
    says = f"--lang is {expected}" if why == "--lang" else f"{why} is in {expected}"
    return found(
        Language.name,
        "error",
        text,
        f"this is in the language {language}, {says}",
        pairs=[(row, -1) for row in range(min(3, len(text)))],
    )


def main_language(text: CheckedText) -> str:
    """Return the code of the language of a text; empty if it is not clear."""
    return language_of(Counter(word for line in text.words for word in line))


def language_of(counts: Counter[str]) -> str:
    """Return the code of the language of counted words; empty if it is not clear."""
    total = counts.total()
    if total < FEWEST_WORDS:
        return ""
    scores = Counter(
        {
            lang: sum(counts[word] for word in words) / total
            for lang, words in FUNCTION_WORDS.items()
        }
    )
    (first, best), (_, second) = scores.most_common(2)
    return first if best >= LEAST_SHARE and best >= CLEARLY_MORE * second else ""


def line_language(words: Sequence[str], main: str) -> str:
    """Return another language than `main` that a line is clearly in; empty if there is none."""
    own = sum(word in FUNCTION_WORDS[main] for word in words)
    if own > len(words) / 8:
        return ""
    best, found_in = 0, ""
    for lang, listed in FUNCTION_WORDS.items():
        hits = sum(word in listed for word in words)
        if hits > best:
            best, found_in = hits, lang
    distinct = len({word for word in words if found_in and word in FUNCTION_WORDS[found_in]})
    clear = best >= max(LINE_WORDS, 4 * own, LINE_SHARE * len(words)) and distinct >= 3
    return found_in if clear and found_in != main else ""


def _other_lines(texts: CheckedTexts, text: CheckedText, main: str) -> Iterator[Finding]:
    """Yield the lines in another language, unless the other side has it there too."""
    languages = {
        row: lang for row, words in enumerate(text.words) if (lang := line_language(words, main))
    }
    for pair in texts.partners(text):
        place = 0 if text is pair.left else 1
        other = pair.right if place == 0 else pair.left
        for row in pair.rows.tolist():
            if row[place] in languages and line_language(other.words[row[1 - place]], main):
                del languages[row[place]]
    if not languages or 2 * len(languages) > len(text):
        return
    rows = sorted(languages)
    names = ", ".join(lang for lang, _ in Counter(languages.values()).most_common(2))
    many = len(rows) >= WARNED_LINES and len(rows) >= WARNED_SHARE * len(text)
    in_a_block = len(rows) >= BLOCK and rows[-1] - rows[0] < 3 * len(rows)
    severity: Severity = "warning" if many or in_a_block else "note"
    yield found(
        Language.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} {'is' if len(rows) == 1 else 'are'} in another language "
        f"({names}) than the rest ({main})",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
        # Errors of a recogniser are not left out.
        mend=leave_out(texts, text, rows) if "reference" in text.side else "",
    )
