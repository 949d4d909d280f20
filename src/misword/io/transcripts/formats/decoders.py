"""N-best lists of decoders: Moses, the beam search of NeMo, SRILM, Kaldi and ESPnet."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar, Literal

from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.files.sources import Source, open_source, unreadable
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.formats import Hypotheses, ListFormat, number
from misword.io.transcripts.formats.plain import BLANKS

# Moses and other decoders of machine translation.

SEPARATOR = "|||"
FEATURE_NAME = re.compile(r"^[^\s=]*[^\W\d]\S*[=:]$")
ALIGNMENT = re.compile(r"[\d\s=,|:-]*")
MOSES_FIX = "each line is: id ||| text ||| name= value ... ||| total"


@dataclass(frozen=True, slots=True)
class Moses(ListFormat):
    """`id ||| text ||| name= value ... ||| total` on each line, in the order of the ranks.

    The total is the score. A feature with several values becomes `name_1`, `name_2`, and so on.
    Fields after the total (alignments) are ignored. Ids count the utterances from 0; if the
    references have no ids, list n belongs to line n + 1.

    Example: `misword score ref.txt nbest.moses`

    Reference: https://www2.statmt.org/moses/?n=Advanced.Search
    """

    name: ClassVar[str] = "moses"
    sign: ClassVar[bytes] = b"|||"
    title: ClassVar[str] = "Moses N-best lists"
    list_ids: ClassVar[Literal["names", "numbers", "none"]] = "numbers"

    def looks_like(self, source: Source) -> bool:
        """Whether the first line has three separators or more, and a number as fourth field."""
        return _is_moses_row(source.lines[0].split(SEPARATOR))

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Split each line at the separators."""
        found = Hypotheses(source)
        for line, content in enumerate(source.lines, start=1):
            if not content.strip():
                continue
            fields = [field.strip() for field in content.split(SEPARATOR)]
            if len(fields) < 4 or not fields[0]:
                raise InputError(
                    f"{len(fields)} fields, not four or more", where=source.at(line), fix=MOSES_FIX
                )
            utt, text, features, total, *alignments = fields
            if not all(map(ALIGNMENT.fullmatch, alignments)):
                raise InputError(
                    "a field after the total that is no alignment",
                    where=source.at(line),
                    fix="two lines may have been joined; " + MOSES_FIX,
                )
            numbers = {"score": number(total, "the total", source, line)}
            found.add(utt, text, line, numbers | _features(features, source, line))
        return found.reading()


def _is_moses_row(fields: list[str]) -> bool:
    try:
        float(fields[3])
    except (IndexError, ValueError):
        return False
    return True


def _features(text: str, source: Source, line: int) -> dict[str, float]:
    """Return the values of features by name; both `lm= -3` and `lm=-3` are read."""
    values: dict[str, list[float]] = {}
    name = ""
    for token in re.sub(r"=(?=\S)", "= ", text).split():
        if FEATURE_NAME.match(token):
            name = token.rstrip("=:")
            if name in values:
                raise InputError(
                    f"duplicate feature {name!r}", where=source.at(line), fix=MOSES_FIX
                )
            values[name] = []
        elif not name:
            raise InputError(f"{token!r} before a name", where=source.at(line), fix=MOSES_FIX)
        else:
            values[name].append(number(token, name, source, line))
    numbers: dict[str, float] = {}
    for name, some in values.items():
        names = (
            [name] if len(some) == 1 else [f"{name}_{place}" for place in range(1, len(some) + 1)]
        )
        numbers |= dict(zip(names, some, strict=True))
    return numbers


# The beam search of NeMo: text and score, without ids.

BEAM_SAMPLE = 100


