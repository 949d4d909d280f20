"""Evaluations of files of candidates, of several sizes and lexicons, and without training words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bilingual import GOLD, gold, open_mapping, write_lesson
from misword.bli.evaluate import evaluate, evaluate_open
from misword.bli.evaluation.coverage import Leaks
from misword.bli.evaluation.gold_ranks import LemmaMatch
from misword.bli.evaluation.inputs import EvaluationSettings
from misword.bli.evaluation.result import Evaluation
from misword.bli.inputs import CandidateFile
from misword.bli.map import prepare
from misword.bli.mapping import Mapping
from misword.bli.options import LEMMA_RULES
from misword.bli.retrievers import RETRIEVERS
from misword.bli.seeds import TrainingPairs
from misword.bli.word_analysis import Lemmatizer
from misword.core.errors import InputError, OptionError
from misword.embed.vectors.words import WordVectors
from misword.io.lexicons import Lexicon, read_lexicon
from misword.stat.bootstrap import Bootstrap

NN = RETRIEVERS.create_all("nn")
NO_INTERVALS = Bootstrap(times=0)


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """Mappings and lexicons of five headwords."""
    write_lesson(tmp_path)
    return tmp_path


def parts(found: Evaluation, system: int = 0) -> dict[str, tuple[int, int]]:
    """Numerators and denominators of one system over the whole lexicon."""
    rows = found.rates.filter(system=found.systems[system]).to_dicts()
    return {row["metric"]: (row["part"], row["whole"]) for row in rows if row["column"] is None}


def as_file(found: Evaluation) -> CandidateFile:
    """The candidates of a mapping as another tool would write them."""
    lists: dict[str, tuple[tuple[str, float], ...]] = {}
    for row in found.predictions().to_dicts():
        if row["candidate"] is not None:
            lists[row["word"]] = (*lists.get(row["word"], ()), (row["candidate"], row["score"]))
    return CandidateFile("tool", lists)


def test_a_file_by_hand() -> None:
    """Lists of different lengths: one, two and no candidates."""
    lists = {"dog": (("chien", 1.0),), "cat": (("chat", 0.5), ("maison", 0.2))}
    settings = EvaluationSettings((1, 2), bootstrap=NO_INTERVALS)
    found = evaluate_open([], gold(), {}, settings, files=[CandidateFile("tool", lists)])
    assert parts(found) == {
        "hit@1": (2, 2),  # three headwords have no candidates
        "hit@2": (2, 2),
        "precision@1": (2, 1 + 1 + 3),  # three empty rows
        "precision@2": (2, 1 + 2 + 3),
        "recall@1": (2, 8),
        "recall@2": (2, 8),
    }
    row = found.coverage.row(0, named=True)
    assert (row["source_known"], row["answerable"], row["target_known"]) == (2, 2, None)
    assert any("3 of 5 headwords have no candidates in the file" in note for note in found.notes)
    told = found.predictions()
    assert told.filter(word="dog")["candidate"].to_list() == ["chien"]
    assert told.filter(word="cat")["right"].to_list() == [True, False]
    assert "|candidates:" in found.signatures["tool"]["hit@1"]


def test_a_file_is_compared_with_the_mapping_it_came_from() -> None:
    """The same candidates give the same rates, except where vectors decide what can be found."""
    settings = EvaluationSettings((1, 2), "source", bootstrap=NO_INTERVALS)
    alone = evaluate_open([open_mapping()], gold(), NN, settings)
    both = evaluate_open([open_mapping()], gold(), NN, settings, files=[as_file(alone)])
    assert both.systems == ["toy nn", "tool"]
    assert parts(both, 0) == parts(both, 1)
    assert both.differences["difference"].to_list() == [0] * 6
    assert both.pairs().filter(system="tool")["rank"].to_list() == alone.pairs()["rank"].to_list()


def test_a_file_for_other_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.tsv"
    path.write_text("x\ty\n", encoding="utf-8")
    with pytest.raises(InputError, match="no headword of memory has a candidate in it"):
        evaluate((), GOLD, candidates=path)
    with pytest.raises(OptionError, match="no mapping"):
        evaluate((), GOLD)


def test_sizes_are_systems(lesson: Path) -> None:
    """Each number of words is a system of its own, compared on the words that both know."""
    found = evaluate(
        lesson / "en-fr.map", gold(), 1, retriever="nn", max_words=(3, 9), bootstrap=0, workers=1
    )
    assert found.systems == ["en-fr 3 words nn", "en-fr 9 words nn"]
    assert found.coverage["source_known"].to_list() == [3, 4]
    assert found.notes[0] == "en-fr has 4 and 5 words: 9 takes all of them"
    assert not any("different numbers of words" in note for note in found.notes)
    with pytest.raises(OptionError, match="max_words is 0"):
        evaluate(lesson / "en-fr.map", gold(), max_words=(3, 0))


def test_several_gold_lexicons(lesson: Path) -> None:
    """Rates on each lexicon equal those of an evaluation on that lexicon alone."""
    small = Lexicon.of([("dog", "chat"), ("cat", "chat")])
    files = [lesson / "en-fr.map", lesson / "other.map"]
    found = evaluate(files, {"all": gold(), "small": small}, 1, retriever="nn", workers=1)
    alone = evaluate(files, small, 1, retriever="nn", workers=1)
    table = found.gold_sets()
    assert table["gold"].unique(maintain_order=True).to_list() == ["all", "small"]
    of_small = table.filter(gold="small")
    assert of_small["rate"].to_list() == alone.rates["rate"].to_list()
    gains = alone.differences.filter(metric="hit@1")["difference"].to_list()
    compared = of_small.filter(metric="hit@1")
    assert compared["difference"].to_list() == [None, *gains]
    assert found["recall@1"] == 0.25  # of the first lexicon
    assert "gold_sets" in found.result().tables
    assert "gold_sets" not in alone.result().tables
    with pytest.raises(OptionError, match="no gold lexicon"):
        evaluate(files, {})


def test_differences_on_slices(lesson: Path) -> None:
    """A row of a slice equals the difference on a lexicon that has only its pairs."""
    files = [lesson / "en-fr.map", lesson / "other.map"]
    found = evaluate(files, lesson / "gold.csv", 1, by="kind", retriever="nn", workers=1)
    rows = found.slice_differences.to_dicts()
    assert len(rows) == 2 * 3
    animals = [pair for pair in GOLD if pair[0] in ("dog", "cat", "unicorn")]
    alone = evaluate(files, animals, 1, retriever="nn", workers=1)
    names = ("metric", "difference", "low", "high", "p", "headwords", "better", "worse")
    expected = [[row[name] for name in names] for row in alone.differences.to_dicts()]
    assert [[row[name] for name in names] for row in rows if row["value"] == "animal"] == expected


def trained_on(*pairs: tuple[str, str]) -> TrainingPairs:
    return TrainingPairs.of(pairs)


def test_leaks_are_counted() -> None:
    """One headword with three pairs, of which one was seen, and one word in another direction."""
    mapping = replace(open_mapping(), training_pairs=trained_on(("Dog", "chien"), ("chat", "cat")))
    settings = EvaluationSettings((1,), bootstrap=NO_INTERVALS)
    found = evaluate_open([mapping], gold(), NN, settings)
    row = found.coverage.row(0, named=True)
    assert (row["shared_pairs"], row["shared_headwords"], row["shared_lemmas"]) == (1, 1, None)
    note = next(note for note in found.notes if "in its training" in note)
    assert note.startswith("toy: 1 of 5 headwords and 1 of 8 pairs were in its training")
    unknown = evaluate_open([open_mapping()], gold(), NN, settings).coverage
    assert unknown["shared_pairs"].to_list() == [None]


def test_leaks_of_a_published_evaluation_set(shared: Path) -> None:
    """526 of the 1,289 pairs of Denisová's Estonian-Slovak set are in its training lexicon."""
    folder = shared / "bli" / "lexicographic" / "ET_SK_EVAL+TRAIN"
    train = read_lexicon(folder / "et-sk.0-5000.txt")
    trained = TrainingPairs.of(zip(train.source, train.target, strict=True))
    leaks = Leaks.of(trained, read_lexicon(folder / "ET-SK_EVAL_DF.csv"))
    assert (int(leaks.pairs.sum()), len(leaks.pairs)) == (526, 1289)


