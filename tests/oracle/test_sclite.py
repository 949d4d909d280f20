"""misword beside NIST sclite: alignments by sclite's costs, alternatives, segments."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import misword
from misword.alignment import align
from misword.core.types import Op
from misword.io.transcripts.alternatives import spaced
from misword.io.transcripts.read import read_corpus
from misword.text.normalizers import NORMALIZERS, Side
from misword.text.texts import Texts
from misword.text.tokens import encode_words
from sclite import program, run_sclite

Write = Callable[[str, str], Path]
# Lines of SCTK's src/sclite/testdata/tests.ref and tests.hyp: reference and hypothesis.
LINES = [
    ("a b { c d / c / e } e f g", "a b c d e f g"),
    ("a b { c / e / c d } f g", "a b c d e f g"),
    ("a b c d { e / c / @ } f g", "a b c d e f g"),
    ("a b c d e { e / c / @ } f g", "a b c d e f g"),
    ("uh uh had a long { age-old / age old } problem of my bright",
     "uh uh have along which go problem of my private"),
    ("a { b / cd } { e f / ef }", "a {bc / b } { e d / ef}"),
    ("a { b / cd / { g h i / gh i / g ih} bd } { e { i n / th } f / ef }", "a gh i bd e i th f"),
    ("a { b / cd / { g h i / gh i / g ih} bd } { e { i n / th } f / ef }", "a gh i bd e i n th f"),
    ("this is the ten", "th {e/is} is {th/t} en"),
    ("{the / this} is the tea",
     "th { {e / @} is {w as / i / s / @ } / d is } is {th/t} en"),
    ("{fi-/fig-} th- fi- -icks {-lk/-ik} -offee -him find the fish ticks milk fee him",
     "find the fish ticks milk fee him {fi-/fig-} th- fi- -icks {-lk/-ik} -offee -him"),
    ("del fi- del_withnull { fi /@ } skip skip substitution fi- sub_withnull { fi- / @ }",
     "del del_withnull skip skip substitution flag sub_withnull flag"),
    ("", "a b c e f g h i j k"),
    ("a { c / @ } d", "a c i d"),
    ("a { c / @ } d", "a {@ / c} d"),
    ("a { c / @ } d", "a {d / @} d"),
    ("a d @ e", "a d e"),
    ("a d c", "a {e- / @} c"),
    ("b (c) d", "b e"),
    ("b (c) d", "b c e"),
    ("b (c) d", "b d e"),
    ("b (c) d", "e"),
    ("(a) (c) b d e", "s s s"),
    ("a c b (d) (e)", "s s s"),
    ("b (c-) d", "b c i e"),
    ("b (ten-) (the) can d", "b ten the and"),
    (r"a aa\;a b\;b;tag1;tag2 b;tag1 c;;tag2 d*", r"z aa\;a b\;b;tag y;x c;;tag2 d"),
]  # fmt: skip
LETTERS = {Op.HIT: "H", Op.SUBSTITUTION: "S", Op.INSERTION: "I", Op.DELETION: "D"}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return written


def trn(texts: list[str]) -> str:
    return "".join(f"{text} (s-{number:04d})\n" for number, text in enumerate(texts))


def test_random_alignments(write: Write) -> None:
    drawn = random.Random(3)
    words = [["".join(drawn.choices("abc", k=1)) for _ in range(drawn.randint(0, 12))]
             for _ in range(1200)]  # fmt: skip
    texts = [" ".join(row) for row in words]
    references, hypotheses = texts[:600], texts[600:]
    found = run_sclite(write("r.trn", trn(references)), write("h.trn", trn(hypotheses)))
    ours = align(*encode_words([Texts.of(references), Texts.of(hypotheses)]), ties="sclite")
    for number, pair in enumerate(zip(references, hypotheses, strict=True)):
        theirs = found[f"s-{number:04d}"]
        assert tuple(ours.counts[number]) == theirs.counts, pair
        letters = "".join(LETTERS[Op(op)] for op in ours.operations(number))
        assert letters == theirs.operations, pair


def scored(reference: Path, hypothesis: Path, **options: str) -> list[list[int]]:
    corpus, _ = read_corpus(reference, [hypothesis])
    scores = misword.score(corpus, preset="sclite", **options)  # type: ignore[arg-type]
    counts: list[list[int]] = scores.statistics("wer:ties=sclite").tolist()
    return counts


def with_alternatives(words: str, empty: float, rng: random.Random, depth: int = 0) -> str:
    """Return random words with groups of alternatives; `empty` is the share of empty ones."""
    found = []
    for _ in range(rng.randint(1, 3 if depth else 8)):
        if depth < 2 and rng.random() < (0.15 if depth else 0.3):
            options = (
                "@" if rng.random() < empty else with_alternatives(words, empty, rng, depth + 1)
                for _ in range(rng.randint(2, 3))
            )
            found.append(f"{{ {' / '.join(options)} }}")
        else:
            found.append(rng.choice(words))
    return " ".join(found)


@pytest.mark.parametrize(("empty", "most"), [(0.0, 0), (0.2, 3)])
def test_random_alternatives(write: Write, empty: float, most: int) -> None:
    """The reading is chosen by sclite's costs, also without the preset.

    In sclite an empty alternative is a word `@`, after which it prefers insertions to
    substitutions before it at the same cost. That is why a few counts differ.
    """
    rng = random.Random(5)
    words = ["ab", "abcd", "abcdefgh"]
    pairs = [
        (with_alternatives(words[row % 3], empty, rng), " ".join(rng.choices(words[row % 3], k=6)))
        for row in range(900)
    ]
    names = [f"s-{row:04d}" for row in range(len(pairs))]
    references, hypotheses = (list(side) for side in zip(*pairs, strict=True))
    expected = run_sclite(write("r.trn", trn(references)), write("h.trn", trn(hypotheses)))
    scores = misword.score(references, hypotheses, "wer:ties=sclite")
    found = map(tuple, scores.statistics("wer:ties=sclite").tolist())
    differ = [
        (pair, counts)
        for pair, counts, name in zip(pairs, found, names, strict=True)
        if counts != expected[name].counts
    ]
    assert len(differ) <= most, differ[:3]


def test_own_test_data(write: Write) -> None:
    references, hypotheses = (list(side) for side in zip(*LINES, strict=True))
    paths = (
        write("r.trn", trn(references)),
        write("h.trn", ";; by hand\n" + trn(hypotheses).upper()),
    )
    found = run_sclite(*paths, "-F", "-D")
    for line, ours, theirs in zip(LINES, scored(*paths), found.values(), strict=True):
        assert tuple(ours) == theirs.counts, line


def test_an_optional_word_that_is_left_out_costs_sclite_more(write: Write) -> None:
    """sclite substitutes the optional word here; the number of errors is the same."""
    paths = write("r.trn", trn(["b (c) d"])), write("h.trn", trn(["b s i e"]))
    (theirs,), (ours,) = run_sclite(*paths, "-F", "-D").values(), scored(*paths)
    assert theirs.counts == (1, 2, 1, 0)
    assert ours == [2, 1, 2, 0]


def test_segments_and_timed_words(write: Write) -> None:
    """Every kind of place that a word can have, and alternatives, by sclite's own assignment."""
    drawn = random.Random(5)
    stm, begin = [], 0.03  # no middle of a word is the end of a segment, which sclite rounds
    for number in range(40):
        begin += drawn.choice([0, 0, 0.7])
        end = begin + drawn.choice([1, 2.5])
        words = " ".join(drawn.choices(["a", "b", "c", "{ um / uh }", "{d/@}"], k=4))
        text = "IGNORE_TIME_SEGMENT_IN_SCORING" if number % 7 == 3 else words
        stm.append(f"rec A spk{number:02d} {begin:.2f} {end:.2f} <o> {text}\n")
        begin = end
    ctm, time = [], 0.0
    while time < begin + 3:
        word = drawn.choice("abcd")
        if drawn.random() < 0.2:
            lines = ["* * <ALT_BEGIN>", f"{time:.2f} 0.20 {word}", "* * <ALT>",
                     f"{time:.2f} 0.10 um", "* * <ALT_END>"]  # fmt: skip
        else:
            lines = [f"{time:.2f} {drawn.choice([0.1, 0.3, -0.01]):.2f} {word}"]
        ctm += [f"REC a {line}\n" for line in lines]
        time += drawn.choice([0.3, 0.5])
    paths = write("r.stm", "".join(stm)), write("h.ctm", "".join(ctm))
    found = run_sclite(*paths, formats=("stm", "ctm"))
    assert [tuple(row) for row in scored(*paths)] == [row.counts for row in found.values()]


