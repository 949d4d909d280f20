"""Labels of errors: pairs of a dangerous and a harmless hypothesis, and single labels."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

import misword
from misword.asr.severity.language import languages, parse_language
from misword.asr.severity.levels import LabelledError, score_of
from misword.core.errors import InputError, OptionError


def scores_of(texts: list[tuple[str, str]], lang: str) -> list[float]:
    references, hypotheses = (list(side) for side in zip(*texts, strict=True))
    scores = misword.score(references, hypotheses, "severity", lang=lang)
    return scores.table["severity.score"].to_list()


def labels_of(reference: str, hypothesis: str, lang: str = "en", **options: object) -> set[str]:
    """Return the labels that are not harmless."""
    given: dict[str, object] = {"lang": lang, "severity": True, **options}
    scores = misword.score([reference], [hypothesis], "wer", **given)  # type: ignore[arg-type]
    errors = scores.records["severity_errors"].to_dicts()
    return {row["label"] for row in errors if row["level"] in ("critical", "major")}


@pytest.mark.parametrize(
    "hypothesis",
    ["on may third we met at five", "we met on may third at five"],
)
def test_phrases_with_numbers_may_change_places(hypothesis: str) -> None:
    assert labels_of("we met at five on may third", hypothesis) == set()


# Files of items, with the least shares of English items, of each English category, and of others.
ITEMS = {"contrast.tsv": (0.95, 0.85, 0.88), "contrast-hard.tsv": (0.93, 0.85, 0.88),
         "contrast-last.tsv": (0.9, 0.8, 0.88)}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("file", ITEMS)
def test_dangerous_hypotheses_score_above_harmless_ones(file: str) -> None:
    """The items were written before the detectors saw any item of their file."""
    with Path(__file__).with_name(file).open(encoding="utf-8", newline="") as lines:
        items = list(csv.DictReader(lines, delimiter="\t"))
    english, category, others = ITEMS[file]
    right: dict[str, list[float]] = defaultdict(list)
    for lang in {item["lang"] for item in items}:
        own = [item for item in items if item["lang"] == lang]
        sides = [
            scores_of([(item["reference"], item[side]) for item in own], lang)
            for side in ("dangerous", "harmless")
        ]
        for item, worse, better in zip(own, *sides, strict=True):
            agreed = 1.0 if worse > better else 0.5 if worse == better else 0.0
            right[lang].append(agreed)
            if lang == "en":
                right[item["category"]].append(agreed)
    shares = {name: sum(found) / len(found) for name, found in right.items()}
    assert shares["en"] >= english
    assert min(shares[lang] for lang in ("fr", "de", "es")) >= others
    assert min(shares.values()) >= category


@pytest.mark.parametrize(
    ("reference", "hypothesis", "label"),
    [
        ("take fifteen tablets", "take fifty tablets", "number"),
        ("come on tuesday", "come on thursday", "number"),
        ("take fifty milligrams not fifteen", "take fifteen milligrams not fifty", "number"),
        ("fifteen of fifty people came", "fifty of fifteen people came", "number"),
        ("i did not sign it", "i did sign it", "negation"),
        ("sales went up again", "sales went down again", "polarity"),
        ("she has hypertension now", "she has hypotension now", "polarity"),
        ("you must take it", "you may take it", "modality"),
        ("the dog chased the man", "the man chased the dog", "role"),
        ("fly me to austin today", "fly me to boston today", "name"),
        ("the kidney was removed", "the liver was removed", "replaced"),
        ("call me if the pain comes back", "call me", "cut"),
        ("she went home", "she went home and shot her husband", "invented"),
    ],
)
def test_the_label_of_a_dangerous_error(reference: str, hypothesis: str, label: str) -> None:
    assert label in labels_of(reference, hypothesis)


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("i do not know", "i don't know"),
        ("no no no it is fine", "no it is fine"),
        ("the man was bitten by the dog", "the dog bit the man"),
        ("we have to go", "we must go"),
        ("she is unable to come", "she is not able to come"),
        ("he gave it to us", "he gave us it"),
        ("it costs $20", "it costs twenty dollars"),
        ("um well i agree", "i agree"),
        ("his father is ill", "his dad is sick"),
    ],
)
def test_harmless_differences_have_no_dangerous_label(reference: str, hypothesis: str) -> None:
    assert labels_of(reference, hypothesis) == set()


def test_a_critical_term_that_is_lost_is_critical() -> None:
    texts = "give the beta blocker now", "give the better blocker now"
    assert "term" in labels_of(*texts, critical_terms=["beta blocker"])
    with pytest.raises(OptionError, match="no metric here reads the critical terms"):
        misword.score(["a"], ["b"], "wer", critical_terms=["a"])


def test_a_language_without_a_file_has_labels_that_need_no_list() -> None:
    assert labels_of("on 12 maja", "on 21 maja", lang="sl") == {"number"}
    scores = misword.score(["a b"], ["a c"], "severity", lang="sl")
    assert any("no closed classes" in note for note in scores.notes)


def test_every_language_file_can_be_read() -> None:
    assert {"en", "fr", "de", "es"} <= set(languages())
    with pytest.raises(InputError, match="unknown section"):
        parse_language("xx", "[moods]\na: b", "file")
    with pytest.raises(InputError, match="is not a class"):
        parse_language("xx", "[negation]\nno", "file")


def test_content_alone_never_reaches_a_certain_score() -> None:
    lost = [LabelledError("lost", 0.6, at, at + 1, 0, 0) for at in range(50)]
    assert score_of(lost) == pytest.approx(0.9)
    assert score_of([*lost, LabelledError("negation", 0.9, 0, 1, 0, 0)]) > 0.98


def test_columns_of_an_utterance_and_rates() -> None:
    refs = ["i did not go", "we like it", "yes", "four people"]
    hyps = ["i did go", "we like it", "yes", "four people"]
    scores = misword.score(refs, hyps, "severity,critical,critical:negation", lang="en")
    assert scores.table["severity.level"].to_list() == [3, 0, 0, 0]
    assert scores["severity"] == 0.25
    assert scores["critical"] == scores["critical:negation"] == pytest.approx(1 / 10)
    with pytest.raises(OptionError, match="no label"):
        misword.score(refs, hyps, "critical:label=mood")


def test_errors_far_apart_have_the_labels_that_they_have_alone() -> None:
    calm = ["and", "then", "we", "talked", "for", "a", "while", "about", "the", "old", "house"]
    calm += ["and", "about", "the", "river"]
    first = ["she", "did", "not", "sign"], ["she", "did", "sign"]
    second = ["take", "fifteen", "pills"], ["take", "fifty", "pills"]
    pairs = [first, second, tuple(a + calm + b for a, b in zip(first, second, strict=True))]
    texts = [(" ".join(reference), " ".join(hypothesis)) for reference, hypothesis in pairs]
    references, hypotheses = (list(side) for side in zip(*texts, strict=True))
    errors = misword.score(references * 2, hypotheses * 2, "severity", lang="en", severity=True)
    rows = errors.records["severity_errors"].rows_by_key("utt", named=True)
    shown = {
        utt: [(row["place"], row["label"], row["reference"]) for row in found]
        for (utt,), found in (
            (key if isinstance(key, tuple) else (key,), own) for key, own in rows.items()
        )
    }
    place = len(first[0]) + len(calm) + 1
    assert shown["1"] == [(2, "negation", "not")]
    assert shown["2"] == [(1, "number", "fifteen")]
    assert shown["3"] == [(2, "negation", "not"), (place, "number", "fifteen")]
    assert [shown[str(at)] for at in (4, 5, 6)] == [shown[str(at)] for at in (1, 2, 3)]


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("the barn got destroyed in the storm", "the storm destroyed the barn"),
        ("he sold the car to her", "she bought the car from him"),
        ("no doubt he did it", "he certainly did it"),
        ("we met w- where we always meet", "we met where we always meet"),
        ("chapter fourteen begins here", "chapter xiv begins here"),
        ("stop the drug at once if you get a rash", "if you get a rash stop the drug at once"),
    ],
)
def test_the_same_said_in_another_way_is_not_critical(reference: str, hypothesis: str) -> None:
    scores = misword.score([reference], [hypothesis], "severity", lang="en")
    assert scores.table["severity.level"].to_list()[0] < 3


@pytest.mark.parametrize(
    ("lang", "reference", "hypothesis", "label"),
    [
        ("es", "no he firmado nada", "he firmado", "negation"),
        ("de", "anna hat peter gesehen", "peter hat anna gesehen", "role"),
        ("fr", "fermez la porte", "ouvrez la porte", "polarity"),
    ],
)
def test_dangers_of_other_languages(lang: str, reference: str, hypothesis: str, label: str) -> None:
    assert label in labels_of(reference, hypothesis, lang=lang)


@pytest.mark.parametrize(
    ("lang", "reference", "hypothesis"),
    [
        ("es", "nadie vino", "no vino nadie"),
        ("de", "das brot liegt im ofen", "im ofen liegt das brot"),
        ("fr", "il provoquait le champion", "il provoqué le champion"),
    ],
)
def test_harmless_differences_of_other_languages(
    lang: str, reference: str, hypothesis: str
) -> None:
    assert labels_of(reference, hypothesis, lang=lang) == set()
