"""Gold sets: each criterion on words of known properties, laws of the draw, bad input."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from misword import GoldSet, build, read_lexicon
from misword.bli.building.result import read_datasheet
from misword.bli.building.selecting import Stratum, draw, quotas, with_ranks
from misword.bli.building.settings import BuildSettings, parse_bands, parse_pos, parse_senses
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.embed.vectors.words import WordVectors
from misword.io.dictionaries.entries import Dictionary, DictionaryEntry

# Languages without a lemmatizer and a tagger: words are compared as they are.
PAIR = ("eo", "ia")


def words(prefix: str, count: int = 60) -> list[str]:
    """Words of letters only."""
    return [f"{prefix}{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count)]


def vectors(names: list[str]) -> WordVectors:
    """Vectors of words; their order is the order of frequency."""
    return WordVectors.of(names, [[float(n), 1.0] for n in range(len(names))])


SOURCE, TARGET = words("s"), words("t")
VECTORS = (vectors(SOURCE), vectors([*TARGET, "saa", "tunnid"]))


def dictionary(*entries: DictionaryEntry) -> Dictionary:
    """Sixty words with one translation; the first half nouns, the other verbs; more entries."""
    usual = [
        DictionaryEntry((a,), ((b,),), "n" if place < 30 else "v", place + 1)
        for place, (a, b) in enumerate(zip(SOURCE, TARGET, strict=True))
    ]
    return Dictionary.of([*usual, *entries], "usual")


def gold_set(*entries: DictionaryEntry, **options: Any) -> GoldSet:
    """A gold set of `dictionary`."""
    return build(*PAIR, dictionary(*entries), *VECTORS, **{"size": 60, **options})


def left_out(gold: GoldSet) -> dict[str, int]:
    """The number of pairs that each criterion left out."""
    counts: Counter[str] = Counter()
    for row in gold.datasheet["left_out"]:
        counts[row["criterion"]] += row["pairs"]
    return dict(counts)


def test_both_parts_have_ranks_and_are_disjoint() -> None:
    gold = gold_set(size=20, train_size=30)
    assert gold.evaluation["source"].n_unique() == 20
    assert gold.train["source"].n_unique() == 30
    assert not set(gold.train["source"]) & set(gold.evaluation["source"])
    for row in (*gold.train.to_dicts(), *gold.evaluation.to_dicts()):
        assert row["source"] == SOURCE[row["source_rank"] - 1]
        assert row["target"] == TARGET[row["target_rank"] - 1]
    # The most frequent of the words that were not drawn.
    others = [word for word in SOURCE if word not in set(gold.evaluation["source"])]
    assert gold.train["source"].to_list() == others[:30]


def test_each_criterion_is_reported() -> None:
    gold = gold_set(
        DictionaryEntry(("two words",), (("taa",),), "n"),
        DictionaryEntry(("saa",), (("two words", "unheard"),), "n"),
        DictionaryEntry(("#",), (("tab",),), "n"),
        DictionaryEntry(("saa",), (("saa",),), "n"),
        DictionaryEntry(("sab",), (("tac",),), "pron"),
        DictionaryEntry(("sac",), (("tab",), ("tad",), ("tae",)), "n"),
        exclude="identical",
        bands="50",
        senses="1-3",
    )
    assert left_out(gold) == {
        "single words": 2,
        "letters": 1,
        "vocabulary": 1,
        "identical": 1,
        "part of speech": 1,
        "frequency": 10,
        "senses": 4,
        "draw": 0,
        "disjoint": 0,
    }
    assert gold.datasheet["counts"]["evaluation"]["headwords"] == 49
    assert "60 headwords wanted, 49 there: all are taken" in gold.notes


def test_shares_of_parts_of_speech_and_bands() -> None:
    gold = gold_set(size=20, pos="NOUN:3,VERB:1", bands="30:1,60:1")
    # Words of ranks above 30 are verbs: two combinations have no words.
    assert gold.datasheet["evaluation"]["pos"] == {"NOUN": 8, "VERB": 2}
    assert gold.datasheet["evaluation"]["bands"] == {"1-30": 8, "31-60": 2}
    assert any("8 headwords of NOUN, 31-60 wanted, 0 there" in note for note in gold.notes)


def test_senses_are_numbered_by_frequency_and_counted() -> None:
    gold = gold_set(DictionaryEntry(("saa",), (("tzz", "tcf"), ("tab", "tba")), "n"), senses="2-")
    rows = gold.evaluation.select("source", "target", "sense", "senses").rows()
    assert rows == [
        ("saa", "taa", 1, 3),
        ("saa", "tab", 2, 3),
        ("saa", "tba", 2, 3),
        ("saa", "tcf", 3, 3),
    ]


def test_a_pair_with_two_parts_of_speech_counts_once() -> None:
    gold = gold_set(DictionaryEntry(("saa",), (("taa",),), "v"), pos="VERB,NOUN")
    row = gold.evaluation.filter(source="saa").to_dicts()
    assert [(one["pos"], one["senses"]) for one in row] == [("VERB", 1)]


def test_words_are_written_as_in_the_vectors() -> None:
    entries = [
        DictionaryEntry((a.upper(),), ((b.title(),),)) for a, b in zip(SOURCE, TARGET, strict=True)
    ]
    gold = build(*PAIR, Dictionary.of(entries), *VECTORS, size=60)
    assert gold.evaluation["source"].to_list() == SOURCE
    assert any("60 source words are written in lower case" in note for note in gold.notes)
    assert any("no part of speech is known" in note for note in gold.notes)


def test_disjoint_translations() -> None:
    """Words of the training lexicon with a translation of the evaluation set are left out."""
    entries = [DictionaryEntry((word,), (("taa",),), "n") for word in SOURCE[1:]]
    usual = gold_set(*entries, size=10, disjoint="headwords")
    strict = gold_set(*entries, size=10, disjoint="both")
    assert usual.datasheet["overlap"] == {"headwords": 0, "translations": 1, "pairs": 0}
    assert strict.datasheet["overlap"] == {"headwords": 0, "translations": 0, "pairs": 0}
    assert strict.train.height == usual.train.height - 50


def slovak(forms: str) -> GoldSet:
    """Estonian and Slovak words with inflected forms."""
    entries = [
        DictionaryEntry(("tund",), (("hodina",),), "n"),
        DictionaryEntry(("tunnid",), (("hodiny",),), "n"),
    ]
    return build(
        "et", "sk", Dictionary.of(entries), vectors(["tund", "tunnid"]),
        vectors(["hodinu", "hodina", "rok", "hodiny"]), size=1, forms=forms,
        source_lemmatizer="simplemma",
        audit=False,
    )  # fmt: skip


def test_forms_of_one_lemma_are_never_in_both_parts() -> None:
    gold = slovak("as-is")
    assert gold.evaluation.height == 1
    assert gold.train.is_empty()


def test_forms_are_expanded_to_all_loaded_words() -> None:
    gold = slovak("expand")
    assert set(gold.evaluation["target"]) == {"hodinu", "hodina", "hodiny"}
    given_form = gold.evaluation.filter(form_of="")["target"].to_list()
    assert set(gold.evaluation["form_of"]) == {"", *given_form}


def test_forms_are_replaced_by_lemmas() -> None:
    gold = slovak("lemmas")
    assert gold.evaluation.select("source", "target").rows() == [("tund", "hodina")]


def test_forms_need_a_lemmatizer() -> None:
    with pytest.raises(OptionError, match="no lemmatizer for"):
        gold_set(forms="expand")
    with pytest.raises(OptionError):
        gold_set(source_lemmatizer="nosuch")


def test_a_tagger_gives_missing_parts_of_speech() -> None:
    entries = [
        DictionaryEntry(("koer",), (("hund",),)),
        DictionaryEntry(("jooksma",), (("laufen",),)),
    ]
    gold = build(
        "et", "de", Dictionary.of(entries), vectors(["koer", "jooksma"]),
        vectors(["hund", "laufen"]), size=2, pos="NOUN",
        target_lemmatizer="simplemma",
        audit=False,
    )  # fmt: skip
    assert gold.evaluation.select("source", "pos").rows() == [("koer", "NOUN")]
    assert any("2 headwords have their part of speech from the tagger" in n for n in gold.notes)


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 5), st.integers(1, 40))
def test_order_does_not_matter_and_the_seed_decides(random: Any, seed: int, size: int) -> None:
    entries = [
        DictionaryEntry((a,), ((b,),), "n")
        for a, b in zip(SOURCE, [*TARGET[1:], "taa"], strict=True)
    ]
    shuffled = random.sample(entries, len(entries))
    one, other = (
        build(*PAIR, Dictionary.of(order), *VECTORS, size=size, seed=seed, audit=False)
        for order in (entries, shuffled)
    )
    assert one.evaluation.equals(other.evaluation)
    assert one.train.equals(other.train)
    assert not set(one.train["source"]) & set(one.evaluation["source"])


def test_another_seed_draws_other_words() -> None:
    drawn = {tuple(gold_set(size=10, seed=seed).evaluation["source"]) for seed in range(5)}
    assert len(drawn) == 5


@given(
    st.dictionaries(st.tuples(st.sampled_from("abcdef")), st.integers(1, 9), min_size=1),
    st.integers(0, 500),
)
def test_quotas_differ_from_shares_by_less_than_one(weights: dict[Any, int], size: int) -> None:
    total = sum(weights.values())
    shares = {stratum: weight / total for stratum, weight in weights.items()}
    found = quotas(shares, size)
    assert sum(found.values()) == size
    assert all(abs(found[one] - share * size) < 1 for one, share in shares.items())


@given(st.lists(st.text(min_size=1), unique=True, min_size=1), st.data())
def test_a_draw_of_a_word_does_not_depend_on_other_words(names: list[str], data: Any) -> None:
    """If words are taken away, the drawn words that are left are drawn again."""
    size = data.draw(st.integers(1, len(names)))
    kept = data.draw(st.lists(st.sampled_from(names), unique=True))
    strata: dict[Stratum, float] = {("any",): 1.0}
    before = draw(names, [("any",)] * len(names), strata, size, 7).words
    after = draw(kept, [("any",)] * len(kept), strata, size, 7).words
    assert set(before) & set(kept) <= set(after)


def test_the_folder_is_complete_and_can_be_evaluated(tmp_path: Path) -> None:
    gold = gold_set(size=20, output=tmp_path / "gold")
    names = {"train.tsv", "evaluation.tsv", "datasheet.md", "datasheet.json"}
    assert {file.name for file in (tmp_path / "gold").iterdir()} == names
    lexicon = read_lexicon(tmp_path / "gold" / "evaluation.tsv")
    assert lexicon.source == gold.lexicon().source
    assert set(lexicon.columns) >= {"pos", "sense", "source_rank", "target_rank"}
    sheet = read_datasheet(tmp_path / "gold")
    assert sheet["settings"]["seed"] == 0
    assert set(sheet["files"]) == {"train.tsv", "evaluation.tsv"}
    text = (tmp_path / "gold" / "datasheet.md").read_text("utf-8")
    assert "| single words | source: more than one word |" in text


def test_older_folders(tmp_path: Path) -> None:
    """Another gold set needs `force`, and other files in its folder are kept."""
    out = tmp_path / "gold"
    gold_set(size=20, output=out)
    (out / "mine.txt").write_text("keep", "utf-8")
    before = (out / "evaluation.tsv").read_bytes()
    with pytest.raises(OptionError, match="a gold set already"):
        gold_set(size=10, output=out)
    assert (out / "evaluation.tsv").read_bytes() == before
    gold_set(size=10, output=out, force=True)
    assert len(read_lexicon(out / "evaluation.tsv")) == 10
    assert (out / "mine.txt").read_text("utf-8") == "keep"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file.txt").write_text("x", "utf-8")
    with pytest.raises(OptionError, match="not a gold set"):
        gold_set(output=tmp_path / "other", force=True)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        gold_set(size=20, seed=3, output=tmp_path / name)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_a_dictionary_of_the_other_direction_is_refused() -> None:
    with pytest.raises(InputError, match=r"2 % of its headwords .* 100 % are") as error:
        build("ia", "eo", dictionary(), *reversed(VECTORS))
    assert "--reverse" in error.value.fix
    gold = build("ia", "eo", dictionary().reversed(), *reversed(VECTORS), size=5)
    assert gold.evaluation.height == 5


def test_nothing_left_is_an_error_that_names_the_criteria() -> None:
    with pytest.raises(InputError, match="no pair is left after the criterion 'vocabulary'"):
        build(*PAIR, dictionary(), vectors(["xa", "xb"]), VECTORS[1])
    with pytest.raises(InputError, match="after the criterion 'part of speech'"):
        gold_set(pos="ADP")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"purpose": "art"}, "purpose is 'art'"),
    ({"size": 0}, "size is 0"),
    ({"train_size": -1}, "train_size is -1"),
    ({"pos": "NOUN:1,VERB"}, "some have a share"),
    ({"pos": "NUON"}, "no part of speech 'NUON'"),
    ({"pos": "NOUN:0"}, "'0' is not a share"),
    ({"pos": "NOUN,noun"}, "duplicate name in NOUN"),
    ({"bands": "5000,1000"}, "do not grow"),
    ({"bands": "many"}, "are not ranks"),
    ({"senses": "3-1"}, "from 3 to 1"),
    ({"senses": "few"}, "not a number of senses"),
    ({"exclude": "verbs"}, "exclude is 'verbs'"),
    ({"forms": "all"}, "forms is 'all'"),
    ({"disjoint": "none"}, "disjoint is 'none'"),
]


@pytest.mark.parametrize(("options", "what"), WRONG)
def test_wrong_options(options: dict[str, Any], what: str) -> None:
    with pytest.raises(OptionError, match=what):
        gold_set(**options)


def test_unknown_languages() -> None:
    for lang, what in (("xx", "not a code of ISO 639"), ("english", "not a language code")):
        with pytest.raises(OptionError, match=what):
            build(lang, "ia", dictionary(), *VECTORS)
    with pytest.raises(OptionError, match="both languages are 'ia'"):
        build("ia", "ia", dictionary(), *VECTORS)
    with pytest.raises(OptionError, match="no dictionary"):
        build(*PAIR, [], *VECTORS)


def test_settings_are_read_and_written_alike() -> None:
    """The datasheet has the settings in the form of the options."""
    chosen = {
        "pos": "NOUN:3,VERB:1",
        "bands": "100,500",
        "senses": "2-4",
        "exclude": "identical",
    }
    listed = BuildSettings.of("learners", chosen).listed()
    again = BuildSettings.of("learners", {**chosen, "pos": listed["pos"]})
    assert again.pos == parse_pos("NOUN:3,VERB:1")
    assert again.bands == parse_bands("100,500")
    assert again.senses == parse_senses(listed["senses"]) == (2, 4)
    assert json.loads(json.dumps(listed)) == listed


def test_the_lexicographic_data(shared: Path) -> None:
    """Denisová's Czech-Slovak pairs: the words as both languages write them, without lemmas."""
    path = shared / "bli" / "lexicographic" / "CS_SK_EVAL+TRAIN" / "CS-SK_eval_DF.csv"
    pairs = read_lexicon(path)
    sides = [vectors(list(dict.fromkeys(side))) for side in (pairs.source, pairs.target)]
    gold = build("cs", "sk", path, *sides, size=500, exclude="identical", pos="")
    assert gold.datasheet["counts"]["evaluation"] | {"translations": 0} == {
        "headwords": 500, "pairs": gold.evaluation.height, "translations": 0, "identical": 0,
    }  # fmt: skip
    assert left_out(gold)["single words"] + left_out(gold)["letters"] == sum(
        " " in a or " " in b for a, b in zip(pairs.source, pairs.target, strict=True)
    )
    assert gold.datasheet["overlap"]["headwords"] == 0


