"""How likely real errors are under each channel: `python bench/realism.py`.

French: the development set of Le 2016 (three speakers read each sentence). English: the 1-best of
the LibriSpeech N-best lists, clean and other. Writes bench/results/realism.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from misword.cli.output import TextTable
from misword.noise.realism import realism

RESULTS = Path(__file__).parent / "results" / "realism.md"
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
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
    header = [
        "channel",
        "bits",
        "95 % interval",
        "to uniform",
        "coverage %",
        "median rank",
        "weight",
    ]
    body = [row(one) for one in rows]
    about = f"{rows[0]['errors']:,} test errors in {rows[0]['sentences']:,} sentences."
    return f"### {title}\n\n{about}\n\n{TextTable(header, body).markdown()}"


def row(one: dict[str, Any]) -> list[str]:
    return [
        one["channel"],
        f"{one['bits']:.2f}",
        f"{one['low']:.2f} to {one['high']:.2f}",
        f"{one['difference']:+.2f}",
        f"{100 * one['coverage']:.1f}",
        f"{one['median_rank']:,.1f}",
        f"{one['weight']:.2f}",
    ]


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
