"""Sidecars of nlp references: verbalisations as alternatives, types of entities."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import misword
from misword.core.errors import InputError, OptionError
from misword.io.transcripts.formats.nlp import text_with_alternatives
from misword.io.transcripts.read import read_corpus

Write = Callable[[str, str | bytes], Path]

CALL = """token|tags|wer_tags
in|[]|['6']
2020|['0:YEAR']|['0', '6']
I'll|['2:CONTRACTION']|['2']
pay|[]|[]
$6|['3:MONEY']|['3']
million|['3:MONEY']|['3']
"""


def forms(**spoken: list[list[str]]) -> str:
    entries = {
        key.removeprefix("e"): {"candidates": [{"verbalization": words} for words in lists]}
        for key, lists in spoken.items()
    }
    return json.dumps(entries)


NORM = forms(
    e0=[["twenty", "twenty"], ["two", "thousand", "twenty"]],
    e2=[["I", "will"], ["I'll"]],
    e3=[["six", "million", "dollars"]],
)


def reference(write: Write, call: str = CALL, **options: Any) -> str:
    path = write("call.nlp", call)
    corpus, _ = read_corpus(path, path, **options)
    text: str = corpus.references["text"].item()
    return text


def test_verbalisations_are_alternatives(write: Write) -> None:
    text = reference(write, alternatives_from=write("call.norm.json", NORM))
    assert text == (
        "in { 2020 / twenty twenty / two thousand twenty } { I'll / I will } pay "
        "{ $6 million / six million dollars }"
    )


def test_each_verbalisation_is_right_and_nothing_else(write: Write, tmp_path: Path) -> None:
    write("norm/call.norm.json", NORM)
    path = write("call.nlp", CALL)
    said = "in twenty twenty i will pay six million dollars"
    corpus, _ = read_corpus(
        path,
        [write("a.txt", said + "\n"), write("b.txt", said.replace("six", "five") + "\n")],
        alternatives_from=tmp_path / "norm",
    )
    rates = misword.score(corpus, metrics="wer", normalize="lower").summary(bootstrap=0)
    assert rates["rate"].to_list() == [0, 1 / 9]


def test_words_as_signs_are_never_read_as_signs() -> None:
    tags = [["0:A"], ["0:A"], ["1:B"], ["2:C"]]
    words = ["and", "/", "{x", "a"]
    found = text_with_alternatives(
        words, tags, {"0": ["or"], "1": ["y"], "2": ["b / c", "@", "d/e", "{f}", "g"]}
    )
    assert found == "and / {x { a / d/e / g }"


def test_of_several_tags_the_first_with_verbalisations_counts() -> None:
    tags = [["9:X", "0:A"], ["0:A", "1:B"], ["1:B"]]
    found = text_with_alternatives(["a", "b", "c"], tags, {"0": ["x"], "1": ["y"]})
    assert found == "{ a b / x } { c / y }"


def test_words_that_were_cut_off_are_optional() -> None:
    words = ["long-term", "the-", "-", "{a-b}", "x-y", "-5", "a-/"]
    tags: list[list[str]] = [[], [], [], [], ["0:A"], [], []]
    found = text_with_alternatives(words, tags, {"0": ["z"]})
    assert found == "long-term { @ / the- } - {a-b} { x-y / z } -5 a-/"


def test_an_empty_verbalisation_may_be_left_out(write: Write) -> None:
    path = write("call.norm.json", forms(e0=[[]]))
    assert reference(write, alternatives_from=path).startswith("in { 2020 / @ } I'll")


def test_entity_types_are_metadata_of_words(write: Write, tmp_path: Path) -> None:
    types = {"0": {"entity_type": "YEAR"}, "6": {"entity_type": "DATE"}}
    write("tags/call.wer_tag.json", json.dumps(types))
    path = write("call.nlp", CALL)
    corpus, notes = read_corpus(path, path, tags_from=tmp_path / "tags")
    assert corpus.words is not None
    assert corpus.words["entities"].to_list()[:3] == [["6:DATE"], ["0:YEAR", "6:DATE"], []]
    (note,) = notes
    left_out = "left out: '2' of 'call', '3' of 'call'"
    assert note == f"2 tags of entities without a type in {tmp_path / 'tags'} {left_out}"
    assert corpus.words["tags"].to_list()[1] == ["0:YEAR"]


def test_recordings_without_tags_need_no_sidecar(write: Write, tmp_path: Path) -> None:
    write("ref/a.nlp", "token|tags|wer_tags\nx|[]|[]\n")
    (tmp_path / "norm").mkdir()
    corpus, _ = read_corpus(
        tmp_path / "ref",
        tmp_path / "ref",
        alternatives_from=tmp_path / "norm",
        tags_from=tmp_path / "norm",
    )
    assert corpus.references["text"].to_list() == ["x"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "this is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "JSON, but not an object"),
        ('{"0": 1}', "entity '0': not an object"),
        ('{"0": {}}', "entity '0': no list 'candidates'"),
        ('{"0": {"candidates": [1]}}', "entity '0': a candidate without a list of words"),
        ('{"0": {"candidates": [{"verbalization": "x"}]}}', "a candidate without a list of words"),
        ('{"0": {"candidates": [{"verbalization": [1]}]}}', "a candidate without a list of words"),
        ('{"0": {"entity_type": "YEAR"}}', "entity '0': no list 'candidates'"),
    ],
)
def test_wrong_sidecars(write: Write, content: str, message: str) -> None:
    path = write("call.norm.json", content)
    with pytest.raises(InputError) as caught:
        reference(write, alternatives_from=path)
    assert message in caught.value.what
    assert caught.value.where == str(path)


def test_wrong_entity_types(write: Write) -> None:
    path = write("call.norm.json", NORM)
    with pytest.raises(InputError, match="entity '0': no text 'entity_type'"):
        reference(write, tags_from=path)


def test_missing_and_duplicate_sidecars(write: Write, tmp_path: Path) -> None:
    (tmp_path / "norm").mkdir()
    with pytest.raises(InputError, match="no sidecar of 'call'"):
        reference(write, alternatives_from=tmp_path / "norm")
    write("norm/call.a.json", NORM)
    write("norm/call.b.json", NORM)
    with pytest.raises(InputError, match=r"several sidecars of 'call': call\.a\.json, call\.b"):
        reference(write, alternatives_from=tmp_path / "norm")
    write("ref/a.nlp", CALL)
    write("ref/b.nlp", CALL)
    with pytest.raises(OptionError, match="one sidecar for 2 recordings"):
        read_corpus(
            tmp_path / "ref", tmp_path / "ref", alternatives_from=tmp_path / "norm" / "call.a.json"
        )


def test_other_formats_have_no_tags(write: Write) -> None:
    path = write("a.txt", "a\n")
    with pytest.raises(OptionError, match="read as lines, which has no tags"):
        read_corpus(path, path, alternatives_from=write("a.norm.json", NORM))
    vtt = write("a.vtt", "WEBVTT\n")
    with pytest.raises(OptionError, match="read as vtt, which has no tags"):
        read_corpus(vtt, vtt, tags_from=path)
