"""Lexicon files: formats, duplicate pairs, columns, errors."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import InputError, MiswordError, OptionError
from misword.io.lexicon_writing import write_lexicon
from misword.io.lexicons import Lexicon, is_header, read_lexicon

Write = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path) -> Write:
    """Write a file and give its path."""

    def write(text: str | bytes, name: str = "gold.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def pairs(lexicon: Lexicon) -> list[tuple[str, str]]:
    """Both sides together."""
    return list(zip(lexicon.source, lexicon.target, strict=True))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("dog chien\ncat chat\n", "gold.txt"),
        ("dog\tchien\ncat\tchat", "gold.txt"),
        ("dog\tchien\r\ncat\tchat\r\n", "gold.tsv"),
        ("dog,chien\ncat,chat\n", "gold.csv"),
        ("source,target\ndog,chien\ncat,chat\n", "gold.csv"),
        ("target\tpos\tsource\nchien\tN\tdog\nchat\tN\tcat\n", "gold.tsv"),
        ("en,fr,freq\ndog,chien,12\ncat,chat,7\n", "gold.csv"),
        ('{"source": "dog", "target": "chien"}\n{"source": "cat", "target": "chat"}\n', "g.jsonl"),
        ('{"source": "dog", "target": "chien"}\n{"source": "cat", "target": "chat"}\n', "gold"),
        ("\ufeffdog chien\ncat  chat\n", "gold.txt"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_every_way_to_write_two_pairs(file: Write, text: str, name: str) -> None:
    """The same pairs, and therefore the same digest."""
    read = read_lexicon(file(text, name))
    assert pairs(read) == [("dog", "chien"), ("cat", "chat")]
    assert read.digest == Lexicon.of([("dog", "chien"), ("cat", "chat")]).digest


def test_compressed_and_from_stdin(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compressed files and standard input are read as for every other input."""
    packed = file(gzip.compress(b"dog\tchien\n"), "gold.tsv.gz")
    assert pairs(read_lexicon(packed)) == [("dog", "chien")]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"dog chien\n")))
    assert pairs(read_lexicon("-")) == [("dog", "chien")]


def test_phrases_stay_whole_between_tabs(file: Write) -> None:
    """If a line has a tab, tabs separate the words."""
    read = read_lexicon(file("ellu jääma\tprežiť\nkohal\tnado\t\npřenést\t\treniesť\n"))
    expected = [("ellu jääma", "prežiť"), ("kohal", "nado"), ("přenést", "reniesť")]
    assert pairs(read) == expected
    assert read.lines == (1, 2, 3)


def test_quotes_are_letters_between_tabs(file: Write) -> None:
    """As in the Czech-Slovak seed lexicon, whose first pair is a quote and a quote."""
    assert pairs(read_lexicon(file('"\t"\n#\t#\n'))) == [('"', '"'), ("#", "#")]


def test_duplicate_pairs_count_once_and_are_counted(file: Write) -> None:
    """The first is kept; a headword with several translations is no duplicate pair."""
    read = read_lexicon(file("dog chien\ndog chienne\ndog chien\n\ncat chat\n"))
    assert pairs(read) == [("dog", "chien"), ("dog", "chienne"), ("cat", "chat")]
    assert read.lines == (1, 2, 5)
    assert read.headwords == {"dog": (0, 1), "cat": (2,)}
    assert any("1 duplicate pair" in note for note in read.notes)
    assert any("1 blank line" in note for note in read.notes)


def test_case_is_kept_unless_asked(file: Write) -> None:
    """Upper-case dictionaries meet lower-case vectors by option; duplicates are then counted."""
    path = file("Dog Hund\ndog hund\nCAT Katze\n")
    assert len(read_lexicon(path)) == 3
    lower = read_lexicon(path, lower=True)
    assert pairs(lower) == [("dog", "hund"), ("cat", "katze")]
    assert any("1 duplicate pair" in note for note in lower.notes)


def test_further_columns_belong_to_the_pairs(file: Write) -> None:
    """Named by the header; without one by their place; of duplicate pairs, the first's."""
    read = read_lexicon(file("en,fr,n\ndog,chien,3\ndog,chien,4\ncat,chat,\n", "gold.csv"))
    assert read.columns == {"n": ("3", "")}
    plain = read_lexicon(file("dog\tchien\tN\ncat\tchat\tN\n"))
    assert plain.columns == {"column_3": ("N", "N")}


