"""Headless Chromium for the report.

Without the package playwright these tests are skipped. With playwright and without Chromium they
fail.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import misword
from misword.core.types import Result
from misword.report import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

DEMO = Path(misword.__file__).parent / "demo" / "en"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
Open = Callable[..., "Page"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(which, CHROMIUM)), None)
    if program is None and sys.platform == "linux":
        pytest.fail("needs Chromium: tools/install_debian.sh chromium", pytrace=False)
    with sync_playwright() as driver:
        # On macOS and Windows, Chrome is not among the commands; playwright knows its place.
        place = None if program else "chrome"
        started = driver.chromium.launch(executable_path=program, channel=place, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Write a report and open it from disk, offline; any error or dialog fails the test."""
    wrong: list[str] = []
    contexts: list[BrowserContext] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def on_request(request: Request) -> None:
        if not request.url.startswith(("file:", "blob:")):
            wrong.append(request.url)

    def on_dialog(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def start(
        results: Result | Sequence[Result], *, audio: Path | None = None, **options: Any
    ) -> Page:
        path = tmp_path / f"report{len(contexts)}.html"
        write_report([results] if isinstance(results, Result) else results, path, audio=audio)
        context = browser.new_context(offline=True, accept_downloads=True, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", on_console)
        page.on("request", on_request)
        page.on("dialog", on_dialog)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield start
    for context in contexts:
        with suppress(Exception):
            context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def demo() -> Result:
    """The English demonstration corpus, compared."""
    refs = pl.read_csv(DEMO / "ref.csv")
    systems = {n: pl.read_csv(DEMO / f"{n}.csv")["text"] for n in ("pocketsphinx", "whisper-tiny")}
    metadata = refs.drop("utt", "text")
    compared = misword.compare(
        refs["text"], systems, "wer,cer,mer", metadata=metadata, ids=refs["utt"]
    )
    return compared.result()
