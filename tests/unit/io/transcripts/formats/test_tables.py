"""CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import misword
from misword.core.errors import InputError, OptionError
from misword.io.lexicons import read_lexicon
from misword.io.transcripts.columns import HYPOTHESIS_NAMES, ID_NAMES, REFERENCE_NAMES, Role
from misword.io.transcripts.read import read_corpus, read_transcript

Write = Callable[[str, str | bytes], Path]


def read(path: Path, role: Role = "reference", **options: str) -> pl.DataFrame:
    return read_transcript(path, role=role, **options).frame  # type: ignore[arg-type]


def refused(path: Path, match: str, role: Role = "reference", **options: str) -> InputError:
    with pytest.raises(InputError, match=match) as caught:
        read(path, role, **options)
    return caught.value


def parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def test_csv_fields_stay_text_and_may_hold_line_ends(write: Write) -> None:
    path = write("a.csv", 'utt,text,age\r\n007,"a, ""b""\nc",42\r\n008,,\r\n')
    frame = read(path)
    assert frame.rows() == [("007", 'a, "b"\nc', 2, "42"), ("008", "", 4, "")]
    assert frame.columns == ["utt", "text", "line", "age"]


def test_csv_with_one_column_has_empty_transcripts(write: Write) -> None:
    assert read(write("a.csv", "text\na\n\nb\n\n"))["text"].to_list() == ["a", "", "b", ""]


def test_csv_blank_lines_at_the_end_are_no_rows_but_others_are_wrong(write: Write) -> None:
    assert read(write("a.csv", "id,text\n1,a\n\n\n")).height == 1
    path = write("b.csv", "id,text\n1,a\n\n2,b\n")
    assert refused(path, "0 fields").where == f"{path}:3"


def test_csv_very_long_fields(write: Write) -> None:
    long = "word " * 60_000
    before = csv.field_size_limit()
    assert read(write("a.csv", f"id,text\n1,{long}\n"))["text"][0] == long
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(("row", "count"), [("3", 1), ("3,x,y", 3)])
def test_csv_rows_of_the_wrong_width(write: Write, row: str, count: int) -> None:
    path = write("a.csv", f'id,text\n1,"a\nb"\n2,c\n{row}\n')
    error = refused(path, rf"{count} fields?, where the header has 2 \(id, text\)")
    assert error.where == f"{path}:5"


def test_csv_quotes_that_do_not_close(write: Write) -> None:
    path = write("a.csv", 'id,text\n1,a\n2,"b\n3,c\n')
    assert refused(path, "cannot be read").where == f"{path}:3"


def test_csv_header(write: Write) -> None:
    path = write("a.csv", "id,text,text\n1,a,b\n")
    assert refused(path, "two columns are called 'text'").where == f"{path}:1"
    assert refused(write("b.csv", "\n1,a\n"), "header is empty").where.endswith("b.csv:1")
    assert read(write("c.csv", ",text\n0,a\n")).columns == ["text", "line", "column_1"]
    assert read(write("d.csv", "id, text\n0,a\n"))["utt"].to_list() == ["0"]


def test_a_header_alone_has_no_utterances(write: Write) -> None:
    path = write("a.csv", "id,text\n")
    assert refused(path, "no utterances").where == str(path)


def test_other_delimiters(write: Write) -> None:
    path = write("a.csv", "no;idea\n1;a\n")
    assert "csv:delimiter=;" in refused(path, "it has: no;idea").fix
    path = write("b.csv", "id|text\n1|a,b\n")
    assert read(path, input_format="csv:delimiter=|")["text"].to_list() == ["a,b"]
    assert read(write("a.tsv", "id\ttext\n1\ta,b\n")).rows() == [("1", "a,b", 2)]
    with pytest.raises(OptionError, match="delimiter"):
        read(path, input_format="csv:delimiter=ab")


@pytest.mark.parametrize("name", ["a.csv", "a"])
def test_semicolons_of_spreadsheets(write: Write, name: str) -> None:
    path = write(name, b'\xef\xbb\xbfid;text;age\r\n1;a, b;3\r\n2;"c; d";4\r\n')
    assert read(path).drop("line").rows() == [("1", "a, b", "3"), ("2", "c; d", "4")]


def test_workbooks_are_tables(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "text", "pred_text"], [1, "a b", "a"], ["two", "c", None]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    corpus, _ = read_corpus(tmp_path / "a.xlsx")
    assert corpus.references.select("utt", "text").rows() == [("1", "a b"), ("two", "c")]
    assert corpus.hypotheses["text"].to_list() == ["a", ""]
    openpyxl.Workbook().save(tmp_path / "b.xlsx")
    with pytest.raises(InputError, match="the first sheet is empty"):
        read_corpus(tmp_path / "b.xlsx")


@pytest.mark.parametrize("name", ID_NAMES)
def test_usual_ids(write: Write, name: str) -> None:
    found = read(write("a.csv", f"{name.upper()},text\nx,y\n"))
    assert found.rows() == [("x", "y", 2)]


@pytest.mark.parametrize(
    ("role", "names"), [("reference", REFERENCE_NAMES), ("hypothesis", HYPOTHESIS_NAMES)]
)
def test_usual_text_columns_in_their_order(
    write: Write, role: Role, names: tuple[str, ...]
) -> None:
    for rank, name in enumerate(names):
        later = names[rank:]
        header, row = ",".join(reversed(later)), ",".join(reversed([f"in {n}" for n in later]))
        found = read(write(f"{name}.csv", f"id,{header.title()}\n1,{row}\n"), role)
        assert found["text"].to_list() == [f"in {name}"]


def test_columns_by_name(write: Write) -> None:
    path = write("a.csv", "id,text,key,mine\n1,a,k,b\n")
    found = read(path, id_column="key", text_column="Mine")
    assert found.to_dicts() == [{"utt": "k", "text": "b", "line": 2, "id": "1", "text_": "a"}]
    assert "utt" not in read(path, id_column="none").columns


def test_missing_columns_name_those_there_are(write: Write) -> None:
    path = write("a.csv", "key,words\n1,a\n")
    error = refused(path, "it has: key, words")
    assert error.where == str(path)
    assert "--reference-column" in error.fix
    assert "--hypothesis-column" in refused(path, "no column of hypothesis", role="hypothesis").fix
    assert "--id-column" in refused(path, "'nr' for ids", id_column="nr", text_column="words").fix
    refused(path, "no column 'said'; it has: key, words", text_column="said")


def test_columns_for_formats_without_any(write: Write) -> None:
    with pytest.raises(OptionError, match="read as lines, which has no columns"):
        read(write("a.txt", "hello\n"), text_column="text")


def test_metadata_leaves_predictions_out_and_keeps_out_of_the_way(write: Write) -> None:
    path = write("a.csv", "id,text,pred_text,HYP,line,noise\n1,a,b,c,9,car\n")
    assert read(path).to_dicts() == [
        {"utt": "1", "text": "a", "line": 2, "line_": "9", "noise": "car"}
    ]


def test_ids_must_be_there(write: Write) -> None:
    path = write("a.csv", "id,text\n1,a\n,b\n")
    assert refused(path, "no id in column 'id'").where == f"{path}:3"


def test_json_lines_of_nemo(write: Write) -> None:
    rows = [
        {"audio_filepath": "a.wav", "text": "é\u2028", "duration": 1, "pred_text": "x"},
        {"audio_filepath": "b.wav", "text": "", "duration": 2.5, "tags": ["q", {"z": 1}]},
    ]
    path = write("m.json", "\n\n".join(json.dumps(row) for row in rows))
    assert read(path).to_dicts() == [
        {"utt": "a.wav", "text": "é\u2028", "line": 1, "duration": 1.0, "tags": None},
        {"utt": "b.wav", "text": "", "line": 3, "duration": 2.5, "tags": '["q", {"z": 1}]'},
    ]


def test_json_values_of_all_kinds(write: Write) -> None:
    row = '{"id": 7, "text": "a", "n": %s, "big": %s, "flag": true, "mix": %s, "f": %s}\n'
    path = write("a.jsonl", row % (1, 2**70, '"s"', 0.5) + (row % (2, 1, 3, 1)).replace("7", "8"))
    frame = read(path)
    assert frame["utt"].to_list() == ["7", "8"]
    assert [frame[name].dtype for name in ("n", "flag")] == [pl.Int64(), pl.Boolean()]
    assert frame["big"].to_list() == [str(2**70), "1"]
    assert frame["mix"].to_list() == ["s", "3"]
    assert frame["f"].to_list() == [0.5, 1.0]
    path = write("b.jsonl", '{"text": "a", "f": 0.5}\n{"text": "b", "f": 9007199254740993}\n')
    assert read(path)["f"].to_list() == ["0.5", "9007199254740993"]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('{"text": "b"', "this is not JSON"),
        ("b", "this is not JSON"),
        ("[1]", "not an object"),
        ('{"text": null}', "null in column 'text'"),
        ('{"other": "b"}', "null in column 'text'"),
        ('{"text": 5}', "the value of 'text' is not text"),
        ('{"text": ["b"]}', "the value of 'text' is not text"),
        ('{"text": "b\\u0000"}', "NUL character in column 'text'"),
        ('{"text": "b\\ud800"}', "surrogate"),
        ('{"text": "b", "x": ["\\ud800"]}', "surrogate pair in 'x'"),
        ('{"text": "b"} {"text": "c"}', "this is not JSON"),
    ],
)
def test_bad_json_lines(write: Write, line: str, match: str) -> None:
    path = write("a.jsonl", f'{{"text": "a"}}\n\n{line}\n')
    assert refused(path, match).where == f"{path}:3"


@pytest.mark.parametrize(
    "content", ['[{"text": "a"}]\n', '[\n{"text": "a"}\n]', '{\n"text": "a"\n}']
)
def test_one_json_value_is_not_json_lines(write: Write, content: str | bytes) -> None:
    path = write("a.json", content)
    error = refused(path, "one object per line is expected")
    assert error.where == str(path)
    assert "jq" in error.fix


@pytest.mark.parametrize(
    "content",
    ['[{"text": "a"}, {"te', '[{"input": ["a"], "output": "a"}, {"inp', '{\n"text": "a"\n'],
)
def test_a_json_value_that_was_cut_off(write: Write, content: str) -> None:
    error = refused(write("a.json", content), "this is not JSON")
    assert "cut off" in error.fix
    assert "jq" not in error.fix


def test_blank_json_lines_alone(write: Write) -> None:
    path = write("a.jsonl", "\n\n")
    assert refused(path, "no JSON object").where == str(path)


def test_parquet(write: Write) -> None:
    frame = pl.DataFrame({"id": [1, 2], "text": ["a", ""], "age": [3.5, None], "b": [[1], [2]]})
    path = write("a.parquet", parquet(frame))
    found = read_transcript(path, role="reference")
    assert found.frame.to_dicts() == [
        {"utt": "1", "text": "a", "line": 1, "age": 3.5},
        {"utt": "2", "text": "", "line": 2, "age": None},
    ]
    assert found.notes == (f"{path}: nested columns left out: b",)
    assert read(write("nameless", path.read_bytes())).equals(found.frame)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([["a"], ["b"]], r"List\(String\)"), ([b"a", b"b"], "Binary"), ([{"a": 1}] * 2, "Struct")],
)
def test_parquet_columns_that_are_not_text(write: Write, values: list[object], kind: str) -> None:
    """A column that is there is not said to be absent."""
    reference = write("a.parquet", parquet(pl.DataFrame({"utt": ["1", "2"], "text": values})))
    message = f"column 'text' holds {kind}.*, not text"
    refused(reference, message)
    both = pl.DataFrame({"utt": ["1", "2"], "text": ["a", "b"], "pred_text": values})
    path = write("b.parquet", parquet(both))
    for column in (None, "PRED_text"):
        with pytest.raises(InputError, match=message.replace("text'", "pred_text'", 1)):
            read_corpus(path, hypothesis_column=column)
    with pytest.raises(InputError, match=message.replace("text'", "pred_text'", 1)):
        read_transcript(path, role="reference", id_column="pred_text")
    with pytest.raises(InputError, match=message):
        misword.score(misword.shards(str(reference), str(path), engine="serial"))
    with pytest.raises(InputError, match=message):
        read_lexicon(reference, columns=("utt", "text"))


def test_parquet_categories_are_text(write: Write) -> None:
    frame = pl.DataFrame({"text": pl.Series(["a", "b"], dtype=pl.Categorical)})
    assert read(write("a.parquet", parquet(frame)))["text"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("data", "match", "row"),
    [
        ({"text": ["a", None]}, "null in column 'text'", ", row 2"),
        ({"text": ["a", "b\0"]}, "NUL", ", row 2"),
        ({"text": ["a", "b"], "id": ["x", None]}, "no id", ", row 2"),
        ({"text": ["a", "b"], "id": ["x", "x"]}, "row 1 and row 2", ", row 2"),
        ({"text": [1, 2]}, "holds Int64, not text", ""),
        ({"words": ["a"]}, "it has: words", ""),
    ],
)
def test_bad_parquet(write: Write, data: dict[str, list[object]], match: str, row: str) -> None:
    path = write("a.parquet", parquet(pl.DataFrame(data)))
    assert refused(path, match).where == f"{path}{row}"


def test_broken_parquet(write: Write) -> None:
    data = parquet(pl.DataFrame({"text": ["a"] * 99}))
    path = write("a.parquet", data[:-20])
    assert refused(path, "not a readable Parquet").where == str(path)
    refused(write("b.parquet", b"text\n"), "not a readable Parquet")


@pytest.mark.parametrize(
    ("content", "command"),
    [
        ('[{"text": "a"}, {"text": "b"}]', "jq -c '.[]' FILE"),
        ('{\n"text": "a"\n}', "jq -c . FILE"),
        ('{\n"rows": [{"id": "1", "transcript": "a"}]\n}', "jq -c '.rows[]' FILE"),
    ],
)
def test_advice_on_json_works_when_it_is_followed(
    content: str, command: str, write: Write, tmp_path: Path
) -> None:
    assert command in refused(write("a.json", content), "one object per line is expected").fix
    value = json.loads(content)
    rows = value if isinstance(value, list) else value.get("rows", [value])
    lines = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert read(lines)["text"].to_list() == ["a", "b"][: len(rows)]


@pytest.mark.parametrize("content", ["[1, 2]", '{\n"a": [3]\n}', '[{"x": 1}]'])
def test_json_without_transcripts_is_not_to_be_converted(content: str, write: Write) -> None:
    fix = refused(write("a.json", content), "one object per line is expected").fix
    assert "jq" not in fix
    assert "misword parts formats" in fix
