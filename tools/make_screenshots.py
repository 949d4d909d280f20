"""Write the pictures of the README to docs/images: the page of a comparison, light and dark.

    python tools/make_screenshots.py

It compares the two English systems of the demo corpus and photographs the top of the page with
Chromium (`tools/install_debian.sh chromium`) and the package playwright.
"""

from __future__ import annotations

from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Literal

import misword
from misword.report import write_report

IMAGES = Path(__file__).parent.parent / "docs" / "images"
PICTURES = {"light": "compare.png", "dark": "compare-dark.png"}
SIZE = (1280, 720)
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def write_comparison(path: Path) -> None:
    """Write the page: PocketSphinx and Whisper tiny, by three metrics."""
    demo = Path(misword.__file__).parent / "demo" / "en"
    systems = [demo / "pocketsphinx.csv", demo / "whisper-tiny.csv"]
    corpus, _ = misword.read_corpus(demo / "ref.csv", systems)
    found = misword.compare(corpus, metrics="wer,cer,per", lang="en", block="speaker", by="noise")
    write_report([found.result()], path)


def photograph(page: Path, folder: Path) -> None:
    """Write a picture of the top of the page for each colour scheme."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(which, CHROMIUM)), None)
    if program is None:
        raise SystemExit("needs Chromium: tools/install_debian.sh chromium")
    schemes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
    width, height = SIZE
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        for scheme in schemes:
            view = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=scheme, offline=True
            )
            view.goto(page.as_uri(), wait_until="load")
            view.wait_for_timeout(1000)  # until the charts are drawn
            view.screenshot(path=folder / PICTURES[scheme])
        browser.close()


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as temporary:
        written = Path(temporary, "compare.html")
        write_comparison(written)
        photograph(written, IMAGES)
