"""Keywords: files, search by brute force, rates by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.entities.spans import find_terms, read_keywords, terms_of
from misword.core.errors import InputError, MiswordError, OptionError
from misword.text.texts import Texts
from misword.text.tokens import encode_words


@pytest.mark.parametrize(
    ("name", "content", "terms"),
    [
        (
            "a.txt",
            "A, b\n# note\n\nNew  York\n",
            {"A, b": "keyword", "New York": "keyword"},
        ),
        ("a.tsv", "term\tclass\nAnna\tPERSON\n#1\t<b>\n", {"Anna": "PERSON", "#1": "<b>"}),
        ("a.csv", '"Smith, Bob",PERSON\nParis\n', {"Smith, Bob": "PERSON", "Paris": "keyword"}),
    ],
)
def test_files_of_keywords(tmp_path: Path, name: str, content: str, terms: dict[str, str]) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    assert read_keywords(tmp_path / name) == terms


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "the file is empty"),
        ("# only a note\n", "no keywords"),
        ("a\tX\ta\n", "3 fields"),
        ("\tX\n", "no term"),
        ("a\t\n", "no class"),
        ("a\tX\na\tY\n", "has the classes 'X' and 'Y'"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, content: str, what: str) -> None:
    (tmp_path / "a.tsv").write_text(content, "utf-8")
    with pytest.raises(InputError, match=what):
        read_keywords(tmp_path / "a.tsv")


@pytest.mark.parametrize("keywords", [[], {}, [""], {"a": ""}, [3]])
def test_bad_lists_are_refused(keywords: object) -> None:
    with pytest.raises(OptionError):
        terms_of(keywords)  # type: ignore[arg-type]


def test_a_keyword_that_normalisation_removes_is_refused() -> None:
    with pytest.raises(MiswordError, match="'!' has no word"):
        misword.score(["a"], ["a"], "wer", normalize="nopunct", keywords=["!"])


WORDS = st.lists(st.sampled_from("abc"), max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=4), st.sets(st.text("abc", min_size=1, max_size=4)))
def test_terms_are_found_as_by_brute_force(rows: list[list[str]], terms: set[str]) -> None:
    listed = sorted(terms)
    columns = [" ".join(row) for row in rows], [" ".join(term) for term in listed]
    tokens, phrases = encode_words([Texts.of(column) for column in columns])
    spans = find_terms(tokens, phrases, [0] * len(listed), ("X",))
    expected = []
    for number, row in enumerate(rows):
        at = 0
        while at < len(row):
            sizes = [size for size in range(1, 5) if "".join(row[at : at + size]) in terms]
            size = max((size for size in sizes if at + size <= len(row)), default=0)
            expected += [(number, at, at + size)] if size else []
            at += size or 1
    row_of = np.repeat(np.arange(len(rows)), np.diff(spans.at))
    found = zip(row_of.tolist(), *spans.table[:, :2].T.tolist(), strict=True)
    assert list(found) == expected


def test_rates_by_hand() -> None:
    references = ["Anna met Bob Smith in New York", "nothing here", "Bob Smith paid Anna"]
    hypotheses = ["Anna met Bob Smyth in York", "nothing here Anna", "Bob big Smith paid Anna"]
    keywords = {"Anna": "PERSON", "Bob Smith": "PERSON", "New York": "PLACE"}
    scores = misword.score(references, hypotheses, "wer", keywords=keywords)
    person, place = scores.entities(bootstrap=0).to_dicts()
    assert (person["words"], person["substitutions"], person["insertions"]) == (6, 1, 1)
    assert (person["terms"], person["found"], person["proposed"], person["confirmed"]) == (
        4,
        2,
        3,
        2,
    )
    assert (person["rate"], person["recall"]) == (2 / 6, 0.5)
    assert person["precision"] == pytest.approx(2 / 3)
    assert (place["deletions"], place["recall"], place["precision"]) == (1, 0.0, None)


@pytest.mark.parametrize("options", [{"normalize": "lower"}, {"forgive": "case"}])
def test_one_term_in_two_classes_is_refused_after_normalisation(options: dict[str, str]) -> None:
    keywords = {"Paris": "PLACE", "paris": "PERSON"}
    assert misword.score(["Paris"], ["Paris"], "wer", keywords=keywords).entities().height == 1
    with pytest.raises(OptionError, match=r"'Paris' of class 'PLACE' and 'paris' of class 'PERSON"):
        misword.score(["Paris"], ["Paris"], "wer", keywords=keywords, **options)  # type: ignore[arg-type]
    same = dict.fromkeys(keywords, "PLACE")
    scores = misword.score(["Paris"], ["Paris"], "wer", keywords=same, **options)  # type: ignore[arg-type]
    assert scores.entities()["terms"].to_list() == [1]


def test_case_that_is_forgiven_is_forgiven_in_keywords() -> None:
    scores = misword.score(
        ["in new york"], ["in New York"], "wer", keywords=["New York"], forgive="case"
    )
    assert scores.entities(bootstrap=0).select("terms", "found", "confirmed").row(0) == (1, 1, 1)


def test_words_of_chosen_readings_are_searched() -> None:
    scores = misword.score(["{ gonna / going to } go"], ["going to go"], "wer", keywords=["to go"])
    assert scores.entities(bootstrap=0).select("terms", "found").row(0) == (1, 1)
