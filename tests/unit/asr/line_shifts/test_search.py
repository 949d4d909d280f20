"""Planted shifts are found at their place, and nothing is found in files without shifts."""

from __future__ import annotations

import numpy as np
import pytest

from misword.asr.line_shifts.search import LineShift, find_shifts
from misword.core.errors import InputError

RNG = np.random.default_rng(3)
SYLLABLES = ["ba", "ko", "ri", "tu", "mel", "san", "vor", "dil", "pe", "gan", "lo", "chi"]
VOCABULARY = ["".join(RNG.choice(SYLLABLES, int(RNG.integers(1, 5)))) for _ in range(1500)]


def sentences(count: int, words: tuple[int, int] = (4, 12), seed: int = 0) -> list[str]:
    """Random sentences whose words have frequencies by Zipf's law."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(VOCABULARY) + 1)
    return [
        " ".join(rng.choice(VOCABULARY, int(rng.integers(*words)), p=shares / shares.sum()))
        for _ in range(count)
    ]


def misheard(lines: list[str], rate: float, seed: int = 1) -> list[str]:
    """Lines with a share of the words replaced."""
    rng = np.random.default_rng(seed)
    return [
        " ".join(str(rng.choice(VOCABULARY)) if rng.random() < rate else w for w in line.split())
        for line in lines
    ]


def found(left: list[str], right: list[str]) -> list[tuple[int, int, int]]:
    return [(shift.first, shift.last, shift.offset) for shift in find_shifts(left, right)]


LEFT = sentences(400)
RIGHT = misheard(LEFT, 0.3)


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3, 0.6, 0.9])
def test_files_without_a_shift_have_none(rate: float) -> None:
    assert found(LEFT, misheard(LEFT, rate)) == []


@pytest.mark.parametrize("count", [1, 3, 50])
def test_inserted_lines(count: int) -> None:
    right = RIGHT[:150] + sentences(count, seed=9) + RIGHT[150:]
    assert found(LEFT, right) == [(151, 400, count)]
    assert found(LEFT, right[:400]) == [(151, 400 - count, count)]


@pytest.mark.parametrize("count", [1, 2, 50])
def test_lost_lines(count: int) -> None:
    """Lines that were lost have no partner, so the shift begins after them."""
    assert found(LEFT, RIGHT[:150] + RIGHT[150 + count :]) == [(151 + count, 400, -count)]


def test_a_shift_that_ends() -> None:
    right = [*RIGHT[:100], "voici une ligne", *RIGHT[100:200], *RIGHT[201:]]
    assert found(LEFT, right) == [(101, 200, 1)]


def test_several_shifts() -> None:
    extra = sentences(3, seed=9)
    right = RIGHT[:80] + extra[:1] + RIGHT[80:160] + extra[1:] + RIGHT[160:240] + RIGHT[244:]
    assert found(LEFT, right) == [(81, 160, 1), (161, 240, 3), (245, 400, -1)]


def test_swapped_blocks() -> None:
    right = RIGHT[:100] + RIGHT[160:220] + RIGHT[100:160] + RIGHT[220:]
    (first, second) = found(LEFT, right)
    assert first == (101, 160, 60)
    assert (second[0], second[2]) == (161, -60)
    assert abs(second[1] - 220) <= 2


def test_a_shift_of_the_whole_file() -> None:
    assert found(LEFT, RIGHT[2:]) == [(3, 400, -2)]
    assert found(LEFT, sentences(1, seed=9) + RIGHT) == [(1, 400, 1)]


def test_a_shift_by_a_thousand_lines() -> None:
    left = sentences(3000, seed=5)
    right = misheard(left, 0.3)
    assert found(left, right[:500] + right[1500:]) == [(1501, 3000, -1000)]


def test_the_last_lines() -> None:
    right = RIGHT[:394] + sentences(1, seed=9) + RIGHT[394:]
    assert found(LEFT, right) == [(395, 400, 1)]


def test_a_small_file() -> None:
    right = RIGHT[:15] + sentences(1, seed=9) + RIGHT[15:30]
    assert found(LEFT[:30], RIGHT[:30]) == []
    assert found(LEFT[:30], right) == [(16, 30, 1)]


@pytest.mark.parametrize("rate", [0.6, 0.8])
def test_very_noisy_hypotheses(rate: float) -> None:
    noisy = misheard(LEFT, rate)
    shifts = found(LEFT, noisy[:200] + sentences(1, seed=9) + noisy[200:])
    assert [(last, offset) for _, last, offset in shifts] == [(400, 1)]
    assert abs(shifts[0][0] - 201) <= 5


def test_short_answers_that_recur() -> None:
    """Most lines are one of three phrases; the rest decides."""
    left = [
        line if k % 5 == 0 else ["merci", "oui", "oui merci"][k % 3] for k, line in enumerate(LEFT)
    ]
    right = [noisy if k % 5 == 0 else left[k] for k, noisy in enumerate(RIGHT)]
    assert found(left, right) == []
    shifts = found(left, [*right[:200], "oui", *right[200:]])
    assert [(last, offset) for _, last, offset in shifts] == [(400, 1)]
    assert abs(shifts[0][0] - 201) <= 5


def test_lines_that_are_repeated_three_times() -> None:
    """Each sentence is read by three speakers, so most lines fit their neighbours, too."""
    left = [line for line in LEFT[:100] for _ in range(3)]
    right = misheard(left, 0.3)
    assert found(left, right) == []
    shifts = found(left, right[:150] + right[:1] + right[150:])
    assert [(last, offset) for _, last, offset in shifts] == [(300, 1)]
    assert abs(shifts[0][0] - 151) <= 5


def test_a_repeated_hypothesis_is_not_a_shift() -> None:
    right = RIGHT[:100] + ["thank you for watching"] * 60 + RIGHT[160:]
    assert found(LEFT, right) == []


@pytest.mark.parametrize(
    "right",
    [
        pytest.param(sentences(400, seed=77), id="unrelated"),
        pytest.param([""] * 400, id="empty"),
        pytest.param([line if k % 3 else "" for k, line in enumerate(RIGHT)], id="gaps"),
        pytest.param(RIGHT[:100] + [""] * 100 + RIGHT[200:], id="empty-block"),
        pytest.param(RIGHT[:100] + sentences(100, seed=78) + RIGHT[200:], id="other-block"),
        pytest.param(RIGHT[:100] + RIGHT[100:200][::-1] + RIGHT[200:], id="reversed-block"),
        pytest.param(RIGHT + sentences(30, seed=79), id="longer"),
        pytest.param(RIGHT[:-30], id="shorter"),
        pytest.param(["same"] * 400, id="same"),
    ],
)
def test_other_faults_are_not_shifts(right: list[str]) -> None:
    assert found(LEFT, right) == []


def test_case_and_punctuation_do_not_matter() -> None:
    right = [f"{line.capitalize()}!" for line in RIGHT]
    assert found(LEFT, right) == []
    assert found(LEFT, [*right[:150], "Bravo.", *right[150:]]) == [(151, 400, 1)]


@pytest.mark.parametrize("first", [0x4E00, 0x3041, 0x0430, 0x0E01])
def test_other_scripts(first: int) -> None:
    """Chinese, Japanese and Thai text without spaces, and Cyrillic text."""
    letters = {chr(97 + k): chr(first + k) for k in range(26)}
    space = " " if first == 0x0430 else ""
    table = str.maketrans({**letters, " ": space})
    left, right = ([line.translate(table) for line in lines] for lines in (LEFT, RIGHT))
    assert found(left, right) == []
    assert found(left, right[:150] + right[:2] + right[150:]) == [(151, 400, 2)]


def test_translations_that_share_names_and_numbers() -> None:
    """Every third line has a name or a number; all other words differ."""
    rng = np.random.default_rng(4)
    table = str.maketrans("abcdefghiklmnoprstuv", "оянтсмрвлкпбгзйчшфыэ")
    left = [f"{line} Nom{rng.integers(500)}" if k % 3 == 0 else line for k, line in enumerate(LEFT)]
    right = [
        " ".join([LEFT[k].translate(table), *(w for w in line.split() if w.startswith("Nom"))])
        for k, line in enumerate(left)
    ]
    assert found(left, right) == []
    shifts = found(left, right[:200] + right[:1] + right[200:])
    assert [offset for _, _, offset in shifts] == [1]
    assert abs(shifts[0][0] - 201) <= 5


def test_vectors_of_lines_are_evidence() -> None:
    """Two texts that share nothing but the space of their vectors."""
    rng = np.random.default_rng(6)
    vectors = rng.standard_normal((300, 40)).astype(np.float32)
    noisy = vectors + 0.8 * rng.standard_normal(vectors.shape).astype(np.float32)
    unit, other = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (vectors, noisy))
    left, right = ["a b c"] * 300, ["x y z"] * 299
    shifted = np.delete(other, 120, axis=0)
    assert find_shifts(left, right) == []
    (shift,) = find_shifts(left, right, vectors=(unit, shifted))
    assert (shift.last, shift.offset) == (300, -1)
    assert abs(shift.first - 122) <= 2


def test_vectors_are_those_of_the_lines() -> None:
    with pytest.raises(InputError, match="2 and 3 vectors for 1 and 1 lines"):
        find_shifts(
            ["a"], ["a"], vectors=(np.ones((2, 1), np.float32), np.ones((3, 1), np.float32))
        )


def test_empty_files() -> None:
    assert find_shifts([], ["a"]) == []
    assert find_shifts(["a"], []) == []
    assert find_shifts(["", ""], ["", ""]) == []
    assert find_shifts(["a\nb", "\0", "\ud800"], ["a", "", "?"]) == []


def test_evidence_and_similarities() -> None:
    (shift,) = find_shifts(LEFT, [*LEFT[:200], "another", *LEFT[200:]])
    assert isinstance(shift, LineShift)
    assert shift.evidence > 100
    assert shift.similarity == pytest.approx(1, abs=0.1)
    assert shift.unshifted_similarity < 0.2


def test_the_same_files_give_the_same_shifts() -> None:
    right = RIGHT[:150] + RIGHT[152:]
    assert find_shifts(LEFT, right) == find_shifts(LEFT, right)
