"""Annotations of linguists: TextGrid of Praat and EAF of ELAN, tiers of labels with times."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar, NamedTuple

from misword.core.errors import InputError, OptionError, did_you_mean
from misword.core.lazy import pl
from misword.core.parts import Requirement
from misword.io.files.sources import UTF16_MARKS, Source
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.formats import Format, one_recording

READER = Requirement(
    ("pympi",), "pip install 'misword[annotations]', or export the tiers as text", "MIT"
)
# Names of tiers with a word in each interval, as forced aligners write them, and of those with
# phonemes. The speaker may stand before the name.
WORDS = re.compile(r"(.*?)[ _-]*words?", re.IGNORECASE)
PHONES = re.compile(r".*(?:phone|phoneme|segment)s?", re.IGNORECASE)
QUOTED = re.compile(rb'"(?:""|[^"])*"')
FIX = "open the file in the program that wrote it, and save it again"


class Tier(NamedTuple):
    """A tier: its name, its speaker, and its labels with begin and end in seconds."""

    name: str
    speaker: str | None
    labels: list[tuple[float, float, str]]


class TierFormat(Format):
    """Tiers of one recording; `_tiers` reads them. The option `tier` names the one to be read."""

    __slots__ = ()

    one_recording: ClassVar[bool] = True
    rewritten_as: ClassVar[str] = "kaldi"
    tier: str

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """The package that reads the files."""
        return READER

    def _tiers(self, source: Source) -> list[Tier]:
        """Return all tiers that have times; raise any exception if the file is damaged."""
        raise NotImplementedError

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Join the labels of all speakers by time; keep speakers and times of the words."""
        READER.check(self.name)
        try:
            tiers = self._tiers(source)
        except InputError:
            raise
        except Exception as error:  # the package raises nearly any exception for a damaged file
            raise _damaged(self, source) from error
        chosen = self._chosen(tiers, source)
        labels = [(*label, tier.speaker) for tier in chosen for label in tier.labels]
        labels.sort(key=lambda label: label[:2])
        schema: dict[str, pl.DataType] = {
            "begin": pl.Float64(),
            "end": pl.Float64(),
            "word": pl.String(),
            "speaker": pl.String(),
        }
        try:
            rows = pl.DataFrame(labels, schema=schema, orient="row")
        except UnicodeEncodeError:
            raise _damaged(self, source) from None
        if rows["word"].str.contains("\0", literal=True).any():
            raise InputError("a NUL character in a label", where=source.at(), fix=FIX)
        number = pl.int_range(pl.len(), dtype=pl.Int64).alias("segment")
        left_out = [tier.name for tier in tiers if tier not in chosen]
        note = f"{source.shown}: tiers left out: {', '.join(left_out)}"
        return one_recording(source, rows.with_columns(number), (note,) if left_out else ())

    def _chosen(self, tiers: Sequence[Tier], source: Source) -> list[Tier]:
        """Return the tiers to read: the named one, those of words, or all but those of phonemes."""
        if self.tier:
            found = [tier for tier in tiers if tier.name == self.tier]
            if not found:
                names = [tier.name for tier in tiers]
                raise OptionError(
                    f"{source.shown} has no tier {self.tier!r}",
                    fix=f"{did_you_mean(self.tier, names)}it has: {', '.join(names)}",
                )
            return found
        words = [(tier, WORDS.fullmatch(tier.name)) for tier in tiers]
        named = [tier for tier, match in words if match]
        return named or [tier for tier in tiers if not PHONES.fullmatch(tier.name)]


def _speaker(name: str) -> str | None:
    """Return the speaker in the name of a tier.

    >>> _speaker("anna - words"), _speaker("words"), _speaker("anna")
    ('anna', None, 'anna')
    """
    found = WORDS.fullmatch(name)
    return (found[1] or None) if found else name


def _damaged(part: Format, source: Source) -> InputError:
    return InputError(f"this is no {part.title} file that can be read", where=source.at(), fix=FIX)