@dataclass(frozen=True, slots=True)
class NemoBeams(ListFormat):
    """`text<TAB>score` on each line, no header; as many lines for each row of the manifest.

    The lines have no ids: they belong to the references in their order, and their number must be a
    multiple of the number of references.

    Example: `misword score manifest.jsonl preds_out_width128.tsv`

    Reference: https://docs.nvidia.com/nemo-framework/user-guide/latest/nemotoolkit/asr/
    """

    name: ClassVar[str] = "nemo-beams"
    sign: ClassVar[bytes] = b"\t"
    title: ClassVar[str] = "NeMo beam search"
    may_be_named_as: ClassVar[str] = "tsv"
    list_ids: ClassVar[Literal["names", "numbers", "none"]] = "none"

    def looks_like(self, source: Source) -> bool:
        """Whether each of the first lines is a text, a tab and a number."""
        return all(_is_beam_line(line) for line in islice(source.lines, BEAM_SAMPLE))

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Split each line at its tab."""
        found = Hypotheses(source)
        for line, content in enumerate(source.lines, start=1):
            text, tab, score = content.rpartition("\t")
            if not tab or "\t" in text:
                raise InputError(
                    f"{content.count(chr(9))} tabs, not one",
                    where=source.at(line),
                    fix="each line is a text, a tab and a score",
                )
            found.add("", text, line, {"score": number(score, "the score", source, line)})
        return found.reading()


def _is_beam_line(line: str) -> bool:
    _, tab, score = line.partition("\t")
    try:
        float(score)
    except ValueError:
        return False
    return bool(tab)


# SRILM: one file for each utterance, and files that list such files.

HEADER = "NBestList1.0"
HEADER_WITH_TIMES = "NBestList2.0"
SCORED = re.compile(r"^\(\s*(\S+?)\s*\)(.*)$")
# A bytelog is a logarithm to the base 1.0001, divided by 1024.
BYTELOG = 1024 * math.log(1.0001)
LOG10 = math.log(10)
BOUNDARIES = ("<s>", "</s>")
# Ends of file names that are not part of the id, beside those of compression.
SUFFIXES = (".nbest", ".score", ".scores", ".txt")
SRILM_SAMPLE = 20
SRILM_FIX = "a list has the header NBestList1.0 and lines `(score) words`, or lines `ac lm n words`"


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
        lines = [line.split() for line in islice(source.lines, SRILM_SAMPLE) if line.strip()]
        return bool(lines) and all(_is_counted(fields) for fields in lines)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
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
        names = [line.strip() for line in islice(source.lines, SRILM_SAMPLE) if line.strip()]
        paths = [folder / name for name in names]
        if not paths or not all(_is_inside(path, folder) for path in paths):
            return False
        return Srilm().looks_like(open_source(paths[0]))

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Read each file."""
        found = Hypotheses(source)
        folder = Path(source.shown).parent
        for line, content in enumerate(source.lines, start=1):
            if not (name := content.strip()):
                continue
            path = folder / name if (folder / name).is_file() else Path(name)
            if not path.is_file():
                raise InputError(
                    f"no such file: {name[:200]}", where=source.at(line), fix=SRILM_FIX
                )
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
        raise InputError("a list without hypotheses", where=source.at(), fix=SRILM_FIX)


def utterance_of(source: Source) -> str:
    """Return the id of the utterance: the name of the file without its suffixes."""
    name = source.name or "stdin"
    return next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)


def _scored(content: str, source: Source, line: int) -> tuple[list[str], dict[str, float]]:
    match = SCORED.match(content.strip())
    if match is None:
        raise InputError(
            "no (score) at the start of the line", where=source.at(line), fix=SRILM_FIX
        )
    score = BYTELOG * number(match[1], "the score", source, line)
    return match[2].split(), {"score": score}


def _counted(content: str, source: Source, line: int) -> tuple[list[str], dict[str, float]]:
    fields = content.split()
    if len(fields) < 3:
        raise InputError(
            f"{len(fields)} fields, not three or more", where=source.at(line), fix=SRILM_FIX
        )
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


# Kaldi and ESPnet: folders of several files.

TEXT_NAMES = ("text", "words_text", "words")
COSTS = {"lm_cost": "lm", "ac_cost": "ac"}
KEY = re.compile(r"^(.+)-(\d+)$")
RANK_FOLDER = re.compile(r"^(\d+)best_recog$")
TENSOR = re.compile(r"^tensor\(([^,)]+).*\)$")


class FolderFormat(ListFormat):
    """N-best lists in a folder."""

    __slots__ = ()

    is_folder: ClassVar[bool] = True

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
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

    def read_folder(self, folder: Path, encoding: str | None) -> SourceTranscripts:
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

    def read_folder(self, folder: Path, encoding: str | None) -> SourceTranscripts:
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
                f"duplicate key {key!r}, on line {found[key][0]} and line {line}",
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
