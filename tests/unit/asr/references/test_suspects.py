"""Suspects of references: candidates, independence of systems, kinds, whole lines."""

from __future__ import annotations

import numpy as np
import pytest

import misword
from misword.asr.corpus import make_corpus
from misword.asr.options import combine
from misword.asr.references.candidates import PlainText, listen
from misword.asr.references.evidence import FEATURES, Language, effective_number, shared_errors
from misword.asr.references.panel import fisher_greater
from misword.asr.references.references import References
from misword.asr.references.suspects import model
from misword.core.context import Context
from misword.core.errors import OptionError

LINES = [
    "the meeting begins at ten in the large room",
    "we will talk about the budget of the next year",
    "the results of the second quarter were better than expected",
    "she said that the trains to london were late again",
    "nobody knows how long the repair of the bridge will take",
]


def doubted(references: list[str], *changed: dict[int, str], **options: object) -> References:
    """Doubt references by systems that write LINES, except for some lines."""
    systems = {
        f"s{number}": [lines.get(row, text) for row, text in enumerate(LINES)]
        for number, lines in enumerate(changed, 1)
    }
    return misword.references(references, systems, bootstrap=0, **options)  # type: ignore[arg-type]


def planted(row: int, text: str) -> list[str]:
    return [text if number == row else line for number, line in enumerate(LINES)]


@pytest.mark.parametrize(
    ("text", "reference", "consensus", "kind", "place"),
    [
        (LINES[1].replace("budget", "gadget"), "gadget", "budget", "word", (5, 6)),
        (LINES[1].replace("of the next", "the next"), "", "of", "missing word", (6, 6)),
        (LINES[1].replace("the next", "the good next"), "good", "", "extra word", (8, 9)),
        (LINES[1].replace("year", "year 7"), "7", "", "number", (10, 11)),
        (LINES[1].replace("we will", "we uh will"), None, None, None, None),
        (LINES[1].replace("the budget", "{ the / a } { gadget / thing }"), None, None, None, None),
    ],
)
def test_kinds(
    text: str, reference: str, consensus: str, kind: str, place: tuple[int, int]
) -> None:
    found = doubted(planted(1, text), {}, {}, {}).suspects
    if kind is None:  # fillers are forgiven, and alternatives are never suspect
        assert not found
        return
    (one,) = found
    assert (one.reference, one.consensus, one.kind) == (reference, consensus, kind)
    assert (one.start, one.end) == place
    assert one.systems == ("s1", "s2", "s3")
    assert not one.against


def test_systems_that_have_the_words_of_the_reference_oppose() -> None:
    text = LINES[1].replace("budget", "gadget")
    (one,) = doubted(planted(1, text), {}, {}, {1: text}).suspects
    assert (one.systems, one.against) == (("s1", "s2"), ("s3",))
    unanimous = doubted(planted(1, text), {}, {}, {}).suspects[0]
    assert one.probability < unanimous.probability


def test_differences_of_writing_between_systems_are_no_differences() -> None:
    other = {2: LINES[2].replace("second", "2nd")}
    text = LINES[2].replace("second", "last")
    (one,) = doubted(planted(2, text), {}, other, lang="en").suspects
    assert (one.reference, one.systems) == ("last", ("s1", "s2"))


def test_a_line_that_belongs_elsewhere() -> None:
    swapped = [LINES[1], LINES[0], *LINES[2:]]
    found = doubted(swapped, {}, {}, {}).suspects
    assert [(one.utt, one.kind, one.consensus) for one in found] == [
        ("1", "line", LINES[0]), ("2", "line", LINES[1]),
    ]  # fmt: skip
    assert "it is the text of '2'" in found[0].evidence


def test_an_empty_reference() -> None:
    (one,) = doubted(planted(3, ""), {}, {}, {}).suspects
    assert (one.utt, one.kind, one.consensus) == ("4", "line", LINES[3])
    assert "the reference is empty" in one.evidence


def test_the_consensus_has_the_style_of_the_references() -> None:
    loud = {1: LINES[1].replace("budget", "BUDGET,")}
    text = LINES[1].replace("budget", "gadget")
    assert doubted(planted(1, text), loud, loud).suspects[0].consensus == "budget"


def test_two_checkpoints_count_as_less_than_two_systems() -> None:
    wrong = {0: LINES[0].replace("ten", "tin"), 3: LINES[3].replace("late", "eight")}
    corpus = make_corpus(
        LINES,
        {
            "a": [wrong.get(row, line) for row, line in enumerate(LINES)],
            "b": [wrong.get(row, line) for row, line in enumerate(LINES)],
            "c": [line.replace("bridge", "fridge") for line in LINES],
        },
    )
    context = Context.of("en")
    alike = shared_errors(listen(corpus, combine(context, "wer"), (), context))
    assert alike.round(6).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert effective_number([0, 1], alike) == 1
    assert effective_number([0, 2], alike) == 2
    assert effective_number([0, 1, 2], alike) == pytest.approx(9 / 5)


