"""The test sets of a benchmark: a TOML file, folders by convention, or texts in memory.

A folder of a test set has the references in `reference.*` (or `ref.*`, `references.*`) and a file
for each system, which is named as the system. If all files have both sides (manifests with
predictions), there is no file of references. A file `set.toml` has options of this set.

A TOML file has options of `misword score` for all sets, and a table for each set:

    metrics = "wer,cer"
    systems = ["base", "new"]

    [sets.clean]
    reference = "clean/ref.txt"
    hypotheses = "clean/{system}.txt"

    [sets.french]
    lang = "fr"
    reference = "fr/ref.trn"
    hypotheses = { base = "fr/base.trn", new = "fr/run7.trn" }

    [costs.base]
    latency = 0.31

Paths are relative to the TOML file. A file of hypotheses that does not exist is a missing cell.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from misword.asr.options import BenchOptions, Metrics, ScoreOptions
from misword.core.errors import InputError, OptionError, did_you_mean
from misword.core.options import Option, chosen, declared, defaults
from misword.core.types import Corpus
from misword.io.files.sources import shown_path, unreadable
from misword.io.options import Reading
from misword.io.transcripts.detection import stem_of
from misword.io.transcripts.files import CorpusFiles
from misword.stat.scores import Scores

REFERENCES = ("reference", "references", "ref", "refs")
SET_FILE = "set.toml"
SYSTEM = "{system}"
# Keys of the table of a set beside options.
OF_SET = ("reference", "hypotheses")
# Options of the whole benchmark, which a set cannot have.
WHOLE = frozenset({"systems", "average", "incomplete", "costs", "checkpoints", "history", "since",
                   "step", "version", "best_of_last", "margin", "bootstrap", "confidence",
                   "seed", "names"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class TestSet:
    """A test set: its name, its texts, and the options of `score` that only it has.

    `texts` are the arguments `references`, `hypotheses`, `metadata` and `ids` of `misword.score`,
    or `Scores`; `files` are the files that are read, if the texts are in files.
    """

    __test__ = False  # not a class of tests

    name: str
    texts: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    reference: str = ""
    hypotheses: Mapping[str, str] = field(default_factory=dict)

    def source(self, reading: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the first arguments of `misword.score`; files are read when it calls them."""
        if not self.hypotheses:
            return self.texts
        own = {name: value for name, value in self.options.items() if name in defaults(Reading)}
        named = {**reading, **own, "names": list(self.hypotheses)}
        return (CorpusFiles(self.reference, list(self.hypotheses.values()), named),)

    @property
    def scoring(self) -> dict[str, Any]:
        """The options of `misword.score` that this set has."""
        known = {**defaults(Metrics, ScoreOptions), "by": (), "block": None}
        return {name: value for name, value in self.options.items() if name in known}


@dataclass(frozen=True, slots=True)
class Suite:
    """The test sets of a benchmark, options for all of them, and costs of systems."""

    sets: Sequence[TestSet]
    options: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Mapping[str, Any]] | None = None
    title: str = ""


def suite_of(sets: Any, systems: Sequence[str] | None) -> Suite:
    """Return the suite of a TOML file, of folders, or of a mapping by the names of the sets."""
    if isinstance(sets, Suite):
        return sets
    if isinstance(sets, Mapping):
        found = Suite([_of_texts(str(name), value) for name, value in sets.items()])
    else:
        paths = [sets] if isinstance(sets, str | os.PathLike) else list(sets)
        files = [Path(path) for path in paths]
        if len(files) == 1 and not files[0].is_dir():
            found = read_suite(files[0], systems)
        else:
            found = Suite([_of_folder(folder, systems) for folder in files])
    if not found.sets:
        raise OptionError("there is no test set", fix="name a TOML file, or a folder for each set")
    names = [own.name for own in found.sets]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise OptionError(f"two test sets are called {double!r}", fix="rename one of them")
    return found


def _of_texts(name: str, value: Any) -> TestSet:
    """Return a set of `Scores`, a corpus, or the first arguments of `misword.score`."""
    if isinstance(value, TestSet):
        return value
    if isinstance(value, Scores | Corpus) or callable(value):
        return TestSet(name, (value if not isinstance(value, Corpus) else (lambda: value),))
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) in (2, 3):
        return TestSet(name, tuple(value))
    raise OptionError(
        f"the test set {name!r} is {type(value).__name__}",
        fix="give references and hypotheses, a corpus or scores",
    )


# Folders.


def _of_folder(folder: Path, systems: Sequence[str] | None) -> TestSet:
    """Return the set of a folder with the references and a file for each system."""
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise unreadable(str(folder), error) from None
    name = shown_path(Path(os.path.abspath(folder)).name)
    options: dict[str, Any] = {}
    if (own := folder / SET_FILE) in entries:
        entries.remove(own)
        options = _options_of(_toml(own), own, declared(Metrics, BenchOptions), WHOLE)
    stems: dict[str, Path] = {}
    for path in entries:
        if stem_of(path) in stems:
            raise InputError(
                f"{stems[stem_of(path)].name} and {path.name} have the same name",
                where=str(folder),
                fix="keep one of them: a file of a folder is named as its system",
            )
        stems[stem_of(path)] = path
    reference = next((stems.pop(stem) for stem in REFERENCES if stem in stems), None)
    wanted = stems if systems is None else {s: stems[s] for s in systems if s in stems}
    if not wanted:
        names = ", ".join(stems) or "none"
        raise InputError(
            "there is no file of a system",
            where=str(folder),
            fix=f"files are named as the systems, without suffix; here are: {names}",
        )
    first = reference or next(iter(wanted.values()))
    files = {system: str(path) for system, path in wanted.items()}
    return TestSet(name, (), options, str(first), files)


