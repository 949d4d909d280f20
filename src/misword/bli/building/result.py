"""The result of `build`: a training lexicon, an evaluation set, and their datasheet.

The datasheet has the composition of the gold set, its sources, and what each criterion left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from misword.bli.building.selecting import LeftOut, headwords_of
from misword.bli.building.settings import CANDIDATES, BuildSettings
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.tables import Table
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.checksums import KEY, check_files, check_json, json_checksum
from misword.io.files.path_errors import output_status
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.files.writing import fresh_folder, refuse_foreign
from misword.io.lexicon_writing import Row, write_tabs
from misword.io.lexicons import Lexicon
from misword.stat.descriptions.lexicons import (
    GOLD_SET,
    gold_composition_table,
    gold_flags_table,
    left_out_table,
    parts_table,
)

FORMAT, FORMAT_VERSION = "misword-gold-set", 1
# Bands of frequency in the datasheet, if the settings name none: the highest rank of each.
BANDS = (1_000, 5_000, 20_000, 50_000, 200_000)
MOST_SENSES = 5  # headwords with more senses are counted together


def make_datasheet(
    train: pl.DataFrame,
    evaluation: pl.DataFrame,
    left_out: Sequence[LeftOut],
    settings: BuildSettings,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the datasheet; `facts` are languages, sources, vectors, analyzers and notes."""
    forms = "form_of" in evaluation.columns
    translations = evaluation.filter(pl.col("form_of") == "") if forms else evaluation
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "misword": __version__,
        "settings": settings.listed(),
        **facts,
        "counts": {"evaluation": _counts(evaluation), "train": _counts(train)},
        "evaluation": {
            "pos": _tags(translations, settings),
            "bands": _bands(evaluation, settings),
            "senses": _senses(evaluation),
        },
        "overlap": _overlap(train, evaluation),
        "left_out": [one.listed() for one in left_out],
    }


def _counts(frame: pl.DataFrame) -> dict[str, int]:
    return {
        "headwords": frame["source"].n_unique(),
        "pairs": frame.height,
        "translations": frame["target"].n_unique(),
        "identical": int((frame["source"] == frame["target"]).sum()),
    }


def _tags(frame: pl.DataFrame, settings: BuildSettings) -> dict[str, int]:
    """Return the number of headwords of each part of speech, the most frequent first."""
    counts = Counter(headwords_of(frame, settings)["pos"].to_list())
    return {tag or "unknown": count for tag, count in sorted(counts.items(), key=_by_count)}


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _bands(frame: pl.DataFrame, settings: BuildSettings) -> dict[str, int]:
    """Return the number of headwords in each band of frequency."""
    named = [int(name.partition("-")[2]) for name in settings.bands.names]
    ranks = frame.unique("source")["source_rank"].to_list()
    limits, counts, lowest = named or [*BANDS], {}, 1
    if ranks and max(ranks) > limits[-1]:
        limits.append(max(ranks))
    for highest in limits:
        counts[f"{lowest}-{highest}"] = sum(lowest <= rank <= highest for rank in ranks)
        lowest = highest + 1
    return counts


def _senses(frame: pl.DataFrame) -> dict[str, int]:
    """Return the number of headwords with each number of senses."""
    numbers = frame.unique("source")["senses"].to_list()
    counts = {str(n): numbers.count(n) for n in range(1, MOST_SENSES + 1)}
    return counts | {f"over {MOST_SENSES}": sum(n > MOST_SENSES for n in numbers)}


def _overlap(train: pl.DataFrame, evaluation: pl.DataFrame) -> dict[str, int]:
    """Return how many headwords, translations and pairs both parts have."""
    both = ["source", "target"]
    return {
        "headwords": len(set(train["source"]) & set(evaluation["source"])),
        "translations": len(set(train["target"]) & set(evaluation["target"])),
        "pairs": evaluation.join(train, on=both, how="semi").height,
    }


def datasheet_text(sheet: Mapping[str, Any]) -> str:
    """Return the datasheet in Markdown, for people."""
    settings = sheet["settings"]
    pair = f"{sheet['source_lang']}-{sheet['target_lang']}"
    k = CANDIDATES[settings["purpose"]]
    blocks = [
        f"# Gold set {pair}",
        f"Made by misword {sheet['misword']} for the purpose {settings['purpose']}. Evaluate a "
        f"mapping on it: `misword evaluate MAPPING evaluation.tsv --k {k} --by pos`.",
        _described(parts_table(sheet)),
        "## Sources",
        _table(
            ("dictionary", "format", "pairs", "headwords", "SHA-256 of the pairs"),
            (tuple(source.values())[:5] for source in sheet["sources"]),
        ),
        _table(
            ("vectors", "words loaded", "SHA-256"),
            (tuple(vectors.values()) for vectors in sheet["vectors"]),
        ),
        "## Criteria",
        _table(("setting", "value"), {**settings, **sheet["analyzers"]}.items()),
        "## What was left out",
        _described(left_out_table(sheet)),
        "## Composition of the evaluation set",
        *_shares(sheet),
        "## Training and evaluation",
        "Both parts have "
        + ", ".join(f"{count} {what}" for what, count in sheet["overlap"].items())
        + " in common.",
        *_audit(sheet),
        *(
            ["## Notes", "\n".join(f"- {note}" for note in sheet["notes"])]
            if sheet["notes"]
            else []
        ),
    ]
    return "\n\n".join(blocks) + "\n"


