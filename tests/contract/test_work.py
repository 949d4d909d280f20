"""The work of commands: how much is done for each row of a corpus, in calls and in modules.

Python code that runs for single rows makes a command slow, whatever the machine. So calls of Python
functions are counted at two sizes of a corpus of the same words, and their difference is divided by
the additional rows. No clock is read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

import misword

ROWS = 3_000  # and twice as many: more than the samples of notes
WORDS = 10
NAMES = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"]  # 360


class Work(NamedTuple):
    """What was counted: calls of Python functions, collects of polars, readings of entry points."""

    calls: int
    collects: int
    entry_points: int
    of: Counter[str]


def count_work(work: Callable[[], Any]) -> Work:
    """Run `work` and count what it does in this thread."""
    calls: Counter[str] = Counter()
    collects = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal collects
        if event == "call":
            code = frame.f_code
            calls[f"{Path(code.co_filename).stem}.{code.co_name}"] += 1
        elif event == "c_call" and getattr(argument, "__name__", "") == "collect":
            collects += 1

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return Work(calls.total(), collects, calls["__init__.entry_points"], calls)


def texts(rows: int, seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[NAMES[i] for i in row] for row in rng.integers(0, len(NAMES), (rows, WORDS)).tolist()]


def with_errors(rows: list[list[str]], seed: int) -> list[list[str]]:
    """Delete, substitute and insert some words."""
    rng = np.random.default_rng(seed)
    heard = []
    for row in rows:
        words: list[str] = []
        for word, kind in zip(row, rng.random(len(row)).tolist(), strict=True):
            other = NAMES[int(kind * 1e6) % len(NAMES)]
            words += [] if kind < 0.06 else [other] if kind < 0.2 else [word]
            words += [other] if kind > 0.94 else []
        heard.append(words)
    return heard


def joined(rows: list[list[str]]) -> list[str]:
    return [" ".join(row) for row in rows]


class Shape(NamedTuple):
    """References, hypotheses and options of a score."""

    references: list[str]
    hypotheses: list[str]
    options: dict[str, Any] = {}  # noqa: RUF012


def normal(rows: int) -> Shape:
    said = texts(rows, 0)
    return Shape(joined(said), joined(with_errors(said, 1)))


def all_wrong(rows: int) -> Shape:
    said = texts(rows, 0)
    return Shape(joined(said), [" ".join(f"{word}x" for word in row) for row in said])


def slipped(rows: int) -> Shape:
    said, heard, *_ = normal(rows)
    return Shape(said, [*heard[: 2 * rows // 3], "", *heard[2 * rows // 3 : -1]])


def loops(rows: int) -> Shape:
    said = texts(rows, 0)
    return Shape(joined(said), [" ".join([row[0]] * WORDS) for row in said])


def additional_words(rows: int) -> Shape:
    said, more = texts(rows, 0), texts(rows, 2)
    return Shape(joined(said), [" ".join([*a, *b, *b]) for a, b in zip(said, more, strict=True)])


def digits(rows: int) -> Shape:
    number = {word: f"w{place}" for place, word in enumerate(NAMES)}
    said = [[number[word] for word in row] for row in texts(rows, 0)]
    heard = [[number.get(word, word) for word in row] for row in with_errors(texts(rows, 0), 1)]
    return Shape(joined(said), joined(heard))


def other_script(rows: int) -> Shape:
    letters = str.maketrans("abcdefgiklmnoprstu", "абцдефгиклмнопрсту")
    said, heard, *_ = all_wrong(rows)
    return Shape(said, [text.translate(letters) for text in heard])


def alternatives(rows: int) -> Shape:
    said, heard, *_ = normal(rows)
    return Shape([f"{{ {NAMES[0]} / {NAMES[1]} }} {text}" for text in said], heard)


def equivalents(rows: int) -> Shape:
    classes = [(NAMES[i], f"{NAMES[i + 1]} {NAMES[i + 2]}") for i in range(0, 60, 3)]
    return normal(rows)._replace(options={"equivalents": classes})


def forgiving(rows: int) -> Shape:
    return normal(rows)._replace(options={"forgive": "writing"})


def long(rows: int) -> Shape:
    """Return utterances of a hundred words; a row is ten of these words."""
    sides = texts(rows, 0), with_errors(texts(rows, 0), 1)
    said, heard = ([" ".join(joined(side[n : n + 10])) for n in range(0, rows, 10)]
                   for side in sides)  # fmt: skip
    return Shape(said, heard)


SHAPES = (
    *(normal, all_wrong, slipped, loops, long, additional_words, digits, other_script),
    *(alternatives, equivalents, forgiving),
)


def calls_per_row(
    work: Callable[[int], Callable[[], Any]], *, collects: int = 2, rows: int = ROWS
) -> float:
    """Return the calls for each additional row; `collects` are allowed for all rows together."""
    work(50)()  # modules are loaded, and caches filled
    few, many = (count_work(work(size)) for size in (rows, 2 * rows))
    assert many.collects <= few.collects + collects, "polars collects for single rows"
    assert many.entry_points <= few.entry_points == 0, "entry points are read again"
    growth = Counter({name: many.of[name] - few.of[name] for name in many.of})
    print(growth.most_common(8))
    return (many.calls - few.calls) / rows


@pytest.mark.parametrize("metrics", ["wer", "cer", "wer,cer"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_score_does_no_work_for_single_rows(shape: Callable[[int], Shape], metrics: str) -> None:
    def work(rows: int) -> Callable[[], Any]:
        references, hypotheses, options = shape(rows)
        return lambda: misword.score(references, hypotheses, metrics, workers=1, **options)

    # The places where lines may slip are two at most, each examined by some hundred calls.
    rows = 2 * ROWS if shape is slipped else ROWS
    assert calls_per_row(work, rows=rows) <= 0.1


def two_systems(rows: int) -> tuple[list[str], dict[str, list[str]]]:
    said = texts(rows, 0)
    return joined(said), {f"s{n}": joined(with_errors(said, n)) for n in (1, 2)}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_comparison_does_little_work_for_single_rows(shape: Callable[[int], Shape]) -> None:
    def work(rows: int) -> Callable[[], Any]:
        references, hypotheses, options = shape(rows)
        said = [text.rpartition("} ")[2] for text in references]  # without alternatives
        pairs = enumerate(zip(said, hypotheses, strict=True))
        systems = {"a": hypotheses, "b": [ref if n % 3 else hyp for n, (ref, hyp) in pairs]}
        return lambda: misword.compare(
            references, systems, "wer", workers=1, bootstrap=100, **options
        )

    assert calls_per_row(work, rows=2 * ROWS) <= 1


def compare(rows: int) -> Callable[[], Any]:
    references, systems = two_systems(rows)
    return lambda: misword.compare(references, systems, "wer", workers=1, bootstrap=100)


def compare_with_groups(rows: int) -> Callable[[], Any]:
    references, systems = two_systems(rows)
    groups = pl.DataFrame({"speaker": [f"s{row % 20}" for row in range(rows)]})
    return lambda: misword.compare(
        references, systems, "wer", metadata=groups, by="speaker", workers=1, bootstrap=100
    )


def gate(rows: int) -> Callable[[], Any]:
    references, systems = two_systems(rows)
    return lambda: misword.gate(
        references, systems, max={"wer": 0.5}, no_worse="wer", workers=1, bootstrap=100
    )


def oracle(rows: int) -> Callable[[], Any]:
    said = texts(rows, 0)
    lists = [
        list(each) for each in zip(*(joined(with_errors(said, n)) for n in (1, 2, 3)), strict=True)
    ]
    return lambda: misword.oracle(joined(said), lists, "wer", workers=1, bootstrap=100)


def many_systems(rows: int) -> Callable[[], Any]:
    """Score systems of 100 utterances; a row is a hypothesis."""
    said = texts(100, 0)
    systems = {f"s{n}": joined(with_errors(said, n)) for n in range(max(1, rows // 100))}
    return lambda: misword.score(joined(said), systems, "wer", workers=1)


def corrupt(rows: int) -> Callable[[], Any]:
    said = joined(texts(rows, 0))
    return lambda: misword.corrupt(said, 0.2, channel="uniform", workers=1)


def check(rows: int) -> Callable[[], Any]:
    references, hypotheses, _ = normal(rows)
    return lambda: misword.check(references, hypotheses)


# The most calls for each row. `oracle` receives its lists as Python lists. `compare` tests words
# that changed: a test for each distinct pattern of changes, of which more rows have a few more.
LIMITS: dict[Callable[[int], Callable[[], Any]], float] = {
    compare: 1,
    compare_with_groups: 1,
    gate: 0.1,
    oracle: 3,
    many_systems: 4,  # 400 for each system
    corrupt: 1,
    check: 16,
}


@pytest.mark.parametrize("command", LIMITS)
def test_commands_do_little_work_for_single_rows(
    command: Callable[[int], Callable[[], Any]],
) -> None:
    collects = 3 * ROWS // 100 if command is many_systems else 2  # for each system of 100 rows
    rows = 2 * ROWS if command in (compare, compare_with_groups) else ROWS
    assert calls_per_row(command, collects=collects, rows=rows) <= LIMITS[command]


def lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def kaldi(rows: list[str]) -> str:
    return "".join(f"u{number} {row}\n" for number, row in enumerate(rows))


def trn(rows: list[str]) -> str:
    return "".join(f"{row} (u{number})\n" for number, row in enumerate(rows))


def csv(rows: list[str]) -> str:
    return "utt,text\n" + "".join(f"u{number},{row}\n" for number, row in enumerate(rows))


def tsv(rows: list[str]) -> str:
    return csv(rows).replace(",", "\t")


def jsonl(rows: list[str]) -> str:
    return "".join(f'{{"utt": "u{number}", "text": "{row}"}}\n' for number, row in enumerate(rows))


def stm(rows: list[str]) -> str:
    return "".join(f"call 1 anna {number}.0 {number}.9 {row}\n" for number, row in enumerate(rows))


# The most calls for each row of two files. Formats of NIST are read line by line.
FORMATS = {"txt": (lines, 1), "text": (kaldi, 2), "csv": (csv, 2), "tsv": (tsv, 2),
           "jsonl": (jsonl, 1), "trn": (trn, 20), "stm": (stm, 60)}  # fmt: skip


@pytest.mark.parametrize("suffix", FORMATS)
def test_files_are_read_with_few_calls_for_each_row(tmp_path: Path, suffix: str) -> None:
    write, limit = FORMATS[suffix]

    def work(rows: int) -> Callable[[], Any]:
        references, hypotheses, _ = normal(rows)
        paths = [tmp_path / f"{side}{rows}.{suffix}" for side in ("ref", "hyp")]
        for path, side in zip(paths, (references, hypotheses), strict=True):
            path.write_text(write(side), "utf-8")
        return lambda: misword.read_corpus(paths[0], paths[1])

    assert calls_per_row(work) <= limit
