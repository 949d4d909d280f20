"""The table of languages in docs/forgiving.md has the sizes of the lists."""

from __future__ import annotations

from pathlib import Path

from misword.text.writing.abbreviations import ABBREVIATIONS
from misword.text.writing.compounds import DIFFERENT_JOINED
from misword.text.writing.contractions import IRREGULAR
from misword.text.writing.spelling import read_spellings
from misword.text.writing.words import parse_classes

PAGE = Path(__file__).parent.parent.parent / "docs" / "forgiving.md"


def table() -> dict[str, dict[str, str]]:
    """The cells of the table: by family, and by language."""
    lines = PAGE.read_text("utf-8").partition("## Languages")[2].partition("\n## ")[0].splitlines()
    header, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line
    )
    return {row[0].strip("`"): dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def test_sizes_of_lists() -> None:
    cells = table()
    for lang, text in ABBREVIATIONS.items():
        assert cells["abbreviations"][lang].startswith(f"{len(parse_classes(text))},")
        if words := read_spellings(lang).words:
            assert cells["spelling"][lang].startswith(f"{len(words):,} words")
    letters = read_spellings("en").letters
    assert f"{len(letters)} letter groups" in cells["spelling"]["en"]
    assert cells["contractions"]["en"].startswith(f"{len(IRREGULAR)},")
    for lang in ("de", "nl"):
        assert f"{len(DIFFERENT_JOINED[lang])} exceptions" in cells["compounds"][lang]
