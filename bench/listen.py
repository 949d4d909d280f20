"""The simulated listener beside the other channels and real recognisers: `python bench/listen.py`.

French: the development set of Le 2016 (LM scale 10), half for learning, half for judging. English:
the LibriSpeech N-best lists of the HyPoradise test sets, likewise. Foreign recognisers: what was
learnt from these is judged on recognisers and speech not used for learning. Speed and memory: the
command on sentences of STS-benchmark. Blind lists: 20 simulated and 20 real sentences, shuffled;
`--list N` makes list N of sentences of no other list, and prints it without the key;
`--judge N NAME LETTERS` (r for real, s for simulated, in the order of the list) adds a verdict.
Writes bench/results/listen.md and listen-blind.json.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

import misword
from misword.cli.rendering import markdown
from misword.core.context import Context
from misword.core.tables import Table, number, number_span, percent, text, written
from misword.core.types import Op
from misword.noise.aligned_corpus import AlignedCorpus
from misword.noise.channels.specs import create_channel
from misword.noise.corrupt import build_error_model, draw
from misword.noise.corruption.text_block import distinct_cores
from misword.noise.listening.decoder import SAID_WORDS
from misword.noise.listening.drawing import ListeningSampler
from misword.noise.realism import Realism, realism, split_halves
from misword.noise.realism_spans import JudgedSpans
from timing import machine

HERE = Path(__file__).parent / "results"
RESULTS, BLIND = HERE / "listen.md", HERE / "listen-blind.json"
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"
SPANS = (
    text("channel"),
    *(percent(f"recall_{k}", f"recall@{k} %", 1) for k in (1, 10, 100)),
    number("bits"),
    number_span("low", "high", "95 %"),
    written("difference", "to the first", "{:+.2f}".format),
    number_span("difference_low", "difference_high", "95 % of the difference"),
)
TEXTS = (
    text("channel", "errors of"),
    percent("wer", "WER %"),
    percent("rare", "rare %", 1),
    percent("runs", "runs %", 1),
    number("similarity"),
    percent("dissimilar", "unlike %", 1),
    percent("clean", "clean %", 1),
    number("position"),
)
CHANNELS = "confusion,phonetic,listen"
SHOWN = 20  # sentences of each kind in a blind list
LONGEST, SHORTEST = 24, 6
Pairs = tuple[list[str], list[str]]


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]


def french() -> Pairs:
    folder = SHARED / "wce-dev"
    return lines(folder / "ref.fr"), lines(folder / "hyp" / "scale_10.fr")


def english() -> Pairs:
    names = ("clean", "other")
    lists = [
        one
        for name in names
        for one in json.loads((SHARED / "nbest" / f"librispeech-{name}.json").read_text("utf-8"))
    ]
    return [one["output"] for one in lists], [one["input"][0] for one in lists]


def panel(name: str) -> Pairs:
    path = SHARED / "panel" / f"voxpopuli-{name}.jsonl"
    rows = [json.loads(line) for line in lines(path)]
    return [plain(row["text"]) for row in rows], [plain(row["pred_text"]) for row in rows]


def whisper() -> Pairs:
    folder = SHARED / "wce-whisper"
    references = {row["utt"]: row for row in map(json.loads, lines(folder / "ref.jsonl"))}
    best = [row for row in map(json.loads, lines(folder / "nbest.jsonl")) if row["rank"] == 1]
    name = "text" if "text" in next(iter(references.values())) else "reference"
    said = [plain(references[row["utt"]][name]) for row in best]
    return said, [plain(row["text"]) for row in best]


def plain(sentence: str) -> str:
    """Lower case without punctuation; elided words of French are words of their own."""
    kept = "".join(c if c.isalnum() or c in "'’" else " " for c in sentence.lower())
    return " ".join(kept.replace("’", "'").replace("'", "' ").split())


def tables(title: str, found: Realism) -> str:
    rows = found.spans.to_dicts()
    about = f"{rows[0]['spans']:,} error spans in {rows[0]['sentences']:,} sentences."
    spans = markdown(Table("spans", SPANS, rows))
    texts = markdown(Table("texts", TEXTS, found.texts.to_dicts()))
    return f"### {title}\n\n{about}\n\n{spans}\n\n{texts}"


def reach(lang: str, pairs: Pairs) -> str:
    """Return a row: the share of real spans that a listener with this vocabulary can reach."""
    context = Context.of(lang)
    train, test = split_halves(AlignedCorpus.align(*pairs), 0)
    channel = create_channel("listen").learn(train, context)
    judged = JudgedSpans.of(test.best())
    said = distinct_cores({word for row in judged.corpus.references for word in row})
    model = channel.model(said, judged.texts, context)
    assert isinstance(model, ListeningSampler)
    listener, spans = model.listener, judged.spans
    known = {w for w, k in zip(listener.lexicon.words, listener.lexicon.known, strict=True) if k}
    in_words = np.array([known.issuperset(span.heard) for span in spans])
    sizes = np.array([(len(span.said), len(span.heard)) for span in spans])
    short = (sizes[:, 0] <= SAID_WORDS) & (sizes[:, 1] <= 2 * sizes[:, 0])
    chances = listener.span_probabilities(judged.corpus.references, spans)
    likely = 1 - (1 - chances) ** 100
    one = sizes[:, 0] == 1
    shares = (
        in_words.mean(), (in_words & short).mean(), (chances > 1e-4).mean(), likely.mean(),
        likely[one].mean(), likely[~one].mean(),
    )  # fmt: skip
    return f"| {lang} | {len(spans):,} | " + " | ".join(f"{100 * s:.1f}" for s in shares) + " |"


REACH = """### What can be reached

