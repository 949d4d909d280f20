"""HATS, human choices between French transcripts (Bañeras-Roux et al., 2023): WER and CER.

The published table is over all 1,000 triplets; here the 500 of the open half are pinned.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

import misword


def test_preferences_of_wer_and_cer(shared: Path) -> None:
    triplets = pl.read_csv(shared / "hats-dev.tsv", separator="\t", quote_char=None)
    assert len(triplets) == 500
    scores = misword.score(
        triplets["reference"], {"a": triplets["hypA"], "b": triplets["hypB"]}, "wer,cer"
    )
    table = scores.utterances()
    people = (triplets["nbrA"] > triplets["nbrB"]).to_numpy()
    unanimous = ((triplets["nbrA"] == 0) | (triplets["nbrB"] == 0)).to_numpy()
    found = {}
    for metric in ("wer", "cer"):
        a, b = (table.filter(system=name)[f"{metric}.rate"].to_numpy() for name in "ab")
        right = ((a < b) & people) | ((b < a) & ~people)
        found[metric] = (int(right.sum()), int(right[unanimous].sum()), int(unanimous.sum()))
    assert found == {"wer": (232, 113, 189), "cer": (295, 141, 189)}
