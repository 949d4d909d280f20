"""Lists of words and phrases that count as the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from misword.asr.compared_texts import NOTHING
from misword.core.errors import InputError, OptionError
from misword.io.files.sources import PathLike, open_source

SLASH = re.compile(r"(?<![^\s{}])/(?![^\s{}])")
COMMA = re.compile(r",(?!\d)|(?<!\d),")

Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Equivalents:
    """Classes of phrases that count as the same; `name` goes into the signature."""

    classes: tuple[tuple[Phrase, ...], ...]
    name: str = "none"

    @property
    def optional(self) -> list[Phrase]:
        """The phrases that may be left out: those of a class that contains NOTHING."""
        left_out = (forms for forms in self.classes if () in forms)
        return [form for forms in left_out for form in forms if form]

    @classmethod
    def of(
        cls, classes: Iterable[Iterable[str]], normalize: Callable[[list[str]], list[str]]
    ) -> Equivalents:
        """Normalise the phrases of the classes; classes that share a phrase are merged."""
        listed = [[forms] if isinstance(forms, str) else list(forms) for forms in classes]
        # The class of each phrase; the phrases of a class share one dictionary.
        class_of: dict[Phrase, dict[Phrase, None]] = {}
        spelled = iter(normalize([form for forms in listed for form in forms]))
        for forms in listed:
            words = [tuple(next(spelled).split()) for _ in forms]
            phrases = dict.fromkeys(
                () if form == NOTHING else phrase for form, phrase in zip(forms, words, strict=True)
            )
            if len(forms) < 2 or sum(not phrase for phrase in phrases) > (NOTHING in forms):
                raise OptionError(
                    f"{' / '.join(forms)!r} is not a class of equivalents",
                    fix="give two forms or more that keep a word after --normalize; @ is the empty "
                    "form",
                )
            related = [class_of[phrase] for phrase in phrases if phrase in class_of]
            merged = {phrase: None for group in [*related, phrases] for phrase in group}
            class_of |= dict.fromkeys(filter(None, merged), merged)
        name = sha256(repr(listed).encode()).hexdigest()[:8] if listed else "none"
        distinct = {id(merged): tuple(merged) for merged in class_of.values()}
        return cls(tuple(distinct.values()), name)


def split_equivalents(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the forms of each line of an equivalence list.

    ` / ` separates forms; in a line without it tabs do, else commas (but not those inside a
    number). `# ` starts a comment.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("# ") or line.strip() == "#":
            continue
        if SLASH.search(line):
            forms = SLASH.split(line)
        else:
            forms = line.split("\t") if "\t" in line.strip() else COMMA.split(line)
        yield number, [form.strip() for form in forms if form.strip()]


def read_equivalents(path: PathLike) -> list[list[str]]:
    """Read an equivalence list from a file."""
    source = open_source(path)
    classes = []
    for number, forms in split_equivalents(source.lines):
        if len(forms) < 2:
            raise InputError(
                f"only one form: {''.join(forms)!r}",
                where=source.at(number),
                fix="write two or more: gonna / going to; a comment starts with '# '",
            )
        classes.append(forms)
    return classes


def equivalent_classes(equivalents: Any) -> list[Iterable[str]]:
    """Return classes of equivalents that are given, read from a file, or returned by a function."""
    if isinstance(equivalents, str | os.PathLike):
        return list(read_equivalents(equivalents))
    return list(equivalents() if callable(equivalents) else equivalents)
