"""Other programs read what is written: rdflib, PyGlossary, and RelaxNG by libxml2."""

from __future__ import annotations

from pathlib import Path

import pytest

from entries_made import HOSTILE, entry_of
from extras import needs
from misword.io.dictionaries.entries import Entry, Equivalent, Example, Sense
from misword.io.dictionaries.writing import write_dictionary

MADE = [entry_of(HOSTILE, number) for number in range(len(HOSTILE))]
BANK = Entry(
    "bank",
    (
        Sense(1, (Equivalent("banque", "NOUN", 0.9), Equivalent("caisse")), "money"),
        Sense(2, (Equivalent("rive"),), "", (Example("The bank of the river.", "La rive."),)),
    ),
    "NOUN",
    ("banks",),
)
WORD = "http://www.w3.org/ns/lemon/ontolex#"


@pytest.fixture(params=["bank", "hostile"])
def entries(request: pytest.FixtureRequest) -> list[Entry]:
    return [BANK] if request.param == "bank" else MADE


@needs("pyoxigraph")
@needs("rdflib")
def test_rdflib_reads_the_entries(entries: list[Entry], tmp_path: Path) -> None:
    from rdflib import Graph, URIRef

    write_dictionary(entries, tmp_path / "d.ttl", ("en", "fr"))
    graph = Graph().parse(tmp_path / "d.ttl", format="turtle")
    lexicon = graph.subject_objects(URIRef("http://www.w3.org/ns/lemon/lime#entry"))
    assert len(list(lexicon)) == len(entries)
    links = list(graph.subjects(None, URIRef("http://www.w3.org/ns/lemon/vartrans#Translation")))
    assert len(links) == sum(len(entry.equivalents) for entry in entries)
    if entries == [BANK]:
        found = graph.query(
            f"""
            PREFIX ontolex: <{WORD}> PREFIX vartrans: <http://www.w3.org/ns/lemon/vartrans#>
            SELECT ?word WHERE {{
              ?entry ontolex:canonicalForm/ontolex:writtenRep "bank"@en ; ontolex:sense ?sense .
              ?link vartrans:source ?sense ;
                    vartrans:target/ontolex:isSenseOf/ontolex:canonicalForm/ontolex:writtenRep ?word
            }}"""
        )
        assert {str(next(iter(row))) for row in found if isinstance(row, tuple)} == {
            "banque",
            "caisse",
            "rive",
        }


@needs("pyglossary")
def test_pyglossary_reads_the_articles(entries: list[Entry], tmp_path: Path) -> None:
    from pyglossary.glossary_v2 import Glossary

    write_dictionary(entries, tmp_path / "d.ifo", ("en", "fr"))
    Glossary.init()
    glossary = Glossary()
    assert glossary.directRead(str(tmp_path / "d.ifo"), formatName="Stardict")
    found = {one.l_word[0]: one for one in glossary}
    assert len(found) == len({one.strip() for one in found})
    if entries == [BANK]:
        assert found["bank"].l_word == ["bank", "banks"]
        assert "<li><i>(money)</i> banque, caisse</li>" in found["bank"].defi
    else:
        assert len(found) == len(entries)


