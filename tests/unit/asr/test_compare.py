"""Systems against a baseline: differences, refusals, regressions, slices, the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.asr.comparison.matched_systems import MatchedSystems
from misword.asr.comparison.word_kinds import slices
from misword.cli.main import main
from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.results import read_result
from misword.stat.bootstrap import Bootstrap
from misword.stat.descriptions.comparison import comparison_headline
from misword.stat.mapsswe import from_words, mapsswe
from misword.stat.paired import by_block, paired

REFS = ["the cat sat", "so we go", "two by two", "on and on", ""]
BASE = ["a cat sat", "so we go", "to buy two", "on an on", "oh"]
NEW = ["the cat sat", "so he go", "two by two", "on and on", ""]
SYSTEMS = {"base": BASE, "new": NEW}
SPEAKERS = {"speaker": ["ann", "ann", "bo", "bo", "cy"], "age": [30, 30, 41, 41, 52]}


def differences(**options: Any) -> dict[str, Any]:
    found = misword.compare(REFS, SYSTEMS, "wer", metadata=SPEAKERS, **options)
    return found.differences.row(0, named=True)


def test_a_difference_by_hand() -> None:
    row = differences()
    # base: 1 + 0 + 2 + 1 errors and an insertion, 12 reference words; new: 1 error.
    assert row["baseline_rate"] == pytest.approx(5 / 12)
    assert row["rate"] == pytest.approx(1 / 12)
    assert row["difference"] == pytest.approx(-4 / 12)
    assert row["relative"] == pytest.approx(-0.8)
    assert (row["better"], row["worse"], row["same"], row["undefined"]) == (3, 1, 0, 1)
    assert row["low"] <= row["difference"] <= row["high"]
    assert 0 < row["p"] <= 1
    assert row["p"] == row["p_holm"]
    assert row["p_blocks"] is None


def test_the_baseline_can_be_named() -> None:
    row = differences(baseline="new")
    assert (row["baseline"], row["system"]) == ("new", "base")
    assert row["relative"] == pytest.approx(4.0)
    assert (row["better"], row["worse"]) == (1, 3)


def test_blocks_widen_the_intervals() -> None:
    """Errors depend on the speaker: the first speakers improve, the others get worse."""
    refs = ["a b c d"] * 80
    base = ["a b c d"] * 40 + ["x y c d"] * 40
    new = ["x b c d"] * 40 + ["x b c d"] * 40
    speakers = {"speaker": [f"s{at // 10}" for at in range(80)]}
    found = [
        misword.compare(refs, {"a": base, "b": new}, "wer", metadata=speakers, block=block)
        for block in (None, "speaker")
    ]
    plain, blocked = (one.differences.row(0, named=True) for one in found)
    assert blocked["p_blocks"] is not None
    assert blocked["high"] - blocked["low"] > 1.5 * (plain["high"] - plain["low"])
    assert blocked["p"] == plain["p"]
    assert found[1].blocks == 8


@pytest.mark.parametrize("size", [6, 20])
def test_blocks_are_tested_as_such(size: int) -> None:
    systems = {name: texts * size for name, texts in SYSTEMS.items()}
    blocks = np.repeat(np.arange(size), len(REFS))
    metadata = {"speaker": [f"s{at:02}" for at in blocks]}
    scores = misword.score(REFS * size, systems, "wer", metadata=metadata)
    sides = [scores.filter(system=name) for name in SYSTEMS]
    measure = scores.columns[0].measure
    terms = [measure.terms(side.statistics("wer")) for side in sides]
    expected = paired(by_block(terms[0], blocks), by_block(terms[1], blocks), measure.rate)
    row = misword.compare(scores, block="speaker").differences.row(0, named=True)
    assert row["p_blocks"] == row["p_blocks_holm"] == expected.p == 2 / 2**size
    assert (row["relative_low"], row["relative_high"]) == (
        expected.relative_low, expected.relative_high,
    )  # fmt: skip


def test_too_few_blocks_are_not_tested() -> None:
    """Five blocks that agree do so by chance once in 16; the test over utterances decides."""
    found = misword.compare(
        REFS * 5,
        {name: texts * 5 for name, texts in SYSTEMS.items()},
        "wer",
        metadata={"speaker": [at // 5 for at in range(25)]},
        block="speaker",
    )
    row = found.differences.row(0, named=True)
    assert row["p_blocks"] is row["p_blocks_holm"] is None
    assert row["p"] < 0.05
    assert row["relative_low"] is not None
    headline = comparison_headline(found.result())
    assert headline.startswith("new is better than base on WER; WER -80.0 % (p = ")
    assert headline.endswith(
        "5 speakers are too few for a test by speaker "
        "(6 are needed, which all agree by chance once in 32), so p is by utterances."
    )


def test_many_systems_do_not_hide_a_large_difference() -> None:
    """A corrected p-value does not depend on the number of resamples."""
    rng = np.random.default_rng(3)
    refs = ["a b c d e f g h"] * 200

    def heard(share: float) -> list[str]:
        return [" ".join(w if rng.random() > share else "x" for w in ref.split()) for ref in refs]

    systems = {"base": heard(0.3), **{f"s{at}": heard(0.15) for at in range(19)}}
    found = misword.compare(refs, systems, "wer,cer,mer", bootstrap=50).differences
    assert len(found) == 57
    assert (found["p_holm"] < 1e-6).all()
    assert (found["high"] < 0).all()


@pytest.mark.slow
def test_verdicts_on_twenty_systems_agree(shared: Path) -> None:
    """Corrected p-values call what intervals and MAPSSWE call, with few resamples too."""
    folder = shared / "wce-dev"
    files = [folder / "ref.fr", *sorted((folder / "hyp").glob("scale_*.fr"))]
    refs, *texts = (path.read_text("utf-8").splitlines() for path in files)
    systems = {path.stem: lines for path, lines in zip(files[1:], texts, strict=True)}
    found = misword.compare(refs, systems, "wer,cer,mer", bootstrap=100)
    table = found.differences
    assert len(table) == 57
    beyond_zero = (table["low"] > 0) | (table["high"] < 0)
    assert ((table["p_holm"] < 0.05) == beyond_zero).all()
    segments = table.drop_nulls("p_mapsswe_holm")
    assert ((segments["p_holm"] < 0.05) == (segments["p_mapsswe_holm"] < 0.05)).all()
    assert "not distinguishable" not in comparison_headline(found.result())


def test_every_wer_has_the_segment_test() -> None:
    found = misword.compare(REFS, SYSTEMS, "wer:ties=jiwer,mer")
    first, second = found.differences.select("p_mapsswe", "z_mapsswe", "segments_mapsswe").rows()
    words = found.scores.words("wer:ties=jiwer")
    expected = mapsswe(*from_words(words, *found.scores.systems))
    assert first == (expected.p, expected.z, expected.segments)
    assert second == (None, None, None)


def test_contrast_is_of_those_that_got_worse() -> None:
    found = misword.compare(REFS, SYSTEMS, "wer", metadata=SPEAKERS).contrast
    age = found.row(by_predicate=pl.col("column") == "age", named=True)
    assert (age["worsened"], age["worsened_n"]) == (30, 1)  # the second utterance alone
    assert (age["others"], age["others_n"]) == (pytest.approx(112 / 3), 3)  # the last has no rate


def test_identical_systems_are_the_same() -> None:
    found = misword.compare(REFS, {"a": BASE, "b": BASE}, "wer,cer", metadata=SPEAKERS)
    for row in found.differences.to_dicts():
        assert row["difference"] == row["relative"] == 0
        assert row["p"] == row["p_holm"] == 1
        assert (row["better"], row["worse"]) == (0, 0)
    assert found.differences["p_mapsswe"].to_list() == [1, None]
    assert found.differences["z_mapsswe"].to_list() == [0, None]
    assert found.worst.is_empty()
    assert found.contrast.filter(pl.col("ratio").is_not_null()).is_empty()


def test_several_tests_are_corrected() -> None:
    rng = np.random.default_rng(0)
    refs = ["a b c d e f g h"] * 60
    base = [" ".join(w if rng.random() > 0.3 else "x" for w in ref.split()) for ref in refs]
    new = [" ".join(w if rng.random() > 0.25 else "x" for w in ref.split()) for ref in refs]
    found = misword.compare(refs, {"a": base, "b": new, "c": base}, "wer,cer,mer").differences
    assert len(found) == 6
    pairs = list(zip(found["p_holm"], found["p"], strict=True))
    assert all(corrected >= p for corrected, p in pairs)
    sure = found.filter(pl.col("p") < 0.5)
    assert (sure["p_holm"] > sure["p"]).any()


def test_several_runs_can_be_compared() -> None:
    ids = [str(at) for at in range(5)]
    one = misword.score(REFS, {"base": BASE}, "wer", ids=ids)
    back = [4, 2, 0, 1, 3]
    other = misword.score(
        [REFS[i] for i in back], {"new": [NEW[i] for i in back]}, "wer", ids=[ids[i] for i in back]
    )
    together = misword.compare(REFS, SYSTEMS, "wer", ids=ids).differences
    assert misword.compare(one + other).differences.equals(together)


def test_other_utterances_are_refused() -> None:
    one = misword.score(REFS[:2], {"base": BASE[:2]}, "wer", ids=["1", "2"])
    other = misword.score(REFS[:3], {"new": NEW[:3]}, "wer", ids=["1", "2", "7"])
    with pytest.raises(MismatchError, match="'7' of 'new' is not among those of 'base'"):
        misword.compare(one + other)


def test_other_references_are_refused() -> None:
    one = misword.score(REFS, {"base": BASE}, "wer")
    other = misword.score(["the hat sat", *REFS[1:]], {"new": NEW}, "wer")
    with pytest.raises(MismatchError, match="'1' is 'the cat sat' for 'base', 'the hat sat'"):
        misword.compare(one + other)


def test_other_signatures_are_refused() -> None:
    one = misword.score(REFS, {"base": BASE}, "wer")
    other = misword.score(REFS, {"new": NEW}, "wer", normalize="nfc,lower")
    with pytest.raises(MismatchError, match=r"norm: nfc / nfc\+lower"):
        misword.compare(one + other)


@pytest.mark.parametrize(
    ("options", "error", "what"),
    [
        ({"baseline": "best"}, OptionError, "no system 'best'"),
        ({"block": "room"}, OptionError, "no metadata column 'room'"),
        ({"block": "year"}, OptionError, "the same year"),
        ({"block": "topic"}, InputError, "'2' has no topic"),
    ],
)
def test_what_cannot_be_compared(options: Any, error: type[Exception], what: str) -> None:
    more = {**SPEAKERS, "year": [2026] * 5, "topic": ["a", None, "b", "b", "b"]}
    with pytest.raises(error, match=what):
        misword.compare(REFS, SYSTEMS, "wer", metadata=more, **options)


def test_one_system_is_refused() -> None:
    with pytest.raises(OptionError, match="a comparison needs two systems"):
        misword.compare(REFS, BASE, "wer")


def test_the_worst_cost_most() -> None:
    refs = ["a b c d e f", "g", "h i"]
    found = misword.compare(refs, {"old": refs, "new": ["a x x x e f", "y z", "h i"]}, "wer").worst
    assert found["utt"].to_list() == ["1", "2"]
    assert found["errors"].to_list() == [3, 2]  # though the second's rate grew by more
    assert found["change"].to_list() == [0.5, 2]
    texts = found.select("reference", "baseline_text", "text").row(0)
    assert texts == (refs[0], refs[0], "a x x x e f")


def test_nbest_lists_are_compared_by_their_best() -> None:
    lists = pl.DataFrame(
        [
            ("1", "a", 1, "x"), ("1", "a", 2, "a"), ("1", "b", 1, "a"),
            ("2", "a", 1, "b"), ("2", "b", 1, "b"), ("2", "b", 2, "y"),
        ],
        schema=["utt", "system", "rank", "text"], orient="row",
    ).with_columns(score=pl.lit(0.0))  # fmt: skip
    corpus = misword.Corpus(pl.DataFrame({"utt": ["1", "2"], "text": ["a", "b"]}), lists)
    row = misword.compare(corpus, metrics="wer").differences.row(0, named=True)
    assert (row["baseline_rate"], row["rate"]) == (0.5, 0.0)


def test_sides_have_one_order() -> None:
    scores = misword.score(REFS, SYSTEMS, "wer", metadata=SPEAKERS)
    matched = MatchedSystems.of(scores, "new")
    assert (matched.baseline, matched.others) == ("new", ["base"])
    assert matched.scores.systems == ["new", "base"]
    assert matched.texts("base")["hypothesis"].to_list() == BASE


# Slices


def words() -> pl.DataFrame:
    vectors = misword.WordVectors.of(["cat", "hat", "mat"], np.array([[1, 0], [0.6, 0.8], [0, 1]]))
    refs = ["the cat sat", "the cat", "un"]
    said = {"a": ["the hat sat", "the mat cat", ""], "b": ["the cat sat", "the dog", "un"]}
    return misword.score(refs, said, "wer,wer-e", vectors=vectors).words()


def test_slices_by_hand() -> None:
    found = slices([words()], ["a", "b"], Bootstrap(times=50))
    rows = {(r["slice"], r["value"], r["system"]): r for r in found.to_dicts()}
    a, b = rows["length", "3", "a"], rows["length", "3", "b"]
    # a: cat is "hat", 1 - 0.6; the second cat is right, after an insertion.
    assert (a["words"], a["errors"]) == (5, 1)
    assert a["distance"] == pytest.approx(0.4 / 5)
    # b: one cat is "dog", which has no vector and costs 1.
    assert (b["words"], b["errors"], b["distance"]) == (5, 1, 0.2)
    assert b["rate_difference"] == 0
    assert b["distance_difference"] == pytest.approx(0.2 - 0.08)
    assert b["distance_low"] <= b["distance_difference"] <= b["distance_high"]
    assert a["rate_difference"] is None
    gone, kept = rows["length", "2", "a"], rows["length", "2", "b"]
    assert (gone["errors"], gone["rate"], gone["distance"]) == (1, 1, 1)  # deleted
    assert (kept["rate_difference"], kept["rate_low"]) == (-1, None)  # one utterance: no interval
    assert rows["frequency", "once", "a"]["words"] == 2  # sat, un
    assert rows["frequency", "2 to 9", "b"]["words"] == 4
    assert not any(kind == "tag" for kind, _, _ in rows)


def test_words_are_counted_without_case() -> None:
    scores = misword.score(["The the cat"], {"a": ["The the cat"], "b": ["the"]}, "wer")
    found = slices([scores.words()], ["a", "b"], Bootstrap(times=0)).filter(slice="frequency")
    rows = {(row["value"], row["system"]): row["words"] for row in found.to_dicts()}
    assert rows == {("once", "a"): 1, ("2 to 9", "a"): 2, ("once", "b"): 1, ("2 to 9", "b"): 2}


def test_slices_without_vectors_have_no_distance() -> None:
    scores = misword.score(["the cat sat on mats"], {"a": ["a cat"], "b": ["the cat"]}, "wer")
    found = slices([scores.words()], ["a", "b"], Bootstrap(times=0))
    assert found["distance"].null_count() == len(found)
    assert found["rate_low"].null_count() == len(found)
    assert found.filter(slice="length")["value"].unique(maintain_order=True).to_list() == [
        "2", "3", "4",
    ]  # fmt: skip


def test_distances_are_found_where_a_metric_has_them() -> None:
    """EmbER lower-cases and so has a table of words of its own; WER-S aligns by its prices."""
    vectors = misword.WordVectors.of(["cat", "hat"], np.array([[1, 0], [0.6, 0.8]]))
    refs, said = ["The cat sat"], {"a": ["The hat sat"], "b": ["The cat sat"]}
    found = misword.compare(refs, said, "wer,wer-s,ember", vectors=vectors).slices
    rows = found.filter(slice="length", system="a")
    assert rows["distance"].to_list() == pytest.approx([0.4 / 3])
    only = misword.compare(refs, said, "wer,wer-s", vectors=vectors).slices
    assert only["distance"].null_count() == len(only)


def test_slices_by_part_of_speech() -> None:
    refs = ["the cats were sitting", "a dog sleeps"]
    said = {"a": ["the cats was sitting", "a dog"], "b": refs}
    found = misword.compare(refs, said, "wer,uposer", lang="en").slices.filter(slice="tag")
    rows = {(row["value"], row["system"]): row["errors"] for row in found.to_dicts()}
    assert list(rows)[-1] == ("AUX", "b")  # the commonest first
    assert rows["NOUN", "a"] == 0
    assert rows["AUX", "a"] == 1
    assert sum(rows.values()) == 2


# The command


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    table = pl.DataFrame({"utt": list("12345"), **SPEAKERS, "text": REFS})
    table.write_csv(tmp_path / "ref.csv")
    for name, said in SYSTEMS.items():
        pl.DataFrame({"utt": list("12345"), "text": said}).write_csv(tmp_path / f"{name}.csv")
    return [str(tmp_path / f"{name}.csv") for name in ("ref", "base", "new")]


def test_the_command(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run = ["compare", *files, "--block", "speaker", "--bootstrap", "100"]
    assert main([*run, "--format", "table"]) == 0
    shown = capsys.readouterr().out
    for part in ("-80.00", "Errors by letters", "p, MAPSSWE", "(Holm)", "3 blocks (speaker)"):
        assert part in shown
    assert main([*run, "--format", "md", "--brief"]) == 0
    brief = capsys.readouterr().out
    assert "Errors by" not in brief
    assert "| wer | new | 41.67 | 8.33 | -80.00 |" in brief
    rows = misword.compare(REFS, SYSTEMS, "wer,cer", bootstrap=100).differences
    assert f" {rows['p_holm'][0]:.3f} |" in brief
    assert main([*run, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["differences"][0]["relative"] == pytest.approx(-0.8)
    assert found["slices"]
    assert main([*run, "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("\n") == 3


def test_the_command_writes_a_result(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["compare", *files, "--out", str(out), "--format", "csv"]) == 0
    result = read_result(out)
    assert result.kind == "comparison"
    assert {"summary", "utterances", "words", "texts", "differences", "slices"} <= set(
        result.tables
    )
    assert result.provenance["baseline"] == "base"
    assert result.provenance["correction"] == "holm"
    assert result.provenance["parts"]["cer"]["title"] == "CER"


@pytest.fixture
def folders(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Each system's scores in a folder of its own."""
    ref, *hyps = files
    made = [str(tmp_path / f"run{at}") for at in range(2)]
    for hyp, folder in zip(hyps, made, strict=True):
        assert main(["score", ref, hyp, "--out", folder, "--format", "csv"]) == 0
    capsys.readouterr()
    return made


