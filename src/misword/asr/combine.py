"""The combination of several systems: a vote on each word of their transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from misword.asr.score import score
from misword.asr.scoring_arguments import ScoringArguments
from misword.asr.scoring_options import combine as combine_options
from misword.asr.voting.elected import elected_texts
from misword.asr.voting.transcripts import Transcripts, voting_corpus
from misword.asr.voting.vote import Vote
from misword.core import display
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.types import Corpus, DisplayedResult, Result
from misword.core.version import __version__
from misword.stat.bootstrap import Bootstrap
from misword.stat.intervals import interval
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.paired import holm, paired
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl

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

    texts: pl.DataFrame
    rates: pl.DataFrame | None
    scores: Scores | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the rates, or the texts if there are no references."""
        title = f"Combination of {display.names_shown(self.settings['systems'])}"
        title += f": {counted(len(self.texts), 'utterance')}"
        if self.rates is None:
            columns = display.text("utt"), display.text("text")
            return display.Overview.of(title, self.texts, columns)
        shown = (
            display.text("metric"),
            display.text("system"),
            display.percent("rate"),
            display.span(),
            display.signed("difference", "combined minus it"),
            display.probability("p_holm", "p"),
        )
        return display.Overview.of(title, self.rates, shown)

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


def combine(
    systems: Any,
    *,
    references: Any = None,
    metrics: str | Iterable[str] = "wer",
    method: str = "meth1",
    alpha: float = 1.0,
    null_confidence: float = 0.0,
    confidences: Any = None,
    ranks: int = 1,
    ids: Any = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    **scoring: Unpack[ScoringArguments],
) -> Combination:
    """Combine the transcripts of several systems by a vote on each word, as NIST's rover does.

    `systems` has a column of texts for each system, by name or in a list; it may also be a
    `Corpus`, or a function that returns one. The transcripts of an utterance are aligned into a
    network, one after the other, and in each of its slots the most frequent word wins, or none.
    With `alpha` below 1, the `confidences` of words count too: a list of numbers for each text of
    each system. `method` is `meth1`, `maxconf` or `avgconf`, and `null_confidence` the confidence
    that a system has no word. Of N-best lists the first `ranks` hypotheses vote.

    `references` are texts to judge systems and combination by (`True`: those of the corpus), with
    `metrics`. Texts are normalised before the vote; the other options are those of `misword.score`.

    >>> import misword
    >>> systems = [["the cat sat"], ["a cat sat"], ["the cat sad"]]
    >>> misword.combine(systems).texts["text"].to_list()
    ['the cat sat']

    Reference: J. Fiscus, A post-processing system to yield reduced word error rates: Recognizer
    Output Voting Error Reduction (ROVER), ASRU 1997.
    """
    resampling = Bootstrap(bootstrap, confidence, seed)
    vote = Vote(method, alpha, null_confidence)
    if ranks < 1:
        raise OptionError(f"ranks is {ranks}", fix="use 1 or more")
    context = Context.of(scoring.get("lang"), workers=scoring.get("workers"))
    names = ("preset", "normalize", "rules")
    chosen: dict[str, Any] = {name: scoring.get(name) for name in names}
    chain = combine_options(context, metrics=metrics, **chosen).chain
    corpus = voting_corpus(systems, confidences, references, ids)
    _check_names(corpus)
    voters = Transcripts.of(corpus, ranks, chain, confident=vote.needs_confidences)
    texts = elected_texts(voters.texts, voters.at, vote, voters.confidences, context.workers)
    settings = {
        "systems": corpus.systems, "method": method, "alpha": alpha,
        "null_confidence": null_confidence, "ranks": ranks, **resampling.settings,
    }  # fmt: skip
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
    import polars as pl

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
    import polars as pl

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
    import polars as pl

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
