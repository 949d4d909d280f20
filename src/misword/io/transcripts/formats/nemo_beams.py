"""N-best lists that NeMo's beam search writes: text and score, without ids."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Literal

from misword.core.errors import InputError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats.hypothesis_lists import Hypotheses, ListFormat, number

SAMPLE = 100


@dataclass(frozen=True, slots=True)
class NemoBeams(ListFormat):
    """`text<TAB>score` on each line, no header; as many lines for each row of the manifest.

    The lines have no ids: they belong to the references in their order, and their number must be a
    multiple of the number of references.

    Example: `misword score manifest.jsonl preds_out_width128.tsv`

    Reference: https://docs.nvidia.com/nemo-framework/user-guide/latest/nemotoolkit/asr/
    """

    name: ClassVar[str] = "nemo-beams"
    title: ClassVar[str] = "NeMo beam search"
    may_be_named_as: ClassVar[str] = "tsv"
    list_ids: ClassVar[Literal["names", "numbers", "none"]] = "none"

    def looks_like(self, source: Source) -> bool:
        """Whether each of the first lines is a text, a tab and a number."""
        return all(_fits(line) for line in islice(source.lines, SAMPLE))

    def read(self, source: Source, columns: Columns) -> Reading:
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


def _fits(line: str) -> bool:
    _, tab, score = line.partition("\t")
    try:
        float(score)
    except ValueError:
        return False
    return bool(tab)
