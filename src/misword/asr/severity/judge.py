"""A judge of severity: a program or an endpoint that gives each utterance with errors a level.

A judge gets one JSON object a line: `reference`, `hypothesis`, `context` and our own `labels`; it
returns one JSON object with `level` (none, minor, major or critical, or 0 to 3) for each. An
OpenAI-compatible endpoint gets each object as a message of its own.

Verdicts are stored on disk by the judge and the content of the request, each batch as soon as it is
there: a run that was interrupted goes on where it ended. A key for an endpoint is read from the
environment (`MISWORD_JUDGE_KEY`, else `OPENAI_API_KEY`) and is written nowhere.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import numpy as np

from misword.asr.translating.program import TranslationProgram
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.progress import progress
from misword.io.files.writing import cache_folder
from misword.stat.calibration import kappa
from misword.stat.score_tables import SEVERITY_ERRORS as ERRORS
from misword.stat.scores import Scores
from misword.stat.severity import JUDGE_LEVELS

KEYS = ("MISWORD_JUDGE_KEY", "OPENAI_API_KEY")
BATCH = 50  # requests after which verdicts are stored
RETRIES, FIRST_WAIT, TIMEOUT = 4, 1.0, 120.0
BUSY = frozenset({408, 409, 429, 500, 502, 503, 504})
PROMPT = (
    "You compare what was said (reference) with what a speech recogniser wrote (hypothesis). Say "
    "whether the errors would change what a listener does or believes. Answer with one JSON "
    'object: {"level": "none" | "minor" | "major" | "critical", "reason": "a few words"}.'
)

Ask = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge: its name, which signs its verdicts, and how it is asked for some lines of JSON."""

    name: str
    ask: Ask

    @classmethod
    def of(cls, command: str, model: str | None = None) -> Judge:
        """Return the judge of a command, or of the address of an endpoint (`http...`)."""
        if command.startswith(("http://", "https://")):
            if not model:
                raise OptionError(
                    "an endpoint needs the name of a model", fix="name it: --judge-model NAME"
                )
            address = command.rstrip("/")
            if not address.endswith("/chat/completions"):
                address += "/chat/completions"
            return cls(f"{model} at {command}", Endpoint(address, model))
        program = TranslationProgram.of(command)
        program.check()
        return cls(program.shown, lambda lines: program(list(lines)))

    def verdicts(self, requests: Sequence[str]) -> list[int]:
        """Return the level of each request; those that are stored are not asked for again."""
        store = VerdictStore.of(self.name)
        known = store.read()
        missing = list(dict.fromkeys(line for line in requests if _digest(line) not in known))
        with progress("judging", len(missing)) as step:
            for start in range(0, len(missing), BATCH):
                batch = missing[start : start + BATCH]
                answers = self.ask(batch)
                if len(answers) != len(batch):
                    raise InputError(
                        f"{len(answers)} verdicts for {len(batch)} requests",
                        where=self.name,
                        fix="write one line of JSON for each line that is read",
                    )
                new = {
                    _digest(line): read_level(answer, self.name)
                    for line, answer in zip(batch, answers, strict=True)
                }
                store.add(new)
                known |= new
                step(len(batch))
        return [known[_digest(line)] for line in requests]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint: asks for one request after the other."""

    address: str
    model: str

    def __call__(self, lines: Sequence[str]) -> list[str]:
        """Return the answer of each request."""
        return [self._answer(line) for line in lines]

    def _answer(self, line: str) -> str:
        messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": line}]
        body = {"model": self.model, "temperature": 0, "messages": messages}
        headers = {"Content-Type": "application/json"}
        if key := next((os.environ[name] for name in KEYS if os.environ.get(name)), ""):
            headers["Authorization"] = f"Bearer {key}"
        request = Request(self.address, json.dumps(body).encode(), headers)
        answer = json.loads(self._sent(request))
        try:
            return str(answer["choices"][0]["message"]["content"])
        except (KeyError, IndexError, TypeError):
            raise InputError(
                "the answer has no message", where=self.address, fix="is it OpenAI-compatible?"
            ) from None

    def _sent(self, request: Request) -> bytes:
        wait = FIRST_WAIT
        for attempt in range(RETRIES + 1):
            try:
                with urlopen(request, timeout=TIMEOUT) as response:
                    content: bytes = response.read()
                return content
            except HTTPError as error:
                if error.code not in BUSY or attempt == RETRIES:
                    raise InputError(
                        f"the judge answered with {error.code} {error.reason}",
                        where=self.address,
                        fix=f"is the key right? It is read from {' or '.join(KEYS)}",
                    ) from None
            except (URLError, TimeoutError) as error:
                if attempt == RETRIES:
                    reason = getattr(error, "reason", error)
                    raise InputError(
                        f"the judge cannot be reached: {reason}",
                        where=self.address,
                        fix="verdicts so far are stored; run the command again",
                    ) from None
            time.sleep(wait)
            wait *= 2
        raise AssertionError


@dataclass(frozen=True, slots=True)
class VerdictStore:
    """The verdicts of one judge on disk: lines of JSON, of which damaged ones are asked again."""

    file: Path

    @classmethod
    def of(cls, name: str) -> VerdictStore:
        """Return the store of a judge."""
        return cls(cache_folder() / "verdicts" / f"{_digest(name)}.jsonl")

    def read(self) -> dict[str, int]:
        """Return the level of each request by its digest."""
        found: dict[str, int] = {}
        if not self.file.is_file():
            return found
        for line in self.file.read_text("utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
                found[str(entry["request"])] = int(entry["level"])
            except (ValueError, KeyError, TypeError):
                continue
        return found

    def add(self, verdicts: dict[str, int]) -> None:
        """Append verdicts."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = (
            json.dumps({"request": key, "level": level}) + "\n" for key, level in verdicts.items()
        )
        with self.file.open("a", encoding="utf-8") as file:
            file.write("".join(lines))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def read_level(answer: str, where: str) -> int:
    """Return the level of an answer: a JSON object with `level`, maybe with text around it.

    >>> read_level('{"level": "major"}', "judge"), read_level('so: {"level": 3}', "judge")
    (2, 3)
    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        level = json.loads(answer[start : end + 1])["level"]
        if isinstance(level, str):
            return JUDGE_LEVELS.index(level.strip().lower())
        if level in range(len(JUDGE_LEVELS)):
            return int(level)
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError(
        f"no level in the answer {answer[:80]!r}",
        where=where,
        fix='answer with {"level": "none"}, minor, major or critical',
    )


def requests_of(scores: Scores, context: str | None = None) -> tuple[pl.DataFrame, list[str]]:
    """Return the pairs with labelled errors, and a request for each; `context` is a column."""
    keys = ["utt", "system", "rank"]
    labels = (
        scores.records[ERRORS]
        .filter(rank=1)
        .group_by(keys, maintain_order=True)
        .agg(
            pl.struct("label", pl.col("level").cast(pl.String), "reference", "hypothesis").alias(
                "labels"
            )
        )
    )
    wanted = [*keys, "severity.level"]
    if context is not None:
        if context not in scores.metadata:
            known = ", ".join(scores.metadata) or "there are none"
            raise OptionError(f"no column {context!r} of context", fix=f"columns: {known}")
        wanted.append(context)
    pairs = labels.join(scores.table.select(wanted), on=keys, how="left", maintain_order="left")
    pairs = pairs.join(scores.texts(), on=keys, how="left", maintain_order="left")
    lines = [
        json.dumps(
            {
                "reference": row["reference"],
                "hypothesis": row["hypothesis"],
                "context": str(row[context] or "") if context else "",
                "labels": row["labels"],
            },
            ensure_ascii=False,
        )
        for row in pairs.iter_rows(named=True)
    ]
    return pairs.select(*keys, pl.col("severity.level").alias("own")), lines


def judged_tables(
    scores: Scores, judge: Judge, context: str | None = None
) -> dict[str, pl.DataFrame]:
    """Return the verdicts of a judge, and how well they agree with our own levels by system."""
    pairs, lines = requests_of(scores, context)
    levels = pl.Series("judged", judge.verdicts(lines), pl.Int64)
    verdicts = pairs.with_columns(levels, pl.lit(judge.name).alias("judge"))
    rows: list[dict[str, Any]] = []
    for system in _unique(verdicts["system"]):
        own, judged = (
            verdicts.filter(system=system)[name].to_numpy() for name in ("own", "judged")
        )
        most = len(JUDGE_LEVELS) - 1
        rows.append(
            {
                "system": system, "judge": judge.name, "utterances": len(own),
                "same": float(np.mean(own == judged)), "kappa": kappa(own, judged),
                "kappa_matters": kappa(own > 1, judged > 1),
                "critical": int((own == most).sum()),
                "judged_critical": int((judged == most).sum()),
            }
        )  # fmt: skip
    return {"verdicts": verdicts, "judge_agreement": pl.DataFrame(rows)}


def _unique(column: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(column))