def test_columns_can_be_named(file: Write) -> None:
    """In any order, with or without usual names."""
    path = file("id,de,en\n1,Hund,dog\n2,Katze,cat\n", "gold.csv")
    read = read_lexicon(path, columns=["en", "de"])
    assert pairs(read) == [("dog", "Hund"), ("cat", "Katze")]
    assert read.columns == {"id": ("1", "2")}
    with pytest.raises(InputError, match="no column 'fr'; it has: id, de, en"):
        read_lexicon(path, columns=["en", "fr"])
    with pytest.raises(OptionError, match="1 column named, not two"):
        read_lexicon(path, columns=["en"])
    with pytest.raises(InputError, match="one column of words"):
        read_lexicon(path, columns=["en", "en"])


def test_a_missing_translation_in_a_table_is_noted(file: Write) -> None:
    """Denisová's Czech-Slovak table has one; the pair counts, and nothing can find it."""
    read = read_lexicon(file("cs,sk,n\npes,pes,3\npřenést,,4\n", "gold.csv"))
    assert pairs(read) == [("pes", "pes"), ("přenést", "")]
    assert any("1 word" in note and "without a translation" in note for note in read.notes)


@pytest.mark.parametrize(
    ("text", "name", "what"),
    [
        ("dog chien\ncat\n", "gold.txt", r"gold.txt:2: one word, not two: 'cat'"),
        ("dog\tchien\ncat chat\n", "gold.txt", r":2: one word, not two: 'cat chat'"),
        ("dog chien\nice cream glace\n", "gold.txt", r":2: 3 words between spaces"),
        ("dog,chien\n,chat\n", "gold.csv", r":2: one word, not two: 'chat'"),
        ("", "gold.txt", "the file is empty"),
        ("\n\n", "gold.txt", "no pairs in it"),
        ("source,target\n", "gold.csv", "no pairs in it"),
        (b"dog chien\ncaf\xe9 caf\xe9\n", "gold.txt", r"gold.txt:2: invalid UTF-8"),
        ("en,fr,n\ndog,chien,3\ncat,chat\n", "gold.csv", "2 fields, where the header has 3"),
        ('{"source": "dog"}\n', "gold.jsonl", "one column of words: source"),
        ("a,b,n\nx,y,1\na,a,2\n,z,3\n", "gold.csv", r":4: one word, not two"),
    ],
)
def test_what_is_no_lexicon_is_refused(
    file: Write, text: str | bytes, name: str, what: str
) -> None:
    """The error has the line and a fix."""
    with pytest.raises(InputError, match=what):
        read_lexicon(file(text, name))


def test_formats_can_be_forced(file: Write) -> None:
    """Semicolons, quoted fields between tabs; transcripts' own formats are none of lexicons."""
    read = read_lexicon(file("dog;chien\n"), input_format="csv:delimiter=;")
    assert pairs(read) == [("dog", "chien")]
    assert pairs(read_lexicon(file('"ice\tcream"\tglace\n'), input_format="tsv")) == [
        ("ice\tcream", "glace")
    ]
    with pytest.raises(OptionError, match="stm is no format of lexicons"):
        read_lexicon(file("dog chien\n"), input_format="stm")


def test_a_header_is_no_guess_about_words() -> None:
    """Words that may be names of columns are words, unless they stand as a header does."""
    assert not is_header([["source", "source"], ["dog", "chien"]])
    assert not is_header([["word", "mot"], ["dog", "chien"]])
    assert not is_header([["en", "fr"], ["dog", "chien"]])
    assert is_header([["word", "translation"], ["dog", "chien"]])
    assert is_header([["en", "fr", "rank"], ["dog", "chien", "1"], ["cat", "chat", ""]])
    assert not is_header([["dog", "chien", "2"], ["cat", "chat", "1"]])
    assert not is_header([["dog", "chien", "N"], ["cat", "chat", "N"]])


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=6)


@pytest.mark.slow
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20))
def test_written_lexicons_are_read_again(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, str]]
) -> None:
    """Any words, each pair once, in their order."""
    path = tmp_path_factory.mktemp("lexicon") / "draft.tsv"
    write_lexicon([("source", "target"), *made], path)
    assert pairs(read_lexicon(path)) == list(dict.fromkeys(made))
    assert Lexicon.of(made).digest == read_lexicon(path).digest


