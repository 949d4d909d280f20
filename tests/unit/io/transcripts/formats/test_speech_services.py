"""Alternatives that recognisers return as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from misword.core.errors import InputError
from misword.io.transcripts.read import read_corpus
from nbest_reading import REFERENCES, ListReader, Write, rows


def alternatives(key: str, *texts: str) -> list[dict[str, object]]:
    """Return alternatives with falling confidences."""
    return [{key: text, "confidence": 0.9 - 0.1 * n} for n, text in enumerate(texts)]


def azure(*texts: str) -> dict[str, object]:
    """Return a detailed result."""
    best = [
        {"Confidence": 0.9 - 0.1 * n, "Lexical": text, "Display": text.title(), "ITN": text}
        for n, text in enumerate(texts)
    ]
    return {"RecognitionStatus": "Success", "DisplayText": "x", "NBest": best}


RESPONSES: dict[str, list[dict[str, object]]] = {
    "vosk": [
        {"alternatives": alternatives("text", "the cat", "cat")},
        {"alternatives": alternatives("text", "sat")},
    ],
    "google": [
        {"results": [{"alternatives": alternatives("transcript", "the cat", "cat")}]},
        {"results": [{"alternatives": alternatives("transcript", "sat")}]},
    ],
    "deepgram": [
        {
            "metadata": {},
            "results": {"channels": [{"alternatives": alternatives("transcript", *t)}]},
        }
        for t in (("the cat", "cat"), ("sat",))
    ],
    "azure": [azure("the cat", "cat"), azure("sat")],
}
EXPECTED = [("a", 1, "the cat", 0.9), ("a", 2, "cat", 0.8), ("b", 1, "sat", 0.9)]


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("indent", [None, 2])
def test_folder_of_responses(name: str, indent: int | None, write: Write, both: ListReader) -> None:
    for utt, response in zip("ab", RESPONSES[name], strict=True):
        write(f"h/{utt}.json", json.dumps(response, indent=indent))
    assert rows(both(), "score") == [(*row[:3], pytest.approx(row[3])) for row in EXPECTED]
    write("h/b.json", json.dumps(RESPONSES[name][1], indent=indent)[:-3])
    with pytest.raises(InputError, match=r"b.json:1: this is not JSON"):
        both()


@pytest.mark.parametrize("name", RESPONSES)
def test_responses_as_json_lines(name: str, write: Write, both: ListReader) -> None:
    lines = [
        json.dumps({"utt": utt, **response})
        for utt, response in zip("ab", RESPONSES[name], strict=True)
    ]
    write("h.jsonl", "\n".join(lines))
    corpus = both("h.jsonl")
    assert rows(corpus) == [row[:3] for row in EXPECTED]
    write("h.jsonl", "\n".join(map(json.dumps, RESPONSES[name])))
    assert rows(both("h.jsonl", references="x\ny\n"))[2] == ("2", 1, "sat")
    write("h.jsonl", "\n".join([lines[0], '{"utt": "b"}' if name != "google" else '{"x": 1}']))
    with pytest.raises(InputError, match=r"h.jsonl:2: no response of|no column"):
        both("h.jsonl")


def test_segments_are_joined_by_their_best(write: Write, both: ListReader) -> None:
    results = [{"alternatives": alternatives("transcript", *t)} for t in (("the", "a"), ("cat",))]
    write("h/a.json", json.dumps({"results": results}))
    write("h/b.json", "{}")  # Google's response to silence
    assert rows(both()) == [("a", 1, "the cat"), ("b", 1, "")]
    assert "1 response of several segments: the best alternatives are joined" in both.notes[0]


def test_forms_and_silence_of_azure(write: Write, both: ListReader) -> None:
    phrases = [{"nBest": [{"confidence": 0.5, "lexical": "the cat", "display": "The cat."}]}]
    write("h/a.json", json.dumps({"recognizedPhrases": phrases}))
    write("h/b.json", '{"RecognitionStatus": "NoMatch"}')
    assert rows(both()) == [("a", 1, "the cat"), ("b", 1, "")]
    assert rows(both(hypothesis_format="azure:form=display"))[0] == ("a", 1, "The cat.")


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ('{"alternatives": []}', "an empty list of alternatives"),
        ('{"alternatives": [{"confidence": 1}]}', "an alternative without 'text'"),
        ('{"alternatives": ["x"]}', "an alternative that is no object"),
        ('{"alternatives": [{"text": "x", "confidence": NaN}]}', "confidence is not a finite"),
        ('{"alternatives": [{"text": "\\ud800"}]}', "half of a surrogate pair"),
        ('{"alternatives": [{"text": "a\\u0000"}]}', "a NUL character"),
    ],
)
def test_responses_that_are_refused(
    response: str, message: str, write: Write, both: ListReader
) -> None:
    write("h/a.json", json.dumps(RESPONSES["vosk"][0]))
    write("h/b.json", response)
    with pytest.raises(InputError, match=rf"b.json:1: {message}"):
        both()


def test_json_lines_with_a_text_are_no_lists(write: Write, both: ListReader) -> None:
    write("h.jsonl", '{"utt": "a", "text": "x", "alternatives": [{"text": "y"}]}\n'
          '{"utt": "b", "text": "z", "alternatives": []}\n')  # fmt: skip
    assert rows(both("h.jsonl")) == [("a", 1, "x"), ("b", 1, "z")]


def test_lists_are_no_references(write: Write, tmp_path: Path) -> None:
    for utt, response in zip("ab", RESPONSES["vosk"], strict=True):
        write(f"h/{utt}.json", json.dumps(response))
    with pytest.raises(InputError, match="where references are expected"):
        read_corpus(tmp_path / "h", write("r.csv", REFERENCES))
