"""Several references, suspects of references, and the page of suspects: figures and CPU time.

Span merge: the nine recordings of data/coraal, a hypothesis against two and three other
transcripts, beside whole texts, and beside an exact search over the same alternatives in Python.
Suspects: errors are planted into one word of a hundred of Earnings-21 (a planting that the weights
were not learnt from); the first suspects without style are counted, and probabilities compared with
what was planted. CPU time is summed over threads.

Usage: python bench/references.py [SHARED]. Writes bench/results/references.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1] / "tests"))

import misword
from misword.alignment.several_references import MergedReferences, merge_references
from misword.asr.options import combine
from misword.asr.references.candidates import find_candidates, listen
from misword.asr.references.evidence import STYLE, Evidence, without_overlaps
from misword.asr.references.suspects import model
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import Corpus
from misword.io.transcripts.read import read_corpus
from misword.stat.calibration import calibration_bins, expected_calibration_error
from planted_references import is_planted, plant
from timing import clock, machine

RESULTS = Path(__file__).parent / "results" / "references.md"
NAMES = ("coraal", "rev", "rev_aa", "amberscript")
SYSTEMS = ("amazon", "google", "microsoft", "speechmatics")
SEEDS = (7, 8)
FIRST = (100, 200, 300, 400, 500)


def transcripts(folder: Path) -> dict[str, list[str]]:
    """Return the texts of each transcriber, in the order of the recordings."""
    found = {}
    for name in NAMES:
        lines = (folder / f"{name}.text").read_text("utf-8").splitlines()
        texts = dict(line.split(" ", 1) for line in lines)
        found[name] = [texts[utt] for utt in sorted(texts)]
    return found


def errors(references: Sequence[str], heard: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of errors and of reference words."""
    row = misword.score(list(references), list(heard), "wer", keep_texts=False)
    found = row.summary(bootstrap=0).row(0, named=True)
    wrong = found["substitutions"] + found["insertions"] + found["deletions"]
    return int(wrong), int(found["reference"])


def exact(merged: MergedReferences, first: Sequence[str], heard: Sequence[str]) -> int:
    """Return the fewest errors over all choices, by a search over the places in numpy."""
    total = 0
    for row, (text, said) in enumerate(zip(first, heard, strict=True)):
        numbers: dict[str, int] = {}
        heard_words = [numbers.setdefault(word, len(numbers)) for word in said.split()]
        target = np.array(heard_words, np.int64)
        costs = np.arange(len(target) + 1)
        words, at = text.split(), 0
        places = [place for place in merged.places if place.row == row]
        for place in [*places, None]:
            until = len(words) if place is None else place.start
            costs = _through(costs, words[at:until], target, numbers)
            if place is not None:
                ways = [_through(costs, way.split(), target, numbers) for way in place.texts]
                costs, at = np.min(ways, axis=0), place.end
        total += int(costs[-1])
    return total


def _through(
    costs: NDArray[np.int64], words: Sequence[str], target: NDArray[np.int64], known: dict[str, int]
) -> NDArray[np.int64]:
    """Return the costs of each prefix of the hypothesis after these words."""
    steps = np.arange(len(costs))
    for word in words:
        wrong = target != known.get(word, -1)
        new = costs + 1
        new[1:] = np.minimum(new[1:], costs[:-1] + wrong)
        costs = np.minimum.accumulate(new - steps) + steps
    return costs


def merging(folder: Path) -> list[list[str]]:
    """Return the rows of the table of merged references."""
    texts = transcripts(folder)
    rows = []
    for hypothesis in ("coraal", "amberscript"):
        others = [name for name in NAMES if name != hypothesis]
        for names in (*combinations(others, 2), tuple(others)):
            columns = [texts[name] for name in names]
            cells = [hypothesis, ", ".join(names)]
            for rule in ("whole", "any", "majority"):
                merged = merge_references(columns, rule)
                wrong, size = errors(merged.texts, texts[hypothesis])
                cells.append(f"{100 * wrong / size:.2f}")
                if rule == "any":
                    slow = exact(merged, columns[0], texts[hypothesis])
                    cells.append(f"{100 * slow / size:.2f}")
            rows.append(cells)
    return rows


