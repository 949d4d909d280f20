"""TextGrid of Praat and EAF of ELAN, written from the documentation of the formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extras import needs
from misword.core.errors import InputError, OptionError
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript

pytestmark = [needs("pympi")]
Write = Callable[[str, str | bytes], Path]


def grid(**tiers: list[tuple[float, float, str]]) -> str:
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", "xmax = 9"]
    lines += ["tiers? <exists>", f"size = {len(tiers)}", "item []:"]
    for number, (name, labels) in enumerate(tiers.items(), start=1):
        lines += [f"    item [{number}]:", '        class = "IntervalTier"']
        lines += [f'        name = "{name}"', "        xmin = 0", "        xmax = 9"]
        lines.append(f"        intervals: size = {len(labels)}")
        for place, (begin, end, text) in enumerate(labels, start=1):
            lines += [f"        intervals [{place}]:", f"            xmin = {begin}"]
            lines += [f"            xmax = {end}", f'            text = "{text}"']
    return "\n".join([*lines, ""])


EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2020-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">
<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="500"/>
<TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="1500"/>
<TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="2500"/></TIME_ORDER>
<TIER LINGUISTIC_TYPE_REF="utterance" PARTICIPANT="Bob" TIER_ID="B">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts3">
<ANNOTATION_VALUE>two words</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER LINGUISTIC_TYPE_REF="utterance" TIER_ID="Anna">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
<ANNOTATION_VALUE>one &amp; all</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER LINGUISTIC_TYPE_REF="gloss" TIER_ID="gloss" PARENT_REF="Anna">
<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a2">
<ANNOTATION_VALUE>un</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>
<LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="utterance" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""


def read(path: Path, format: str | None = None) -> Transcript:
    return read_transcript(path, role="reference", input_format=format)


def rows(found: Transcript) -> list[tuple[object, ...]]:
    assert found.words is not None
    return found.words.select("word", "speaker", "begin", "end", "segment").rows()


TURNS = grid(anna=[(0.0, 1.0, "so it"), (1.0, 2.0, ""), (2.0, 3.0, "is")], bob=[(1.5, 1.9, "é")])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_turns_of_a_textgrid(encoding: str, write: Write) -> None:
    path = write("call.TextGrid", TURNS.encode(encoding))
    found = read(path)
    assert found.frame.select("utt", "text").rows() == [("call", "so it é is")]
    assert rows(found) == [
        ("so", "anna", 0.0, 1.0, 0), ("it", "anna", 0.0, 1.0, 0),
        ("é", "bob", 1.5, 1.9, 2), ("is", "anna", 2.0, 3.0, 3),
    ]  # fmt: skip


def test_words_of_an_aligner_are_read_without_its_phonemes(write: Write) -> None:
    tiers = {"anna - words": [(0.0, 1.0, "so")], "anna - phones": [(0.0, 0.5, "s")]}
    path = write("call.TextGrid", grid(**tiers))
    found = read(path)
    assert rows(found) == [("so", "anna", 0.0, 1.0, 0)]
    assert found.notes == (f"{path}: tiers left out: anna - phones",)
    assert rows(read(path, "textgrid:tier=anna - phones"))[0][0] == "s"
    with pytest.raises(OptionError, match="has no tier 'x'"):
        read(path, "textgrid:tier=x")


def test_annotations_of_elan(write: Write) -> None:
    path = write("call.eaf", EAF)
    found = read(path)
    assert rows(found) == [
        ("one", "Anna", 0.5, 1.5, 0), ("&", "Anna", 0.5, 1.5, 0), ("all", "Anna", 0.5, 1.5, 0),
        ("two", "Bob", 1.5, 2.5, 1), ("words", "Bob", 1.5, 2.5, 1),
    ]  # fmt: skip
    corpus, _ = read_corpus(path, write("h.txt", "one\ntwo words\n"))
    assert corpus.hypotheses["text"].to_list() == ["one two words"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.TextGrid", TURNS[: len(TURNS) // 2]),
        ("a.TextGrid", TURNS.replace("size = 3", "size = 2")),
        ("a.TextGrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n'),
        ("a.eaf", EAF[: len(EAF) // 2]),
        ("a.eaf", EAF.replace('"a2" TIME', '"a1" TIME').replace('TIER_ID="Anna"', 'TIER_ID="B"')),
        ("a.eaf", EAF.replace(' TIME_VALUE="500"', "")),
        ("a.eaf", EAF.replace("<ANNOTATION_DOC", "<!DOCTYPE x>\n<ANNOTATION_DOC", 1)),
    ],
)
def test_damaged_files_are_refused(name: str, content: str, write: Write) -> None:
    with pytest.raises(InputError, match=r"no (Praat TextGrid|ELAN) file that can be read"):
        read(write(name, content))
