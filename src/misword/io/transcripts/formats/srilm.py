"""N-best lists of SRILM: one file for each utterance, and files that list such files."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source, open_source
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats.hypothesis_lists import Hypotheses, ListFormat, number

HEADER = "NBestList1.0"
HEADER_WITH_TIMES = "NBestList2.0"
SCORED = re.compile(r"^\(\s*(\S+?)\s*\)(.*)$")
# A bytelog is a logarithm to the base 1.0001, divided by 1024.
BYTELOG = 1024 * math.log(1.0001)
LOG10 = math.log(10)
BOUNDARIES = ("<s>", "</s>")
# Ends of file names that are not part of the id, beside those of compression.
SUFFIXES = (".nbest", ".score", ".scores", ".txt")
SAMPLE = 20
FIX = "a list has the header NBestList1.0 and lines `(score) words`, or lines `ac lm n words`"


@dataclass(frozen=True, slots=True)
class Srilm(ListFormat):
    """The N-best list of one utterance: `NBestList1.0`, or lines `ascore lscore nwords words`.

    The id is the name of the file; a folder of such files is a set of utterances. Scores become
    natural logarithms: bytelogs after the header, logarithms to the base 10 without it. The
    features are `score`, or `ac`, `lm` and `words`. `<s>` and `</s>` are not part of the text.

    Known problems: `NBestList2.0`, with times of words, is refused.

    Example: `misword score ref.trn nbest/`

    Reference: http://www.speech.sri.com/projects/srilm/manpages/nbest-format.5.html
    """

    name: ClassVar[str] = "srilm"
    title: ClassVar[str] = "SRILM N-best lists"
    one_recording: ClassVar[bool] = True

    def looks_like(self, source: Source) -> bool:
        """Whether there is the header, or each of the first lines has two scores and a count."""
        if source.lines[0].strip() in (HEADER, HEADER_WITH_TIMES):
            return True
        lines = [line.split() for line in islice(source.lines, SAMPLE) if line.strip()]
        return bool(lines) and all(_is_counted(fields) for fields in lines)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Return the list; its id is the name of the file."""
        found = Hypotheses(source)
        read_list(source, found)
        return found.reading()


@dataclass(frozen=True, slots=True)
class SrilmFiles(ListFormat):
    """Paths of SRILM's N-best lists, one on each line, as SRILM's scripts take them.

    Paths are relative to the folder of the file, or else to the current folder. The format is
    detected only if all paths are relative and lead to files in the folder of the list.
    """

    name: ClassVar[str] = "srilm-files"
    title: ClassVar[str] = "files of SRILM N-best lists"

    def looks_like(self, source: Source) -> bool:
        """Whether each line is the path of a file beside the list, the first of them a list."""
        folder = Path(source.shown).parent
        if not source.name or len(source.data) > 1 << 24:
            return False
        names = [line.strip() for line in islice(source.lines, SAMPLE) if line.strip()]
        paths = [folder / name for name in names]
        if not paths or not all(_is_inside(path, folder) for path in paths):
            return False
        return Srilm().looks_like(open_source(paths[0]))

    def read(self, source: Source, columns: Columns) -> Reading:
        """Read each file."""
        found = Hypotheses(source)
        folder = Path(source.shown).parent
        for line, content in enumerate(source.lines, start=1):
            if not (name := content.strip()):
                continue
            path = folder / name if (folder / name).is_file() else Path(name)
            if not path.is_file():
                raise InputError(f"no such file: {name[:200]}", where=source.at(line), fix=FIX)
            read_list(open_source(path), found)
        return found.reading()


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.is_file() and path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def read_list(source: Source, found: Hypotheses) -> None:
    """Add the hypotheses of a file."""
    utt = utterance_of(source)
    header = source.lines[0].strip()
    if header == HEADER_WITH_TIMES:
        raise InputError(
            "NBestList2.0 is not read",
            where=source.at(1),
            fix="convert it with SRILM's nbest2-to-nbest1",
        )
    before = len(found.utts)
    first = 2 if header == HEADER else 1
    for line, content in enumerate(source.lines, start=1):
        if line < first or not content.strip():
            continue
        if header == HEADER:
            words, numbers = _scored(content, source, line)
        else:
            words, numbers = _counted(content, source, line)
        text = " ".join(word for word in words if word not in BOUNDARIES)
        found.add(utt, text, line, numbers)
    if len(found.utts) == before:
        raise InputError("a list without hypotheses", where=source.at(), fix=FIX)


def utterance_of(source: Source) -> str:
    """Return the id of the utterance: the name of the file without its suffixes."""
    name = source.name or "stdin"
    return next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)


def _scored(content: str, source: Source, line: int) -> tuple[list[str], dict[str, float]]:
    match = SCORED.match(content.strip())
    if match is None:
        raise InputError("no (score) at the start of the line", where=source.at(line), fix=FIX)
    score = BYTELOG * number(match[1], "the score", source, line)
    return match[2].split(), {"score": score}


def _counted(content: str, source: Source, line: int) -> tuple[list[str], dict[str, float]]:
    fields = content.split()
    if len(fields) < 3:
        raise InputError(f"{len(fields)} fields, not three or more", where=source.at(line), fix=FIX)
    acoustic, language, size = (
        number(field, what, source, line)
        for field, what in zip(
            fields, ("the acoustic score", "the LM score", "the number of words"), strict=False
        )
    )
    if size not in _sizes(fields[3:]):
        what = f"{len(fields) - 3} words, where the line says {fields[2]}"
        raise InputError(what, where=source.at(line), fix="the line may have been cut off")
    return fields[3:], {"ac": LOG10 * acoustic, "lm": LOG10 * language, "words": size}


def _is_counted(fields: list[str]) -> bool:
    """Return whether a line has two scores, one of them negative, and as many words as it says."""
    try:
        scores, size = [float(field) for field in fields[:2]], int(fields[2])
    except (IndexError, ValueError):
        return False
    return min(scores) < 0 and size in _sizes(fields[3:])


def _sizes(words: list[str]) -> tuple[int, int]:
    """Return the number of words, with and without the signs of the boundaries."""
    return len(words), sum(word not in BOUNDARIES for word in words)