def test_language_does_not_count_the_text_in_doubt() -> None:
    language = Language([["at", "ten", "in"]] * 3 + [["at", "tin", "in"]])
    assert language.log_odds(("", "at"), ("in", ""), ("tin",), ("ten",)) > 2
    assert language.log_odds(("", "at"), ("in", ""), ("ten",), ("tin",)) < 0


def test_rates_before_and_after() -> None:
    text = LINES[1].replace("budget", "gadget")
    found = doubted(planted(1, text), {}, {}, {}, {1: text}, threshold=1e-9)
    rows = found.tables["rates"].to_dicts()
    words = sum(len(line.split()) for line in LINES)
    assert [row["raw"] for row in rows] == pytest.approx([1 / words] * 3 + [0])
    assert [row["corrected"] for row in rows] == pytest.approx([0] * 3 + [1 / words])
    assert [row["left_out"] for row in rows] == pytest.approx([0] * 3 + [1 / words])
    assert [row["raw_rank"] for row in rows] == [2, 2, 2, 1]
    assert [row["left_out_rank"] for row in rows] == [1, 1, 1, 4]
    headline = found.description.headline(found.result())
    assert headline.startswith("Ranks change with its own vote left out: s1 from 2 to 1")


def test_no_system_corrects_its_own_exam() -> None:
    # Two of three agree: without one of them, the other has no second voice.
    text = LINES[1].replace("budget", "gadget")
    rows = doubted(planted(1, text), {}, {}, {1: text}, threshold=1e-9).tables["rates"].to_dicts()
    words = sum(len(line.split()) for line in LINES)
    assert [row["corrected"] for row in rows] == pytest.approx([0, 0, 1 / words])
    assert [row["left_out"] for row in rows] == pytest.approx([1 / words, 1 / words, 1 / words])


def test_contamination() -> None:
    references, own = list(LINES), {}
    for row, (right, wrong) in enumerate(
        [("ten", "nine"), ("budget", "gadget"), ("better", "worse"), ("late", "early"),
         ("bridge", "road")]
    ):  # fmt: skip
        references[row] = own[row] = LINES[row].replace(right, wrong)
    table = doubted(references, {}, {}, {}, own, threshold=1e-9).tables["contamination"]
    rows = {row["system"]: row for row in table.to_dicts()}
    assert (rows["s4"]["agrees"], rows["s4"]["places"]) == (5, 5)
    assert rows["s1"]["agrees"] == 0


@pytest.mark.parametrize("table", [(8, 10, 1, 10), (3, 5, 2, 9), (0, 4, 2, 7), (4, 4, 1, 12)])
def test_fisher(table: tuple[int, int, int, int]) -> None:
    scipy = pytest.importorskip("scipy.stats")
    hits, size, other_hits, other_size = table
    counts = [[hits, size - hits], [other_hits, other_size - other_hits]]
    expected = scipy.fisher_exact(counts, alternative="greater").pvalue
    assert fisher_greater(*table) == pytest.approx(expected)


def test_one_system_cannot_contradict() -> None:
    with pytest.raises(OptionError, match="one system, s1, cannot contradict"):
        doubted(LINES, {})
    with pytest.raises(OptionError, match="threshold is 0"):
        doubted(LINES, {}, {}, threshold=0)


def test_other_references_count_as_systems() -> None:
    text = LINES[1].replace("budget", "gadget")
    found = misword.references(
        planted(1, text), {"s": LINES}, more_references=[LINES], bootstrap=0, threshold=1e-9
    )
    assert found.suspects[0].systems == ("s", "reference 2")
    assert found.tables["agreement"]["rate"].to_list() == pytest.approx([1 / 50, 1 / 50])
    assert found.tables["rates"]["system"].to_list() == ["s"]


def test_plain_text_of_alternatives() -> None:
    found = PlainText.of("a { b / c d } e")
    assert (found.words, found.places) == (("a", "b", "e"), (0, -1, 7))


def test_empty_texts() -> None:
    found = misword.references(["", "a b"], {"x": ["", "a b"], "y": ["", ""]}, bootstrap=0)
    assert found.suspects == ()
    assert np.isfinite(model().weights).all()
    assert len(model().weights) == len(FEATURES)
