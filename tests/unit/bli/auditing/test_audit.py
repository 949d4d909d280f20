"""Audits of small lexicons that are made by hand, and of real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import misword
from misword.bli.auditing.result import Audit
from misword.bli.flags import FLAGS
from misword.core.errors import InputError, OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.paradigms import Paradigms, read_paradigms

ENGLISH = ("dog", "house", "water", "tree", "green", "window", "garden", "bread")
GERMAN = ("hund", "haus", "wasser", "baum", "grün", "fenster", "garten", "brot")
USUAL = tuple(zip(ENGLISH, GERMAN, strict=True))


def flagged(name: str, *pairs: tuple[str, str], **options: object) -> dict[tuple[str, str], float]:
    """Return the probabilities of a flag for pairs, which stand among usual ones."""
    found = misword.audit([*USUAL, *pairs], "en", "de", flags=name, **options)  # type: ignore[arg-type]
    return {found.lexicon.pairs[one.pair]: one.probability for one in found.flagged[name]}


def evidence(found: Audit, name: str) -> list[str]:
    return [one.evidence for one in found.flagged[name]]


def vectors(*words: str) -> WordVectors:
    return WordVectors.of(words, [[1.0, float(number)] for number in range(len(words))])


def test_names_are_found_and_left_out() -> None:
    found = misword.audit([*USUAL, ("london", "london"), ("stefan", "stefan")], "en", "de")
    clean = list(found.clean_rows())
    assert clean[0][:3] == ["source", "target", "proper-noun"]
    assert [tuple(row[:2]) for row in clean[1:]] == list(USUAL)
    assert found.left_out == ("proper-noun",)


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("not-a-word", ("24", "24")),
        ("not-a-word", ("www.misword.org", "haus")),
        ("not-a-word", ("dog", "h\ufffdnd")),
        ("not-a-word", ("mp3", "mp3")),
        ("script", ("dog", "собака")),
        ("script", ("dog", "hunд")),
        ("abbreviation", ("e.g.", "z.b.")),
        ("abbreviation", ("vii", "vii")),
        ("abbreviation", ("rpm", "umdrehungen")),
        ("identical", ("computer", "Computer")),
        ("multi-word", ("ice cream", "eis")),
        ("multi-word", ("zoo", "zoologischer_garten")),
    ],
)
def test_flags_of_single_pairs(name: str, pair: tuple[str, str]) -> None:
    found = flagged(name, pair)
    assert list(found) == [pair]
    assert found[pair] >= 0.5


@pytest.mark.parametrize(
    "name", ["not-a-word", "script", "abbreviation", "identical", "multi-word", "case", "duplicate"]
)
def test_usual_pairs_have_no_flag(name: str) -> None:
    assert flagged(name) == {}


def test_duplicate_pairs_name_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "gold.txt"
    file.write_text("dog hund\ncat katze\ndog hund\ndog hund\n", "utf-8")
    found = misword.audit(file, "en", "de", flags="duplicate")
    assert evidence(found, "duplicate") == ["also in lines 3, 4"]
    forms = misword.audit(
        [("cafe", "caf\u00e9"), ("cafe", "cafe\u0301")], "en", "fr", flags="duplicate"
    )
    assert evidence(forms, "duplicate") == ["line 1 in another Unicode form"]


def test_case_of_a_column_and_of_the_vectors() -> None:
    many = [(f"word{letter}", f"wort{letter}") for letter in "abcdefghijklmnopqrstuvwxy"]
    found = misword.audit([*many, ("House", "haus")], "en", "de", flags="case")
    assert evidence(found, "case") == ["'House' in a column of lower case"]
    known = misword.audit(
        [("House", "haus")], "en", "de", flags="case", source_vectors=vectors("house")
    )
    assert evidence(known, "case") == ["the vectors have 'house', not 'House'"]
    both = misword.audit([("dog", "hund"), ("dog", "Hund")], "en", "de", flags="case")
    assert evidence(both, "case") == ["differs from line 1 in case only"]


def test_words_out_of_the_vocabulary_and_their_ranks() -> None:
    found = misword.audit(
        [("dog", "hund"), ("cat", "katze")],
        "en",
        "de",
        flags="out-of-vocabulary",
        source_vectors=vectors("cat", "house", "dog"),
        target_vectors=vectors("hund"),
    )
    assert evidence(found, "out-of-vocabulary") == ["'katze' is not among 1 words"]
    table = found.pair_table()
    assert table["source_rank"].to_list() == [3, 1]
    assert table["target_rank"].to_list() == [1, None]


def test_words_of_the_other_language() -> None:
    found = misword.audit(
        [("dog", "dog"), ("cat", "katze")],
        "en",
        "de",
        flags="language",
        source_vectors=vectors("cat", "dog"),
        target_vectors=vectors("hund", "katze"),
    )
    assert evidence(found, "language") == ["'dog': none in de, rank 2 in en"]


def test_words_of_the_other_language_need_vectors_of_both() -> None:
    pairs, known = [("dog", "dog")], vectors("dog")
    with pytest.raises(OptionError, match="'language' needs --target-vectors"):
        misword.audit(pairs, "en", "de", flags="language", source_vectors=known)
    with pytest.raises(OptionError, match="'language' needs --source-vectors"):
        misword.audit(pairs, "en", "de", flags="language", target_vectors=known)


def test_forms_of_one_lemma() -> None:
    pairs = [("wave", "welle"), ("waves", "wellen"), ("dog", "hund"), ("dog", "hunde")]
    found = misword.audit(pairs, "en", "de", flags="inflected")
    assert [one.pair for one in found.flagged["inflected"]] == [0, 1, 2, 3]
    assert evidence(found, "inflected")[0] == "headword: 'waves' of the lemma 'wave'"


def test_leaks_of_the_training_lexicon() -> None:
    training = [("dog", "hund"), ("cat", "kater"), ("waves", "wogen")]
    pairs = [("dog", "hund"), ("cat", "katze"), ("wave", "welle"), ("house", "haus")]
    found = misword.audit(pairs, "en", "de", training=training)
    assert evidence(found, "training-pair") == ["line 1 of the training lexicon"]
    assert evidence(found, "training-headword") == [
        "same headword", "same headword", "same lemma as 'waves': 'wave'",
    ]  # fmt: skip
    assert found.leaks.rows() == [
        ("pairs", 1, 4),
        ("headwords", 2, 4),
        ("headwords by lemma", 3, 4),
    ]
    assert found.kept.tolist() == [False, True, True, True]


def test_the_leaks_of_a_published_evaluation_set(shared: Path) -> None:
    """526 of the 1,289 pairs of Denisová's Estonian-Slovak set are in its training lexicon."""
    folder = shared / "bli" / "lexicographic" / "ET_SK_EVAL+TRAIN"
    found = misword.audit(
        folder / "ET-SK_EVAL_DF.csv",
        "et",
        "sk",
        flags="training-pair",
        training=folder / "et-sk.0-5000.txt",
    )
    assert found.leaks.rows()[0] == ("pairs", 526, 1289)
    assert int(found.has_flag("training-pair").sum()) == 526
    assert dict(found.composition.filter(by="part of speech").select("value", "count").rows())["S"]


