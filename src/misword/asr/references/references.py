"""The function `references`: several references merged, suspects, verdicts and their effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Unpack

from misword.alignment.several_references import (
    MergedReferences,
    check_rule,
    merge_references,
)
from misword.asr.corpus import make_corpus, text_column
from misword.asr.measuring import create_metrics, metric_settings, prepare_with
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.options import ReferencesOptions, Scoring, ScoringOptions, combine
from misword.asr.references.agreement import reference_counts
from misword.asr.references.candidates import Heard, listen
from misword.asr.references.evidence import STYLE, shared_errors
from misword.asr.references.judgements import (
    Decisions,
    Judgement,
    read_judgements,
    write_changes,
    write_suspects,
)
from misword.asr.references.panel import (
    Rates,
    contamination_table,
    likeness_rows,
    probable,
    rate_table,
    span_key,
)
from misword.asr.references.suspects import Suspect, find_suspects, suspect_table
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.progress import progress
from misword.core.signature import Signature
from misword.core.types import Corpus, Description, DisplayedResult, Result, SeveralReferences
from misword.core.version import __version__
from misword.io.files.sources import PathLike
from misword.io.shards import Shards, takes_no_shards
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.references import REFERENCES
from misword.stat.measure import MetricColumn, metric_provenance
from misword.stat.reference_rates import OF_REFERENCES, reference_rates

ENGLISH = "en"
METRIC = "wer"
SHOWN = 3  # ids that a note names


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class References(DisplayedResult):
    """What may be wrong with references.

    Attributes:
        corpus: the first references with the systems, as they were read.
        merged: all references merged by spans; None if there is one.
        suspects: the spans that may be wrong, the most probable first, style last.
        decisions: the verdicts of people; None if none were read.
        tables: `agreement` (several references), `rates`, `contamination` and `likeness` (systems).
        settings: how texts were compared, and how intervals were drawn.
        notes: facts about the texts, in sentences for the user.
    """

    description: ClassVar[Description] = REFERENCES

    corpus: Corpus
    merged: MergedReferences | None
    suspects: tuple[Suspect, ...] = ()
    decisions: Decisions | None = None
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def main_table(self) -> pl.DataFrame:
        """Return the table `suspects`, or `places` without systems."""
        return self.suspect_table() if self.suspects else self.place_table()

    def suspect_table(self) -> pl.DataFrame:
        """Return a row for each suspect, with the state of its verdicts."""
        decisions = self.decisions or Decisions({}, {})
        names = ("state", "verdict", "text", "reviewers")
        status = [decisions.status(one.id) for one in self.suspects]
        columns = [
            pl.Series(name, [row[at] for row in status], pl.String) for at, name in enumerate(names)
        ]
        table = suspect_table(self.suspects).with_columns(columns)
        words = self.corpus.words
        if words is None or not len(table):
            return table
        times = words.select("utt", start="place", begin="begin", until="end")
        return table.join(times, on=["utt", "start"], how="left", maintain_order="left")

    def place_table(self) -> pl.DataFrame:
        """Return a row for each place where references differ, with the votes of each text."""
        places = self.merged.places if self.merged else ()
        ids = self.corpus.references["utt"].to_list()
        rows = [
            (ids[one.row], one.start, one.end, " / ".join(text or "@" for text in one.texts),
             "/".join(map(str, one.votes)))
            for one in places
        ]  # fmt: skip
        schema = {
            "utt": pl.String, "start": pl.Int64, "end": pl.Int64, "texts": pl.String,
            "votes": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def merged_table(self) -> pl.DataFrame:
        """Return the merged text of each utterance, and the votes in each of its places."""
        if self.merged is None:
            raise OptionError("there is one reference", fix="give two references or more")
        votes: dict[int, list[str]] = {}
        for one in self.merged.places:
            votes.setdefault(one.row, []).append("/".join(map(str, one.votes)))
        texts = self.merged.texts
        columns = {
            "text": list(texts),
            "votes": [" ".join(votes.get(row, ())) for row in range(len(texts))],
        }
        return self.corpus.references.select("utt").hstack(pl.DataFrame(columns))

    def write_suspects(self, path: PathLike, *, formulas: bool = False) -> None:
        """Write the suspects for reviewers: `.xlsx`, `.csv`, `.tsv`, `.html` or `.json`."""
        write_suspects(path, self.suspects, self.decisions or Decisions({}, {}), formulas=formulas)

    def write_changes(self, path: PathLike) -> None:
        """Write the list of changes that the verdicts make."""
        write_changes(path, self.decisions or Decisions({}, {}))

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables and their provenance."""
        tables = dict(self.tables)
        if self.merged is not None:
            tables["places"] = self.place_table()
        if self.settings["systems"]:
            tables["suspects"] = self.suspect_table()
        tables["utterances"] = self.corpus.references.drop("text")
        origin = {
            "misword": __version__,
            **(provenance or {}),
            **self.settings,
            "notes": list(self.notes),
        }
        return Result("references", tables, origin)


