"""The data of the utterance explorer."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import numpy as np
import polars as pl

import misword
from misword.cli.commands.files.report import with_parts
from misword.core.types import Result
from misword.report.explorer.alignments import FORGIVEN
from misword.report.explorer.data import explorer_data
from misword.report.packing import packed
from misword.report.rates import utterance_rates
from pages_made import compared
from results_made import KINDS, words_table

TYPES = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f4": "<f4", "f8": "<f8"}


def test_whole_numbers_take_the_fewest_bytes() -> None:
    for top, kind in ((255, "u1"), (256, "u2"), (65_535, "u2"), (65_536, "u4")):
        assert packed(np.array([0, top]))["type"] == kind
        assert np.frombuffer(b64decode(packed(np.array([0, top]))["data"]), f"<{kind}")[1] == top


def unpacked(packed: dict[str, str]) -> list[Any]:
    return list(np.frombuffer(b64decode(packed["data"]), TYPES[packed["type"]]).tolist())


def operations(stream: dict[str, Any]) -> list[int]:
    """The operations of all places: a byte has three of them."""
    found = [digit for byte in unpacked(stream["kinds"]) for digit in
             (byte % 6, byte // 6 % 6, byte // 36)]  # fmt: skip
    return found[: sum(unpacked(stream["lengths"]))]


def decoded(data: dict[str, Any], layer: int = 0) -> list[tuple[Any, ...]]:
    """Rows of the table of words, decoded from the streams; a forgiven block is one row."""
    found = []
    shared = data["layers"][layer].get("reference")
    for system, stream in zip(data["systems"], data["layers"][layer]["systems"], strict=True):
        kinds, numbers = iter(operations(stream)), iter(unpacked(stream["words"]))
        reference = iter(unpacked(shared)) if shared else numbers
        for utt, length in zip(data["ids"], unpacked(stream["lengths"]), strict=True):
            for place in range(length):
                kind = next(kinds)
                first = second = None
                if kind == FORGIVEN:
                    first = data["words"][next(numbers)]
                    for _ in first.split() if shared else ():
                        next(reference)
                elif kind != 2:
                    first = data["words"][next(reference)]
                if kind in (1, 2, 4, FORGIVEN):
                    second = data["words"][next(numbers)]
                elif kind == 0:
                    second = first
                found.append((utt, system, place, KINDS[kind % 4], first, second))
        assert next(numbers, None) is None
        assert next(reference, None) is None
    return found


def test_explorer_has_every_word_and_rate() -> None:
    refs = ["the cat sat", "", "a b c d", "x"] * 3
    hypotheses = {
        "one": ["the hat", "er", "a b c d", ""] * 3,
        "two": ["cat sat on", "", "b c", "y z"] * 3,
    }
    notes = {"speaker": ["a", "b", None] * 4, "age": [30, None, 50] * 4}
    result = misword.score(refs, hypotheses, "wer,cer", metadata=notes).result()
    found = utterance_rates(result)
    assert found is not None
    data = json.loads(json.dumps(explorer_data(result, found), allow_nan=False))
    words = result.tables["words"].select(
        "utt", "system", "place", "kind", "reference", "hypothesis"
    )
    assert decoded(data) == words.with_columns(pl.col("kind").cast(pl.String)).rows()
    kept = np.array(unpacked(data["rates"])).reshape(2, 2, 12)
    expected = result.tables["utterances"].filter(system="two")["cer.rate"].to_numpy()
    np.testing.assert_allclose(kept[1, 1], expected, rtol=1e-6)
    speaker, age = data["metadata"]
    assert [speaker["values"][code] for code in unpacked(speaker["codes"])] == ["a", "b", ""] * 4
    np.testing.assert_equal(unpacked(age["numbers"]), [30, np.nan, 50] * 4)


def test_explorer_keeps_costs_of_errors_and_loose_hits() -> None:
    places: Any = [
        ("hit", "A", "a"),
        ("substitution", "b", "c"),
        ("hit", "d", "d"),
        ("deletion", "e", None),
    ]
    words = words_table({("1", "s"): places}, **{"wer-e.cost": [0.0, 0.1234, 0.0, None]})
    same = words.drop("wer-e.cost").with_columns(pl.Series("ember.cost", [0.0, 0.1, 0.0, 1.0]))
    rows_ = pl.DataFrame({"utt": ["1"], "system": ["s"], "rank": [1], "wer.rate": [0.5]})
    tables = {"utterances": rows_, "words": words, "words.ember": same, "words.x": words.head(1)}
    result = with_parts(Result("scores", tables, {"metrics": ["wer", "wer-e", "ember"]}))
    found = utterance_rates(result)
    assert found is not None
    data = explorer_data(result, found)
    assert [layer["name"] for layer in data["layers"]] == ["", "x"]
    assert data["layers"][0]["costs"] == ["WER-E", "EmbER"]
    stream = data["layers"][0]["systems"][0]
    assert operations(stream) == [4, 1, 0, 3]
    assert [unpacked(costs) for costs in stream["costs"]] == [[1234, 65535], [1000, 10000]]


def test_explorer_has_forgiven_blocks() -> None:
    """Blocks have a kind of their own and two texts, of which one may be empty."""
    scores = misword.score(["we are here uh"], ["we're here"], "wer", forgive="writing")
    result = scores.result()
    found = utterance_rates(result)
    assert found is not None
    data = explorer_data(result, found)
    assert data["metadata"] == []
    stream = data["layers"][0]["systems"][0]
    assert operations(stream) == [FORGIVEN, 0, FORGIVEN]
    texts = [data["words"][number] for number in unpacked(stream["words"])]
    assert texts == ["we are", "we're", "here", "uh", ""]
    families = [data["families"][number] for number in unpacked(stream["families"])]
    assert families == ["contractions", "fillers"]


def test_reference_words_are_stored_once_for_all_systems() -> None:
    """Also where only one system has them in a forgiven block."""
    references = ["we are here twenty five times uh", "a b"]
    hypotheses = {
        "one": ["we're here 25 times", "a b"],
        "two": ["we are hear uh twenty five more", "b c"],
    }
    result = misword.score(references, hypotheses, "wer", forgive="writing").result()
    found = utterance_rates(result)
    assert found is not None
    data = explorer_data(result, found)
    layer = data["layers"][0]
    reference = [data["words"][number] for number in unpacked(layer["reference"])]
    assert reference == " ".join(references).split()
    words = result.tables["words"].select(
        "utt", "system", "place", "kind", pl.col("reference", "hypothesis").fill_null("")
    )
    shown = [tuple(value or "" for value in row[4:]) for row in decoded(data)]
    assert shown == words.select("reference", "hypothesis").rows()


def test_aligned_words_of_several_systems_take_two_bytes_each() -> None:
    """Ten calls of an hour by four systems shall fit in a page of 3 MB."""
    result = compared(4, 4, size=2000)
    found = utterance_rates(result)
    assert found is not None
    size = len(json.dumps(explorer_data(result, found)["layers"]))
    assert size < 2 * 4 * 4 * 2000


def test_readings_of_alternatives_are_stored_for_each_system() -> None:
    """Each system was measured against the reading that fits it best."""
    result = misword.score(["{ a / b } c"], {"one": ["a c"], "two": ["b c"]}, "wer",
                           alternatives=True).result()  # fmt: skip
    found = utterance_rates(result)
    assert found is not None
    data = explorer_data(result, found)
    assert "reference" not in data["layers"][0]
    assert [row[4] for row in decoded(data)] == ["a", "c", "b", "c"]


def test_explorer_marks_words_that_were_split_or_joined() -> None:
    references = ["some thing new", "no"]
    hypotheses = {"one": ["something new", "no"], "two": ["some", "no"]}
    result = misword.score(references, hypotheses, "wer").result()
    found = utterance_rates(result)
    assert found is not None
    first, second = explorer_data(result, found)["layers"][0]["systems"]
    assert unpacked(first["spacing"]) == [0, 1]
    assert second["spacing"] is None
    older = Result(result.kind, {**result.tables, "words": result.tables["words"].drop("spacing")},
                   result.provenance)  # fmt: skip
    assert explorer_data(older, found)["layers"][0]["systems"][0]["spacing"] is None
