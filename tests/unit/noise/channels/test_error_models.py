"""Channels: their specs, the substitutes of each, sums of channels, the cache of tables."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.embed.vectors.words import WordVectors
from misword.noise.channels import model_cache
from misword.noise.channels.specs import Mixture, choose_channel, create_channel, mix_models
from misword.noise.channels.voleti import Voleti
from misword.noise.error_model import CandidateTable, ErrorModel, Mix
from misword.noise.phonology import distance_probabilities
from misword.noise.wordlists import is_word

Row = dict[str, float]


def vectors(*words: str, **others: list[float]) -> WordVectors:
    """Vectors of words on a circle, neighbours in the list next to each other."""
    angles = np.arange(len(words)) / 10
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).tolist()
    return WordVectors.of([*words, *others], [*rows, *others.values()])


def context(*words: str, **others: list[float]) -> Context:
    return Context.of("en", vectors(*words, **others))


def heard(hearing: ErrorModel, word: str) -> Row:
    """The substitutes of a word with their probabilities, in order."""
    table = hearing.candidates
    row = list(table.words).index(word)
    cut = slice(table.offsets[row], table.offsets[row + 1])
    named = [table.vocabulary[i] for i in table.ids[cut]]
    return dict(zip(named, table.probability[cut].tolist(), strict=True))


# Specs.


def test_a_sum_has_weights() -> None:
    made = create_channel("0.6*uniform+0.2*voleti:n=5,kernel=paper")
    assert isinstance(made, Mixture)
    assert made.weights == pytest.approx((0.75, 0.25))
    assert made.channels[1] == Voleti(n=5, kernel="paper")
    spaced: Any = create_channel(" 1 * uniform + 1e-1*uniform ")
    assert spaced.weights == pytest.approx((1 / 1.1, 0.1 / 1.1))
    alone: Any = create_channel(".5*uniform")
    assert alone.channels == (create_channel("uniform"),)


def test_a_file_may_have_a_plus() -> None:
    made: Any = create_channel("0.5*uniform:vocabulary=a+b.txt+0.5*voleti")
    assert [part.name for part in made.channels] == ["uniform", "voleti"]
    assert made.channels[0].vocabulary == "a+b.txt"


@pytest.mark.parametrize("spec", ["voleti+uniform", "uniform+0.3*voleti", "0.3*voleti+uniform"])
def test_a_channel_of_a_sum_without_a_weight_is_refused(spec: str) -> None:
    with pytest.raises(OptionError, match="weight"):
        create_channel(spec)


def test_weights_of_nothing_and_unknown_channels_are_refused() -> None:
    with pytest.raises(OptionError, match="add up to 0"):
        create_channel("0*uniform+0*voleti")
    with pytest.raises(OptionError, match="did you mean"):
        create_channel("0.5*unifrom+0.5*voleti")
    with pytest.raises(OptionError, match="no option"):
        create_channel("voleti:most=3,typo=1")


# Uniform.


def test_uniform_is_one_over_the_others() -> None:
    hearing = create_channel("uniform").error_model(["b", "a", "d", "c"], Context())
    for row in range(4):
        found = hearing.candidates.distribution(row)
        assert sorted(found) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
        assert found[hearing.candidates.own_ids[row]] == 0
    assert hearing.substitution_weight.tolist() == [1, 1, 1, 1]
    assert hearing.insertion_probability == pytest.approx([0.25] * 4)


def test_uniform_over_a_file_and_alone(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("One\ntwo\n\none\n", encoding="utf-8")
    made = create_channel(f"uniform:vocabulary={tmp_path / 'list.txt'}")
    hearing = made.error_model(["one", "cat"], Context())
    assert list(hearing.candidates.vocabulary) == ["one", "two"]
    assert hearing.candidates.distribution(0).tolist() == [0, 1]
    assert hearing.candidates.distribution(1).tolist() == [0.5, 0.5]
    alone = create_channel("uniform").error_model(["one"], Context())
    assert alone.candidates.has_candidates.tolist() == [False]
    assert alone.substitution_weight.tolist() == [0]


def test_lists_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such list"):
        create_channel("uniform:vocabulary=nowhere.txt").check(Context())
    with pytest.raises(OptionError, match="English"):
        create_channel("phonetic:vocabulary=cmudict").check(Context.of("fr"))
    with pytest.raises(OptionError, match="language"):
        create_channel("phonetic").check(Context())
    with pytest.raises(OptionError, match="vectors"):
        create_channel("0.5*voleti+0.5*uniform").check(Context.of("en"))


@pytest.mark.parametrize(
    "spec", ["voleti:n=0", "voleti:size=0", "voleti:most=-1", "phonetic:threshold=nan"]
)
def test_numbers_that_make_no_sense_are_refused(spec: str) -> None:
    with pytest.raises(OptionError, match="1 or more"):
        create_channel(spec).check(context("cat"))


# Voleti.


def test_voleti_by_hand() -> None:
    """cat: cad is 1 away, cap 2.75; dog is out of the threshold, mat not among the n nearest."""
    around = context("cap", "cat", "cad", "dog", "mat")
    hearing = Voleti(n=3, threshold=8).error_model(["cat", "dog"], around)
    sigma = (1 + 2.75) / 2
    weights = np.exp(-(np.array([1, 2.75]) ** 2) / (2 * sigma**2))
    found = heard(hearing, "cat")
    assert list(found) == ["cad", "cap"]
    assert list(found.values()) == pytest.approx((weights / weights.sum()).tolist())
    assert hearing.candidates.phonological[:2].tolist() == [1, 2.75]
    apart = 1 - np.cos(0.1)
    assert hearing.candidates.semantic[:2] == pytest.approx([apart, apart], abs=1e-6)
    assert heard(hearing, "dog") == {}
    assert hearing.substitution_weight.tolist() == [1, 0]


def test_voleti_keeps_most_and_all() -> None:
    words = ("cap", "cat", "cad", "mat", "bat")
    found = [
        heard(Voleti(most=most).error_model(["cat"], context(*words)), "cat") for most in (2, 0)
    ]
    assert [len(row) for row in found] == [2, 4]
    assert list(found[0]) == list(found[1])[:2]


def test_voleti_n_counts_without_the_word_itself() -> None:
    around = context("cat", "cad", "cap", "mat")
    assert len(heard(Voleti(n=2).error_model(["cat"], around), "cat")) == 2
    # A word that is no candidate itself has as many candidates.
    assert len(heard(Voleti(n=2, size=3).error_model(["mat"], around), "mat")) == 2


def test_substitutes_look_like_words() -> None:
    around = context("Cat", "cat", ",", "c4t", "...", "Cad", "cap's", "ωω", zero=[0, 0])
    hearing = Voleti(threshold=100).error_model(["cat", "zero", "ωω", ",", "c4t"], around)
    assert set(heard(hearing, "cat")) == {"cad", "cap's"}
    assert hearing.candidates.has_candidates.tolist() == [True, False, False, False, False]


def test_words_are_found_in_cased_vectors() -> None:
    assert set(heard(Voleti().error_model(["syria"], context("Syria", "Korea")), "syria")) == {
        "korea"
    }


def test_homophones_alone_are_equally_likely() -> None:
    around = context("rite", "right", "write", "wright")
    assert heard(Voleti().error_model(["right"], around), "right") == pytest.approx(
        {"rite": 1 / 3, "wright": 1 / 3, "write": 1 / 3}
    )


def test_insertions_follow_the_order_of_the_vectors() -> None:
    hearing = Voleti().error_model(["cat"], context("cap", "cat", "cad"))
    first, second = hearing.insertion_probability[
        [hearing.candidates.vocabulary.index(w) for w in ("cap", "cad")]
    ]
    assert first / second == pytest.approx((3 + 2.7) / (1 + 2.7))


def test_likelihood_has_no_rows_and_no_candidates() -> None:
    assert distance_probabilities(np.zeros((0, 3)), "paper").shape == (0, 3)
    assert distance_probabilities(np.zeros((2, 0)), "gaussian").shape == (2, 0)
    assert distance_probabilities(np.array([[np.inf, np.inf]]), "gaussian").tolist() == [[0, 0]]
    far = distance_probabilities(np.array([[4000.0, 0.5] + [0.0] * 98]), "gaussian")
    assert far.sum() == pytest.approx(1)


def test_french(shared: Path) -> None:
    around = Context.of("fr", shared / "vectors" / "fr.vec.gz", max_words=3000)
    hearing = Voleti(n=500).error_model(["chat", "maison", "xqzt", "1"], around)
    assert "maisons" in heard(hearing, "maison")
    assert hearing.candidates.has_candidates.tolist() == [True, True, False, False]


# Phonetic.


def test_phonetic_by_hand(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("cat\ncad\ncap\ncats\ndog\n", encoding="utf-8")
    made = create_channel(f"phonetic:vocabulary={tmp_path / 'list.txt'},threshold=5,reach=3")
    hearing = made.error_model(["kat", "cat", "2"], Context.of("en"))
    weights = np.exp(-np.array([1, 2.75]) / 3)
    assert heard(hearing, "cat") == pytest.approx(
        dict(zip(["cad", "cap"], weights / weights.sum(), strict=True))
    )
    assert list(heard(hearing, "kat")) == ["cat", "cad", "cap"]
    assert hearing.candidates.has_candidates.tolist() == [True, True, False]
    assert np.isnan(hearing.candidates.semantic).all()


def test_phonetic_among_frequent_words() -> None:
    hearing = create_channel("phonetic:size=2000").error_model(["there", "night"], Context.of("en"))
    assert next(iter(heard(hearing, "there"))) == "their"
    assert "light" in heard(hearing, "night")
    words = list(hearing.candidates.vocabulary)
    assert hearing.insertion_probability[words.index("the")] == hearing.insertion_probability.max()


@pytest.mark.slow
def test_frequent_words_are_more_likely_substitutes() -> None:
    """Night and knight sound alike, night is more frequent; an option weighs frequencies."""
    from wordfreq import get_frequency_dict

    plain, usual = (
        heard(
            create_channel(f"phonetic:frequency={g}").error_model(["knight"], Context.of("en")),
            "knight",
        )
        for g in (0, 0.5)
    )
    assert plain["night"] == plain["nite"]
    listed = get_frequency_dict("en")
    ratio = listed["night"] / listed["nite"]
    assert usual["night"] / usual["nite"] == pytest.approx(ratio**0.5)


def test_marks_belong_to_letters() -> None:
    assert is_word("हिन्दी")
    assert not is_word("-cat")
    assert not is_word("")


@pytest.mark.parametrize(
    "option", ["reach=0", "reach=nan", "frequency=-1", "frequency=inf", "most=0"]
)
def test_options_that_make_no_sense_are_refused(option: str) -> None:
    with pytest.raises(OptionError, match=option.partition("=")[0]):
        create_channel(f"phonetic:{option}").check(Context.of("en"))


# Sums.


def made(said: list[str], rows: list[Row], distance: float = np.nan, **more: Any) -> ErrorModel:
    """The rows of an error model."""
    names = sorted({word for row in rows for word in row})
    flat = [pair for row in rows for pair in row.items()]
    apart = np.full(len(flat), distance, np.float32)
    table = CandidateTable(
        said,
        names,
        np.cumsum([0, *map(len, rows)]),
        np.array([names.index(word) for word, _ in flat], np.int32),
        np.array([share for _, share in flat]),
        apart,
        apart,
    )
    even = ErrorModel.unweighted(table)
    hit = more.get("substituted", even.substitution_weight)
    return ErrorModel(
        table,
        np.asarray(hit),
        even.deletion_weight,
        even.insertion_probability,
        more.get("mix", Mix()),
    )


def test_a_sum_is_the_weighted_mean_of_rows() -> None:
    left = made(["a", "b", "c"], [{"x": 0.5, "y": 0.5}, {"x": 1.0}, {}], 3.0)
    right = made(["a", "b", "c"], [{"y": 0.25, "z": 0.75}, {}, {}], 4.0)
    found = mix_models([left, right], [0.8, 0.2])
    assert heard(found, "a") == pytest.approx({"y": 0.45, "x": 0.4, "z": 0.15})
    assert heard(found, "b") == {"x": 1.0}
    assert heard(found, "c") == {}
    assert found.candidates.phonological.tolist() == [3, 3, 4, 3]
    assert found.substitution_weight.tolist() == [1, 1, 0]
    assert found.insertion_probability == pytest.approx([0.4, 0.5, 0.1])


def test_the_first_known_distance_counts() -> None:
    left, right = made(["a"], [{"x": 1.0}]), made(["a"], [{"x": 1.0}], 2.0)
    assert mix_models([left, right], [0.5, 0.5]).candidates.phonological.tolist() == [2]


def test_a_sum_scales_how_likely_words_are_hit() -> None:
    """Weights of a learnt channel and of another channel are put on one scale first."""
    rows: list[Row] = [{"x": 1.0}, {"x": 1.0}]
    left, right = made(["a", "b"], rows), made(["a", "b"], rows, substituted=[0.01, 0.03])
    assert mix_models([left, right], [0.5, 0.5]).substitution_weight == pytest.approx([0.75, 1.25])


def test_a_sum_mixes_kinds_of_errors() -> None:
    left, right = made(["a"], [{}]), made(["a"], [{}], mix=Mix(0.5, 0.3, 0.2))
    found = mix_models([left, right], [0.5, 0.5]).mix
    assert astuple(found) == pytest.approx((0.75, 0.15, 0.1))


def test_a_sum_with_uniform_is_exact() -> None:
    around = context("cap", "cat", "cad", "dog")
    words = ["cat", "cap", "2"]
    parts = [
        create_channel(spec).error_model(words, around).candidates for spec in ("voleti", "uniform")
    ]
    found = create_channel("0.7*voleti+0.3*uniform").error_model(words, around).candidates
    for row, word in enumerate(words):
        shares = [0.7, 0.3] if parts[0].has_candidates[row] else [0, 1]
        for place, name in enumerate(found.vocabulary):
            known = [
                part.distribution(row)[part.vocabulary.index(name)]
                if name in part.vocabulary
                else 0.0
                for part in parts
            ]
            assert found.distribution(row)[place] == pytest.approx(np.dot(shares, known)), (
                word,
                name,
            )
        assert found.distribution(row).sum() == pytest.approx(1)


def test_a_sum_of_two_whole_vocabularies_is_refused() -> None:
    with pytest.raises(OptionError, match="whole vocabulary"):
        create_channel("0.5*uniform+0.5*uniform:size=3").error_model(["a", "b"], Context())


def test_a_sum_needs_what_its_channels_need() -> None:
    assert create_channel("0.5*phonetic+0.5*uniform").needs == ("lang",)
    both = create_channel("0.5*phonetic+0.5*voleti")
    assert (both.needs, both.uses) == (("vectors",), ("lang",))
    settings = create_channel("3*uniform+1*uniform").settings(Context())
    assert settings[0] == ("weight.1", "0.75")
    assert ("channel.2", "uniform") in settings


# The cache.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hearing"


def rows_of(hearing: ErrorModel) -> list[Row]:
    return [heard(hearing, word) for word in hearing.candidates.words]


def test_a_table_is_made_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    around, words = context("cap", "cat", "cad", "mat"), ["cat", "mat", "cap"]
    first = Voleti().error_model(words, around)
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(Voleti, "_build", None)  # to build a table again is a TypeError
    again = Voleti().error_model(words[::-1], around)
    assert rows_of(again)[::-1] == rows_of(first)
    assert (again.insertion_probability == first.insertion_probability).all()
    for other in (Voleti(n=2), Voleti(kernel="paper"), Voleti(edits="single")):
        with pytest.raises(TypeError):
            other.error_model(words, around)
    with pytest.raises(TypeError):
        Voleti().error_model(words, context("cap", "cat", "cad", "bat"))
    with pytest.raises(TypeError):
        Voleti().error_model(words[:2], around)


@pytest.mark.parametrize("damage", [lambda b: b[:-200], lambda b: b"", lambda b: b"x" * len(b)])
def test_a_damaged_entry_is_made_again(folder: Path, damage: Any) -> None:
    around = context("cap", "cat", "cad")
    first = rows_of(Voleti().error_model(["cat"], around))
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    assert rows_of(Voleti().error_model(["cat"], around)) == first
    assert entry.read_bytes()[-200:] == whole[-200:]
    assert list(folder.iterdir()) == [entry]


def test_a_changed_byte_is_noticed(folder: Path) -> None:
    around = context("cap", "cat", "cad")
    first = rows_of(Voleti().error_model(["cat"], around))
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    place = whole.index(b"cad")
    entry.write_bytes(whole[:place] + b"bad" + whole[place + 3 :])
    assert rows_of(Voleti().error_model(["cat"], around)) == first


def test_without_a_writable_folder_nothing_is_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MISWORD_CACHE", str(tmp_path / "file"))
    assert heard(Voleti().error_model(["cat"], context("cat", "cad")), "cat") == {"cad": 1.0}


def test_code_that_changes_makes_tables_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Voleti().error_model(["cat"], context("cat", "cad"))
    monkeypatch.setattr(model_cache, "VERSION", model_cache.VERSION + 1)
    Voleti().error_model(["cat"], context("cat", "cad"))
    assert len(list(folder.iterdir())) == 2


def test_the_usual_channel_follows_from_the_context() -> None:
    vectors = WordVectors.of(["cat", "hat"], [[1, 0], [0, 1]])
    assert choose_channel("auto", Context("en")).name == "phonetic"
    assert choose_channel("auto", Context("en", vectors)).name == "voleti"
    assert choose_channel("uniform", Context("en", vectors)).name == "uniform"
    with pytest.raises(OptionError, match="the language is needed"):
        choose_channel("auto", Context())
