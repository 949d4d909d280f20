"""Small dictionaries of each format, written for tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" version="5.0">
<teiHeader><fileDesc><titleStmt><title>test</title></titleStmt></fileDesc></teiHeader>
<text><body>
{entries}
</body></text>
</TEI>
"""
BANK = """<entry xml:id="bank.1">
  <form><orth>bank</orth><pron>bæŋk</pron><form type="infl"><orth>banks</orth></form></form>
  <gramGrp><pos>n</pos></gramGrp>
  <sense n="1"><usg type="dom">river</usg><cit type="trans" xml:lang="fr"><quote>rive</quote></cit>
    <cit type="example"><quote>bank</quote><cit type="trans"><quote>bord</quote></cit></cit>
  </sense>
  <sense n="2"><cit type="trans"><quote>banque</quote></cit>
    <cit type="trans" xml:lang="de"><quote>Bank</quote></cit></sense>
</entry>"""
CAT = """<entry><form><orth>cat</orth></form>
<sense><cit type="trans"><quote>chat &amp; minou</quote></cit></sense></entry>"""
DIX = """<?xml version="1.0" encoding="UTF-8"?>
<dictionary>
  <alphabet/>
  <sdefs><sdef n="n"/><sdef n="np"/></sdefs>
  <pardefs><pardef n="m_f"><e><p><l>x<s n="m"/></l><r>y<s n="f"/></r></p></e></pardef></pardefs>
  <section id="main" type="standard">
{entries}
  </section>
</dictionary>
"""
DIX_ENTRIES = """\
<e><p><l>dog<s n="n"/></l><r>perro<s n="n"/><s n="m"/></r></p></e>
<e r="LR"><p><l>hound<s n="n"/></l><r>perro<s n="n"/></r></p></e>
<e r="RL"><p><l>dog<s n="n"/></l><r>can<s n="n"/></r></p></e>
<e><p><l>take<g><b/>out</g><s n="vblex"/></l><r>sacar<s n="vblex"/></r></p><par n="m_f"/></e>
<e><i>Lima<s n="np"/></i><par n="m_f"/></e>
<e i="yes"><p><l>no</l><r>no</r></p></e>
<e><re>[0-9]+</re><p><l><s n="num"/></l><r><s n="num"/></r></p></e>"""
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def write_tei(path: Path, *entries: str) -> Path:
    """A TEI file; without entries, those of `bank` and `cat`."""
    path.write_text(TEI.format(entries="\n".join(entries or (BANK, CAT))), "utf-8")
    return path


def write_dix(path: Path, entries: str) -> Path:
    """A bilingual dictionary of apertium."""
    path.write_text(DIX.format(entries=entries), "utf-8")
    return path


def write_dictd(path: Path, articles: Mapping[str, str]) -> Path:
    """An index and its compressed text; returns the path of the index."""
    text, index = b"", []
    about = {"00databaseinfo": "00-database-info\nA test dictionary\n"}
    for word, article in {**about, **articles}.items():
        data = article.encode()
        index.append(f"{word}\t{base64_number(len(text))}\t{base64_number(len(data))}\n")
        text += data
    path.with_suffix(".dict.dz").write_bytes(gzip.compress(text))
    path.with_suffix(".index").write_text("".join(index), "utf-8")
    return path.with_suffix(".index")


def base64_number(value: int) -> str:
    """A number of the index of dictd."""
    text = BASE64[value % 64]
    while value := value // 64:
        text = BASE64[value % 64] + text
    return text


def write_stardict(
    path: Path, articles: Sequence[tuple[str, bytes]], types: str = "m", wide: bool = False
) -> Path:
    """The three files of a StarDict dictionary; returns the path of the facts."""
    text, index = b"", b""
    for word, data in articles:
        start = len(text).to_bytes(8 if wide else 4)
        index += word.encode() + b"\0" + start + len(data).to_bytes(4)
        text += data
    facts = [
        "StarDict's dict ifo file",
        "version=3.0.0" if wide else "version=2.4.2",
        f"wordcount={len(articles)}",
        f"idxfilesize={len(index)}",
        "bookname=test",
        *([f"sametypesequence={types}"] if types else []),
        *(["idxoffsetbits=64"] if wide else []),
    ]
    path.with_suffix(".ifo").write_text("\n".join(facts) + "\n", "utf-8")
    path.with_suffix(".idx").write_bytes(index)
    path.with_suffix(".dict.dz").write_bytes(gzip.compress(text))
    return path.with_suffix(".ifo")


def write_wiktextract(path: Path, *records: object) -> Path:
    """JSON lines."""
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    return path


# A Czech-Slovak dictionary: headword, part of speech, translations of each sense.
LESSON = """
pes n pes
kočka n mačka
dům n dom
kolo n koleso|bicykel
kniha n kniha
jablko n jablko
jít v ísť
běžet v bežať
psát v písať
rychlý adj rýchly
malý adj malý
on pron on
Praha np Praha
vysoká_škola n univerzita
"""


def write_gold_lesson(folder: Path) -> None:
    """The Czech-Slovak dictionary and the words of both languages with vectors, for docs."""
    folder.mkdir()
    entries: list[str] = []
    words: tuple[list[str], list[str]] = ([], [])
    for line in LESSON.strip().splitlines():
        word, pos, translations = line.replace("_", " ").rsplit(" ", 2)
        senses = translations.split("|")
        quoted = (f'<cit type="trans"><quote>{sense}</quote></cit>' for sense in senses)
        body = "".join(f"<sense>{quote}</sense>" for quote in quoted)
        grammar = f"<gramGrp><pos>{pos}</pos></gramGrp>"
        entries.append(f"<entry><form><orth>{word}</orth></form>{grammar}{body}</entry>")
        words[0].append(word)
        words[1].extend(senses)
    write_tei(folder / "cs-sk.tei", *entries)
    for lang, listed in zip(("cs", "sk"), words, strict=True):
        known = [word for word in listed if " " not in word and word != "jablko"]
        lines = [f"{word} {number} 1" for number, word in enumerate(known)]
        text = "\n".join([f"{len(known)} 2", *lines]) + "\n"
        (folder / f"{lang}.vec").write_text(text, "utf-8")
