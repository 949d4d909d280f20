"""Checks for text in another language or another script."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import ClassVar

from misword.asr.checking.findings import Finding, Severity, deletion_command, make_finding
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check
from misword.core.formatting import counted
from misword.text.function_words import FUNCTION_WORDS, clear_language, line_language
from misword.text.scripts import one_script, script_of, scripts_of

# Text in another language than the other side, the rest of the file, or `--lang`.

WARNED_LINES, WARNED_SHARE = 5, 0.002
BLOCK = 3  # lines of a block; it spans at most three times as many lines


@dataclass(frozen=True, slots=True)
class LanguageCheck(Check):
    """Text in another language than `--lang`, than the other side or than the rest of the file.

    The language is recognised by function words of 27 languages, and only reported if it is clear.
    Languages with similar function words (Czech and Slovak) are not distinguished in a single line.

    Known problems: texts in other languages are not recognised.

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
        """Compare each text with its expected language, then each line with its text."""
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
                yield make_finding(
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
                yield from _lines_in_other_language(texts, text, languages[id(text)])


def _expectations(
    texts: CheckedTexts, languages: dict[int, str]
) -> Iterator[tuple[CheckedText, str, str]]:
    """Yield each text with its expected language and the source of the expectation."""
    lang = texts.context.lang
    if lang in FUNCTION_WORDS:
        for text in (texts.references, *texts.hypotheses):
            yield text, lang, "--lang"
    for pair in texts.pairs:
        if expected := languages[id(pair.left)]:
            yield pair.right, expected, pair.left.name


def _whole_text(text: CheckedText, language: str, expected: str, why: str) -> Finding:
    says = f"--lang is {expected}" if why == "--lang" else f"{why} is in {expected}"
    return make_finding(
        LanguageCheck.name,
        "error",
        text,
        f"this is in the language {language}, {says}",
        pairs=[(row, -1) for row in range(min(3, len(text)))],
    )


def main_language(text: CheckedText) -> str:
    """Return the code of the language of a text; empty if it is not clear."""
    counts = Counter(chain.from_iterable(text.words))
    hits = [sum(map(counts.get, words, repeat(0))) for words in FUNCTION_WORDS.values()]
    return clear_language(hits, counts.total())


def _lines_in_other_language(
    texts: CheckedTexts, text: CheckedText, main: str
) -> Iterator[Finding]:
    """Yield a finding about lines in another language, unless the other side has it there too."""
    languages = {
        row: lang for row, words in enumerate(text.words) if (lang := line_language(words, main))
    }
    for row, other, mate in _counterparts(texts, text):
        if row in languages and line_language(other.words[mate], main):
            del languages[row]
    if not languages or 2 * len(languages) > len(text):
        return
    rows = sorted(languages)
    names = ", ".join(lang for lang, _ in Counter(languages.values()).most_common(2))
    many = len(rows) >= WARNED_LINES and len(rows) >= WARNED_SHARE * len(text)
    in_a_block = len(rows) >= BLOCK and rows[-1] - rows[0] < 3 * len(rows)
    severity: Severity = "warning" if many or in_a_block else "note"
    yield make_finding(
        LanguageCheck.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} {'is' if len(rows) == 1 else 'are'} in another language "
        f"({names}) than the rest ({main})",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
        # Errors of a recogniser are not left out.
        mend=deletion_command(texts, text, rows) if "reference" in text.side else "",
    )


def _counterparts(texts: CheckedTexts, text: CheckedText) -> Iterator[tuple[int, CheckedText, int]]:
    """Yield each row of a text with the text and the row on the other side."""
    for pair in texts.partners(text):
        place = 0 if text is pair.left else 1
        other = pair.right if place == 0 else pair.left
        yield from ((row[place], other, row[1 - place]) for row in pair.rows.tolist())


# Text in another script than the rest of the file or the other side.

WORD = re.compile(r"[^\W\d_]+")
FEWEST_LETTERS = 20  # of a text
WARNED = 3  # lines in another script
ALIKE = {"latin", "cyrillic", "greek"}  # scripts with letters of the same shapes


@dataclass(frozen=True, slots=True)
class ScriptCheck(Check):
    """Text in another script than the other side or the rest of the file.

    Also words with letters of two scripts, such as a Cyrillic `а` within a Latin word. The script
    of a letter is the first word of its name in Unicode.

    Example: `misword check ref.txt hyp.txt --checks script`
    """

    name: ClassVar[str] = "script"
    title: ClassVar[str] = "script"
    family: ClassVar[str] = "language"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare each text with the other side, then each line with its text."""
        scripts = {id(text): main_script(text) for text in texts.files}
        for pair in texts.pairs:
            left, right = scripts[id(pair.left)], scripts[id(pair.right)]
            if left and right and left != right:
                yield make_finding(
                    self.name,
                    "error",
                    pair.right,
                    f"this is in {_shown(right)} script, {pair.left.name} is in {_shown(left)}",
                    other=pair.left,
                    pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
                )
        for text in texts.files:
            yield from _lines_in_other_script(texts, text, scripts[id(text)])
            yield from _mixed_words(text)


def _shown(script: str) -> str:
    return script[:1].upper() + script[1:]


def main_script(text: CheckedText) -> str:
    """Return the script of most letters of a text; empty if there are few letters."""
    counts = scripts_of("".join(text.texts))
    total = sum(counts.values())
    if total < FEWEST_LETTERS:
        return ""
    script, count = counts.most_common(1)[0]
    return script if 2 * count > total else ""


def _lines_in_other_script(
    texts: CheckedTexts, text: CheckedText, script: str
) -> Iterator[Finding]:
    """Yield a finding about lines in another script; the other side must not have it there too."""
    foreign = {c for c in set("".join(text.texts)) if script_of(c) not in ("", script)}
    if not script or not foreign:
        return
    rows = [
        row for row, line in enumerate(text.texts)
        if not foreign.isdisjoint(line) and one_script(line) not in ("", script)
    ]  # fmt: skip
    mates = {row: other.texts[mate] for row, other, mate in _counterparts(texts, text)}
    rows = [row for row in rows if row not in mates or one_script(mates[row]) == script]
    if not rows:
        return
    severity: Severity = "warning" if len(rows) >= WARNED else "note"
    other = _shown(one_script(text.texts[rows[0]]))
    yield make_finding(
        ScriptCheck.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} {'is' if len(rows) == 1 else 'are'} in {other} script, "
        f"the others in {_shown(script)}",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
        # Errors of a recogniser are not left out.
        mend=deletion_command(texts, text, rows) if "reference" in text.side else "",
    )


def _mixed_words(text: CheckedText) -> Iterator[Finding]:
    """Yield the lines in which a word has letters of two scripts that look alike."""
    present = {script_of(c) for c in set("".join(text.texts))} & ALIKE
    if len(present) < 2:
        return
    rows = [row for row, line in enumerate(text.texts) if any(map(_is_mixed, WORD.findall(line)))]
    if rows:
        words = [w for row in rows for w in WORD.findall(text.texts[row]) if _is_mixed(w)]
        yield make_finding(
            ScriptCheck.name,
            "warning",
            text,
            f"{counted(len(words), 'word')} with letters of two scripts, such as {words[0]}",
            rows=rows,
            evidence={"words": len(words)},
        )


def _is_mixed(word: str) -> bool:
    if word.isascii() or len(word) < 3:
        return False
    return len({script_of(c) for c in word} & ALIKE) > 1