`in words`: the words heard are all in the vocabulary (word list, what the recogniser wrote in the
other half). `and length`: and the span is not longer than the decoder allows; no weights, language
model or search can raise recall above this share, except by invented spellings. `p > 1e-4`: the
share of spans to which the channel gives at least this probability. The last columns are recall@100
by words said.

| | spans | in words % | and length % | p > 1e-4 % | recall@100 % | one word | more words |
|:--|--:|--:|--:|--:|--:|--:|--:|
"""


def sts() -> list[str]:
    with (SHARED / "sts" / "stsb-en-dev.csv").open(encoding="utf-8") as file:
        return [text for row in csv.reader(file) for text in row[:2]]


def speed() -> str:
    """Return CPU seconds and peak memory of drawing into 20,000 sentences, on one core."""
    texts = list(islice(cycle(sts()), 20_000))
    rows = []
    for spec in ("phonetic", "listen"):
        start = time.process_time()
        model = build_error_model(texts, spec, Context.of("en", workers=1))
        built = time.process_time() - start
        for wer in (0.05, 0.1, 0.16, 0.3):
            start = time.process_time()
            draw(texts, model, wer, workers=1)
            took = time.process_time() - start
            rows.append(
                f"| {spec} | {100 * wer:.0f} | {built:.1f} | {took:.2f} | {20_000 / took:,.0f} |"
            )
    status = Path("/proc/self/status").read_text("utf-8")
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    return (
        "### Speed and memory\n\n20,000 sentences of STS-benchmark dev (11.4 words), one core; "
        f"the process had at most {peak:,.0f} MB.\n\n"
        "| channel | WER % | model, CPU s | drawing, CPU s | sentences a CPU s |\n"
        "|:--|--:|--:|--:|--:|\n" + "\n".join(rows)
    )


def blind(seed: int, others: set[str]) -> list[dict[str, str]]:
    """Return 20 real and 20 simulated sentences of the English test half, shuffled, with a key.

    Sentences of `others` are left out.
    """
    references, hypotheses = english()
    train, test = split_halves(AlignedCorpus.align(references, hypotheses), 0)
    rows = np.unique(test.utterance)
    context = Context.of("en", workers=1)
    channel = create_channel("listen").learn(train, context)
    said = [references[row] for row in rows]
    model = channel.model(distinct_cores({w for s in said for w in s.split()}), said, context)
    best = test.best()
    wer = float((best.operations != Op.HIT).sum() / (best.reference >= 0).sum())
    noisy = draw(said, model, wer, seed=seed).texts
    random = np.random.default_rng(seed)
    found: list[dict[str, str]] = []
    order = random.permutation(len(said)).tolist()
    for kind, texts in (("real", [hypotheses[row] for row in rows]), ("simulated", noisy)):
        count = 0
        used = {one["said"] for one in found}
        for at in order:
            fits = SHORTEST <= len(said[at].split()) <= LONGEST and texts[at] != said[at]
            if fits and said[at] not in used | others and count < SHOWN:
                found.append({"said": said[at], "heard": texts[at], "kind": kind})
                count += 1
    return [found[at] for at in random.permutation(len(found)).tolist()]


def verdicts(lists: dict[str, dict[str, Any]]) -> str:
    rows, shown = [], []
    for place, stored in lists.items():
        listed = stored["list"]
        for name, letters in stored["verdicts"].items():
            pairs = zip(listed, letters, strict=True)
            right = sum(one["kind"][0] == letter for one, letter in pairs)
            rows.append(
                f"| {place} | {name} | {right} of {len(listed)} | {100 * right / len(listed):.0f} |"
            )
        shown.append(
            f"List {place}:\n\n"
            + "\n".join(
                f"{line}. {one['said']} → **{one['heard']}** ({one['kind']})"
                for line, one in enumerate(listed, 1)
            )
        )
    return (
        "### Real or simulated?\n\n20 real and 20 simulated errors of the English test half, "
        "shuffled; each judge saw what was said and what was heard, and not the key. List 1 is of "
        "an earlier state, without invented spellings.\n\n"
        "| list | judge | right | % |\n|--:|:--|--:|--:|\n" + "\n".join([*rows, "", *shown])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="N", help="make and print a blind list only")
    parser.add_argument(
        "--judge", nargs=3, metavar=("N", "NAME", "LETTERS"), action="append", default=[]
    )
    options = parser.parse_args()
    lists: dict[str, dict[str, Any]] = json.loads(BLIND.read_text("utf-8"))
    if options.list:
        others = {o["said"] for n in lists for o in lists[n]["list"] if n != options.list}
        lists[options.list] = {"list": blind(int(options.list), others), "verdicts": {}}
        for place, one in enumerate(lists[options.list]["list"], 1):
            print(f"{place:2}. {one['said']}\n    {one['heard']}")
    for place, name, letters in options.judge:
        lists[place]["verdicts"][name] = letters
    BLIND.write_text(json.dumps(lists, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if options.list or options.judge:
        return
    corpora = {"fr": french(), "en": english()}
    files = {}
    for lang, pairs in corpora.items():
        for channel in ("confusion", "listen"):
            files[lang, channel] = HERE / f"{channel}-{lang}.tmp.json"
            learnt = misword.learn_noise(*pairs, channel=channel, lang=lang)
            files[lang, channel].write_text(learnt.to_json(), "utf-8")
    foreign = {
        lang: f"confusion:file={files[lang, 'confusion']},phonetic,"
        f"listen:file={files[lang, 'listen']}"
        for lang in corpora
    }
    parts = [
        "# Simulated listener",
        f"`python bench/listen.py`, {machine()}. Half of the sentences for learning, the other "
        "half for judging.",
        tables("French, wce-dev, LM scale 10", realism(*corpora["fr"], CHANNELS, lang="fr")),
        tables(
            "English, LibriSpeech test-clean and test-other",
            realism(*corpora["en"], CHANNELS, lang="en"),
        ),
        *(
            tables(
                f"English, VoxPopuli, {name}; learnt from LibriSpeech",
                realism(*panel(name), foreign["en"], lang="en"),
            )
            for name in ("wav2vec2-base-960h", "whisper-small.en")
        ),
        tables(
            "French, wce-dev speech by whisper-base; learnt from wce-dev's own recogniser",
            realism(*whisper(), foreign["fr"], lang="fr"),
        ),
        REACH + "\n".join(reach(*each) for each in corpora.items()),
        speed(),
        verdicts(lists),
    ]
    for file in files.values():
        file.unlink()
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
