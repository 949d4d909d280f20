"""Le et al. 2016, Tables 8 and 9: translations of the oracles' choices, from their own files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from misword.asr.downstreams import create_downstreams
from misword.asr.translating.tables import TranslationTables, score_translations
from misword.stat.bootstrap import Bootstrap

FILES = {"rank 1": "1best", "wer": "oracle_WER", "wer-e": "oracle_WER-E", "wer-s": "oracle_WER-S"}


def tables(shared: Path, specs: list[str]) -> TranslationTables:
    folder = shared / "wce-dev"
    columns = {
        name: (folder / f"slt/{file}.en").read_text("utf-8").split("\n")[:-1]
        for name, file in FILES.items()
    }
    references = (folder / "post-edition.en").read_text("utf-8").split("\n")[:-1]
    utts = [str(number) for number in range(len(references))]
    translated = pl.concat(
        pl.DataFrame({"utt": utts, "translation": column, "reference": references}).with_columns(
            system=pl.lit("le"), chosen_by=pl.lit(name)
        )
        for name, column in columns.items()
    )
    downstreams = create_downstreams(specs)
    return score_translations(translated, downstreams, Bootstrap(0), ("rank 1", "wer"))


def test_table_8(shared: Path) -> None:
    """BLEU dev: 30.81, 35.29, 35.37, 35.41 by their program, 0.01 more by sacrebleu."""
    found = tables(shared, ["bleu:tokenize=none"]).scores
    assert found["value"].to_list() == pytest.approx([30.82, 35.30, 35.38, 35.42], abs=0.005)


def test_table_9(shared: Path) -> None:
    """Sentence BLEU with one added to the counts: 310, 271 and 2,062, to the utterance.

    The difference of the two corpora, 0.08, is not significant.
    """
    found = tables(shared, ["bleu:tokenize=none,smooth=add-k"]).changes
    row = found.filter(chosen_by="wer-e", against="wer").row(0, named=True)
    assert (row["wins"], row["losses"], row["ties"]) == (310, 271, 2062)
    assert row["p"] > 0.1
