"""Registry, signature, workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.errors import MissingExtraError, OptionError
from misword.core.parts import Part, options_of
from misword.core.parts.registry import Entry, Registry, convert, split_specs
from misword.core.signature import Signature
from misword.core.workers import run, split


@dataclass(frozen=True)
class Sample(Part):
    """A part for these tests."""

    size: int = 3
    share: float = 0.5
    loud: bool = False
    way: Literal["up", "down"] = "up"
    word: str = "x"


PARTS: Registry[Sample] = Registry(
    "samples",
    {
        "sample": Entry(f"{__name__}:Sample"),
        "neural": Entry("no_such_package.part:Part", extra="neural"),
    },
)


def test_options_are_read_as_their_types() -> None:
    made = PARTS.create("sample:size=4,share=0.25,loud=yes,way=down,word=a b")
    assert made == Sample(4, 0.25, True, "down", "a b")
    assert PARTS.create("sample") == Sample()


def test_a_class_that_is_no_part_is_refused() -> None:
    others: Registry[Part] = Registry("samples", {"path": Entry("pathlib:Path")})
    with pytest.raises(OptionError, match="'path' of the samples is not a part"):
        others.load("path")


def test_options_spell_back() -> None:
    made = Sample(4, 0.25, True, "down", "a b")
    spec = "sample:" + ",".join(f"{key}={value}" for key, value in options_of(made))
    assert PARTS.create(spec) == made


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sampel", "did you mean 'sample'"),
        ("sample:sise=4", "no option 'sise'"),
        ("sample:size", "has no '='"),
        ("sample:size=big", "not a int"),
        ("sample:loud=maybe", "use true or false"),
        ("sample:way=left", "use one of: up, down"),
    ],
)
def test_mistakes_are_named(spec: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        PARTS.create(spec)


def test_missing_extra_says_what_to_install() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'misword\[neural\]'"):
        PARTS.create("neural")


def test_other_packages_add_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package's entry point is a part like any other, and cannot replace ours."""
    info = tmp_path / "more_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: more-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[misword.samples]\nextra = more_parts:Extra\nsample = more_parts:Extra\n"
    )
    (tmp_path / "more_parts.py").write_text(
        "import dataclasses\nfrom misword.core.parts import Part\n"
        "@dataclasses.dataclass(frozen=True)\nclass Extra(Part):\n    size: int = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert PARTS.names() == ["extra", "neural", "sample"]
    assert PARTS.create("extra:size=7").size == 7
    assert PARTS.create("sample") == Sample()


def test_optional_options() -> None:
    assert convert("5", int | None, "here") == 5
    assert convert("2", Literal[1, 2], "here") == 2


def test_specs_are_cut_at_commas() -> None:
    assert split_specs(["wer, cer:spaces=false,ties=jiwer", "mer"]) == [
        "wer", "cer:spaces=false,ties=jiwer", "mer",
    ]  # fmt: skip
    assert list(PARTS.create_all("sample,sample:size=1,sample")) == ["sample", "sample:size=1"]


def test_signature_round_trip_and_differences() -> None:
    one = Signature("wer", (("ties", "misword"), ("norm", "nfc")))
    assert Signature.parse(str(one)) == one
    odd = Signature("wer", (("norm", "nopunct[keep=|%:]"),))
    assert Signature.parse(str(odd)) == odd
    other = Signature("cer", (("ties", "jiwer"), ("spaces", "true"), ("norm", "nfc")))
    assert one.differences(one) == []
    assert one.differences(other) == [
        "metric: wer / cer", "ties: misword / jiwer", "spaces: not set / true",
    ]  # fmt: skip
    with pytest.raises(OptionError, match="not a signature"):
        Signature.parse("")


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 9))
def test_split_covers_everything_once(weights: list[int], parts: int) -> None:
    chunks = split(np.array(weights, np.int64), parts)
    assert [i for lo, hi in chunks for i in range(lo, hi)] == list(range(len(weights)))
    assert len(chunks) <= parts


def test_run_passes_errors_on() -> None:
    def work(lo: int, hi: int) -> None:
        raise RuntimeError(f"{lo}")

    with pytest.raises(RuntimeError):
        run(work, np.ones(10, np.int64), 3)
