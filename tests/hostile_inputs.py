"""Inputs whose words, ids, names and columns have characters that a terminal obeys."""

from __future__ import annotations

import re
from pathlib import Path

# Sets the clipboard (OSC 52), clears the screen, the same by one C1 character, deletes, reverses.
ATTACKS = ("\x1b]52;c;QUFB\x07", "\x1b[2J", "\u009b2J", "\x7f\x08", "\u202ecba\u2066")
# A link, a style and an emoji code of rich.
MARKUP = "[link=http://a.example]x[/link][red]y:smile:"
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
REFERENCES = [f"the {ATTACKS[i % 5]}cat{i % 3} sat on {MARKUP} mat" for i in range(12)]
NAME = "sys\x1b]0;t\x07[bold]"
COLUMN = "spea\x1b[31mker\u202e"


def write_hostile_inputs(folder: Path) -> None:
    """Write the files that the commands of `COMMANDS` read."""
    lines = [f"\x1b[{i}m{i},a{ATTACKS[i % 3]},{text}" for i, text in enumerate(REFERENCES)]
    _write(folder / "ref.csv", [f"utt,{COLUMN},text", *lines])
    for name, word in ((NAME, "ba\x1b[5mt"), ("other", "rat")):
        texts = [text.replace("cat1", word) for text in REFERENCES]
        rows = [f"\x1b[{i}m{i},{text}" for i, text in enumerate(texts)]
        _write(folder / f"{name}.csv", ["utt,text", *rows])
    _write(folder / "fewer.csv", ["utt,text", *rows[2:]])
    votes = [f"{text}\t{text} x\t3\tno\t{i % 3}" for i, text in enumerate(REFERENCES)]
    _write(folder / "triplets.tsv", ["reference\ta\tvotes_a\tb\tvotes_b", *votes])
    words = sorted({word for text in REFERENCES for word in text.split()})
    vectors = [f"{word} {1 + i} {i % 3} {i % 2}" for i, word in enumerate(words)]
    _write(folder / "words\x1b[2J.vec", [f"{len(words)} 3", *vectors])
    _write(folder / "lexicon.tsv", [f"{word}\t{word}" for word in words])
    _write(folder / "sts.tsv", [f"{i % 5}\t{a}\t{a} x" for i, a in enumerate(REFERENCES)])


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", "utf-8", newline="")


HYPOTHESES = [f"{NAME}.csv", "other.csv"]
VECTORS = "words\x1b[2J.vec"
SETTINGS = ["--bootstrap", "20"]
# Each command, on hostile inputs. The first two write files that others read.
COMMANDS: list[list[str]] = [
    ["map", VECTORS, VECTORS, "--lexicon", "lexicon.tsv", "--method", "procrustes", "-o", "a.map"],
    ["score", "ref.csv", *HYPOTHESES, "--by", COLUMN, "--out", "out\x1b[2J", *SETTINGS],
    ["compare", "ref.csv", *HYPOTHESES, "--by", COLUMN, "--block", COLUMN, *SETTINGS],
    ["gate", "ref.csv", *HYPOTHESES, "--max", "wer=0.9", "--no-worse", "wer", *SETTINGS],
    ["correlate", "ref.csv", *HYPOTHESES, "--metrics", "wer,cer", *SETTINGS],
    ["agree", "triplets.tsv", *SETTINGS],
    ["align", "ref.csv", *HYPOTHESES],
    ["check", "ref.csv", *HYPOTHESES],
    ["check", "ref.csv", "ref.csv", "--strict", "--training", "ref.csv"],
    [
        "build", "--source-lang", "eo", "--target-lang", "ia", "--from", "lexicon.tsv", "--pos", "",
        "--source-vectors", VECTORS, "--target-vectors", VECTORS, "-o", "gold\x1b[2J", "--force",
    ],
    ["verify", "out\x1b[2J", "a.map"],
    ["learn-noise", "ref.csv", HYPOTHESES[0], "-o", "noise.json"],
    ["realism", "ref.csv", HYPOTHESES[0], "--channels", "uniform,confusion", *SETTINGS],
    ["corrupt", "ref.csv", "--wer", "0.3", "--channel", "uniform", "-o", "noisy\x1b[2J.csv"],
    ["robust", "sts.tsv", "--vectors", VECTORS, "--encoders", "mean", "--channel", "uniform",
     "--wer", "0.2", "--trials", "2", *SETTINGS],
    ["translate", "a.map", "\x1b[2Jcat1", "mat", "\u202eunknown"],
    ["evaluate", "a.map", "lexicon.tsv", *SETTINGS],
    ["audit", "lexicon.tsv", "--source-lang", "zu", "--target-lang", "xh", "--predictions", "a.map",
     "--k", "1", "--flags", "proper-noun,identical,script,not-a-word", *SETTINGS],
    ["vectors", "info", VECTORS],
    ["vectors", "neighbors", VECTORS, "\x1b[2Jcat1", "unknown\x1b[2J"],
    ["vectors", "convert", VECTORS],
    ["report", "out\x1b[2J", "-o", "page\x1b[2J.html"],
]  # fmt: skip
# Commands that fail: the message quotes the hostile text.
FAILURES: list[list[str]] = [
    ["score", "missing\x1b[2J.csv", "other.csv"],
    ["score", "ref.csv", "other.csv", "--by", "\x1b[2J"],
    ["score", "ref.csv", "other.csv", "--metrics", "w\x1b[2Jer"],
    ["score", "ref.csv", "other.csv", "--format", "\x1b[2J"],
    ["score", "ref.csv", "other.csv", "--fo\x1b[2Jrmat", "json"],
    ["score", "ref.csv", "fewer.csv"],
    ["compare", "ref.csv", *HYPOTHESES, "--baseline", "\u202ebase"],
    ["\x1b[2J"],
    ["parts", "\x1b[2J"],
    ["vectors", "neighbors", VECTORS, "unknown\x1b[2J"],
    ["evaluate", "a.map", "lexicon\u202e.tsv"],
    ["check", "ref.csv", "other.csv", "--checks", "\x1b[2J"],
    ["audit", "lexicon.tsv", "--source-lang", "e\x1b[2J", "--target-lang", "fr"],
    ["verify", "missing\x1b[2J"],
]
