"""The commands that findings propose do mend the files."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

import misword
from misword.asr.checking.findings import Finding
from misword.cli.main import main
from planted import (
    Plant,
    Texts,
    as_cp1252,
    as_subwords,
    copied,
    demo,
    duplicate_block,
    duplicate_lines,
    every,
    inserted,
    removed,
    swapped,
)


def write(folder: Path, texts: Texts) -> tuple[Path, Path]:
    """Write both sides as files of lines; their names need quotation marks in a shell."""
    files = folder / "the ref.txt", folder / "it's hyp.txt"
    for file, side in zip(files, texts, strict=True):
        file.write_text("".join(f"{text}\n" for text in side), "utf-8")
    return files


def mended(files: tuple[Path, Path], check: str) -> tuple[Finding, tuple[Path, Path]]:
    """Run the command of the first finding of a check; return the files after it."""
    found = misword.check(*files, checks=check)
    finding = next(finding for finding in found.findings if finding.mend)
    subprocess.run(["sh", "-c", finding.mend], check=True, cwd=files[0].parent)
    new = [Path(f"{file}.mended") for file in files]
    return finding, tuple(  # type: ignore[return-value]
        after if after.exists() else file for file, after in zip(files, new, strict=True)
    )


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


PLANTS: dict[str, tuple[Plant, str]] = {
    "removed": (removed(60), "shifts"),
    "three removed": (removed(60, 3), "shifts"),
    "inserted": (inserted(60, 2), "shifts"),
    "twice": (lambda texts: removed(140, 2)(inserted(60, 3)(texts)), "shifts"),
    "back": (lambda texts: inserted(140)(removed(60)(texts)), "shifts"),
    "swapped": (swapped(51, 81, 101), "shifts"),
    "end missing": (lambda t: Texts(t.references, t.hypotheses[:-3]), "shifts"),
    "one missing": (lambda t: Texts(t.references, t.hypotheses[:-1]), "shifts"),
    "end too long": (lambda t: Texts(t.references, [*t.hypotheses, "a b", "c d"]), "shifts"),
    "subwords": (every(1, as_subwords), "tokenisation"),
    "escaped": (every(9, lambda text: f"{text} &lt; &amp; &quot;"), "mojibake"),
    "copied": (copied(60, 190), "copied"),
    "block": (duplicate_block(20, 60), "duplicate"),
    "lines": (duplicate_lines(8), "duplicate"),
}


@pytest.mark.parametrize("name", PLANTS)
def test_files_are_mended(name: str, tmp_path: Path) -> None:
    sound = demo("en")
    plant, check = PLANTS[name]
    finding, files = mended(write(tmp_path, plant(sound)), check)
    assert misword.check(*files, checks=check).findings == (), finding.mend
    refs, hyps = map(lines, files)
    assert len(refs) == len(hyps)
    if check not in ("duplicate", "copied") and name != "escaped":
        # Lines are back, but for some near the place of the change.
        same = sum(a == b for a, b in zip(hyps, sound.hypotheses, strict=True))
        assert same >= len(hyps) - 12, finding.mend


def test_escaped_text_is_mended_exactly(tmp_path: Path) -> None:
    plant = every(9, lambda text: f"{text} &lt;&amp;lt;&quot;&#39;")
    _, (_, hyp) = mended(write(tmp_path, plant(demo("en"))), "mojibake")
    assert lines(hyp)[0].endswith(" <&lt;\"'")


def test_mojibake_is_mended_exactly(tmp_path: Path) -> None:
    sound = demo("fr")
    _, (_, hyp) = mended(write(tmp_path, every(3, as_cp1252)(sound)), "mojibake")
    assert lines(hyp) == sound.hypotheses


def test_apostrophes_are_mended_exactly(tmp_path: Path) -> None:
    sound = demo("fr")
    planted = every(1, lambda text: text.replace("'", "' "))(sound)
    _, (_, hyp) = mended(write(tmp_path, planted), "tokenisation")
    assert lines(hyp) == sound.hypotheses


@pytest.mark.parametrize(
    ("plant", "check"),
    [
        (every(1, str.upper), "case"),
        (every(1, lambda text: text.replace(" ", ", ") + "."), "punctuation"),
        (every(1, lambda text: text.replace("'", "’")), "characters"),
        (every(7, lambda text: text.replace("e", "e\u200b")), "characters"),
    ],
)
def test_options_make_the_sides_equal(
    plant: Plant, check: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the options that a finding proposes, WER is that of the sound data."""
    sound = demo("fr")
    files = write(tmp_path, plant(sound))
    finding = next(f for f in misword.check(*files, checks=check).findings if f.mend)
    program, *arguments = shlex.split(finding.mend)
    assert program == "misword"
    assert main([*arguments, "--format", "csv", "--metrics", "wer", "--bootstrap", "0"]) == 0
    mended_rate = float(capsys.readouterr().out.splitlines()[1].split(",")[2])
    expected = misword.score(*sound, "wer", forgive="case").summary(bootstrap=0)["rate"].item()
    assert mended_rate == pytest.approx(expected, abs=0.02)


def test_a_kaldi_file_is_mended(tmp_path: Path) -> None:
    refs, hyps = demo("en")
    shifted = [*hyps[:60], *hyps[61:], ""]
    files = tmp_path / "ref.kaldi", tmp_path / "hyp.kaldi"
    for file, texts in zip(files, (refs, shifted), strict=True):
        rows = (f"utt{row:03} {text}\n" for row, text in enumerate(texts))
        file.write_text("".join(rows), "utf-8")
    _, (_, hyp) = mended(files, "shifts")
    assert sum(a.split(" ", 1)[1] == b for a, b in zip(lines(hyp), hyps, strict=True)) > 200


def test_a_name_that_looks_like_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refs, hyps = every(1, as_subwords)(demo("en"))
    for name, side in (("ref.txt", refs), ("-n.txt", hyps)):
        Path(name).write_text("".join(f"{text}\n" for text in side), "utf-8")
    found = misword.check(Path("ref.txt"), Path("-n.txt"), checks="tokenisation")
    subprocess.run(["sh", "-c", found.findings[0].mend], check=True)
    assert lines(Path("-n.txt")) == demo("en").hypotheses