def test_missing_forms_and_synonyms() -> None:
    paradigms = Paradigms.of(
        [("Hund", "Hunde", "N;NOM;PL"), ("Hund", "Hundes", "N;GEN;SG"), ("Haus", "Häuser", "N;PL")]
    )
    pairs = [("dog", "hund"), ("dog", "hunde"), ("house", "haus")]
    found = misword.audit(
        pairs, "en", "de", paradigms=paradigms, dictionaries=[[("dog", "köter"), ("dog", "hund")]]
    )
    assert evidence(found, "missing-form") == [
        "missing: hundes",
        "missing: hundes",
        "missing: häuser",
    ]
    assert evidence(found, "missing-synonym") == ["missing: köter (memory)"]
    known = misword.audit(
        pairs, "en", "de", flags="missing-form", paradigms=paradigms,
        target_vectors=vectors("hund", "häuser"),
    )  # fmt: skip
    assert evidence(known, "missing-form") == ["missing: häuser"]


def test_composition_counts_senses_and_frequencies() -> None:
    pairs = [("dog", "hund"), ("dog", "köter"), ("house", "haus")]
    found = misword.audit(pairs, "en", "de", flags="identical", source_vectors=vectors("dog"))
    rows = {(by, value): count for by, value, count, _ in found.composition.rows()}
    assert rows["senses", "1"] == 1
    assert rows["senses", "2"] == 1
    assert rows["source frequency", "1 to 1,000"] == 1
    assert rows["source frequency", "no vector"] == 1


