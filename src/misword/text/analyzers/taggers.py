"""Analyzers with lemmas and tags (HanTa, Vabamorf, pymorphy3), and their tags as universal tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from misword.core.context import Context
from misword.core.parts import Requirement, Settings, version_of
from misword.text.analyzers import (
    Analysis,
    Analyzer,
    Token,
    WordAnalysis,
    analyse_by_utterance,
    analyse_by_word,
    words,
)

# The tag sets of the taggers, as universal part-of-speech tags.
#
# Known problems: some tag sets have one tag for two universal tags (auxiliary and full verb,
# coordinating and subordinating conjunction). The comment of each table says which tag is then
# used.
#
# Reference: https://universaldependencies.org/u/pos and /tagset-conversion

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


MODELS = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}


@dataclass(frozen=True, slots=True)
class Hanta(Analyzer):
    """Lemmas and tags in context from a hidden Markov model over morphemes; German, English, Dutch.

    The Hanover Tagger analyses unknown words by their morphemes, which helps with German compounds,
    and recognises German nouns in lower case. The lemma of a German noun has a capital, so
    `menschen` and `Menschen` have the same lemma. The detailed tag is the model's own tag (STTS for
    German, C5 for English, CGN for Dutch).

    Known problems: a white-space word is one token including its punctuation, so remove punctuation
    first (`--normalize nopunct`); German detailed tags have no number or case. The model is a
    Python pickle inside the package, so loading it means trusting the package.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang de`
    Reference: Wartena 2019, A probabilistic morphology model for German lemmatization, KONVENS
    """

    name: ClassVar[str] = "hanta"
    title: ClassVar[str] = "HanTa"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(MODELS)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """HanTa, which contains all three models."""
        return Requirement(("HanTa",), "pip install 'misword[hanta]'", "LGPL-3.0+")

    def settings(self, context: Context) -> Settings:
        """Version of HanTa, and the language."""
        return (("analyzer", f"hanta-{version_of('HanTa')}/{self.lang}"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Tag each utterance as one sentence."""
        return analyse_by_utterance(utterances, self._tokens, self.gives)

    def _tokens(self, utterance: str) -> list[Token]:
        located = words(utterance)
        if not located:
            return []
        tagged = load_hanta(self.lang).tag_sent([word for _, word in located], casesensitive=False)
        return [
            Token(start, lemma or word, of_hanta(tag, self.lang), tag)
            for (start, word), (_, lemma, tag) in zip(located, tagged, strict=True)
        ]


@cache
def load_hanta(lang: str) -> Any:
    """Return the tagger of a language, loaded once per process."""
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger(MODELS[lang])


@dataclass(frozen=True, slots=True)
class Estnltk(Analyzer):
    """Estonian lemmas and tags in context from Vabamorf, the morphological analyzer in EstNLTK.

    If a word has several analyses after disambiguation, the first is used. The detailed tag is
    Vabamorf's part of speech with the form; a space in the form is written `_` (`S|sg_abl`).

    Known problems: a white-space word is one token; names in lower case are tagged as common nouns;
    auxiliaries are tagged VERB, not AUX.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang et`
    Reference: Laur et al. 2020, EstNLTK 1.6, LREC; https://github.com/Filosoft/vabamorf
    """

    name: ClassVar[str] = "estnltk"
    title: ClassVar[str] = "EstNLTK"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = ("et",)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """EstNLTK, which contains the dictionary."""
        return Requirement(("estnltk",), "pip install 'misword[estnltk]'", "Apache-2.0 or GPL-2.0")

    def settings(self, context: Context) -> Settings:
        """Version of EstNLTK."""
        return (("analyzer", f"estnltk-{version_of('estnltk')}/vabamorf"),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Analyse each utterance as one sentence."""
        return analyse_by_utterance(utterances, vabamorf_tokens, self.gives)


def vabamorf_tokens(utterance: str) -> list[Token]:
    """Return the words of an utterance as tokens, each with its first analysis."""
    located = words(utterance)
    if not located:
        return []
    results = load_vabamorf().analyze([word for _, word in located])
    tokens = []
    for (start, word), result in zip(located, results, strict=True):
        analysis = result["analysis"][0] if result["analysis"] else {}
        lemma, tag = analysis.get("lemma") or word.lower(), analysis.get("partofspeech", "Y")
        form = analysis.get("form", "").strip().replace(" ", "_")
        tokens.append(
            Token(start, lemma, of_vabamorf(tag, lemma), f"{tag}|{form}" if form else tag)
        )
    return tokens


@cache
def load_vabamorf() -> Any:
    """Return Vabamorf with its dictionary, loaded once per process."""
    from estnltk.vabamorf.morf import Vabamorf

    return Vabamorf.instance()


DICTIONARIES = {"ru": "pymorphy3-dicts-ru", "uk": "pymorphy3-dicts-uk"}
# Grammemes of names, archaic words, informal words and slang.
RARE = PROPER | {"Arch", "Infr", "Slng", "Vulg"}


@dataclass(frozen=True, slots=True)
class Pymorphy3(Analyzer):
    """Russian and Ukrainian lemmas and tags: each word's most frequent reading in a dictionary.

    Words that are not in the dictionary are analysed by their endings. The detailed tag has all
    grammemes, e.g. `NOUN,anim,masc,plur,nomn`.

    Known problems: the context is ignored, so a homograph such as `все` always has the same lemma;
    a white-space word is one token; the lemma of a participle is its verb; the Ukrainian dictionary
    has no frequencies, so a rare reading may be chosen.

    Example: `misword score ref.txt hyp.txt --metrics ler,uposer --lang ru`
    Reference: Korobov 2015, Morphological analyzer and generator for Russian and Ukrainian
    """

    name: ClassVar[str] = "pymorphy3"
    title: ClassVar[str] = "pymorphy3"
    gives: ClassVar[frozenset[str]] = frozenset({"lemma", "tag", "detail"})
    LANGUAGES: ClassVar[tuple[str, ...]] = tuple(DICTIONARIES)

    @classmethod
    def requirement(cls, lang: str) -> Requirement:
        """pymorphy3 and the dictionary of the language."""
        if lang == "uk":
            modules = ("pymorphy3", "pymorphy3_dicts_uk")
            return Requirement(
                modules, "pip install 'misword[pymorphy3]' pymorphy3-dicts-uk", "GPL-3.0"
            )
        return Requirement(
            ("pymorphy3", "pymorphy3_dicts_ru"), "pip install 'misword[pymorphy3]'", "MIT"
        )

    def settings(self, context: Context) -> Settings:
        """Versions of pymorphy3 and of the dictionary."""
        dictionary = DICTIONARIES[self.lang]
        versions = f"pymorphy3-{version_of('pymorphy3')}/{dictionary}-{version_of(dictionary)}"
        return (("analyzer", versions),)

    def analyse(self, utterances: Sequence[str]) -> Analysis:
        """Look up each distinct word once."""
        analyzer = load_pymorphy(self.lang)

        def analyse(word: str) -> WordAnalysis:
            best = min(analyzer.parse(word), key=rank)
            tag = str(best.tag)
            return best.normal_form, of_opencorpora(tag), tag.replace(" ", ",")

        return analyse_by_word(utterances, analyse, self.gives)


def rank(reading: Any) -> tuple[float, bool]:
    """Return a sort key: likely readings first; of equally likely ones, names and slang last.

    All readings of a Ukrainian word are equally likely.
    """
    return -reading.score, not RARE.isdisjoint(reading.tag.grammemes)


@cache
def load_pymorphy(lang: str) -> Any:
    """Return the analyzer of a language with its dictionary, loaded once per process."""
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang=lang)
