"""Suspect references: spans where systems agree against the reference, ranked by probability.

The probability is that of a logistic model of the evidence (`evidence.py`), whose weights were
learnt from errors planted into one word of a hundred of Earnings-21 (`tools/make_suspects.py`).

Known problems: references with more or fewer errors have other probabilities; the order is more
reliable than the number. In languages other than English, sounds are compared by letters.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.alignment.several_references import AROUND
from misword.alignment.several_references import word_key as key
from misword.asr.options import ScoringOptions
from misword.asr.references.candidates import LEAST_SYSTEMS, Candidate, Heard, find_candidates
from misword.asr.references.evidence import FEATURES, LINE, STYLE, Evidence, without_overlaps
from misword.core.context import Context
from misword.core.formatting import counted, listed
from misword.core.lazy import pl
from misword.io.transcripts.corrections import Correction
from misword.stat.regression import LogisticModel
from misword.text.tokens import encode_lists

CONTEXT = 6  # words shown on each side of a suspect
LENGTH_OF_ID = 12
MOST_TIMES = 1000  # larger ratios of probabilities say no more
# A line belongs elsewhere if systems agree on it with at most `AGREED` errors a word, and each of
# them has at least `FOREIGN` errors a word against the reference.
LEAST_LINE, AGREED, FOREIGN = 3, 0.4, 0.7
SURE, DOUBTFUL = 0.99, 0.8  # probabilities of such lines: the right one is known, or not


@dataclass(frozen=True, slots=True)
class Suspect:
    """A span of a reference that may be wrong.

    The span is the words `start` to `end - 1` of utterance `utt` as written, `reference` is their
    text, and `consensus` what the systems in `systems` have in their place. `against` are the
    systems that have the words of the reference. `before` and `after` are the words around it.
    """

    utt: str
    start: int
    end: int
    reference: str
    consensus: str
    kind: str
    probability: float
    systems: tuple[str, ...]
    against: tuple[str, ...]
    evidence: str
    before: str = ""
    after: str = ""
    row: int = 0

    @property
    def id(self) -> str:
        """A name that does not depend on the systems or on other suspects."""
        parts = (self.utt, str(self.start), str(self.end), self.reference, self.consensus)
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return sha256(text).hexdigest()[:LENGTH_OF_ID]

    def correction(self, new: str) -> Correction:
        """Return the correction of the span by another text."""
        return Correction(self.start, self.end, self.reference, new)


@cache
def model() -> LogisticModel:
    """Return the model of the probabilities."""
    text = (files("misword.asr.references") / "weights.json").read_text(encoding="utf-8")
    content = json.loads(text)
    if content.pop("features") != list(FEATURES):
        raise ValueError("the weights are those of other features: run tools/make_suspects.py")
    return LogisticModel.from_json(content, len(FEATURES))


def find_suspects(
    heard: Heard,
    options: ScoringOptions,
    context: Context,
    *,
    lang: str,
    left_out: int | None = None,
) -> list[Suspect]:
    """Return the suspects, the most probable first; `left_out` is a system without a vote."""
    if len(heard.systems) - (left_out is not None) < LEAST_SYSTEMS:
        return []
    lines = foreign_lines(heard, left_out)
    rows = {line.row for line in lines}
    candidates = find_candidates(heard, options, context, left_out=left_out)
    candidates = [one for one in candidates if one.row not in rows]
    found = [*lines]
    if candidates:
        evidence = Evidence(candidates, heard, lang, left_out)
        probabilities = model().probabilities(evidence.features)
        style = _style_of(heard)
        found += [
            _suspect(candidates[at], evidence, at, float(probabilities[at]), style)
            for at in without_overlaps(candidates, probabilities)
        ]
    # Suspects of style come last: they are no errors of the transcriber.
    return sorted(found, key=lambda one: (one.kind == STYLE, -one.probability, one.row, one.start))


def _suspect(
    one: Candidate, evidence: Evidence, at: int, probability: float, style: tuple[bool, bool]
) -> Suspect:
    """Return a candidate with its texts as they are written, its context and its evidence."""
    heard = evidence.heard
    text = heard.texts[one.row]
    places = text.places
    start = places[one.start] if one.start < len(places) else (places[-1] + 1 if places else 0)
    end = places[one.end - 1] + 1 if one.end > one.start else start
    return Suspect(
        heard.ids[one.row],
        start,
        end,
        " ".join(text.words[one.start : one.end]),
        in_style(one.text, *style),
        evidence.kinds[at],
        probability,
        tuple(heard.systems[number] for number in one.support),
        tuple(heard.systems[number] for number in one.against),
        _in_words(one, evidence, at),
        " ".join(text.words[max(0, one.start - CONTEXT) : one.start]),
        " ".join(text.words[one.end : one.end + CONTEXT]),
        one.row,
    )


def _in_words(one: Candidate, evidence: Evidence, at: int) -> str:
    """Return the evidence in words."""
    values = dict(zip(FEATURES, evidence.features[at].tolist(), strict=True))
    size, number = len(evidence.voters), len(one.support)
    independent = round(exp(values["independent"]), 1)
    parts = [f"{number} of {size} systems, worth {independent:g} independent ones"]
    if one.against:
        parts.append(f"{len(one.against)} with the reference")
    if not values["missing"] and not values["extra"]:
        parts.append(f"{values['sound']:.0%} of the sounds alike")
    parts.append(f"{_times(values['language'])} likely in the language of the references")
    if (again := round(exp(values["repeated"])) - 1) > 0:
        parts.append(f"the same in {counted(again, 'other place')}")
    return "; ".join(parts)


def _times(log_odds: float) -> str:
    """Return how many times more or less likely the consensus is."""
    direction = "more" if log_odds >= 0 else "less"
    if abs(log_odds) > log(MOST_TIMES):
        return f"over {MOST_TIMES:,} times {direction}"
    size = exp(abs(log_odds))
    return f"{size:,.0f} times {direction}" if size >= 10 else f"{size:.1f} times {direction}"


def _style_of(heard: Heard) -> tuple[bool, bool]:
    """Return whether references have capital letters, and whether they have punctuation."""
    words = [word for text in heard.texts for word in text.words]
    capitals = any(word != word.lower() for word in words)
    marked = sum(word[-1:] in ".,?!" for word in words)
    return capitals, marked > len(words) / 200


def in_style(text: str, capitals: bool, punctuation: bool) -> str:
    """Return a text in the style of the references.

    >>> in_style("Yes, Anna.", False, False)
    'yes anna'
    """
    words = text.split()
    if not punctuation:
        words = [AROUND.sub("", word) or word for word in words]
    return " ".join(words if capitals else map(str.lower, words))


# Whole lines that belong elsewhere.


def foreign_lines(heard: Heard, left_out: int | None = None) -> list[Suspect]:
    """Return the utterances whose reference has little in common with what systems agree on."""
    voters = [n for n in range(len(heard.systems)) if n != left_out]
    sizes = np.diff(heard.first)
    if len(heard.ids) < LEAST_SYSTEMS:
        return []
    shares = heard.errors[:, voters] / np.maximum(1, sizes)[:, None]
    fit = (sizes >= LEAST_LINE) | (sizes == 0)
    rows = np.flatnonzero((shares >= FOREIGN).all(axis=1) & fit).tolist()
    found = []
    known: dict[int, Counter[str]] = {}
    for row in rows:
        texts = [[key(word) for word in heard.hypotheses[n][row]] for n in voters]
        costs = _distances(texts)
        longest = max(map(len, texts))
        closest = int(costs.sum(axis=1).argmin())
        agreed = np.sort(costs[closest])[1] / max(1, longest)
        if longest < LEAST_LINE or agreed > AGREED:
            continue
        known = known or {r: Counter(map(key, text.words)) for r, text in enumerate(heard.texts)}
        own = _best_match(Counter(texts[closest]), known, row)
        where = "the reference is empty" if not sizes[row] else "the whole line"
        where = where if own is None else f"it is the text of {heard.ids[own]!r}"
        names = tuple(heard.systems[n] for n in voters)
        places = heard.texts[row].places
        if -1 in places:
            continue
        found.append(
            Suspect(
                heard.ids[row], 0, len(places), " ".join(heard.texts[row].words),
                in_style(" ".join(heard.hypotheses[voters[closest]][row]), *_style_of(heard)),
                LINE, SURE if own is not None else DOUBTFUL, names, (),
                f"{listed(list(names))} agree on another text; {where}", row=row,
            )
        )  # fmt: skip
    return found


def _distances(texts: Sequence[list[str]]) -> NDArray[np.float64]:
    """Return the numbers of errors between each two texts."""
    size = len(texts)
    pairs = np.array([(a, b) for a in range(size) for b in range(size)], np.int64)
    tokens = encode_lists(texts)
    return align(tokens, tokens, pairs=pairs, operations=False).costs.reshape(size, size)


def _best_match(words: Counter[str], known: dict[int, Counter[str]], row: int) -> int | None:
    """Return the row of another reference that has most of these words, if there is one."""
    total = sum(words.values())
    best, most = None, 1 - AGREED
    for other, counts in known.items():
        if other != row:
            share = (words & counts).total() / max(total, counts.total(), 1)
            if share > most:
                best, most = other, share
    return best


# A table of suspects.


def suspect_table(suspects: Sequence[Suspect]) -> pl.DataFrame:
    """Return a row for each suspect."""
    columns = {
        "id": [one.id for one in suspects],
        "utt": [one.utt for one in suspects],
        "start": [one.start for one in suspects],
        "end": [one.end for one in suspects],
        "before": [one.before for one in suspects],
        "reference": [one.reference for one in suspects],
        "consensus": [one.consensus for one in suspects],
        "after": [one.after for one in suspects],
        "kind": [one.kind for one in suspects],
        "probability": [one.probability for one in suspects],
        "systems": [", ".join(one.systems) for one in suspects],
        "against": [", ".join(one.against) for one in suspects],
        "evidence": [one.evidence for one in suspects],
    }
    types = {"start": pl.Int64, "end": pl.Int64, "probability": pl.Float64}
    return pl.DataFrame(columns, schema={name: types.get(name, pl.String) for name in columns})
