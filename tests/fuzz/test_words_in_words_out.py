"""Words in = words out: every word of every text of a file is read, or the reader raises.

A writer for each format makes a file of texts whose words are all different. The file is then
damaged as people and programs damage files: a line end or an empty line is lost, a line of digits,
an empty line or a block of another kind is put in, blanks are doubled, fields are added.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.test_rows import WRITERS as ROW_WRITERS
from fuzz.test_rows import ids
from misword.core.errors import MiswordError
from misword.io.files import parquet
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.read import read_transcript

Texts = list[str]
BINARY = ("parquet", "xlsx")
Files = dict[str, bytes]
# The words whose number is conserved. `x` on both sides: a word that is joined with another one,
# because a line end was lost, is still found.
MARK = re.compile(r"x\d+x")
# Words beside them, which look like other parts of a file.
ODD_WORDS = ("1984", "2", "NOTE", "STYLE", "a-->b", "<laugh>", "a < b", "0.5", "(hm)", "e=mc2", "|")


def stamp(second: int, mark: str) -> str:
    return f"00:{second // 60:02}:{second % 60:02}{mark}000"


def cues(texts: Texts, mark: str, numbered: bool) -> str:
    blocks = []
    for place, text in enumerate(texts, start=1):
        times = f"{stamp(place, mark)} --> {stamp(place + 1, mark)}"
        number = f"{place}\n" if numbered else ""
        blocks.append(f"{number}{times}\n{text}\n")
    return "\n".join(blocks)


def vtt(texts: Texts) -> str:
    return "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE kept\n\n" + cues(texts, ".", False)


def tokens(texts: Texts) -> str:
    return "token|speaker\n" + "".join(f"{w}|1\n" for text in texts for w in text.split())


def ctm(texts: Texts) -> str:
    words = [word for text in texts for word in text.split()]
    return "".join(f"call 1 {place} 0.5 {word} 0.9\n" for place, word in enumerate(words))


def moses(texts: Texts) -> str:
    return "".join(f"{n} ||| {text} ||| lm= -1 ||| -2\n" for n, text in enumerate(texts))


def hyporadise(texts: Texts) -> str:
    rows = zip(ids(texts), texts, strict=True)
    return json.dumps([{"id": utt, "input": [text], "output": "-"} for utt, text in rows])


def responses(texts: Texts, wrap: Callable[[list[dict[str, str]]], object], key: str) -> str:
    rows = zip(ids(texts), texts, strict=True)
    lines = ({"id": utt} | dict(wrap([{key: text}])) for utt, text in rows)  # type: ignore[call-overload]
    return "".join(json.dumps(line) + "\n" for line in lines)


def words_of(texts: Texts) -> list[str]:
    return [word for text in texts for word in text.split()]


def document(texts: Texts, wrap: Callable[[list[str]], object]) -> str:
    """Return a response in which each word, with its odd neighbours, is an item."""
    return json.dumps(wrap(words_of(texts)), indent=1) + "\n"


def segments(texts: Texts) -> list[dict[str, object]]:
    return [{"start": n, "end": n + 1.5, "text": f" {text}"} for n, text in enumerate(texts)]


def textgrid(texts: Texts) -> str:
    """Return a tier with an interval for each text."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", "xmax = 99"]
    lines += ["tiers? <exists>", "size = 1", "item []:", "    item [1]:"]
    lines += ['        class = "IntervalTier"', '        name = "a"', "        xmin = 0"]
    lines += ["        xmax = 99", f"        intervals: size = {len(texts)}"]
    for number, text in enumerate(texts):
        lines += [f"        intervals [{number + 1}]:", f"            xmin = {number}"]
        lines += [f"            xmax = {number + 1}", f'            text = "{text}"']
    return "\n".join([*lines, ""])


def elan(texts: Texts) -> str:
    """Return a tier with an annotation for each text."""
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="ts{n}" TIME_VALUE="{n}"/>\n' for n in range(len(texts) + 1)
    )
    values = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{n}" TIME_SLOT_REF1="ts{n}" '
        f'TIME_SLOT_REF2="ts{n + 1}">\n<ANNOTATION_VALUE>{escape(text)}</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION>\n"
        for n, text in enumerate(texts)
    )
    location = "http://www.w3.org/2001/XMLSchema-instance"
    return (
        f'<ANNOTATION_DOCUMENT VERSION="3.0" xmlns:xsi="{location}" '
        f'xsi:noNamespaceSchemaLocation="x">\n<TIME_ORDER>\n{slots}</TIME_ORDER>\n'
        f'<TIER TIER_ID="a" LINGUISTIC_TYPE_REF="t">\n{values}</TIER>\n</ANNOTATION_DOCUMENT>\n'
    )


