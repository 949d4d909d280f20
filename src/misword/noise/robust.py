"""What noise like a recogniser's does to sentence encoders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.registry import split_specs
from misword.core.signature import Signature
from misword.core.types import Result
from misword.core.version import __version__
from misword.embed.encoders import Encoder, create_encoder
from misword.io.sts import read_sts, shape_pairs
from misword.io.transcripts.columns import in_memory
from misword.noise import channels
from misword.noise.channels import AUTO, Channel
from misword.noise.corrupt import hear
from misword.noise.corrupt import signature as signature_of
from misword.noise.corruption.targets import check_mix, check_rates
from misword.noise.hearing import Mix
from misword.noise.robustness.similarity import Likeness, likeness
from misword.noise.robustness.tables import Resampling, levels_table, lines_table, trials_table
from misword.noise.robustness.trials import Trials, draw_trials
from misword.text.normalizers import normalize, normalizers, spell_chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

ENCODERS = "mean,sif,usif,subspace"
RATES = (0.0, 0.1, 0.3, 0.5)
NORMALIZE = "nfc,lower,nopunct"
EXAMPLES = 8  # sentences that are shown at each rate


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """How a study is made, beside its sentences and encoders.

    `refit`: what SIF and uSIF learn they learn from each noisy corpus, not from the clean one.
    """

    rates: tuple[float, ...] = RATES
    trials: int = 5
    channel: str = AUTO
    mix: Mix | None = None
    normalize: str | Iterable[str] = NORMALIZE
    refit: bool = False
    bootstrap: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse, before any work, what cannot be; the rates are put in order, 0 first."""
        if self.trials < 1:
            raise OptionError(f"{self.trials} trials", fix="use one or more; intervals need two")
        if not 0 < self.confidence < 1:
            raise OptionError(f"confidence is {self.confidence}", fix="use a share such as 0.95")
        if self.bootstrap < 0:
            raise OptionError(f"{self.bootstrap} resamples", fix="use 1000, or 0 for none")
        if self.mix is not None:
            check_mix(self.mix)
        rates = check_rates(self.rates)
        object.__setattr__(self, "rates", tuple(sorted({0.0, *rates})))
        object.__setattr__(self, "normalize", tuple(split_specs(self.normalize)))


@dataclass(frozen=True, slots=True, eq=False)
class Robustness:
    """What noise did to encoders.

    `levels` has a row for each encoder and rate: the mean `similarity` of a sentence with what was
    heard of it, `pearson` and `spearman` of the pairs' similarity with the gold scores, and
    `ratio`, Pearson's over that of the clean sentences; means over trials. `_low` and `_high` are
    Student's intervals over trials, `_pairs_low` and `_pairs_high` bootstrap intervals over pairs.
    `lines` has for each encoder the line through the similarities; `trials` each trial's numbers;
    `examples` some sentences as they were heard.
    """

    levels: pl.DataFrame
    lines: pl.DataFrame
    trials: pl.DataFrame
    examples: pl.DataFrame
    signatures: Mapping[str, Signature]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """The tables and where they come from."""
        tables = {name: getattr(self, name) for name in ("levels", "lines", "trials", "examples")}
        signed = {label: str(signature) for label, signature in self.signatures.items()}
        known = {"misword": __version__, **(provenance or {}), **self.settings}
        named = {"encoders": list(signed), "signatures": signed, "notes": list(self.notes)}
        return Result("robustness", tables, {**known, **named})


def robust(
    pairs: Any,
    encoders: str | Iterable[str] = ENCODERS,
    wer: Sequence[float] = RATES,
    *,
    trials: int = 5,
    channel: str = AUTO,
    mix: Mix | None = None,
    columns: Sequence[str] | None = None,
    normalize: str | Iterable[str] = NORMALIZE,
    lang: str | None = None,
    vectors: str | os.PathLike[str] | WordVectors | None = None,
    channel_vectors: str | os.PathLike[str] | WordVectors | None = None,
    refit: bool = False,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    cache: bool = False,
    workers: int | None = None,
) -> Robustness:
    """Corrupt pairs of sentences at several word error rates and ask encoders what is left.

    `pairs` is a file (STS-benchmark, SICK, any table), or anything that polars makes a frame of,
    with two sentences and a score. Sentences are normalized first, then heard and encoded: what has
    no vector with its full stop has one without. `channel_vectors` are those that the channel finds
    candidates by, if they are to be others than the encoders'.

    >>> from misword.embed.vectors.words import WordVectors
    >>> vectors = WordVectors.of(["a", "b", "c"], [[1, 0], [0, 1], [1, 1]])
    >>> rows = {"s1": ["a b", "b c", "c"], "s2": ["b b", "b a", "c"], "score": [1, 2, 3]}
    >>> found = robust(rows, "mean", [0, 0.5], channel="uniform", vectors=vectors, trials=2)
    >>> found.levels["similarity"][0]
    1.0
    """
    how = Study(tuple(wer), trials, channel, mix, normalize, refit, bootstrap, confidence, seed)
    context = Context.of(lang, vectors, cache=cache, workers=workers)
    heard = context
    if channel_vectors is not None:
        heard = Context.of(lang, channel_vectors, workers=workers)
    chosen, part = prepare(encoders, how, context, heard)
    if isinstance(pairs, str | os.PathLike):
        frame = read_sts(pairs, columns=columns)
    else:
        frame = shape_pairs(*in_memory(pairs, "pairs"), columns)
    return study(frame, chosen, part, how, context, heard)


