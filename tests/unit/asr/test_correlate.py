"""Correlations between metrics, and of metrics with scores of a translation."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import misword
from extras import needs
from misword.asr.comparison.correlate import Correlations, correlate
from misword.asr.corpus import make_corpus
from misword.asr.downstreams import DOWNSTREAMS, create_downstreams
from misword.cli.command_line import parser_of
from misword.cli.commands.scoring import correlate as command
from misword.core import parts
from misword.core.errors import InputError, MismatchError, MissingExtraError, OptionError
from misword.io.results import read_result

REFS = ["a b c d", "e f", "g h i", "", "j k"]
HYPS = {"one": ["a x c", "e f", "g", "y", "j l"], "two": ["a b c d", "x f", "g h", "", "k"]}
SPEAKERS = {"speaker": ["anna", "bo", "anna", "bo", "bo"]}
RIGHT = ["the cat sat", "on the mat", "it was a big cat", "yes", "no it was not"]
SAID = {
    "one": ["the cat sad", "on the mat", "it was big", "yes", "no it is not"],
    "two": ["the cat sat", "on mat", "it was the big cat", "yes yes", "not"],
}
TEXTS: dict[str, Any] = {"translations": SAID, "translation_references": RIGHT}
SHORT = {name: texts[:4] for name, texts in SAID.items()}
JAVA = shutil.which("java") is not None and find_spec("pycocoevalcap") is not None


@pytest.fixture
def scores() -> misword.Scores:
    return misword.score(REFS, HYPS, "wer,mer,cer", metadata=SPEAKERS)


def test_mean_of_the_systems_coefficients(scores: misword.Scores) -> None:
    found = correlate(scores, bootstrap=100)
    table = scores.utterances().filter(pl.col("wer.rate").is_not_null())
    each = [
        np.corrcoef(rows["wer.rate"].to_numpy(), rows["mer.rate"].to_numpy())[0, 1]
        for rows in table.partition_by("system")
    ]
    row = found.metrics.row(0, named=True)
    assert (row["a"], row["b"], row["systems"]) == ("wer", "mer", 2)
    assert row["pearson"] == pytest.approx(np.mean(each))
    assert row["pearson_low"] <= row["pearson"] <= row["pearson_high"]
    assert row["utterances"] == 4
    assert found.metrics.select("a", "b").rows() == [("wer", "mer"), ("wer", "cer"), ("mer", "cer")]


def test_utterances_without_a_rate_are_left_out_and_named(scores: misword.Scores) -> None:
    """An empty reference has no WER; a system with words there has a MER."""
    found = correlate(scores, bootstrap=0)
    assert found.undefined == {"wer": 2, "mer": 1, "cer": 2}
    assert found.notes[0].startswith("wer: 2 of 10 pairs have no rate of their own")
    assert len(found.notes) == 3
    whole = misword.score(REFS[:3], {"one": HYPS["one"][:3]}, "wer,cer")
    assert correlate(whole, bootstrap=0).notes == ()


def test_systems_may_have_another_order(scores: misword.Scores) -> None:
    one, two = (scores.filter(system=name) for name in ("one", "two"))
    turned = misword.Scores(two.table.reverse(), two.columns)
    hows: tuple[dict[str, Any], ...] = ({}, {**TEXTS, "block": 2})
    for how in hows:
        usual, other = (correlate(part, bootstrap=20, **how) for part in (scores, one + turned))
        assert_frame_equal(other.metrics, usual.metrics)
    assert other.downstream is not None
    assert usual.downstream is not None
    assert_frame_equal(other.downstream, usual.downstream)


def test_systems_must_have_the_same_utterances(scores: misword.Scores) -> None:
    part = scores.filter((pl.col("system") == "one") | (pl.col("utt") != "3"))
    with pytest.raises(MismatchError, match="'3' of 'one' is not among those of 'two'"):
        correlate(part)
    part = scores.filter((pl.col("system") == "two") | (pl.col("utt") != "3"))
    with pytest.raises(MismatchError, match="'3' of 'two' is not among those of 'one'"):
        correlate(part)
    with pytest.raises(MismatchError, match="no scores"):
        correlate(scores.filter(system="three"))


def test_one_metric_needs_a_score_to_go_with(scores: misword.Scores) -> None:
    alone = misword.score(REFS, HYPS, "wer")
    with pytest.raises(OptionError, match="a correlation needs two metrics"):
        correlate(alone)
    found = correlate(alone, bootstrap=0, block=2, **TEXTS)
    assert len(found.metrics) == 0
    assert found.metrics.schema == correlate(scores, bootstrap=0).metrics.schema


def downstream(found: Correlations) -> tuple[pl.DataFrame, pl.DataFrame]:
    assert found.downstream is not None
    assert found.blocks is not None
    return found.downstream, found.blocks


def test_blocks_have_rates_of_sums(scores: misword.Scores) -> None:
    """Utterances 1-2, 3-4 and the short rest: (1 + 1 + 0) / 6, (2 + 1) / 3, 1 / 2 errors."""
    table, blocks = downstream(correlate(scores, bootstrap=0, block=2, **TEXTS))
    one = blocks.filter(system="one")
    assert one.select("block", "first", "last").rows() == [(1, 1, 2), (2, 3, 4), (3, 5, 5)]
    assert one["wer"].to_list() == [2 / 6, 3 / 3, 1 / 2]
    assert blocks.columns == ["system", "block", "first", "last", "wer", "mer", "cer", "bleu"]
    row = table.row(
        by_predicate=(pl.col("system") == "one") & (pl.col("metric") == "wer"), named=True
    )
    assert row["pearson"] == pytest.approx(np.corrcoef(one["wer"], one["bleu"])[0, 1])
    assert (row["score"], row["blocks"]) == ("bleu", 3)


@pytest.mark.parametrize(
    "spec", ["bleu", "bleu:tokenize=none,smooth=none", "chrf:word_order=2", "ter"]
)
def test_scores_of_blocks_are_those_of_sacrebleu(scores: misword.Scores, spec: str) -> None:
    table, blocks = downstream(correlate(scores, bootstrap=0, block=2, downstream=spec, **TEXTS))
    metric = create_downstreams(spec)[spec].metric()  # type: ignore[attr-defined]
    for system, said in SAID.items():
        theirs = [
            metric.corpus_score(said[lo : lo + 2], [RIGHT[lo : lo + 2]]).score for lo in (0, 2, 4)
        ]
        assert blocks.filter(system=system)[spec].to_list() == pytest.approx(theirs)
        whole = metric.corpus_score(said, [RIGHT]).score
        assert table.filter(system=system)["corpus"].to_list() == pytest.approx([whole] * 3)


def test_blocks_by_a_column(scores: misword.Scores) -> None:
    found = correlate(scores, bootstrap=0, block="speaker", **TEXTS)
    _, blocks = downstream(found)
    one = blocks.filter(system="one")
    assert one.select("block", "first", "last").rows() == [("anna", 1, 3), ("bo", 2, 5)]
    assert one["wer"].to_list() == [4 / 7, 2 / 4]
    assert found.settings["block"] == "speaker"
    assert found.settings["block_size"] is None
    with pytest.raises(OptionError, match=r"there is no metadata column 'spaeker'\n.*speaker"):
        correlate(scores, block="spaeker", **TEXTS)
    with pytest.raises(OptionError, match="block is 0"):
        correlate(scores, block=0, **TEXTS)


def test_blocks_without_a_rate_are_left_out(scores: misword.Scores) -> None:
    table, blocks = downstream(correlate(scores, bootstrap=0, block=1, **TEXTS))
    assert blocks.filter(system="one")["wer"].to_list() == [0.5, 0, 2 / 3, None, 0.5]
    assert table.filter(system="one")["blocks"].to_list() == [4, 5, 4]


def test_one_block_has_no_coefficient(scores: misword.Scores) -> None:
    table, blocks = downstream(correlate(scores, **TEXTS))
    assert len(blocks) == 2
    assert table["pearson"].null_count() == len(table)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"translations": SAID}, OptionError, "translations need references"),
        (TEXTS | {"translations": SAID["one"]}, MismatchError, "of hypothesis, transcripts of one"),
        (TEXTS | {"translations": {"one": RIGHT, "tow": RIGHT}}, MismatchError, "of one, tow"),
        ({"translations": SHORT, "translation_references": RIGHT[:4]}, MismatchError,
         "4 translations of 5 utterances"),
        (TEXTS | {"translation_references": [None, *RIGHT[1:]]}, InputError, "no text"),
        (TEXTS | {"downstream": "blue"}, OptionError, "did you mean 'bleu'"),
        (TEXTS | {"downstream": ","}, OptionError, "no score is named"),
    ],
)  # fmt: skip
def test_what_is_refused(
    scores: misword.Scores, given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        correlate(scores, **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, "confidence is 95"),
        ({"bootstrap": -5}, "bootstrap is -5"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_odd_bootstraps_are_refused(
    scores: misword.Scores, options: dict[str, Any], message: str
) -> None:
    for more in ({}, TEXTS):
        with pytest.raises(OptionError, match=message):
            correlate(scores, **options, **more)


def test_texts_are_scored_first(scores: misword.Scores) -> None:
    found = correlate(REFS, HYPS, "wer,mer,cer", bootstrap=20)
    assert_frame_equal(found.metrics, correlate(scores, bootstrap=20).metrics)
    with pytest.raises(OptionError, match="take no options for scoring"):
        correlate(scores, normalize="lower")


def test_options_are_checked_before_texts_are_read() -> None:
    def read() -> misword.Corpus:
        raise AssertionError("it was read")

    hows: list[dict[str, Any]] = [{"metrics": "wer"}, {"bootstrap": -1}, {"metrics": "wer,none"}]
    for how in hows:
        with pytest.raises(OptionError):
            correlate(read, **how)
    with pytest.raises(OptionError, match="did you mean 'bleu'"):
        correlate(read, translations=read, downstream="blue")


def test_translations_are_matched_by_id(scores: misword.Scores) -> None:
    usual = correlate(scores, bootstrap=0, block=2, **TEXTS)
    ids = [str(number) for number in range(1, 6)]
    corpus = make_corpus(
        RIGHT[::-1], {name: texts[::-1] for name, texts in SAID.items()}, ids=ids[::-1]
    )
    for translations in (corpus, lambda: corpus):
        found = correlate(scores, bootstrap=0, block=2, translations=translations)
        assert_frame_equal(downstream(found)[0], downstream(usual)[0])
        assert_frame_equal(downstream(found)[1], downstream(usual)[1])


def test_one_column_of_translations_needs_no_name() -> None:
    scores = misword.score(REFS, HYPS["one"], "wer")
    found = correlate(
        scores, translations=SAID["one"], translation_references=RIGHT, block=2, bootstrap=0
    )
    assert downstream(found)[0]["system"].to_list() == ["hypothesis"]


def test_result(scores: misword.Scores) -> None:
    result = correlate(scores, bootstrap=5, block=2, **TEXTS).result({"command": "correlate"})
    assert result.kind == "correlation"
    assert list(result.tables) == ["metrics", "downstream", "blocks", "utterances", "texts"]
    rates = ["wer.rate", "mer.rate", "cer.rate"]
    assert result.tables["utterances"].columns == ["utt", "system", *rates]
    assert result.tables["texts"]["reference"].to_list() == [*REFS, *REFS]
    known = result.provenance
    assert known["metrics"] == ["wer", "mer", "cer"]
    assert known["signatures"]["wer"].startswith("wer|ties:misword|")
    assert known["scores"]["bleu"].startswith(
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:"
    )
    assert (known["block_size"], known["systems"], known["command"]) == (
        2, ["one", "two"], "correlate",
    )  # fmt: skip
    assert known["misword"] == misword.__version__
    assert list(known["parts"]) == ["wer", "mer", "cer", "bleu"]
    assert known["parts"]["wer"]["title"] == "WER"
    assert known["parts"]["bleu"]["title"] == "BLEU"
    alone = correlate(scores, bootstrap=0).result()
    assert list(alone.tables) == ["metrics", "utterances", "texts"]


@pytest.mark.parametrize("name", DOWNSTREAMS.names())
def test_missing_packages_are_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match="pip install"):
        create_downstreams(name)


def test_missing_java_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "find_spec", lambda module: "there")
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(MissingExtraError, match="apt-get install default-jre-headless"):
        create_downstreams("meteor")


@needs("sacrebleu")
def test_tokenizers_that_need_more_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "MeCab", None)
    with pytest.raises(MissingExtraError, match="Japanese tokenization requires"):
        create_downstreams("bleu:tokenize=ja-mecab")


@pytest.mark.slow
@pytest.mark.skipif(not JAVA, reason="needs java and pycocoevalcap")
def test_meteor() -> None:
    """A perfect text has no penalty for its one chunk, and adds none to others."""
    meteor = create_downstreams("meteor")["meteor"]
    right = ["the cat sat on the mat", "hello big world", "a b ||| c", ""]
    rows = meteor.statistics(["the cat sits on a mat", "hello big world", "a b | c", "x"], right)
    assert rows.shape == (4, 23)
    assert rows[1, -3] == 0
    each = meteor.scores(np.concatenate([rows, rows[:2].sum(axis=0, keepdims=True)]))
    assert each[1] == pytest.approx(100)
    assert each[3] == 0
    # meteor-1.5.jar on two files of the first two lines, -l en -norm: Final score.
    assert each[4] == pytest.approx(50.37395039480705)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {"ref": REFS, **HYPS, "right": RIGHT, **{f"{n}.en": t for n, t in SAID.items()}}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for name, lines in texts.items():
        rows = [f"u{n}\t{line}" for n, line in enumerate(lines)]
        body = "\n".join(["id\ttext", *(reversed(rows) if "en" in name else rows)])
        (tmp_path / f"{name}.tsv").write_text(f"{body}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


PLAIN = "ref one two --input-format lines --metrics wer,mer,cer"
WITH = "--translations one.en --translations two.en --translation-references right --block 2"
LINES = f"{WITH} --translation-format lines"


def run(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    command.run(parser_of("correlate").parse_args(words.split()))
    return capsys.readouterr()


def test_json_has_everything(
    files: Path, capsys: pytest.CaptureFixture[str], scores: misword.Scores
) -> None:
    out, err = run(f"{PLAIN} {LINES} --bootstrap 50 --seed 3 --format json", capsys)
    printed = json.loads(out)
    found = correlate(scores, block=2, bootstrap=50, seed=3, **TEXTS)
    assert printed["metrics"] == found.metrics.to_dicts()
    table, blocks = downstream(found)
    assert printed["downstream"] == table.to_dicts()
    assert printed["blocks"] == blocks.to_dicts()
    assert (printed["block_size"], printed["seed"]) == (2, 3)
    assert "wer: 2 of 10 pairs have no rate of their own" in err


def test_ids_match_translations(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by_line, _ = run(f"{PLAIN} {LINES} --bootstrap 0 --format json", capsys)
    tables = "ref.tsv one.tsv two.tsv --metrics wer,mer,cer --translations one.en.tsv "
    tables += "--translations two.en.tsv --translation-references right.tsv --block 2 --bootstrap 0"
    by_id, _ = run(f"{tables} --format json", capsys)
    assert json.loads(by_id)["downstream"] == json.loads(by_line)["downstream"]


def test_tables(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(f"{PLAIN} {LINES} --format table --coefficient kendall", capsys)
    assert "kendall over 5 utterances, mean of 2 systems; below the diagonal 95 % intervals" in out
    assert "kendall over 3 blocks of 2 utterances" in out
    lines = [line.split() for line in out.splitlines() if line.strip()]
    assert ["wer", "mer", "cer"] in lines
    assert lines[-1][0].startswith("bleu|nrefs:1")
    assert any(line[:2] == ["one", "bleu"] for line in lines)
    out, _ = run(f"{PLAIN} --format md --bootstrap 0", capsys)
    assert out.splitlines()[0] == "|  | wer | mer | cer |"
    first, second = (line.split(" | ") for line in out.splitlines()[2:4])
    assert float(first[2]) > 0.5
    assert second[1] == ""
    out, _ = run(f"ref one --input-format lines --metrics wer {LINES} --format json".replace(
        "--translations two.en", ""), capsys)  # fmt: skip
    assert json.loads(out)["metrics"] == []


def test_csv_has_all_rows(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(f"{PLAIN} {LINES} --format csv", capsys)
    rows = pl.read_csv(out.encode())
    assert rows["over"].to_list() == ["utterances"] * 3 + ["blocks"] * 6
    assert rows["points"].to_list()[:4] == [4, 4, 4, 3]
    assert rows["b_signature"][-1].startswith("nrefs:1|")
    assert rows["a_signature"][0].startswith("wer|")


def test_out(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(f"{PLAIN} {LINES} --out found", capsys)
    result = read_result("found")
    assert result.kind == "correlation"
    assert set(result.provenance["sha256"]) == {"ref", "one", "two", "one.en", "two.en", "right"}
    assert result.provenance["options"]["block"] == 2


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (f"{PLAIN} --translations one.en", OptionError, "go together"),
        (f"{PLAIN} --translation-references right", OptionError, "go together"),
        (f"{PLAIN} --translations one.en --translation-references right", OptionError,
         "1 files of translations for 2 systems"),
        ("ref one --input-format lines --metrics wer", OptionError, "needs two metrics"),
        (f"{PLAIN} {LINES} --downstream blue", OptionError, "did you mean 'bleu'"),
        (f"{PLAIN} {LINES} --block spk", OptionError, "no metadata column 'spk'"),
        (f"ref.tsv one.tsv two.tsv {LINES}", MismatchError, "utterance 'u0' has no translation"),
    ],
)  # fmt: skip
def test_mistakes(
    files: Path,
    capsys: pytest.CaptureFixture[str],
    words: str,
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        run(words, capsys)
    assert capsys.readouterr().out == ""


def test_more_translations_than_transcripts(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("right", "one.en", "two.en"):
        with Path(name).open("a") as file:
            file.write("more\n")
    with pytest.raises(MismatchError, match="'6' has a translation but no transcript"):
        run(f"{PLAIN} {LINES}", capsys)