def test_leaks_by_lemma() -> None:
    """The lemma of a headword is compared with those of training words in the vocabulary."""
    lexicon = Lexicon.of([("hodinu", "a"), ("pes", "b"), ("hodiny", "c")])
    trained = trained_on(("hodiny", "x"), ("hodina", "y"))
    leaks = Leaks.of(trained, lexicon, ["hodiny", "mesto"], Lemmatizer.of("sk"))
    assert leaks.headwords.tolist() == [False, False, True]
    assert leaks.lemmas is not None
    assert leaks.lemmas.tolist() == [True, False, True]
    assert leaks.seen.tolist() == leaks.lemmas.tolist()


def test_unseen_leaves_out_training_headwords(lesson: Path) -> None:
    """What is left was in the training of none of the mappings; in the other direction too."""
    read = {name: Mapping.read(lesson / f"{name}.map") for name in ("en-fr", "other")}
    mappings = {
        "en-fr": replace(read["en-fr"], training_pairs=trained_on(("dog", "toutou"))),
        "other": replace(read["other"], training_pairs=trained_on(("cat", "chat"))),
    }
    found = evaluate(mappings, gold(), 1, retriever="nn", unseen=True, workers=1)
    assert list(found.lexicon.headwords) == ["house", "roof", "unicorn"]
    assert found.coverage["shared_headwords"].to_list() == [0, 0]
    assert found.notes[0].startswith("1 duplicate pair")
    assert "2 of 5 headwords, with 4 of 8 pairs, were in the training" in found.notes[1]
    back = [("chat", "cat"), ("chien", "dog"), ("toutou", "dog")]
    turned = evaluate(mappings, back, 1, retriever="nn", unseen=True, reverse=True, workers=1)
    assert turned.lexicon.source == ("chien",)


