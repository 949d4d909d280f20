"""The data types that all of misword shares: corpora, tokens, alignments and results.

They are immutable and hold columns (polars) or flat arrays (numpy) for a whole corpus. There is
never one Python object for each utterance, because that would make large corpora slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from misword.core.display import NO_TABLE, Displayed, Overview, names_shown, to_pandas
from misword.core.errors import MismatchError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import np, pl
from misword.core.tables import Table, count, text

# Column names that misword uses itself. A metadata column of such a name gets an underscore.
OWN_COLUMNS = ("utt", "text", "line", "system", "rank", "score")

# The table of results with measures of the confidences of words.
CONFIDENCES = "confidences"
# The `system` of the words of references.
OF_REFERENCES = ""

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ids = NDArray[np.int32] | NDArray[np.uint8]
    Offsets = NDArray[np.int64]
    Statistics = NDArray[Any]  # of a metric: integers where it counts, else float64
else:  # names for annotations, without numpy
    Ids = Offsets = Statistics = Any


class Op(IntEnum):
    """The edit operations of an alignment; the values are columns of `Alignment.counts`."""

    HIT = 0
    SUBSTITUTION = 1
    INSERTION = 2
    DELETION = 3


@dataclass(frozen=True, slots=True)
class Segments:
    """How the texts of a corpus are divided, where both sides had other segments.

    Attributes:
        mode: `transfer` if each row is a segment of the references, at which the hypotheses are
            cut; `recording` if each row is a whole recording.
        settled: whether the texts are so divided. Until then, references have a row for each
            segment with the name of its recording, and hypotheses one for each recording, whose
            `utt` is that name.
        joined: of joined references, `recording` and `text` of each segment.
    """

    mode: str
    settled: bool = False
    joined: pl.DataFrame | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SeveralReferences:
    """All references of the utterances of a corpus.

    `texts` has a column of each reference, the first one first, and `names` their names. `rule`
    says how they are merged: `any`, `majority` or `whole` (`alignment/several_references.py`). If
    `merged`, the references of the corpus are the merged ones; `notes` are about the merging.
    """

    names: tuple[str, ...]
    texts: tuple[pl.Series, ...]
    rule: str
    merged: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Corpus(Displayed):
    """Reference transcripts and the hypotheses of one or more systems.

    `references` has the columns `utt` (the id of the utterance), `text`, and any metadata (speaker,
    noise, ...). `hypotheses` has `utt`, `system`, `rank` (1 is the best hypothesis), `text`,
    `score`, and of N-best lists any further columns: numbers are features of a hypothesis (`lm`),
    other columns are texts that belong to it (`translation`). Each utterance of each system has one
    hypothesis of each rank 1, 2, 3, ...; lists may have different lengths. One-best output, several
    systems, N-best lists and noise levels all have this type.

    Attributes:
        references: one row for each utterance.
        hypotheses: one row for each utterance, system and rank.
        words: one row for each word of the references (`system` is empty) and of the best
            hypotheses, if their formats have metadata of words: `recording`, `utt`, `place` (the
            number of the word in the text as written, from 0), `segment`, `speaker`, `channel`,
            `begin`, `end`, `emitted`, `confidence`, `word`, and for nlp files the lists `tags` and
            `entities` (`io/transcripts/words.py`).
        segments: how texts are divided, if references and hypotheses had other segments.
        several: all references, if the utterances have several; until they are merged, `references`
            has the first ones.

    >>> import polars as pl
    >>> references = pl.DataFrame({"utt": ["1", "2"], "text": ["a b", "c"], "speaker": ["x", "y"]})
    >>> corpus = Corpus.of(references, {"baseline": pl.Series(["a", "c"])})
    >>> corpus.systems, corpus.metadata
    (['baseline'], ['speaker'])
    """

    references: pl.DataFrame
    hypotheses: pl.DataFrame
    words: pl.DataFrame | None = None
    segments: Segments | None = None
    several: SeveralReferences | None = None

    def overview(self) -> Overview:
        """Return the first references."""
        systems, size = names_shown(self.systems), counted(len(self.references), "utterance")
        title = f"Corpus: {size}, hypotheses of {systems}"
        return Overview.of(title, self.references, (text("utt"), text("text", "reference")))

    @classmethod
    def of(
        cls,
        references: pl.DataFrame,
        systems: Mapping[str, pl.Series],
        words: pl.DataFrame | None = None,
    ) -> Corpus:
        """Make a corpus from one hypothesis per system and utterance, in the references' order."""
        frames = [
            pl.DataFrame({"utt": references["utt"], "text": text}).select(
                "utt",
                pl.lit(system).alias("system"),
                pl.lit(1, pl.Int64).alias("rank"),
                "text",
                pl.lit(None, pl.Float64).alias("score"),
            )
            for system, text in systems.items()
        ]
        return cls(references, pl.concat(frames), words)

    @property
    def systems(self) -> list[str]:
        """Names of the systems, in the order of their first rows."""
        return self.hypotheses["system"].unique(maintain_order=True).to_list()

    def words_of(self, system: str) -> pl.DataFrame | None:
        """Return the words of a system, or of the references (`""`); None if there are none."""
        if self.words is None:
            return None
        rows = self.words.filter(pl.col("system") == system)
        return rows if rows.height else None

    @property
    def metadata(self) -> list[str]:
        """Names of the metadata columns."""
        return [name for name in self.references.columns if name not in ("utt", "text")]

    @property
    def features(self) -> list[str]:
        """Names of the columns of hypotheses that have numbers: `score`, `lm`, ..."""
        columns = self.hypotheses.drop("rank").get_columns()
        numeric = [column for column in columns if column.dtype.is_numeric()]
        return [column.name for column in numeric if column.null_count() < len(column)]

    @property
    def keys(self) -> list[str]:
        """Names of the columns of hypotheses that a table of pairs has: ids and features.

        Raises if a feature has the name of a metadata column.
        """
        features = self.features
        for name in features:
            if name in self.metadata:
                raise MismatchError(
                    f"references and hypotheses both have a column {name!r}",
                    fix="rename it on one side, or leave it out",
                )
        return ["utt", "system", "rank", *features]


