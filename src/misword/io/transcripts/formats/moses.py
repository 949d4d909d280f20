"""N-best lists of Moses and other machine translation decoders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from misword.core.errors import InputError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats.hypothesis_lists import Hypotheses, ListFormat, number

SEPARATOR = "|||"
NAME = re.compile(r"^[^\s=]*[^\W\d]\S*[=:]$")
FIX = "each line is: id ||| text ||| name= value ... ||| total"


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
    title: ClassVar[str] = "Moses N-best lists"
    list_ids: ClassVar[Literal["names", "numbers", "none"]] = "numbers"

    def looks_like(self, source: Source) -> bool:
        """Whether the first line has three separators or more, and a number as fourth field."""
        return _fits(source.lines[0].split(SEPARATOR))

    def read(self, source: Source, columns: Columns) -> Reading:
        """Split each line at the separators."""
        found = Hypotheses(source)
        for line, content in enumerate(source.lines, start=1):
            if not content.strip():
                continue
            fields = [field.strip() for field in content.split(SEPARATOR)]
            if len(fields) < 4 or not fields[0]:
                raise InputError(
                    f"{len(fields)} fields, not four or more", where=source.at(line), fix=FIX
                )
            utt, text, features, total = fields[:4]
            numbers = {"score": number(total, "the total", source, line)}
            found.add(utt, text, line, numbers | _features(features, source, line))
        return found.reading()


def _fits(fields: list[str]) -> bool:
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
        if NAME.match(token):
            name = token.rstrip("=:")
            if name in values:
                raise InputError(f"the feature {name!r} twice", where=source.at(line), fix=FIX)
            values[name] = []
        elif not name:
            raise InputError(f"{token!r} before a name", where=source.at(line), fix=FIX)
        else:
            values[name].append(number(token, name, source, line))
    numbers: dict[str, float] = {}
    for name, some in values.items():
        names = (
            [name] if len(some) == 1 else [f"{name}_{place}" for place in range(1, len(some) + 1)]
        )
        numbers |= dict(zip(names, some, strict=True))
    return numbers
