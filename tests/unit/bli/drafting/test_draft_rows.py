"""Rows of drafts: candidates, back-translations, order, languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from bilingual import open_mapping, write_mapping
from drafts_made import headword
from misword.bli.draft import draft_lexicon
from misword.bli.drafting.headwords import draft_headwords, language_in, sort_by_gain
from misword.bli.drafting.rows import Candidate, Headword
from misword.bli.map import map_vectors
from misword.bli.retrievers import RETRIEVERS
from misword.bli.translate import translate_listed
from misword.core.errors import OptionError
from spaces_made import turned, write_turned


def test_each_candidate_is_translated_back() -> None:
    """By CSLS in the other direction: *chat* is nearer to *roof* than to *cat*.

    *maison* is as near to *cat* as to *house*; the more frequent word counts.
    """
    mapping = open_mapping()
    found = translate_listed(mapping, ["cat", "nothing"], 2, RETRIEVERS.create("nn"))
    cat, nothing = draft_headwords(mapping, found)
    assert [(one.word, one.back) for one in cat.candidates] == [
        ("maison", "cat"),
        ("chat", "roof"),
    ]
    assert cat.rank == 2
    assert cat.is_mutual
    assert nothing.candidates == ()
    assert nothing.target == ""


def test_probabilities_decide_the_order() -> None:
    rows = [
        Headword("none", 1, ()),
        Headword("low", 2, (Candidate("a", 0.2, "low"),)),
        Headword("high", 3, (Candidate("b", 0.9, "other"),)),
    ]
    assert [row.word for row in sort_by_gain(rows, probabilities=True)] == [
        "high",
        "low",
        "none",
    ]


def test_without_probabilities_the_back_translation_comes_first() -> None:
    rows = [
        Headword("high", 5, (Candidate("b", 0.9, "other"),)),
        Headword("mutual", 5, (Candidate("a", 0.2, "mutual"),)),
        Headword("surer", 5, (Candidate("c", 0.3, "surer"),)),
    ]
    assert [row.word for row in sort_by_gain(rows, probabilities=False)] == [
        "surer",
        "mutual",
        "high",
    ]


def test_accepted_translations() -> None:
    row = headword("dog", "chien", "chat", verdict="accept", other=("chienne", "chien"))
    assert row.translations == ("chien", "chienne")
    assert headword("dog", "chat", verdict="other", other=("chien",)).translations == ("chien",)
    assert headword("dog", "chat", verdict="reject").translations == ()
    assert headword("dog", "chat").translations == ()


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("en.vec.gz", "en"),
        ("wiki.de.vec", "de"),
        ("cc.pt.300.bin", "pt"),
        ("vectors.txt", ""),
        ("en-fr.vec", ""),  # which of the two?
    ],
)
def test_languages_by_file_names(name: str, language: str) -> None:
    assert language_in(name) == language


def test_a_draft_of_a_mapping_without_a_reranker_says_so(tmp_path: Path) -> None:
    draft = draft_lexicon(write_mapping(tmp_path), k=2)
    assert not draft.probabilities
    assert draft.languages == ("en", "fr")
    assert {row.word for row in draft.headwords} == {"dog", "cat", "house", "roof"}
    notes = "\n".join(draft.notes)
    assert "scores are those of csls, not probabilities; a reranker gives them" in notes
    assert "language by the name of the file of vectors: en, fr" in notes
    assert draft.table()["rank"].sort().to_list() == [1, 2, 3, 4]
    assert draft.table()["name"].null_count() == 0
    assert "A draft of 4 headwords" in repr(draft)


def test_a_reranker_gives_probabilities(tmp_path: Path) -> None:
    write_turned(tmp_path)
    _, _, pairs = turned(120, 8, noise=0.2)
    mapping = map_vectors(
        tmp_path / "en.vec", tmp_path / "fr.vec", "procrustes", lexicon=pairs, rerank=pairs
    )
    with pytest.raises(OptionError, match="no headword is left: 120 of 120 words are in the tra"):
        draft_lexicon(mapping, k=3)
    draft = draft_lexicon(mapping, k=3, include=["known", "names", "symbols"])
    assert draft.probabilities
    scores = [row.candidates[0].score or 0 for row in draft.headwords]
    assert 0 <= min(scores) < max(scores) <= 1
    assert not any("not probabilities" in note for note in draft.notes)
    back = draft_lexicon(mapping, k=1, reverse=True, include=["known", "names", "symbols"])
    assert not back.probabilities
    assert back.languages == ("fr", "en")


def test_languages_can_be_named(tmp_path: Path) -> None:
    path = write_mapping(tmp_path)
    assert draft_lexicon(path, k=1, source_lang="deu", target_lang="nl").languages == ("de", "nl")
    with pytest.raises(OptionError, match="xx"):
        draft_lexicon(path, k=1, source_lang="xx")
