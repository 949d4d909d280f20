"""All data of the explorer of one result."""

from __future__ import annotations

import numpy as np

from misword.core.types import Result
from misword.report.explorer.alignments import Vocabulary, alignment_data, alignment_tables
from misword.report.explorer.labels import label_fields
from misword.report.explorer.lists import list_data, reference_texts
from misword.report.explorer.metadata import metadata_columns
from misword.report.explorer.packing import Data, packed
from misword.report.result_access import titles
from misword.report.utterance_rates import UtteranceRates

# Utterances in the page; where a result has more, a note says so.
MAXIMAL_UTTERANCES = 100_000


def explorer_data(result: Result, rates: UtteranceRates) -> Data:
    """Return everything that the explorer shows of a result, as values that JSON can hold."""
    ids, title = rates.ids[:MAXIMAL_UTTERANCES], titles(result)
    tables, left_out = alignment_tables(result)
    vocabulary = Vocabulary.of(list(tables.values()))
    return {
        "ids": ids,
        "systems": rates.systems,
        "metrics": [title(label) for label in rates.labels],
        "rates": packed(rates.rates[:, :, : len(ids)].astype(np.float32)),
        "metadata": metadata_columns(result, len(ids)),
        "words": vocabulary.words.to_list(),
        "tags": vocabulary.tags.to_list(),
        "families": vocabulary.families.to_list(),
        "labels": label_fields(result, ids, rates.systems),
        "layers": [
            alignment_data(name, frame, ids, rates.systems, vocabulary, title)
            for name, frame in tables.items()
        ],
        "references": [] if tables else reference_texts(result, ids),
        "lists": list_data(result, ids, rates.systems, title),
        "total": max(len(rates.ids), _utterances(result)),
        "leftOut": [name.removeprefix("words.") for name in left_out],
    }


def _utterances(result: Result) -> int:
    """Return the number of utterances of which a table of lists may have a part."""
    count = result.provenance.get("utterances") if "lists" in result.tables else 0
    return count if isinstance(count, int) else 0
