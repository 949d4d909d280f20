"""False false positives: answers that count as errors, but that another source confirms.

A gold lexicon has gaps, so a right answer can count as an error. Each such answer is listed with
the sources that confirm it, for a person to judge; verdicts then correct the margin between
two systems.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from misword.bli.auditing.answers import Evidence, Gold, SystemAnswers
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import PathLike, open_source
from misword.io.formulas import without_formula
from misword.io.lexicon_writing import write_lexicon
from misword.io.verdicts import read_verdict_table, verdict_of

# The weight of each kind of source in the order of the list.
DICTIONARY, PARADIGM, LEMMA, BACK = 3, 3, 2, 1
# The verdict on an answer, by headword and answer: right or wrong.
Verdicts = Mapping[tuple[str, str], bool]


@dataclass(frozen=True, slots=True)
class DoubtfulAnswer:
    """The best answer of some systems for a headword, which the gold lexicon does not have."""

    source: str
    candidate: str
    gold: tuple[str, ...]
    systems: tuple[str, ...]
    evidence: tuple[str, ...]
    strength: int
    decides: bool

    @property
    def key(self) -> tuple[str, str]:
        """The headword and the answer, which a verdict is about."""
        return self.source, self.candidate


def doubtful_answers(
    gold: Gold, systems: Sequence[SystemAnswers], forms: Evidence, synonyms: Evidence
) -> list[DoubtfulAnswer]:
    """Return the errors that another source confirms, and those that decide a margin.

    An error decides the margin between two systems if the other system is right. Answers with
    more evidence come first; of equal evidence, those that decide a margin.
    """
    rows: list[DoubtfulAnswer] = []
    for word, targets in gold.items():
        best = {s.system: s.candidates[word][0] for s in systems if s.candidates.get(word)}
        one_is_right = any(answer in targets for answer in best.values())
        for answer in dict.fromkeys(best.values()):
            if answer in targets:
                continue
            evidence, strength = _evidence(word, answer, systems, forms, synonyms)
            if evidence or one_is_right:
                names = tuple(name for name, one in best.items() if one == answer)
                rows.append(
                    DoubtfulAnswer(
                        word, answer, tuple(targets), names, evidence, strength, one_is_right
                    )
                )
    return sorted(rows, key=lambda row: (-row.strength, not row.decides))


def _evidence(
    word: str, answer: str, systems: Sequence[SystemAnswers], forms: Evidence, synonyms: Evidence
) -> tuple[tuple[str, ...], int]:
    """Return the sources that confirm an answer, and the sum of their weights."""
    texts, strength = [], 0
    if known := synonyms.get(word, {}).get(answer):
        texts.append(known)
        strength += DICTIONARY
    if form := forms.get(word, {}).get(answer):
        texts.append(form)
        strength += PARADIGM if "paradigm" in form else LEMMA
    backs = [system.system for system in systems if word in system.back.get(answer, ())]
    if backs:
        texts.append(f"translated back to {word!r} by {', '.join(backs)}")
        strength += BACK
    return tuple(texts), strength


def doubtful_table(rows: Sequence[DoubtfulAnswer], verdicts: Verdicts) -> pl.DataFrame:
    """Return the list of answers to be judged, with the verdicts so far."""
    words = {True: "yes", False: "no", None: ""}
    columns = {
        "source": [row.source for row in rows],
        "candidate": [row.candidate for row in rows],
        "verdict": [words[verdicts.get(row.key)] for row in rows],
        "gold": [", ".join(row.gold) for row in rows],
        "systems": [", ".join(row.systems) for row in rows],
        "evidence": ["; ".join(row.evidence) for row in rows],
        "strength": [row.strength for row in rows],
        "decides": [row.decides for row in rows],
    }
    numbers = {"strength": pl.Int64, "decides": pl.Boolean}
    return pl.DataFrame(columns, schema={name: numbers.get(name, pl.String) for name in columns})


@dataclass(frozen=True, slots=True)
class Margin:
    """The margin between two systems in hit@1, before and after a person judged their answers.

    `wins` is the number of headwords where only the first system is right, `losses` where only the
    second is, of `headwords` that both answer. `wins_kept` and `losses_kept` are what remains of
    them when answers that were judged right count as right; `new_wins` and `new_losses` are
    headwords where both were wrong and one was judged right. `open` is the number of answers
    without a verdict, which count as the gold lexicon says.
    """

    first: str
    second: str
    headwords: int
    wins: int
    losses: int
    wins_kept: float
    losses_kept: float
    new_wins: int = 0
    new_losses: int = 0
    open: int = 0

    @property
    def before(self) -> float:
        """The margin by the gold lexicon.

        >>> margin = Margin("RCSLS", "VM-S", 1125, 125, 50, 0.27 * 125, 0.50 * 50)
        >>> round(100 * margin.before, 2), round(100 * margin.after, 2)
        (6.67, 0.78)
        """
        return (self.wins - self.losses) / self.headwords

    @property
    def after(self) -> float:
        """The margin with the verdicts."""
        kept = self.wins_kept - self.losses_kept
        return (kept + self.new_wins - self.new_losses) / self.headwords

    @property
    def arithmetic(self) -> str:
        """Both margins as calculations.

        >>> Margin("a", "b", 1125, 125, 50, 34, 25).arithmetic
        '(125 - 50) / 1,125 = 6.67 %; with verdicts (34 - 25) / 1,125 = 0.80 %'
        """
        further = (
            f" + {self.new_wins} - {self.new_losses}" if self.new_wins or self.new_losses else ""
        )
        return (
            f"({self.wins} - {self.losses}) / {self.headwords:,} = {100 * self.before:.2f} %; "
            f"with verdicts ({self.wins_kept:g} - {self.losses_kept:g}{further}) / "
            f"{self.headwords:,} = {100 * self.after:.2f} %"
        )


def margin(gold: Gold, first: SystemAnswers, second: SystemAnswers, verdicts: Verdicts) -> Margin:
    """Return the margin of the first system over the second, before and after verdicts."""
    numbers = dict.fromkeys(("wins", "losses", "wins_kept", "losses_kept"), 0)
    new_wins = new_losses = still_open = headwords = 0
    for word, targets in gold.items():
        answers = [system.candidates.get(word, ())[:1] for system in (first, second)]
        if not all(answers) or not all(_can_answer(one, targets) for one in (first, second)):
            continue
        headwords += 1
        right = [answer[0] in targets for answer in answers]
        judged = [
            one or verdicts.get((word, answer[0]), False)
            for one, answer in zip(right, answers, strict=True)
        ]
        if right[0] != right[1]:
            kind = "wins" if right[0] else "losses"
            wrong = answers[1 if right[0] else 0][0]
            numbers[kind] += 1
            numbers[f"{kind}_kept"] += not all(judged)
            still_open += (word, wrong) not in verdicts
        elif not any(right):
            new_wins += judged[0] and not judged[1]
            new_losses += judged[1] and not judged[0]
    return Margin(first.system, second.system, headwords, **numbers, new_wins=new_wins,
                  new_losses=new_losses, open=still_open)  # fmt: skip


def _can_answer(system: SystemAnswers, targets: Mapping[str, str]) -> bool:
    """Return whether a system can give one of the translations."""
    return system.known is None or any(target in system.known for target in targets)


# Verdicts of a person on answers: a table with yes, no or nothing in the column `verdict`.

SPELLINGS = {
    "": "",
    **dict.fromkeys(("yes", "y", "1", "true", "right"), "yes"),
    **dict.fromkeys(("no", "n", "0", "false", "wrong"), "no"),
}
COLUMNS = ("source", "candidate", "verdict", "gold", "systems", "evidence")
SUFFIXES = (".tsv", ".csv")
SHOWN = 3  # pairs that an error names


def check_verdict_path(path: PathLike) -> None:
    """Raise unless the file is a table with tabs or commas."""
    if Path(os.fspath(path)).suffix.lower() not in SUFFIXES:
        raise OptionError(
            "verdicts are written to tables", where=os.fspath(path), fix="name a .tsv or .csv file"
        )


def read_verdicts(path: PathLike, rows: Sequence[DoubtfulAnswer]) -> dict[tuple[str, str], bool]:
    """Read the verdicts of a file; none if there is no such file yet.

    Raises if a verdict is neither yes nor no, or about an answer that is not in `rows`.
    """
    if not os.path.exists(path):
        return {}
    lines = open_source(path).lines
    if len(lines) == 1 and "verdict" in lines[0]:  # nothing but the header
        return {}
    fix = f"its columns are {', '.join(COLUMNS)}"
    table = read_verdict_table(path, ("source", "candidate"), fix)
    verdicts: dict[tuple[str, str], bool] = {}
    # In CSV, words that begin like a formula were written with an apostrophe.
    written = {
        (without_formula(row.source), without_formula(row.candidate)): row.key for row in rows
    }
    pairs = zip(table.source, table.target, strict=True)
    for pair, text, line in zip(pairs, table.columns["verdict"], table.lines, strict=True):
        verdict = verdict_of(text, SPELLINGS, ("yes or no",), f"{table.name}:{line}")
        if verdict:
            verdicts[written.get(pair, pair)] = verdict == "yes"
    _check_pairs(verdicts, rows, table.name)
    return verdicts


def _check_pairs(verdicts: Verdicts, rows: Iterable[DoubtfulAnswer], name: str) -> None:
    """Raise if a verdict is about an answer that is not in `rows`."""
    unknown = sorted(verdicts.keys() - {row.key for row in rows})
    if unknown:
        examples = ", ".join(" – ".join(pair) for pair in unknown[:SHOWN])
        how_many = counted(len(unknown), "verdict")
        raise InputError(
            f"{how_many} on answers that the audit does not list: {examples}",
            where=name,
            fix="judge the answers of this lexicon and these systems, or name another file; "
            "nothing was changed",
        )


def write_verdicts(path: PathLike, rows: Sequence[DoubtfulAnswer], verdicts: Verdicts) -> None:
    """Write the answers to be judged, with the verdicts so far."""
    table = doubtful_table(rows, verdicts).select(COLUMNS)
    write_lexicon([COLUMNS, *table.rows()], path)
