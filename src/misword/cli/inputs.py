"""Options that several commands share, and the functions that read and write files by them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import unidata_version

from misword.asr.entities.keywords import read_keywords
from misword.asr.equivalents import read_equivalents
from misword.asr.metrics import METRICS
from misword.asr.presets import PRESETS
from misword.asr.presets.sclite import Sclite
from misword.asr.scoring_options import DEFAULT_METRICS, find_preset
from misword.cli.entities import add_entities
from misword.cli.language_options import add_cache, add_context
from misword.cli.numbers import resamples, seed, share, workers
from misword.cli.output import add_audio, add_format, add_out, add_title
from misword.cli.run_date import run_date
from misword.cli.transcripts import read_files
from misword.core.errors import OptionError
from misword.core.parts.contract import Part
from misword.core.parts.registry import split_specs
from misword.core.types import Corpus
from misword.core.version import __version__
from misword.io.files.shown_paths import shown_path
from misword.io.files.sources import open_source, recorded
from misword.io.transcripts.categories import as_categories
from misword.io.transcripts.plain_names import plain_name
from misword.text.normalizers import DEFAULT, NORMALIZERS
from misword.text.normalizers.glm import Glm
from misword.text.normalizers.rules import Rules


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Declare the option for metrics."""
    parser.add_argument(
        "--metrics",
        metavar="LIST",
        help=f"{', '.join(METRICS.names())}; options after a colon: cer:spaces=false "
        f"(default: {','.join(DEFAULT_METRICS)}); with a preset, metrics beside its own",
    )


def add_categorical(parser: argparse.ArgumentParser) -> None:
    """Declare the option for columns of numbers that are names."""
    parser.add_argument(
        "--categorical",
        metavar="COLUMNS",
        type=column_names,
        default=[],
        help="metadata columns whose numbers are names, such as dialect,level: they are compared "
        "by value, not by their mean (speaker, columns of ids, and whole numbers with few distinct "
        "values are so by default)",
    )


def add_looks(parser: argparse.ArgumentParser) -> None:
    """Declare the options for preset, normalisation, alternatives, equivalents, and threads."""
    group = parser.add_argument_group("comparing")
    group.add_argument(
        "--preset",
        metavar="NAME",
        help=f"options that reproduce another tool: {', '.join(PRESETS.names())}; `misword parts "
        "presets` describes them",
    )
    group.add_argument(
        "--normalize",
        metavar="LIST",
        help="normalizers for references and hypotheses, in order: nfc (default), lower, nopunct, "
        "... or none; `misword parts normalizers` lists them",
    )
    group.add_argument(
        "--rules",
        metavar="FILE",
        help="file of your own rules, one a line, applied after the normalizers: pattern => "
        "replacement (regular expressions); [fr] starts rules for French",
    )
    group.add_argument(
        "--glm",
        metavar="FILE",
        help="rules of NIST's csrfilt, applied before the normalizers or by --preset sclite: "
        "A => B / C __ D",
    )
    group.add_argument(
        "--no-alternatives",
        dest="alternatives",
        action="store_false",
        help="read { a / b } in references as plain text, not as alternatives",
    )
    group.add_argument(
        "--equivalents",
        metavar="FILE",
        help="file with words or phrases that count as the same, a group a line: gonna / going to",
    )
    group.add_argument(
        "--forgive",
        metavar="LIST",
        default="",
        help="differences of writing that are not errors: writing (all of them), or some of "
        "numbers,contractions,compounds,fillers,spelling,abbreviations,case,punctuation; the texts "
        "stay as they are, and the table shows what was forgiven; `misword parts families` lists "
        "them",
    )
    group.add_argument(
        "--workers",
        type=workers,
        metavar="N",
        help="threads, or with --engine the shards that are scored at a time (default: all cores)",
    )


