"""The timeline of meetings: who says what when on both sides, and which words are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from misword.core.lazy import pl
from misword.report.article import Article, Section
from misword.report.explorer.audio import find_audio
from misword.report.markup import Markup, element, joined, paragraph
from misword.report.packing import packed
from misword.stat.descriptions.result_access import table
from misword.stat.score_tables import SPEAKER_WORDS

NOTE = (
    "Each lane is a speaker: above, what the reference says; below, the hypothesis of the speaker "
    "who was matched. Orange words are wrong, missing or added; words with stripes are right and "
    "have the wrong speaker. A click shows the turn; the buttons go from error to error."
)
# Words of one page; more would make it too large for browsers.
MOST_WORDS = 400_000


def _timeline_section(article: Article) -> Markup:
    words = table(article.result, SPEAKER_WORDS)
    if words is None or not words.height:
        return Markup()
    keys = words.select("system", "utt").unique(maintain_order=True)
    recordings: list[dict[str, Any]] = []
    left_out = at = 0
    for system, utt in keys.iter_rows():
        own = words.filter((pl.col("system") == system) & (pl.col("utt") == utt))
        at += own.height
        if at > MOST_WORDS and recordings:
            left_out += 1
            continue
        recordings.append(_recording(system, utt, own))
    data: dict[str, Any] = {"recordings": recordings, "left_out": left_out}
    ids = [recording["name"] for recording in recordings]
    audio = find_audio(article.result, ids, article.audio)
    if audio is not None:
        data["audio"] = {"sources": audio.sources, "codes": audio.codes.tolist()}
        article.plays = article.plays or audio.count("file") > 0
    block = article.add_data("timeline", data)
    place = element(
        "div",
        class_="timeline",
        id=article.id("timeline-chart"),
        data_timeline=block,
    )
    return joined([paragraph(NOTE, "note"), place])


def _recording(system: str, utt: str, words: pl.DataFrame) -> dict[str, Any]:
    """Return the data of a recording: its lanes, and the words of both sides in order of time."""
    said = words.filter(side="reference")
    lanes = [
        {side: _name(words, lane, side) for side in ("reference", "hypothesis")}
        for lane in range(int(words["lane"].max()) + 1)  # type: ignore[arg-type]
    ]
    ordered = words.sort(pl.col("side") != "reference", "begin", maintain_order=True)
    vocabulary, numbers = np.unique(ordered["word"].to_numpy().astype(str), return_inverse=True)
    times = {side: packed(ordered[side].to_numpy().astype(np.float32)) for side in ("begin", "end")}
    counts = {name: packed(ordered[name].to_numpy()) for name in ("lane", "turn", "kind")}
    return {
        "system": system,
        "name": utt,
        "lanes": lanes,
        "said": said.height,
        "words": vocabulary.tolist(),
        "numbers": packed(numbers),
        **times,
        **counts,
    }


def _name(words: pl.DataFrame, lane: int, side: str) -> str | None:
    names = words.filter((pl.col("lane") == lane) & (pl.col("side") == side))["speaker"]
    return names[0] if len(names) else None


TIMELINE = Section("timeline", "Timeline", "Who says what, and when?", _timeline_section)