def timed(folder: Path) -> str:
    """Return the CPU time of merging three references and scoring a hypothesis."""
    texts = transcripts(folder)
    columns = [texts[name] for name in NAMES[1:]]
    words = sum(len(text.split()) for column in texts.values() for text in column)
    merge_references(columns)
    seconds = clock("merge three references", "", lambda: merge_references(columns)).cpu
    merged = list(merge_references(columns).texts)
    scoring = clock("score", "", lambda: errors(merged, texts["coraal"])).cpu
    return (
        f"{words:,} words of four transcripts: {seconds:.2f} CPU s to merge three of them, "
        f"{scoring:.2f} CPU s to score the fourth."
    )


def calibration(probabilities: NDArray[np.float64], planted: NDArray[np.bool_]) -> str:
    """Return the expected calibration error."""
    return f"{expected_calibration_error(calibration_bins(probabilities, planted)):.3f}"


def grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    marks = ["--:"] * len(head)
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


def planted(folder: Path) -> tuple[list[list[str]], float]:
    """Return the rows of the table of planted errors, and the CPU seconds of one search."""
    paths = [folder / name for name in SYSTEMS]
    corpus, _ = read_corpus(folder / "nlp_references", paths)
    context = Context.of("en")
    options = combine(context, "wer", forgive="writing")
    clean = listen(corpus, options, (), context)
    rows, seconds = [], 0.0
    for seed in SEEDS:
        spoiled = plant(corpus.references["text"].to_list(), clean, 0.01, seed)
        changed = corpus.references.with_columns(pl.Series("text", spoiled.texts))
        given = Corpus(changed, corpus.hypotheses)

        def search(given: Corpus = given) -> None:
            heard = listen(given, options, (), context)
            found = find_candidates(heard, options, context)
            _ = Evidence(found, heard, "en").features

        seconds = clock("search", "", search, 2).cpu
        heard = listen(given, options, (), context)
        candidates = find_candidates(heard, options, context)
        evidence = Evidence(candidates, heard, "en")
        scores = model().probabilities(evidence.features)
        listed = without_overlaps(candidates, scores)
        right = np.array(
            [is_planted(one.start, one.end, spoiled.spans[one.row]) for one in candidates]
        )
        kept = [at for at in listed if evidence.kinds[at] != STYLE]
        found = right[kept]
        rows.append(
            [
                str(seed), f"{sum(map(len, spoiled.spans)):,}", f"{len(kept):,}",
                f"{int(found.sum()):,}", *(str(int(found[:size].sum())) for size in FIRST),
                calibration(scores[kept], found),
                calibration(scores[listed], right[listed]),
            ]
        )  # fmt: skip
    return rows, seconds


def main(shared: Path) -> None:
    """Measure, and write the tables."""
    merge_head = ["hypothesis", "references", "whole %", "any %", "exact %", "majority %"]
    merge_rows = merging(shared / "coraal")
    plant_rows, seconds = planted(shared / "earnings21")
    head = ["seed", "planted", "suspects", "found", *(f"of first {n}" for n in FIRST), "ECE",
            "ECE with style"]  # fmt: skip
    text = "\n\n".join(
        [
            "# References",
            machine(),
            "## Several references, merged by spans",
            "Nine recordings of coraal-multi; word error rates of a hypothesis. *exact*: a search "
            "over the same alternatives, written anew in numpy.",
            grid(merge_head, merge_rows),
            timed(shared / "coraal"),
            "## Suspects with planted errors",
            "Ten Earnings-21 references with errors in one word of a hundred, four recognisers; "
            "seeds that the weights were not learnt from. Suspects without style.",
            grid(head, plant_rows),
            f"{seconds:.1f} CPU s to align four systems with 88,000 words, to find candidates and "
            "to weigh the evidence.",
        ]
    )
    RESULTS.write_text(f"{text}\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/data"))
