"""`misword oracle` with translations: columns, files, programs, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.cli.main import main
from misword.io.results import read_result

Run = Callable[..., tuple[int, str, str]]
# The lists are not in the order of the references.
LISTS = [
    ("u2", 1, "sur un lit", "on a bed"),
    ("u2", 2, "sur le lit", "on the bed"),
    ("u1", 1, "le chat", "the cat"),
    ("u1", 2, "le chat dort", "the cat is asleep"),
]
ORACLE = "oracle ref.csv nbest.csv --metrics wer --bootstrap 0 --format json"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("ref.csv").write_text(
        "utt,text,english\nu1,le chat dort,the cat is asleep now\nu2,sur le lit,on the big bed\n"
    )
    rows = [f"{utt},{rank},{text},{english}\n" for utt, rank, text, english in LISTS]
    Path("nbest.csv").write_text("utt,rank,text,english\n" + "".join(rows))
    listed = [f"{utt},{rank},{english}\n" for utt, rank, _, english in reversed(LISTS)]
    Path("listed.csv").write_text("utt,rank,text\n" + "".join(listed))
    Path("parallel.en").write_text("".join(f"{english}\n" for *_, english in LISTS))
    Path("english.csv").write_text("utt,text\nu2,on the big bed\nu1,the cat is asleep now\n")
    Path("english.txt").write_text("the cat is asleep now\non the big bed\n")

    def run(command: str, *more: str) -> tuple[int, str, str]:
        code = main([*command.split(), *more])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def values(out: str) -> list[float]:
    return [row["value"] for row in json.loads(out)["translations"]]


@pytest.mark.parametrize("translations", ["english", "listed.csv", "parallel.en"])
@pytest.mark.parametrize("references", ["english", "english.csv", "english.txt"])
def test_columns_and_files_give_the_same(run: Run, translations: str, references: str) -> None:
    given = f"--translations {translations} --translation-references {references}"
    code, out, _ = run(f"{ORACLE} {given} --downstream chrf")
    assert code == 0
    first, best = values(out)
    assert first < best
    _, expected, _ = run(
        f"{ORACLE} --translations english --translation-references english --downstream chrf"
    )
    assert values(out) == values(expected)


def test_a_program(run: Run, tmp_path: Path) -> None:
    table = {text: english for _, _, text, english in LISTS}
    Path("translate.py").write_text(
        f"import sys\nfor line in sys.stdin: print({table!r}[line.strip()])"
    )
    references = "--translation-references english --downstream chrf"
    code, out, _ = run(f"{ORACLE} {references}", "--translate", "python3 translate.py")
    assert code == 0
    _, expected, _ = run(f"{ORACLE} --translations english {references}")
    assert values(out) == values(expected)


def test_tables_and_folder(run: Run) -> None:
    given = "--translations english --translation-references english --downstream chrf,ter"
    code, out, _ = run(f"oracle ref.csv nbest.csv --metrics wer,cer {given} --format md --out done")
    assert code == 0
    assert "**nbest: scores of the translations**" in out
    assert "| chrf | cer | wer | 0.00 | 0.00 to 0.00 | 1.000 | 0 | 2 | 0 |" in out
    assert "`chrf|nrefs:1" in out
    result = read_result("done")
    assert result.tables["translated"].height == 6
    assert result.provenance["better"]["ter"] == "lower"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--translations english", "translations need references"),
        ("--translate cat", "translations need references"),
        ("--translation-references english", "reference translations need translations"),
        ("--translations nix --translation-references english", "the lists have no column 'nix'"),
        ("--translations english --translation-references nix", "references have no column 'nix'"),
        (
            "--translations listed.csv --translations nix --translation-references english",
            "there is no file 'nix'",
        ),
        (
            "--translations listed.csv --translations parallel.en --translation-references english",
            "2 files of translations for 1 system",
        ),
        ("--translations english.txt --translation-references english", "2 lines for 4 hypotheses"),
        (
            "--translations english.csv --translation-references english",
            "rank 2 has no translation",
        ),
        ("--translate cat --translations english --translation-references english", "one of the"),
        ("--translate false --translation-references english", "it ended with code 1"),
    ],
)
def test_what_is_refused(run: Run, options: str, message: str) -> None:
    code, _, err = run(f"{ORACLE} {options}")
    assert code == 2
    assert message in err


def test_tuned_weights(run: Run) -> None:
    rows = [f"{u},{r},{t},{e},{-r},{r * 5}\n" for u, r, t, e in LISTS]
    Path("nbest.csv").write_text("utt,rank,text,english,score,lm\n" + "".join(rows))
    given = "--translations english --translation-references english --downstream chrf"
    tune = "tune ref.csv nbest.csv --features score,lm --folds 2 --resamples 0 --bootstrap 0"
    code, out, _ = run(f"{tune} {given} --format json")
    assert code == 0
    printed = json.loads(out)
    values = {row["chosen_by"]: row["value"] for row in printed["translations"]}
    assert list(values) == ["rank 1", "tuned", "held out", "oracle"]
    assert values["rank 1"] < values["tuned"] == values["oracle"]
    against = {(row["chosen_by"], row["against"]) for row in printed["translation_changes"]}
    assert against == {(name, "rank 1") for name in ("tuned", "held out", "oracle")}
    _, out, _ = run(f"{tune} {given} --format md")
    assert "scores of the translations**" in out
    code, _, err = run(f"tune ref.csv nbest.csv --systems {given}")
    assert code == 2
    assert "--translations beside --systems" in err


def test_tuned_weights_with_blocks(run: Run) -> None:
    """One block cannot be resampled, so there is no interval and no p-value."""
    lines = Path("ref.csv").read_text().splitlines()
    Path("ref.csv").write_text("".join(f"{line},{'spk' if n else 'speaker'}\n"
                                       for n, line in enumerate(lines)))  # fmt: skip
    rows = [f"{u},{r},{t},{e},{-r},{r * 5}\n" for u, r, t, e in LISTS]
    Path("nbest.csv").write_text("utt,rank,text,english,score,lm\n" + "".join(rows))
    given = "--translations english --translation-references english --downstream chrf"
    tune = "tune ref.csv nbest.csv --features score,lm --folds 0 --resamples 0 --format json"
    for block, known in (("", True), ("--block speaker", False)):
        code, out, _ = run(f"{tune} {given} {block}")
        assert code == 0
        assert all((row["low"] is not None) == known for row in json.loads(out)["translations"])