def json_lines(lines: Iterable[object]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


RESPONSES: dict[str, Callable[[Texts], str]] = {
    "aws": lambda texts: document(
        texts, lambda words: {"results": {"items": [{"alternatives": [{"content": w}]}
                                                    for w in words]}}
    ),
    "speechmatics": lambda texts: document(
        texts, lambda words: {"results": [{"alternatives": [{"content": w}]} for w in words]}
    ),
    "ibm": lambda texts: json.dumps(
        {"result_index": 0, "results": [{"alternatives": [{"transcript": t}]} for t in texts]}
    ),
    "assemblyai": lambda texts: json.dumps(
        {"text": " ".join(texts), "words": [], "audio_url": "a"}, indent=1
    ),
    "whisper": lambda texts: json.dumps({"segments": segments(texts)}, indent=1),
    "rev": lambda texts: document(
        texts, lambda words: {"monologues": [{"elements": [{"type": "text", "value": w}
                                                           for w in words]}]}
    ),
    "bbc-kaldi": lambda texts: document(
        texts, lambda words: {"words": [{"word": w, "punct": w, "start": 0.5} for w in words]}
    ),
    "seglst": lambda texts: json.dumps(
        [{"session_id": utt, "words": text} for utt, text in zip(ids(texts), texts, strict=True)],
        indent=1,
    ),
    "stream": lambda texts: json_lines(
        {"recording": utt, "emitted": 1.5, "text": text, "final": True}
        for utt, text in zip(ids(texts), texts, strict=True)
    ),
    "simuleval": lambda texts: json_lines(
        {"index": place, "prediction": text, "delays": [1.0] * len(text.split())}
        for place, text in enumerate(texts)
    ),
    "simulstream": lambda texts: json_lines(
        {"id": place, "total_audio_processed": 1, "computation_time": 0.5, "deleted_tokens": [],
         "generated_tokens": [f"▁{word}" for word in text.split()]}
        for place, text in enumerate(texts)
    ),
    "textgrid": lambda texts: textgrid(texts),
    "elan": lambda texts: elan(texts),
    "rttm": lambda texts: "".join(f"SPEAKER a 1 0 1 <NA> <NA> {t} <NA> <NA>\n" for t in texts),
}  # fmt: skip
TEXT_WRITERS: dict[str, Callable[[Texts], str]] = {
    **ROW_WRITERS,
    **RESPONSES,
    "vtt": vtt,
    "srt": lambda texts: cues(texts, ",", True),
    "nlp": tokens,
    "ctm": ctm,
    "moses": moses,
    "nemo-beams": lambda texts: "".join(f"{text}\t-1.5\n" for text in texts),
    "srilm": lambda texts: "".join(f"-1 -2 {len(t.split())} {t}\n" for t in texts),
    "hyporadise": hyporadise,
    "vosk": lambda texts: responses(texts, lambda a: {"alternatives": a}, "text"),
    "azure": lambda texts: responses(texts, lambda a: {"NBest": a}, "Lexical"),
    "google": lambda texts: responses(
        texts, lambda a: {"results": [{"alternatives": a}]}, "transcript"
    ),
    "deepgram": lambda texts: responses(
        texts, lambda a: {"results": {"channels": [{"alternatives": a}]}}, "transcript"
    ),
}


def written(format: str, texts: Texts) -> Files:
    """Return the files of a transcript by their paths; that which is read is the first folder."""
    kaldi = ROW_WRITERS["kaldi"](texts).encode()
    keyed = {f"{u}-1": t for u, t in zip(ids(texts), texts, strict=True)}
    if format == "parquet":
        with TemporaryDirectory() as folder:
            path = Path(folder, "file")
            pl.DataFrame({"utt": ids(texts), "text": texts}).write_parquet(path)
            return {"file": path.read_bytes()}
    if format == "xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book, target = openpyxl.Workbook(), BytesIO()
        for row in [("utt", "text"), *zip(ids(texts), texts, strict=True)]:
            book.active.append(row)
        book.save(target)
        return {"file": target.getvalue()}
    if format == "srilm-files":
        lists = {f"file-{n}": TEXT_WRITERS["srilm"]([text]) for n, text in enumerate(texts)}
        files = {name: content.encode() for name, content in lists.items()}
        return {"file": "".join(f"{name}\n" for name in lists).encode(), **files}
    if format == "espnet":
        return {"file/1best_recog/text": kaldi}
    if format == "kaldi-nbest":
        text = "".join(f"{key} {text}\n" for key, text in keyed.items())
        return {
            "file/text": text.encode(),
            "file/lm_cost": "".join(f"{key} 1\n" for key in keyed).encode(),
        }
    return {"file": TEXT_WRITERS[format](texts).encode()}


# Changes of one place of a file. Nothing that a format defines as a comment encloses a text.
INSERTED = (
    *("\n", "\n\n", "1984\n", "2\n", "\n2\n", "1984\n\n", " ", "\t", "\r", "\r\n", "\u2028"),
    *("|", "||| ", ",", '"', "{", "}", "<", ">", "<i>", "{\\an8}", "&", "&lt;", "( ", ") "),
    *("0.5 ", "spoken ", "x900x ", "<v Ann>", "-->", "\x0c", "\x85", "\ufeff", "\xa0"),
)
# Blocks of WebVTT that are no text, before a line of times, with and without an empty line.
OTHER_BLOCKS = (
    *("STYLE\n::cue { color: red }\n", "NOTE a comment\n", "REGION\nid:fred\n", "NOTE\n\n"),
    *("STYLE\n::cue { color: red }\n\n", "NOTE\nof two\nlines\n", "an id\n"),
)


@st.composite
def damaged(draw: st.DrawFn, content: str) -> str:
    """Return a content with up to three changes."""
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(("insert", "join", "drop", "repeat", "block")))
        lines = content.splitlines(keepends=True)
        place = draw(st.integers(0, len(lines) - 1)) if lines else 0
        times = [number for number, line in enumerate(lines) if "-->" in line]
        if kind == "insert":
            at = draw(st.integers(0, len(content)))
            content = content[:at] + draw(st.sampled_from(INSERTED)) + content[at:]
        elif kind == "join" and lines:
            lines[place] = lines[place].rstrip("\n") + draw(st.sampled_from(("", " ")))
            content = "".join(lines)
        elif kind == "drop":
            content = content.replace("\n\n", "\n", draw(st.integers(1, 3)))
        elif kind == "repeat" and lines:
            content = "".join([*lines[: place + 1], "\n", *lines[place + 1 :]])
        elif kind == "block" and times:
            place = draw(st.sampled_from(times))
            block = draw(st.sampled_from(OTHER_BLOCKS))
            content = "".join([*lines[:place], block, *lines[place:]])
    return content


