"""`misword evaluate` from files to tables, and on real vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bilingual import GOLD, write_mapping
from extras import needs
from misword.bli.evaluate import evaluate
from misword.bli.map import map_vectors
from misword.cli.main import main
from misword.io.results import read_result


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A mapping file with its vectors, and a gold lexicon beside it."""
    lines = "\n".join("\t".join(pair) for pair in GOLD)
    (tmp_path / "gold.txt").write_text(lines, encoding="utf-8")
    return write_mapping(tmp_path)


def run(toy: Path, *arguments: str) -> int:
    """Evaluate by nearest neighbours, without intervals."""
    gold = str(toy.with_name("gold.txt"))
    usual = ["--k", "1,2", "--retriever", "nn", "--bootstrap", "0"]
    return main(["evaluate", str(toy), gold, *usual, *arguments])


def test_json_has_all_numbers(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rates with their two numbers, coverage, signatures."""
    assert run(toy, "--format", "json") == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    rates = {row["metric"]: (row["part"], row["whole"]) for row in told["rates"]}
    assert rates["hit@1"] == (2, 3)
    assert rates["precision@2"] == (4, 9)
    assert told["coverage"][0]["answerable"] == 3
    assert "|oov:drop|" in told["signatures"]["toy nn"]["hit@1"]
    assert "1 duplicate pair" in err
    assert "1 of 5 headwords are out of the vocabulary" in err


@pytest.mark.parametrize("form", ["table", "md"])
def test_tables_for_people(toy: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """Percentages with two decimals, rounded unless they are to be cut off."""
    assert run(toy, "--format", form) == 0
    out = capsys.readouterr().out
    assert "66.67" in out
    assert "44.44" in out
    assert "hit@1,2|retriever:nn" in out
    assert run(toy, "--format", form, "--truncate") == 0
    assert "66.66" in capsys.readouterr().out


def test_csv_is_signed(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each rate."""
    assert run(toy, "--format", "csv", "--oov", "error") == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.endswith(",signature")
    assert len(rows) == 6
    assert "oov:error" in rows[0]


def test_two_mappings_and_a_report_folder(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Compared with the first; the folder has every table."""
    write_mapping(toy.parent, "other.map")
    arguments = ["evaluate", str(toy), str(toy.with_name("other.map"))]
    arguments += [str(toy.with_name("gold.txt")), "--k", "1", "--retriever", "nn,csls:neighbors=2"]
    folder = toy.with_name("out")
    assert main([*arguments, "--out", str(folder), "--format", "table"]) == 0
    out = capsys.readouterr().out
    assert "Against toy nn" in out
    assert "corrected for 9 comparisons (Holm)" in out
    result = read_result(folder)
    assert result.kind == "evaluation"
    assert set(result.tables) == {
        "rates", "coverage", "compared", "headwords", "pairs", "predictions",
    }  # fmt: skip
    assert result.provenance["systems"] == [
        "toy nn", "toy csls:neighbors=2", "other nn", "other csls:neighbors=2",
    ]  # fmt: skip


def test_words_beyond_max_words_are_noted(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By option, and by the mapping's own limit."""
    assert run(toy, "--max-words", "2") == 0
    out, err = capsys.readouterr()
    assert "2 headwords and 2 translations are in the files of vectors, but beyond" in err
    assert "max_words:2/2" in out
    cut = write_mapping(toy.parent, "cut.map", max_words=2)
    assert run(cut) == 0
    assert "2 headwords and 2 translations" in capsys.readouterr().err


def test_slices_by_a_column(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table for each column."""
    gold = toy.with_name("pos.csv")
    gold.write_text("source,target,pos\ndog,chien,N\ncat,chat,N\nroof,toit,V\n", encoding="utf-8")
    arguments = ["evaluate", str(toy), str(gold), "--k", "1", "--retriever", "nn", "--by", "pos"]
    assert main([*arguments, "--format", "md", "--bootstrap", "0"]) == 0
    out = capsys.readouterr().out
    assert "**By pos**" in out
    assert "| toy nn | N | 1 | 2 | 2 | 50.00 | 50.00 | 50.00 |" in out
    assert "| toy nn | V | 1 | 1 | 1 | 0.00 | 0.00 | 0.00 |" in out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--k", "9"], "9 candidates of 5 words"),
        (["--reverse"], "none of its 5 headwords is among the 5 words of toy"),
        (["--by", "pos"], "no column 'pos'"),
        (["--columns", "en"], "1 column named, not two"),
        (["--retriever", "csls:near=3"], "'csls' has no option 'near'"),
        (["--report", "."], "this is a folder"),
        (["--input-format", "stm"], "stm is no format of lexicons"),
    ],
)
def test_command_refuses(
    toy: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], what: str
) -> None:
    """With exit code 2, nothing on standard output and nothing written."""
    folder = toy.with_name("out")
    assert run(toy, *arguments, "--out", str(folder)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert what in err
    assert not folder.exists()


@needs("simplemma")
def test_lemmas_by_option(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The signature has it; a language without a lemmatizer is refused before reading."""
    assert run(toy, "--lemmas", "fr", "--lemmatizer", "simplemma") == 0
    assert "|lemmas:simplemma-" in capsys.readouterr().out
    assert run(toy, "--lemmas", "ko") == 2
    assert "no lemmatizer for 'ko'" in capsys.readouterr().err


def test_the_gold_lexicon_comes_last(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error says so, since the order of arguments is easily mistaken."""
    assert main(["evaluate", str(toy.with_name("gold.txt")), str(toy)]) == 2
    assert "GOLD comes last" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "1,x", ""])
def test_numbers_of_candidates_are_numbers(toy: Path, number: str) -> None:
    """Refused while the options are read."""
    with pytest.raises(SystemExit):
        run(toy, "--k", number)


def test_a_bad_number_of_candidates_has_a_plain_error(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(toy, "--k", "x")
    assert "argument --k: x is not a list of numbers above 0" in capsys.readouterr().err


def test_real_vectors(shared: Path, tmp_path: Path) -> None:
    """Procrustes, evaluated on its own training pairs."""
    folder = shared / "bli" / "concept-fasttext"
    lexicon = folder / "en-fr.dict.txt"
    vectors = folder / "en.vec", folder / "fr.vec"
    whole = map_vectors(*vectors, "procrustes", lexicon=lexicon)
    cut = map_vectors(*vectors, "procrustes", lexicon=lexicon, max_words=500)
    found = evaluate({"all": whole, "500": cut}, lexicon, (1, 10), retriever="csls,nn")
    assert found.systems == ["all csls", "all nn", "500 csls", "500 nn"]
    assert 0.90 < found["hit@1"] < 0.95
    covered = found.coverage.to_dicts()
    assert (covered[0]["answerable"], covered[0]["source_beyond"]) == (752, 0)
    assert covered[1]["source_known"] + covered[1]["source_beyond"] == 752
    assert any("all was trained on exactly this lexicon" in note for note in found.notes)
    others = evaluate(whole, folder / "en-es.dict.txt", 1, bootstrap=0)
    assert not any("trained" in note for note in others.notes)
    again = evaluate({"all": whole, "500": cut}, lexicon, (1, 10), retriever="csls,nn", workers=1)
    assert again.rates.equals(found.rates)
    assert again.differences.equals(found.differences)


def test_candidates_of_another_tool(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Alone, and compared with a mapping."""
    file, gold = toy.with_name("tool.tsv"), str(toy.with_name("gold.txt"))
    file.write_text("dog\tchien\t1\ncat\tchat\t1\n", encoding="utf-8")
    usual = ["--k", "1", "--bootstrap", "0", "--format"]
    assert main(["evaluate", gold, "--candidates", str(file), *usual, "table"]) == 0
    out, err = capsys.readouterr()
    assert "100.00" in out
    assert "3 of 5 headwords have no candidates in the file" in err
    both = ["evaluate", str(toy), gold, "--candidates", str(file), "--retriever", "nn"]
    assert main([*both, *usual, "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in told["compared"]] == ["tool"] * 3
    assert main(["evaluate", gold]) == 2
    assert "--candidates" in capsys.readouterr().err
    apart = ["evaluate", str(toy), "--k", "1", gold, "--bootstrap", "0", "--retriever", "nn"]
    assert main(apart) == 0


def test_sizes_lexicons_and_slices(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table for each, with the numbers of headwords and pairs."""
    gold, folder = toy.with_name("kinds.csv"), toy.with_name("sizes")
    gold.write_text("source,target,kind\ndog,chien,N\ncat,chat,N\nroof,toit,V\n", "utf-8")
    arguments = ["evaluate", str(toy), str(toy.with_name("gold.txt")), "--k", "1", "--retriever"]
    arguments += ["nn", "--bootstrap", "0", "--max-words", "3,5", "--format", "table"]
    assert main([*arguments, "--further-gold", str(gold), "--out", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "By gold lexicon" in out
    assert "toy 3 words nn" in out
    assert {"gold_sets"} < set(read_result(folder).tables)
    arguments[2] = str(gold)
    assert main([*arguments, "--by", "kind"]) == 0
    out = capsys.readouterr().out
    assert "By kind, against toy 3 words nn" in out
    assert "those on slices for 6 (Holm)" in out
    assert main([*arguments, "--further-gold", str(gold)]) == 2
    assert "named twice" in capsys.readouterr().err


def test_unseen_words_need_a_known_training(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mapping that does not say what it was trained on."""
    assert run(toy, "--unseen") == 2
    assert "make the mapping again" in capsys.readouterr().err
