"""`misword COMMAND ...`: find the command, run it, turn errors into one message and exit code 2."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from misword.core.errors import MiswordError
from misword.core.version import __version__

COMMANDS = {
    "score": "error rates of hypotheses, with confidence intervals",
    "compare": "is one system better than another, where, and is it more than chance?",
    "correlate": "do metrics say the same, and what translation scores say?",
    "agree": "do metrics choose what people choose?",
    "align": "readable alignments, and what was confused with what",
    "corrupt": "text as a recogniser would have heard it, at a stated word error rate",
    "learn-noise": "learn what a recogniser confuses, for `corrupt`",
    "realism": "how likely are a recogniser's real errors under a channel?",
    "robust": "what noise like a recogniser's does to sentence encoders",
    "map": "bring word vectors of two languages into one space",
    "translate": "the nearest words of another language, by a mapping",
    "evaluate": "how good are mappings: hit rate, precision, recall on a gold lexicon",
    "report": "one page to look at, from results on disk",
    "vectors": "look into word vectors, convert them, find neighbours",
    "parts": "metrics, views, analyzers, ...: options, what they need, how to install it",
    "demo": "see misword at work on a small corpus that comes with it",
}

EXAMPLES = """\
examples:
  misword score ref.txt hyp.txt
  misword score ref.trn a.trn b.trn --metrics wer,cer,mer,wil --by speaker
  misword score manifest.jsonl --normalize nfc,lower,nopunct --out results/
  misword score ref.fr hyp.fr --lang fr --vectors cc.fr.300.vec --metrics wer,ler,per,wer-s
  misword compare ref.csv base.csv new.csv --block speaker --report compare.html
  misword align ref.txt hyp.txt --errors-only
  misword corrupt text.txt --wer 0.3 --channel phonetic --lang en -o noisy.txt
  misword map en.vec fr.vec --method vecmap-s --lexicon train.txt -o en-fr.map

`misword COMMAND --help` explains a command. Results go to standard output, everything else to
standard error; errors in the input or the options end with exit code 2 and nothing written.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="misword",
        description="When a machine gets a word wrong, how wrong is it?",
        epilog=f"commands:\n{_listing()}\n\n{EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"misword {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="see below")
    words = list(sys.argv[1:] if arguments is None else arguments)
    chosen = parser.parse_args(words[:1] or ["--help"]).command
    try:
        return _run(chosen, words[1:])
    except MiswordError as error:
        print(f"misword {chosen}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        print(f"misword {chosen}: standard output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt as stopped:
        print(f"misword: interrupted; {str(stopped) or 'nothing was written'}", file=sys.stderr)
        return 130


def _run(chosen: str, words: list[str]) -> int:
    module = module_of(chosen)
    command = argparse.ArgumentParser(
        prog=f"misword {chosen}",
        description=module.__doc__,
        epilog=getattr(module, "EXAMPLES", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(command)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that cannot show a letter
        sys.stdout.reconfigure(errors="backslashreplace")
    module.run(command.parse_args(words))
    sys.stdout.flush()
    return 0


def module_of(command: str) -> Any:
    """The module behind a command's name."""
    return import_module(f"misword.cli.commands.{command.replace('-', '_')}")


def _listing() -> str:
    return "\n".join(f"  {name:<13}{about}" for name, about in COMMANDS.items())
