"""`--audio` and `--ranks`: what the explorer of a report plays, and which lists it shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from misword.cli.main import main
from misword.io.results import read_result

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder with a manifest, audio and N-best lists."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"audio_filepath": f"clips/{n}.wav", "text": "a b", "pred_text": "a c"} for n in range(3)
    ]
    Path("manifest.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for folder in ("clips", "moved/deep", "empty"):
        Path(folder).mkdir(parents=True)
    for name in ("clips/0.wav", "clips/1.wav", "moved/deep/2.flac"):
        Path(name).write_bytes(b"")
    Path("ref.csv").write_text("utt,text\nu1,the cat sat\nu2,on the mat\n")
    Path("nbest.csv").write_text(
        "utt,rank,text,score\nu1,1,the hat sat,-1\nu1,2,the cat sat,-2\nu1,3,a cat,-3\n"
        "u2,1,on the mat,-1\nu2,2,on mat,-5\n"
    )

    def command(line: str) -> tuple[int, str, str]:
        code = main(line.split())
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def audio_of(page: str) -> list[dict[str, str]]:
    """Return the sources in a page."""
    text = Path(page).read_text("utf-8")
    block = text.partition('id="r0-data-utterances">')[2].partition("</script>")[0]
    return list(json.loads(block)["audio"]["sources"])


def test_a_manifest_names_the_audio(run: Run) -> None:
    code, _, err = run("score manifest.json --report page.html --out result")
    assert code == 0
    assert "no audio file for 1 of 3 utterances; the report names them" in err
    assert [one["url"] for one in audio_of("page.html")] == ["clips/0.wav", "clips/1.wav", ""]


def test_a_folder_of_audio(run: Run) -> None:
    """Files are found by the names in the manifest, also from a result folder."""
    run("score manifest.json --out result")
    code, _, err = run("report result -o page.html --audio moved")
    assert (code, "2 of 3 utterances" in err) == (0, True)
    assert [one["url"] for one in audio_of("page.html") if one["url"]] == ["moved/deep/2.flac"]
    for command in (
        "score manifest.json",
        "compare ref.csv nbest.csv ref.csv",
        "oracle ref.csv nbest.csv",
    ):
        assert run(f"{command} --report page.html --audio moved")[0] == 0


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("score manifest.json --report page.html --audio nowhere", "nowhere: no such folder"),
        ("score manifest.json --audio clips", "--audio without --report"),
        ("score manifest.json --report page.html --audio empty", "empty: no audio files"),
        ("report result --audio manifest.json", "manifest.json: no such folder"),
    ],
)
def test_wrong_folders_of_audio(run: Run, command: str, said: str) -> None:
    code, _, err = run(command)
    assert code != 0
    assert said in err
    assert not Path("page.html").exists()


def test_ranks_of_lists(run: Run) -> None:
    """The rates are those of the best hypotheses; the result has the first ranks of the lists."""
    options = "--metrics wer --format json"
    _, plain, _ = run(f"score ref.csv nbest.csv {options}")
    code, out, err = run(f"score ref.csv nbest.csv {options} --ranks 2 --out r --report page.html")
    assert (code, out) == (0, plain)
    assert "N-best lists: hypotheses of ranks above 2 are left out (1)" in err
    table = read_result("r").tables["utterances"]
    assert table["rank"].to_list() == [1, 2, 1, 2]
    assert table["wer.rate"].to_list() == [1 / 3, 0, 0, 1 / 3]
    text = Path("page.html").read_text("utf-8")
    block = text.partition('id="r0-data-utterances">')[2].partition("</script>")[0]
    lists = json.loads(block)["lists"]
    assert (lists["features"], lists["metrics"]) == (["score"], ["WER"])
    assert lists["systems"][0]["texts"] == ["the hat sat", "the cat sat", "on the mat", "on mat"]
    _, out, _ = run(f"score ref.csv nbest.csv {options} --ranks 2 --by rank")
    assert [round(row["rate"], 4) for row in json.loads(out)["rows"]] == [0.1667, 0.1667]
