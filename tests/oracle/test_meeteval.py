"""Error rates of speakers beside MeetEval; diarisation error rates beside pyannote.metrics."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.stat.times.speech import speech_times

meeteval = pytest.importorskip("meeteval")
diarization = pytest.importorskip("pyannote.metrics.diarization")

METRICS = "cpwer,tcpwer:collar=0,tcpwer:collar=1,tcpwer,orcwer,dicpwer"
PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "cpwer": ("cpwer", {}),
    "tcpwer:collar=0": ("tcpwer", {"collar": 0}),
    "tcpwer:collar=1": ("tcpwer", {"collar": 1}),
    "tcpwer": ("tcpwer", {"collar": 5}),
    "orcwer": ("greedy_orcwer", {}),
    "dicpwer": ("greedy_dicpwer", {}),
}


def theirs(reference: Path, hypothesis: Path) -> dict[str, dict[str, int]]:
    """MeetEval's errors by metric and session."""
    sides = [meeteval.io.SegLST(json.loads(path.read_text())) for path in (reference, hypothesis)]
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for label, (name, options) in PEERS.items():
            rates = getattr(meeteval.wer, name)(*sides, **options)
            found[label] = {session: rate.errors for session, rate in rates.items()}
    return found


def ours(reference: Path, hypothesis: Path) -> dict[str, dict[str, int]]:
    corpus, _ = misword.read_corpus(reference, hypothesis, segments="recording")
    scores = misword.score(corpus, metrics=METRICS)
    found = {}
    for column in scores.columns:
        terms = column.measure.terms(column.statistics(scores.table))[..., 0]
        found[column.label] = dict(
            zip(scores.table["utt"].to_list(), terms.astype(int).tolist(), strict=True)
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rev", "amberscript"])
def test_nine_recordings(shared: Path, name: str) -> None:
    files = [shared / "coraal" / f"{side}.seglst.json" for side in ("coraal", name)]
    assert ours(*files) == theirs(*files)


def test_the_example_of_meeteval(tmp_path: Path) -> None:
    """Of 92 words: cp 25, tcp without a collar 88, with 5 s 25; ORC and DI-cp, greedy, 9."""
    example = json.loads(Path(__file__).with_name("meeteval_example.json").read_text())
    files = [tmp_path / f"{side}.seglst.json" for side in ("reference", "hypothesis")]
    keys = ("session_id", "speaker", "start_time", "end_time", "words")
    for path in files:
        rows = example[path.name.partition(".")[0]]
        path.write_text(json.dumps([dict(zip(keys, row, strict=True)) for row in rows]))
    found, expected = ours(*files), theirs(*files)
    assert found == expected
    for label, errors in example["expected"].items():
        assert list(found[label].values()) == errors


words = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5).map(" ".join)


@st.composite
def segments(draw: st.DrawFn, most_speakers: int) -> list[dict[str, Any]]:
    speakers = draw(st.integers(1, most_speakers))
    begins = draw(st.lists(st.integers(0, 200), min_size=speakers, max_size=24, unique=True))
    return [
        {
            "session_id": "one",
            "speaker": f"s{place if place < speakers else draw(st.integers(0, speakers - 1))}",
            "words": draw(words),
            "start_time": float(begin),
            "end_time": begin + draw(st.integers(1, 12)) / 2,
        }
        for place, begin in enumerate(begins)
    ]


@settings(max_examples=25, derandomize=True)
@given(segments(12), segments(9))
def test_generated_sessions(
    tmp_path_factory: pytest.TempPathFactory, said: list[Any], heard: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("session")
    files = [folder / "ref.seglst.json", folder / "hyp.seglst.json"]
    for path, side in zip(files, (said, heard), strict=True):
        path.write_text(json.dumps(side))
    found, expected = ours(*files), theirs(*files)
    for label in ("cpwer", "tcpwer:collar=0", "tcpwer:collar=1", "tcpwer"):
        assert found[label] == expected[label]
    for label in ("orcwer", "dicpwer"):
        # Several matchings of cpWER can have the same errors, and each begins another search.
        assert abs(found[label]["one"] - expected[label]["one"]) <= 3


stretches = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(1, 15)), min_size=1, max_size=15
)


@settings(max_examples=50)
@given(stretches, stretches, st.sampled_from([0.0, 0.25, 3.0]), st.booleans())
def test_der_is_that_of_pyannote(
    said: list[Any], heard: list[Any], collar: float, overlap: bool
) -> None:
    from pyannote.core import Annotation, Segment

    def annotation(side: list[Any], prefix: str) -> Any:
        found = Annotation()
        for number, (speaker, begin, length) in enumerate(side):
            found[Segment(begin / 2, (begin + length) / 2), number] = f"{prefix}{speaker}"
        return found

    peer = diarization.DiarizationErrorRate(collar=collar, skip_overlap=not overlap)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = peer(annotation(said, "r"), annotation(heard, "h"), detailed=True)
    sides = [
        np.array([(s, b / 2, (b + length) / 2) for s, b, length in side]) for side in (said, heard)
    ]
    found = speech_times(sides[0], sides[1], collar, overlap=overlap)
    assert found.speech == pytest.approx(expected["total"], abs=1e-6)
    assert found.missed == pytest.approx(expected["missed detection"], abs=1e-6)
    assert found.false_alarm == pytest.approx(expected["false alarm"], abs=1e-6)
    assert found.confused == pytest.approx(expected["confusion"], abs=1e-6)
