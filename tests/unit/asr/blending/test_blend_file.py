"""Files of blends: what is written is read, and what is damaged, hostile or changed is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged import make_blend, write_words
from misword.asr.metrics import METRICS
from misword.asr.people.blend_file import Blend, parse_blend, read_blend, write_blend
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError

WORDS = {"cer": 0.75, "wil": 0.25}
Change = Callable[[dict[str, Any]], object]


def written(tmp_path: Path, change: Change = lambda content: None) -> Path:
    """A file of a blend, after a change of its JSON."""
    path = tmp_path / "blend.json"
    write_blend(make_blend(WORDS), path)
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    blend = replace(make_blend(WORDS), lang="fr", slope=2.5, about={"data": "été", "n": [1, None]})
    write_blend(blend, tmp_path / "b.json")
    found = read_blend(tmp_path / "b.json")
    assert found == blend
    assert found.about == blend.about
    assert found.digest == blend.digest


def test_the_digest_is_that_of_the_numbers() -> None:
    blend = make_blend(WORDS)
    other = make_blend({"cer": 0.5, "wil": 0.5})
    options = make_blend({"cer:spaces=false": 0.75, "wil": 0.25})
    assert len({blend.digest, other.digest, options.digest}) == 3
    assert replace(blend, about={"x": 1}, slope=9.0).digest == blend.digest


def weight(at: int, value: object) -> Change:
    return lambda content: content["metrics"][at].update(weight=value)


def spec(at: int, value: object) -> Change:
    return lambda content: content["metrics"][at].update(metric=value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c.update(version=2), "written as version 2, while this misword reads 1"),
        (lambda c: c.update(version="1"), "written as version ?"),
        (lambda c: c.pop("version"), "written as version ?"),
        (lambda c: c.update(format="misword-mapping"), "this is not a blend file of misword"),
        (lambda c: c.update(metrics=[]), "its weights add up to 0, not to 1"),
        (lambda c: c.pop("metrics"), "metrics"),
        (lambda c: c.update(metrics="cer"), "metrics is not a list"),
        (lambda c: c.update(lang=3), "lang is not a text"),
        (lambda c: c.update(slope=-1), "slope is out of range"),
        (lambda c: c.update(more=1), "'more' is an unknown key"),
        (weight(0, -0.25), "metrics[0].weight is out of range"),
        (weight(0, 0.5), "its weights add up to 0.75, not to 1"),
        (weight(0, 0), "a weight is not above 0"),
        (weight(0, float("nan")), "metrics[0].weight is out of range"),
        (weight(0, float("inf")), "metrics[0].weight is out of range"),
        (weight(0, 10**400), "weight"),
        (weight(0, True), "metrics[0].weight is not a number"),
        (weight(0, "0.75"), "metrics[0].weight is not a number"),
        (spec(0, "wil"), "a metric occurs twice"),
        (spec(0, "people"), "a blend is part of it"),
        (spec(0, "blend:file=x.json"), "a blend is part of it"),
        (spec(0, ["cer"]), "metrics[0].metric is not a text"),
        (lambda c: c["metrics"][0].update(settings={"v": 1}), "settings"),
        (lambda c: c["metrics"][0].pop("settings"), "settings"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: Change, said: str) -> None:
    path = written(tmp_path, change)
    with pytest.raises(InputError) as error:
        read_blend(path)
    assert said in error.value.what
    assert str(path) in error.value.where
    assert error.value.fix


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "null", "1", "{", '{"format": "misword-blend"', "[" * 100_000,
        '{"format": "misword-blend", "format": "misword-blend", "version": 1}',
    ],
)  # fmt: skip
def test_what_is_no_blend_is_refused(content: str) -> None:
    with pytest.raises(InputError, match="this is not a blend file of misword"):
        parse_blend(content, "x.json")


@given(st.binary(max_size=200), st.integers(0, 300))
def test_random_damage_is_an_error_or_a_blend(noise: bytes, place: int) -> None:
    """Bytes that are replaced anywhere give an error of misword, or a blend that is valid."""
    facts = [
        {"metric": part.spec, "weight": part.weight, "settings": dict(part.settings)}
        for part in make_blend(WORDS).metrics
    ]
    head = {"format": "misword-blend", "version": 1, "metrics": facts}
    content = json.dumps({**head, "lang": "", "slope": 0, "about": {}}).encode()
    damaged = content[:place] + noise + content[place + len(noise) :]
    try:
        blend = parse_blend(damaged.decode("utf-8", "replace"), "x.json")
    except MiswordError:
        return
    assert sum(part.weight for part in blend.metrics) == pytest.approx(1)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_blend(tmp_path / "none.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_blend(tmp_path)
    (tmp_path / "latin.json").write_bytes(b'{"lang": "\xe9"}')
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_blend(tmp_path / "latin.json")


def check(path: Path, lang: str | None = None) -> None:
    METRICS.create(f"blend:file={path}").check(Context.of(lang))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"v": "cer-2"}, "v was cer-2, now it is cer"),
        ({"spaces": "false"}, "spaces was false, now it is true"),
        ({"model": "x"}, "model was x, now it is not set"),
    ],
)
def test_a_metric_that_has_changed_is_refused(
    tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    """Another revision, another option, another model: the weights no longer belong to it."""
    path = written(tmp_path, lambda c: c["metrics"][0]["settings"].update(settings))
    with pytest.raises(MismatchError) as error:
        check(path)
    assert said in error.value.what
    assert "misword fit" in error.value.fix


def test_an_unknown_metric_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cerr"):
        check(written(tmp_path, spec(0, "cerr")))
    with pytest.raises(OptionError, match="spaecs"):
        check(written(tmp_path, spec(0, "cer:spaecs=false")))


def test_a_blend_without_a_file() -> None:
    with pytest.raises(OptionError, match="a blend needs a file"):
        METRICS.create("blend").check(Context.of())


def test_another_version_of_a_package_is_noted(tmp_path: Path) -> None:
    """Versions of packages differ between machines; their numbers hardly do."""
    blend = make_blend({"per": 1.0}, "fr")
    settings = dict(blend.metrics[0].settings)
    now = settings["phonemizer"]
    settings["phonemizer"] = re.sub(r"\d+\.\d+", "0.1", now, count=1)
    part = replace(blend.metrics[0], settings=tuple(settings.items()))
    write_blend(Blend((part,), "fr"), tmp_path / "b.json")
    check(tmp_path / "b.json", "fr")
    notes = METRICS.create(f"blend:file={tmp_path / 'b.json'}").notes(Context.of("fr"))
    assert f"its weights were learnt with {settings['phonemizer']}, here is {now}" in notes


def test_in_another_language_a_metric_may_have_other_settings(tmp_path: Path) -> None:
    write_blend(make_blend({"cer": 0.5, "per": 0.5}, "fr"), tmp_path / "b.json")
    check(tmp_path / "b.json", "en")
    notes = METRICS.create(f"blend:file={tmp_path / 'b.json'}").notes(Context.of("en"))
    assert any("learnt from judgements in 'fr'" in note for note in notes)


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    spec = write_words(tmp_path / "b.json")
    before = dict(METRICS.create(spec).settings(Context.of()))["weights"]
    write_words(tmp_path / "b.json", cer=0.125)
    assert dict(METRICS.create(spec).settings(Context.of()))["weights"] != before