GLM = """;; rules
* name "test"
* format = 'NIST1'
* max_nrules = '50'
* copy_no_hit = 'T'
* case_sensitive = 'F'
'CAUSE => BECAUSE ;; without context
UH-HUH => %BCACK / [ ] __ [ ] ;; affirmative
OK => O. K. / [ ] __ [ ]
A => B / [ ] __ [ ]
Q => R / [A ] __
FALKNER => FAULKNER / [WILLIAM ] __
GONNA => GOING TO
GO => WENT / [ ] __ [ ]
T. => TEE / __ [ SHIRT]
[HM ] => []
DOWN SYNDROME => DOWN'S SYNDROME
[HE'S] => [{HE IS / HE HAS}] / [ ] __ [ ]
;; INPUT_DEPENDENT_APPLICATION = "hyp"
WON'T => [{WILL NOT / WON'T}] / [ ] __ [ ]
"""


@pytest.mark.parametrize("hyphens", ["keep", "split"])
@pytest.mark.parametrize(("side", "purpose"), [("reference", "ref"), ("hypothesis", "hyp")])
def test_rules_of_csrfilt(write: Write, hyphens: str, side: Side, purpose: str) -> None:
    """Random texts of the words of the rules, beside csrfilt."""
    drawn = random.Random(7)
    words = ["'cause", "xcause", "uh-huh", "OK", "a", "Q", "falkner", "William", "gonna", "gonnab"]
    words += ["go", "t.", "shirt", "hm", "down", "syndrome", "he's", "won't", "(it)", "c-", "-d"]
    words += ["age-old", "ahm", "(a-b)"]
    texts = [" ".join(drawn.choices(words, k=8)) for _ in range(60)]
    glm = write("rules.glm", GLM)
    csrfilt = program("csrfilt.sh")
    dash = ["-dh"] if hyphens == "split" else []
    found = subprocess.run(
        ["sh", csrfilt, *dash, "-t", purpose, "-i", "txt", str(glm)],
        input="".join(f"{text}\n" for text in texts), text=True, capture_output=True, check=True,
        env=os.environ | {"PATH": f"{Path(csrfilt).parent}:{os.environ['PATH']}"},
    ).stdout.splitlines()  # fmt: skip
    ours = NORMALIZERS.create(f"glm:file={glm},hyphens={hyphens}").for_side(side)
    for text, expected in zip(texts, found, strict=True):
        assert ours.apply_row(text).upper() == " ".join(spaced(expected, "").split()), text
