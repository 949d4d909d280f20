"""The datasheet of a gold set: what is in it, where it comes from, what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from misword.bli.building.candidates import LeftOut
from misword.bli.building.selecting import headwords_of
from misword.bli.building.settings import CANDIDATES, BuildSettings
from misword.core.formatting import percent
from misword.core.version import __version__

if TYPE_CHECKING:
    import polars as pl

FORMAT, FORMAT_VERSION = "misword-gold-set", 1
# Bands of frequency in the datasheet, if the settings name none: the highest rank of each.
BANDS = (1_000, 5_000, 20_000, 50_000, 200_000)
MOST_SENSES = 5  # headwords with more senses are counted together


def make_datasheet(
    train: pl.DataFrame,
    evaluation: pl.DataFrame,
    left_out: Sequence[LeftOut],
    settings: BuildSettings,
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the datasheet; `facts` are languages, sources, vectors, analyzers and notes."""
    import polars as pl

    forms = "form_of" in evaluation.columns
    translations = evaluation.filter(pl.col("form_of") == "") if forms else evaluation
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "misword": __version__,
        "settings": settings.listed(),
        **facts,
        "counts": {"evaluation": _counts(evaluation), "train": _counts(train)},
        "evaluation": {
            "pos": _tags(translations, settings),
            "bands": _bands(evaluation, settings),
            "senses": _senses(evaluation),
        },
        "overlap": _overlap(train, evaluation),
        "left_out": [one.listed() for one in left_out],
    }


def _counts(frame: pl.DataFrame) -> dict[str, int]:
    return {
        "headwords": frame["source"].n_unique(),
        "pairs": frame.height,
        "translations": frame["target"].n_unique(),
        "identical": int((frame["source"] == frame["target"]).sum()),
    }


def _tags(frame: pl.DataFrame, settings: BuildSettings) -> dict[str, int]:
    """Return the number of headwords of each part of speech, the most frequent first."""
    counts = Counter(headwords_of(frame, settings)["pos"].to_list())
    return {tag or "unknown": count for tag, count in sorted(counts.items(), key=_by_count)}


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _bands(frame: pl.DataFrame, settings: BuildSettings) -> dict[str, int]:
    """Return the number of headwords in each band of frequency."""
    named = [int(name.partition("-")[2]) for name in settings.bands.names]
    ranks = frame.unique("source")["source_rank"].to_list()
    limits, counts, lowest = named or [*BANDS], {}, 1
    if ranks and max(ranks) > limits[-1]:
        limits.append(max(ranks))
    for highest in limits:
        counts[f"{lowest}-{highest}"] = sum(lowest <= rank <= highest for rank in ranks)
        lowest = highest + 1
    return counts


def _senses(frame: pl.DataFrame) -> dict[str, int]:
    """Return the number of headwords with each number of senses."""
    numbers = frame.unique("source")["senses"].to_list()
    counts = {str(n): numbers.count(n) for n in range(1, MOST_SENSES + 1)}
    return counts | {f"over {MOST_SENSES}": sum(n > MOST_SENSES for n in numbers)}


def _overlap(train: pl.DataFrame, evaluation: pl.DataFrame) -> dict[str, int]:
    """Return how many headwords, translations and pairs both parts have."""
    both = ["source", "target"]
    return {
        "headwords": len(set(train["source"]) & set(evaluation["source"])),
        "translations": len(set(train["target"]) & set(evaluation["target"])),
        "pairs": evaluation.join(train, on=both, how="semi").height,
    }


def datasheet_text(sheet: Mapping[str, Any]) -> str:
    """Return the datasheet in Markdown, for people."""
    settings, counts = sheet["settings"], sheet["counts"]
    pair = f"{sheet['source_lang']}-{sheet['target_lang']}"
    k = CANDIDATES[settings["purpose"]]
    blocks = [
        f"# Gold set {pair}",
        f"Made by misword {sheet['misword']} for the purpose {settings['purpose']}. Evaluate a "
        f"mapping on it: `misword evaluate MAPPING evaluation.tsv --k {k} --by pos`.",
        _table(
            ("part", "headwords", "pairs", "translations", "identical pairs"),
            ((name, *part.values()) for name, part in counts.items()),
        ),
        "## Sources",
        _table(
            ("dictionary", "format", "pairs", "headwords", "SHA-256 of the pairs"),
            (tuple(source.values())[:5] for source in sheet["sources"]),
        ),
        _table(
            ("vectors", "words loaded", "SHA-256"),
            (tuple(vectors.values()) for vectors in sheet["vectors"]),
        ),
        "## Criteria",
        _table(("setting", "value"), {**settings, **sheet["analyzers"]}.items()),
        "## What was left out",
        _table(
            ("criterion", "reason", "pairs", "headwords", "examples"),
            ((*list(one.values())[:4], "; ".join(one["examples"])) for one in sheet["left_out"]),
        ),
        "## Composition of the evaluation set",
        *_shares(sheet["evaluation"], counts["evaluation"]["headwords"]),
        "## Training and evaluation",
        "Both parts have "
        + ", ".join(f"{count} {what}" for what, count in sheet["overlap"].items())
        + " in common.",
        *_audit(sheet["audit"]),
        *(
            ["## Notes", "\n".join(f"- {note}" for note in sheet["notes"])]
            if sheet["notes"]
            else []
        ),
    ]
    return "\n\n".join(blocks) + "\n"


def _audit(flags: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield the section about the audit, if there was one."""
    if flags:
        yield "## Audit"
        yield "What `misword audit` flags in the evaluation set; look at these pairs."
        yield _table(("flag", "pairs", "headwords", "example"), (tuple(f.values()) for f in flags))


def _shares(composition: Mapping[str, Mapping[str, int]], headwords: int) -> Iterable[str]:
    """Yield a table for each way in which the evaluation set is divided."""
    titles = {"pos": "part of speech", "bands": "frequency rank", "senses": "senses"}
    for name, counts in composition.items():
        rows = (
            (value, count, percent(count / headwords, 1, plain=True))
            for value, count in counts.items()
        )
        yield _table((titles[name], "headwords", "%"), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [header, ["--"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: object) -> str:
    """Return a value as the text of a cell, in which nothing is markup of a table."""
    if isinstance(value, list):
        value = ", ".join(value) or "none"
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return " ".join(text.replace("|", "\\|").split())
