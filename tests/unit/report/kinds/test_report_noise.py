"""Pages of noisy texts (`corrupt --out`) and of the realism of channels (`realism --out`)."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from misword.cli.main import main
from misword.core.types import Result
from misword.noise.corrupt import corrupt
from misword.report import render

REFERENCES = ["the cat sat on the mat", "a dog ran to the cow"] * 8
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("\n".join(REFERENCES) + "\n", "utf-8")
    heard = [text.replace("cat", HOSTILE).replace("dog", "fog") for text in REFERENCES]
    Path("hyp.txt").write_text("\n".join(heard) + "\n", "utf-8")


def text_of(page: str) -> str:
    """The text of the first article."""
    article = page[page.index("<article") : page.index("</article>")]
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", " ", article)))


def test_page_of_noisy_texts(capsys: pytest.CaptureFixture[str]) -> None:
    line = "corrupt ref.txt --wer 0.25,0.5 --channel uniform -o n-{wer}.txt --out noisy"
    assert main(line.split()) == 0
    assert main(["report", "noisy", "-o", "page.html"]) == 0
    assert capsys.readouterr().out.endswith("page.html\n")
    text = text_of(Path("page.html").read_text("utf-8"))
    assert "Noise in 96 words: word error rate 25.0 % and 50.0 %." in text
    assert "wer-0.50 50.00 50.00 48 0 0 96 0" in text
    assert "The most frequent errors error word became times substitution" in text


def test_headline_of_many_rates() -> None:
    noisy = corrupt(REFERENCES, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], channel="uniform")
    assert "Noise in 96 words: 6 word error rates from 10.4 % to" in text_of(
        render([noisy.result()])
    )


def test_page_of_realism(capsys: pytest.CaptureFixture[str]) -> None:
    line = "realism ref.txt hyp.txt --channels uniform,confusion --bootstrap 20 --out real"
    assert main(line.split()) == 0
    assert main(["report", "real", "-o", "page.html"]) == 0
    page = Path("page.html").read_text("utf-8")
    assert HOSTILE not in page
    text = text_of(page)
    assert "No channel needs fewer bits for the recogniser's errors than" in text
    assert "fallback alone" in text
    assert "said heard times uniform, bits confusion, bits fallback alone, bits" in text


@pytest.mark.parametrize("kind", ["corruption", "realism"])
def test_results_without_rows(kind: str) -> None:
    assert f"A result of kind {kind}" in text_of(render([Result(kind, {}, {"misword": "1"})]))