def prepare(
    encoders: str | Iterable[str], how: Study, context: Context, heard: Context
) -> tuple[dict[str, Encoder], Channel]:
    """The encoders by their specs, and the channel, if all can be had."""
    specs = split_specs(encoders)
    if not specs:
        raise OptionError("no encoder is named", fix=f"name some: {ENCODERS}")
    normalizers(how.normalize)
    channel = channels.choose(how.channel, heard)
    chosen = {spec: create_encoder(context.lang, spec) for spec in dict.fromkeys(specs)}
    for encoder in chosen.values():
        encoder.check(context)
    return chosen, channel


def study(
    pairs: pl.DataFrame,
    encoders: Mapping[str, Encoder],
    channel: Channel,
    how: Study,
    context: Context,
    heard: Context,
) -> Robustness:
    """Draw the trials, ask each encoder, and put together what they say."""
    chain = normalizers(how.normalize)
    said = normalize(Texts.of([*pairs["a"], *pairs["b"]]), chain).split()
    hearing = hear(said, channel, heard)
    mix = how.mix or hearing.mix
    drawn = draw_trials(
        said, hearing, how.rates, how.trials, mix=mix, seed=how.seed, workers=context.workers
    )
    noise = signature_of(channel, heard, mix, how.seed).settings
    signed = (*(pair for pair in noise if pair[0] != "v"), ("normalize", spell_chain(chain)))
    gold = pairs["score"].to_numpy()
    found = {
        label: likeness(encoder, drawn, context, refit=how.refit)
        for label, encoder in encoders.items()
    }
    signatures = {
        label: _signature(encoder, context, drawn, how, signed)
        for label, encoder in encoders.items()
    }
    trials = trials_table(found, drawn, gold)
    resampling = Resampling(how.bootstrap, how.confidence, how.seed)
    return Robustness(
        levels_table(trials, found, gold, signatures, resampling),
        lines_table(trials, signatures, confidence=how.confidence),
        trials.fill_nan(None),
        _examples(drawn),
        signatures,
        {
            **{"rates": list(how.rates), "trials": how.trials, "pairs": len(pairs)},
            **{"refit": how.refit, "bootstrap": how.bootstrap, "confidence": how.confidence},
            **{"seed": how.seed, "channel": channel.name if how.channel == AUTO else how.channel},
            **{"words": drawn.words, "left_alone": drawn.left_alone},
        },
        tuple(_notes(found, drawn)),
    )


def _signature(
    encoder: Encoder,
    context: Context,
    trials: Trials,
    how: Study,
    channel: tuple[tuple[str, str], ...],
) -> Signature:
    """What decides an encoder's rows; settings of the channel have its name before theirs."""
    learnt: tuple[tuple[str, str], ...] = ()
    if encoder.fitted:
        digest = sha256("\n".join(sorted(trials.corpus)).encode()).hexdigest()[:12]
        learnt = (("fitted", "noisy" if how.refit else f"clean-{digest}"),)
    own = dict(encoder.settings(context))
    noise = ((f"channel.{key}" if key in own else key, value) for key, value in channel)
    last = ("trials", str(how.trials)), ("v", __version__)
    return Signature("robust", (*own.items(), *learnt, *noise, *last))


def _examples(trials: Trials) -> pl.DataFrame:
    """The first sentences, and what was heard of them in the first trial."""
    import polars as pl

    some = np.unique(trials.said, return_index=True)[1][:EXAMPLES]
    rows = [
        {"sentence": trials.texts[trials.said[at]], "wer": rate, "heard": trials.texts[number]}
        for at in some.tolist()
        for level, rate in enumerate(trials.rates)
        if level
        for number in [trials.heard[level, 0, at]]
    ]
    schema = {"sentence": pl.String, "wer": pl.Float64, "heard": pl.String}
    return pl.DataFrame(rows, schema)


def _notes(found: Mapping[str, Likeness], drawn: Trials) -> Iterable[str]:
    """What the channel could not change, and what encoders did not know or take in."""
    size = len(drawn.said)
    if drawn.left_alone:
        yield f"{drawn.left_alone:,} of {drawn.words:,} words cannot be heard as anything else"
    for name, told in (
        ("partial", "not taken in whole: words without a vector, or more than the model takes"),
        ("unknown", "nothing is known of them, and they are like nothing but themselves"),
    ):
        counts: dict[int, list[str]] = {}
        for label, made in found.items():
            counts.setdefault(getattr(made, name), []).append(label)
        for count, labels in counts.items():
            if count:
                yield f"{', '.join(labels)}: {count:,} of {size:,} clean sentences: {told}"
