"""mweralign, the reimplementation of mwerSegmenter (Matusov et al., 2005), on real translations."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword
from misword.alignment.engine import align
from misword.text.texts import Texts
from misword.text.tokens import encode_words

LINES, TALKS = 50, 6


def _errors(said: list[str], heard: list[str]) -> int:
    sides = encode_words([Texts.of(said), Texts.of(heard)])
    return int(align(*sides, operations=False).costs.sum())


def test_no_cut_has_fewer_errors(shared: Path) -> None:
    mweralign = pytest.importorskip("mweralign")
    folder = shared / "wce-dev"
    names = "post-edition.en", "slt/1best.en"
    texts = [(folder / name).read_text().splitlines() for name in names]
    for start in range(0, LINES * TALKS, LINES):
        said, lines = ([line.strip() for line in side[start : start + LINES]] for side in texts)
        heard = " ".join(lines)
        theirs = mweralign.align_texts("\n".join(said), heard).split("\n")
        ours = misword.segment(said, heard).texts()["text"].to_list()
        assert " ".join(" ".join(ours).split()) == " ".join(heard.split())
        assert _errors(said, ours) <= _errors(said, theirs[:LINES])
