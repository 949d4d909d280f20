"""Benchmarks: averages by hand, ranks, missing cells, files, history, changes, words, slices."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.cli.commands.programs.schema import schema
from misword.cli.main import main
from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.history import append, appending, read_history
from misword.stat.benchmarks.changes import Series, against_best, changes, stop_advice
from misword.stat.paired import permutation_p, swap_effects

DATA = Path(__file__).parents[3].parent / "shared" / "data"
REFS = ["the cat sat on the mat", "so we go home", "two by two", "on and on they go"] * 5
GOOD = ["the cat sat on the mat", "so we go home", "two by too", "on and on they go"] * 5
BAD = ["a cat sat on mat", "so we went home", "to buy too", "on and on they go"] * 5
TEXTS = (REFS, {"good": GOOD, "bad": BAD})


def real_sets() -> dict[str, Any]:
    """The panel, and the 5-best lists of two sets as five systems."""
    files = sorted((DATA / "panel").glob("*.jsonl"))
    rows = [[json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files]
    names = [file.stem for file in files]
    sets: dict[str, Any] = {
        "panel": (
            [row["text"] for row in rows[0]],
            {n: [r["pred_text"] for r in own] for n, own in zip(names, rows, strict=True)},
        )
    }
    for part in ("clean", "other"):
        lists = json.loads((DATA / "nbest" / f"librispeech-{part}.json").read_text("utf-8"))[:300]
        systems = {name: [row["input"][k] for row in lists] for k, name in enumerate(names)}
        sets[part] = ([row["output"] for row in lists], systems)
    return sets


@pytest.mark.skipif(not DATA.exists(), reason="needs the data beside the project")
@pytest.mark.slow
def test_averages_equal_a_hand_computation_to_the_last_digit() -> None:
    sets = real_sets()
    found = misword.bench(sets, "wer", bootstrap=0)
    rows = {row["system"]: row for row in found.main_table().to_dicts()}
    errors: dict[str, list[tuple[int, int]]] = {name: [] for name in rows}
    for references, systems in sets.values():
        for name, texts in systems.items():
            counts = misword.score(references, texts, "wer").summary(bootstrap=0).row(0, named=True)
            wrong = counts["substitutions"] + counts["insertions"] + counts["deletions"]
            errors[name].append((wrong, counts["reference"]))
    for name, own in errors.items():
        assert rows[name]["macro"] == fsum(wrong / words for wrong, words in own) / 3
        micro = Fraction(sum(wrong for wrong, _ in own), sum(words for _, words in own))
        assert rows[name]["micro"] == float(micro)


@pytest.mark.skipif(not DATA.exists(), reason="needs the data beside the project")
def test_the_preset_of_the_leaderboard_rounds_before_it_averages() -> None:
    folder = DATA / "leaderboard"
    lines = (folder / "voxpopuli-whisper-tiny.en.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    refs, hyps = [r["text"] for r in rows], [r["pred_text"] for r in rows]
    sets = {"all": (refs, {"tiny": hyps}), "half": (refs[:75], {"tiny": hyps[:75]})}
    found = misword.bench(sets, preset="open-asr-leaderboard", bootstrap=0)
    rates = [round(100 * rate, 2) for rate in found.tables["cells"]["rate"].to_list()]
    assert rates[0] == 13.11  # the leaderboard's own number
    assert found.main_table()["macro"][0] == round(sum(rates) / 2, 2) / 100


def test_two_systems_on_one_set_have_the_p_value_of_compare() -> None:
    found = misword.bench({"one": TEXTS}, "wer", bootstrap=50)
    pair = found.tables["pairs"].filter(set="one").row(0, named=True)
    scores = misword.score(*TEXTS, "wer")
    column = scores.columns[0]
    sides = [column.terms(scores.table.filter(system=name)) for name in ("bad", "good")]
    expected = permutation_p(swap_effects(sides[0], sides[1], column.measure.rate))
    assert pair["p"] == pytest.approx(expected)
    on_average = found.tables["pairs"].filter(pl.col("set").is_null()).row(0, named=True)
    assert on_average["p"] == pytest.approx(expected)
    assert [row["rank"] for row in found.main_table().to_dicts()] == [1, 2]


def test_equal_systems_share_the_first_rank() -> None:
    found = misword.bench({"one": (REFS, {"a": GOOD, "b": list(GOOD)})}, "wer", bootstrap=20)
    assert found.main_table()["rank"].to_list() == [1, 1]
    assert found.main_table()["wins"].to_list() == [1, 1]


def test_missing_cells_are_shown_and_not_averaged_away() -> None:
    sets = {"one": TEXTS, "two": (REFS, {"good": GOOD})}
    found = misword.bench(sets, "wer", bootstrap=20)
    bad = found.main_table().row(by_predicate=pl.col("system") == "bad", named=True)
    assert bad["macro"] is bad["micro"] is bad["rank"] is None
    assert (bad["sets"], bad["missing"]) == (1, 1)
    cells = found.tables["cells"].filter(set="two", system="bad")
    assert cells["missing"].item()
    assert cells["rate"].item() is None
    assert any("1 cell of 4 is missing (bad on two)" in note for note in found.notes)
    common = misword.bench(sets, "wer", bootstrap=20, incomplete="common")
    bad = common.main_table().row(by_predicate=pl.col("system") == "bad", named=True)
    assert bad["macro"] == misword.score(REFS, BAD, "wer")["wer"]


def test_other_utterances_of_a_system_are_refused() -> None:
    one = misword.score(REFS, {"a": GOOD}, "wer", ids=[f"a{i}" for i in range(20)])
    two = misword.score(REFS, {"b": BAD}, "wer", ids=[f"b{i}" for i in range(20)])
    with pytest.raises(MismatchError, match="different utterances"):
        misword.bench({"one": one + two}, "wer")


def test_costs_and_the_front() -> None:
    costs = {"good": {"price": 2}, "bad": {"price": 3}}
    found = misword.bench({"one": TEXTS}, "wer", costs=costs, bootstrap=20)
    front = dict(found.tables["costs"].select("system", "front").iter_rows())
    assert front == {"good": "yes", "bad": "no"}
    with pytest.raises(OptionError, match="which is no system"):
        misword.bench({"one": TEXTS}, "wer", costs={"x": {"price": 1}}, bootstrap=20)


# Files, options of sets, the command.


def write_set(folder: Path, systems: dict[str, list[str]]) -> None:
    folder.mkdir(parents=True)
    names = [f"u{number}" for number in range(len(REFS))]
    for name, texts in {"reference": REFS, **systems}.items():
        rows = [f"{utt},{text},{'ab'[i % 2]}" for i, (utt, text) in
                enumerate(zip(names, texts, strict=True))]  # fmt: skip
        (folder / f"{name}.csv").write_text("utt,text,speaker\n" + "\n".join(rows) + "\n", "utf-8")


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_set(tmp_path / "one", {"good": GOOD, "bad": BAD})
    write_set(tmp_path / "two", {"good": GOOD})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_and_toml_give_the_same(sets: Path) -> None:
    by_folder = misword.bench(["one", "two"], "wer", bootstrap=20)
    Path("bench.toml").write_text(
        'metrics = "wer"\nsystems = ["good", "bad"]\n'
        '[sets.one]\nreference = "one/reference.csv"\nhypotheses = "one/{system}.csv"\n'
        '[sets.two]\nreference = "two/reference.csv"\nhypotheses = "two/{system}.csv"\n',
        "utf-8",
    )
    by_file = misword.bench("bench.toml", bootstrap=20)
    assert by_file.main_table().equals(by_folder.main_table())


def test_a_set_has_options_of_its_own(sets: Path) -> None:
    Path("two/set.toml").write_text('normalize = "upper-case-x"\n', "utf-8")
    with pytest.raises((InputError, OptionError)):
        misword.bench(["one", "two"], "wer")
    Path("two/set.toml").write_text("nosuch = 1\n", "utf-8")
    with pytest.raises(InputError, match="there is no option 'nosuch'"):
        misword.bench(["one", "two"], "wer")
    Path("two/set.toml").write_text('normalize = "lower"\n', "utf-8")
    found = misword.bench(["one", "two"], "wer", bootstrap=0)
    assert any("has other settings on some sets" in note for note in found.notes)


def test_the_page_the_json_and_its_schema(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "bench one two --metrics wer,cer --bootstrap 20 --report b.html --history r.parquet"
    assert main(command.split()) == 0
    assert main([*command.split(), "--set-pages", "--step", "2"]) == 0
    found = json.loads(Path("b.json").read_text("utf-8"))
    assert found["$schema"] == schema("bench")["$id"]
    pytest.importorskip("jsonschema").validate(found, schema("bench"))
    page = Path("b.html").read_text("utf-8")
    assert "Test sets and systems" in page
    assert 'href="b.one.html"' in page
    assert Path("b.one.html").exists()
    assert "1 cell of 4 is missing" in capsys.readouterr().err


# History.


def test_a_run_is_shown_again_and_regrouped_without_texts(sets: Path) -> None:
    found = misword.bench(["one"], "wer", by="speaker", bootstrap=20)
    found.append("runs.parquet")
    again = misword.bench(None, history="runs.parquet", by="speaker", bootstrap=20)
    assert again.main_table().equals(found.main_table())
    assert again.tables["groups"].equals(found.tables["groups"])
    scores = misword.score(*TEXTS, "wer", metadata=pl.DataFrame({"speaker": ["a", "b"] * 10}))
    expected = {tuple(row) for row in scores.summary("speaker", bootstrap=0)
                .select("system", "speaker", "rate").rows()}  # fmt: skip
    assert set(again.tables["groups"].select("system", "speaker", "rate").rows()) == expected
    query = "SELECT sum(errors) / sum(reference) FROM 'runs.parquet' WHERE system = 'bad'"
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        assert connection.execute(query).fetchall()[0][0] == scores["wer", "bad"]


def test_the_gate_fails_for_a_run_worse_than_the_best(sets: Path) -> None:
    assert (
        main(
            [
                "bench",
                "one",
                "--metrics",
                "wer",
                "--history",
                "r.parquet",
                "--systems",
                "good",
                "-q",
            ]
        )
        == 0
    )
    write_set(sets / "later" / "one", {"good": BAD})
    command = "bench later/one --metrics wer --history r.parquet --best-of-last 10 -q"
    assert main(command.split()) == 1
    assert read_history("r.parquet")["run"].n_unique() == 2


def test_a_file_that_is_no_history_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="not a history"):
        read_history(tmp_path / "x.parquet")
    (tmp_path / "y.parquet").write_text("<script>", "utf-8")
    found = misword.bench({"one": TEXTS}, "wer", bootstrap=0)
    assert found.rows is not None
    with pytest.raises(InputError, match="not a history"), appending(tmp_path / "y.parquet"):
        append(tmp_path / "y.parquet", found.rows)
    assert (tmp_path / "y.parquet").read_text("utf-8") == "<script>"


def test_a_change_is_found_and_a_constant_rate_is_not() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(0, 0.001, 60)
    assert changes(Series(0.1 + noise, np.eye(60) * 1e-6)) == []
    moved = 0.1 + noise + 0.006 * (np.arange(60) >= 40)
    found = changes(Series(moved, np.eye(60) * 1e-6))
    assert [change.place for change in found] == [40]
    assert found[0].found <= 42


def test_the_best_of_the_last_runs_and_advice() -> None:
    rates = np.array([0.12, 0.10, 0.11, 0.13])
    series = Series(rates, np.eye(4) * 1e-5)
    tested = against_best(series, 10)
    assert tested is not None
    assert tested.best == 1
    assert tested.p_worse < 0.001
    none = against_best(Series(rates[:1], np.eye(1)), 10)
    assert none is None
    falling = Series(np.array([0.2, 0.15, 0.1]), np.eye(3) * 1e-6)
    advice = stop_advice(falling)
    assert advice is not None
    assert advice.advice == "go on"
    flat = Series(np.array([0.2, 0.1, 0.1001, 0.0999, 0.1]), np.eye(5) * 1e-5)
    advice = stop_advice(flat)
    assert advice is not None
    assert (advice.advice, advice.since) == ("stop", 3)


# Words that are newly wrong, and slices of the gate.


def test_words_newly_wrong_and_right() -> None:
    refs = [f"please take aspirin today number {i}" for i in range(30)]
    new = [text.replace("aspirin", "a spring") for text in refs]
    found = misword.compare(refs, {"base": refs, "new": new}, "wer", bootstrap=20, worst=0)
    rows = found.word_changes.filter(pl.col("p_holm") < 0.05).to_dicts()
    wrong = {row["text"] for row in rows if row["kind"] != "inserted"}
    assert wrong == {"take aspirin today"} or any("aspirin" in text for text in wrong)
    assert all(row["newly_right"] == 0 for row in rows)
    assert all(len(row["utts"]) == 20 for row in rows)
    same = misword.compare(refs, {"base": refs, "new": list(refs)}, "wer", bootstrap=20)
    assert same.word_changes.is_empty()


def test_a_slice_of_the_gate_fails_and_is_named() -> None:
    refs = ["one two three four"] * 60
    metadata = pl.DataFrame({"speaker": ["anna", "ben"] * 30})
    new = [text if i % 2 else "one two three for" for i, text in enumerate(refs)]
    found = misword.gate(
        refs, {"new": new, "base": refs}, no_worse="wer", by="speaker", metadata=metadata
    )
    outcomes = {condition.slice: condition.outcome for condition in found.conditions}
    assert outcomes == {"": "failed", "speaker=anna": "failed", "speaker=ben": "passed"}
    assert "wer of speaker=anna 25.00 % against 0.00 %" in found.line
    assert "--by speaker --report page.html" in found.line


def test_a_class_of_keywords_is_a_slice() -> None:
    refs = ["take aspirin now"] * 30
    new = ["take asprin now"] * 30
    found = misword.gate(
        refs, {"new": new, "base": refs}, no_worse="wer", keywords=["aspirin"], bootstrap=50
    )
    failed = {condition.slice for condition in found.conditions if condition.outcome == "failed"}
    assert any("keywords" in name for name in failed)


def test_steps_order_the_history(sets: Path) -> None:
    for step in ("1", "2", "3"):
        command = f"bench one --metrics wer --history r.parquet --step {step} -q --out out{step}"
        assert main(command.split()) == 0
    rows = json.loads(Path("out3/result.json").read_text("utf-8"))["tables"]["history"]["data"]
    steps = [row["step"] for row in rows if row["system"] == "good"]
    assert steps == [1.0, 2.0, 3.0]
    assert all(one < other for one, other in pairwise(steps))
