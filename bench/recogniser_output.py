"""How long it takes to read recogniser output of many words, beside Python's JSON decoder.

python bench/recogniser_output.py --words 100000 --out bench/results/recogniser_output.md
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MEASURED = """
import resource, sys, time
from misword.io.transcripts.read import read_transcript
read_transcript(sys.argv[2], role="hypothesis")  # the first call imports modules
before = time.process_time()
found = read_transcript(sys.argv[1], role="hypothesis")
print(time.process_time() - before, found.words.height,
      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
DECODED = """
import json, sys, time
text = open(sys.argv[1]).read()
before = time.process_time()
json.loads(text)
print(time.process_time() - before)
"""


def aws(words: int) -> dict[str, Any]:
    """Return a response of AWS Transcribe with speakers and punctuation."""
    items: list[dict[str, Any]] = []
    segments: list[dict[str, Any]] = []
    for number in range(words):
        begin = number * 0.37
        times = {"start_time": f"{begin:.2f}", "end_time": f"{begin + 0.3:.2f}"}
        content = {"confidence": "0.9876", "content": f"word{number % 5000}"}
        items.append({**times, "alternatives": [content], "type": "pronunciation"})
        if number % 12 == 11:
            sign = {"confidence": "0.0", "content": "."}
            items.append({"alternatives": [sign], "type": "punctuation"})
        if number % 25 == 0:
            label = f"spk_{number // 25 % 3}"
            segments.append({**times, "speaker_label": label, "items": []})
        label = segments[-1]["speaker_label"]
        segments[-1]["items"].append({**times, "speaker_label": label})
    results = {"speaker_labels": {"speakers": 3, "segments": segments}, "items": items}
    return {"jobName": "bench", "results": results, "status": "COMPLETED"}


def deepgram(words: int) -> dict[str, Any]:
    """Return a response of Deepgram of one channel."""
    rows = [
        {"word": f"word{n % 5000}", "start": n * 0.37, "end": n * 0.37 + 0.3, "confidence": 0.9,
         "speaker": n // 25 % 3, "punctuated_word": f"Word{n % 5000},"}
        for n in range(words)
    ]  # fmt: skip
    text = " ".join(str(row["punctuated_word"]) for row in rows)
    best = {"transcript": text, "confidence": 0.9, "words": rows}
    return {"results": {"channels": [{"alternatives": [best]}]}}


def whisper(words: int) -> dict[str, Any]:
    """Return the output of openai-whisper with word times, ten words a segment."""
    segments = []
    for start in range(0, words, 10):
        rows = [
            {"word": f" word{n % 5000}", "start": n * 0.37, "end": n * 0.37 + 0.3,
             "probability": 0.9}
            for n in range(start, min(start + 10, words))
        ]  # fmt: skip
        text = "".join(str(row["word"]) for row in rows)
        segments.append(
            {"start": rows[0]["start"], "end": rows[-1]["end"], "text": text, "words": rows}
        )
    return {"text": "", "segments": segments, "language": "en"}


RESPONSES = {"AWS Transcribe": aws, "Deepgram": deepgram, "openai-whisper": whisper}


def run(script: str, *paths: Path) -> list[float]:
    """Return the numbers that a script prints in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(value) for value in done.stdout.split()]


def main() -> None:
    """Measure each format and write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = [
        "# Reading of recogniser output",
        "",
        f"{options.words:,} words with times, speakers or confidences; CPU seconds, one process.",
        "",
        "| format | MB | misword, s | json.loads, s | words | peak, MB |",
        "|:--|--:|--:|--:|--:|--:|",
    ]
    with TemporaryDirectory() as folder:
        for name, make in RESPONSES.items():
            path, small = Path(folder, "a.json"), Path(folder, "small.json")
            path.write_text(json.dumps(make(options.words)))
            small.write_text(json.dumps(make(20)))
            seconds, words, peak = run(MEASURED, path, small)
            (decoded,) = run(DECODED, path)
            size = path.stat().st_size / 1e6
            cells = (f"{size:.0f}", f"{seconds:.2f}", f"{decoded:.2f}", f"{words:,.0f}",
                     f"{peak:.0f}")  # fmt: skip
            lines.append(f"| {name} | {' | '.join(cells)} |")
    text = "\n".join([*lines, ""])
    print(text)
    if options.out:
        options.out.write_text(text)


if __name__ == "__main__":
    main()
