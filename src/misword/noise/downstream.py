"""What noise does to a task: a command of the user scores clean and noisy texts.

The command gets the texts on standard input, one on each line, and writes one score for each text
(1 for a text that it classifies rightly, else 0; the reciprocal rank of the right document; ...),
or a single score for all of them. Higher scores are better. It knows the right answers by the order
of the texts, which is always that of the file. It runs once for the clean texts, and once for each
channel, word error rate and trial.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.options import chosen, takes
from misword.core.parts.registry import split_specs
from misword.core.progress import progress
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.embed.options import Language
from misword.io.files.sources import PathLike, open_source
from misword.noise.arrays import Floats
from misword.noise.channels import Channel
from misword.noise.channels.specs import choose_channel
from misword.noise.corrupt import build_error_model, check_mixes, draw_all, signature
from misword.noise.corruption.targets import as_mix, as_target_wers
from misword.noise.options import TARGET_WERS, TaskOptions
from misword.noise.robust import trial_seed
from misword.stat.bootstrap import Bootstrap, interval
from misword.stat.descriptions.noise import DOWNSTREAM

LINES_OF_ERROR = 5  # of the command's standard error that a message shows


@dataclass(frozen=True, eq=False, repr=False)
class Downstream(DisplayedResult):
    """The scores of a task under noise: `levels` has a row for each channel and word error rate.

    `ratio` is the score divided by that of the clean texts. Its interval is a bootstrap over texts,
    if the command scores single texts.
    """

    levels: pl.DataFrame
    signatures: dict[str, str]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    description = DOWNSTREAM

    def main_table(self) -> pl.DataFrame:
        """Return the table `levels`."""
        return self.levels

    def result(self, provenance: dict[str, Any] | None = None) -> Result:
        """Return the table as a result that can be written."""
        facts = {"misword": __version__, **(provenance or {}), **self.settings}
        facts["signatures"] = self.signatures
        return Result("downstream", {"levels": self.levels}, facts)


@takes(TaskOptions)
def task_robustness(
    texts: PathLike | Iterable[str],
    task: str | Sequence[str],
    wer: Any = TARGET_WERS,
    **options: Unpack[TaskOptions],
) -> Downstream:
    """Return how a task's scores fall with the word error rate, for one or more channels.

    `texts` is a file with a text on each line, or the texts. `task` is the command. `channel` may
    name several channels, separated by commas.

    >>> import sys
    >>> count = "import sys; [print(int(len(line.split()) > 2)) for line in sys.stdin]"
    >>> command = [sys.executable, "-c", count]
    >>> found = task_robustness(["a b c", "a b"], command, 0.4, channel="uniform", trials=1)
    >>> found.levels["score"].to_list()
    [0.5, 0.5]
    """
    resampling = Bootstrap.of(options)
    target_wers = sorted({0.0, *as_target_wers(wer)})
    mix, trials = as_mix(options["mix"]), options["trials"]
    context = Context.of(**chosen(options, Language))
    command = shlex.split(task) if isinstance(task, str) else list(task)
    if not command:
        raise OptionError("no task is named", fix="name a command: --task 'python classify.py'")
    if trials < 1:
        raise OptionError(f"{trials} trials", fix="use one or more")
    named = options["channel"]
    parts = {named.name: named} if isinstance(named, Channel) else {}
    if isinstance(named, str):
        parts = {spec: choose_channel(spec, context) for spec in split_specs(named)}
    for part in parts.values():
        check_mixes(part, mix)
    lines = read_lines(texts)
    clean = run_task(command, lines)
    rows, signatures = [], {}
    with progress("scoring", len(parts) * trials * (len(target_wers) - 1)) as step:
        for name, part in parts.items():
            model = build_error_model(lines, part, context)
            used = mix or model.mix
            signatures[name] = str(signature(part, context, used, resampling.seed))
            scores: dict[float, list[Floats]] = {wer: [] for wer in target_wers}
            realised: dict[float, list[float]] = {wer: [] for wer in target_wers}
            for trial in range(trials):
                drawn = draw_all(
                    lines, model, target_wers[1:], mix=mix,
                    seed=trial_seed(resampling.seed, trial),
                )  # fmt: skip
                for target, level in zip(target_wers[1:], drawn, strict=True):
                    scores[target].append(run_task(command, level.texts, len(clean)))
                    realised[target].append(level.realised.wer or 0.0)
                    step(1)
            scores[0.0], realised[0.0] = [clean], [0.0]
            rows += [
                _row(name, target, realised[target], scores[target], clean, resampling)
                for target in target_wers
            ]
    settings = {"task": shlex.join(command), "texts": len(lines), "trials": trials}
    notes: tuple[str, ...] = ()
    if len(clean) == 1 and len(lines) > 1:
        notes = ("the task gives one score for all texts: there are no intervals over texts",)
    return Downstream(
        pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        signatures,
        settings | resampling.settings,
        notes,
    )


def _row(
    channel: str,
    target: float,
    realised: Sequence[float],
    scores: Sequence[Floats],
    clean: Floats,
    bootstrap: Bootstrap,
) -> dict[str, Any]:
    """Return the row of a channel and a word error rate: means over trials."""
    mean = np.mean(scores, axis=0)
    terms = np.stack([mean, clean], axis=1)

    def ratio(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1])

    low, high = interval(terms, ratio, bootstrap) if target else (1.0, 1.0)
    totals = [float(one.mean()) for one in scores]
    spread = float(np.std(totals, ddof=1)) if len(totals) > 1 else None
    return {
        "channel": channel,
        "wer": target,
        "realised": float(np.mean(realised)),
        "score": float(mean.mean()),
        "deviation": spread,
        "ratio": float(ratio(terms.sum(axis=0))),
        "ratio_low": low,
        "ratio_high": high,
        "trials": len(scores),
    }


def read_lines(texts: PathLike | Iterable[str]) -> list[str]:
    """Return the texts of a file, one on each line, or texts in memory."""
    if isinstance(texts, str | os.PathLike):
        lines = list(open_source(texts).lines)
    else:
        lines = [" ".join(text.splitlines()) for text in texts]
    if not any(lines):
        raise InputError("there are no texts", fix="give a file with a text on each line")
    return lines


def run_task(command: Sequence[str], texts: Sequence[str], size: int | None = None) -> Floats:
    """Return the scores that a command gives texts: one for each, or one for all.

    `size` is the number of scores of the clean texts, which others must have too.
    """
    shown = shlex.join(command)
    try:
        done = subprocess.run(
            command, input="".join(f"{text}\n" for text in texts), capture_output=True,
            encoding="utf-8", check=False,
        )  # fmt: skip
    except OSError as error:
        raise OptionError(
            f"the task cannot be run: {error.strerror}", where=shown, fix="check --task"
        ) from None
    except UnicodeDecodeError:
        raise InputError("the task's output is not UTF-8", where=shown) from None
    if done.returncode:
        last = " / ".join(done.stderr.strip().splitlines()[-LINES_OF_ERROR:])
        raise InputError(
            f"the task ended with status {done.returncode}: {last}", where=shown,
            fix="run it by hand: it reads texts on standard input and writes scores",
        )  # fmt: skip
    try:
        scores = np.array([float(word) for word in done.stdout.split()], np.float64)
    except ValueError:
        scores = np.zeros(0)
    if (
        len(scores) not in ({1, len(texts)} if size is None else {size})
        or not np.isfinite(scores).all()
    ):
        raise InputError(
            f"the task must write a number for each of {len(texts):,} texts, or one for all; it "
            f"wrote {len(done.stdout.split()):,} words",
            where=shown, fix="write one score on each line, and nothing else",
        )  # fmt: skip
    return scores
