"""Systems before and after the correction of references, and systems that know wrong references.

No system corrects its own exam: for each system, the references are also corrected by what the
other systems agree on, without it.

A system that writes what a wrong reference says has probably seen the reference: where it was
recorded, something else was said. For each system, the places are those where all other systems
agree against the reference; the share of them in which it has the words of the reference is
compared with that of the other systems by Fisher's exact test.

References: R. A. Fisher, Statistical methods for research workers, 1934; S. Holm, A simple
sequentially rejective multiple test procedure, 1979.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, lgamma

import numpy as np

from misword.alignment.several_references import word_key
from misword.asr.measuring import prepare_with
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import ScoringOptions
from misword.asr.references.candidates import Heard
from misword.asr.references.evidence import LINE, STYLE
from misword.asr.references.judgements import Decisions, Judgement
from misword.asr.references.suspects import Suspect
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import Corpus, Statistics
from misword.io.transcripts.corrections import Correction, Corrections, corrected_text
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.paired import holm

Panel = Callable[[int | None], list[Suspect]]
# The words of a suspect: utterance, first and last word, and the words of the consensus.
SpanKey = tuple[str, int, int, str]


def span_key(utt: str, start: int, end: int, consensus: str) -> SpanKey:
    """Return what identifies a suspect whatever the writing of the systems."""
    return utt, start, end, " ".join(map(word_key, consensus.split()))


def probable(suspects: Iterable[Suspect], threshold: float) -> list[Suspect]:
    """Return the suspects that are errors with a probability of at least the threshold."""
    return [
        one for one in suspects if one.probability >= threshold and one.kind not in (STYLE, LINE)
    ]


def corrections_of(suspects: Iterable[Suspect]) -> dict[str, list[Correction]]:
    """Return the corrections of each utterance by the consensus of the systems."""
    found: dict[str, list[Correction]] = {}
    for one in suspects:
        found.setdefault(one.utt, []).append(one.correction(one.consensus))
    return found


def without_own(decisions: Decisions, others: Iterable[Suspect]) -> dict[str, list[Correction]]:
    """Return the corrections without those that rest on the system that is left out.

    `others` are the suspects that the other systems give. A text that a person typed stays.
    """
    known = {span_key(one.utt, one.start, one.end, one.consensus) for one in others}

    def stands(one: Judgement) -> bool:
        typed = one.verdict == "text" and one.text != one.consensus
        return typed or span_key(one.utt, one.start, one.end, one.consensus) in known

    kept = {name: found for name, found in decisions.agreed.items() if stands(found[0])}
    return Decisions(kept, {}).corrections()


def corrected_references(references: pl.DataFrame, corrections: Corrections) -> pl.DataFrame:
    """Return the references with corrected texts."""
    texts = [
        corrected_text(text, corrections[utt], utt) if utt in corrections else text
        for utt, text in references.select("utt", "text").iter_rows()
    ]
    return references.with_columns(pl.Series("text", texts, pl.String))


class Rates:
    """Error rates of the systems of a corpus under changed references."""

    def __init__(self, corpus: Corpus, options: ScoringOptions, context: Context) -> None:
        self.corpus, self.options, self.context = corpus, options, context

    def terms(self, references: pl.DataFrame, systems: Sequence[str]) -> dict[str, Statistics]:
        """Return errors and words of each utterance, by system."""
        kept = self.corpus.hypotheses.filter(pl.col("system").is_in(list(systems)))
        pairs = prepare_with(self.options, Corpus(references, kept), (), self.context)
        metric = EditRate()
        terms = metric.terms(metric.measure(pairs))
        names = pairs.keys["system"].to_numpy()
        return {name: terms[names == name] for name in systems}


def rate_table(
    rates: Rates,
    systems: Sequence[str],
    heard: Heard,
    suspects: Sequence[Suspect],
    panel: Panel,
    decisions: Decisions | None,
    threshold: float,
    bootstrap: Bootstrap,
) -> pl.DataFrame:
    """Return a row for each system: its rate and rank with each version of the references.

    `raw` are the references as they are. `corrected` are corrected by verdicts, or without verdicts
    by all suspects that are probably errors. `left_out` are corrected without the system itself.
    """
    references = rates.corpus.references
    if decisions is not None:
        corrections = decisions.corrections()
    else:
        corrections = corrections_of(probable(suspects, threshold))
    corrected = corrected_references(references, corrections)
    found = {
        "raw": rates.terms(references, systems),
        "corrected": rates.terms(corrected, systems),
        "left_out": {},
    }
    for name in systems:
        if len(heard.systems) < 3:
            break
        others = panel(heard.systems.index(name))
        if decisions is not None:
            own = without_own(decisions, others)
        else:
            own = corrections_of(probable(others, threshold))
        changed = corrected_references(references, own)
        found["left_out"][name] = rates.terms(changed, [name])[name]
    return _rates_and_ranks(systems, found, bootstrap)


def _rates_and_ranks(
    systems: Sequence[str], found: Mapping[str, Mapping[str, Statistics]], bootstrap: Bootstrap
) -> pl.DataFrame:
    """Return a table of rates, ranks and intervals; `found` has the terms of each version."""
    rate = EditRate().rate
    columns: dict[str, list[float | None]] = {}
    for version, by_system in found.items():
        values = [
            float(rate(by_system[name].sum(axis=0))) if name in by_system else None
            for name in systems
        ]
        columns[version] = values
        columns[f"{version}_rank"] = [
            None if value is None else 1.0 + sum(v is not None and v < value for v in values)
            for value in values
        ]
        if version != "corrected":
            bounds = [
                interval(by_system[name], rate, bootstrap) if name in by_system else (None, None)
                for name in systems
            ]
            columns[f"{version}_low"] = [low for low, _ in bounds]
            columns[f"{version}_high"] = [high for _, high in bounds]
    frame = pl.DataFrame(
        {"system": list(systems), **columns},
        schema={"system": pl.String, **dict.fromkeys(columns, pl.Float64)},
    )
    ranks = [name for name in frame.columns if name.endswith("_rank")]
    return frame.with_columns(pl.col(ranks).cast(pl.Int64)).fill_nan(None)


# Systems that write what wrong references say.


def contamination_table(
    systems: Sequence[str],
    heard: Heard,
    panel: Panel,
    decisions: Decisions | None,
    threshold: float,
) -> pl.DataFrame:
    """Return a row for each system: how often it has the words of wrong references, with a test.

    A place is wrong if reviewers say so, or without verdicts if it is probably an error.
    """
    counts = {}
    for name in systems:
        number = heard.systems.index(name)
        if len(heard.systems) < 3:
            break
        places = [one for one in probable(panel(number), threshold) if not one.against]
        if decisions is not None:
            wrong = {
                span_key(one.utt, one.start, one.end, one.consensus)
                for one, *_ in decisions.agreed.values()
                if one.verdict in ("consensus", "text")
            }
            listed = panel(number)
            places = [
                one
                for one in listed
                if not one.against and span_key(one.utt, one.start, one.end, one.consensus) in wrong
            ]
        counts[name] = sum(_has_reference(heard, one, number) for one in places), len(places)
    rows = []
    for name, (own, size) in counts.items():
        others = [pair for other, pair in counts.items() if other != name]
        agree, total = (sum(column) for column in zip(*others, strict=True))
        p = fisher_greater(own, size, agree, total)
        rows.append((name, own, size, own / size if size else None,
                     agree / total if total else None, p))  # fmt: skip
    adjusted = holm([row[-1] for row in rows]).tolist() if rows else []
    schema = {
        "system": pl.String, "agrees": pl.Int64, "places": pl.Int64, "share": pl.Float64,
        "others": pl.Float64, "p": pl.Float64, "p_holm": pl.Float64,
    }  # fmt: skip
    both = [(*row, value) for row, value in zip(rows, adjusted, strict=True)]
    return pl.DataFrame(both, schema=schema, orient="row")


def _has_reference(heard: Heard, one: Suspect, system: int) -> bool:
    """Return whether a system has the words of the reference in the span of a suspect."""
    places = heard.texts[one.row].places
    start = int(np.searchsorted(places, one.start))
    end = start + (one.end - one.start)
    at = int(heard.first[one.row])
    if start == end:
        return not heard.inserted[at + one.row + start, system]
    return bool(heard.hits[at + start : at + end, system].all())


def fisher_greater(hits: int, size: int, other_hits: int, other_size: int) -> float:
    """Return the p-value of Fisher's exact test that the first share is greater.

    >>> round(fisher_greater(8, 10, 1, 10), 6)
    0.002739
    """
    total, right = size + other_size, hits + other_hits
    if not size or not other_size:
        return 1.0

    def choose(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    most = min(size, right)
    terms = (
        choose(right, k) + choose(total - right, size - k) - choose(total, size)
        for k in range(hits, most + 1)
        if size - k <= total - right
    )
    return min(1.0, sum(map(exp, terms)))


def likeness_rows(systems: Sequence[str], alike: Statistics) -> list[Mapping[str, object]]:
    """Return a row for each two systems: how alike their errors are."""
    return [
        {"system": one, "other": other, "alike": float(alike[a, b])}
        for a, one in enumerate(systems)
        for b, other in enumerate(systems)
        if a < b
    ]
