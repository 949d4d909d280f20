"""The audio player of the explorer: offline, from files, only on demand."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import misword

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from browser.conftest import Open

# Plays a sound until it stops, and returns the time at which it stopped.
PLAY = """sound => new Promise((done) => {
  sound.muted = true;
  sound.play().catch(() => {});
  const timer = setInterval(() => {
    if (!sound.paused || !sound.currentTime) return;
    clearInterval(timer);
    done(sound.currentTime);
  }, 20);
})"""
# Returns the time of a sound as soon as it has been played.
PLAYED = """sound => new Promise((done) => {
  const timer = setInterval(() => {
    if (sound.currentTime < 1.6) return;
    clearInterval(timer);
    done(sound.currentTime);
  }, 20);
})"""
IDS = ["whole", "part", "late", "broken", "gone", "linked"]


def silence(path: Path, seconds: float) -> None:
    """Write a wav file without sound."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(2 * round(8000 * seconds)))


@pytest.fixture
def page(open_page: Open, tmp_path: Path) -> Page:
    audio = tmp_path / "sounds & more"
    audio.mkdir()
    silence(audio / "whole #1.wav", 0.3)
    silence(audio / "talk.wav", 3)
    (audio / "broken.wav").write_bytes(b"no sound")
    files = [*(str(audio / name) for name in ("whole #1.wav", "talk.wav", "whole #1.wav")),
             str(audio / "broken.wav"), "gone.wav", "https://example.org/a.wav"]  # fmt: skip
    times = {
        "offset": [None, 1.0, 40.0, None, None, None],
        "duration": [None, 0.5, 0.2] + [None] * 3,
    }
    scores = misword.score(
        ["a b"] * 6, ["a b"] * 6, "wer", ids=IDS, metadata={"audio_filepath": files, **times}
    )
    return open_page(scores.result(bootstrap=0))


def played(page: Page, number: int) -> Any:
    """Open an utterance, play it, and return the time at which it stopped."""
    page.locator("[role=option]").nth(number).click()
    return page.locator("audio").evaluate(PLAY)


def test_files_are_read_only_when_they_are_played(page: Page) -> None:
    """A whole file, a part of one, and a file that has only the part."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for number in range(3):
        page.locator("[role=option]").nth(number).click()
        assert page.locator("audio").get_attribute("preload") == "none"
    assert requests == []
    assert played(page, 0) == pytest.approx(0.3, abs=0.05)
    assert played(page, 1) == pytest.approx(1.5, abs=0.4)
    assert "talk.wav, 1 s to 1.5 s" in page.locator("p.audio").inner_text()
    assert played(page, 2) == pytest.approx(0.3, abs=0.05)
    assert "#t=" not in (page.locator("audio").get_attribute("src") or "")
    assert all(url.startswith("file:") for url in requests)
    assert page.locator("audio").get_attribute("aria-label") == "audio of late"


def test_what_cannot_be_played_is_said(page: Page) -> None:
    page.locator("[role=option]").nth(3).click()
    page.locator("audio").evaluate("one => { one.play().catch(() => {}); }")
    page.get_by_text("The browser cannot play broken.wav").wait_for()
    page.locator("[role=option]").nth(4).click()
    assert page.locator("p.audio").inner_text() == "There is no audio file gone.wav."
    page.locator("[role=option]").nth(5).click()
    link = page.locator("p.audio a")
    assert link.get_attribute("href") == "https://example.org/a.wav"
    assert page.locator("audio").count() == 0


def test_a_click_on_a_word_plays_from_its_time(open_page: Open, tmp_path: Path) -> None:
    audio = tmp_path / "audio"
    audio.mkdir()
    silence(audio / "call.wav", 6)
    (tmp_path / "ref.ctm").write_text("call 1 0.0 0.4 so\ncall 1 2.0 0.4 we\ncall 1 4.0 0.4 go\n")
    (tmp_path / "hyp.ctm").write_text("call 1 0.0 0.4 so\ncall 1 4.0 0.4 go\n")
    corpus, _ = misword.read_corpus(tmp_path / "ref.ctm", tmp_path / "hyp.ctm")
    result = misword.score(corpus, metrics="wer").result(bootstrap=0)
    page = open_page(result, audio=audio)
    page.locator("audio").evaluate("sound => { sound.muted = true; }")
    page.locator(".column", has_text="we").click()
    time = page.locator("audio").evaluate(PLAYED)
    assert 1.6 <= time < 3.5
