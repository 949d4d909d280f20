"""All public results in a notebook: short texts, small tables, alignments in colour."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import misword
from bilingual import gold
from extras import needs
from misword.core.display import Displayed
from misword.core.types import DisplayedResult
from spaces_made import turned

REFERENCES = ["the cat sat", "so we are going", "two by two", "on and on"]
HYPOTHESES = {"base": ["a cat sat", "so we're going", "to two", "on an on on"], "new": REFERENCES}
VECTORS = misword.WordVectors.of(["the", "cat", "sat", "two"], [[1, 0], [0, 1], [1, 1], [1, 2]])
ROW = {"reference": "a b", "hypA": "a", "votesA": 1, "hypB": "a b", "votesB": 6}
PAIRS = [("the cat sat", "the cat", 4.0), ("two cat", "the two", 2.0), ("sat", "two", 1.0)]


@cache
def mapping() -> misword.Mapping:
    source, target, pairs = turned(60, 6)
    return misword.map_vectors(source, target, lexicon=misword.Lexicon.of(pairs))


def triplets() -> dict[str, list[Any]]:
    return {name: [value] * 3 for name, value in ROW.items()}


def sentences() -> dict[str, list[Any]]:
    first, second, scores = map(list, zip(*PAIRS, strict=True))
    return {"s1": first, "s2": second, "score": scores}


MAKERS: dict[str, Callable[[], Any]] = {
    "Agreement": lambda: misword.agree(triplets(), "wer", bootstrap=0),
    "Aligned": lambda: misword.align(REFERENCES, HYPOTHESES["base"]),
    "Combination": lambda: misword.combine(HYPOTHESES),
    "Comparison": lambda: misword.compare(REFERENCES, HYPOTHESES, "wer,cer"),
    "Corpus": lambda: misword.corrupt(REFERENCES, 0.3, channel="uniform").corpus,
    "Correlations": lambda: misword.correlate(REFERENCES, HYPOTHESES, "wer,cer"),
    "Corruption": lambda: misword.corrupt(REFERENCES, [0.1, 0.3], channel="uniform"),
    "Evaluation": lambda: misword.evaluate(mapping(), gold_pairs(), 1, bootstrap=0, **sides()),
    "LearntNoise": lambda: misword.learn_noise(REFERENCES, HYPOTHESES["base"]),
    "Lexicon": lambda: gold(),
    "Mapping": lambda: mapping(),
    "MinimumRisk": lambda: misword.mbr([[text, ""] for text in HYPOTHESES["base"]]),
    "Oracle": lambda: misword.oracle(
        REFERENCES, [[text, ""] for text in HYPOTHESES["base"]], "wer"
    ),
    "Realism": lambda: misword.realism(REFERENCES, HYPOTHESES["base"], "uniform", bootstrap=0),
    "Result": lambda: misword.score(REFERENCES, HYPOTHESES).result(),
    "Robustness": lambda: misword.robust(
        sentences(), "mean", [0, 0.3], channel="uniform", vectors=VECTORS, trials=2, bootstrap=0
    ),
    "Scores": lambda: misword.score(REFERENCES, HYPOTHESES),
    "SystemTuning": lambda: misword.tune_systems(REFERENCES, HYPOTHESES, "wer", bootstrap=0),
    "Translations": lambda: misword.translate(mapping(), ["w0", "unknown"], 2, **sides()),
    "Tuning": lambda: misword.tune(
        REFERENCES, [[text, ""] for text in HYPOTHESES["base"]], resamples=0, bootstrap=0
    ),
    "WordVectors": lambda: VECTORS,
}


def gold_pairs() -> misword.Lexicon:
    return misword.Lexicon.of(turned(60, 6)[2])


def sides() -> dict[str, Any]:
    source, target, _ = turned(60, 6)
    return {"source": source, "target": target}


@pytest.mark.parametrize("kind", MAKERS)
def test_every_result_is_shown_in_a_few_lines(kind: str) -> None:
    made = MAKERS[kind]()
    assert isinstance(made, Displayed)
    assert type(made).__name__ == kind
    assert repr(made).startswith(kind.removesuffix("s"))
    assert len(repr(made).splitlines()) <= 13
    assert len(repr(made)) <= 2000
    assert made._repr_html_().startswith("<div><p>")
    assert len(made._repr_html_()) <= 20_000


@needs("pandas")
@pytest.mark.parametrize("kind", MAKERS)
def test_results_with_tables_become_frames_of_pandas(kind: str) -> None:
    made = MAKERS[kind]()
    if isinstance(made, DisplayedResult):
        frame, table = made.to_pandas(), made.main_table()
        assert list(frame.columns) == table.columns
        assert len(frame) == len(table) > 0
        name = next(iter(made.result().tables))
        assert list(made.to_pandas(name).columns) == made.result().tables[name].columns


@pytest.mark.parametrize("kind", MAKERS)
def test_results_record_the_version_that_their_signatures_lack(kind: str) -> None:
    made = MAKERS[kind]()
    if isinstance(made, DisplayedResult):
        assert made.result().provenance["misword"] == misword.__version__


@needs("pandas")
def test_steps_become_a_frame_of_pandas() -> None:
    frame = misword.align(["a b"], ["a c"]).to_pandas()
    assert frame["kind"].tolist() == ["hit", "substitution"]


def test_long_results_are_short_in_a_notebook() -> None:
    texts = [" ".join(f"w{i}x{j}" for j in range(300)) for i in range(200)]
    others = [text.replace("1", "2") for text in texts]
    for made in (misword.align(texts, others), misword.score(texts, others)):
        assert len(repr(made)) < 2000
        assert len(made._repr_html_()) < 300_000
    assert "... 200 more" in misword.align(texts, others)._repr_html_()
    assert "... 190 more" in misword.align(texts, others)._repr_html_()


def test_alignments_have_the_colours_of_the_report() -> None:
    references = ["we are in", "<b> cat", "a b", "a"]
    hypotheses = ["we're in", "<b> dog", "a", "a b"]
    aligned = misword.align(references, hypotheses, forgive="contractions")
    html = aligned._repr_html_()
    assert 'title="forgiven: contractions"' in html
    assert "background:#d9e8fa" in html
    for kind, line in (("substitution", "solid"), ("deletion", "dotted"), ("insertion", "dashed")):
        assert f'title="{kind}"' in html
        assert f"{line} #7f2d00" in html
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "1 forgiven" in repr(aligned)


def test_colours_follow_the_cost() -> None:
    vectors = misword.WordVectors.of(["cat", "cats", "dog"], [[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    near = misword.align(["cat"], ["cats"], "wer-e", vectors=vectors)._repr_html_()
    far = misword.align(["cat"], ["dog"], "wer-e", vectors=vectors)._repr_html_()
    assert "background:#fff3e8" in near
    assert "background:#ffb06b" in far
