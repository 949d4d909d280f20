"""The combination of several systems by a vote on each word of their transcripts (ROVER)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.alignment.word_networks import WordNetworks, word_networks
from misword.asr.corpus import check_complete, make_corpus
from misword.asr.options import CombineOptions, Scoring
from misword.asr.options import combine as combine_options
from misword.asr.score import score
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.types import (
    Corpus,
    Description,
    DisplayedResult,
    Offsets,
    Result,
    Tokens,
)
from misword.core.version import __version__
from misword.io.transcripts.words import confidences_of, has_confidences, words_of_lists
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.descriptions.hypotheses import COMBINATION
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.paired import holm, paired
from misword.stat.scores import Scores
from misword.text.normalizers import Chain, normalize
from misword.text.texts import Texts
from misword.text.tokens import decode_words, encode_words

# The transcripts of each utterance of a corpus, in the order in which they vote.

NEEDED = "words need confidences unless alpha is 1"


def voting_corpus(systems: Any, confidences: Any, references: Any, ids: Any) -> Corpus:
    """Return the corpus of several systems; the arguments are those of `misword.combine`."""

    if callable(systems):
        systems = systems()
    if isinstance(systems, Corpus):
        if confidences is not None or ids is not None or references not in (None, True):
            raise OptionError("a Corpus has its own references, confidences and ids")
        check_complete(systems)
        return systems
    if references is True:
        raise OptionError("references=True needs a Corpus", fix="give the texts of the references")
    named = _named(systems)
    if not named:
        raise InputError("there are no systems", fix="give the texts of two systems or more")
    first = next(iter(named.values()))
    corpus = make_corpus(first if references is None else references, named, ids=ids)
    if confidences is None:
        return corpus
    rows = list(chain.from_iterable(_named(confidences).values()))
    if len(rows) != len(corpus.hypotheses):
        raise MismatchError(
            f"confidences of {len(rows)} texts, and {len(corpus.hypotheses)} texts",
            fix="give a list of numbers for each text of each system",
        )
    words = words_of_lists(corpus.hypotheses, [list(map(float, row)) for row in rows])
    return Corpus(corpus.references, corpus.hypotheses, words)


def _named(columns: Any) -> dict[str, Any]:
    """Return columns by the names of the systems; without names they are numbered from 1."""
    if isinstance(columns, Mapping):
        return {str(name): column for name, column in columns.items()}
    return {str(number): column for number, column in enumerate(columns, 1)}


@dataclass(frozen=True, slots=True, eq=False)
class Transcripts:
    """Texts that vote: those of utterance `u` are the rows `at[u]` to `at[u + 1] - 1` of `texts`.

    `ids` has the utterances. `confidences` has a number for each word of all texts, or is None.
    """

    ids: pl.Series
    texts: Texts
    at: Offsets
    confidences: list[float] | None = None

    @classmethod
    def of(
        cls, corpus: Corpus, ranks: int, normalizers: Chain, *, with_confidences: bool
    ) -> Transcripts:
        """Arrange the first hypotheses of each system: system by system, then rank by rank.

        With `with_confidences`, confidences are read, and each word is normalised by itself.
        """

        order = corpus.references.select("utt").with_row_index("place")
        systems = pl.DataFrame({"system": corpus.systems}).with_row_index("voter")
        kept = corpus.hypotheses.filter(pl.col("rank") <= ranks)
        table = kept.join(order, on="utt").join(systems, on="system").sort("place", "voter", "rank")
        counts = np.bincount(table["place"].to_numpy(), minlength=len(order))
        if not len(counts) or counts.max() < 2:
            raise OptionError(
                "there is one transcript of each utterance, so there is nothing to vote on",
                fix="name two systems or more, or N-best lists and --ranks N",
            )
        at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if not with_confidences:
            return cls(order["utt"], normalize(Texts.of(table["text"]), normalizers), at)
        texts, values = _words_with_confidences(corpus, table, normalizers)
        return cls(order["utt"], Texts.of(texts), at, values)


def _words_with_confidences(
    corpus: Corpus, table: pl.DataFrame, normalizers: Chain
) -> tuple[list[str], list[float]]:
    """Return the texts with each word normalised by itself, and a confidence of each word."""
    if not has_confidences(corpus):
        raise InputError(NEEDED, fix="give ctm files with confidences, or leave out alpha")
    rows = [text.split() for text in table["text"].to_list()]
    known: list[Sequence[float | None] | None] = confidences_of(corpus, table).to_list()
    for words, values, key in zip(rows, known, table.rows(), strict=True):
        if len(values or ()) != len(words) or None in (values or ()):
            utt, system = key[table.columns.index("utt")], key[table.columns.index("system")]
            raise InputError(
                f"{NEEDED}: {system!r} has {len(words)} words in utterance {utt!r}, not all of "
                "them with a confidence",
                fix="give each word a number from 0 to 1, or leave out alpha",
            )
    flat = normalize(Texts.of(list(chain.from_iterable(rows))), normalizers).split()
    pieces = iter([word.split() for word in flat])
    texts, confidences = [], []
    for words, values in zip(rows, known, strict=True):
        parts = [(piece, value) for _, value in zip(words, values or (), strict=True)
                 for piece in next(pieces)]  # fmt: skip
        texts.append(" ".join(piece for piece, _ in parts))
        confidences += [float(value or 0) for _, value in parts]
    _check_range(confidences)
    return texts, confidences


def _check_range(confidences: Sequence[float]) -> None:
    wrong = next((value for value in confidences if not 0 <= value <= 1), None)
    if wrong is not None:
        raise InputError(f"a confidence is {wrong}", fix="confidences are from 0 to 1")


# The vote in each slot of a word transition network: which word wins, or the null word.
#
# The score of a candidate is alpha * N(w) / S + (1 - alpha) * C(w). N(w) counts the transcripts
# that have the word in this slot, S counts all transcripts. C(w) is its confidence: the mean
# (`meth1`) or the greatest (`maxconf`) of the confidences of its occurrences, or their sum divided
# by that of all candidates (`avgconf`). The null word (no word in this slot) is a candidate
# too; its confidence is the option `null_confidence`.
#
# Among equal scores, the candidate that entered the slot first wins.

METHODS = ("meth1", "maxconf", "avgconf")
NULL_WORD = -1


@dataclass(frozen=True, slots=True)
class Vote:
    """How candidates are scored: method, weight of frequencies, confidence of the null word.

    >>> Vote(alpha=2)
    Traceback (most recent call last):
    misword.core.errors.OptionError: alpha is 2
      use a number from 0 (confidences alone) to 1 (frequencies alone)
    """

    method: str = "meth1"
    alpha: float = 1.0
    null_confidence: float = 0.0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(
                f"the method of the vote is {self.method!r}",
                fix=f"use one of: {', '.join(METHODS)}",
            )
        if not 0 <= self.alpha <= 1:
            raise OptionError(
                f"alpha is {self.alpha}",
                fix="use a number from 0 (confidences alone) to 1 (frequencies alone)",
            )
        if not 0 <= self.null_confidence <= 1:
            raise OptionError(
                f"null_confidence is {self.null_confidence}",
                fix="use a number from 0 to 1",
            )

    @property
    def needs_confidences(self) -> bool:
        """Whether the words must have confidences."""
        return self.alpha < 1


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """The words of transcripts in the slots of their networks, ready for a vote.

    The transcripts of utterance `u` are the rows `utterance_at[u]` to `utterance_at[u + 1] - 1`.
    `confidences` has a number for each word of the transcripts; None stands for zeros.
    """

    transcripts: Tokens
    utterance_at: Offsets
    networks: WordNetworks
    confidences: NDArray[np.float64] | None = None

    def elect(self, vote: Vote) -> Tokens:
        """Return the winning words of each utterance."""

        scored = self.candidates(vote.null_confidence).with_columns(_score(vote).alias("score"))
        best = scored.sort("slot", "score", "order", descending=[False, True, False])
        winners = best.unique("slot", keep="first", maintain_order=True)
        won = winners.filter(pl.col("word") != NULL_WORD)
        ends = np.cumsum(self.networks.slots)
        offsets = np.searchsorted(won["slot"].to_numpy(), np.concatenate([[0], ends]))
        ids = won["word"].to_numpy().astype(np.int32)
        return Tokens(ids, offsets.astype(np.int64), self.transcripts.vocabulary)

    def candidates(self, null_confidence: float) -> pl.DataFrame:
        """Return a row for each candidate of each slot: its words, and perhaps the null word.

        Candidates entered the slot in ascending `order`. `times` is the number of `transcripts`
        that have the candidate; `sum` and `maximum` are those of its confidences.
        """

        words = self._words()
        own = pl.col("confidence")
        found = words.group_by("slot", "word").agg(
            order=pl.when(pl.col("number") == pl.col("first")).then(-2).otherwise("number").min(),
            times=pl.len(),
            transcripts=pl.col("transcripts").first(),
            sum=own.sum(),
            maximum=own.max(),
        )
        null_words = _null_candidates(words).with_columns(
            sum=pl.col("times") * null_confidence, maximum=pl.lit(null_confidence)
        )
        return pl.concat([found, null_words.select(found.columns)], how="vertical_relaxed")

    def _words(self) -> pl.DataFrame:
        """Return a row for each word: its slot, its id, and the number of its transcript."""

        counts = np.diff(self.utterance_at)
        utterance = np.repeat(np.arange(len(counts)), counts)
        transcript = np.repeat(np.arange(len(utterance)), self.transcripts.lengths)
        own = utterance[transcript]
        before = np.cumsum(self.networks.slots) - self.networks.slots
        confidences = self.confidences
        if confidences is None:
            confidences = np.zeros(len(transcript))
        frame = pl.DataFrame(
            {
                "slot": self.networks.slot_of + before[own],
                "word": self.transcripts.ids.astype(np.int64),
                "number": transcript - self.utterance_at[own],
                "transcripts": counts[own],
                "confidence": confidences,
            }
        )
        return frame.sort("slot", "number").with_columns(
            first=pl.col("number").min().over("slot"),
            place=pl.int_range(pl.len()).over("slot"),
        )


def _null_candidates(words: pl.DataFrame) -> pl.DataFrame:
    """Return the null words: a row for each slot in which some transcripts have no word.

    If the slot was made for a later transcript, all earlier ones have no word in it, and the null
    word comes directly after the word that made the slot.
    """

    number, place = pl.col("number"), pl.col("place")
    slots = words.group_by("slot").agg(
        pl.col("transcripts").first(),
        pl.col("first").first(),
        present=pl.len(),
        gap=place.filter(number > place).min(),
    )
    lacking = slots.filter(pl.col("present") < pl.col("transcripts"))
    gap = pl.col("gap").fill_null(pl.col("present"))
    return lacking.select(
        "slot",
        word=pl.lit(NULL_WORD, pl.Int64),
        order=pl.when(pl.col("first") > 0).then(-1).otherwise(gap),
        times=pl.col("transcripts") - pl.col("present"),
        transcripts="transcripts",
    )


def _score(vote: Vote) -> pl.Expr:
    """Return the score of a candidate."""

    frequency = pl.col("times") / pl.col("transcripts")
    if not vote.needs_confidences:
        return frequency
    if vote.method == "meth1":
        confidence = pl.col("sum") / pl.col("times")
    elif vote.method == "maxconf":
        confidence = pl.col("maximum")
    else:
        total = pl.col("sum").sum().over("slot")
        confidence = pl.when(total > 0).then(pl.col("sum") / total).otherwise(0.0)
    return vote.alpha * frequency + (1.0 - vote.alpha) * confidence


# The elected text of each utterance, from the texts of its transcripts.


def elected_texts(
    transcripts: Texts,
    utterance_at: Offsets,
    vote: Vote,
    confidences: Sequence[float] | NDArray[np.float64] | None = None,
    workers: int | None = None,
) -> list[str]:
    """Return the text that the transcripts of each utterance elect.

    The transcripts of utterance `u` are the rows `utterance_at[u]` to `utterance_at[u + 1] - 1`.
    `confidences` has a number for each word of all transcripts.

    >>> texts = Texts.of(["the cat sat", "a cat sat", "the cat sad"])
    >>> elected_texts(texts, np.array([0, 3]), Vote())
    ['the cat sat']
    """
    words = encode_words([transcripts])[0]
    networks = word_networks(words, utterance_at, workers)
    # Single precision, as in rover: equality with the null confidence depends on the rounding.
    values = None if confidences is None else np.asarray(confidences, np.float32).astype(float)
    won: Tokens = Ballots(words, utterance_at, networks, values).elect(vote)
    return decode_words(won).split()


# The combination and its rates.


COMBINED = "combined"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combination(DisplayedResult):
    """The texts that several systems elect.

    Attributes:
        texts: the elected `text` of each utterance, and the number of `transcripts` that voted.
        rates: with references, a row for each metric and system, the combination last: the rate and
            its interval, and for each system the difference of the combination from it, with
            interval and p-value (`p_holm` is corrected for the number of systems).
        scores: with references, the scores of all systems and of the combination.
        settings: the settings of the vote and of the bootstrap.
        notes: facts about the transcripts, in sentences for the user.
    """

    description: ClassVar[Description] = COMBINATION

    texts: pl.DataFrame
    rates: pl.DataFrame | None
    scores: Scores | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def main_table(self) -> pl.DataFrame:
        """Return the table `rates`, or `texts` without references."""
        return self.texts if self.rates is None else self.rates

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        tables = {"texts": self.texts} | ({} if self.rates is None else {"rates": self.rates})
        judges = {} if self.scores is None else metric_provenance(self.scores.columns)
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            **judges,
            "notes": list(self.notes),
        }
        return Result("combination", tables, origin)


@takes(CombineOptions)
def combine(
    systems: Any,
    *,
    references: Any = None,
    confidences: Any = None,
    ids: Any = None,
    **options: Unpack[CombineOptions],
) -> Combination:
    """Combine the transcripts of several systems by a vote on each word, as NIST's rover does.

    `systems` has a column of texts for each system, by name or in a list; it may also be a
    `Corpus`, or a function that returns one. The transcripts of an utterance are aligned into a
    network, one after the other, and in each of its slots the most frequent word wins, or the null
    word. With `alpha` below 1, the `confidences` of words count too: a list of numbers for each
    text of each system. `method` is `meth1`, `maxconf` or `avgconf`, and `null_confidence` the
    confidence of the null word. In N-best lists, the first `ranks` hypotheses vote.

    `references` are texts to judge systems and combination by (`True`: those of the corpus), with
    `metrics`. Texts are normalised before the vote; the other options are those of `misword.score`.

    >>> import misword
    >>> systems = [["the cat sat"], ["a cat sat"], ["the cat sad"]]
    >>> misword.combine(systems).texts["text"].to_list()
    ['the cat sat']

    Reference: J. Fiscus, A post-processing system to yield reduced word error rates: Recognizer
    Output Voting Error Reduction (ROVER), ASRU 1997.
    """
    resampling, metrics, ranks = Bootstrap.of(options), options["metrics"], options["ranks"]
    vote = Vote(options["method"], options["alpha"], options["null_confidence"])
    if ranks < 1:
        raise OptionError(f"ranks is {ranks}", fix="use 1 or more")
    scoring = chosen(options, Scoring)
    context = Context.of(options["lang"], workers=options["workers"])
    chain = combine_options(context, metrics, **scoring).chain
    corpus = voting_corpus(systems, confidences, references, ids)
    _check_names(corpus)
    voters = Transcripts.of(corpus, ranks, chain, with_confidences=vote.needs_confidences)
    texts = elected_texts(voters.texts, voters.at, vote, voters.confidences, context.workers)
    settings = {
        "systems": corpus.systems,
        **{name: options[name] for name in ("method", "alpha", "null_confidence", "ranks")},
        **resampling.settings,
    }
    table = _text_table(voters, texts)
    scores = None
    if references is not None:
        scores = score(_with_combined(corpus, table), metrics=metrics, keep_texts=False, **scoring)
    rates = None if scores is None else _rates(scores, resampling)
    return Combination(table, rates, scores, settings, tuple(_notes(voters)))


def _check_names(corpus: Corpus) -> None:
    """Raise if a system has the name of the combination."""
    if COMBINED in corpus.systems:
        raise OptionError(
            f"a system is called {COMBINED!r}, as the combination is", fix="give it another name"
        )


def _text_table(voters: Transcripts, texts: list[str]) -> pl.DataFrame:
    """Return the elected texts with the number of transcripts."""

    counts = voters.at[1:] - voters.at[:-1]
    return pl.DataFrame({"utt": voters.ids, "text": texts, "transcripts": counts})


def _notes(voters: Transcripts) -> Iterator[str]:
    """Yield a note if two transcripts vote, or fewer for some utterances."""
    counts = voters.at[1:] - voters.at[:-1]
    most = int(counts.max())
    if most == 2:
        yield (
            "two transcripts vote: where they have different words, that of the first wins, and a "
            "word that only one of them has is kept"
        )
    if fewer := int((counts < most).sum()):
        utterances = counted(len(counts), "utterance")
        yield f"{fewer:,} of {utterances} have fewer than {most:,} transcripts"


def _with_combined(corpus: Corpus, texts: pl.DataFrame) -> Corpus:
    """Return the first hypotheses of each system, and the combination as another system."""

    first = corpus.hypotheses.filter(rank=1).select("utt", "system", "rank", "text", "score")
    rows = texts.select(
        "utt",
        pl.lit(COMBINED).alias("system"),
        pl.lit(1, pl.Int64).alias("rank"),
        "text",
        pl.lit(None, pl.Float64).alias("score"),
    )
    return Corpus(corpus.references, pl.concat([first, rows]), corpus.words)


def _rates(scores: Scores, bootstrap: Bootstrap) -> pl.DataFrame:
    """Return the rate of each system, and the difference of the combination from it."""

    rows = [row for column in scores.columns for row in _rates_of(scores, column, bootstrap)]
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _rates_of(scores: Scores, column: MetricColumn, bootstrap: Bootstrap) -> Iterator[Row]:
    """Yield the rates by one metric."""
    rate = column.measure.rate
    terms = {
        name: column.terms(scores.table.filter(system=name).sort("utt")) for name in scores.systems
    }
    own = terms.pop(COMBINED)
    found = {name: paired(baseline, own, rate, bootstrap) for name, baseline in terms.items()}
    corrected = dict(zip(found, holm([one.p for one in found.values()]).tolist(), strict=True))
    for name, one in found.items():
        low, high = interval(terms[name], rate, bootstrap)
        yield {
            "metric": column.label, "system": name, "rate": one.baseline_rate,
            "low": low, "high": high, "difference": one.difference,
            "difference_low": one.low, "difference_high": one.high, "p": one.p,
            "p_holm": corrected[name],
        }  # fmt: skip
    low, high = interval(own, rate, bootstrap)
    combined = float(rate(own.sum(axis=0)))
    yield {"metric": column.label, "system": COMBINED, "rate": combined, "low": low, "high": high}
