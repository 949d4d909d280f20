"""A corpus: references paired with hypotheses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from misword.core.errors import InputError, MismatchError, OptionError
from misword.io.transcripts.read import read_corpus, system_names

Write = Callable[[str, str | bytes], Path]

SCHEMA = {
    "utt": pl.String,
    "system": pl.String,
    "rank": pl.Int64,
    "text": pl.String,
    "score": pl.Float64,
}


def test_lines_are_paired_by_position(write: Write) -> None:
    corpus, notes = read_corpus(write("r.txt", "a\n\nc\n"), [write("h.txt", "\nb\nc\n")])
    assert corpus.references.rows() == [("1", "a"), ("2", ""), ("3", "c")]
    assert corpus.hypotheses.schema == SCHEMA
    assert corpus.hypotheses.rows() == [
        ("1", "h", 1, "", None),
        ("2", "h", 1, "b", None),
        ("3", "h", 1, "c", None),
    ]
    assert notes == ()


def test_ids_are_matched_in_any_order_and_references_keep_theirs(write: Write) -> None:
    reference = write("r.trn", "a (x-2)\nb (x-1)\nc (x-3)\n")
    first, second = (
        write("h1.txt", "x-1 B\nx-3\nx-2 A\n"),
        write("h2.csv", "id,hyp\nx-3,C\nx-2,\nx-1,\n"),
    )
    corpus, _ = read_corpus(reference, [first, second])
    assert corpus.references.rows() == [
        ("x-2", "a", "x"), ("x-1", "b", "x"), ("x-3", "c", "x"),
    ]  # fmt: skip
    assert corpus.systems == ["h1", "h2"]
    assert corpus.metadata == ["speaker"]
    assert corpus.hypotheses.select("utt", "system", "text").rows() == [
        ("x-2", "h1", "A"), ("x-1", "h1", "B"), ("x-3", "h1", ""),
        ("x-2", "h2", ""), ("x-1", "h2", ""), ("x-3", "h2", "C"),
    ]  # fmt: skip


def test_one_path_may_stand_for_a_list(write: Write) -> None:
    corpus, _ = read_corpus(str(write("r.txt", "a\n")), str(write("h.txt", "b\n")))
    assert corpus.systems == ["h"]


def test_different_ids_are_named_with_their_lines(write: Write) -> None:
    reference = write("r.txt", "".join(f"u{n} x\n" for n in range(1, 8)))
    hypothesis = write("h.txt", "u7 x\nv1 y\nu1 x\n")
    with pytest.raises(MismatchError, match="different ids") as caught:
        read_corpus(reference, [hypothesis])
    what = caught.value.what
    assert f"{hypothesis} lacks 'u2' ({reference}:2), 'u3' ({reference}:3), 'u4' " in what
    assert "and 2 more" in what
    assert f"{reference} lacks 'v1' ({hypothesis}:2)" in what
    assert caught.value.where == f"{reference}:2"


def test_extra_ids_alone_are_refused(write: Write) -> None:
    hypothesis = write("h.txt", "u1 x\nu2 y\nu3 z\n")
    with pytest.raises(MismatchError, match="lacks 'u2'") as caught:
        read_corpus(write("r.txt", "u1 x\nu3 z\n"), [hypothesis])
    assert caught.value.where == f"{hypothesis}:2"


@pytest.mark.parametrize("side", ["r", "h"])
def test_duplicate_ids_name_both_lines(write: Write, side: str) -> None:
    good, bad = "u1 x\nu2 y\nu3 z\n", "u1 x\nu2 y\nu2 z\n"
    paths = {name: write(f"{name}/text", bad if name == side else good) for name in "rh"}
    with pytest.raises(InputError, match="duplicate id 'u2', on line 2 and line 3") as caught:
        read_corpus(paths["r"], [paths["h"]])
    assert caught.value.where == f"{paths[side]}:3"


def test_unequal_counts_name_both_files(write: Write) -> None:
    reference, hypothesis = write("r.txt", "a\nb\nc\n"), write("h.txt", "a\nb\n")
    with pytest.raises(MismatchError, match="paired by position") as caught:
        read_corpus(reference, [hypothesis])
    assert f"{reference} has 3 utterances and {hypothesis} has 2" in caught.value.what


@pytest.mark.parametrize("side", ["r.txt", "h.txt"])
def test_ids_on_one_side_only(write: Write, side: str) -> None:
    paths = [
        write(name, "u1 a\nu2 b\n" if name == side else "a\nb\n") for name in ("r.txt", "h.txt")
    ]
    with pytest.raises(MismatchError, match=rf"{side} has ids \(read as kaldi\)") as caught:
        read_corpus(paths[0], paths[1:])
    assert "--input-format" in caught.value.fix


def test_formats_can_be_forced_together_or_apart(write: Write) -> None:
    paths = write("r.txt", "u1 a\n"), write("h.txt", "u1 b\n")
    corpus, _ = read_corpus(paths[0], [paths[1]], input_format="lines")
    assert corpus.hypotheses["text"].to_list() == ["u1 b"]
    paths = write("r.txt", "u1 a\n"), write("h.trn", "b (u1)\n")
    corpus, _ = read_corpus(paths[0], [paths[1]], input_format="kaldi", hypothesis_format="trn")
    assert corpus.hypotheses["text"].to_list() == ["b"]


def test_both_sides_out_of_one_manifest(write: Write) -> None:
    rows = '{"audio_filepath": "b", "text": "x", "pred_text": "y", "snr": 5}\n'
    corpus, _ = read_corpus(write("dev.json", rows + rows.replace('"b"', '"a"')))
    assert corpus.references.rows() == [("b", "x", 5), ("a", "x", 5)]
    assert corpus.hypotheses["text"].to_list() == ["y", "y"]
    assert corpus.systems == ["dev"]


def test_both_sides_out_of_one_csv(write: Write) -> None:
    path = write("a.csv", "reference,hypothesis,noise\nx,y,car\n")
    corpus, _ = read_corpus(path)
    assert corpus.references.to_dicts() == [{"utt": "1", "text": "x", "noise": "car"}]
    assert corpus.hypotheses["text"].to_list() == ["y"]
    path = write("b.csv", "id,left,right\n1,x,y\n")
    corpus, _ = read_corpus(path, reference_column="right", hypothesis_column="Left")
    assert corpus.references.to_dicts() == [{"utt": "1", "text": "y"}]
    assert corpus.hypotheses["text"].to_list() == ["x"]


def test_one_file_without_hypotheses(write: Write) -> None:
    with pytest.raises(OptionError, match="no column for them; it has: id, text") as caught:
        read_corpus(write("a.csv", "id,text\n1,a\n"))
    assert "--hypothesis-column" in caught.value.fix
    with pytest.raises(OptionError, match="read as lines, which holds one side only"):
        read_corpus(write("a.txt", "hello\n"))
    with pytest.raises(InputError, match="no column 'hyps'; it has: id, text"):
        read_corpus(write("b.csv", "id,text\n1,a\n"), hypothesis_column="hyps")


def test_duplicate_paths_of_one_manifest_can_go_by_position(write: Write) -> None:
    path = write("a.json", '{"path": "p", "text": "x", "pred": "y"}\n' * 2)
    with pytest.raises(InputError, match="duplicate id") as caught:
        read_corpus(path)
    assert "--id-column none" in caught.value.fix
    corpus, _ = read_corpus(path, id_column="none")
    assert corpus.references["utt"].to_list() == ["1", "2"]
    assert corpus.metadata == ["path"]


def test_an_id_column_that_nothing_has(write: Write) -> None:
    paths = write("r.txt", "a\n"), write("h.txt", "a\n")
    with pytest.raises(OptionError, match="no file has columns"):
        read_corpus(paths[0], [paths[1]], id_column="key")
    table = write("h.csv", "key,hyp\nu1,a\n")
    corpus, _ = read_corpus(write("text", "u1 a\n"), [table], id_column="key")
    assert corpus.references["utt"].to_list() == ["u1"]


def test_only_the_references_give_metadata(write: Write) -> None:
    reference = write("r.csv", "id,text,a\n1,x,2\n")
    corpus, _ = read_corpus(reference, [write("h.csv", "id,hyp,b\n1,y,3\n")])
    assert corpus.references.columns == ["utt", "text", "a"]
    assert corpus.hypotheses.columns == list(SCHEMA)


def test_notes_of_all_files_come_back(write: Write) -> None:
    stm = "f 1 a 0 1 x\nf 1 a 1 2 ignore_time_segment_in_scoring\n"
    _, notes = read_corpus(write("r.stm", stm), [write("h.stm", stm)])
    assert [note.split("/")[-1].split(":")[0] for note in notes] == ["r.stm", "h.stm"]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["exp/a.txt", "b.v2.trn.gz", "c.v3"], ["a", "b.v2", "c.v3"]),
        (["x/text", "y/text", "z/other.csv"], ["x/text", "y/text", "other"]),
        (["x/h.txt", "x/h.trn", "x/h.stm"], ["x/h", "x/h-2", "x/h-3"]),
        (["-"], ["stdin"]),
    ],
)
def test_system_names(paths: list[str], expected: object) -> None:
    assert system_names(paths) == expected


def test_system_names_are_always_distinct() -> None:
    paths = ["x/h.txt", "x/h.trn", "x/h-2.txt", "y/x/h.txt", "q/x/h-2.csv"]
    names = system_names(paths)
    assert len(set(names)) == len(paths)


def test_given_names(write: Write) -> None:
    paths = write("r.txt", "a\n"), [write("h.txt", "a\n"), write("g.txt", "a\n")]
    assert read_corpus(*paths, names=["one", "two"])[0].systems == ["one", "two"]
    with pytest.raises(OptionError, match=r"1 names? for 2 systems"):
        read_corpus(*paths, names=["one"])
    with pytest.raises(OptionError, match="two systems are called 'one'"):
        read_corpus(*paths, names=["one", "one"])
