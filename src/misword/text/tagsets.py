"""Conversion of the tag sets of taggers to universal part-of-speech tags.

Known problems: some tag sets have one tag for two universal tags (auxiliary and full verb,
coordinating and subordinating conjunction). The comment of each table says which tag is then used.

Reference: https://universaldependencies.org/u/pos and /tagset-conversion
"""

from __future__ import annotations

UNKNOWN = "X"


def _table(text: str) -> dict[str, str]:
    """Return the universal tag of each tag; a line has a universal tag and the tags it covers."""
    rows = (line.split() for line in text.strip().splitlines())
    return {tag: universal for universal, *tags in rows for tag in tags}


# German: Stuttgart-Tübingen tag set, in HanTa's spelling.
STTS = _table("""
ADJ ADJ(A) ADJ(D)
ADP APPO APPR APPRART APZR
ADV ADV PROAV PWAV PTKA
AUX VA(FIN) VA(IMP) VA(INF) VA(PP) VM(FIN) VM(INF) VM(PP)
CCONJ KOKOM KON
DET ART PDAT PIAT PPOSAT PRELAT PWAT
INTJ ITJ PTKANT
NOUN NN NNA NNI TRUNC
NUM CARD
PART PTKNEG PTKZU
ADP PTKVZ
PRON PDS PIS PPER PPOSS PRELS PRF PWS
PROPN NE
PUNCT $( $, $.
SCONJ KOUI KOUS
VERB VV(FIN) VV(IMP) VV(INF) VV(IZU) VV(PP)
X FM XY
""")

# English: C5, the tag set of the British National Corpus. All forms of be, do and have are AUX.
C5 = _table("""
ADJ AJ0 AJC AJS ORD
ADP PRF PRP AVP
ADV AV0 AVQ
AUX VBB VBD VBG VBI VBN VBZ VDB VDD VDG VDI VDN VDZ VHB VHD VHG VHI VHN VHZ VM0
CCONJ CJC
DET AT0 DPS DT0 DTQ
INTJ ITJ
NOUN NN NN0 NN1 NN2
NUM CRD
PART POS TO0 XX0
PRON EX0 PNI PNP PNQ
PROPN NP0
PUNCT PUL PUN PUQ PUR
SCONJ CJS CJT
VERB VVB VVD VVG VVI VVN VVZ
X UNC ZZ0
""")

# Dutch: tag set of the Corpus Gesproken Nederlands, without features or with the first feature.
CGN = _table("""
ADJ ADJ
ADP VZ
ADV BW
CCONJ VG VG(neven
DET LID
INTJ TSW
NOUN N N(soort
NUM TW
PRON VNW
PROPN N(eigen
PUNCT LET
SCONJ VG(onder
VERB WW
X SPEC
""")

# Estonian: Vabamorf. All verbs are VERB, since auxiliaries have no tag of their own.
VABAMORF = _table("""
ADJ A C G O U
ADP K
ADV D X
CCONJ J
INTJ I
NOUN S
NUM N
PRON P
PROPN H
PUNCT Z
VERB V
X Y
""")
ESTONIAN_SUBORDINATORS = frozenset(
    {"et", "kui", "kuigi", "kuna", "nagu", "sest", "ehkki", "justkui"}
)

# Russian and Ukrainian: OpenCorpora, by part of speech. `of_opencorpora` finds PROPN and DET.
OPENCORPORA = _table("""
ADJ ADJF ADJS COMP
ADP PREP
ADV ADVB PRED
CCONJ CONJ
INTJ INTJ
NOUN NOUN
NUM NUMR NUMB ROMN
PART PRCL
PRON NPRO
PUNCT PNCT
VERB VERB INFN PRTF PRTS GRND
X LATN UNKN
""")
PROPER = frozenset({"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"})


def of_hanta(tag: str, lang: str) -> str:
    """Return the universal tag of a tag of HanTa.

    >>> of_hanta("VM(FIN)", "de"), of_hanta("N(eigen,ev,basis)", "nl"), of_hanta("NN2", "en")
    ('AUX', 'PROPN', 'NOUN')
    """
    if lang == "nl":
        head = tag.partition("(")[0]
        return CGN.get(tag.partition(",")[0].rstrip(")"), CGN.get(head, UNKNOWN))
    return (STTS if lang == "de" else C5).get(tag, UNKNOWN)


def of_vabamorf(tag: str, lemma: str) -> str:
    """Return the universal tag of a tag of Vabamorf; some conjunctions need the lemma.

    >>> of_vabamorf("S", "inimene"), of_vabamorf("J", "et")
    ('NOUN', 'SCONJ')
    """
    if tag == "J" and lemma in ESTONIAN_SUBORDINATORS:
        return "SCONJ"
    return VABAMORF.get(tag, UNKNOWN)


def of_opencorpora(tag: str) -> str:
    """Return the universal tag of a tag of OpenCorpora.

    >>> of_opencorpora("NOUN,inan,femn,Sgtm,Geox sing,loct"), of_opencorpora("ADJF,Apro plur,nomn")
    ('PROPN', 'DET')
    """
    grammemes = tag.replace(" ", ",").split(",")
    if grammemes[0] == "NOUN" and not PROPER.isdisjoint(grammemes):
        return "PROPN"
    if grammemes[0] == "ADJF" and "Apro" in grammemes:
        return "DET"
    return OPENCORPORA.get(grammemes[0], UNKNOWN)
