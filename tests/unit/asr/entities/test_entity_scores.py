"""Scores with classes of words: groups, sums, files, comparison and commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr.entities.counts import count_errors
from misword.asr.entities.spans import WordSpans
from misword.asr.forgiving.blocks import Blocks
from misword.cli.main import main
from misword.core.errors import OptionError

REFERENCES = ["Anna met Bob", "Bob left", "so Anna paid", "Bob"]
SYSTEMS = {"base": ["Anne met Rob", "Bob left", "so", "Rob"], "new": REFERENCES}
KEYWORDS = {"Anna": "<b>A</b>", "Bob": "B"}


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_a_span_of_all_words_has_the_errors_between_them(ref: list[str], hyp: list[str]) -> None:
    aligned = misword.align([" ".join(ref)], [" ".join(hyp)])
    spans = WordSpans.from_rows([(0, 0, len(ref), "X")] if ref else []).by_row(1)
    counts = count_errors(aligned.alignment, Blocks.none(), 0, spans, np.array([0])).table
    kinds = [step.kind for step in aligned.steps(0)]
    places = [at for at, kind in enumerate(kinds) if kind != "insertion"]
    if not places:
        assert not len(counts)
        return
    inside = kinds[places[0] : places[-1] + 1]
    expected = (inside.count(name) for name in ("substitution", "deletion", "insertion"))
    assert counts.tolist() == [[0, len(ref), *expected, 1, set(inside) == {"hit"}]]


def test_groups_and_totals_add_up() -> None:
    speaker = {"speaker": ["x", "y", "x", "y"]}
    scores = misword.score(REFERENCES, SYSTEMS, "wer", keywords=KEYWORDS, metadata=speaker)
    table = scores.result(by="speaker").tables["entities"]
    groups, total = table.filter(total=False), table.filter(total=True)
    assert groups["words"].sum() == total["words"].sum() == 10
    assert total["class"].to_list() == ["B", "<b>A</b>"] * 2
    with pytest.raises(OptionError, match="no column"):
        scores.entities("other")


def test_sums_of_shards_are_the_whole() -> None:
    whole = misword.score(REFERENCES, SYSTEMS["base"], "wer", keywords=KEYWORDS, ids=[*"abcd"])
    parts = [
        misword.score(REFERENCES[k], SYSTEMS["base"][k], "wer", keywords=KEYWORDS, ids=["abcd"[k]])
        for k in range(4)
    ]
    assert sum(parts[1:], start=parts[0]).entities().equals(whole.entities())


def test_scores_without_entities_say_so(tmp_path: Path) -> None:
    scores = misword.score(REFERENCES, SYSTEMS, "wer", keywords=KEYWORDS)
    scores.save(tmp_path / "out")
    assert misword.load(tmp_path / "out").entities().equals(scores.entities())
    with pytest.raises(OptionError, match="no entities were scored"):
        misword.score(REFERENCES, SYSTEMS, "wer").entities()


def test_comparison_tests_each_class() -> None:
    compared = misword.compare(REFERENCES, SYSTEMS, "wer", keywords=KEYWORDS)
    rows = compared.tables["entity_differences"].to_dicts()
    assert [(row["class"], row["words"], row["difference"]) for row in rows] == [
        ("B", 3, -2 / 3), ("<b>A</b>", 2, -1.0),
    ]  # fmt: skip
    assert rows[0]["p"] == 0.5
    assert rows[0]["p_holm"] == 1.0
    assert "entity_differences" not in misword.compare(REFERENCES, SYSTEMS, "wer").tables


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_and_report(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REFERENCES, **SYSTEMS}.items():
        Path(f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    Path("k.tsv").write_text("".join(f"{t}\t{k}\n" for t, k in KEYWORDS.items()), "utf-8")
    words = f"{command} ref.txt base.txt new.txt --metrics wer --keywords k.tsv --report page.html"
    main([*words.split(), "--format", "json"])
    tables = json.loads(capsys.readouterr().out)
    classes = {
        row["class"] for row in tables["entities" if command == "score" else "entity_differences"]
    }
    assert classes == {"B", "<b>A</b>"}
    page = Path("page.html").read_text("utf-8")
    assert "Names, numbers and keywords" in page
    assert "<b>A</b>" not in page
    main([*words.split(), "--format", "md"])
    assert "<b>A" not in capsys.readouterr().out
