"""Systems on variants of a gold lexicon, doubtful errors, verdicts and corrected margins."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword
from bilingual import GOLD, open_mapping
from misword.bli.auditing.answers import (
    ALL,
    AS_IT_IS,
    WITH_FORMS,
    WITH_SYNONYMS,
    WITHOUT_NAMES,
    SystemAnswers,
    answers_of,
    gold_variants,
    read_answers,
)
from misword.bli.auditing.comparison import UNCLEAR, conclusion_table
from misword.bli.auditing.false_positives import Margin, doubtful_answers, margin
from misword.bli.auditing.result import Audit
from misword.bli.evaluation.rates import Rate
from misword.bli.retrievers import RETRIEVERS
from misword.core.errors import InputError, OptionError
from misword.io.lexicons import read_lexicon
from misword.io.paradigms import Paradigms
from misword.stat.bootstrap import Bootstrap

GERMAN = [
    ("dog", "hund"), ("house", "haus"), ("water", "wasser"), ("tree", "baum"),
    ("london", "london"), ("car", "auto"),
]  # fmt: skip
FIRST = {
    "dog": "hunde", "house": "gebäude", "water": "wasser", "tree": "baum", "london": "paris",
    "car": "wagen",
}  # fmt: skip
SECOND = {
    "dog": "hund", "house": "haus", "water": "feuer", "tree": "wald", "london": "london",
    "car": "fahrrad",
}  # fmt: skip
PARADIGMS = Paradigms.of([("Hund", "Hunde", "N;PL")])
SYNONYMS = [("house", "gebäude"), ("car", "wagen")]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The candidates of two systems."""
    paths = []
    for name, answers in (("first", FIRST), ("second", SECOND)):
        path = tmp_path / f"{name}.tsv"
        rows = "".join(f"{word}\t1\t{answer}\n" for word, answer in answers.items())
        path.write_text(f"word\trank\tcandidate\n{rows}", "utf-8")
        paths.append(path)
    return paths


def compared(files: list[Path], judge: Path | None = None) -> Audit:
    found = misword.audit(
        GERMAN, "en", "de", flags="proper-noun", paradigms=PARADIGMS, dictionaries=[SYNONYMS]
    )
    return found.compare_systems(files, 1, judge=judge, bootstrap=50)


def test_rates_on_each_variant_by_hand(files: list[Path]) -> None:
    found = compared(files)
    assert found.systems is not None
    rates = {
        (row["gold"], row["system"]): (row["part"], row["whole"], row["place"])
        for row in found.systems.rankings.to_dicts()
    }
    assert rates == {
        (AS_IT_IS, "first"): (2, 6, 2), (AS_IT_IS, "second"): (3, 6, 1),
        (WITHOUT_NAMES, "first"): (2, 5, 1), (WITHOUT_NAMES, "second"): (2, 5, 1),
        (WITH_FORMS, "first"): (3, 6, 1), (WITH_FORMS, "second"): (3, 6, 1),
        (WITH_SYNONYMS, "first"): (4, 6, 1), (WITH_SYNONYMS, "second"): (3, 6, 2),
        (ALL, "first"): (5, 5, 1), (ALL, "second"): (2, 5, 2),
    }  # fmt: skip


def test_conclusions_that_change() -> None:
    """A lexicon of names and words: the first system knows the words, the second the names."""
    words = [(f"word{n}", f"wort{n}") for n in range(40)]
    names = [
        (name, name)
        for name in ("london", "berlin", "stefan", "chicago", "oslo", "marcus", "rachel")
    ]
    gold = [("table", "tisch"), *words, *names]
    systems = {
        "a": dict([*words, ("table", "tisch")]),
        "b": dict(gold),
    }
    found = misword.audit(gold, "en", "de", flags="proper-noun")
    answers = [
        SystemAnswers(name, {w: (given.get(w, "?"),) for w, _ in gold})
        for name, given in systems.items()
    ]
    variants = gold_variants(found.lexicon, found.has_flag("proper-noun"), {}, {})
    table = conclusion_table(variants, answers, Rate("hit", 1), Bootstrap(20))
    rows = {row["gold"]: row for row in table.to_dicts()}
    assert rows[AS_IT_IS]["better"] == "b"
    assert rows[WITHOUT_NAMES]["better"] == UNCLEAR
    assert rows[WITHOUT_NAMES]["changed"]


def test_doubtful_errors_are_sorted_by_their_evidence(files: list[Path]) -> None:
    systems = compared(files).systems
    assert systems is not None
    keys = [row.key for row in systems.doubtful]
    assert keys[:3] == [("dog", "hunde"), ("house", "gebäude"), ("car", "wagen")]
    assert set(keys[3:]) == {("water", "feuer"), ("tree", "wald"), ("london", "paris")}
    assert systems.doubtful[0].evidence == ("same paradigm as 'hund': 'Hund'",)
    assert ("car", "fahrrad") not in keys  # no source confirms it, and nobody is right


def test_back_translations_are_evidence() -> None:
    gold: dict[str, dict[str, str]] = {}
    for source, target in GOLD:
        gold.setdefault(source, {})[target] = "gold"
    found = answers_of(open_mapping(), gold, 2, RETRIEVERS.create("nn"))
    assert found.candidates["house"] == ("maison", "toit")
    assert "unicorn" not in found.candidates
    assert found.known == frozenset({"chien", "chienne", "chat", "maison", "toit"})
    assert found.back["chien"] == ("dog",)
    wrong = doubtful_answers({"dog": {"toutou": "gold"}}, [found], {}, {})
    assert wrong[0].evidence == ("translated back to 'dog' by toy",)