@takes(ReferencesOptions)
def references(
    references: Any,
    systems: Any = None,
    *,
    more_references: Iterable[Any] = (),
    merge: str = "any",
    judged: Iterable[PathLike] = (),
    ids: Any = None,
    **options: Unpack[ReferencesOptions],
) -> References:
    """Doubt references: merge several of them, and find spans that systems contradict.

    `references` is a column of texts, a `Corpus`, or a function that returns one. With
    `more_references`, all references are merged by spans (`merge`: `any`, `majority` or `whole`),
    and their agreement is measured. With `systems` (columns of texts by name), spans where systems
    agree against the first reference are suspects; the other references count as systems there.
    `judged` are files with the verdicts of people, who read what `write_suspects` wrote, or a page.

    The systems are scored with the references as they are, corrected, and corrected without the
    system itself. `threshold` is the probability from which a suspect counts as an error where
    there are no verdicts. Differences of writing (`forgive`) are no errors.

    >>> import misword
    >>> said = ["we met on monday in rome", "it rained on monday"]
    >>> heard = {"a": ["we met on sunday in rome", "it rained on monday"]}
    >>> found = misword.references(said, {**heard, "b": heard["a"]})
    >>> [(one.reference, one.consensus, one.systems) for one in found.suspects]
    [('monday', 'sunday', ('a', 'b'))]
    """
    if isinstance(references, Shards):
        raise takes_no_shards()
    rule, drawn = check_rule(merge), Bootstrap.of(options)
    threshold = options["threshold"]
    if not 0 < threshold <= 1:
        raise OptionError(f"threshold is {threshold}", fix="use a probability above 0, up to 1")
    context = Context.of(options["lang"], workers=options["workers"])
    scoring = {name: options[name] for name in ("forgive",)}
    combined = combine(context, METRIC, **{**chosen({}, Scoring), **scoring})
    judgements = read_judgements(judged)
    corpus, several = _read(references, systems, more_references, rule, ids)
    named = [name for name in corpus.systems if name != ""]
    tables: dict[str, pl.DataFrame] = {}
    merged = None
    if several is not None:
        merged = merge_references([column.to_list() for column in several.texts], rule)
        tables["agreement"] = _agreement(corpus, several, combined, context, drawn)
    decisions = Decisions.of(judgements) if judgements else None
    settings = {
        "systems": named,
        "references": list(several.names) if several else [],
        "merge": rule,
        "threshold": threshold,
        **drawn.settings,
    }
    found = References(corpus, merged, (), decisions, tables, settings, _notes(several, merged))
    if not named:
        return found if decisions is None else _with_judged(found, judgements)
    return _with_suspects(found, several, combined, context, options["lang"] or ENGLISH, drawn)


def _read(
    references: Any, systems: Any, more: Iterable[Any], rule: str, ids: Any
) -> tuple[Corpus, SeveralReferences | None]:
    """Return the corpus of the first references, and all references if there are several."""
    given = references() if callable(references) else references
    if not isinstance(given, Corpus):
        texts = text_column(given, "references")
        given = make_corpus(texts, {"": texts} if systems is None else systems, ids=ids)
        columns = [text_column(column, "more references") for column in more]
        if columns:
            names = tuple(f"reference {n}" for n in range(1, len(columns) + 2))
            given = replace(given, several=SeveralReferences(names, (texts, *columns), rule))
    several = given.several
    if several is not None and several.merged:
        first = given.references.with_columns(several.texts[0].alias("text"))
        given = replace(given, references=first)
    return replace(given, several=None), several


def _notes(several: SeveralReferences | None, merged: MergedReferences | None) -> tuple[str, ...]:
    if several is None or merged is None:
        return ()
    copies = len(several.texts) - merged.distinct
    if not copies:
        return ()
    return (f"{copies:,} of {len(several.texts):,} references are copies of others",)


def _agreement(
    corpus: Corpus,
    several: SeveralReferences,
    options: ScoringOptions,
    context: Context,
    drawn: Bootstrap,
) -> pl.DataFrame:
    """Return the rate of each reference against the others, as if it were a hypothesis."""
    metrics = create_metrics(METRIC, context)
    counts = reference_counts(corpus, several, options, (), context, metrics)
    column = MetricColumn(METRIC, metrics[METRIC], Signature(METRIC, ()), "")
    empty = pl.DataFrame(schema={"system": pl.String, "metric": pl.String})
    rates = reference_rates(counts.filter(pl.col("kind") == OF_REFERENCES), [column], empty, drawn)
    return rates.select("name", "rate", "low", "high")


