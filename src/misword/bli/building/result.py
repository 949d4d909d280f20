"""What `build` returns: a training lexicon, an evaluation set, and their datasheet."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.bli.building.datasheet import FORMAT, datasheet_text
from misword.core import display
from misword.core.errors import InputError, OptionError
from misword.io.files.checksums import KEY, check_files, check_json, json_checksum
from misword.io.files.folders import fresh_folder, refuse_foreign
from misword.io.files.path_errors import output_status
from misword.io.files.sources import PathLike
from misword.io.files.strict_json import JsonError, parse_json
from misword.io.lexicon_writing import Row, write_tabs
from misword.io.lexicons import Lexicon

if TYPE_CHECKING:
    import polars as pl

TRAIN, EVALUATION = "train.tsv", "evaluation.tsv"
SHEET, SHEET_TEXT = "datasheet.json", "datasheet.md"


@dataclass(frozen=True, repr=False)
class GoldSet(display.Displayed):
    """A training lexicon and an evaluation set, as tables, and the datasheet of both.

    The columns of both tables are `source`, `target`, `pos`, `sense`, `source_rank`, `target_rank`
    and `dictionary`; that of the evaluation set also has `senses`, the number of senses of the
    headword, and `form_of` if forms were added.
    """

    train: pl.DataFrame
    evaluation: pl.DataFrame
    datasheet: dict[str, Any]
    notes: tuple[str, ...] = ()

    def overview(self) -> display.Overview:
        """Return the first pairs of the evaluation set."""
        counts = self.datasheet["counts"]
        title = (
            f"GoldSet: {counts['evaluation']['headwords']:,} headwords for evaluation, "
            f"{counts['train']['headwords']:,} for training"
        )
        columns = [display.text(name) for name in ("source", "target", "pos")]
        shown = [*columns, display.count("sense"), display.count("source_rank")]
        return display.Overview.of(title, self.evaluation, shown)

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