def test_the_margin_of_the_paper() -> None:
    """Kementchedjhieva et al.: 125 wins, 50 losses of 1,125; 27 % and 50 % of them remain."""
    paper = Margin("RCSLS", "VM-S", 1125, 125, 50, 0.27 * 125, 0.50 * 50)
    assert f"{100 * paper.before:.2f} {100 * paper.after:.2f}" == "6.67 0.78"
    assert paper.arithmetic.endswith("(33.75 - 25) / 1,125 = 0.78 %")


def test_verdicts_correct_the_margin() -> None:
    words = [f"w{n}" for n in range(10)]
    gold = {word: {f"{word}-right": "gold"} for word in words}
    first = SystemAnswers(
        "a", {w: (f"{w}-right" if n < 6 else f"{w}-a",) for n, w in enumerate(words)}
    )
    second = SystemAnswers(
        "b", {w: (f"{w}-right" if n < 2 else f"{w}-b",) for n, w in enumerate(words)}
    )
    before = margin(gold, first, second, {})
    assert (before.wins, before.losses, before.before, before.after, before.open) == (
        4, 0, 0.4, 0.4, 4,
    )  # fmt: skip
    verdicts = {("w2", "w2-b"): True, ("w3", "w3-b"): False, ("w7", "w7-b"): True}
    after = margin(gold, first, second, verdicts)
    assert (after.wins_kept, after.new_losses, after.open) == (3, 1, 2)
    assert after.after == pytest.approx(0.2)


@pytest.mark.parametrize("suffix", ["tsv", "csv"])
def test_verdicts_are_kept_when_the_command_is_run_again(files: list[Path], suffix: str) -> None:
    judge = files[0].parent / f"verdicts.{suffix}"
    found = compared(files, judge)
    found.write_verdicts(judge)
    text = judge.read_text("utf-8")
    separator = "\t" if suffix == "tsv" else ","
    filled = text.replace(f"hunde{separator}{separator}", f"hunde{separator}Yes{separator}")
    assert filled != text
    judge.write_text(filled, "utf-8")
    again = compared(files, judge)
    assert again.systems is not None
    assert again.systems.verdicts == {("dog", "hunde"): True}
    before, after = found.systems.margins[0], again.systems.margins[0]  # type: ignore[union-attr]
    assert (before.first, before.wins, before.losses) == ("second", 3, 2)
    assert after.arithmetic == "(3 - 2) / 6 = 16.67 %; with verdicts (2 - 2) / 6 = 0.00 %"
    again.write_verdicts(judge)
    table = read_lexicon(judge, columns=("source", "candidate"))
    assert table.columns["verdict"].count("yes") == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("zebra\tpferd\tyes\n", "1 verdict on answers that the audit does not list: zebra – pferd"),
        ("house\tgebäude\tperhaps\n", "verdict 'perhaps'"),
        ("dog\thunde\tno\n", "dog – hunde is also in line 2"),
    ],
)
def test_wrong_verdicts_are_refused_and_nothing_is_lost(
    files: list[Path], line: str, message: str
) -> None:
    judge = files[0].parent / "verdicts.tsv"
    text = f"source\tcandidate\tverdict\ndog\thunde\tyes\n{line}"
    judge.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        compared(files, judge)
    assert judge.read_text("utf-8") == text


def test_a_table_without_answers_is_read_again(files: list[Path]) -> None:
    """All systems are right, so nothing is to be judged."""
    judge = files[0].parent / "verdicts.tsv"
    found = misword.audit([("water", "wasser")], "en", "de", flags="identical")
    for _ in range(2):
        compared = found.compare_systems(files[:1], 1, judge=judge, bootstrap=0)
        compared.write_verdicts(judge)
    assert judge.read_text("utf-8").count("\n") == 1


def test_files_that_are_no_tables_of_verdicts_are_refused(files: list[Path]) -> None:
    judge = files[0].parent / "verdicts.tsv"
    judge.write_text("source\tcandidate\tgold\ndog\thunde\thund\n", "utf-8")
    with pytest.raises(InputError, match="no column 'verdict'"):
        compared(files, judge)
    with pytest.raises(OptionError, match="written to tables"):
        compared(files, judge.with_suffix(".xlsx"))


def test_files_of_candidates(tmp_path: Path) -> None:
    file = tmp_path / "other.tsv"
    file.write_text("word\tcandidate\trank\ndog\thunde\t2\ndog\thund\t1\ncat\tkatze\t1\n", "utf-8")
    assert read_answers(file, ["dog"], 5).candidates == {"dog": ("hund", "hunde")}
    with pytest.raises(InputError, match="no headword of the gold lexicon"):
        read_answers(file, ["house"], 5)


def test_no_system_is_an_error() -> None:
    found = misword.audit(GERMAN, "en", "de", flags="identical")
    with pytest.raises(OptionError, match="no system"):
        found.compare_systems([])
    with pytest.raises(OptionError, match="no system was compared"):
        found.write_verdicts("verdicts.tsv")


def test_a_dictionary_in_the_other_direction_is_refused() -> None:
    pairs = [(f"word{n}", f"wort{n}") for n in range(12)]
    exchanged = [(target, source) for source, target in pairs]
    with pytest.raises(InputError, match="it has the other direction"):
        misword.audit(pairs, "fr", "de", flags="missing-synonym", dictionaries=[exchanged])
    found = misword.audit(
        pairs, "fr", "de", flags="missing-synonym", reverse_dictionaries=[exchanged]
    )
    assert found.flagged["missing-synonym"] == []