@dataclass(frozen=True, slots=True)
class TextGrid(TierFormat):
    """Praat's TextGrid: the labels of all interval tiers, by time; the names of tiers are speakers.

    If there are tiers called `words` (`anna - words`), only these are read; tiers of phonemes never
    are. `tier` names the tier to be read.

    Example: `misword score ref.TextGrid hyp.json --input-format textgrid:tier=anna`

    Reference: https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html
    """

    name: ClassVar[str] = "textgrid"
    sign: ClassVar[bytes] = b"TextGrid"
    title: ClassVar[str] = "Praat TextGrid"
    suffixes: ClassVar[tuple[str, ...]] = (".textgrid",)
    tier: str = ""

    def looks_like(self, source: Source) -> bool:
        """Whether it begins as a TextGrid does."""
        return b"ooTextFile" in source.data[:200] and b"TextGrid" in source.data[:200]

    def _tiers(self, source: Source) -> list[Tier]:
        from pympi import Praat

        data = source.data
        if data.startswith(UTF16_MARKS):
            data = data.decode("utf-16").encode()
        data = data.removeprefix(b"\xef\xbb\xbf")
        grid = Praat.TextGrid(xmax=0)
        grid.from_file(BytesIO(data), "utf-8")
        if not data.startswith(b"ooBinaryFile"):
            expected = 2 + sum(2 + len(tier.intervals) for tier in grid.tiers)
            if len(QUOTED.findall(data)) != expected:  # a label that was not read
                raise _damaged(self, source)
        return [
            Tier(
                tier.name,
                _speaker(tier.name),
                [(float(a), float(b), str(c)) for a, b, c in tier.intervals],
            )
            for tier in grid.tiers
            if tier.tier_type == "IntervalTier"
        ]


@dataclass(frozen=True, slots=True)
class Elan(TierFormat):
    """ELAN's EAF: the annotations of all tiers with times, by time; participants are speakers.

    Tiers that depend on others (translations, glosses) are left out. `tier` names the tier to be
    read.

    Example: `misword score ref.eaf hyp.json --input-format elan:tier=anna`

    Reference: https://www.mpi.nl/tools/elan/EAF_Annotation_Format_3.0_and_ELAN.pdf
    """

    name: ClassVar[str] = "elan"
    sign: ClassVar[bytes] = b"ANNOTATION_DOCUMENT"
    title: ClassVar[str] = "ELAN"
    suffixes: ClassVar[tuple[str, ...]] = (".eaf",)
    tier: str = ""

    def looks_like(self, source: Source) -> bool:
        """Whether the root of the document is that of ELAN."""
        return b"<ANNOTATION_DOCUMENT" in source.data[:2000]

    def _tiers(self, source: Source) -> list[Tier]:
        import tempfile

        from pympi import Elan as Reader

        if b"<!DOCTYPE" in source.data or b"<!ENTITY" in source.data:
            raise _damaged(self, source)
        with tempfile.TemporaryDirectory() as folder:  # the package reads paths only
            path = os.path.join(folder, "file.eaf")
            with open(path, "wb") as file:
                file.write(source.data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about versions of the format
                document = Reader.Eaf(path)
        values = sum(len(aligned) + len(refs) for aligned, refs, *_ in document.tiers.values())
        if source.data.count(b"<ANNOTATION_VALUE") != values:  # two with the same id
            raise _damaged(self, source)
        return list(_with_times(document.tiers, document.timeslots))


def _with_times(tiers: dict[str, tuple], slots: dict[str, int | None]) -> Iterator[Tier]:  # type: ignore[type-arg]
    """Yield the tiers of ELAN whose annotations have times and depend on no other tier."""
    for name, (aligned, _, attributes, *_) in tiers.items():
        if "PARENT_REF" in attributes:
            continue
        labels = []
        for begin, end, value, *_ in aligned.values():
            times = slots[begin], slots[end]
            if None in times:
                raise ValueError("an annotation without times")
            labels.append((times[0] / 1000, times[1] / 1000, value or ""))  # type: ignore[operator]
        yield Tier(name, attributes.get("PARTICIPANT") or name, labels)
