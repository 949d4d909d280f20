"""Verdicts on suspects: files lose nothing, reviewers who disagree are shown as such."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from misword.asr.references.judgements import (
    SPELLINGS,
    VERDICTS,
    Decisions,
    Judgement,
    change_rows,
    read_judgements,
    write_suspects,
)
from misword.asr.references.suspects import Suspect
from misword.core.errors import InputError

SUFFIXES = (".json", ".tsv", ".csv", ".xlsx")
TEXTS = st.text(
    st.characters(categories=["L", "N", "P", "S"], exclude_characters="\ufeff"), min_size=1
)
WORDS = st.lists(TEXTS, max_size=3).map(" ".join)


def suspect(reference: str = "meet", consensus: str = "met", utt: str = "u1") -> Suspect:
    return Suspect(utt, 1, 2, reference, consensus, "word", 0.5, ("a", "b"), (), "evidence")


def judged(one: Suspect, verdict: str, text: str = "", reviewer: str = "") -> Judgement:
    return Judgement(
        one.id, one.utt, one.start, one.end, one.reference, one.consensus, SPELLINGS[verdict], text,
        reviewer,
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(TEXTS, WORDS, WORDS, st.sampled_from(VERDICTS), WORDS, TEXTS),
        min_size=1, max_size=4, unique_by=lambda row: row[0],
    ),
    st.sampled_from(SUFFIXES),
)  # fmt: skip
def test_a_file_of_verdicts_loses_nothing(
    rows: list[tuple[str, str, str, str, str, str]], suffix: str
) -> None:
    suspects, judgements = [], []
    for utt, reference, consensus, verdict, text, reviewer in rows:
        one = suspect(reference, consensus, utt)
        suspects.append(one)
        typed = text if verdict == "text" else ""
        judgements.append(judged(one, verdict, typed, reviewer.strip()))
    with TemporaryDirectory() as folder:
        path = Path(folder, f"verdicts{suffix}")
        write_suspects(path, suspects, Decisions.of(judgements))
        found = read_judgements([path])
    assert Decisions.of(found).corrections() == Decisions.of(judgements).corrections()
    shown = [(j.id, j.utt, j.reference, j.consensus, j.verdict, j.text, j.reviewer) for j in found]
    expected = [
        (j.id, j.utt, j.reference, j.consensus, j.verdict, j.text, j.reviewer) for j in judgements
    ]
    assert shown == expected


def test_corrections() -> None:
    one = suspect()
    new = {verdict: judged(one, verdict, "meant" if verdict == "text" else "").new
           for verdict in VERDICTS}  # fmt: skip
    assert new == {
        "reference": "meet", "consensus": "met", "both": "{ meet / met }", "text": "meant",
    }  # fmt: skip
    assert judged(one, "reference").correction is None
    assert judged(suspect("", "of"), "both").new == "{ @ / of }"


def test_reviewers_who_disagree() -> None:
    one, other = suspect(), suspect(utt="u2")
    decisions = Decisions.of(
        [
            judged(one, "consensus", reviewer="anna"),
            judged(one, "reference", reviewer="ben"),
            judged(other, "consensus", reviewer="anna"),
            judged(other, "text", "met", reviewer="ben"),  # the same text in another way
        ]
    )
    assert set(decisions.conflicts) == {one.id}
    assert list(decisions.corrections()) == ["u2"]
    state, verdict, text, reviewers = decisions.status(one.id)
    assert (state, verdict, reviewers) == ("conflict", "", "anna, ben")
    assert text == "anna: consensus; ben: reference"
    assert [row[6] for row in change_rows(decisions)] == ["anna, ben"]


def test_the_last_verdict_of_a_reviewer_counts() -> None:
    one = suspect()
    decisions = Decisions.of(
        [judged(one, "consensus", reviewer="anna"), judged(one, "reference", reviewer="anna")]
    )
    assert decisions.agreed[one.id][0].verdict == "reference"


def test_json_keeps_both_verdicts_of_a_conflict(tmp_path: Path) -> None:
    one, path = suspect(), tmp_path / "both.json"
    both = [judged(one, "consensus", reviewer="anna"), judged(one, "reference", reviewer="ben")]
    write_suspects(path, [one], Decisions.of(both))
    assert Decisions.of(read_judgements([path])).conflicts.keys() == {one.id}
    write_suspects(tmp_path / "open.tsv", [one], Decisions.of(both))
    assert read_judgements([tmp_path / "open.tsv"]) == []  # open again, to be decided


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"verdicts": 3}', "no list 'verdicts'"),
        ('{"verdicts": [{"id": "a"}]}', "no text 'utterance' in verdict 1"),
        ('{"verdicts": [', "this is not JSON"),
        ("", "empty"),
    ],
)
def test_damaged_json(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "v.json"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_judgements([path])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "maybe"}, "verdict 'maybe'"),
        ({"start": "one"}, "start is 'one'"),
        ({"verdict": "both", "text": "x"}, "beside the verdict 'both'"),
    ],
)
def test_wrong_rows(tmp_path: Path, change: dict[str, str], message: str) -> None:
    row = {"id": "a", "utterance": "u", "start": 1, "end": 2, "reference": "x", "consensus": "y",
           "verdict": "consensus", "text": "", "reviewer": ""}  # fmt: skip
    path = tmp_path / "v.json"
    path.write_text(json.dumps({"verdicts": [{**row, **change}]}))
    with pytest.raises(InputError, match=message):
        read_judgements([path])
