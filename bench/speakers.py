"""Error rates of speakers beside MeetEval, and diarisation error rates beside pyannote.metrics.

`python bench/speakers.py` writes bench/results/speakers.md: errors and CPU seconds of nine
recordings of CORAAL. It needs the data of ../shared, meeteval and pyannote.metrics.
"""

from __future__ import annotations

import json
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import misword
from misword.asr.metrics import METRICS
from misword.asr.pairs import prepare
from timing import machine

SHARED = Path(__file__).parents[2] / "shared" / "data" / "coraal"
RESULTS = Path(__file__).parent / "results" / "speakers.md"
SYSTEMS = ("rev", "amberscript")
PEERS: dict[str, tuple[str, dict[str, Any]]] = {
    "cpwer": ("cpwer", {}),
    "tcpwer:collar=0": ("tcpwer", {"collar": 0}),
    "tcpwer:collar=1": ("tcpwer", {"collar": 1}),
    "tcpwer": ("tcpwer", {"collar": 5}),
    "orcwer": ("greedy_orcwer", {}),
    "dicpwer": ("greedy_dicpwer", {}),
}
COLLARS = {"der": 0.0, "der:collar=0.25": 0.25}
RUNS = 3

# A function that returns the errors and the words (or the seconds) of all recordings.
Rate = Callable[[], "tuple[float, float]"]


def ours(corpus: misword.Corpus, metric: str) -> tuple[float, float]:
    """The errors and the words of all recordings by `misword.score`, with intervals and notes."""
    scores = misword.score(corpus, metrics=metric)
    scores.summary()
    (column,) = scores.columns
    errors, words = column.measure.terms(column.statistics(scores.table)).sum(axis=0).tolist()
    return errors, words


def alone(corpus: misword.Corpus, metric: str) -> tuple[float, float]:
    """The same by the metric alone: words are normalised, divided and aligned."""
    rate = METRICS.create(metric)
    errors, words = rate.terms(rate.measure(prepare(corpus))).sum(axis=0).tolist()
    return errors, words


def of_meeteval(sides: list[Any], metric: str) -> tuple[float, float]:
    """Those of MeetEval, of segments in memory."""
    import meeteval

    name, options = PEERS[metric]
    rates = getattr(meeteval.wer, name)(*sides, **options)
    return sum(r.errors for r in rates.values()), sum(r.length for r in rates.values())


def of_pyannote(sides: list[dict[str, Any]], metric: str) -> tuple[float, float]:
    """The seconds of errors and of speech by pyannote.metrics."""
    from pyannote.metrics.diarization import DiarizationErrorRate

    rate = DiarizationErrorRate(collar=COLLARS[metric])
    errors = total = 0.0
    for session, said in sides[0].items():
        found = rate(said, sides[1][session], detailed=True)
        errors += found["missed detection"] + found["false alarm"] + found["confusion"]
        total += found["total"]
    return errors, total


def speech(segments: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an annotation of pyannote for each recording."""
    from pyannote.core import Annotation, Segment

    found: dict[str, Any] = {}
    for number, row in enumerate(segments):
        annotation = found.setdefault(row["session_id"], Annotation())
        annotation[Segment(row["start_time"], row["end_time"]), number] = row["speaker"]
    return found


def timed(rate: Rate) -> tuple[float, float, float]:
    """Return errors, words and the least CPU seconds of some runs."""
    best = float("inf")
    for _ in range(RUNS):
        clock = time.process_time()
        errors, words = rate()
        best = min(best, time.process_time() - clock)
    return errors, words, best


def rows() -> Iterator[str]:
    """Yield a row for each system and metric."""
    import meeteval

    for system in SYSTEMS:
        paths = [SHARED / f"{name}.seglst.json" for name in ("coraal", system)]
        corpus, _ = misword.read_corpus(*paths, join="recording")
        segments = [json.loads(path.read_text()) for path in paths]
        of_words = [meeteval.io.SegLST(side) for side in segments]
        of_times = [speech(side) for side in segments]
        for metric in (*PEERS, *COLLARS):

            def mine(metric: str = metric, corpus: misword.Corpus = corpus) -> tuple[float, float]:
                return ours(corpus, metric)

            def by_metric(
                metric: str = metric, corpus: misword.Corpus = corpus
            ) -> tuple[float, float]:
                return alone(corpus, metric)

            def theirs(
                metric: str = metric, words: Any = of_words, times: Any = of_times
            ) -> tuple[float, float]:
                return of_meeteval(words, metric) if metric in PEERS else of_pyannote(times, metric)

            _, _, whole = timed(mine)
            errors, size, cpu = timed(by_metric)
            other, _, peer = timed(theirs)
            digits = 0 if metric in PEERS else 3
            yield (
                f"| {system} | `{metric}` | {errors:,.{digits}f} | {other:,.{digits}f} "
                f"| {100 * errors / size:.2f} | {whole:.3f} | {cpu:.3f} | {peer:.3f} "
                f"| {peer / cpu:.1f} | {peer / whole:.1f} |"
            )


def main() -> None:
    peers = f"MeetEval {version('meeteval')} and pyannote.metrics {version('pyannote.metrics')}"
    logging.disable()  # MeetEval warns of each file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = "\n".join(rows())
    text = (
        f"# Speakers\n\n`python bench/speakers.py`, {machine()}; {peers}.\n\n"
        "Nine recordings of CORAAL, 28,317 words, two speakers each. CPU seconds: of "
        "`misword.score` with its intervals and notes; of the metric alone; and of the peer, which "
        "has the rate alone. The ratios are of the peer to the metric, and to all of the score. "
        "The tables of whose errors they are, are made when they are shown. Files are "
        f"read before; the least of {RUNS} runs. `orcwer` and `dicpwer` are the greedy searches of "
        "both. Errors of `der` are seconds.\n\n"
        "| system | metric | errors | of the peer | % | CPU s, score | metric | peer "
        "| ratio, metric | score |\n"
        "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        f"{body}\n"
    )
    RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
