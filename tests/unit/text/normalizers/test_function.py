"""Functions as normalizers, and what a signature has of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import pytest

import misword
from misword.core.errors import InputError, OptionError
from misword.text.normalizers import normalize, normalizers, spell_chain
from misword.text.texts import Texts


def plain(text: str) -> str:
    return text.replace("x", "y")


def suffixed(text: str, suffix: str = "s") -> str:
    return f"{text}{suffix}"


def adding(suffix: str) -> Callable[[str], str]:
    def add(text: str) -> str:
        return text + suffix

    return add


class Caller:
    def __call__(self, text: str) -> str:
        return text.lower()


def identity(function: Any) -> str:
    return spell_chain(normalizers([function]))


def test_a_function_is_a_normalizer() -> None:
    scores = misword.score(["Ax b"], ["ay b"], "wer", normalize=["nfc", "lower", plain])
    assert scores.summary(bootstrap=0)["rate"].to_list() == [0.0]
    assert "norm:nfc+lower+function[source=" in str(scores.columns[0].signature)


def test_a_function_alone() -> None:
    assert misword.score(["x"], ["y"], "wer", normalize=plain).summary()["rate"].to_list() == [0.0]


def test_each_distinct_row_is_given_once() -> None:
    seen: list[str] = []

    def record(text: str) -> str:
        seen.append(text)
        return text

    misword.score(["a", "b", "a"], ["a", "a", "c"], "wer", normalize=[record])
    assert sorted(seen) == ["a", "a", "b", "c"]  # references, then hypotheses


def test_a_given_name_is_in_the_signature() -> None:
    assert identity(misword.normalizer(plain, name="mine-1.2")) == "function[name=mine-1.2]"


@pytest.mark.parametrize("name", ["a|b", "a b", "a,b", "x=1", " "])
def test_names_that_break_a_signature_are_refused(name: str) -> None:
    with pytest.raises(OptionError, match="cannot be in a signature"):
        misword.normalizer(plain, name=name)


def test_digests_tell_functions_apart() -> None:
    functions: list[Any] = [
        plain, suffixed, adding("a"), adding("b"), Caller(), partial(suffixed, suffix="a"),
        partial(suffixed, suffix="b"), str.swapcase, str.lower, Caller.__call__.__get__(Caller()),
    ]  # fmt: skip
    found = [identity(function) for function in functions]
    assert len(set(found)) == len(found)
    assert found == [identity(function) for function in functions]
    assert identity(adding("a")) == found[2]
    assert identity(str.lower) == "function[name=builtins.str.lower]"


def test_a_function_without_source_has_a_digest_of_its_code() -> None:
    def made(code: str) -> Any:
        space: dict[str, FunctionType] = {}
        exec(code, space)
        return space["f"]

    one, other = made("def f(t): return t + 'a'"), made("def f(t): return t + 'b'")
    assert identity(one).startswith("function[code=")
    assert identity(one) != identity(other)
    assert identity(one) == identity(made("def f(t): return t + 'a'"))


def test_what_a_function_must_return() -> None:
    with pytest.raises(OptionError, match="returned a list"):
        misword.score(["a"], ["a"], normalize=[str.split])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="number of rows"):
        misword.score(["a"], ["a"], normalize=[lambda text: text + "\0"])


def test_an_error_in_a_function_names_the_text() -> None:
    with pytest.raises(InputError, match="failed: ZeroDivisionError") as caught:
        misword.score(["one"], ["two"], normalize=[lambda text: str(1 / 0)])
    assert "'one'" in caught.value.where
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_no_rows_stay_no_rows() -> None:
    chain = normalizers([lambda text: f"{text}."])
    assert normalize(Texts.of([]), chain).split() == []
    assert normalize(Texts.of([""]), chain).split() == ["."]


def test_other_objects_are_refused() -> None:
    with pytest.raises(OptionError, match="not a normalizer"):
        misword.score(["a"], ["a"], normalize=[3])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="cannot be called"):
        misword.normalizer("lower")  # type: ignore[arg-type]
