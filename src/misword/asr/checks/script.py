"""Text in another script than the rest of the file or the other side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.commands import leave_out
from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedText, CheckedTexts
from misword.asr.checks import Check
from misword.core.formatting import counted
from misword.text.scripts import one_script, script_of, scripts_of

WORD = re.compile(r"[^\W\d_]+")
FEWEST_LETTERS = 20  # of a text
WARNED = 3  # lines in another script
ALIKE = {"latin", "cyrillic", "greek"}  # scripts with letters of the same shapes


@dataclass(frozen=True, slots=True)
class Script(Check):
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
                yield found(
                    self.name,
                    "error",
                    pair.right,
                    f"this is in {_shown(right)} script, {pair.left.name} is in {_shown(left)}",
                    other=pair.left,
                    pairs=[(row, mate) for mate, row in pair.rows[:3].tolist()],
                )
        for text in texts.files:
            yield from _other_lines(texts, text, scripts[id(text)])
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


def _other_lines(texts: CheckedTexts, text: CheckedText, script: str) -> Iterator[Finding]:
    """Yield the lines in another script than the text, unless the other side has it there too."""
    foreign = {c for c in set("".join(text.texts)) if script_of(c) not in ("", script)}
    if not script or not foreign:
        return
    rows = [
        row for row, line in enumerate(text.texts)
        if not foreign.isdisjoint(line) and one_script(line) not in ("", script)
    ]  # fmt: skip
    mates = dict(_mates(texts, text))
    rows = [row for row in rows if row not in mates or one_script(mates[row]) == script]
    if not rows:
        return
    severity: Severity = "warning" if len(rows) >= WARNED else "note"
    other = _shown(one_script(text.texts[rows[0]]))
    yield found(
        Script.name,
        severity,
        text,
        f"{counted(len(rows), 'line')} {'is' if len(rows) == 1 else 'are'} in {other} script, "
        f"the others in {_shown(script)}",
        rows=rows,
        evidence={"share of lines": len(rows) / len(text)},
        # Errors of a recogniser are not left out.
        mend=leave_out(texts, text, rows) if "reference" in text.side else "",
    )


def _mates(texts: CheckedTexts, text: CheckedText) -> Iterator[tuple[int, str]]:
    """Yield the rows of a text, with the texts of the other side."""
    for pair in texts.partners(text):
        place = 0 if text is pair.left else 1
        other = pair.right if place == 0 else pair.left
        yield from ((row[place], other.texts[row[1 - place]]) for row in pair.rows.tolist())


def _mixed_words(text: CheckedText) -> Iterator[Finding]:
    """Yield the lines in which a word has letters of two scripts that look alike."""
    present = {script_of(c) for c in set("".join(text.texts))} & ALIKE
    if len(present) < 2:
        return
    rows = [row for row, line in enumerate(text.texts) if any(map(_is_mixed, WORD.findall(line)))]
    if rows:
        words = [w for row in rows for w in WORD.findall(text.texts[row]) if _is_mixed(w)]
        yield found(
            Script.name,
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
