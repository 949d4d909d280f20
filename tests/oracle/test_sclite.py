"""misword beside NIST sclite: alignments by sclite's costs, alternatives, segments."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.alignment import align
from misword.core.types import Op
from misword.text.texts import Texts
from misword.text.tokens import encode_words
from sclite import run_sclite

Write = Callable[[str, str], Path]
LETTERS = {Op.HIT: "H", Op.SUBSTITUTION: "S", Op.INSERTION: "I", Op.DELETION: "D"}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return written


def trn(texts: list[str]) -> str:
    return "".join(f"{text} (s-{number:04d})\n" for number, text in enumerate(texts))


def test_random_alignments(write: Write) -> None:
    drawn = random.Random(3)
    words = [["".join(drawn.choices("abc", k=1)) for _ in range(drawn.randint(0, 12))]
             for _ in range(1200)]  # fmt: skip
    texts = [" ".join(row) for row in words]
    references, hypotheses = texts[:600], texts[600:]
    found = run_sclite(write("r.trn", trn(references)), write("h.trn", trn(hypotheses)))
    ours = align(*encode_words([Texts.of(references), Texts.of(hypotheses)]), ties="sclite")
    for number, pair in enumerate(zip(references, hypotheses, strict=True)):
        theirs = found[f"s-{number:04d}"]
        assert tuple(ours.counts[number]) == theirs.counts, pair
        letters = "".join(LETTERS[Op(op)] for op in ours.operations(number))
        assert letters == theirs.operations, pair
