"""No row is lost: what is written in any format is read with the same ids and texts."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from misword.io.transcripts.read import read_transcript

Texts = list[str]

# Characters that separate words or lines for some libraries, and characters of other scripts.
SEPARATORS = "\x0b\x0c\x1c\x1d\x85\u00a0\u2028\u2029\u3000\ufeff"
LETTERS = st.sampled_from("abcXYZ09é'-.ßİıﬁ中ไ\u05d0\u0301\u200d😀")
SIGNS = st.sampled_from("\"'\\,;:|=#%&$*+<>()[]{}/@\t")
WORD = st.text(LETTERS, min_size=1, max_size=8)
# Texts that every format can hold: words between single spaces; a text may be empty.
WORDS = st.lists(st.lists(WORD, max_size=5).map(" ".join), min_size=1, max_size=12)
# Texts for formats that quote: any characters but line ends and NUL.
ANY = st.lists(
    st.text(LETTERS | SIGNS | st.sampled_from(f" {SEPARATORS}"), max_size=20),
    min_size=1,
    max_size=12,
)


def ids(texts: Texts) -> Texts:
    return [f"s{i % 3}-u{i:04}" for i in range(len(texts))]


def delimited(texts: Texts, delimiter: str) -> str:
    out = io.StringIO()
    rows = zip(ids(texts), texts, strict=True)
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([("utt", "text"), *rows])
    return out.getvalue()


def json_lines(texts: Texts) -> str:
    rows = zip(ids(texts), texts, strict=True)
    return "".join(json.dumps({"utt": utt, "text": text}) + "\n" for utt, text in rows)


def stm(texts: Texts) -> str:
    return "".join(f"call 1 anna {i} {i + 1} <o> {text}\n" for i, text in enumerate(texts))


WRITERS: dict[str, Callable[[Texts], str]] = {
    "lines": lambda texts: "".join(f"{text}\n" for text in texts),
    "csv": lambda texts: delimited(texts, ","),
    "tsv": lambda texts: delimited(texts, "\t"),
    "jsonl": json_lines,
    "kaldi": lambda texts: "".join(f"{u} {t}\n" for u, t in zip(ids(texts), texts, strict=True)),
    "trn": lambda texts: "".join(f"{t} ({u})\n" for u, t in zip(ids(texts), texts, strict=True)),
    "stm": stm,
}
QUOTING = ("csv", "tsv", "jsonl", "lines")


def compressed(data: bytes, form: str, cut: int) -> bytes:
    """Compress data as two streams, one after the other."""
    import zstandard

    compress: dict[str, Callable[[bytes], bytes]] = {
        "": bytes,
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstandard.compress,
    }
    return compress[form](data[:cut]) + (compress[form](data[cut:]) if data[cut:] else b"")


def read_back(data: bytes, name: str, format: str) -> pl.DataFrame:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        return read_transcript(path, role="reference", input_format=format).frame


@pytest.mark.parametrize("format", WRITERS)
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_all_rows_are_read(format: str, data: st.DataObject) -> None:
    texts = data.draw(ANY if format in QUOTING else WORDS)
    text = WRITERS[format](texts)
    if data.draw(st.booleans(), label="CRLF"):
        text = text.replace("\n", "\r\n")
    if texts[-1] and data.draw(st.booleans(), label="no final line end"):
        text = text.rstrip("\r\n")
    # A text that begins with U+FEFF needs a byte-order mark, or it would be read as one.
    mark = data.draw(st.booleans(), label="BOM") or text.startswith("\ufeff")
    content = text.encode("utf-8-sig" if mark else "utf-8")
    suffix = data.draw(st.sampled_from(("", ".gz", ".bz2", ".xz", ".zst")))
    cut = data.draw(st.integers(0, len(content)))
    frame = read_back(compressed(content, suffix, cut), f"file.txt{suffix}", format)
    assert frame["text"].to_list() == texts
    if format not in ("lines", "stm"):
        assert frame["utt"].to_list() == ids(texts)


@given(texts=ANY)
@settings(max_examples=30)
def test_all_rows_of_parquet_are_read(texts: Texts) -> None:
    from misword.io.files import parquet

    table = io.BytesIO()
    pl.DataFrame({"utt": ids(texts), "text": texts}).write_parquet(table)
    with pytest.MonkeyPatch.context() as patch:  # a process for each example takes long
        patch.setattr(parquet, "_first_problem", lambda contents, flat, limit: (1, ""))
        frame = read_back(table.getvalue(), "file.parquet", "parquet")
    assert (frame["utt"].to_list(), frame["text"].to_list()) == (ids(texts), texts)


@given(texts=WORDS)
def test_all_words_of_a_recording_are_read(texts: Texts) -> None:
    """Formats in which a file is one utterance."""
    words = " ".join(texts).split()
    times = "00:00:01.000 --> 00:00:02.000"
    cues = "".join(f"{times}\n{text}\n\n" for text in texts if text)
    written = {
        "nlp": "token|speaker\n" + "".join(f"{word}|1\n" for word in words),
        "ctm": "".join(f"call 1 {i} 0.5 {word}\n" for i, word in enumerate(words)),
        "vtt": f"WEBVTT\n\n{cues}",
        "srt": cues,
    }
    for name, text in written.items():
        if words:
            frame = read_back(text.encode(), f"call.{name}", name)
            assert frame["text"].to_list() == [" ".join(words)], name
