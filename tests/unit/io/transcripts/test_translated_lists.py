"""Translations of N-best lists, a line for each hypothesis."""

from __future__ import annotations

from pathlib import Path

from misword.core.options import defaults
from misword.io.options import Reading
from misword.io.transcripts.files import TranslatedLists


def test_lists_may_have_another_format_than_references(tmp_path: Path) -> None:
    """The formats are named: plain lines of references, and lists as Moses writes them."""
    (tmp_path / "ref.txt").write_text("le chat\n")
    (tmp_path / "lists").write_text(
        "0 ||| le chat ||| lm= -1 ||| -1\n0 ||| un chat ||| lm= -2 ||| -2\n"
    )
    (tmp_path / "en.txt").write_text("the cat\na cat\n")
    formats = {"input_format": "lines", "hypothesis_format": "moses"}
    source = TranslatedLists(
        tmp_path / "ref.txt",
        [tmp_path / "lists"],
        [tmp_path / "en.txt"],
        {**defaults(Reading), **formats},
    )
    assert source().hypotheses.select("rank", "text").rows() == [(1, "the cat"), (2, "a cat")]
