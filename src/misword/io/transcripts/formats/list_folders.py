"""N-best lists in folders of several files: those of Kaldi and of ESPnet."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.files.sources import Source, open_source, unreadable
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats.hypothesis_lists import Hypotheses, ListFormat, number
from misword.io.transcripts.formats.kaldi import BLANKS

TEXT_NAMES = ("text", "words_text", "words")
COSTS = {"lm_cost": "lm", "ac_cost": "ac"}
KEY = re.compile(r"^(.+)-(\d+)$")
RANK_FOLDER = re.compile(r"^(\d+)best_recog$")
TENSOR = re.compile(r"^tensor\(([^,)]+).*\)$")


class FolderFormat(ListFormat):
    """N-best lists in a folder."""

    __slots__ = ()

    is_folder: ClassVar[bool] = True

    def read(self, source: Source, columns: Columns) -> Reading:
        """Refuse a file."""
        raise OptionError(f"{source.shown} is a file", fix=f"{self.name} is the format of a folder")


@dataclass(frozen=True, slots=True)
class KaldiNbest(FolderFormat):
    """A folder with `words` or `text`, `lm_cost` and `ac_cost`, whose keys are `utt-k`.

    `k` is the rank. Costs become scores, the features `lm` and `ac`: the costs with the other sign.

    Known problems: `words` must have words, not the numbers of a table of symbols.

    Example: `misword score data/test/text exp/decode/nbest/`

    Reference: https://kaldi-asr.org/doc/nbest-to-linear_8cc.html
    """

    name: ClassVar[str] = "kaldi-nbest"
    title: ClassVar[str] = "Kaldi N-best folder"

    def looks_like_folder(self, folder: Path) -> bool:
        """Whether the folder has a file of words and a file of costs."""
        names = _names(folder)
        return not names.isdisjoint(TEXT_NAMES) and not names.isdisjoint(COSTS)

    def read_folder(self, folder: Path, encoding: str | None) -> Reading:
        """Join the files by their keys."""
        names = _names(folder)
        found = next((name for name in TEXT_NAMES if name in names), None)
        if found is None:
            raise InputError(f"no file {' or '.join(TEXT_NAMES)}", where=str(folder))
        source, texts = _read_map(folder / found, encoding)
        costs = {COSTS[name]: _read_map(folder / name, encoding) for name in COSTS if name in names}
        for other, values in costs.values():
            _check_keys(source, texts, other, values)
        lists = Hypotheses(source)
        for key, (line, text) in texts.items():
            match = KEY.match(key)
            if match is None:
                raise InputError(
                    f"the key {key!r} has no rank", where=source.at(line), fix="keys are utt-1, ..."
                )
            numbers = {
                name: -number(values[key][1], name, other, values[key][0])
                for name, (other, values) in costs.items()
            }
            lists.add(match[1], text, line, numbers, int(match[2]))
        notes = [f"{folder}: costs are read as scores, with the other sign"] if costs else []
        if all(text.replace(" ", "").isdigit() for _, text in texts.values() if text):
            notes.append(f"{source.shown} has numbers; int2sym.pl converts them to words")
        return lists.reading(notes)


@dataclass(frozen=True, slots=True)
class Espnet(FolderFormat):
    """A decoding folder of ESPnet2: `1best_recog`, `2best_recog`, ... with `text` and `score`.

    Example: `misword score data/test/text exp/asr/decode_test/`

    Reference: https://github.com/espnet/espnet (espnet2/bin/asr_inference.py)
    """

    name: ClassVar[str] = "espnet"
    title: ClassVar[str] = "ESPnet2 decoding folder"

    def looks_like_folder(self, folder: Path) -> bool:
        """Whether the folder has a folder `1best_recog` with a file `text`."""
        return (folder / "1best_recog" / "text").is_file()

    def read_folder(self, folder: Path, encoding: str | None) -> Reading:
        """Read the folder of each rank."""
        ranks = sorted(
            int(match[1]) for name in _names(folder) if (match := RANK_FOLDER.match(name))
        )
        if not ranks:
            raise InputError("no folder 1best_recog", where=str(folder))
        source, _ = _read_map(folder / f"{ranks[0]}best_recog" / "text", encoding)
        lists = Hypotheses(source)
        for rank in ranks:
            inner = folder / f"{rank}best_recog"
            texts_file, texts = _read_map(inner / "text", encoding)
            scores: dict[str, tuple[int, str]] = {}
            scores_file = texts_file
            if (inner / "score").is_file():
                scores_file, scores = _read_map(inner / "score", encoding)
                _check_keys(texts_file, texts, scores_file, scores)
            for utt, (line, text) in texts.items():
                numbers = {}
                if utt in scores:
                    at, written = scores[utt]
                    tensor = TENSOR.match(written)
                    value = tensor[1] if tensor else written
                    numbers["score"] = number(value, "the score", scores_file, at)
                lists.add(utt, text, line, numbers, rank)
        return lists.reading()


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError as error:
        raise unreadable(str(folder), error) from None


def _read_map(path: Path, encoding: str | None) -> tuple[Source, dict[str, tuple[int, str]]]:
    """Return the lines of a file by their first words: the number and the rest of each line."""
    source = open_source(path, encoding)
    found: dict[str, tuple[int, str]] = {}
    for line, content in enumerate(source.lines, start=1):
        key, _, rest = content.strip(BLANKS).replace("\t", " ").partition(" ")
        if not key:
            raise InputError("an empty line, where a key is needed", where=source.at(line))
        if key in found:
            raise MismatchError(
                f"the key {key!r} is there twice, on line {found[key][0]} and line {line}",
                where=source.at(line),
                fix="each hypothesis has one line",
            )
        found[key] = line, rest.strip()
    return source, found


def _check_keys(
    source: Source,
    texts: dict[str, tuple[int, str]],
    other: Source,
    values: dict[str, tuple[int, str]],
) -> None:
    """Raise unless both files have the same keys."""
    if texts.keys() == values.keys():
        return
    missing = next((key for key in texts if key not in values), None)
    if missing is not None:
        where, key, lacking = source.at(texts[missing][0]), missing, other.shown
    else:
        key = next(key for key in values if key not in texts)
        where, lacking = other.at(values[key][0]), source.shown
    raise MismatchError(
        f"{lacking} lacks the key {key!r}", where=where, fix="one file may be cut off"
    )
