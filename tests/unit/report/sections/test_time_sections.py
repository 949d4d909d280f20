"""The timeline of meetings, the histogram of errors of times, and latencies on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import misword
from misword.report import write_report
from misword.report.sections.times import accuracy_figure, histogram, partials_figure
from misword.stat.score_tables import SPEAKER_WORDS, WORD_TIMES

REFERENCE = "r 1 anna 0 4 good morning\nr 1 ben 4 8 fine thanks\n"
# "morning" is said by the wrong speaker, "thanks" is wrong, and "so" is added.
HYPOTHESIS = "r 1 s0 0 2 good\nr 1 s1 2 4 morning\nr 1 s1 4 8 fine tanks so\n"


def of_meeting(folder: Path) -> misword.Scores:
    for name, text in (("ref.stm", REFERENCE), ("hyp.stm", HYPOTHESIS)):
        (folder / name).write_text(text)
    corpus, _ = misword.read_corpus(folder / "ref.stm", folder / "hyp.stm", segments="recording")
    return misword.score(corpus, metrics="cpwer")


def block(page: str, name: str) -> Any:
    found = re.search(rf'<script[^>]*id="r0-data-{name}"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_words_of_a_timeline_by_hand(tmp_path: Path) -> None:
    words = of_meeting(tmp_path).result(bootstrap=0).tables[SPEAKER_WORDS]
    shown = words.select("side", "lane", "speaker", "turn", "word", "kind").rows()
    assert shown == [
        ("reference", 0, "anna", 0, "good", 0),
        ("reference", 0, "anna", 0, "morning", 2),
        ("reference", 1, "ben", 1, "fine", 0),
        ("reference", 1, "ben", 1, "thanks", 1),
        ("hypothesis", 0, "s0", 0, "good", 0),
        ("hypothesis", 1, "s1", 1, "morning", 2),
        ("hypothesis", 1, "s1", 2, "fine", 0),
        ("hypothesis", 1, "s1", 2, "tanks", 1),
        ("hypothesis", 1, "s1", 2, "so", 1),
    ]
    # Words share the time of their segment by their letters: 4 and 7 of 4 seconds.
    times = words.filter(word="morning", side="reference").select("begin", "end").row(0)
    assert times == (pytest.approx(16 / 11), 4.0)


def test_the_page_has_a_timeline(tmp_path: Path) -> None:
    scores = of_meeting(tmp_path)
    write_report([scores.result(bootstrap=0)], tmp_path / "page.html")
    (recording,) = block((tmp_path / "page.html").read_text(), "timeline")["recordings"]
    assert recording["lanes"] == [
        {"reference": "anna", "hypothesis": "s0"},
        {"reference": "ben", "hypothesis": "s1"},
    ]
    assert (recording["name"], recording["said"]) == ("r", 4)
    scores.save(tmp_path / "saved")
    loaded = misword.load(tmp_path / "saved").result(bootstrap=0)
    assert loaded.tables[SPEAKER_WORDS].equals(scores.result(bootstrap=0).tables[SPEAKER_WORDS])


def test_a_histogram_has_all_compared_words(tmp_path: Path) -> None:
    said = [("a", 0.0), ("b", 1.0), ("c", 2.0), ("d", 3.0)]
    off = (0.0, 0.1, 0.12, -0.7)
    for name, shift in (("ref", (0.0,) * 4), ("hyp", off)):
        rows = zip(said, shift, strict=True)
        lines = [f"r 1 {begin + late:.3f} 0.300 {word}\n" for (word, begin), late in rows]
        (tmp_path / f"{name}.ctm").write_text("".join(lines))
    corpus, _ = misword.read_corpus(tmp_path / "ref.ctm", tmp_path / "hyp.ctm")
    result = misword.score(corpus, metrics="wer,word-times").result(bootstrap=0)
    figure = histogram(result, WORD_TIMES, "words")
    assert figure is not None
    values = figure.spec["data"]["values"]
    of_begins = {v["x"]: v["y"] for v in values if v["panel"] == "hyp: begins"}
    assert of_begins == pytest.approx({0: 25, 100: 50, -500: 25})
    assert accuracy_figure(result) is None
    assert histogram(result, "segment_times", "segments") is None


def test_accuracy_beside_latency(tmp_path: Path) -> None:
    (tmp_path / "ref.ctm").write_text("r 1 0.0 0.5 a\nr 1 0.5 0.5 b\n")
    for name, late, text in (("fast", 0.2, "a x"), ("slow", 2.0, "a b")):
        results = [
            {"recording": "r-1", "emitted": 0.6, "text": "a", "final": False},
            {"recording": "r-1", "emitted": 1 + late, "text": text, "final": True},
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in results))
    files = [tmp_path / "fast.jsonl", tmp_path / "slow.jsonl"]
    corpus, _ = misword.read_corpus(tmp_path / "ref.ctm", files)
    result = misword.score(corpus, metrics="wer,latency").result(bootstrap=0)
    figure = accuracy_figure(result)
    assert figure is not None
    points = {v["series"]: (v["x"], v["y"]) for v in figure.spec["data"]["values"]}
    assert points == {
        "fast": (pytest.approx(0.2), pytest.approx(50.0)),
        "slow": (pytest.approx(2.0), 0.0),
    }
    partials = partials_figure(result)
    assert partials is not None
    assert partials.spec["encoding"]["x"]["sort"] == ["up to 4 s", "up to 1 s", "final"]
    write_report([result], tmp_path / "page.html")
    assert "How late are the results?" in (tmp_path / "page.html").read_text()
