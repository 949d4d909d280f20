"""The option `--max-bytes` in commands that read files into memory, in blocks, and as vectors."""

from __future__ import annotations

import bz2
import json
from pathlib import Path

import pytest

from misword.cli.main import main

LINES = b"a b c\n" * 1000


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "ref.txt.bz2"
    path.write_bytes(bz2.compress(LINES))
    return path


def test_each_reader_obeys_it(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors = tmp_path / "v.vec"
    vectors.write_bytes(b"1000 2\n" + b"".join(b"w%d 1 2\n" % number for number in range(1000)))
    noisy = ["corrupt", texts, "--wer", "0.2", "--channel", "uniform", "-o", tmp_path / "noisy"]
    for words in (["score", texts, texts], ["vectors", "info", vectors], noisy):
        command = list(map(str, words))
        assert main([*command, "--max-bytes", "5K"]) == 2
        assert "--max-bytes" in capsys.readouterr().err
        assert main([*command, "--max-bytes", "1M"]) == 0
        capsys.readouterr()


def test_a_wrong_size(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["score", "ref.txt", "hyp.txt", "--max-bytes", "much"])
    assert "'much' is no size" in capsys.readouterr().err


def test_it_is_no_setting_of_the_result(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["score", str(texts), str(texts), "--metrics", "wer", "--max-bytes", "1M"]
    assert main([*words, "--bootstrap", "0", "--out", str(out)]) == 0
    options = json.loads((out / "result.json").read_text())["provenance"]["options"]
    assert "max_bytes" not in options
