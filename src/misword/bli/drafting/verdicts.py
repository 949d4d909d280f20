"""Verdicts of people on a draft: `accept`, `reject` or `other` in the column `verdict`.

The column `other` has the translations that are right instead (`other`) or as well (`accept`),
separated by semicolons. A verdict is about the pair of its row: the headword and its first
candidate.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from misword.bli.drafting.headwords import VERDICTS, Headword, Verdict
from misword.core.errors import InputError, MissingExtraError, MiswordError, OptionError
from misword.core.formatting import counted
from misword.io.files.path_errors import real_path
from misword.io.files.sources import PathLike, open_source
from misword.io.formulas import with_formula
from misword.io.lexicons import Lexicon, read_lexicon

# What people write for each verdict.
SPELLINGS: dict[str, Verdict] = {
    "": "",
    **dict.fromkeys(("accept", "accepted", "a", "yes", "y"), VERDICTS[0]),
    **dict.fromkeys(("reject", "rejected", "r", "no", "n"), VERDICTS[1]),
    **dict.fromkeys(("other", "o"), VERDICTS[2]),
}
SEPARATOR = ";"
SHOWN = 5  # words that an error names


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person decided about a headword and the translation `target`; `where` is its line."""

    target: str
    verdict: Verdict
    other: tuple[str, ...]
    where: str


def read_judgements(path: PathLike) -> dict[str, Judgement]:
    """Read the rows with a verdict of a draft (`.xlsx`, `.csv`, `.tsv`), by headword.

    Raises if a verdict is none of the three, contradicts the column `other`, or if a headword has
    two of them.
    """
    table = read_lexicon(path, columns=("source", "target"))
    if "verdict" not in table.columns:
        raise InputError(
            "no column 'verdict'",
            where=table.name,
            fix="name a draft of `misword translate --draft -o FILE`, or the file that its page "
            "saves",
        )
    for place, lines in table.copies.items():
        raise InputError(
            f"{table.source[place]} – {table.target[place]} is also in line {table.lines[place]}",
            where=f"{table.name}:{lines[0]}",
            fix="keep one of the two lines",
        )
    # In CSV, words that begin like a formula were written with an apostrophe.
    plain = with_formula if Path(os.fspath(path)).suffix.lower() == ".csv" else str
    found: dict[str, Judgement] = {}
    for place, judgement in enumerate(_judgements(table)):
        if not judgement.verdict:
            continue
        word = plain(table.source[place])
        if word in found:
            raise InputError(
                f"a second verdict on {word!r}, after {found[word].where}",
                where=judgement.where,
                fix="keep one of them; further translations belong into the column 'other'",
            )
        other = tuple(map(plain, judgement.other))
        found[word] = replace(judgement, target=plain(judgement.target), other=other)
    return found


def _judgements(table: Lexicon) -> list[Judgement]:
    """Return what each row of a table says."""
    others = table.columns.get("other", ("",) * len(table))
    rows = zip(table.target, table.columns["verdict"], others, table.lines, strict=True)
    return [_judgement(*row[:3], where=f"{table.name}:{row[3]}") for row in rows]


def _judgement(target: str, text: str, other: str, *, where: str) -> Judgement:
    verdict = SPELLINGS.get(text.strip().lower())
    if verdict is None:
        raise InputError(
            f"verdict {text!r}", where=where, fix=f"write {', '.join(VERDICTS)}, or nothing"
        )
    words = split_words(other)
    if verdict == "reject" and words:
        raise InputError(
            f"verdict 'reject', and another translation: {other!r}",
            where=where,
            fix="write other as the verdict, or empty the column 'other'",
        )
    if verdict == "accept" and not target:
        raise InputError(
            "verdict 'accept' without a translation in the column 'target'",
            where=where,
            fix="write other as the verdict, and the translation into the column 'other'",
        )
    return Judgement(target, "other" if words and not verdict else verdict, words, where)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words between semicolons.

    >>> split_words("chien; chienne"), split_words(";")
    (('chien', 'chienne'), (';',))
    """
    words = tuple(word.strip() for word in text.split(SEPARATOR) if word.strip())
    return words or ((text.strip(),) if text.strip() else ())


def join_words(words: Sequence[str]) -> str:
    """Return words as one text that `split_words` divides again."""
    return f"{SEPARATOR} ".join(words)


def apply_judgements(
    rows: Sequence[Headword], judgements: Mapping[str, Judgement], name: str
) -> tuple[list[Headword], tuple[str, ...]]:
    """Return the rows with their verdicts, and notes.

    A judged row keeps the translation that was judged in the first place, although another may be
    the best candidate now. Raises if there are verdicts on words that the draft does not have.
    """
    missing = [word for word in judgements if word not in {row.word for row in rows}]
    if missing:
        raise _missing(missing, judgements, name)
    backs = {one.word: one.back for row in rows for one in row.candidates}
    found, moved = [], 0
    for row in rows:
        judged = judgements.get(row.word)
        if judged is None:
            found.append(row)
            continue
        if judged.target and judged.target != row.target:
            row, moved = row.with_target(judged.target, backs), moved + 1
        found.append(replace(row, verdict=judged.verdict, other=judged.other))
    notes = [f"{counted(len(judgements), 'verdict')} read from {name}"]
    if moved:
        judged_words = counted(moved, "judged translation")
        notes.append(f"{judged_words} kept in the first place, where the best candidate is another")
    return found, tuple(notes)


def _missing(words: Sequence[str], judgements: Mapping[str, Judgement], name: str) -> InputError:
    """Return the error about verdicts on words that are not in the draft."""
    examples = ", ".join(f"{word!r} ({judgements[word].where})" for word in words[:SHOWN])
    examples += ", ..." if len(words) > SHOWN else ""
    return InputError(
        f"{counted(len(words), 'verdict')} on words that are not in this draft: {examples}",
        where=name,
        fix="translate these words too (--words, --max-words, --reverse), or remove their lines; "
        "nothing was written",
    )


def check_replaced(path: PathLike, judged: PathLike | None) -> None:
    """Raise if a draft with verdicts would be replaced that were not read."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return
    if judged is not None and real_path(judged) == real_path(path):
        return
    open_source(path)  # a file that cannot be read may be a draft
    try:
        table = read_lexicon(path, columns=("source", "target"))
    except MissingExtraError:
        raise
    except MiswordError:  # a file that is no draft is replaced like any other output
        return
    count = sum(bool(text.strip()) for text in table.columns.get("verdict", ()))
    if count:
        raise OptionError(
            f"it has {counted(count, 'verdict')}, which would be lost",
            where=os.fspath(path),
            fix=f"keep them with --judged {os.fspath(path)}, or name another file",
        )