def test_unseen_is_refused_where_nothing_is_known(lesson: Path) -> None:
    (lesson / "tool.tsv").write_text("dog\tchien\n", encoding="utf-8")
    with pytest.raises(OptionError, match="does not say which pairs"):
        evaluate(lesson / "en-fr.map", gold(), unseen=True)
    with pytest.raises(OptionError, match="do not say what their systems were trained on"):
        evaluate((), gold(), candidates=lesson / "tool.tsv", unseen=True)
    mapping = replace(
        Mapping.read(lesson / "en-fr.map"), training_pairs=TrainingPairs.of(set(GOLD))
    )
    with pytest.raises(InputError, match="nothing is left to evaluate"):
        evaluate(mapping, gold(), unseen=True)


def test_pairs_of_the_reranker_are_training_pairs() -> None:
    """The pairs that a reranker is learnt from count, too."""
    rows = np.random.default_rng(0).normal(size=(80, 8)).astype(np.float32)
    words = [f"w{number:02d}" for number in range(80)]
    source = WordVectors.of(words, rows)
    target = WordVectors.of([f"x{word}" for word in words], rows)
    lexicon = [(word, f"x{word}") for word in words[:60]]
    task = prepare(source, target, "procrustes", lexicon=lexicon[:30], rerank=lexicon)
    assert len(task.training_pairs) == 60


@pytest.mark.parametrize("rule", LEMMA_RULES)
def test_rules_for_lemmas(rule: str) -> None:
    """The gold word is inflected: only the rule for both sides takes its lemma."""
    match = LemmaMatch.of("sk", rule=rule)
    vocabulary = ["hodiny", "pes", "HODINU"]
    right, lemma_of = match.compare(
        np.array([[0, 1, 2], [0, 1, -1], [0, 1, 2]]), vocabulary, ["hodina", "", "hodín"]
    )
    assert lemma_of["hodiny"] == "hodina"
    assert right[0, :2].tolist() == [True, False]
    assert right[1].tolist() == [False, False, False]
    assert right[2].tolist() == ([True, False, True] if rule == "both" else [False] * 3)
    assert (("lemma_rule", "both") in match.settings) == (rule == "both")


def test_unknown_rules_and_taggers_are_refused(lesson: Path) -> None:
    with pytest.raises(OptionError, match="no rule 'any' for lemmas"):
        LemmaMatch.of("sk", rule="any")
    with pytest.raises(OptionError, match="a tagger without a language"):
        evaluate(lesson / "en-fr.map", gold(), by="pos", tagger="hanta")
    with pytest.raises(OptionError, match="no column 'pos' in the lexicon") as caught:
        evaluate(lesson / "en-fr.map", gold(), by="pos")
    assert "--source-lang" in str(caught.value.fix)


def test_parts_of_speech_by_a_tagger(lesson: Path) -> None:
    """German nouns by HanTa; a column of the file is taken as it is."""
    pytest.importorskip("HanTa")
    lexicon = Lexicon.of([("dog", "chien"), ("Haus", "maison"), ("house", "maison")])
    found = evaluate(
        lesson / "en-fr.map", lexicon, 1, by="pos", source_lang="de", tagger="hanta",
        retriever="nn", workers=1,
    )  # fmt: skip
    tags = found.lexicon.columns["pos"]
    assert tags[1] == "NOUN"
    assert set(found.rates["value"].drop_nulls()) == set(tags)
    assert any("parts of speech by hanta" in note for note in found.notes)
    own = replace(lexicon, columns={"pos": ("a", "b", "b")})
    kept = evaluate(lesson / "en-fr.map", own, 1, by="pos", retriever="nn", workers=1)
    assert set(kept.rates["value"].drop_nulls()) == {"a", "b"}