def _audit(sheet: Mapping[str, Any]) -> Iterable[str]:
    """Yield the section about the audit, if there was one."""
    if sheet["audit"]:
        yield "## Audit"
        yield "What `misword audit` flags in the evaluation set; look at these pairs."
        yield _described(gold_flags_table(sheet))


def _shares(sheet: Mapping[str, Any]) -> Iterable[str]:
    """Yield a table for each way in which the evaluation set is divided."""
    titles = {"pos": "part of speech", "bands": "frequency rank", "senses": "senses"}
    for name in sheet["evaluation"]:
        shown = gold_composition_table(sheet).where(by=name).without("by")
        yield _table([titles[name], *shown.header()[1:]], shown.cells())


def _described(table: Table) -> str:
    return _table(table.header(page=True), table.cells(page=True))


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [header, ["--"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: object) -> str:
    """Return a value as the text of a cell, with the markup of tables escaped."""
    if isinstance(value, list):
        value = ", ".join(value) or "none"
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return " ".join(text.replace("|", "\\|").split())


TRAIN, EVALUATION = "train.tsv", "evaluation.tsv"
SHEET, SHEET_TEXT = "datasheet.json", "datasheet.md"


@dataclass(frozen=True, repr=False)
class GoldSet(DisplayedResult):
    """A training lexicon and an evaluation set, as tables, and the datasheet of both.

    The columns of both tables are `source`, `target`, `pos`, `sense`, `source_rank`, `target_rank`
    and `dictionary`; that of the evaluation set also has `senses`, the number of senses of the
    headword, and `form_of` if forms were added.
    """

    train: pl.DataFrame
    evaluation: pl.DataFrame
    datasheet: dict[str, Any]
    notes: tuple[str, ...] = ()
    description = GOLD_SET

    def main_table(self) -> pl.DataFrame:
        """Return the evaluation set."""
        return self.evaluation

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return both tables; the datasheet is their provenance."""
        tables = {"evaluation": self.evaluation, "train": self.train}
        return Result("gold-set", tables, {**(provenance or {}), **self.datasheet})

    def lexicon(self, part: str = "evaluation") -> Lexicon:
        """Return one of the two parts as a lexicon for `evaluate` or `map_vectors`."""
        return lexicon_of(self.train if part == "train" else self.evaluation, f"{part}.tsv")

    def write(self, folder: PathLike, *, force: bool = False) -> None:
        """Write both tables and the datasheet to a folder, completely or not at all.

        An older gold set in the folder is replaced if `force` is true; other files in it are kept.
        """
        target = Path(folder)
        check_folder(target, force=force)
        with fresh_folder(target, _foreign) as fresh:
            files = {}
            for name, frame in ((TRAIN, self.train), (EVALUATION, self.evaluation)):
                rows: list[Row] = [frame.columns, *frame.iter_rows()]
                with (fresh / name).open("wb") as file:
                    write_tabs(rows, file, name)
                files[name] = sha256((fresh / name).read_bytes()).hexdigest()
            sheet = {**self.datasheet, "files": files}
            sheet[KEY] = json_checksum(sheet)
            (fresh / SHEET).write_text(
                json.dumps(sheet, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
            )
            (fresh / SHEET_TEXT).write_text(datasheet_text(sheet), encoding="utf-8")


def lexicon_of(frame: pl.DataFrame, name: str) -> Lexicon:
    """Return a table as a lexicon with all its columns, as if it was read from a file."""
    columns = {
        column: tuple(map(str, frame[column].to_list()))
        for column in frame.columns
        if column not in ("source", "target")
    }
    words = tuple(frame["source"]), tuple(frame["target"])
    return Lexicon(*words, tuple(range(2, frame.height + 2)), name, columns)


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Raise, before any work, if a gold set cannot be written to a folder."""
    refuse_foreign(folder, read_datasheet, "it exists and is not a gold set of misword")
    if not force and output_status(folder / SHEET) is not None:
        raise OptionError(
            "it has a gold set already",
            where=str(folder),
            fix="name another folder, or replace the gold set with --force",
        )


def verify_gold_set(folder: Path) -> bool:
    """Check the checksums of a gold set; return whether it has them, or raise if one differs."""
    sheet = read_datasheet(folder)
    check_json(sheet, str(folder / SHEET))
    files = sheet.get("files")
    if not isinstance(files, dict) or set(files) != {TRAIN, EVALUATION}:
        return False
    check_files(folder, files)
    return KEY in sheet


def _foreign(folder: Path) -> list[Path]:
    """Return the entries of a folder that are not of a gold set."""
    own = {TRAIN, EVALUATION, SHEET, SHEET_TEXT}
    return [entry for entry in folder.iterdir() if entry.name not in own]


def read_datasheet(folder: Path) -> dict[str, Any]:
    """Return the datasheet of a gold set in a folder, or raise if there is none."""
    wrong = InputError("no datasheet of misword in it", where=str(folder), fix="check the path")
    try:
        sheet = parse_json((folder / SHEET).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, JsonError):
        raise wrong from None
    if not isinstance(sheet, dict) or sheet.get("format") != FORMAT:
        raise wrong
    return sheet
