"""A text that is missing in memory is named by its system and its id."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from extras import needs
from misword.asr.score import score
from misword.core.errors import InputError

NAN = float("nan")


@pytest.mark.parametrize("missing", [None, NAN])
@pytest.mark.parametrize("first", [False, True])
def test_lists(missing: Any, first: bool) -> None:
    texts = [missing, "b", "c"] if first else ["a", missing, missing]
    named = "'u1', row 1" if first else "'u2', row 2, and 1 more"
    with pytest.raises(InputError) as caught:
        score(["a", "b", "c"], {"x": ["a", "b", "c"], "y": texts}, ids=["u1", "u2", "u3"])
    assert str(caught.value).startswith(
        f"hypotheses of 'y': no text (None or NaN) for the id {named}"
    )
    assert "fillna('')" in caught.value.fix
    with pytest.raises(InputError, match="references: no text"):
        score(texts, ["a", "b", "c"])


def test_a_whole_column_of_nan_is_not_the_word_nan() -> None:
    for column in ([NAN, NAN], pl.Series([NAN, NAN])):
        with pytest.raises(InputError, match="for the id '1', row 1, and 1 more"):
            score(["a", "b"], column)


def test_more_references() -> None:
    with pytest.raises(InputError, match="more references: no text"):
        score(["a", "b"], ["a", "b"], more_references=[["a", None]])


@needs("pandas")
def test_pandas() -> None:
    import pandas

    frame = pandas.DataFrame(
        {"id": ["u1", "u2"], "text": ["a", "b"], "tiny": ["a", "b"], "base": ["a", NAN]}
    )
    with pytest.raises(InputError, match=r"hypotheses of 'base': .* the id 'u2', row 2"):
        score(frame["text"], frame[["tiny", "base"]], ids=frame["id"])
    with pytest.raises(InputError, match=r"hypotheses of 'hypothesis': .* the id 'u2'"):
        score(frame["text"], frame["base"], ids=frame["id"])
    assert score(frame["text"], frame["base"].fillna(""), ids=frame["id"])["wer"] == 0.5
