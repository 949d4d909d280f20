"""The normalizer glm: rules of GLM files; `tests/oracle/test_sclite.py` compares with csrfilt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import misword
from misword.cli.main import main
from misword.core.errors import InputError, OptionError
from misword.text.normalizers import normalizers
from misword.text.normalizers.sclite import Glm


@pytest.fixture
def glm(tmp_path: Path) -> Callable[[str], str]:
    def written(rules: str) -> str:
        path = tmp_path / "rules.glm"
        path.write_text(f";; rules\n* case_sensitive = 'F'\n{rules}\n", "utf-8")
        return str(path)

    return written


@pytest.mark.parametrize(
    ("rules", "text", "expected"),
    [
        ("CANCELLED => CANCELED ;; per AHD", "it was Cancelled", "it was CANCELED"),
        ("GO => WENT", "gone ago", "WENTne aWENT"),  # without contexts also within a word
        ("GO => WENT / [ ] __ [ ]", "go gone go", "WENT gone WENT"),
        ("A => B / [ ] __ [ ]", "a a a", "B B B"),  # a context is not used up
        ("A => B\nB => C", "ab", "BC"),  # a result is not read again
        ("A => B / [ ] __ [ ]\nX => Y / [B ] __", "a x", "B x"),  # contexts before all rules
        ("AB => 1\nABC => 2", "abc", "1c"),  # the first rule, not the longest
        ("ABC => 2\nAB => 1", "abc ab", "2 1"),
        ("[HM ] => []", "hm yes", "yes"),
        ("FALKNER => FAULKNER / [WILLIAM ] __", "William Falkner, Falkner", None),
        ("'EM => THEM", "get 'em", "get THEM"),
        ("[HE'S] => [{HE IS/HE HAS}] / [ ] __ [ ]", "so he's in", "so { HE IS / HE HAS } in"),
        ("X => {Y / Z}", "a x", "a { Y / Z }"),
        ("A.B => C / [ ] __ [ ]", "a.b axb", "C axb"),  # no regular expressions
        ("", "some  (it is) text", "some (it) (is) text"),
    ],
)
def test_rules(glm: Callable[[str], str], rules: str, text: str, expected: str | None) -> None:
    expected = "William FAULKNER, Falkner" if expected is None else expected
    assert Glm(glm(rules)).apply_row(text) == expected


def test_case(tmp_path: Path) -> None:
    path = tmp_path / "rules.glm"
    path.write_text("* CASE_SENSITIVE = 'T'\nUS => U. S. / [ ] __ [ ]\n", "utf-8")
    assert Glm(str(path)).apply_row("tell us US") == "tell us U. S."


def test_rules_for_a_side(glm: Callable[[str], str]) -> None:
    rules = (
        "A => 1\n"
        ';; INPUT_DEPENDENT_APPLICATION = "hyp"\nB => 2\n'
        ';; INPUT_DEPENDENT_APPLICATION = "stm|REF"\nC => 3\n'
        ';; INPUT_DEPENDENT_APPLICATION = ".*"\nD => 4'
    )
    both = Glm(glm(rules))
    assert both.for_side("reference").apply_row("a b c d") == "1 b 3 4"
    assert both.for_side("hypothesis").apply_row("a b c d") == "1 2 c 4"


def test_hyphens(glm: Callable[[str], str]) -> None:
    text = "age-old c- -d (e-f)"
    assert Glm(glm("")).apply_row(text) == text
    assert Glm(glm(""), hyphens="split").apply_row(text) == "age old c- -d (e) (f)"


@pytest.mark.parametrize(
    ("rule", "match"),
    [
        ("A B", "not a rule: 'A B'"),
        ("=> B", "not a rule"),
        ("[] => B", "not a rule"),
        ("A => [{B / C]", "braces do not match"),
        (';; INPUT_DEPENDENT_APPLICATION = "("', "no regular expression"),
    ],
)
def test_what_is_refused(glm: Callable[[str], str], rule: str, match: str) -> None:
    path = glm(rule)
    with pytest.raises(InputError, match=match) as caught:
        Glm(path)
    assert caught.value.where == f"{path}:3"


def test_a_file_is_needed() -> None:
    with pytest.raises(OptionError, match="no GLM file"):
        normalizers("glm")


def test_alternatives_of_both_sides(glm: Callable[[str], str]) -> None:
    path = glm("[HE'S] => [{HE IS / HE HAS}] / [ ] __ [ ]\nUM => {UM / @} / [ ] __ [ ]")
    scores = misword.score(
        ["he has um gone", "um he's in"], ["he's gone", "he is in"], "wer",
        normalize=f"lower,glm:file={path}",
    )  # fmt: skip
    assert scores.statistics("wer")[:, 1:].sum() == 0
    assert "glm[sha256=" in str(scores.columns[0].signature)


def test_the_option(glm: Callable[[str], str], tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("r.trn", "h.trn")]
    for path, text in zip(paths, ("he has (um) gone (A-1)", "He's GONE (a-1)"), strict=True):
        Path(path).write_text(f"{text}\n", "utf-8")
    rules = glm("[HE'S] => [{HE IS / HE HAS}] / [ ] __ [ ]")

    def run(*options: str) -> int:
        return main(["score", *paths, *options, "--format", "json", "--bootstrap", "0"])

    assert run("--preset", "sclite", "--glm", rules) == 0
    assert run("--normalize", "lower", "--glm", rules) == 0
    assert run("--preset", "kaldi", "--glm", rules) == 2


def test_a_long_line_of_a_header_takes_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "rules.glm"
    path.write_text(f"* {'name' * 50_000}\n* name {' ' * 100_000}x\n*  case_sensitive = 'T'\n")
    assert Glm(str(path)).case_sensitive