@st.composite
def some_texts(draw: st.DrawFn) -> Texts:
    """Return texts of words that are all different, with odd words between them."""
    numbers = count(1)
    texts = []
    for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=5)):
        words = [f"x{next(numbers)}x" for _ in range(size)]
        if draw(st.booleans()):
            words.insert(draw(st.integers(1, size)), draw(st.sampled_from(ODD_WORDS)))
        texts.append(" ".join(words))
    return texts


@pytest.fixture(scope="module", autouse=True)
def no_process_for_parquet() -> object:
    """Read Parquet files in this process: one for each example takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "_first_problem", lambda contents, flat, limit: (1, ""))
        yield


@pytest.mark.parametrize("format", FORMATS.names())
@given(data=st.data())
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
def test_every_word_is_read_or_the_reader_raises(format: str, data: st.DataObject) -> None:
    texts = data.draw(some_texts())
    files = written(format, texts)
    name = data.draw(st.sampled_from(sorted(files)))
    if format not in BINARY:
        files[name] = data.draw(damaged(files[name].decode())).encode()
    # A change may be inside a word, which then is another one.
    whole = b"\n".join(files.values()).decode() if format not in BINARY else " ".join(texts)
    expected = [word for word in MARK.findall(" ".join(texts)) if word in whole]
    with TemporaryDirectory() as folder:
        for path, content in files.items():
            Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, path).write_bytes(content)
        try:
            read = read_transcript(
                Path(folder, "file"), role="hypothesis", input_format=format, lists=True
            )
        except MiswordError:
            return
    # A line that was cut in two may begin with a word that is then an id: it is not lost silently,
    # since an id that the other side does not have is an error.
    frame = read.frame if read.lists is None else read.lists
    columns = [name for name in ("utt", "text") if name in frame.columns]
    found = MARK.findall(" ".join(cell for row in frame.select(columns).rows() for cell in row))
    assert set(expected) <= set(found)
    if read.words is not None and "confidence" in read.words.columns:
        rows = read.numbered.filter(pl.col("text").str.strip_chars() != "").select("utt", "text")
        in_texts = {utt: text.split() for utt, text in rows.rows()}
        in_table = dict(read.words.group_by("utt", maintain_order=True).agg("word").rows())
        assert in_table == {utt: words for utt, words in in_texts.items() if words}
