"""The result of an audit: flags of pairs, composition, leaks, and the cleaned lexicon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from misword.bli.auditing.answers import Systems, named_systems
from misword.bli.auditing.comparison import ComparedSystems, ComparisonSettings
from misword.bli.auditing.false_positives import check_verdict_path, write_verdicts
from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged
from misword.bli.options import K_VALUES, SystemOptions
from misword.bli.translate import check_k, named_retriever
from misword.core.errors import OptionError
from misword.core.lazy import pl
from misword.core.options import takes
from misword.core.parts import describe
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import PathLike
from misword.io.lexicon_writing import write_lexicon
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.lexicons import AUDIT


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit(DisplayedResult):
    """The result of an audit.

    Attributes:
        lexicon: the lexicon with its resources.
        flags: the flags that were given, by name.
        flagged: the pairs of each flag, with probabilities and evidence.
        not_given: the flags that could not be given, each with the reason.
        threshold: the probability from which a pair counts as flagged.
        composition: parts of speech, frequency bands, senses.
        leaks: what is shared with the training lexicon.
        left_out: the flags whose pairs are left out of the cleaned lexicon.
        notes: what a reader should know beside the tables.
        systems: the comparison of systems on variants of the lexicon, and their doubtful answers;
            None if no system was named.
    """

    lexicon: AuditedLexicon
    flags: Mapping[str, Flag]
    flagged: Mapping[str, Sequence[Flagged]]
    not_given: Mapping[str, str]
    threshold: float
    composition: pl.DataFrame
    leaks: pl.DataFrame
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    systems: ComparedSystems | None = None
    description = AUDIT

    @takes(SystemOptions)
    def compare_systems(
        self,
        systems: Systems,
        k: int | Sequence[int] = K_VALUES,
        **options: Unpack[SystemOptions],
    ) -> Audit:
        """Return the audit with a comparison of systems on the lexicon as it is and cleaned.

        `systems` are mappings, or files with the candidates of other tools; a dictionary names
        them. Their hit rates at `k` are compared on the lexicon as it is, without names, and with
        forms and synonyms filled in. `judge` is a file with verdicts on their errors, if there is
        one yet; `write_verdicts` writes it. `retriever` is that of mappings.
        """
        retriever, judge, workers = options["retriever"], options["judge"], options["workers"]
        part = named_retriever(retriever, workers)
        k_values = tuple(dict.fromkeys([k] if isinstance(k, int) else k))
        check_k(k_values)
        if judge is not None:
            check_verdict_path(judge)
        settings = ComparisonSettings(
            named_systems(systems), part, k_values, Bootstrap.of(options), judge,
            options["max_words"], workers,
        )  # fmt: skip
        names = self.has_flag("proper-noun") if "proper-noun" in self.flags else None
        compared = ComparedSystems.of(self.lexicon, names, settings)
        return replace(self, systems=compared, notes=(*self.notes, *compared.notes))

    def write_verdicts(self, path: PathLike) -> None:
        """Write the errors of the systems that a person should judge, with the verdicts so far."""
        if self.systems is None:
            raise OptionError("no system was compared", fix="call compare_systems first")
        check_verdict_path(path)
        write_verdicts(path, self.systems.doubtful, self.systems.verdicts)

    def has_flag(self, name: str) -> NDArray[np.bool_]:
        """Return which pairs have a flag with at least the threshold's probability."""
        pairs = np.zeros(len(self.lexicon), np.bool_)
        found = [one.pair for one in self.flagged[name] if one.probability >= self.threshold]
        pairs[found] = True
        return pairs

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which pairs are in the cleaned lexicon."""
        kept = np.ones(len(self.lexicon), np.bool_)
        for name in self.left_out:
            kept &= ~self.has_flag(name)
        return kept

    def summary(self) -> pl.DataFrame:
        """Return for each flag the numbers of its pairs and headwords, and an example."""
        headwords, pairs = len(self.lexicon.lexicon.headwords), self.lexicon.pairs
        rows = []
        for name in self.flags:
            found = self.has_flag(name)
            words = {pairs[number][0] for number in np.flatnonzero(found).tolist()}
            expected = sum(one.probability for one in self.flagged[name])
            best = max(self.flagged[name], key=lambda one: one.probability, default=None)
            example = "" if best is None else f"{' – '.join(pairs[best.pair])}: {best.evidence}"
            rows.append(
                (name, int(found.sum()), found.mean(), len(words), len(words) / headwords, expected,
                 example)
            )  # fmt: skip
        schema = {
            "flag": pl.String, "pairs": pl.Int64, "share": pl.Float64, "headwords": pl.Int64,
            "headword_share": pl.Float64, "expected": pl.Float64, "example": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def flag_table(self) -> pl.DataFrame:
        """Return a row for each pair and flag, with probability and evidence."""
        lexicon = self.lexicon.lexicon
        rows = [
            (lexicon.lines[one.pair], *self.lexicon.pairs[one.pair], name, one.probability,
             one.evidence)
            for name, found in self.flagged.items()
            for one in found
        ]  # fmt: skip
        schema = {
            "line": pl.Int64, "source": pl.String, "target": pl.String, "flag": pl.String,
            "probability": pl.Float64, "evidence": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def pair_table(self) -> pl.DataFrame:
        """Return each pair with its ranks in the vectors and the probability of each flag."""
        columns: dict[str, Any] = {
            "line": self.lexicon.lexicon.lines,
            "source": self.lexicon.source.words,
            "target": self.lexicon.target.words,
        }
        for column in self.lexicon.columns:
            if column.ranks is not None:
                columns[f"{column.side}_rank"] = [rank or None for rank in column.ranks.tolist()]
        columns["kept"] = self.kept
        return pl.DataFrame(columns | self._probabilities())

    def _probabilities(self) -> dict[str, NDArray[np.float64]]:
        """Return the probability of each flag for each pair; 0 where it was not given."""
        columns = {}
        for name, found in self.flagged.items():
            values = np.zeros(len(self.lexicon))
            values[[one.pair for one in found]] = [one.probability for one in found]
            columns[name] = values
        return columns

    def clean_rows(self) -> Iterator[list[str]]:
        """Yield the rows of the cleaned lexicon, the header first.

        The words come first, then the further columns of the file, then a column with the
        probability of each flag.
        """
        lexicon, flags = self.lexicon.lexicon, self._probabilities()
        yield ["source", "target", *lexicon.columns, *flags]
        for number in np.flatnonzero(self.kept).tolist():
            further = (values[number] for values in lexicon.columns.values())
            probabilities = (f"{values[number]:.2f}" for values in flags.values())
            yield [*self.lexicon.pairs[number], *further, *probabilities]

    def write_clean(self, path: PathLike, *, formulas: bool = False) -> None:
        """Write the cleaned lexicon; the suffix of the file decides the format.

        `formulas` is as for `write_lexicon`.
        """
        write_lexicon(self.clean_rows(), path, formulas=formulas)

    def main_table(self) -> pl.DataFrame:
        """Return the table `flags`."""
        return self.flag_table()

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return all tables with their provenance."""
        lexicon = self.lexicon.lexicon
        tables = {
            "summary": self.summary(),
            "flags": self.flag_table(),
            "pairs": self.pair_table(),
            "composition": self.composition,
            "leaks": self.leaks,
            **({} if self.systems is None else self.systems.tables()),
        }
        facts = {
            "misword": __version__,
            **(provenance or {}),
            "gold": {"name": lexicon.name, "digest": lexicon.digest},
            "languages": list(self.lexicon.languages),
            "pairs": len(lexicon),
            "headwords": len(lexicon.headwords),
            "kept": int(self.kept.sum()),
            "threshold": self.threshold,
            "left_out": list(self.left_out),
            "not_given": dict(self.not_given),
            "notes": list(self.notes),
            "flags": list(self.flags),
            "systems": [] if self.systems is None else self.systems.systems,
            "parts": {name: describe(flag) for name, flag in self.flags.items()},
        }
        return Result("audit", tables, facts)