def check_settled(corpus: Corpus) -> None:
    """Raise if the hypotheses are still to be cut at the segments of references."""
    if corpus.segments is not None and not corpus.segments.settled:
        raise OptionError(
            "references and hypotheses are divided into different segments",
            fix="use --segments as-they-are; or cut the hypotheses at the segments of the "
            "references first: misword segment REF HYP -o cut.txt",
        )


def offsets_of(lengths: Sequence[int] | NDArray[np.integer[Any]]) -> Offsets:
    """Return the places at which sequences of these lengths begin in one array, and its end.

    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def join_ranges(starts: Offsets, lengths: Offsets) -> Offsets:
    """Return the numbers of several ranges, one range after the other.

    >>> join_ranges(np.array([5, 0]), np.array([3, 2])).tolist()
    [5, 6, 7, 0, 1]
    """
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths))


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Token sequences of many utterances as flat ids with offsets, and the vocabulary of the ids.

    Utterance `u` has the token ids `ids[offsets[u]:offsets[u + 1]]`; id `i` stands for the string
    `vocabulary[i]`. Two `Tokens` that are aligned with each other must have the same vocabulary.

    >>> tokens = Tokens(np.array([0, 1, 0], np.int32), np.array([0, 2, 3]), ["a", "b"])
    >>> tokens[0], tokens[1]
    (['a', 'b'], ['a'])
    """

    ids: Ids
    offsets: Offsets
    vocabulary: Sequence[str]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> list[str]:
        return [self.vocabulary[id_] for id_ in self.ids[self.offsets[row] : self.offsets[row + 1]]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each utterance."""
        return np.diff(self.offsets)

    def take(self, rows: NDArray[np.int64]) -> Tokens:
        """Return the utterances `rows`, in that order, with the same vocabulary."""
        lengths = self.lengths[rows]
        if (lengths == 1).all():  # the usual case for single words
            return Tokens(self.ids[self.offsets[rows]], np.arange(len(rows) + 1), self.vocabulary)
        ids = self.ids[join_ranges(self.offsets[rows], lengths)]
        return Tokens(ids, offsets_of(lengths), self.vocabulary)

    def first(self, rows: int) -> Tokens:
        """Return the first utterances."""
        return Tokens(self.ids[: self.offsets[rows]], self.offsets[: rows + 1], self.vocabulary)

    def append(self, other: Tokens) -> Tokens:
        """Return the utterances of both; the vocabulary is that of this object."""
        ids = np.concatenate([self.ids, other.ids])
        offsets = np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]])
        return Tokens(ids, offsets, self.vocabulary)


# Tokens of references and of hypotheses, over one vocabulary.
Sides = tuple[Tokens, Tokens]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Alignments of many pairs of a reference and a hypothesis.

    `counts` has a row for each pair and a column for each `Op` (hits, substitutions, insertions,
    deletions). `costs` is the total cost of each pair, which with unit costs is its number of
    errors. If the alignment was made with its operations, pair `p` has the operations
    `ops[offsets[p]:offsets[p + 1]]`, from the beginning of the texts to their end; otherwise `ops`
    and `offsets` are None. `forgiven` has the positions in `ops` of forgiven blocks, in order: a
    block is one hit in `ops`, and in `counts` a hit for each of its reference words. `bursts` has
    the most successive insertions of each pair, if unit costs were used.
    """

    counts: NDArray[np.int64]
    costs: NDArray[np.float64]
    ops: NDArray[np.uint8] | None = None
    offsets: Offsets | None = None
    forgiven: Offsets = field(default_factory=lambda: np.zeros(0, np.int64))
    bursts: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def all_operations(self) -> NDArray[np.uint8]:
        """The operations of all pairs, pair after pair."""
        if self.ops is None:
            raise ValueError("this alignment was made without its operations")
        return self.ops

    @property
    def all_offsets(self) -> Offsets:
        """The offsets of the pairs in `all_operations`."""
        if self.offsets is None:
            raise ValueError("this alignment was made without its operations")
        return self.offsets

    def operations(self, pair: int) -> NDArray[np.uint8]:
        """Return the operations of one pair."""
        return self.all_operations[self.all_offsets[pair] : self.all_offsets[pair + 1]]


@dataclass(frozen=True, slots=True, repr=False)
class Result(Displayed):
    """The output of a command: tables, and the settings and inputs that they were computed from.

    `misword.io.results.write_result` writes a result to a folder and `read_result` reads it; the
    HTML report is computed from it alone. All commands write their output as this type.

    Attributes:
        kind: which kind of result it is, such as `scores` or `comparison`.
        tables: data frames by name.
        provenance: signatures, options, hashes of the input files, versions, descriptions of parts.
    """

    kind: str
    tables: dict[str, pl.DataFrame]
    provenance: dict[str, Any] = field(default_factory=dict)

    def overview(self) -> Overview:
        """Return the names and sizes of the tables."""
        rows = [(name, ", ".join(table.columns), len(table)) for name, table in self.tables.items()]
        columns = text("table"), text("columns"), count("rows")
        return Overview.of_rows(f"Result of kind {self.kind}", rows, columns, len(rows))


def _no_headline(result: Result) -> str:
    return ""


def _no_notes(result: Result) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Description:
    """How results of one kind are shown, whatever shows them.

    Attributes:
        tables: returns the tables for readers, the main one first.
        headline: returns the main finding in one sentence; empty if there are no rows for it.
        main: the table of the result that the CSV output has: the first of these that there is.
        data: the tables of the result that the JSON output has, by their names there.
        facts: the entries of the provenance that the JSON output has.
        details: the tables that the option `--brief` leaves out of JSON.
        csv: returns the CSV output, if it is another table.
        repeated: columns that JSON leaves out of the rows, since they repeat its facts.
        signed_by: the column of the main table by whose values the signatures are named.
        notes: returns sentences that terminal and Markdown have below all tables.
        has_lead: whether terminal and Markdown begin with the headline.
    """

    tables: Callable[[Result], Iterable[Table]]
    main: Sequence[str]
    data: Mapping[str, str]
    facts: Sequence[str] = ("misword", "signatures")
    details: Sequence[str] = ()
    headline: Callable[[Result], str] = _no_headline
    csv: Callable[[Result], pl.DataFrame] | None = None
    repeated: Sequence[str] = ()
    signed_by: str = "metric"
    notes: Callable[[Result], Sequence[str]] = _no_notes
    has_lead: bool = False

    def table(self, result: Result, name: str) -> Table | None:
        """Return the table of this name; None if the result has no such table or no rows."""
        shown = (table.long or table for table in self.tables(result))
        return next((table for table in shown if table.name == name and table.rows), None)


class DisplayedResult(Displayed):
    """Base class of what public functions return: it can be written, shown and converted.

    `description` says how results of this kind are shown, in a notebook and everywhere else.
    """

    __slots__ = ()

    description: ClassVar[Description]

    def overview(self) -> Overview:
        """Return the headline and the first table of the description."""
        result = self.shown()
        tables = (table for table in self.description.tables(result) if table.rows)
        table = next(tables, NO_TABLE)
        title = ": ".join(filter(None, [type(self).__name__, self.description.headline(result)]))
        return Overview(title, table, self.rows_in_all(table))

    def rows_in_all(self, table: Table) -> int:
        """Return the number of rows of the first table; `shown` may have only the first of them."""
        return len(table.rows)

    def shown(self) -> Result:
        """Return the tables and facts that the overview needs; by default all."""
        return self.result()

    def main_table(self) -> pl.DataFrame:
        """Return the table that answers the question of the command."""
        raise NotImplementedError

    def result(self) -> Result:
        """Return all tables and their provenance."""
        raise NotImplementedError

    def to_pandas(self, table: str | None = None) -> Any:
        """Return the main table, or the table of `result()` with this name, as a pandas frame."""
        if table is None:
            return to_pandas(self.main_table())
        tables = self.result().tables
        if table not in tables:
            raise OptionError(f"no table {table!r} here", fix=f"there are: {', '.join(tables)}")
        return to_pandas(tables[table])


def lists_in_order(frame: pl.DataFrame, rank: str = "rank", same: Sequence[str] = ("utt",)) -> bool:
    """Return whether each row has rank 1, or the next rank of the list of the row before.

    Two rows of a list have the same values in the columns `same`.

    >>> import polars as pl
    >>> lists_in_order(pl.DataFrame({"utt": ["a", "a", "b"], "rank": [1, 2, 1]}))
    True
    >>> lists_in_order(pl.DataFrame({"utt": ["a", "b", "a"], "rank": [1, 1, 2]}))
    False
    """
    ranks = pl.col(rank)
    unchanged = [pl.col(name) == pl.col(name).shift() for name in same]
    follows = pl.all_horizontal(ranks == ranks.shift() + 1, *unchanged).fill_null(False)
    return bool(frame.select(((ranks == 1) | follows).all()).item())
