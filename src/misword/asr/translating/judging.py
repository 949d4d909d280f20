"""The scores of the translations of chosen hypotheses: for the oracle and for tuned weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.asr.checking.quick_notes import translation_notes
from misword.asr.choosing.scored_lists import ScoredLists
from misword.asr.translating.sources import TranslationSource
from misword.asr.translating.tables import TranslationTables, score_translations
from misword.stat.bootstrap import Bootstrap

if TYPE_CHECKING:
    import polars as pl


def judge_translations(
    source: TranslationSource,
    scored: ScoredLists,
    chosen: pl.DataFrame,
    against: Sequence[str],
    bootstrap: Bootstrap,
    blocks: NDArray[np.int64] | None = None,
) -> tuple[TranslationTables, list[str]]:
    """Return the scores of the translations of all choices, and notes on the translations.

    `chosen` has a row for each system, choice (`chosen_by`) and utterance, with `rank` and `text`.
    The choices are compared with those named in `against`, of which the first is judged for notes.
    `blocks` numbers the utterances of a choice that are resampled together.
    """
    known = scored.scores.table if scored.texts is None else scored.texts
    translated = source.translated(chosen, known, scored.references)
    tables = score_translations(translated, source.downstreams, bootstrap, against, blocks)
    return tables, slipped_notes(translated.filter(chosen_by=against[0]))


def slipped_notes(translated: pl.DataFrame) -> list[str]:
    """Return a note for each system whose translations belong to other references, if one has any.

    `translated` has one translation of each utterance of each system.
    """
    texts = {
        str(system): (rows["translation"].to_list(), rows["reference"].to_list())
        for (system,), rows in translated.group_by("system", maintain_order=True)
    }
    utts = translated["utt"].unique(maintain_order=True).to_list()
    return translation_notes(texts, utts)
