"""Choices of people: how triplets are read, and how often metrics agree with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.options import CONSENSUS
from misword.asr.people.agree import Agreement, agree, agreement, corpus_of, name_levels
from misword.cli.command_line import parser_of
from misword.cli.commands.people import agree as command
from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.judgements import TRIPLET_COLUMNS, read_triplets
from misword.io.results import read_result
from misword.stat.bootstrap import Bootstrap
from misword.stat.measure import Measure, MetricColumn

# By WER: right, wrong, tied, right, tied; the last is a draw of the people.
ROWS = [
    ("the cat sat", "the cat sat", 7, "the cat", 0),
    ("the cat sat", "the cat sat", 2, "a cat sat", 5),
    ("on the mat", "on a mat", 1, "on the map", 9),
    ("so it was", "it", 3, "so it", 4),
    ("so it was", "so it is", 6, "so it wash", 0),
    ("so it was", "so it was", 3, "so", 3),
]


def frame(rows: list[tuple[Any, ...]] = ROWS) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=list(TRIPLET_COLUMNS), orient="row")


def row(found: Agreement, consensus: str) -> dict[str, Any]:
    return found.agreement.row(by_predicate=pl.col("consensus") == consensus, named=True)


def test_by_hand() -> None:
    """Unanimous: 1 and 5. At least 70 %: also 2 (5 of 7) and 3. Any majority: also 4."""
    found = agree(frame(), "wer", bootstrap=0)
    assert found.agreement.select("metric", "consensus", "least", "triplets").rows() == [
        ("wer", "100 %", 1.0, 2), ("wer", "70 %", 0.7, 4), ("wer", "any", 0.0, 5),
    ]  # fmt: skip
    assert found.agreement["agreed"].to_list() == [1 / 2, 1 / 4, 2 / 5]
    assert found.agreement["ties"].to_list() == [1 / 2, 2 / 4, 2 / 5]
    assert found.agreement["half"].to_list() == [3 / 4, 2 / 4, 3 / 5]
    assert found.agreement["low"].null_count() == 3
    assert found.undecided == 1
    assert found.notes == ("1 of 6 triplets have as many votes for either and are left out",)


def test_a_share_is_reached_exactly() -> None:
    rows = [("a", "a", 7, "b", 3), ("a", "a", 6, "b", 4), ("a", "a", 14, "b", 6)]
    found = agree(frame(rows), "wer", consensus=(0.7, 0.6, 0.65), bootstrap=0)
    assert found.agreement["triplets"].to_list() == [2, 3, 2]
    assert found.agreement["consensus"].to_list() == ["70 %", "60 %", "65 %"]


def test_levels_without_triplets() -> None:
    found = agree(frame([("a", "a", 3, "b", 2)]), "wer")
    assert row(found, "100 %")["triplets"] == 0
    assert row(found, "100 %")["agreed"] is None
    assert row(found, "any")["agreed"] == 1.0


def test_rates_are_there() -> None:
    found = agree(frame(), "wer,cer", bootstrap=0)
    assert found.triplets.columns == [
        "triplet", *TRIPLET_COLUMNS, "wer.a", "wer.b", "cer.a", "cer.b",
    ]  # fmt: skip
    assert found.triplets["wer.b"].to_list() == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 2 / 3]
    )
    assert found.triplets["triplet"].to_list() == [1, 2, 3, 4, 5, 6]


def test_an_empty_reference_is_a_tie_and_named() -> None:
    found = agree(frame([*ROWS, ("", "x", 5, "", 0), ("", "", 2, "", 2)]), "wer,mer", bootstrap=0)
    unanimous = found.agreement.filter(consensus="100 %")
    assert unanimous.select("triplets", "ties").rows() == [(3, 2 / 3), (3, 2 / 3)]
    assert found.undefined == {"wer": 1, "mer": 1}
    assert (
        "wer: 1 of 8 triplets have no rate (an empty reference): they count as ties" in found.notes
    )
    assert found.triplets["wer.a"].to_list()[6] is None


def test_rounding_makes_no_choice() -> None:
    """Sums of the same prices in another order differ in the last digit."""
    scores = misword.score(["a b"] * 4, {"a": ["a x"] * 4, "b": ["a y"] * 4}, "wer")
    sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6, 0.6 + 1e-6]
    assert sums[0] != sums[1]

    class Priced(Measure):
        statistics, fractional = ("cost",), frozenset({"cost"})

        def terms(self, statistics: Any) -> Any:
            return statistics

        def rate(self, terms: Any) -> Any:
            return terms[..., 0]

        def reference(self, statistics: Any) -> Any:
            return statistics[..., 0]

    column = MetricColumn("x", Priced(), scores.columns[0].signature)
    table = scores.table.select("utt", "system", "rank").with_columns(
        pl.Series("x.cost", [sums[0], sums[1], sums[3], 0.6, sums[1], sums[0], 0.6, 0.6])
    )
    rows = [("a b", "a x", 5, "a y", 0)] * 4
    found = agreement(
        frame(rows), misword.Scores(table, (column,)), name_levels(CONSENSUS), Bootstrap(times=0)
    )
    assert row(found, "any")["ties"] == 3 / 4
    assert row(found, "any")["agreed"] == 0


def test_intervals() -> None:
    rng = np.random.default_rng(0)
    rows = [("a b", "a b", 5, "a x", 0) if right else ("a b", "a x", 5, "a b", 0)
            for right in rng.random(400) < 0.7]  # fmt: skip
    found = row(agree(frame(rows), "wer", bootstrap=2000), "100 %")
    wide = 1.96 * np.sqrt(found["agreed"] * (1 - found["agreed"]) / 400)
    assert found["high"] - found["low"] == pytest.approx(2 * wide, rel=0.1)
    assert (found["half_low"], found["half_high"]) == (found["low"], found["high"])
    again = agree(frame(rows), "wer", bootstrap=2000, seed=1)
    assert (
        row(again, "100 %")["low"] != found["low"] or row(again, "100 %")["high"] != found["high"]
    )


texts = st.lists(st.sampled_from("abc"), max_size=4).map(" ".join)
triplet = st.tuples(texts, texts, st.integers(0, 5), texts, st.integers(0, 5))


@pytest.mark.slow
@given(st.lists(triplet, min_size=1, max_size=12))
def test_laws(rows: list[tuple[Any, ...]]) -> None:
    """Swapped sides change nothing; ties have half credit; swapped votes give 1 minus the share."""
    found = agree(frame(rows), "wer,cer", bootstrap=0)
    turned = agree(frame([(r, b, vb, a, va) for r, a, va, b, vb in rows]), "wer,cer", bootstrap=0)
    assert turned.agreement.equals(found.agreement)
    for line in found.agreement.drop_nulls("agreed").iter_rows(named=True):
        assert line["half"] == pytest.approx(line["agreed"] + line["ties"] / 2)
        assert 0 <= line["agreed"] <= 1 - line["ties"] + 1e-12
    swapped = [(r, a, vb, b, va) for r, a, va, b, vb in rows]
    against = agree(frame(swapped), "wer,cer", bootstrap=0)
    total = found.agreement["half"] + against.agreement["half"]
    assert total.drop_nulls().to_list() == pytest.approx([1] * len(total.drop_nulls()))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"consensus": (70,)}, "consensus is 70"),
        ({"consensus": ()}, "no consensus"),
        ({"confidence": 95}, "confidence is 95"),
        ({"bootstrap": -5}, "bootstrap is -5"),
        ({"seed": -1}, "seed is -1"),
        ({"metrics": "were"}, "did you mean"),
        ({"columns": ["a", "b"]}, "2 columns named, not five"),
    ],
)
def test_options_are_checked(how: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        agree(frame(), **how)


def test_options_are_checked_before_triplets_are_read() -> None:
    def read() -> pl.DataFrame:
        raise AssertionError("it was read")

    hows: list[dict[str, Any]] = [{"metrics": "were"}, {"seed": -1}, {"consensus": (70,)}]
    for how in hows:
        with pytest.raises(OptionError):
            agree(read, **how)
    assert agree(frame, "wer", bootstrap=0).agreement.equals(
        agree(frame(), "wer", bootstrap=0).agreement
    )


def test_tables_in_memory() -> None:
    import pandas as pd

    usual = agree(frame(), "wer", bootstrap=0).agreement
    named = ["Reference", "HYPA", "votesa", "hypB", "NBRB"]
    as_pandas = pd.DataFrame(ROWS, columns=named)
    assert agree(as_pandas, "wer", bootstrap=0).agreement.equals(usual)
    other = frame().rename(dict(zip(TRIPLET_COLUMNS, "vwxyz", strict=True)))
    assert agree(other, "wer", columns=[*"vwxyz"], bootstrap=0).agreement.equals(usual)
    with pytest.raises(InputError, match="triplets: not a table"):
        agree(object(), "wer")
    with pytest.raises(InputError, match="triplets:2: null in column 'a'"):
        agree(frame([ROWS[0], ("x", None, 1, "y", 2)]), "wer")


def test_scores_must_be_of_the_triplets() -> None:
    scores = misword.score(["a"], {"a": ["a"], "b": ["b"]}, "wer")
    with pytest.raises(MismatchError, match="2 scores of 6 triplets"):
        agreement(frame(), scores, name_levels(CONSENSUS), Bootstrap())
    assert corpus_of(frame()).systems == ["a", "b"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.write_text(text, "utf-8")
    return path


HEAD = "reference\thypA\tnbrA\thypB\tnbrB\n"


def test_quotes_are_plain_characters_between_tabs(folder: Path) -> None:
    write("t.tsv", HEAD + '"the cat\tthe "cat"\t3\t"\t4\n')
    assert read_triplets("t.tsv").rows() == [('"the cat', 'the "cat"', 3, '"', 4)]
    write("quoted.tsv", HEAD + '"the ""cat"\ta\t3\tb\t4\n')
    assert read_triplets("quoted.tsv", input_format="tsv")["reference"].to_list() == ['the "cat']


def test_files_of_any_table_format(folder: Path) -> None:
    text = "".join("\t".join(map(str, row)) + "\n" for row in ROWS)
    write("t.tsv", HEAD + text)
    write("t", HEAD + text)
    write("t.csv", HEAD.replace("\t", ",") + text.replace("\t", ","))
    write("c", HEAD.replace("\t", ",") + text.replace("\t", ","))
    write("t.jsonl", "".join(json.dumps(row) + "\n" for row in frame().to_dicts()))
    frame().write_parquet("t.parquet")
    for name in ("t.tsv", "t", "t.csv", "c", "t.jsonl", "t.parquet"):
        assert read_triplets(name).equals(frame()), name


def test_columns_can_be_named(folder: Path) -> None:
    write("t.tsv", "x\tvb\tb\tva\ta\tr\n1\t4\tB\t3\tA\tR\n")
    assert read_triplets("t.tsv", columns=["r", "a", "va", "b", "vb"]).rows() == [
        ("R", "A", 3, "B", 4)
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, "t.tsv: no triplets"),
        (HEAD + "a\tb\t1\tc\n", "t.tsv:2: 4 fields, where the header has 5"),
        (HEAD + "a\tb\t1\tc\t2\n\n", "t.tsv:3: 1 field,"),
        (HEAD + "a\tb\t1\tc\t2\na\tb\tx\tc\t2\n", "t.tsv:3: 'x' in column 'nbrA' is no number"),
        (HEAD + "a\tb\t1\tc\t-2\n", "t.tsv:2: '-2' in column 'nbrB'"),
        (HEAD + "a\tb\t1\tc\t1.5\n", "t.tsv:2: '1.5' in column 'nbrB'"),
        (HEAD + "a\tb\t1\tc\t٣\n", "t.tsv:2: '٣' in column 'nbrB'"),
        (HEAD + "a\tb\t1\tc\t\n", "t.tsv:2: '' in column 'nbrB'"),
        ("reference\thypA\tnbrA\thypB\n", "t.tsv: no triplets"),
        (
            "reference\thypA\tnbrA\thypB\na\tb\t1\tc\n",
            "no column nbrB or votesB .*it has: reference",
        ),
        ("a\ta\nb\tc\n", "two columns are called 'a'"),
        ("", "t.tsv: the file is empty"),
    ],
)
def test_bad_files_are_refused_by_line(folder: Path, text: str, message: str) -> None:
    write("t.tsv", text)
    with pytest.raises(InputError, match=message):
        read_triplets("t.tsv")


def test_formats_without_columns_are_refused(folder: Path) -> None:
    write("t.trn", "a (u1)\n")
    with pytest.raises(OptionError, match=r"t.trn is read as trn, which has no columns"):
        read_triplets("t.trn")
    write("votes.tsv", HEAD + "a\tb\t3.0\tc\t 4 \n")
    assert read_triplets("votes.tsv").select("votes_a", "votes_b").rows() == [(3, 4)]


def run(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    command.run(parser_of("agree").parse_args(words.split()))
    return capsys.readouterr()


@pytest.fixture
def choices(folder: Path) -> Path:
    text = "".join("\t".join(map(str, row)) + "\n" for row in ROWS)
    return write("choices.tsv", HEAD + text)


def test_json(choices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run("choices.tsv --metrics wer,cer --bootstrap 100 --seed 2 --format json", capsys)
    printed = json.loads(out)
    usual = agree(frame(), "wer,cer", bootstrap=100, seed=2)
    assert printed["rows"] == usual.agreement.to_dicts()
    assert (printed["undecided"], printed["seed"]) == (1, 2)
    assert "1 of 6 triplets have as many votes for either" in err


def test_table_csv_and_md(choices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run("choices.tsv --metrics wer,cer --format table --consensus 1,0", capsys)
    lines = [line.split() for line in out.splitlines() if line.strip()]
    assert lines[0][:5] == ["metric", "100", "%", "(2):", "agreed"]
    wer = next(line for line in lines if line[0] == "wer")
    agreed, low, to, high, half, ties, agreed_any = wer[1:8]
    assert (agreed, half, ties, agreed_any) == ("50.0", "75.0", "50.0", "40.0")
    assert (low, to, high) == ("0.0", "to", "100.0")
    assert lines[-1][0].startswith("cer|ties:misword|")
    out, _ = run("choices.tsv --metrics wer --format md --bootstrap 0 --consensus 0.7", capsys)
    assert out.splitlines()[2] == "| wer | 25.0 |  | 50.0 | 50.0 |"
    out, _ = run("choices.tsv --format csv", capsys)
    table = pl.read_csv(out.encode())
    assert len(table) == 6
    assert table["signature"][0].startswith("wer|")


def test_out(choices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("choices.tsv --metrics wer --out found --normalize nfc,lower", capsys)
    result = read_result("found")
    assert result.kind == "agreement"
    assert list(result.tables) == ["agreement", "triplets", "words"]
    assert set(result.tables["words"]["system"]) == {"a", "b"}
    assert result.provenance["metrics"] == ["wer"]
    assert result.provenance["parts"]["wer"]["title"] == "WER"
    assert list(result.provenance["sha256"]) == ["choices.tsv"]
    assert "norm:nfc+lower" in result.provenance["signatures"]["wer"]
    assert result.provenance["consensus"] == [1.0, 0.7, 0.0]


def test_equivalents_and_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("t.csv", "said,one,n,two,m\nso it was,so it were,5,so it is,0\n")
    write("same.txt", "was / were\n")
    words = "t.csv --columns said,one,n,two,m --metrics wer --bootstrap 0 --format json"
    assert json.loads(run(words, capsys)[0])["rows"][0]["agreed"] == 0.0
    words += " --equivalents same.txt"
    assert json.loads(run(words, capsys)[0])["rows"][0]["agreed"] == 1.0


@pytest.mark.parametrize("words", ["--consensus 70", "--consensus x", "--bootstrap -1"])
def test_numbers_out_of_range(
    choices: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    with pytest.raises(SystemExit):
        run(f"choices.tsv {words}", capsys)
    assert words.split()[0] in capsys.readouterr().err