def test_names_are_left_out_on_request() -> None:
    """By the dictionary, or by the model of names; taggers alone do not decide."""
    pairs = [("london", "londres"), ("dog", "chien"), ("apple", "pomme"), ("rex", "rex")]
    entries = [DictionaryEntry((a,), ((b,),), "np" if a == "rex" else "n") for a, b in pairs]
    sides = vectors([a for a, _ in pairs]), vectors([b for _, b in pairs])
    gold = build(
        "en", "fr", Dictionary.of(entries), *sides, size=4, exclude="names",
        source_lemmatizer="simplemma", target_lemmatizer="simplemma",
        audit=False,
    )  # fmt: skip
    assert gold.evaluation["source"].to_list() == ["dog", "apple"]
    assert left_out(gold)["names"] == 2


def test_the_evaluation_set_is_audited() -> None:
    """Flags of `audit`: identical words that were not excluded; no pair of the training lexicon."""
    gold = gold_set(DictionaryEntry(("saa",), (("saa",),), "n"), size=60)
    pairs = {row["flag"]: row["pairs"] for row in gold.datasheet["audit"]}
    assert pairs["identical"] == 1
    assert pairs["multi-word"] == pairs["out-of-vocabulary"] == 0
    assert "training-pair" not in pairs  # no pair is left for training
    assert gold_set(size=20).datasheet["audit"][-1]["flag"].startswith("training")
    assert gold_set(audit=False).datasheet["audit"] == []


def test_pairs_of_several_words_are_kept_if_asked() -> None:
    """The rank of a phrase is that of its rarest word; *maid* has no vector."""
    pairs = [("ice cream", "glace"), ("old maid", "fille"), ("dog", "chien de garde")]
    frame = pl.DataFrame(pairs, schema=["source", "target"], orient="row")
    english = ["dog", "ice", "old", "cream"]
    french = ["glace", "fille", "chien", "de", "garde"]
    vocabularies = {
        side: WordVectors.of(words, np.eye(len(words), dtype=np.float32)).vocabulary
        for side, words in (("source", english), ("target", french))
    }
    ranked, _ = with_ranks(frame, vocabularies)
    found = {row["source"]: (row["source_rank"], row["target_rank"]) for row in ranked.to_dicts()}
    assert found == {"ice cream": (4, 1), "old maid": (None, 2), "dog": (1, 5)}