def test_parts_of_speech_of_a_column() -> None:
    gold = Lexicon(("a", "b"), ("x", "y"), (1, 2), columns={"pos": ("N", "")})
    found = misword.audit(gold, "cs", "sk", flags="identical")
    rows = {(by, value): count for by, value, count, _ in found.composition.rows()}
    assert rows["part of speech", "N"] == rows["part of speech", "unknown"] == 1
    with pytest.raises(OptionError, match="no column 'tag'"):
        misword.audit(gold, "cs", "sk", flags="identical", pos_column="tag")


def test_the_cleaned_lexicon_keeps_the_columns_of_the_file(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("source\ttarget\tpos\nlondon\tlondon\tN\ndog\thund\tN\n", "utf-8")
    found = misword.audit(gold, "en", "de", flags="proper-noun,identical")
    found.write_clean(tmp_path / "clean.tsv")
    again = read_lexicon(tmp_path / "clean.tsv")
    assert (again.source, again.target) == (("dog",), ("hund",))
    assert list(again.columns) == ["pos", "proper-noun", "identical"]


@pytest.mark.parametrize(
    ("pairs", "languages"),
    [
        ([("собака", "dog"), ("дом", "house")], ("en", "bg")),
        ([(b, a) for a, b in USUAL], ("en", "de")),
    ],
)
def test_a_lexicon_in_the_wrong_direction_is_refused(
    pairs: list[tuple[str, str]], languages: tuple[str, str]
) -> None:
    with pytest.raises(InputError, match="the columns are swapped") as error:
        misword.audit(pairs, *languages)
    assert "--columns" in str(error.value)


def test_vectors_tell_the_direction() -> None:
    with pytest.raises(InputError, match="0 of its pairs have vectors, 2 with swapped columns"):
        misword.audit(
            [("koer", "pes"), ("maja", "dom")],
            "sk",
            "et",
            source_vectors=vectors("pes", "dom"),
            target_vectors=vectors("koer", "maja"),
        )


@pytest.mark.parametrize(
    ("languages", "message"),
    [(("xx", "de"), "not a code of ISO 639"), (("en", "german"), "not a language code"),
     (("en", "eng"), "both languages are 'en'")],
)  # fmt: skip
def test_unknown_languages_are_refused(languages: tuple[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        misword.audit(USUAL, *languages)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flags": "names"}, "unknown flag 'names'"),
        ({"flags": "training-pair"}, "needs --training"),
        ({"flags": ""}, "no flag is named"),
        ({"threshold": 0.0}, "threshold is 0"),
        ({"leave_out": ["duplicate"]}, "cannot be left out"),
        ({"flags": "identical", "leave_out": ["case"]}, "it is not among the flags"),
        ({"max_words": 0}, "max_words is 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        misword.audit(USUAL, "en", "de", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [("Haus\tHäuser\n", "2 fields"), ("\n# nothing\n", "no forms"), ("Haus\t\tN\n", "3 fields")],
)
def test_broken_paradigms_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "deu.tsv"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_paradigms(file)


def test_paradigms_find_forms_and_lemmas(tmp_path: Path) -> None:
    file = tmp_path / "deu.tsv"
    file.write_text("Haus\tHäuser\tN;NOM;PL\nHaus\tHauses\tN;GEN;SG\n", "utf-8")
    paradigms = read_paradigms(file)
    assert paradigms.others("Häuser") == {"Haus": "", "Hauses": "N;GEN;SG"}
    assert paradigms.share_lemma("Häuser", "Hauses") == "Haus"
    assert paradigms.share_lemma("Häuser", "Hund") == ""


def test_every_flag_has_a_title_and_a_family() -> None:
    for name in FLAGS.names():
        flag = FLAGS.create(name)
        assert (flag.name, bool(flag.title), bool(flag.family)) == (name, True, True)