def _with_suspects(
    found: References,
    several: SeveralReferences | None,
    options: ScoringOptions,
    context: Context,
    lang: str,
    drawn: Bootstrap,
) -> References:
    """Return the result with suspects, and with the systems before and after corrections."""
    corpus, systems = found.corpus, found.settings["systems"]
    panel_corpus = _with_others(corpus, several)
    heard = listen(panel_corpus, options, (), context)
    _refuse_one(heard)

    @cache
    def panel(left_out: int | None) -> list[Suspect]:
        return find_suspects(heard, options, context, lang=lang, left_out=left_out)

    with progress("doubting references", len(systems) + 1) as step:
        suspects = panel(None)
        step(1)
        for name in systems:
            panel(heard.systems.index(name))
            step(1)
    decisions = found.decisions
    if decisions is not None:
        suspects, notes = _with_older(suspects, decisions)
        found = replace(found, notes=(*found.notes, *notes))
    threshold = found.settings["threshold"]
    rates = Rates(corpus, options, context)
    listed = list(systems)
    tables = {
        **found.tables,
        "rates": rate_table(rates, listed, heard, suspects, panel, decisions, threshold, drawn),
        "contamination": contamination_table(listed, heard, panel, decisions, threshold),
        "likeness": pl.DataFrame(
            likeness_rows(heard.systems, shared_errors(heard)),
            schema={"system": pl.String, "other": pl.String, "alike": pl.Float64},
        ),
    }
    counts = {
        "suspects": len(suspects),
        "probable": len(probable(suspects, threshold)),
        "expected": sum(one.probability for one in suspects if one.kind != STYLE),
        "judged": len(decisions.agreed) if decisions else 0,
        "conflicts": len(decisions.conflicts) if decisions else 0,
        "changes": sum(map(len, decisions.corrections().values())) if decisions else 0,
    }
    settings = {**found.settings, **counts, **_signed(corpus, options, context)}
    return replace(found, suspects=tuple(suspects), tables=tables, settings=settings)


def _signed(corpus: Corpus, options: ScoringOptions, context: Context) -> dict[str, Any]:
    """Return the metric of the rates with its signature, for the provenance."""
    metric = EditRate()
    created = create_metrics(METRIC, context)[METRIC]
    pairs = prepare_with(options, Corpus(corpus.references[:0], corpus.hypotheses[:0]), (), context)
    signature = Signature(METRIC, metric_settings(metric, pairs))
    return metric_provenance([MetricColumn(METRIC, created, signature, "words")])


def _with_others(corpus: Corpus, several: SeveralReferences | None) -> Corpus:
    """Return a corpus in which the other references are systems, too."""
    if several is None:
        return corpus
    names = {
        (f"{name}'" if name in corpus.systems else name): column
        for name, column in zip(several.names[1:], several.texts[1:], strict=True)
    }
    others = Corpus.of(corpus.references.select("utt", "text"), names)
    best = corpus.hypotheses.filter(pl.col("rank") == 1)
    columns = ("utt", "system", "rank", "text", "score")
    both = pl.concat([best.select(columns), others.hypotheses.select(columns)])
    return Corpus(corpus.references, both, corpus.words)


def _refuse_one(heard: Heard) -> None:
    """Raise if there is only one transcript beside the reference."""
    if len(heard.systems) < 2:
        raise OptionError(
            f"one system, {heard.systems[0]}, cannot contradict a reference",
            fix="name two systems or more after --systems; three or more for rates in which no "
            "system corrects its own exam",
        )


def _with_judged(found: References, judgements: Sequence[Judgement]) -> References:
    """Return the result with the suspects that verdicts describe, without systems."""
    decisions = found.decisions or Decisions({}, {})
    listed = [_suspect_of(one) for one in {one.id: one for one in judgements}.values()]
    counts = {
        "suspects": len(listed),
        "judged": len(decisions.agreed),
        "conflicts": len(decisions.conflicts),
        "changes": sum(map(len, decisions.corrections().values())),
    }
    return replace(found, suspects=tuple(listed), settings={**found.settings, **counts})


def _suspect_of(one: Judgement) -> Suspect:
    """Return the suspect that a verdict is about, with what its row says."""
    return Suspect(
        one.utt, one.start, one.end, one.reference, one.consensus, "judged", 1.0, (), (), ""
    )


def _with_older(
    suspects: Sequence[Suspect], decisions: Decisions
) -> tuple[list[Suspect], Iterator[str]]:
    """Return suspects and those that were judged but are no suspects now, and notes."""
    found = {span_key(one.utt, one.start, one.end, one.consensus) for one in suspects}
    ids = {one.id for one in suspects}
    older = [
        judged[0]
        for judged in (*decisions.agreed.values(), *decisions.conflicts.values())
        if judged[0].id not in ids
        and span_key(judged[0].utt, judged[0].start, judged[0].end, judged[0].consensus)
        not in found
    ]

    def notes() -> Iterator[str]:
        if older:
            named = ", ".join(one.id for one in older[:SHOWN])
            yield (
                f"{counted(len(older), 'verdict')} on spans that are no suspects of these systems: "
                f"{named}; they are kept"
            )
        if decisions.conflicts:
            yield (
                f"{counted(len(decisions.conflicts), 'suspect')} with verdicts that contradict "
                "each other are not corrected"
            )

    return [*suspects, *map(_suspect_of, older)], notes()
