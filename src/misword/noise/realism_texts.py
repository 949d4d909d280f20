"""Realism of whole texts: where errors fall, in which runs, and how many sentences are clean.

Each channel corrupts the references of the test half at the word error rate of the recogniser. The
errors of the noisy texts are compared with the real ones, by the same alignment:

- rare: the share of wrong reference words that are rare (Zipf frequency below 3, by wordfreq);
- runs: the share of errors beside other errors; and how long runs of errors are;
- similarity: the mean similarity in spelling of substitutions, and the share of substitutions with
  a similarity below 0.2;
- clean: the share of utterances without errors;
- position: how often a word with a simulated error has a real error, in multiples of what chance
  would give. 1 is chance; the row of the recogniser has the highest possible value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from misword.core.context import Context
from misword.core.errors import MiswordError
from misword.core.lazy import pl
from misword.core.types import Op
from misword.embed import frequencies
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.arrays import Flags, Floats, Ints
from misword.noise.channels import Channel
from misword.noise.corrupt import draw
from misword.noise.corruption.text_block import distinct_cores
from misword.noise.listening.lexicon import share_of
from misword.noise.listening.spans import SpannedCorpus
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.paired import by_block

REAL = "recogniser"  # the row of the real errors
RARE_ZIPF, DISSIMILAR = 3.0, 0.2
LONGEST_RUN = 6  # longer runs are counted together
MEASURES = ("rare", "runs", "similarity", "dissimilar", "clean", "position")


@dataclass(frozen=True, slots=True, eq=False)
class TextShape:
    """For each utterance the sums from which the measures are made, and the lengths of all runs."""

    terms: Floats
    runs: Ints


def shape_of(corpus: AlignedCorpus, rare: Flags | None, real_wrong: Flags | None) -> TextShape:
    """Return the sums of each utterance of a corpus.

    `rare` says which words of the vocabulary are rare, `real_wrong` which reference words the
    recogniser got wrong, in the order of the utterances.
    """
    utterances, owner = np.unique(corpus.utterance, return_inverse=True)
    error = corpus.operations != Op.HIT
    said = corpus.reference >= 0
    same = np.append(owner[1:] == owner[:-1], False)
    following = np.append(error[1:], False) & same
    before = np.append(False, (error & same)[:-1])
    wrong = error & said
    substituted = corpus.operations == Op.SUBSTITUTION
    similarity = np.zeros(len(error))
    similarity[substituted] = _similarities(corpus, substituted)
    real = np.zeros(len(error), bool)
    real[said] = wrong[said] if real_wrong is None else real_wrong
    is_rare = np.zeros(len(error), bool) if rare is None else rare[corpus.reference] & said

    def total(values: Floats | Flags) -> Floats:
        return np.bincount(owner, values.astype(np.float64), len(utterances)).astype(np.float64)

    errors = total(error)
    columns = (
        total(is_rare & wrong), total(wrong),
        total(error & (following | before)), errors,
        total(similarity), total(substituted),
        total(substituted & (similarity < DISSIMILAR)), total(substituted),
        (errors == 0).astype(np.float64), np.ones(len(utterances)),
        total(real & wrong), total(wrong), total(real), total(said),
    )  # fmt: skip
    starts = np.flatnonzero(error & ~before)
    stops = np.flatnonzero(error & ~following)
    return TextShape(np.stack(columns, axis=1), np.minimum(stops - starts + 1, LONGEST_RUN))


def _similarities(corpus: AlignedCorpus, chosen: Flags) -> Floats:
    """Return the normalised similarity in spelling of the chosen substitutions."""
    from rapidfuzz.distance import Levenshtein

    words = corpus.vocabulary
    pairs = zip(corpus.reference[chosen].tolist(), corpus.hypothesis[chosen].tolist(), strict=True)
    found: dict[tuple[int, int], float] = {}
    values = []
    for pair in pairs:
        if pair not in found:
            one, other = words[pair[0]], words[pair[1]]
            found[pair] = Levenshtein.normalized_similarity(one, other)
        values.append(found[pair])
    return np.array(values, np.float64)


def measure(name: str) -> Callable[[Floats], Floats]:
    """Return the function of summed terms that is the measure of a name."""
    at = 2 * MEASURES.index(name)

    def rate(terms: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == "position":
                both, wrong, real, words = (terms[..., at + n] for n in range(4))
                return np.asarray(both / wrong / (real / words))
            return np.asarray(terms[..., at] / terms[..., at + 1])

    return rate


def texts_tables(
    channels: Mapping[str, Channel],
    test: AlignedCorpus,
    context: Context,
    bootstrap: Bootstrap,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the measures of the recogniser and of each channel, and the lengths of their runs."""
    spanned = SpannedCorpus.of(test)
    references = [" ".join(words) for words in spanned.references]
    best = test.best()
    wrong = (best.operations != Op.HIT)[best.reference >= 0]
    errors = int((best.operations != Op.HIT).sum())
    wer = errors / max(int((best.reference >= 0).sum()), 1)
    block = np.unique(spanned.sentence, return_inverse=True)[1]
    shapes = {REAL: shape_of(best, _rare(best.vocabulary, context), None)}
    words = distinct_cores({word for row in spanned.references for word in row})
    for name, channel in channels.items():
        model = channel.model(words, references, context)
        noisy = draw(references, model, wer, seed=bootstrap.seed, workers=context.workers)
        aligned = AlignedCorpus.align(references, noisy.texts)
        shapes[name] = shape_of(aligned, _rare(aligned.vocabulary, context), wrong)
    rows, runs = [], []
    for name, shape in shapes.items():
        terms = by_block(shape.terms, block)
        wer = float(shape.terms[:, 3].sum() / max(shape.terms[:, 13].sum(), 1))
        row: dict[str, object] = {"channel": name, "wer": wer}
        for one in MEASURES:
            rate = measure(one)
            low, high = interval(terms, rate, bootstrap)
            known = one != "rare" or _rare([], context) is not None
            values = (float(rate(terms.sum(axis=0))), low, high) if known else (None,) * 3
            row |= dict(zip((one, f"{one}_low", f"{one}_high"), values, strict=True))
        rows.append(row)
        counts = np.bincount(shape.runs, minlength=LONGEST_RUN + 1)[1:]
        runs += [
            {"channel": name, "length": length, "runs": int(n), "share": float(n / counts.sum())}
            for length, n in enumerate(counts.tolist(), 1)
            if counts.sum()
        ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.with_columns(pl.selectors.float().fill_nan(None)), pl.DataFrame(runs)


def _rare(vocabulary: list[str], context: Context) -> Flags | None:
    """Return which words are rare in the language; None if its frequencies are not known."""
    try:
        frequencies.check_frequencies("wordfreq", context.lang)
    except MiswordError:
        return None
    shares = frequencies.load_frequencies("wordfreq", context.lang, {}).shares
    limit = 10 ** (RARE_ZIPF - 9)
    return np.array([share_of(word, shares) < limit for word in vocabulary], bool)