GRAMMARS = {
    ".tei": """\
<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="http://www.tei-c.org/ns/1.0"
  datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<start><element name="TEI">
  <element name="teiHeader">
    <element name="fileDesc">
      <element name="titleStmt"><element name="title"><text/></element></element>
      <element name="publicationStmt"><element name="p"><text/></element></element>
      <element name="sourceDesc"><element name="p"><text/></element></element>
    </element>
    <element name="encodingDesc"><element name="appInfo"><element name="application">
      <attribute name="ident"><data type="NCName"/></attribute>
      <attribute name="version"><data type="token">
        <param name="pattern">[\\d]+[a-z]*[\\d]*(\\.[\\d]+[a-z]*[\\d]*){0,3}</param>
      </data></attribute>
      <element name="label"><text/></element>
    </element></element></element>
  </element>
  <element name="text"><ref name="language"/>
    <element name="body"><oneOrMore><ref name="entry"/></oneOrMore></element>
  </element>
</element></start>
<define name="language"><attribute name="xml:lang"><data type="language"/></attribute></define>
<define name="id"><attribute name="xml:id"><data type="ID"/></attribute></define>
<define name="entry"><element name="entry"><ref name="id"/><ref name="language"/>
  <oneOrMore><element name="form">
    <attribute name="type"><choice><value>lemma</value><value>inflected</value></choice></attribute>
    <element name="orth"><text/></element>
  </element></oneOrMore>
  <optional><ref name="gramGrp"/></optional>
  <zeroOrMore><ref name="sense"/></zeroOrMore>
  <zeroOrMore><ref name="note"/></zeroOrMore>
</element></define>
<define name="gramGrp"><element name="gramGrp"><element name="gram">
  <attribute name="type"><value>pos</value></attribute><text/>
</element></element></define>
<define name="note"><element name="note">
  <attribute name="type"><data type="NCName"/></attribute><text/>
</element></define>
<define name="quote"><element name="quote"><text/></element></define>
<define name="sense"><element name="sense"><ref name="id"/><attribute name="n"/>
  <optional><element name="usg">
    <attribute name="type"><choice>
      <value>time</value><value>geographic</value><value>socioCultural</value>
      <value>domain</value><value>frequency</value><value>attitude</value>
      <value>normativity</value><value>meaningType</value><value>textType</value>
      <value>hint</value>
    </choice></attribute><text/>
  </element></optional>
  <zeroOrMore><choice>
    <element name="cit"><attribute name="type"><value>translationEquivalent</value></attribute>
      <ref name="language"/><ref name="quote"/>
      <optional><ref name="gramGrp"/></optional><zeroOrMore><ref name="note"/></zeroOrMore>
    </element>
    <element name="cit"><attribute name="type"><value>example</value></attribute>
      <ref name="quote"/>
      <optional><element name="cit"><attribute name="type"><value>translation</value></attribute>
        <ref name="language"/><ref name="quote"/></element></optional>
      <optional><element name="bibl"><text/></element></optional>
    </element>
  </choice></zeroOrMore>
</element></define>
</grammar>""",
    ".lift": """\
<grammar xmlns="http://relaxng.org/ns/structure/1.0"
  datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
<start><element name="lift">
  <attribute name="version"><value>0.13</value></attribute><attribute name="producer"/>
  <zeroOrMore><element name="entry"><attribute name="id"/><interleave>
    <element name="lexical-unit"><ref name="form"/></element>
    <zeroOrMore><element name="trait"><ref name="value"/></element></zeroOrMore>
    <zeroOrMore><ref name="annotation"/></zeroOrMore>
    <zeroOrMore><element name="variant"><ref name="form"/></element></zeroOrMore>
    <zeroOrMore><ref name="sense"/></zeroOrMore>
    <optional><element name="note"><ref name="form"/></element></optional>
  </interleave></element></zeroOrMore>
</element></start>
<define name="value"><attribute name="name"/><attribute name="value"/></define>
<define name="annotation"><element name="annotation"><ref name="value"/>
  <optional><attribute name="who"/></optional></element></define>
<define name="text"><element name="text"><text/></element></define>
<define name="form"><element name="form">
  <attribute name="lang"/><ref name="text"/></element></define>
<define name="sense"><element name="sense">
  <attribute name="order"><data type="integer"/></attribute><interleave>
    <optional><element name="grammatical-info"><attribute name="value"/></element></optional>
    <zeroOrMore><element name="gloss"><attribute name="lang"/><interleave>
      <ref name="text"/><zeroOrMore><ref name="annotation"/></zeroOrMore>
    </interleave></element></zeroOrMore>
    <optional><element name="definition"><ref name="form"/></element></optional>
    <zeroOrMore><element name="example"><optional><attribute name="source"/></optional>
      <ref name="form"/>
      <optional><element name="translation"><ref name="form"/></element></optional>
    </element></zeroOrMore>
  </interleave></element></define>
</grammar>""",
}


@needs("lxml")
@pytest.mark.parametrize("suffix", GRAMMARS)
def test_markup_is_valid(suffix: str, entries: list[Entry], tmp_path: Path) -> None:
    """The grammars have the elements that are written, as the formats' own schemas have them.

    TEI Lex-0: the schema of DARIAH, 2021-09-19, requires identifiers and languages, and lists the
    types of labels. LIFT: lift-0.13.rng of SIL.
    """
    from lxml import etree

    write_dictionary(entries, tmp_path / f"d{suffix}", ("en", "fr"))
    schema = etree.RelaxNG(etree.fromstring(GRAMMARS[suffix].encode()))
    document = etree.parse(tmp_path / f"d{suffix}")
    assert schema.validate(document), schema.error_log
    broken = etree.fromstring(etree.tostring(document))
    broken[-1].append(etree.Element("other"))
    assert not schema.validate(broken)
