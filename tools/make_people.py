"""Learn the weights of the metric `people`: `python tools/make_people.py`

Reads the open half of HATS, ../shared/data/hats-dev.tsv (MIT licence), and writes the files of
weights in src/misword/asr/people. Prints the agreement that docs/fit.md quotes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import misword
from misword.asr.people.blend_file import write_blend

HATS = Path(__file__).parents[2] / "shared" / "data" / "hats-dev.tsv"
TARGET = Path(misword.__file__).parent / "asr" / "people"
DATA = "HATS (Bañeras-Roux et al. 2023, MIT licence), the 500 choices of its open half"
METRICS = {
    "full": "cer,per:cost=features,semdist,bertscore",
    "small": "cer,per,wil",
}


def main() -> None:
    """Learn, print and write both sizes."""
    for size, metrics in METRICS.items():
        result = misword.fit(HATS, metrics, lang="fr", bootstrap=1000)
        blend = replace(result.blend, about={"data": DATA, **result.blend.about})
        write_blend(blend, TARGET / f"people-{size}.json")
        print(result.quality)
        print(result.weights)
        print(result.curve)


if __name__ == "__main__":
    main()