def test_the_command_compares_folders(
    files: list[str], folders: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *folders, "--block", "speaker", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main(["compare", *files, "--block", "speaker", "--format", "json"]) == 0
    direct = json.loads(capsys.readouterr().out)
    assert found == direct
    assert main(["compare", folders[0], folders[0]]) == 2
    assert "--names" in capsys.readouterr().err
    assert main(["compare", folders[0], folders[0], "--names", "a,b", "--format", "csv"]) == 0
    assert ",0.0,0.0," in capsys.readouterr().out
    assert main(["compare", *folders, "--names", "a"]) == 2
    assert "1 names, 2 systems" in capsys.readouterr().err


# Odd cases


def test_contrasts_without_an_end_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fillers that only the worsened have; a value that only they have."""
    refs = [f"{'um ' * (1 + at % 3)}so {at}" if at < 12 else f"we go {at}" for at in range(60)]
    refs[59] = "um we go"
    new = [f"x {ref}" if at < 12 else ref for at, ref in enumerate(refs)]
    place = ["street" if at < 12 else "hall" for at in range(60)]
    table = pl.DataFrame({"utt": [str(at) for at in range(60)], "place": place, "text": refs})
    table = table.with_columns(seconds=pl.Series([f"{3 + at % 7}.5" for at in range(60)]))
    table.write_csv(tmp_path / "ref.csv")
    for name, said in {"a": refs, "b": new}.items():
        table.select("utt", text=pl.Series(said)).write_csv(tmp_path / f"{name}.csv")
    files = [str(tmp_path / f"{name}.csv") for name in ("ref", "a", "b")]
    assert main(["compare", *files, "--lang", "en", "--format", "table"]) == 0
    printed = capsys.readouterr()
    assert " or more" in printed.out
    assert "not contrasted" not in printed.err
    assert main(["compare", *files, "--lang", "en", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["contrast"]
    assert [row["value"] for row in rows if row["column"] == "seconds"] == [""]  # a number


def test_rounding_is_no_change() -> None:
    vectors = misword.WordVectors.of(list("abd"), np.array([[1, 0], [0.9, 0.44], [0, 1]]))
    said = {"one": ["b d b"], "two": ["b b d"]}
    row = misword.compare(["a a a"], said, "ember", vectors=vectors).differences.row(0, named=True)
    assert (row["better"], row["worse"], row["same"], row["difference"]) == (0, 0, 1, 0)


def test_empty_is_data() -> None:
    found = misword.compare(["", "a b"], {"a": ["", ""], "b": ["x", "a b"]}, "wer,cer")
    assert found.differences["undefined"].to_list() == [1, 1]
    silent = misword.compare(["", ""], {"a": ["", ""], "b": ["x", "y"]}, "wer")
    assert silent.differences["relative"].to_list() == [None]


def test_names_of_metadata_that_are_taken() -> None:
    refs = ["a", "b c", "d e f", "g"]
    more = {"words": [1, 2, 3, 4], "words (counted)": [5, 4, 3, 2]}
    said = {"a": refs, "b": ["a", "b", "d e f", "g"]}
    found = misword.compare(refs, said, "wer", metadata=more).contrast["column"].to_list()
    assert {"words", "words (counted)", "words (counted) (counted)"} <= set(found)
    with pytest.raises(OptionError, match=r"'wer\.rate'"):
        misword.compare(REFS, SYSTEMS, "wer", metadata={"wer.rate": [1] * 5})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 2}, "confidence is 2"),
        ({"confidence": 0}, "confidence is 0"),
        ({"bootstrap": -1}, "bootstrap is -1"),
        ({"seed": -1}, "seed is -1"),
        ({"worst": -1}, "worst is -1"),
    ],
)
def test_odd_settings_are_refused(options: Any, message: str) -> None:
    for texts in ((REFS, SYSTEMS, "wer"), (misword.score(REFS, SYSTEMS, "wer"),)):
        with pytest.raises(OptionError, match=message):
            misword.compare(*texts, **options)


def test_options_are_checked_before_texts_are_read() -> None:
    def read() -> misword.Corpus:
        raise AssertionError("it was read")

    hows: list[dict[str, Any]] = [{"metrics": "were"}, {"bootstrap": -1}, {"worst": -1}]
    for how in hows:
        with pytest.raises(OptionError):
            misword.compare(read, **how)


def test_scores_are_given_alone() -> None:
    with pytest.raises(OptionError, match="take no options for scoring"):
        misword.compare(misword.score(REFS, SYSTEMS, "wer"), normalize="lower")


def test_slices_by_block() -> None:
    """Errors depend on the speaker: intervals over speakers are wider."""
    refs = ["a b c d"] * 80
    base = ["a b c d"] * 40 + ["x y c d"] * 40
    new = ["x b c d"] * 80
    spoken = {"speaker": [f"s{at // 10}" for at in range(80)]}
    plain, blocked = (
        misword.compare(refs, {"a": base, "b": new}, "wer", metadata=spoken, block=block)
        .slices.filter(slice="length", system="b")
        .row(0, named=True)
        for block in (None, "speaker")
    )
    assert plain["rate"] == blocked["rate"]
    assert blocked["rate_high"] - blocked["rate_low"] > plain["rate_high"] - plain["rate_low"]


@pytest.mark.parametrize("option", ["--translations", "--translation-references", "--metadata"])
def test_reports_replace_no_input(option: str, files: list[str]) -> None:
    given = ["--translations", files[1], "--translation-references", files[0]]
    other = Path(files[0]).with_name("other.csv")
    other.write_bytes(Path(files[0]).read_bytes())
    run = ["correlate", *files[:2], *given, option, str(other), "--report", str(other)]
    assert main(run) == 2
    assert other.read_bytes() == Path(files[0]).read_bytes()


def test_reports_do_no_harm(files: list[str], tmp_path: Path) -> None:
    out, page = tmp_path / "out", tmp_path / "page.html"
    (tmp_path / "folder").mkdir()
    for wrong in (files[1], str(tmp_path / "folder"), str(tmp_path / "new") + "/"):
        before = Path(files[1]).read_text("utf-8")
        assert main(["compare", *files, "--report", wrong, "--out", str(out)]) == 2
        assert not out.exists()
        assert Path(files[1]).read_text("utf-8") == before
    link = tmp_path / "link.html"
    link.symlink_to(page)
    assert main(["compare", *files, "--report", str(link), "--format", "csv"]) == 0
    assert link.is_symlink()
    assert "<html" in page.read_text("utf-8")


def test_folders_take_no_options_of_texts(
    folders: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *folders, "--normalize", "lower"]) == 2
    assert "--normalize is for texts" in capsys.readouterr().err
    assert main(["compare", *folders, "--metrics", "cer", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["signatures"]) == ["cer"]
    assert main(["compare", *folders, "--metrics", "mer"]) == 2


def test_all_pairs_are_those_of_single_comparisons_and_corrected_together() -> None:
    rng = np.random.default_rng(41)
    refs = [" ".join(rng.choice(list("abcd"), 8)) for _ in range(60)]

    def with_errors(share: float) -> list[str]:
        return [
            " ".join("x" if rng.random() < share else word for word in ref.split()) for ref in refs
        ]

    systems = {"a": with_errors(0.1), "b": with_errors(0.15), "c": with_errors(0.3)}
    compared = misword.compare(refs, systems, "wer,cer", all_pairs=True, bootstrap=50)
    pairs = compared.pairs
    assert pairs is not None
    expected = [(m, two, one) for m in ("wer", "cer") for one, two in ("ab", "ac", "bc")]
    assert pairs.select("metric", "system", "baseline").rows() == expected
    for row in pairs.to_dicts():
        two = {name: systems[name] for name in (row["baseline"], row["system"])}
        alone = misword.compare(refs, two, row["metric"], bootstrap=50).differences.row(
            0, named=True
        )
        same = ("rate", "baseline_rate", "low", "high", "p", "better", "worse")
        assert {name: row[name] for name in same} == {name: alone[name] for name in same}
    # Holm's procedure, step by step.
    order = sorted(pairs["p"].to_list())
    steps = [min(1.0, p * (6 - at)) for at, p in enumerate(order)]
    holm = dict(zip(order, np.maximum.accumulate(steps).tolist(), strict=True))
    assert pairs["p_holm"].to_list() == [holm[p] for p in pairs["p"]]
    # A difference has one corrected p-value in both tables.
    against_first = pairs.filter(baseline="a").select("p_holm", "p")
    assert compared.differences.select("p_holm", "p").equals(against_first)
    assert "pairs" in compared.result().tables
    assert misword.compare(refs, systems, "wer", bootstrap=0).pairs is None


def test_all_pairs_of_few_blocks_are_corrected_together() -> None:
    """With eight blocks that all agree, Holm's correction of 2 / 2^8 by 3 tests is not needed."""
    refs = ["a b c d"] * 16
    systems = {"a": refs, "b": ["a b c x"] * 16, "c": ["a b x y"] * 16}
    speakers = {"speaker": [f"s{k // 2}" for k in range(16)]}
    compared = misword.compare(
        refs, systems, "wer", metadata=speakers, block="speaker", all_pairs=True, bootstrap=0
    )
    assert compared.pairs is not None
    assert compared.pairs["p_blocks"].to_list() == [2 / 2**8] * 3
    assert max(compared.pairs["p_blocks_holm"]) < 3 * 2 / 2**8


def test_all_pairs_of_shards_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    pl.DataFrame({"utt": ["1"], "text": ["a"], "x": ["a"], "y": ["b"]}).write_parquet(path)
    with pytest.raises(OptionError, match="one baseline only"):
        misword.compare(misword.shards(path, hypothesis_column="x,y"), all_pairs=True)
