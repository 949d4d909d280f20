"""Accepted pairs are written from verdicts alone; files have the format of their suffix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bilingual import write_mapping
from drafts_made import headword, made_draft
from misword.bli import open_mapping
from misword.bli.draft import draft_lexicon, write_judged
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.types import Result
from misword.io.lexicon_writing import OTHER_FORMATS, check_format
from misword.io.lexicons import read_lexicon
from misword.report import render
from misword.stat.descriptions.lexicons import audit_headline

VERDICTS = """\
source,target,verdict,other
dog,chien,accept,chienne
cat,maison,other,chat
house,toit,reject,
roof,chat,,
"""


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A draft with verdicts."""
    path = tmp_path / "judged.csv"
    path.write_text(VERDICTS, encoding="utf-8")
    return path


@pytest.mark.slow
def test_no_vectors_are_read_for_accepted_pairs(
    judged: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The pairs are those of a whole draft, and no mapping is opened."""
    path, output = write_mapping(tmp_path), tmp_path / "accepted.tsv"
    whole = draft_lexicon(path, judged=judged)
    monkeypatch.setattr(open_mapping.OpenMapping, "of", None)
    arguments = ["translate", str(path), "--judged", str(judged), "--accepted", str(output)]
    for words in ([], ["--all"]):
        assert main([*arguments, *words, "--format", "json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed == {"accepted pairs": 3, "accept": 1, "reject": 1, "other": 1}
        lexicon = read_lexicon(output)
        found = list(zip(lexicon.source, lexicon.target, strict=True))
        assert sorted(found) == sorted(whole.accepted)


def test_without_an_accepted_pair_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("source,target,verdict\na,b,reject\n", encoding="utf-8")
    with pytest.raises(OptionError, match="no pair is accepted yet"):
        write_judged(tmp_path / "d.csv", tmp_path / "accepted.tsv")
    assert not (tmp_path / "accepted.tsv").exists()


@pytest.mark.parametrize("suffix", sorted(OTHER_FORMATS))
def test_suffixes_of_other_formats_are_refused(suffix: str) -> None:
    for name in (f"draft{suffix}", f"draft.tsv{suffix.upper()}"):
        with pytest.raises(OptionError, match=f"not written as {suffix}"):
            check_format(name)


@pytest.mark.parametrize("name", ["d.tsv", "d.csv", "d.html", "d.txt", "d", "en-fr.0-5000"])
def test_other_names_are_taken(name: str) -> None:
    check_format(name)


def test_translate_refuses_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = write_mapping(tmp_path), tmp_path / "x.tei"
    for arguments in (["dog"], ["--all"], ["--all", "--draft"]):
        assert main(["translate", str(path), *arguments, "-o", str(output)]) == 2
        assert ".tsv, .csv, .xlsx or .html" in capsys.readouterr().err
        assert not output.exists()


@pytest.mark.parametrize(
    ("flag", "expected", "said"),
    [
        ("proper-noun", 46.2, "none of them surely a name; by their probabilities, about 46"),
        ("proper-noun", 0.1, "none of them a name."),
        ("identical", 0.0, "none of them with the flag identical."),
        ("duplicate", 0.0, "none of them with the flag duplicate."),
    ],
)
def test_the_headline_of_an_audit_agrees_with_its_table(
    flag: str, expected: float, said: str
) -> None:
    row = {"flag": flag, "pairs": 0, "share": 0.0, "expected": expected}
    result = Result("audit", {"summary": pl.DataFrame([row])}, {"pairs": 1500})
    assert said in audit_headline(result)


def test_the_page_of_a_dictionary_does_not_speak_of_transcripts() -> None:
    page = render([made_draft(headword("dog", "chien")).result()])
    footer = page[page.index("<footer>") :]
    assert "This file holds the dictionary it was made from" in footer
    assert "transcripts" not in footer[:500]
