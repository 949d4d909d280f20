"""N-best lists that decoders write: Kaldi, ESPnet, NeMo, SRILM, Moses."""

from __future__ import annotations

import gzip

import pytest

from misword.core.errors import InputError, MiswordError
from misword.io.transcripts.read import read_transcript
from nbest_reading import ListReader, Write, rows


def test_kaldi_folder(write: Write, both: ListReader) -> None:
    write("h/words", "a-1 the cat\na-2 cat\nb-1 sat\nb-2\n")
    write("h/lm_cost", "a-1 3\na-2 4\nb-1 1.5\nb-2 2\n")
    write("h/ac_cost", "a-1 -30\na-2 -31\nb-1 -7\nb-2 -8\n")
    assert rows(both(), "lm", "ac") == [
        ("a", 1, "the cat", -3.0, 30.0), ("a", 2, "cat", -4.0, 31.0),
        ("b", 1, "sat", -1.5, 7.0), ("b", 2, "", -2.0, 8.0),
    ]  # fmt: skip
    assert both.notes[0].endswith("costs are read as scores, with the other sign")


@pytest.mark.parametrize(
    ("words", "costs", "message"),
    [
        ("a-1 x\nb-1 y\n", "a-1 3\n", r"words:2: .*lm_cost lacks the key 'b-1'"),
        ("a-1 x\n", "a-1 3\nb-1 4\n", r"lm_cost:2: .*words lacks the key 'b-1'"),
        ("a-1 x\nb y\n", "a-1 3\nb 4\n", r"words:2: the key 'b' has no rank"),
        ("a-1 x\na-1 y\n", "a-1 3\n", r"words:2: duplicate key 'a-1'"),
        ("a-1 x\na-3 y\nb-1 z\n", "a-1 3\na-3 4\nb-1 1\n", "none of rank 2"),
        ("a-1 x\nb-1 z\n", "a-1 nan\nb-1 1\n", r"lm_cost:1: lm is not a finite number"),
    ],
)
def test_kaldi_folders_that_are_refused(
    words: str, costs: str, message: str, write: Write, both: ListReader
) -> None:
    write("h/words", words)
    write("h/lm_cost", costs)
    with pytest.raises(MiswordError, match=message):
        both()


def test_espnet_folder(write: Write, both: ListReader) -> None:
    write("h/1best_recog/text", "a the cat\nb sat\n")
    write("h/1best_recog/score", "a tensor(-1.5)\nb tensor(-2.0, device='cuda:0')\n")
    write("h/2best_recog/text", "a cat\n")
    write("h/2best_recog/score", "a -2.5\n")
    write("h/2best_recog/token", "a c a t\n")
    assert rows(both(), "score") == [
        ("a", 1, "the cat", -1.5), ("a", 2, "cat", -2.5), ("b", 1, "sat", -2.0),
    ]  # fmt: skip
    write("h/1best_recog/score", "a tensor(nan)\nb 1\n")
    with pytest.raises(InputError, match=r"score:1: the score is not a finite number"):
        both()
    write("h/2best_recog/text", "a cat\nb set\n")
    write("h/1best_recog/text", "a the cat\n")
    write("h/1best_recog/score", "a 1\n")
    write("h/2best_recog/score", "a 0\nb 0\n")
    with pytest.raises(InputError, match="utterance 'b' has a hypothesis of rank 2 and none"):
        both()


def test_nemo_beams(write: Write, both: ListReader) -> None:
    write("h.tsv", "the cat\t-1.5\ncat\t-2\nsat\t-1\n\t-3\n")
    assert rows(both("h.tsv"), "score") == [
        ("a", 1, "the cat", -1.5), ("a", 2, "cat", -2.0), ("b", 1, "sat", -1.0), ("b", 2, "", -3.0),
    ]  # fmt: skip
    assert both.notes[0].endswith("2 lines for each utterance, in the references' order")
    assert rows(both("h.tsv", references="x\ny\n"))[2] == ("2", 1, "sat")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x\t1\ny\t2\nz\t3\n", "3 lines for 2 utterances"),
        ("x\t1\n" * 120 + "y\tnan\n" * 2, r"h.tsv:121: the score is not a finite number"),
        ("x\t1\n" * 120 + "y z\n" * 2, r"h.tsv:121: 0 tabs, not one"),
    ],
)
def test_nemo_beams_that_are_refused(
    content: str, message: str, write: Write, both: ListReader
) -> None:
    write("h.tsv", content)
    with pytest.raises(MiswordError, match=message):
        both("h.tsv")


def test_nemo_beams_without_references(write: Write) -> None:
    path = write("h.tsv", "the cat\t-1.5\ncat\t-2\n")
    with pytest.raises(InputError, match="no references"):
        read_transcript(path, role="hypothesis")
    assert read_transcript(write("h.tsv", "id\ttext\n1\t2.5\n"), role="hypothesis").format == "tsv"