def add_intervals(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the bootstrap."""
    group = parser.add_argument_group("intervals")
    group.add_argument(
        "--bootstrap",
        type=resamples,
        default=1000,
        metavar="N",
        help="number of resamples (default 1000; 0: no intervals)",
    )
    group.add_argument(
        "--confidence",
        type=share,
        default=0.95,
        metavar="P",
        help="confidence level of the intervals (default 0.95)",
    )
    group.add_argument(
        "--seed", type=seed, default=0, metavar="N", help="seed of the resamples (default 0)"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare the options for files that are written besides standard output."""
    add_out(parser)
    parser.add_argument("--report", metavar="FILE", help="also write a report (one HTML file)")
    add_title(parser)


def add_scoring(
    parser: argparse.ArgumentParser, *, entities: bool = False, audio: bool = False
) -> None:
    """Declare the options of every command that scores texts.

    With `audio`, its report has an explorer, which plays audio.
    """
    add_cache(add_context(parser))
    add_looks(parser)
    if entities:
        add_entities(parser)
    add_intervals(parser)
    add_format(parser)
    add_output(parser)
    if audio:
        add_audio(parser)


class Inputs:
    """The files that a command reads, with the hash of each for the provenance of the result.

    The command passes `read_corpus` and `read_equivalents` to `misword.score` or a similar
    function. That function calls them after it has checked its options, so that a wrong option is
    reported before anything is read.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.hashes: dict[str, str] = {}
        # Only these options write the provenance; without them no hash is computed.
        self._hashing = any(getattr(options, name, None) is not None for name in ("out", "report"))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Return a context within which the hash of each opened file is added."""
        if not self._hashing:
            yield
            return
        with recorded() as hashes:
            yield
        self.hashes |= hashes

    def record(self, path: Path) -> None:
        """Add the hash of a file."""
        with self.recording():
            open_source(path)

    def read_corpus(self) -> Corpus:
        """Read the corpus that the options name; of N-best lists, the best hypotheses."""
        return self._read(nbest=False)

    def read_nbest(self) -> Corpus:
        """Read the corpus that the options name, with all hypotheses of N-best lists."""
        return self._read(nbest=True)

    def _read(self, *, nbest: bool) -> Corpus:
        with self.recording():
            corpus = read_files(self.options, nbest=nbest)
        names = getattr(self.options, "categorical", [])
        table = as_categories(corpus.references, names, corpus.metadata)
        return replace(corpus, references=table)

    def read_equivalents(self) -> list[list[str]]:
        """Read the file of equivalents; the list is empty if the options name none."""
        if not self.options.equivalents:
            return []
        with self.recording():
            return read_equivalents(self.options.equivalents)

    def read_keywords(self) -> dict[str, str]:
        """Read the file of keywords that the options name."""
        with self.recording():
            return read_keywords(self.options.keywords)

    def read_rules(self) -> Rules | None:
        """Read the file of rules; None if the options name none."""
        if self.options.rules is None:
            return None
        with self.recording():
            return Rules(self.options.rules)

    def preset_and_normalizers(self) -> dict[str, Any]:
        """Return the preset and the normalizers, one of them with the GLM file if it is named."""
        preset, normalize = self.options.preset, self.options.normalize
        if self.options.glm is None:
            return {"preset": preset, "normalize": normalize}
        with self.recording():
            glm = Glm(self.options.glm)
        if preset is None:
            specs = [spec for spec in split_specs(normalize or DEFAULT) if spec != "none"]
            return {"preset": None, "normalize": [glm, *specs]}
        chosen = find_preset(preset)
        if not isinstance(chosen, Sclite):
            raise OptionError(
                f"--glm beside --preset {chosen.name}", fix="use --preset sclite, or no preset"
            )
        return {"preset": replace(chosen, glm=self.options.glm), "normalize": normalize}

    def used_for_texts(self) -> list[str]:
        """Return the names of the options that preset, normalizers, rules and families read."""
        listed = split_specs(self.options.normalize or "none")
        parts: list[Part] = [NORMALIZERS.create(spec) for spec in listed if spec != "none"]
        parts.append(find_preset(self.options.preset))
        names = ("rules", "forgive", "entities")
        rules = ["lang"] if any(getattr(self.options, name, None) for name in names) else []
        return [*(name for part in parts for name in part.uses), *rules]

    def scoring_arguments(self) -> dict[str, Any]:
        """Return the arguments of `misword.score` that the options name, without the texts."""
        names = (
            "alternatives", "forgive", "lang", "vectors", "max_words",
            "vector_format", "cache", "workers",
        )  # fmt: skip
        named = {"entities": self.options.entities} if "entities" in self.options else {}
        if getattr(self.options, "keywords", None) is not None:
            named["keywords"] = self.read_keywords
        return {
            **named,
            "metrics": self.options.metrics,
            "rules": self.read_rules(),
            **self.preset_and_normalizers(),
            "equivalents": self.read_equivalents,
            **{name: getattr(self.options, name) for name in names},
        }


def provenance(options: argparse.Namespace, command: str, hashes: dict[str, str]) -> dict[str, Any]:
    """Return the origin of a result: version, date, command, options, and a hash of each input."""
    aside = (
        *("out", "report", "format", "workers", "quiet", "force", "debug", "keep_formulas"),
        *("max_bytes", "engine", "keep_going"),
    )
    settings = {k: _storable(v) for k, v in vars(options).items() if k not in aside}
    return {
        "misword": __version__,
        "unicode": unidata_version,
        "date": run_date(),
        "command": command,
        "options": settings,
        "sha256": hashes,
    }


def _storable(value: Any) -> Any:
    """Return the value of an option; in paths, bytes that are not UTF-8 are written `\\xNN`."""
    if isinstance(value, list):
        return [_storable(item) for item in value]
    return shown_path(value) if isinstance(value, str) else value


def column_names(text: str) -> list[str]:
    """Return the names in a list of columns that is separated by commas.

    >>> column_names("speaker, noise")
    ['speaker', 'noise']
    """
    return [plain_name(name) for name in (name.strip() for name in text.split(",")) if name]