# TOML files.


def read_suite(path: Path, systems: Sequence[str] | None) -> Suite:
    """Return the suite that a TOML file describes."""
    content = _toml(path)
    tables = _table(content.pop("sets", {}), "sets", path)
    costs = _table(content.pop("costs"), "costs", path) if isinstance(
        content.get("costs"), Mapping) else None  # fmt: skip
    title = str(content.pop("title", ""))
    known = declared(Metrics, BenchOptions)
    options = _options_of(content, path, known, frozenset({"names"}))
    names = systems or options.get("systems")
    if not tables:
        raise InputError(
            "it has no test sets",
            where=str(path),
            fix='add a table for each: [sets.clean], with reference = "ref.txt"',
        )
    sets = [
        _of_table(name, _table(table, f"sets.{name}", path), path, names)
        for name, table in tables.items()
    ]
    return Suite(sets, options, costs, title)


def _toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise unreadable(str(path), error) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is not TOML: {error}", where=str(path), fix="correct it") from None


def _table(value: Any, name: str, path: Path) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is not a table", where=str(path), fix=f"write [{name}]")
    return dict(value)


def _options_of(
    values: Mapping[str, Any], path: Path, known: Mapping[str, Option], refused: Iterable[str]
) -> dict[str, Any]:
    """Return the options of a table; texts are read as on the command line."""
    allowed = {name: option for name, option in known.items() if name not in refused}
    found = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        if name not in allowed:
            hint = did_you_mean(name, [*allowed, *OF_SET])
            raise InputError(
                f"there is no option {key!r}",
                where=str(path),
                fix=f"{hint}`misword bench --help all` lists the options",
            )
        option = allowed[name]
        try:
            found[name] = _value(option, value, path.parent)
        except ValueError as error:
            raise InputError(f"{key}: {error}", where=str(path), fix="correct it") from None
    return found


def _value(option: Option, value: Any, folder: Path) -> Any:
    """Return the value of an option; names of files are relative to the TOML file."""
    if option.choices and value not in option.choices:
        raise ValueError(f"{value!r} is none of {', '.join(option.choices)}")
    if isinstance(option.default, bool) != isinstance(value, bool):
        raise ValueError(f"{value!r} is not a value of it")
    if option.is_file and isinstance(value, str | list):
        paths = [str(folder / each) for each in ([value] if isinstance(value, str) else value)]
        return paths if option.repeated else paths[0]
    if isinstance(value, str):
        read = option.read(value)
        return [read] if option.repeated else read
    return value


def _of_table(
    name: str, table: dict[str, Any], path: Path, systems: Sequence[str] | None
) -> TestSet:
    """Return the set that a table of a TOML file describes."""
    folder, where = path.parent, f"{path}: sets.{name}"
    reference, files = (table.pop(key, None) for key in OF_SET)
    options = _options_of(table, path, declared(Metrics, BenchOptions), WHOLE)
    if isinstance(files, Mapping):
        named = {str(system): str(folder / str(file)) for system, file in files.items()}
    elif isinstance(files, str):
        named = _matching(files, folder, systems, where)
    else:
        raise InputError(
            "it names no hypotheses",
            where=where,
            fix='write hypotheses = "hyp/{system}.txt", or a table of files by system',
        )
    wanted = named if systems is None else {s: named[s] for s in systems if s in named}
    there = {system: file for system, file in wanted.items() if os.path.lexists(file)}
    if not there:
        missing = next(iter(named.values()), str(files))
        raise InputError("no system has hypotheses for it", where=where,
                         fix=f"there is no {missing}")  # fmt: skip
    first = next(iter(there.values())) if reference is None else str(folder / str(reference))
    return TestSet(name, (), options, first, there)


def _matching(
    pattern: str, folder: Path, systems: Sequence[str] | None, where: str
) -> dict[str, str]:
    """Return the file of each system by a pattern with `{system}`, or with `*`."""
    if SYSTEM in pattern:
        if systems is None:
            raise InputError(
                "{system} stands for names that are not listed",
                where=where,
                fix='list them at the beginning of the file: systems = ["base", "new"]',
            )
        return {name: str(folder / pattern.replace(SYSTEM, name)) for name in systems}
    return {stem_of(path): str(path) for path in sorted(folder.glob(pattern))}


def merged_options(
    given: Mapping[str, Any], suite: Suite, families: Sequence[Any]
) -> dict[str, Any]:
    """Return the options of a run: those that were given, else those of the suite."""
    usual = defaults(*families)
    own = {name: value for name, value in suite.options.items() if name in usual}
    set_by_user = {
        name: value for name, value in chosen(given, *families).items() if value != usual[name]
    }
    return {**usual, **own, **set_by_user}
