"""Verdicts on drafts: written, filled in, read again; nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bilingual import write_mapping
from drafts_made import headword, made_draft
from extras import needs
from misword.bli.draft import (
    Draft,
    Judgement,
    apply_judgements,
    draft_lexicon,
    join_words,
    read_judgements,
    split_words,
)
from misword.core.errors import InputError, OptionError
from misword.io.dictionaries.entries import Entry, Equivalent, Example, Sense
from misword.io.dictionaries.read import read_dictionary
from misword.io.lexicons import read_lexicon
from misword.io.verdicts import check_replaced

FORMATS = [
    "d.tsv",
    "d.csv",
    pytest.param("d.xlsx", marks=[needs("xlsxwriter"), needs("openpyxl")]),
]


def judged_draft() -> Draft:
    """Every verdict, and words that spreadsheets would calculate."""
    return made_draft(
        headword("dog", "chien", "chat", verdict="accept"),
        headword("cat", "maison", verdict="other", other=("chat", "chatte")),
        headword("=1+1", "-ing", verdict="accept", other=("@home",)),
        headword("1990", "1991", verdict="reject"),
        headword("roof", "toit"),
        headword("unknown", verdict="other", other=("inconnu",)),
    )


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_verdicts_are_read_as_they_were_written(name: str, tmp_path: Path) -> None:
    draft = judged_draft()
    draft.write(tmp_path / name)
    found = read_judgements(tmp_path / name)
    expected = {
        row.word: (row.target, row.verdict, row.other) for row in draft.headwords if row.verdict
    }
    assert {word: (one.target, one.verdict, one.other) for word, one in found.items()} == expected


def test_the_columns_for_people(tmp_path: Path) -> None:
    row = headword("london", "londres", "paris", rank=7, pos="PROPN", lemma="london", name=0.8)
    made_draft(row, headword("unknown", rank=0)).write(tmp_path / "d.tsv")
    header, first, second = (tmp_path / "d.tsv").read_text("utf-8").splitlines()
    assert header.split("\t") == [
        "source", "target", "probability", "back", "verdict", "other", "pos", "lemma", "name",
        "rank", "further", "forms", "known", "frequency", "example", "reviewer",
    ]  # fmt: skip
    assert first.split("\t") == [
        "london", "londres", "0.900000", "london", "", "", "PROPN", "london", "yes", "7",
        "paris (0.45)", "", "", "", "", "",
    ]  # fmt: skip
    assert second == "unknown" + "\t" * 15
    assert made_draft(row, probabilities=False).score_name == "score"


@needs("xlsxwriter")
@needs("openpyxl")
def test_a_workbook_offers_the_verdicts(tmp_path: Path) -> None:
    from openpyxl import load_workbook

    judged_draft().write(tmp_path / "d.xlsx")
    sheet = load_workbook(tmp_path / "d.xlsx").worksheets[0]
    (rule,) = sheet.data_validations.dataValidation
    assert rule.formula1 == '"accept,reject,other"'
    assert str(rule.sqref) == "E2:E7"
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:P7"
    assert [cell.data_type for cell in sheet["A"]] == ["s"] * 7


def test_words_with_semicolons() -> None:
    assert split_words(join_words(["chien", "chien de garde"])) == ("chien", "chien de garde")
    assert split_words(" ; a ;") == ("a",)
    assert split_words("") == ()
    assert split_words(";") == (";",)


def test_how_people_write_verdicts(tmp_path: Path) -> None:
    path = table(
        tmp_path / "d.csv",
        "source,target,verdict,other",
        "a,b, Accept ,",
        "c,d,no,",
        "e,f,,g",
        "h,i,,",
        "j,k,other,",
    )
    found = read_judgements(path)
    assert {word: one.verdict for word, one in found.items()} == {
        "a": "accept",
        "c": "reject",
        "e": "other",
        "j": "other",
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a,b,maybe,", "verdict 'maybe'"),
        ("a,b,reject,c", "verdict 'reject', and another translation: 'c'"),
        ("a,,accept,", "without a translation"),
        ("x,z,accept,", "a second verdict on 'x', after .*d.csv:2"),
        ("x,y,reject,", "x – y is also in line 2"),
    ],
)
def test_contradictions_are_refused_with_their_line(
    line: str, message: str, tmp_path: Path
) -> None:
    path = table(tmp_path / "d.csv", "source,target,verdict,other", "x,y,accept,", line)
    with pytest.raises(InputError, match=message) as error:
        read_judgements(path)
    assert str(error.value.where).endswith("d.csv:3")


def test_a_table_without_verdicts_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "d.csv", "source,target", "x,y")
    with pytest.raises(InputError, match="no column 'verdict'"):
        read_judgements(path)


def test_verdicts_on_missing_words_are_named() -> None:
    rows = [headword("dog", "chien")]
    judged = {word: Judgement("x", "accept", (), f"d.csv:{n}") for n, word in enumerate("ab", 2)}
    message = r"2 verdicts on words that are not in this draft: 'a' \(d.csv:2\), 'b' \(d.csv:3\)"
    with pytest.raises(InputError, match=message) as error:
        apply_judgements(rows, judged, "d.csv")
    assert "nothing was written" in str(error.value.fix)


def test_a_judged_translation_stays_in_the_first_place() -> None:
    rows = [headword("dog", "chien", "chat"), headword("cat", "chat")]
    judged = {
        "dog": Judgement("chat", "reject", (), "d:2"),
        "cat": Judgement("minou", "accept", (), "d:3"),
    }
    (dog, cat), notes = apply_judgements(rows, judged, "d")
    assert [one.word for one in dog.candidates] == ["chat", "chien"]
    assert dog.verdict == "reject"
    assert [(one.word, one.score) for one in cat.candidates] == [("minou", None), ("chat", 0.9)]
    assert cat.translations == ("minou",)
    assert notes == (
        "2 verdicts read from d",
        "2 judged translations kept in the first place, where the best candidate is another",
    )


def test_a_draft_with_verdicts_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    judged_draft().write(path)
    with pytest.raises(OptionError, match="it has 5 verdicts, which would be lost"):
        made_draft(headword("dog", "chien")).write(path)
    check_replaced(path, path)
    table(tmp_path / "bad.csv", "source,target,verdict", "a,b,maybe")
    with pytest.raises(OptionError, match="it has 1 verdict, which"):
        check_replaced(tmp_path / "bad.csv", path)
    check_replaced(table(tmp_path / "other.csv", "no", "draft"), None)
    check_replaced(tmp_path / "new.csv", None)


@pytest.mark.parametrize("name", FORMATS)
def test_a_second_draft_keeps_the_verdicts(name: str, tmp_path: Path) -> None:
    mapping, path = write_mapping(tmp_path), tmp_path / name
    draft_lexicon(mapping, k=2).write(path)
    judged = table(
        tmp_path / "page.csv",
        "source,target,verdict,other",
        "dog,chien,accept,",
        "cat,maison,other,chat",
    )
    draft_lexicon(mapping, k=2, judged=judged).write(path)
    again = draft_lexicon(mapping, k=2, judged=path)
    assert again.verdicts == {"accept": 1, "reject": 0, "other": 1}
    again.write(path)
    again.write_accepted(tmp_path / "accepted.tsv")
    lexicon = read_lexicon(tmp_path / "accepted.tsv")
    pairs = set(zip(lexicon.source, lexicon.target, strict=True))
    assert pairs == {("dog", "chien"), ("cat", "chat")}


def test_nothing_accepted_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no pair is accepted yet"):
        made_draft(headword("dog", "chien")).write_accepted(tmp_path / "a.tsv")
    assert not (tmp_path / "a.tsv").exists()


def test_a_draft_as_entries() -> None:
    """Verdicts are those of equivalents; what a person wrote belongs to the first sense."""
    rows = made_draft(
        headword(
            "bank", "banque", "rive", verdict="accept", other=("rive", "berge"), forms=("banks",)
        ),
        headword("cat", "chien", verdict="other", other=("chat",), reviewer="Ann"),
        headword("dog", "chien"),
    )
    row = replace(
        rows.headwords[0],
        candidates=(
            rows.headwords[0].candidates[0],
            replace(rows.headwords[0].candidates[1], sense=2),
        ),
        examples=((2, Example("The bank of the river.")),),
    )
    draft = replace(rows, headwords=(row, *rows.headwords[1:]))
    bank, cat, dog = draft.entries()
    assert bank == Entry(
        "bank",
        (
            Sense(
                1, (Equivalent("banque", "", 0.9, "accept"), Equivalent("berge", verdict="accept"))
            ),
            Sense(
                2,
                (Equivalent("rive", "", 0.45, "accept"),),
                examples=(Example("The bank of the river."),),
            ),
        ),
        forms=("banks",),
        rank=1,
        verdict="accept",
    )
    assert [(one.text, one.verdict) for one in cat.equivalents] == [
        ("chien", "reject"),
        ("chat", "accept"),
    ]
    assert (cat.reviewer, dog.equivalents[0].verdict) == ("Ann", "")
    accepted = draft.entries(only_accepted=True)
    assert [[one.text for one in entry.equivalents] for entry in accepted] == [
        ["banque", "berge", "rive"],
        ["chat"],
    ]


def test_accepted_entries_are_written_as_a_dictionary(tmp_path: Path) -> None:
    draft = judged_draft()
    draft.write_accepted(tmp_path / "d.tei")
    found = read_dictionary(tmp_path / "d.tei").entries
    assert list(found) == draft.entries(only_accepted=True)
    with pytest.raises(OptionError, match="no pair is accepted yet"):
        made_draft(headword("dog", "chien")).write_accepted(tmp_path / "none.tei")
