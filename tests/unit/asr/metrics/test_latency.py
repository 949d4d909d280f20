"""Latencies of streams: by hand, and the formats of their logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.asr.metrics.latency import _beginnings
from misword.core.errors import InputError, OptionError
from misword.core.types import Tokens, offsets_of

# Words of the reference with their begins and ends.
SAID = [
    *(("so", 0.0, 0.3), ("how", 0.4, 0.7), ("are", 0.8, 1.0), ("you", 1.1, 1.5)),
    *(("i", 2.0, 2.3), ("am", 2.4, 2.7), ("very", 2.8, 3.0), ("well", 3.1, 3.5)),
]
RESULTS: list[dict[str, Any]] = [
    {"emitted": 0.6, "text": "so", "final": False},
    {"emitted": 1.0, "text": "so who", "final": False},
    {"emitted": 1.4, "text": "so how are", "final": False},
    {"emitted": 2.0, "text": "so how are you", "final": True},
    {"emitted": 2.9, "text": "i am", "final": False},
    {"emitted": 4.5, "text": "i am fairy well", "final": True},
]


def files(folder: Path, results: list[dict[str, Any]]) -> tuple[Path, Path]:
    ctm, log = folder / "talk.ctm", folder / "talk-1.jsonl"
    ctm.write_text("".join(f"talk 1 {b} {e - b:.3f} {word}\n" for word, b, e in SAID))
    log.write_text("".join(json.dumps(row) + "\n" for row in results))
    return ctm, log


def scored(folder: Path, results: list[dict[str, Any]], metrics: str = "latency") -> misword.Scores:
    corpus, _ = misword.read_corpus(*files(folder, results))
    return misword.score(corpus, metrics=metrics)


def test_by_hand(tmp_path: Path) -> None:
    scores = scored(tmp_path, RESULTS, "wer,latency:limit=0.5,latency:limit=0.4,latency:limit=1")
    # The segments end at 1.5 and 3.5 and are final at 2.0 and 4.5.
    assert scores.summary(bootstrap=0)["rate"].to_list() == [1 / 8, 1 / 2, 1.0, 0.0]
    tables = scores.result(bootstrap=10).tables
    first, final, segment = tables["latency"].to_dicts()
    firsts = [0.3, 0.7, 0.4, 0.5, 0.6, 0.2, 1.0]  # so, how (1.4 - 0.7), are, you, i, am, well
    finals = [1.7, 1.3, 1.0, 0.5, 2.2, 1.8, 1.0]
    assert first["mean"] == pytest.approx(sum(firsts) / 7)
    assert (first["count"], first["p50"]) == (7, pytest.approx(0.5))
    assert final["mean"] == pytest.approx(sum(finals) / 7)
    assert (segment["count"], segment["mean"]) == (2, pytest.approx(0.75))
    assert segment["p95"] == pytest.approx(0.975)
    # "who" was taken back; all else only grew.
    assert segment["revised"] == 1 / 8
    # "so who" has one error against "so how"; the others are beginnings of what was said.
    partials = {row["before"]: row for row in tables["partials"].to_dicts()}
    assert (partials["final"]["words"], partials["final"]["errors"]) == (8, 1)
    assert (partials["up to 1 s"]["words"], partials["up to 1 s"]["errors"]) == (5, 1)
    assert (partials["up to 2 s"]["words"], partials["up to 2 s"]["errors"]) == (3, 0)


def test_a_delay_of_the_log_is_a_delay_of_each_latency(tmp_path: Path) -> None:
    later = [{**row, "emitted": row["emitted"] + 0.25} for row in RESULTS]
    before, after = (
        scored(tmp_path, rows).result(bootstrap=10).tables["latency"] for rows in (RESULTS, later)
    )
    for name in ("mean", "p50", "p99"):
        assert (after[name] - before[name]).to_list() == pytest.approx([0.25] * 3)
    assert after["revised"].equals(before["revised"])


def test_scores_are_saved_filtered_and_compared(tmp_path: Path) -> None:
    ctm, log = files(tmp_path, RESULTS)
    slow = tmp_path / "slow.jsonl"
    late = [{**row, "emitted": row["emitted"] + 2, "recording": "talk-1"} for row in RESULTS]
    slow.write_text("".join(json.dumps(row) + "\n" for row in late))
    corpus, _ = misword.read_corpus(ctm, [log, slow])
    scores = misword.score(corpus, metrics="latency")
    tables = scores.result(bootstrap=10).tables
    assert tables["latency"]["system"].to_list() == ["talk-1"] * 3 + ["slow"] * 3
    scores.save(tmp_path / "saved")
    loaded = misword.load(tmp_path / "saved").result(bootstrap=10).tables
    for name in ("latency", "partials"):
        assert loaded[name].equals(tables[name])
    chosen = scores.filter(system="slow").result(bootstrap=10).tables["latency"]
    assert chosen["system"].unique().to_list() == ["slow"]
    assert misword.compare(scores).differences["difference"].to_list() == [1.0]


def test_a_gate_on_percentiles(tmp_path: Path) -> None:
    scores = scored(tmp_path, RESULTS)
    limits = {"latency.p95": 0.98, "latency.p50": 0.7, "latency.revised": 0.2}
    found = misword.gate(scores, max=limits, bootstrap=0)
    assert [condition.outcome for condition in found.conditions] == ["passed", "failed", "passed"]
    assert found.conditions[0].rate == pytest.approx(0.975)
    assert "latency.p95 0.97 s, limit 0.98 s: passed" in found.line
    least = misword.gate(scores, min={"latency.first-p50": 0.6}, bootstrap=0)
    assert [condition.outcome for condition in least.conditions] == ["failed"]
    with pytest.raises(OptionError, match="has no figure 'p96'"):
        misword.gate(scores, max={"latency.p96": 1})


def test_the_times_of_the_log_are_used_if_the_reference_has_none(tmp_path: Path) -> None:
    timed = [{"word": "so", "start": 0.1, "end": 0.4}, {"word": "it", "start": 0.5, "end": 0.7}]
    log = tmp_path / "talk.jsonl"
    log.write_text(json.dumps({"emitted": 1.0, "text": "so it", "final": True, "words": timed}))
    (tmp_path / "talk.txt").write_text("talk so it\n")
    reference = tmp_path / "talk.txt"
    corpus, _ = misword.read_corpus(
        reference, log, input_format="kaldi", hypothesis_format="stream"
    )
    scores = misword.score(corpus, metrics="latency")
    first, final, segment = scores.result(bootstrap=10).tables["latency"].to_dicts()
    assert segment["mean"] == pytest.approx(0.3)
    assert final["mean"] == first["mean"] == pytest.approx((0.6 + 0.3) / 2)


def test_results_of_recognisers_as_they_were_sent(tmp_path: Path) -> None:
    word = {"word": "hello", "start": 0.1, "end": 0.5, "conf": 1.0}
    deepgram = {"alternatives": [{"transcript": "hello", "words": [{**word, "confidence": 1.0}]}]}
    logs = {
        "vosk": [
            {"emitted": 0.6, "partial": "hell"},
            {"emitted": 1.0, "text": "hello", "result": [word]},
        ],
        "deepgram": [
            {"emitted": 0.6, "is_final": False, "start": 0.0, "duration": 0.5,
             "channel": {"alternatives": [{"transcript": "hell", "words": []}]}},
            {"emitted": 1.0, "is_final": True, "start": 0.0, "duration": 0.5, "channel": deepgram},
        ],
        "google": [
            {"emitted": 0.6, "results": [{"alternatives": [{"transcript": "hell"}]}]},
            {"emitted": 1.0, "results": [{"alternatives": [{"transcript": "hello"}],
                                          "isFinal": True, "resultEndTime": "0.500s"}]},
        ],
    }  # fmt: skip
    for name, rows in logs.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        corpus, _ = misword.read_corpus(path, path)
        words = corpus.words_of(name)
        assert words is not None
        assert words.select("word", "emitted", "end").rows() == [("hello", 1.0, 0.5)], name
        (results,) = words["results"].to_list()
        assert [result["text"] for result in results] == ["hell", "hello"], name


def test_simuleval(tmp_path: Path) -> None:
    log = tmp_path / "instances.log"
    rows = [
        {"index": 1, "prediction": "b", "delays": [500.0], "elapsed": [900.0],
         "source_length": 700.0, "reference": "b"},
        {"index": 0, "prediction": "a x", "delays": [500.0, 1000.0], "elapsed": [600.0, 1700.0],
         "source_length": 1000.0, "reference": "a c"},
    ]  # fmt: skip
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for clock, latencies in (("elapsed", [0.7, 0.2]), ("delays", [0.0, -0.2])):
        corpus, _ = misword.read_corpus(log, input_format=f"simuleval:clock={clock}")
        scores = misword.score(corpus, metrics="wer,latency")
        assert scores["wer"] == 1 / 3
        found = scores.records["latency_segments"]["latency"].to_list()
        assert found == pytest.approx(latencies)
    assert misword.read_corpus(log)[0].words is not None  # found by its content


def test_simulstream(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows: list[dict[str, Any]] = [
        {"model_loading_time": 5.9},
        {"id": 7, "metadata": {"wav_name": "talks/one.wav"}},
        {"id": 7, "total_audio_processed": 2.0, "computation_time": 0.5,
         "generated_tokens": ["▁so", "▁it", "▁se"], "deleted_tokens": []},
        {"id": 7, "total_audio_processed": 4.0, "computation_time": 0.25,
         "generated_tokens": ["ems", "▁ok"], "deleted_tokens": []},
        {"id": 7, "total_audio_processed": 6.0, "computation_time": 1.0,
         "generated_tokens": ["▁right"], "deleted_tokens": ["▁ok"]},
    ]  # fmt: skip
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus, _ = misword.read_corpus(log, log)
    words = corpus.words_of("log")
    assert words is not None
    assert words.select("utt", "word", "emitted").rows() == [
        ("one", "so", 2.5),
        ("one", "it", 2.5),
        ("one", "seems", 4.25),
        ("one", "right", 7.0),
    ]
    tables = misword.score(corpus, metrics="latency").result(bootstrap=10).tables
    revised = tables["latency_segments"]["revised"].to_list()
    assert revised == [2]  # "se" became "seems", and "ok" "right"


texts = st.lists(st.sampled_from("abc"), max_size=6)


@settings(max_examples=60)
@given(st.lists(st.tuples(texts, texts, st.booleans()), min_size=1, max_size=4))
def test_beginnings_are_those_of_brute_force(rows: list[Any]) -> None:
    def tokens(column: list[list[str]]) -> Tokens:
        ids = ["abc".index(word) for words in column for word in words]
        return Tokens(np.array(ids, np.int32), offsets_of([len(each) for each in column]), "abc")

    said, heard, whole = ([row[k] for row in rows] for k in range(3))
    errors, sizes = _beginnings(
        tokens(said), np.arange(len(rows)), tokens(heard), np.array(whole, np.bool_)
    )
    for row, (reference, text, is_whole) in enumerate(rows):
        lengths = [len(reference)] if is_whole else range(len(reference) + 1)
        least = min((_edits(reference[:n], text), -n) for n in lengths)
        assert (errors[row], -sizes[row]) == least


def _edits(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row, before = [i, *row[1:]], row
        for j, y in enumerate(b, start=1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
    return row[-1]


def test_errors_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no times at which they came"):
        misword.score(["a"], ["a"], "latency")
    with pytest.raises(OptionError, match="limit is -1"):
        misword.score(["a"], ["a"], "latency:limit=-1")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"emitted": "soon", "text": "a", "final": true}\n')
    with pytest.raises(InputError, match="'emitted' is not a number"):
        misword.read_corpus(bad, bad, input_format="stream")
