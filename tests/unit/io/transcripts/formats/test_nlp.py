"""nlp files of fstalign: tokens and the metadata of words."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript
from misword.io.transcripts.words import COLUMNS

Write = Callable[[str, str | bytes], Path]

HEADER = "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"
CALL = HEADER + (
    "Good|0|1.5|2.0||UC|[]|[]\n"
    "morning|0|2.0|2.5|,|LC|[]|['5']\n"
    "the \"2020\"|1||||LC|['0:YEAR']|['0', '1', '6']\n"
    "{a}|1|||.|LC|[]|[]\n"
)


def read(path: Path) -> Transcript:
    return read_transcript(path, role="reference")


def test_tokens_are_the_text_and_punctuation_is_not(write: Write) -> None:
    found = read(write("call.1.nlp", CALL))
    assert found.frame.rows() == [("call.1", 'Good morning the "2020" {a}', 1)]


def test_each_word_has_the_metadata_of_its_token(write: Write) -> None:
    words = read(write("call.nlp", CALL)).words
    assert words is not None
    assert words.columns == [*COLUMNS, "tags", "entities"]
    assert words["word"].to_list() == ["Good", "morning", "the", '"2020"', "{a}"]
    assert words["segment"].to_list() == [0, 0, 1, 1, 1]
    assert words["recording"].to_list() == ["call"] * 5
    shown = words.select("utt", "place", "speaker", "begin", "end", "tags", "entities")
    assert shown.rows() == [
        ("call", 0, "0", 1.5, 2.0, [], []),
        ("call", 1, "0", 2.0, 2.5, [], ["5"]),
        ("call", 2, "1", None, None, ["0:YEAR"], ["0", "1", "6"]),
        ("call", 3, "1", None, None, ["0:YEAR"], ["0", "1", "6"]),
        ("call", 4, "1", None, None, [], []),
    ]


def test_a_corpus_has_the_words_of_both_sides(write: Write) -> None:
    path = write("call.nlp", CALL)
    corpus, _ = read_corpus(path, path)
    assert corpus.words is not None
    assert corpus.words["system"].to_list() == [""] * 5 + ["call"] * 5
    lines = write("a.txt", "x\n")
    assert read_corpus(lines, lines)[0].words is None


def test_only_the_tokens_are_required(write: Write) -> None:
    found = read(write("call.nlp", "case|token\nLC| a \n\nLC|b\n"))
    assert found.frame["text"].to_list() == ["a b"]
    assert found.words is not None
    shown = found.words.select("utt", "place", "speaker", "begin", "end", "tags", "entities")
    assert shown.rows() == [
        ("call", 0, None, None, None, [], []), ("call", 1, None, None, None, [], []),
    ]  # fmt: skip


def test_a_header_alone_is_silence(write: Write) -> None:
    assert read(write("call.nlp", HEADER)).frame["text"].to_list() == [""]


def test_it_is_recognised_by_its_header(write: Write) -> None:
    assert read(write("call.txt", CALL)).format == "nlp"
    assert read(write("call.txt", "token|word\na|b\n")).format == "lines"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("speaker|ts\n0|1\n", 1, "no column 'token'; it has: speaker, ts"),
        ("token|speakera|1\n", 1, "'1' is no name of a column"),
        ("token|spea", None, ""),
        ("token|token\na|b\n", 1, "two columns are called 'token'"),
        (HEADER + "a|0||||LC|[]|[]\nb|0||||LC|[]\n", 3, "7 fields, where the header has 8"),
        (HEADER + "a\n", 2, "1 field, where the header has 8"),
        (HEADER + "a|b|0||||LC|[]|[]\n", 2, "9 fields, where the header has 8"),
        ("", None, "the file is empty"),
    ],
)
def test_malformed_files(write: Write, content: str, line: int | None, message: str) -> None:
    path = write("call.nlp", content)
    if not message:  # a header that is cut off after the tokens' column is still a header
        assert read(path).frame["text"].to_list() == [""]
        return
    with pytest.raises(InputError) as caught:
        read(path)
    assert message in caught.value.what
    assert caught.value.where == (f"{path}:{line}" if line else str(path))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="|\n\r\0"))))
def test_any_token_but_the_separator_is_read(tokens: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.nlp"
        path.write_text(
            HEADER + "".join(f"{token}|0||||LC|[]|[]\n" for token in tokens), newline="\n"
        )
        found = read(path)
        words = " ".join(tokens).split()
        text = found.frame["text"][0]
    assert text.split() == words
    assert found.words is not None
    # Python separates words at more characters than polars does, such as U+001C.
    assert found.words.height == len([word for word in text.split(" ") if word])


def test_punctuation_follows_the_words_on_request(write: Write) -> None:
    path = write("call.1.nlp", CALL)
    found = read_transcript(path, role="reference", input_format="nlp:punctuation=true")
    assert found.frame["text"].to_list() == ['Good morning, the "2020" {a}.']
    assert found.words is not None
    assert len(found.words) == 5


SIGNS = "token|punctuation\n5|%\nof|,\n20|$.\nor|\n"


def test_signs_that_are_spoken_are_part_of_the_text(write: Write) -> None:
    path = write("call.nlp", SIGNS)
    assert read(path).frame["text"].to_list() == ["5% of 20$ or"]
    options = {"role": "reference", "input_format": "nlp:signs=false"}
    assert read_transcript(path, **options).frame["text"].to_list() == ["5 of 20 or"]  # type: ignore[arg-type]
    options["input_format"] = "nlp:punctuation=true"
    assert read_transcript(path, **options).frame["text"].to_list() == ["5% of, 20$. or"]  # type: ignore[arg-type]


def test_a_note_where_the_sides_differ_in_signs(write: Write) -> None:
    with_signs = write("call.nlp", SIGNS)
    without = write("other.nlp", "token|punctuation\n5%|\nof|,\n")
    for paths in ((with_signs, without), (without, with_signs)):
        (note,) = read_corpus(*paths)[1]
        assert note.startswith(f"{with_signs}: signs that are spoken (%, $) are in the column of")
        assert "of 2 words" in note
    assert read_corpus(with_signs, with_signs)[1] == ()
    assert read_corpus(without, write("lines.txt", "x\n"))[1] == ()
