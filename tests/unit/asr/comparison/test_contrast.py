"""Contrasts of the utterances that got worse with the others, and counts of disfluencies."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.asr.comparison.worsened import contrast, unfit
from misword.core.errors import InputError, MismatchError, OptionError
from misword.stat.bootstrap import Bootstrap
from misword.text.disfluencies import FILLERS, disfluencies

WORSE = np.array([True] * 2 + [False] * 4)


def rows(table: pl.DataFrame, *names: str) -> list[tuple[object, ...]]:
    return table.select(names).rows()


def test_means() -> None:
    # Worsened 3 and 2: mean 2.5. The others 1, 2 and 1, one missing: mean 4/3.
    table = pl.DataFrame({"pauses": [3, 2, 1, 2, None, 1]})
    found = contrast(table, WORSE, ["pauses"]).row(0, named=True)
    assert (found["column"], found["value"]) == ("pauses", "")
    assert (found["worsened"], found["others"]) == (2.5, 4 / 3)
    assert found["ratio"] == 1.875
    assert (found["worsened_n"], found["others_n"]) == (2, 3)
    assert found["low"] <= 1.875 <= found["high"]


def test_interval_of_means() -> None:
    """Resamples of two rows and two: means 1, 1.5 or 2 over 2, 3 or 4, all chances known."""
    table = pl.DataFrame({"n": [1.0, 2.0, 2.0, 4.0]})
    worse = np.array([True, True, False, False])
    found = contrast(table, worse, ["n"], Bootstrap(20_000, 0.5)).row(0, named=True)
    # 1/4 (chance 1/16), 1/3 (1/8), 3/8 (1/8), 1/2 (1/16 + 1/4 + 1/16), ...: quartiles 3/8, 2/3.
    assert (found["low"], found["high"]) == (0.375, pytest.approx(2 / 3))


def test_shares() -> None:
    table = pl.DataFrame({"noise": ["street", "street", "none", "street", None, "none"]})
    found = contrast(table, WORSE, ["noise"])
    # Both worsened are from the street, and one of the three others whose noise is known.
    shares = {row[0]: row[1:] for row in rows(found, "value", "worsened", "others", "ratio")}
    assert shares == {"street": (1.0, 1 / 3, 3.0), "none": (0.0, 2 / 3, 0.0)}
    assert set(rows(found, "worsened_n", "others_n")) == {(2, 3)}


def test_interval_of_shares() -> None:
    """30 of 100 against 100 of 1000: ratio 3, log error sqrt(1/30 - 1/100 + 1/100 - 1/1000)."""
    table = pl.DataFrame({"noisy": [True] * 30 + [False] * 70 + [True] * 100 + [False] * 900})
    worse = np.arange(1100) < 100
    found = (
        contrast(table, worse, ["noisy"], Bootstrap(5000)).filter(value="true").row(0, named=True)
    )
    assert found["ratio"] == pytest.approx(3)
    spread = 1.96 * np.sqrt(1 / 30 - 1 / 100 + 1 / 100 - 1 / 1000)
    assert np.log(found["low"]) == pytest.approx(np.log(3) - spread, abs=0.06)
    assert np.log(found["high"]) == pytest.approx(np.log(3) + spread, abs=0.06)


@pytest.mark.slow
def test_intervals_cover_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    covered = {"counts": 0, "kind": 0}
    for trial in range(200):
        worse = np.arange(400) < 100
        table = pl.DataFrame(
            {
                "counts": rng.poisson(np.where(worse, 3.0, 2.0)),
                "kind": np.where(rng.random(400) < np.where(worse, 0.3, 0.2), "a", "b"),
            }
        )
        found = contrast(table, worse, list(covered), Bootstrap(200, seed=trial))
        for name in covered:
            row = found.filter(pl.col("column") == name, pl.col("value").is_in(["", "a"]))
            covered[name] += row["low"][0] <= 1.5 <= row["high"][0]
    for share in covered.values():
        assert 0.89 <= share / 200 <= 0.99


def test_rare_values_are_not_certain() -> None:
    """No worsened utterance has the value: if few others have it, the interval includes 1."""
    worse = np.arange(1010) < 10
    rare = pl.DataFrame({"kind": ["b"] * 10 + ["a"] * 3 + ["b"] * 997})
    found = contrast(rare, worse, ["kind"]).filter(value="a").row(0, named=True)
    assert found["ratio"] == 0
    assert found["low"] < 1 < found["high"]
    common = pl.DataFrame({"kind": ["b"] * 400 + ["a", "b"] * 300})
    found = contrast(common, np.arange(1000) < 400, ["kind"]).filter(value="a").row(0, named=True)
    assert found["high"] < 0.05


def test_what_only_the_worsened_have() -> None:
    table = pl.DataFrame({"kind": ["a"] * 20 + ["b"] * 80, "errors": [1, 2] * 10 + [0] * 80})
    found = contrast(table, np.arange(100) < 20, ["kind", "errors"])
    first, *_, last = found.rows(named=True)
    assert (first["value"], first["ratio"]) == ("a", None)
    assert first["low"] > 1
    assert (last["column"], last["worsened"], last["others"]) == ("errors", 1.5, 0)
    assert last["ratio"] is last["low"] is last["high"] is None


def test_undefined_intervals() -> None:
    """One pause in 50 others: a third of the resamples has none, and the ratio no upper bound.

    A group of equal values has equal resamples and no interval.
    """
    worse = np.arange(70) < 20
    table = pl.DataFrame({"pauses": [1, 2] * 10 + [1] + [0] * 49, "steady": [1] * 20 + [1, 2] * 25})
    pauses, steady = (contrast(table, worse, [name]).row(0, named=True) for name in table.columns)
    assert (pauses["low"] > 1, pauses["high"]) == (True, None)
    assert steady["ratio"] == 1 / 1.5
    assert steady["low"] is steady["high"] is None


def test_roux_2022() -> None:
    """Utterances that got worse have 1.23 times the disfluencies of the rest: 2.46 and 2 each."""
    worse = np.arange(500) < 100
    counts = np.r_[[2] * 54 + [3] * 46, [1, 2, 3, 2] * 100]
    found = contrast(pl.DataFrame({"disfluencies": counts}), worse, ["disfluencies"])
    row = found.row(0, named=True)
    assert (row["worsened"], row["others"]) == (2.46, 2)
    assert row["ratio"] == pytest.approx(1.23)
    assert 1 < row["low"] < 1.23 < row["high"]


def test_strongest_first() -> None:
    rng = np.random.default_rng(1)
    worse = np.arange(600) < 200
    table = pl.DataFrame(
        {
            "same": rng.poisson(5, 600),
            "half": rng.poisson(np.where(worse, 4, 8)),
            "more": rng.poisson(np.where(worse, 5, 4)),
            "thrice": rng.poisson(np.where(worse, 6, 2)),
            "below": rng.normal(-np.where(worse, 9, 1)),
        }
    )
    found = contrast(table, worse, table.columns)
    assert found["column"].to_list() == ["thrice", "half", "more", "same", "below"]
    assert found["ratio"].null_count() == 1  # numbers below 0 have means, but no ratio
    assert found.filter(column="below")["worsened"][0] < -8


def test_commonest_values() -> None:
    values = [f"v{i}" for i in range(25) for _ in range(i + 1)]
    worse = np.arange(len(values)) % 2 == 0
    found = contrast(pl.DataFrame({"v": values}), worse, ["v"])
    assert set(found["value"]) == {f"v{i}" for i in range(5, 25)}


def test_columns_that_cannot_be_contrasted() -> None:
    table = pl.DataFrame(
        {
            "file": list("abcdef"),
            "year": [1999] * 6,
            "none": [None] * 6,
            "nan": [float("nan")] * 6,
            "parts": [[1]] * 6,
            "length": [1.5, 2.5, 3.5, 4.5, 5.5, float("inf")],
            "age": pl.Series(["old", "old", "young", None, None, None], dtype=pl.Categorical),
        }
    )
    assert unfit(table, table.columns) == {
        "file": "each utterance has its own, like an id",
        "year": "all utterances have the same value",
        "none": "no utterance has a value",
        "nan": "no utterance has a value",
        "parts": "List(Int64) is neither a number nor a category",
    }
    found = contrast(table, WORSE, table.columns)
    assert set(rows(found, "column", "worsened_n", "others_n")) == {("length", 2, 3), ("age", 2, 1)}
    with pytest.raises(OptionError, match="no column 'fiel'\n  columns: file"):
        unfit(table, ["fiel"])
    with pytest.raises(MismatchError, match="6 utterances, 2 flags"):
        contrast(table, WORSE[:2], ["age"])


@pytest.mark.parametrize("worse", [np.zeros(6, np.bool_), np.ones(6, np.bool_)])
def test_nothing_to_contrast_with(worse: np.ndarray) -> None:
    table = pl.DataFrame({"n": [1, 2, 3, 4, 5, 6], "kind": ["a", "b"] * 3})
    found = contrast(table, worse, ["n", "kind"])
    assert found["worsened"].null_count() + found["others"].null_count() == len(found) == 3
    for name in ("ratio", "low", "high"):
        assert found[name].null_count() == 3
    empty = contrast(table, worse, [])
    assert empty.schema == found.schema


def test_seed_and_times() -> None:
    table = pl.DataFrame({"n": np.arange(60) % 7, "kind": ["a", "b", "b"] * 20})
    worse = np.arange(60) % 4 == 0
    one, again, other = (
        contrast(table, worse, ["n", "kind"], Bootstrap(seed=seed)) for seed in (1, 1, 2)
    )
    assert one.equals(again)
    assert not one.equals(other)
    turned = contrast(table, worse, ["kind", "n"], Bootstrap(seed=1))
    assert turned.sort("value").equals(one.sort("value"))
    none = contrast(table, worse, ["n", "kind"], Bootstrap(times=0))
    assert none["low"].null_count() == len(none)
    assert none["ratio"].null_count() == 0


def counted(text: str, lang: str = "") -> tuple[int, int, int]:
    found = disfluencies([text], lang)
    parts = [int(found[name][0]) for name in ("fillers", "repetitions", "truncations")]
    assert found["disfluencies"].tolist() == [sum(parts)]
    return parts[0], parts[1], parts[2]


@pytest.mark.parametrize(
    ("lang", "text", "fillers"),
    [
        ("en", "Uh, I um I mean uhm ummm erm er Hmm", 7),
        ("en", "like you know I mean well ah oh uh-huh mhm", 0),
        ("en", "<uh> (um) %hesitation [HES] %laugh", 4),
        ("fr", "euh ben bah alors heu hum euuuh bon", 4),
        ("fra", "e\u0301 euh", 1),
        ("de-DE", "ähm äh a\u0308hm öh er geht um acht", 4),
        ("es", "eh este pues ehm", 2),
        ("nl", "uh eh uhm er is", 3),
        ("ru", "э э-э эмм хм это", 4),
        ("fi", "öö öh tota niinku", 2),
        ("et", "öö ee noh", 1),
        ("", "um er hum eh bah EEE öö ben umm heu", 0),
        ("", "uh euh ähm øh hmm mmm erm ehm", 8),
        ("ja", "uh um", 1),
    ],
)
def test_fillers(lang: str, text: str, fillers: int) -> None:
    assert counted(text, lang)[0] == fillers


def test_fillers_are_known_where_they_are_known_anywhere() -> None:
    """Fillers of no language are fillers of each language that has them."""
    for lang in FILLERS:
        assert counted("hm hmm mmm", lang)[0] == 3


@pytest.mark.parametrize(
    ("text", "repetitions"),
    [
        ("le le chat", 1),
        ("Le, le. LE chat", 2),
        ("je veux je veux", 1),
        ("je veux je veux je veux", 2),
        ("je veux je", 0),
        ("je ne veux je ne veux", 1),
        ("a b c d a b c d", 0),
        ("a b b a b b", 3),  # b twice, then a b
        ("le euh le", 1),
        ("euh euh", 0),
        ("le , le", 1),
        ("12 12 3.5 3.5 1 2 1 2", 0),
        ("nous nous levons vous vous levez", 0),
        ("nous nous nous nous levons", 1),
        ("[rire] [rire]", 0),
        ("l' l' homme", 1),
        ("a\u0300 à", 1),
        ("की का", 0),  # signs for vowels are no letters, but tell words apart
        ("की की", 1),
        ("", 0),
    ],
)
def test_repetitions(text: str, repetitions: int) -> None:
    assert counted(text, "fr")[1] == repetitions


@pytest.mark.parametrize(
    ("text", "truncations"),
    [
        ("tr- try th\u2010 (th-) w-, oran(ge)-", 5),
        ("pro() pro(blème) (be)cause", 3),
        ("- -- word-- well-known 10- -ce (word) élève(s) étudiant(e)s", 0),
        ("Vor- und Nachteile in- och utrikes", 0),
        ("Vor- nicht é- e\u0301- की-", 4),
    ],
)
def test_truncations(text: str, truncations: int) -> None:
    assert counted(text, "")[2] == truncations


def test_repetitions_stay_in_their_text() -> None:
    found = disfluencies(["le", "le", "", "vor-", "und le le"])
    assert found["repetitions"].tolist() == [0, 0, 0, 0, 1]
    assert found["truncations"].tolist() == [0, 0, 0, 1, 0]
    assert disfluencies(pl.Series(["le le"]))["repetitions"].tolist() == [1]
    assert disfluencies([])["disfluencies"].tolist() == []
    with pytest.raises(InputError, match="row 2"):
        disfluencies(pl.Series(["a", None]))
    with pytest.raises(OptionError, match="not a language code"):
        disfluencies(["a"], "French")


def slow_repetitions(words: list[str]) -> int:
    """Remove repeated words, then repeated pairs, then repeated triples."""
    total = 0
    for size in (1, 2, 3):
        at = 0
        while at + 2 * size <= len(words):
            if words[at : at + size] == words[at + size : at + 2 * size]:
                del words[at + size : at + 2 * size]
                total += 1
            else:
                at += 1
    return total


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=14), max_size=4))
def test_repetitions_against_the_slow_way(texts: list[list[str]]) -> None:
    found = disfluencies([" ".join(words) for words in texts])["repetitions"].tolist()
    assert found == [slow_repetitions(list(words)) for words in texts]
