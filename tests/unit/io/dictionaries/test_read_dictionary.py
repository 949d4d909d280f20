"""Dictionaries of each format, worked out by hand; broken files; files of Debian's packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dictionary_files import (
    BANK,
    CAT,
    DIX_ENTRIES,
    write_dictd,
    write_dix,
    write_stardict,
    write_tei,
    write_wiktextract,
)
from misword.core.errors import InputError, OptionError
from misword.io.dictionaries.entries import Dictionary, DictionaryEntry, universal_tag
from misword.io.dictionaries.read import read_dictionary
from misword.io.files.limits import limited

DICTD = Path("/usr/share/dictd")
BANK_ARTICLE = "bank /bæŋk/ <n>\n1. rive <fem, n>, bord (d'eau)\n2. banque\n   Note: money\n"


def rows(dictionary: Dictionary) -> list[tuple[str, str, str, int]]:
    """Source, target, part of speech and sense of each row."""
    columns = (dictionary.source, dictionary.target, dictionary.pos, dictionary.senses)
    return list(zip(*columns, strict=True))


def test_tei_has_senses_parts_of_speech_and_lines(tmp_path: Path) -> None:
    """Inflected forms, examples and translations into another language are not read."""
    read = read_dictionary(write_tei(tmp_path / "d.tei"), "en", "fr")
    assert rows(read) == [
        ("bank", "rive", "NOUN", 1),
        ("bank", "banque", "NOUN", 2),
        ("cat", "chat & minou", "", 1),
    ]
    assert (read.format, read.lines, read.notes) == ("tei", (5, 5, 14), ())
    assert "Bank" in read_dictionary(tmp_path / "d.tei", "en", "de").target


def test_tei_of_older_editions_and_homographs(tmp_path: Path) -> None:
    entry = (
        "<entry><form><orth>run</orth></form><hom><gramGrp><pos>v</pos></gramGrp>"
        "<sense><trans><tr>courir</tr></trans></sense></hom>"
        "<hom><gramGrp><pos>n</pos></gramGrp><sense><trans><tr>course</tr></trans></sense></hom>"
        "</entry>"
    )
    read = read_dictionary(write_tei(tmp_path / "d.tei", entry))
    assert rows(read) == [("run", "courir", "VERB", 1), ("run", "course", "NOUN", 2)]


BROKEN_TEI = [
    (BANK.replace("rive</quote>", "rive"), "mismatched tag"),
    (BANK.replace("</entry>", ""), "within another <entry>"),
    (BANK.replace("rive", "rive & bord"), "not well-formed"),
    ("<entry><form><orth> </orth></form></entry>", "without <orth>"),
    (BANK.replace("rive", "&nosuch;"), "undefined entity"),
]


@pytest.mark.parametrize(("broken", "what"), BROKEN_TEI)
def test_broken_markup_is_an_error_with_its_line(tmp_path: Path, broken: str, what: str) -> None:
    path = write_tei(tmp_path / "d.tei", CAT, broken, CAT.replace("cat", "dog"))
    with pytest.raises(InputError, match=what) as error:
        read_dictionary(path)
    line = int(error.value.where.rpartition(":")[2])
    assert 7 <= line <= 17
    assert "keep-going" in error.value.fix


@pytest.mark.parametrize(("broken", "what"), BROKEN_TEI)
def test_broken_entries_can_be_skipped(tmp_path: Path, broken: str, what: str) -> None:
    """The entries around a broken one are read, and a note counts it."""
    path = write_tei(tmp_path / "d.tei", CAT, broken, CAT.replace("cat", "dog"), CAT)
    read = read_dictionary(path, keep_going=True)
    assert [word for word in read.source if word != "bank"] == ["cat", "dog", "cat"]
    assert read.lines[-1] > read.lines[0]
    assert "1 broken place skipped" in read.notes[0]


def test_entities_of_a_file_are_not_expanded(tmp_path: Path) -> None:
    path = write_tei(tmp_path / "d.tei", CAT.replace("minou", "&a;"))
    declared = '<!DOCTYPE TEI [<!ENTITY a "aaaaaaaaaa">]>\n<TEI '
    path.write_text(path.read_text("utf-8").replace("<TEI ", declared), "utf-8")
    with pytest.raises(InputError, match="declares the entity 'a'"):
        read_dictionary(path)
    with pytest.raises(InputError, match="declares the entity 'a'"):
        read_dictionary(path, keep_going=True)


def test_named_characters_of_an_external_dtd_are_read(tmp_path: Path) -> None:
    path = write_tei(tmp_path / "d.tei", CAT.replace("chat", "ch&acirc;teau &nosuch;"), BANK)
    declared = '<!DOCTYPE TEI SYSTEM "freedict.dtd">\n<TEI '
    path.write_text(path.read_text("utf-8").replace("<TEI ", declared), "utf-8")
    with pytest.raises(InputError, match="&nosuch; is not declared"):
        read_dictionary(path)
    path.write_text(path.read_text("utf-8").replace("&nosuch; ", ""), "utf-8")
    assert read_dictionary(path).target[0] == "château & minou"


def test_other_encodings_are_read_as_declared(tmp_path: Path) -> None:
    path = write_tei(tmp_path / "d.tei", CAT.replace("chat", "château"))
    text = path.read_text("utf-8").replace("UTF-8", "ISO-8859-1")
    path.write_bytes(text.encode("latin-1"))
    assert read_dictionary(path).target == ("château & minou",)


def test_apertium_reads_the_entries_of_one_direction(tmp_path: Path) -> None:
    path = write_dix(tmp_path / "d.dix", DIX_ENTRIES)
    assert rows(read_dictionary(path)) == [
        ("dog", "perro", "NOUN", 1),
        ("hound", "perro", "NOUN", 1),
        ("take out", "sacar", "VERB", 1),
        ("Lima", "Lima", "PROPN", 1),
    ]
    reverse = read_dictionary(path, reverse=True)
    assert set(zip(reverse.source, reverse.target, strict=True)) == {
        ("perro", "dog"),
        ("can", "dog"),
        ("sacar", "take out"),
        ("Lima", "Lima"),
    }


def test_broken_apertium_entries(tmp_path: Path) -> None:
    path = write_dix(tmp_path / "d.dix", DIX_ENTRIES.replace("hound", "hound</x>"))
    with pytest.raises(InputError, match=r"mismatched tag, in <e> of line 8"):
        read_dictionary(path)
    read = read_dictionary(path, keep_going=True)
    assert read.source == ("dog", "take out", "Lima")
    assert "1 broken place skipped (line 8)" in read.notes[0]


def test_a_compiled_dictionary_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"LTTB\0\0\0\0")
    with pytest.raises(InputError, match="compiled dictionary of apertium"):
        read_dictionary(tmp_path / "a.bin")


def test_dictd(tmp_path: Path) -> None:
    """The text may be named, too; an article with several words in the index counts once."""
    index = write_dictd(tmp_path / "d", {"bank": BANK_ARTICLE, "cat": "Cat\nchat, minou\n"})
    again = index.read_text("utf-8").splitlines()[1].replace("bank", "banks")
    index.write_text(f"{index.read_text('utf-8')}{again}\n", "utf-8")
    expected = [
        ("bank", "rive", "NOUN", 1),
        ("bank", "bord", "NOUN", 1),
        ("bank", "banque", "NOUN", 2),
        ("Cat", "chat", "", 1),
        ("Cat", "minou", "", 1),
    ]
    for path in (index, tmp_path / "d.dict.dz", tmp_path):
        read = read_dictionary(path)
        assert (read.format, rows(read)) == ("dictd", expected)


def test_broken_dictd(tmp_path: Path) -> None:
    index = write_dictd(tmp_path / "d", {"bank": BANK_ARTICLE})
    text = index.read_text("utf-8")
    index.write_text(f"{text}cat\t////\tC\n", "utf-8")
    with pytest.raises(InputError, match="'cat' lies beyond the end"):
        read_dictionary(index)
    assert "line 3" in read_dictionary(index, keep_going=True).notes[0]
    (tmp_path / "d.dict.dz").unlink()
    with pytest.raises(InputError, match="is missing beside it"):
        read_dictionary(index)


@pytest.mark.parametrize("wide", [False, True])
def test_stardict_texts(tmp_path: Path, wide: bool) -> None:
    articles = [("bank", BANK_ARTICLE.encode()), ("cat", b"chat; minou")]
    path = write_stardict(tmp_path / "d", articles, wide=wide)
    for named in (path, path.with_suffix(".idx"), tmp_path):
        assert rows(read_dictionary(named)) == [
            ("bank", "rive", "NOUN", 1),
            ("bank", "bord", "NOUN", 1),
            ("bank", "banque", "NOUN", 2),
            ("cat", "chat", "", 1),
            ("cat", "minou", "", 1),
        ]


STARDICT_MARKUP = {
    "x": "<k>bank</k>\n<abr>n.</abr>\n<dtrn>rive</dtrn><ex>on the bank</ex>",
    "h": "<b>bank</b><br><i>(noun)</i><ol><li>rive <small>[water]</small></li></ol>",
    "g": "<b>bank</b>\n<i>n.</i>\nrive",
}


@pytest.mark.parametrize(("kind", "markup"), STARDICT_MARKUP.items())
def test_stardict_markup(tmp_path: Path, kind: str, markup: str) -> None:
    path = write_stardict(tmp_path / "d", [("bank", markup.encode())], kind)
    assert rows(read_dictionary(path)) == [("bank", "rive", "NOUN", 1)]


def test_stardict_fields_of_several_types(tmp_path: Path) -> None:
    """Types of all articles in the facts, or before each field."""
    both = write_stardict(tmp_path / "a", [("cat", "kæt\0chat".encode())], "tm")
    own = b"tk\0" + b"W" + (3).to_bytes(4) + b"\0\1\2" + b"mchat\0"
    each = write_stardict(tmp_path / "b", [("cat", own)], "")
    assert rows(read_dictionary(both)) == rows(read_dictionary(each)) == [("cat", "chat", "", 1)]


def test_broken_stardict(tmp_path: Path) -> None:
    path = write_stardict(tmp_path / "d", [("cat", b"chat"), ("dog", b"\xff"), ("cow", b"vache")])
    with pytest.raises(InputError, match="'dog' is cut off or not UTF-8"):
        read_dictionary(path)
    assert read_dictionary(path, keep_going=True).source == ("cat", "cow")
    index = path.with_suffix(".idx")
    index.write_bytes(index.read_bytes()[:-3])
    with pytest.raises(InputError):
        read_dictionary(path)
    path.write_text("StarDict's dict ifo file\n", "utf-8")
    with pytest.raises(InputError, match="no wordcount"):
        read_dictionary(path)


HOUSE = {
    "word": "house",
    "lang_code": "en",
    "pos": "noun",
    "translations": [
        {"lang_code": "fr", "word": "maison", "sense": "building"},
        {"code": "fr", "word": "demeure", "sense": "building"},
        {"lang_code": "fr", "word": "chambre", "sense": "parliament"},
        {"lang_code": "cs", "word": "dům", "sense": "building"},
        {"lang_code": "fr", "note": "see there"},
    ],
}


def test_wiktextract(tmp_path: Path) -> None:
    path = write_wiktextract(tmp_path / "w.jsonl", HOUSE, {"title": "x", "redirect": "y"})
    assert rows(read_dictionary(path, "eng", "fr")) == [
        ("house", "maison", "NOUN", 1),
        ("house", "demeure", "NOUN", 1),
        ("house", "chambre", "NOUN", 2),
    ]
    reverse = read_dictionary(path, "cs", "en", reverse=True)
    assert rows(reverse) == [("dům", "house", "NOUN", 1)]
    with pytest.raises(OptionError, match="many languages"):
        read_dictionary(path)
    with pytest.raises(InputError, match="it has en-fr 3") as error:
        read_dictionary(path, "fr", "en")
    assert "--reverse" in error.value.fix


def test_broken_wiktextract(tmp_path: Path) -> None:
    path = write_wiktextract(tmp_path / "w.jsonl", HOUSE)
    path.write_text(path.read_text("utf-8") + '{"word": \n', "utf-8")
    with pytest.raises(InputError, match="not JSON") as error:
        read_dictionary(path, "en", "fr")
    assert error.value.where.endswith(":2")
    assert len(read_dictionary(path, "en", "fr", keep_going=True)) == 3


def test_tables(tmp_path: Path) -> None:
    """A pair may occur with two parts of speech; a column `sense` groups translations."""
    plain = tmp_path / "muse.txt"
    plain.write_text("run courir\nrun course\n", "utf-8")
    assert rows(read_dictionary(plain)) == [("run", "courir", "", 1), ("run", "course", "", 2)]
    table = tmp_path / "d.tsv"
    table.write_text(
        "source\ttarget\tsense\tpos\nwalk\tmarche\t1\tn\nwalk\tpromenade\t1\tn\n"
        "walk\tmarche\t2\tv\n",
        "utf-8",
    )
    assert rows(read_dictionary(table)) == [
        ("walk", "marche", "NOUN", 1),
        ("walk", "promenade", "NOUN", 1),
        ("walk", "marche", "VERB", 2),
    ]


def test_what_is_no_dictionary(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html><body>404</body></html>", "utf-8")
    with pytest.raises(InputError, match="markup, but neither TEI"):
        read_dictionary(page)
    with pytest.raises(InputError, match="no entry with a translation"):
        read_dictionary(write_tei(tmp_path / "d.tei", CAT.replace("quote", "q")))
    with pytest.raises(InputError, match="no such file"):
        read_dictionary(tmp_path / "nosuch.tei")
    write_tei(tmp_path / "e.tei")
    with pytest.raises(InputError, match="several dictionaries"):
        read_dictionary(tmp_path)
    with pytest.raises(OptionError, match="unknown dictionary format 'te'"):
        read_dictionary(tmp_path / "d.tei", input_format="te")


def test_limits_hold_for_all_files_of_a_dictionary(tmp_path: Path) -> None:
    """A text that grows when it is decompressed is refused."""
    index = write_dictd(tmp_path / "d", {"a": "a\n" + "b" * 100_000})
    with limited(50_000), pytest.raises(InputError, match="compressed data"):
        read_dictionary(index)


WORDS = st.text("abcé -", min_size=1, max_size=5).filter(lambda word: word == word.strip())


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1))
def test_reversing_keeps_the_pairs(pairs: list[tuple[str, str]]) -> None:
    one = Dictionary.of(DictionaryEntry((a,), ((b,),)) for a, b in pairs)
    turned = one.reversed()
    assert {(b, a) for a, b in pairs} == set(zip(turned.source, turned.target, strict=True))
    assert turned.reversed().digest == one.digest


@pytest.mark.parametrize("text", ["Noun", "n.", "fem, n, sg", "n, pl", "proper noun;n"])
def test_parts_of_speech(text: str) -> None:
    assert universal_tag(text) in ("NOUN", "PROPN")


@pytest.mark.parametrize(
    ("name", "headwords", "pair"),
    [("eng-fra", 8799, ("omen", "augure")), ("eng-ces", 81209, ("abate", "zrušit"))],
)
def test_debian_packages(name: str, headwords: int, pair: tuple[str, str]) -> None:
    """About as many headwords as the dictionary says it has, or as the index has."""
    path = DICTD / f"freedict-{name}.index"
    if not path.is_file():
        pytest.skip(f"needs dict-freedict-{name}")
    read = read_dictionary(path)
    assert abs(len(set(read.source)) - headwords) <= headwords // 100
    assert pair in set(zip(read.source, read.target, strict=True))


def test_an_unknown_encoding_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "d.dix"
    path.write_bytes(b'<?xml version="1.0" encoding="UTF1_000"?><dictionary></dictionary>')
    with pytest.raises(InputError, match="unknown encoding"):
        read_dictionary(path, "en", "fr")