PIECES = st.sampled_from(
    ["dog", "chien", "\t", " ", ",", '"', "\n", "\r\n", "source", "target", "1", "{", "}", ":",
     "é", "\ufeff", "\u00a0", "\u2028", "\x00", "PAR1", ";", '{"source": "a", "target": "b"}']
)  # fmt: skip


@pytest.mark.slow
@given(
    st.lists(PIECES, max_size=25).map("".join).map(str.encode) | st.binary(max_size=60),
    st.sampled_from(["x.txt", "x.tsv", "x.csv", "x.jsonl", "x.parquet", "x"]),
    st.booleans(),
)
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str, lower: bool
) -> None:
    """A lexicon of whole pairs, or an error that a user can act on; never anything else."""
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(content)
    read, refused = None, None
    try:
        read = read_lexicon(path, lower=lower)
    except MiswordError as error:
        refused = error
    if read is None:
        assert refused is not None
        assert refused.where
        assert refused.fix
        return
    assert len(read) == len(set(pairs(read))) == len(read.lines)
    assert all(source for source in read.source)
    assert all(len(column) == len(read) for column in read.columns.values())


def test_nothing_half_written(tmp_path: Path) -> None:
    """A word that cannot be written leaves the older file unchanged and no other file."""
    path = tmp_path / "draft.tsv"
    path.write_text("old\n")
    with pytest.raises(InputError, match="a tab or a line end inside a word"):
        write_lexicon([("source", "target"), ("a\tb", "c")], path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["draft.tsv"]
    assert path.read_text() == "old\n"


# Pairs and headwords of every dictionary beside the project, duplicate pairs counted once.
SIZES = {
    "de-en.0-5000.txt": (10866, 5000),
    "de-en.5000-6500.txt": (2827, 1500),
    "en-de.0-5000.txt": (14677, 5000),
    "en-de.5000-6500.txt": (3660, 1500),
    "en-fr.0-5000.txt": (10872, 5000),
    "en-fr.5000-6500.txt": (2943, 1500),
    "fr-en.0-5000.txt": (8270, 5000),
    "fr-en.5000-6500.txt": (2342, 1500),
    "concept-fasttext/en-es.dict.txt": (766, 764),
    "concept-fasttext/en-et.dict.txt": (769, 766),
    "concept-fasttext/en-fr.dict.txt": (754, 752),
    "lexicographic/CS_SK_EVAL+TRAIN/cs-sk.0-5000.txt": (4811, 4811),
    "lexicographic/CS_SK_EVAL+TRAIN/SketchEngine_Train/cs-sk.0-5000.txt": (4935, 4935),
    "lexicographic/ET_SK_EVAL+TRAIN/ET-SK_EVAL_DF.csv": (1289, 1120),
    "lexicographic/ET_SK_EVAL+TRAIN/et-sk.0-5000.txt": (4070, 3013),
    "lexicographic/ET_SK_EVAL+TRAIN/et-sk.5000-6500.txt": (1888, 1035),
    "lost-in-evaluation/de-en.5000-6500.n.txt": (1326, 701),
    "lost-in-evaluation/en-bg.5000-6500.pn.txt": (448, 385),
    "pseudo/test.txt": (1500, 1500),
    "pseudo/train.txt": (5000, 5000),
    "xling/en-de/yacle.test.freq.2k.en-de.tsv": (2000, 2000),
    "xling/en-fr/yacle.train.freq.5k.fr-en.tsv": (5000, 4363),
}


@pytest.mark.parametrize("name", SIZES)
def test_dictionaries_of_others_are_read_as_they_are(shared: Path, name: str) -> None:
    """MUSE, VecMap's kind, XLing, Denisová, Kementchedjhieva."""
    read = read_lexicon(shared / "bli" / name)
    assert (len(read), len(read.headwords)) == SIZES[name]


def test_frequencies_come_along(shared: Path) -> None:
    """The tables with a header keep their columns."""
    path = shared / "bli" / "lexicographic" / "ET_SK_EVAL+TRAIN" / "ET-SK_EVAL_DF.csv"
    read = read_lexicon(path)
    assert pairs(read)[0] == ("aadress", "adresa")
    assert read.columns["et_pos_tag"][0] == "S"
    assert len(read.columns) == 14


def test_one_line_with_very_many_fields_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("misword.io.lexicons.SPARSE_CELLS", 10_000)
    path = tmp_path / "lexicon.txt"
    path.write_text("dog\tchien\n" * 200 + "cat" + "\tchat" * 500 + "\n")
    with pytest.raises(InputError, match="501 fields in one line"):
        read_lexicon(path)
