"""How likely real errors are under each channel: `python bench/realism.py`.

French: the development set of Le 2016 (three speakers read each sentence). English: the 1-best of
the LibriSpeech N-best lists, clean and other. Writes bench/results/realism.md.
"""

from __future__ import annotations

import json
from pathlib import Path

from misword.cli.rendering import markdown
from misword.core.tables import Table, number, number_span, percent, text, written
from misword.noise.realism import realism

RESULTS = Path(__file__).parent / "results" / "realism.md"
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
COLUMNS = (
    text("channel"),
    number("bits"),
    number_span("low", "high", "95 % interval"),
    written("difference", "to uniform", "{:+.2f}".format),
    percent("coverage", "coverage %", 1),
    number("median_rank", "median rank", 1),
    number("weight"),
)
CHANNELS = "uniform,uniform:vocabulary=wordfreq,voleti,phonetic,confusion"


def french() -> tuple[list[str], list[str]]:
    files = (SHARED / "wce-dev" / "ref.fr", SHARED / "wce-dev" / "hyp" / "scale_10.fr")
    references, hypotheses = (path.read_text("utf-8").split("\n")[:-1] for path in files)
    return references, hypotheses


def english() -> tuple[list[str], list[str]]:
    names = ("clean", "other")
    lists = [
        one
        for name in names
        for one in json.loads((SHARED / "nbest" / f"librispeech-{name}.json").read_text("utf-8"))
    ]
    return [one["output"] for one in lists], [one["input"][0] for one in lists]


def table(title: str, pairs: tuple[list[str], list[str]], lang: str) -> str:
    vectors = SHARED / "vectors" / f"{lang}.vec.gz"
    rows = realism(*pairs, CHANNELS, lang=lang, vectors=vectors).table.to_dicts()
    about = f"{rows[0]['errors']:,} test errors in {rows[0]['sentences']:,} sentences."
    return f"### {title}\n\n{about}\n\n{markdown(Table('channels', COLUMNS, rows))}"


def main() -> None:
    parts = [
        "# Realism",
        "`python bench/realism.py`. Bits per real substitution of the half that no channel has "
        "seen; fewer are better.",
        table("French, wce-dev, LM scale 10", french(), "fr"),
        table("English, LibriSpeech test-clean and test-other, 1-best", english(), "en"),
    ]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