def test_srilm_folder(write: Write, both: ListReader) -> None:
    write("h/a.nbest", "NBestList1.0\n(-1000) the cat\n(-2000) <s> cat </s>\n")
    write("h/b.nbest.gz", gzip.compress(b"NBestList1.0\n(-10) sat\n"))
    write("h/README", "lists\n")
    # A bytelog is the logarithm to the base 1.0001, divided by 1024: ln 1.0001 * 1024 = 0.102395.
    corpus = both()
    assert rows(corpus) == [("a", 1, "the cat"), ("a", 2, "cat"), ("b", 1, "sat")]
    assert corpus.hypotheses["score"].to_list() == pytest.approx(
        [-102.395, -204.79, -1.02395], 1e-5
    )
    assert "1 file of other formats than srilm left out" in both.notes[0]


def test_srilm_scores_and_counts(write: Write, both: ListReader) -> None:
    write("h/a", "-10.5 -2 2 the cat\n-11 -1 1 cat\n")
    write("h/b", "-3.5 -1 1 sat\n")
    corpus = both()
    assert corpus.features == ["ac", "lm", "words"]
    assert corpus.hypotheses["lm"].to_list() == pytest.approx([-4.605170, -2.302585, -2.302585])
    assert corpus.hypotheses["words"].to_list() == [2, 1, 1]
    write("list", "h/a\nh/b\n")
    assert rows(both("list")) == rows(corpus)
    write("list", "h/a\nh/c\n")
    with pytest.raises(InputError, match=r"list:2: no such file: h/c"):
        both("list", hypothesis_format="srilm-files")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("NBestList1.0\n(-1) a\nb\n", r"a:3: no \(score\)"),
        ("NBestList1.0\n(nan) a\n", r"a:2: the score is not a finite number"),
        ("NBestList1.0\n", "a list without hypotheses"),
        ("NBestList2.0\n(-1) a ( st: 0 et: 1 g: 0 a: 0 )\n", r"a:1: NBestList2.0 is not read"),
        ("-1.5 -2 2 the cat\n" * 21 + "-1.5 -2 3 the ca", r"a:22: 2 words, where the line says 3"),
    ],
)
def test_srilm_that_is_refused(content: str, message: str, write: Write, both: ListReader) -> None:
    write("h/a", content)
    write("h/b", "-3.5 -1 1 sat\n")
    with pytest.raises(InputError, match=message):
        both()


MOSES = """\
0 ||| the cat  ||| LM0= -3 TM= -1 -2 ||| -6.5 ||| 0-0 1-1
0 ||| cat ||| LM0= -4 TM= -1 -2.5 ||| -7.5 ||| 0-0
1 ||| sat ||| LM0=-1 TM= 0 0 ||| -1
"""


def test_moses(write: Write, both: ListReader) -> None:
    write("h.txt", MOSES)
    assert rows(both("h.txt", references="x\ny\n"), "score", "LM0", "TM_1", "TM_2") == [
        ("1", 1, "the cat", -6.5, -3.0, -1.0, -2.0),
        ("1", 2, "cat", -7.5, -4.0, -1.0, -2.5),
        ("2", 1, "sat", -1.0, -1.0, 0.0, 0.0),
    ]
    assert rows(both("h.txt", references="utt,text\n1,y\n0,x\n"))[0] == ("1", 1, "sat")
    write("h.txt", "0 ||| x ||| lm: -3 d: 0 1 ||| -6\n1 ||| y ||| lm: 2 d: 0 0 ||| 1\n")
    assert rows(both("h.txt", references="x\ny\n"), "d_2")[0] == ("1", 1, "x", 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (MOSES.replace("1 ||| sat", "2 ||| sat"), "the ids are not 0, 1, 2"),
        (MOSES + "0 ||| cat ||| LM0= 1 ||| 3\n", r"h.txt:4: .*do not follow each other"),
        (MOSES * 2 + "x\n", r"h.txt:4: .*do not follow"),
        (MOSES + "2 ||| x ||| LM0= a ||| 3\n", r"h.txt:4: LM0 is not a finite number: 'a'"),
        (MOSES + "2 ||| x ||| LM0= 1 ||| nan\n", r"h.txt:4: the total is not a finite number"),
        (MOSES + "2 ||| x ||| LM0= 1 LM0= 2 ||| 1\n", r"h.txt:4: duplicate feature 'LM0'"),
        (MOSES + "2 ||| x ||| 5 ||| 1\n", r"h.txt:4: '5' before a name"),
        (MOSES + "2 ||| x\n", r"h.txt:4: 2 fields, not four"),
        (MOSES + "2 ||| x ||| ||| 1 ||| 3 ||| y\n", r"h.txt:4: a field after the total"),
        (MOSES + "2 ||| x ||| LM0= 1 ||| 1\n", "2 utterances and .* has 3"),
    ],
)
def test_moses_that_is_refused(content: str, message: str, write: Write, both: ListReader) -> None:
    write("h.txt", content)
    with pytest.raises(MiswordError, match=message):
        both("h.txt", references="x\ny\n")
