"""The law of options: each option of each command changes the result, is refused, or is noted.

Each command runs once on small files, and once more with each of its options. What the second run
prints and writes (without the provenance, which records options) differs from the first run, or the
option is an error, or a note names it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from arpa import ARPA
from judged import choice_table
from misword.cli.commands import COMMANDS, options_of
from misword.cli.main import main

SCORED = "ref.csv hyp.csv --bootstrap 9"
# A small run of each command; `out` is the folder of what it writes.
RUNS = {
    "score": f"{SCORED}",
    "compare": "ref.csv hyp.csv other.csv --bootstrap 9",
    "bench": "sets.toml --bootstrap 9",
    "gate": "ref.csv hyp.csv other.csv --bootstrap 9 --max wer=0.5 --no-worse wer",
    "align": "ref.csv hyp.csv",
    "correlate": "ref.csv hyp.csv --block 2 --bootstrap 9 --metrics wer,mer",
    "segment": "ref.csv hyp.csv -o out/cut.csv --downstream bleu --bootstrap 9",
    "oracle": "ref.csv lists.csv --metrics wer --bootstrap 9",
    "rescore": "lists.csv --lm ngram:lm.arpa -o out/scored.jsonl",
    "tune": "ref.csv lists.csv --resamples 2 --folds 2 --starts 1 --bootstrap 9",
    "mbr": "lists.csv --references ref.csv --bootstrap 9",
    "combine": "hyp.csv other.csv third.csv --references ref.csv --bootstrap 9",
    "agree": "choices.tsv --metrics wer,cer --bootstrap 9",
    "fit": "choices.tsv --metrics wer,cer --bootstrap 9 --repeats 1 --folds 2 -o out/blend.json",
    "corrupt": "ref.csv --wer 0.5 --channel uniform -o out/noisy.csv",
    "learn-noise": "ref.csv hyp.csv -o out/noise.json",
    "realism": "many.csv many-hyp.csv --channels uniform --bootstrap 9",
    "robust": "pairs.csv --vectors a.vec --channel uniform --encoders mean --wer 0.5 --trials 2 "
    "--bootstrap 9",
    "map": "a.vec b.vec --method procrustes --lexicon lexicon.tsv --export-source out/source.vec "
    "-o out/new.map",
    "translate": "one.map the cat --k 2",
    "evaluate": "one.map gold.tsv --k 1,2 --bootstrap 9",
    "audit": "gold.tsv --source-lang zu --target-lang xh --flags identical,case",
    "build": "--source-lang eo --target-lang ia --from lexicon.tsv --source-vectors a.vec "
    "--target-vectors b.vec --size 2 -o out/gold",
    "vectors": "neighbors a.vec cat -k 2",
    "references": "ref.csv --systems hyp.csv other.csv third.csv --bootstrap 9 --threshold 0.9 "
    "-o out/suspects.tsv",
    "check": "ref.csv hyp.csv",
    "report": "result -o out/report.html",
    "verify": "result",
    "parts": "metrics",
    "completion": "bash",
    "demo": "",
    "schema": "score",
    "mcp": ".",
}
# A value of each option, other than its default: for all commands, or for one of them.
VALUES = {
    "average": "micro",
    "case": "keep",
    "dimension": "8",
    "epochs": "2",
    "min_count": "2",
    "window": "2",
    "best_of_last": "2",
    "checkpoints": "",
    "history": "runs.parquet",
    "incomplete": "common",
    "set_pages": "",
    "since": "1d",
    "step": "2",
    "version": "v2",
    "accepted": "out/accepted.tsv",
    "all": "",
    "alpha": "0.5",
    "alternatives": "",
    "alternatives_from": "alternatives.norm.json",
    "apply": "lm=1",
    "audio": "audio",
    "audit": "",
    "bands": "2:50,4:50",
    "all_pairs": "",
    "baseline": "other",
    "block": "speaker",
    "bootstrap": "0",
    "brief": "",
    "by": "speaker",
    "candidates": "candidates.tsv",
    "categorical": "level",
    "channel": "phonetic --lang en",
    "channel_vectors": "b.vec",
    "channels": "uniform,phonetic --lang en",
    "checks": "empty",
    "coefficient": "spearman",
    "columns": "2,1",
    "confidence": "0.5",
    "confidences": "",
    "confusions": "1",
    "consensus": "0.9",
    "corrected": "out/fixed.csv --judged verdicts.json",
    "copy": "out/copy",
    "context": "speaker",
    "cost": "rate",
    "costs": "spelling",
    "critical": "1",
    "critical_terms": "words.txt",
    "depth": "1",
    "depths": "1",
    "dictionaries": "lexicon.tsv",
    "dictionary": "out/made.tei",
    "disjoint": "both",
    "downstream": "chrf",
    "labels": "out/labels.csv",
    "draft": "-o out/draft.tsv",
    "encoders": "sif",
    "encoding": "utf-16",
    "entities": "tags:names",
    "equivalents": "same.txt",
    "errors_only": "",
    "examples": "words.txt",
    "fallback": "unigram",
    "exclude": "identical",
    "export_source": "out/mapped.vec",
    "export_target": "out/mapped.vec",
    "features": "lm",
    "flags": "identical",
    "folds": "3",
    "find_phrases": "",
    "force": "",
    "forgive": "case",
    "forgiven": "1",
    "format": "csv",
    "forms": "lemmas",
    "further_gold": "lexicon.tsv",
    "glm": "rules.glm",
    "gold_flags": "",
    "hypothesis_column": "second",
    "hypothesis_format": "lines",
    "id_column": "second",
    "include": "known",
    "input_format": "lines",
    "join": "speaker",
    "judge": "out/judge.tsv",
    "judge_context": "speaker",
    "judge_model": "tiny",
    "judged": "draft.tsv",
    "junit": "out/gate.xml",
    "k": "1",
    "keep": "words.txt",
    "keep_formulas": "",
    "keep_going": "",
    "keywords": "words.txt",
    "lang": "fr",
    "leave_out": "identical",
    "lemma_rule": "both",
    "lemmas": "en",
    "lemmatizer": "simplemma",
    "lexicon": "gold.tsv",
    "limit": "1",
    "lm": "ngram:lm.arpa,column=other",
    "lower": "",
    "lower_is_better": "",
    "margin": "50%",
    "max": "cer=0.1",
    "min": "cer=0.1",
    "max_words": "3",
    "merge": "majority",
    "metadata": "more.csv",
    "method": "maxconf",
    "metric": "cer",
    "metrics": "mer",
    "multiword": "",
    "missing": "delete",
    "mix": "s=0.5,d=0.5",
    "more_references": "better.csv",
    "names": "one",
    "no_worse": "cer",
    "normalize": "lower",
    "null_confidence": "0.9",
    "only": "words.txt",
    "oov": "error",
    "out": "out/result",
    "output": "out/written.csv",
    "paradigms": "paradigms.tsv",
    "phrases": "words.txt",
    "pos": "NOUN",
    "pos_column": "pos",
    "predictions": "one.map",
    "preset": "sclite",
    "prior": "people:size=small --lang en",
    "purpose": "learners",
    "ranks": "2",
    "reference_column": "second",
    "references": "ref.csv",
    "refit": "",
    "repeats": "2",
    "report": "out/page.html",
    "rerank": "lexicon.tsv",
    "resamples": "3",
    "resume": "",
    "retriever": "nn",
    "reverse": "",
    "reverse_dictionaries": "lexicon.tsv",
    "rules": "rules.txt",
    "scale": "0",
    "seed": "5",
    "segments": "recording",
    "select": "",
    "senses": "2-",
    "severity": "",
    "size": "1",
    "source": "c.vec",
    "source_lang": "en",
    "source_lemmatizer": "simplemma",
    "source_vectors": "c.vec",
    "start": "score=2,lm=1",
    "strict": "",
    "systems": "",
    "tagger": "nltk",
    "tags_from": "tags.json",
    "target": "c.vec",
    "target_lang": "en",
    "target_lemmatizer": "simplemma",
    "target_vectors": "c.vec",
    "task": "'wc -l'",
    "test": "ref.csv lists.csv",
    "text_column": "second",
    "threshold": "0.9",
    "ties": "cer",
    "title": "Trial",
    "top": "1",
    "train_size": "1",
    "training": "lexicon.tsv",
    "translate": "cat",
    "translate_timeout": "9",
    "translation_format": "lines",
    "translation_references": "ref.txt",
    "translations": "hyp.txt",
    "trials": "3",
    "truncate": "",
    "unseen": "",
    "valid": "gold.tsv",
    "vector_format": "glove",
    "vectors": "a.vec",
    "vocabulary": "words.txt",
    "weights": "0",
    "wer": "0.3",
    "word_list": "words.txt",
    "worst": "0",
    "write_weights": "out/weights.json",
}
OF_COMMANDS = {
    ("agree", "columns"): "reference,hypA,votesB,hypB,votesA",
    ("agree", "input_format"): "csv",
    ("audit", "input_format"): "csv",
    ("build", "output"): "out/other",
    ("build", "source_lang"): "es",
    ("build", "target_lang"): "es",
    ("combine", "names"): "one,two,three",
    ("compare", "names"): "one,two",
    ("correlate", "metrics"): "mer,wil",
    ("correlate", "translations"): "hyp.txt --translation-references ref.txt",
    ("evaluate", "by"): "pos",
    ("fit", "columns"): "reference,hypA,votesB,hypB,votesA",
    ("fit", "input_format"): "csv",
    ("fit", "metrics"): "mer,wil",
    ("bench", "block"): "speaker",
    ("bench", "costs"): "costs.csv",
    ("bench", "metadata"): "more.csv --by level",
    ("bench", "margin"): "1%",
    ("bench", "systems"): "hyp",
    ("gate", "format"): "json",
    ("gate", "names"): "one,two",
    ("compare", "lang"): "en",
    ("build", "dictionaries"): "gold.tsv",
    ("check", "training"): "ref.csv",
    ("check", "translations"): "hyp.csv",
    ("mbr", "weights"): "1,-9",
    ("learn-noise", "channel"): "listen --lang en --vocabulary learnt",
    ("map", "method"): "vecmap-s",
    ("map", "output"): "out/other.map",
    ("oracle", "translations"): "second --translation-references second",
    ("references", "forgive"): "case",
    ("references", "judged"): "verdicts.json",
    ("references", "names"): "one,two,three",
    ("references", "systems"): "hyp.csv third.csv",
    ("references", "threshold"): "0.0000001",
    ("report", "output"): "out/other.html",
    ("score", "judge"): "cat",
    ("robust", "columns"): "sentence2,sentence1,other",
    ("robust", "input_format"): "tsv",
    ("robust", "vectors"): "d.vec",
    ("translate", "output"): "out/written.tsv",
    ("tune", "translations"): "second --translation-references second",
}
# Options that change no result by nature, with the reason.
SPEED = "how fast the same result is computed"
WITHOUT_RESULT = {
    "workers": SPEED,
    "cache": SPEED,
    "engine": SPEED,
    "timeout": "when a call of a tool is ended: tests/unit/cli/commands/test_mcp_command.py",
    "starts": "the search may find the same weights from all starts",
}
# Options of one command that change nothing in small files, with the reason.
FINDINGS = "these small files have nothing on which it acts"
IN_LARGER_FILES = dict.fromkeys(
    (
        *(("check", name) for name in ("lang", "vectors", "strict")),
        *(("check", name) for name in ("input_format", "reference_column")),
        ("audit", "threshold"),
        ("compare", "lang"),
        *(("segment", name) for name in ("costs", "metadata", "missing")),
    ),
    FINDINGS,
) | {
    (
        "build",
        "keep_going",
    ): "tables, the format here, have no entries to skip: tests/unit/io/dictionaries tries it"
}
# Options for a case that a run may not meet, such as a file that is there already: they are tried
# in a run that meets it, which may be refused without the option.
CASES = {
    "force": "a result is there already",
    "keep_going": "a part of the input cannot be read",
    "missing": "utterances lack a hypothesis",
    "resume": "a training was interrupted",
}
# What both runs have beside the run of the command, where an option has its effect.
ALL_COMMANDS = ""
BESIDE = {
    (ALL_COMMANDS, "categorical"): "--metadata more.csv",
    (ALL_COMMANDS, "force"): "--out result",
    (ALL_COMMANDS, "title"): "--report out/page.html",
    **dict.fromkeys(
        (("bench", name) for name in ("since", "step", "version", "best_of_last")),
        "--history runs.parquet",
    ),
    ("bench", "margin"): "--history runs.parquet --best-of-last 2",
    ("bench", "set_pages"): "--report out/page.html",
    ("bench", "categorical"): "--metadata more.csv --by level",
    ("score", "categorical"): "--metadata more.csv --by level --out out/result",
    ("compare", "categorical"): "--metadata more.csv --by level --out out/result",
    ("build", "force"): "",
    ("translate", "find_phrases"): "--examples words.txt --draft -o out/draft.tsv",
    ("report", "title"): "",
    ("realism", "categorical"): "",
    ("compare", "metadata"): "--out out/result",
    ("compare", "worst"): "--out out/result",
    ("correlate", "block"): "--metrics wer,cer,mer",
    ("corrupt", "critical"): "--lang en",
    ("corrupt", "critical_terms"): "--lang en --labels out/labels.csv",
}
# Runs that differ from that of the command.
INSTEAD = {
    (command, "missing"): run.replace("hyp.csv", "fewer.csv").replace("lists", "fewer-lists")
    for command, run in RUNS.items()
} | {
    ("bench", "brief"): "one.toml --bootstrap 9",
    ("bench", "missing"): "fewer.toml --bootstrap 9",
    ("mbr", "weights"): f"{RUNS['mbr']} --features score,lm",
    ("mbr", "folds"): f"{RUNS['mbr']} --scale auto",
    ("mbr", "references"): "lists.csv --bootstrap 9",
    ("combine", "references"): "hyp.csv other.csv third.csv --bootstrap 9",
    ("vectors", "out"): "convert a.vec --out out/first",
    ("gate", "strict"): "ref.csv other.csv hyp.csv --bootstrap 9 --no-worse wer",
    ("build", "force"): f"{RUNS['build']} -o gold-set",
    ("translate", "word_list"): "one.map cat --k 2",
    ("references", "merge"): "ref.csv better.csv third.csv --bootstrap 9 -o out/merged.txt",
    ("references", "bootstrap"): "ref.csv --systems hyp.csv other.csv third.csv",
    ("score", "merge"): f"{RUNS['score']} --more-references better.csv --more-references third.csv",
    ("score", "confidences"): "words.stm words.ctm --bootstrap 9",
}

SPOKEN = ("the cat sat", "a cat sat here", "a dog ran", "the mat is red")
HEARD = ("the hat sat", "a hat sat there", "a hog ran", "the hat is read")
FILES = {
    "ref.csv": """utt,text,second,speaker,names
u1,The { cat / cats } sat,u2,a,
u2,on the mat,u1,b,
u3,a Dog ran home,u3,a,
u4,Mr. Smith said ten,u4,b,
u5,nobody knows him well,u6,c,
u6,come back tomorrow,u5,c,
""",
    "hyp.csv": """utt,text,second
u1,the hat sat,u1
u2,on mat,u2
u3,a dog ran home,u4
u4,mister smith said 10,u3
u5,nobody knows him well,u5
u6,come black to morrow,u6
""",
    "other.csv": """utt,text,second
u1,The cat sits,u1
u2,on the the mat,u2
u3,dog ran home,u4
u4,Mr. Smith sad ten,u3
u5,somebody um knows him well,u5
u6,come back tomorrow,u6
""",
    "third.csv": """utt,text,second
u1,a cat sits,u1
u2,on the mat,u2
u3,dog ran,u4
u4,Mr. Smith sad,u3
u5,nobody knows,u5
u6,come tomorrow,u6
""",
    "better.csv": """utt,text
u1,the hat sat
u2,on the mat
u3,a dog ran home
u4,mister smith said 10
u5,nobody knows him well
u6,come back tomorrow
""",
    "lists.csv": """utt,rank,text,second,score,lm
u1,1,the hat sat,u1,-1,1
u1,2,The cat sat,u1,-2,2
u2,1,on mat,u2,-1,1
u2,2,on a mat,u2,-3,3
u2,3,on the mat,u2,-4,9
u3,1,a dog,u4,-1,2
u3,2,a dog ran home,u4,-2,1
u4,1,Mr. Smith said,u3,-1,2
u4,2,Mr. Smith said ten,u3,-2,1
u5,1,nobody knows him well,u5,-1,3
u5,2,nobody knows,u5,-3,3
u6,1,come back to,u6,-1,1
u6,2,come back tomorrow,u6,-2,2
""",
    "sets.toml": """[sets.one]
reference = "ref.csv"
hypotheses = { hyp = "hyp.csv", other = "other.csv" }
[sets.two]
reference = "better.csv"
hypotheses = { hyp = "hyp.csv" }
""",
    "one.toml": """[sets.one]
reference = "ref.csv"
hypotheses = { hyp = "hyp.csv", other = "other.csv" }
""",
    "fewer.toml": """[sets.one]
reference = "ref.csv"
hypotheses = { hyp = "fewer.csv", other = "other.csv" }
""",
    "costs.csv": "system,latency\nhyp,1\nother,2\n",
    "ref.txt": "le chat\nun tapis\nun chien\nmonsieur\npersonne\ndemain\n",
    "hyp.txt": "le chat\nle tapis\nun chien\nmonsieur\nquelqu un\nhier\n",
    "more.csv": "utt,level\nu1,1.5\nu2,2.5\nu3,3.5\nu4,4.5\nu5,5.5\nu6,6.5\n",
    "many.csv": "utt,text,second\n"
    + "".join(f"u{i},{SPOKEN[i % 4]},u{19 - i}\n" for i in range(20)),
    "many-hyp.csv": "utt,text,second\n"
    + "".join(f"u{i},{HEARD[i % 4]},u{i}\n" for i in range(20)),
    "pairs.csv": "sentence1,sentence2,score\nthe cat sat,the mat sat,3\nthe cat,the mat,2\n"
    "the sat,cat mat,1\nmat cat the,cat the mat,5\n",
    "a.vec": "5 3\nthe 1 0 .2\ncat 0 1 .1\nsat 1 1 .3\nmat 1 2 .7\ndog 3 1 .5\n",
    "b.vec": "5 3\nle 1 0 .1\nchat 0 1 .3\nassis 1 1 .2\ntapis 1 2 .9\nchien 2 1 .4\n",
    "c.vec": "5 3\nle 1 .5 .1\nchat 0 1 .9\nassis 1 .1 .2\ntapis .1 2 .9\nchien 2 1 .8\n",
    "lexicon.tsv": "the\tle\ncat\tchat\nsat\tassis\n",
    "gold.tsv": "the\tle\ncat\tchat\ndog\tchat\nMat\ttapis\nzoo\tzoo\n",
    "candidates.tsv": "word\tcandidate\nthe\tle\ncat\tchien\n",
    "d.vec": "5 3\nthe 1 .5 .1\ncat 0 1 .9\nsat 1 .1 .2\nmat .1 2 .9\ndog 2 1 .8\n",
    "words.stm": "a 1 s 0 2 the cat sat\n",
    "words.ctm": "a 1 0 .5 the .9\na 1 .5 .5 hat .2\na 1 1 .5 sat .8\n",
    "lm.arpa": ARPA,
    "same.txt": "hat / cat\n",
    "rules.txt": "hat => cat\n",
    "rules.glm": "hat => cat\n",
    "words.txt": "cat\nmat\n",
    "paradigms.tsv": "chat\tchats\tN;PL\n",
    "verdicts.json": '{"verdicts": [{"id": "a", "utterance": "u1", "start": 0, "end": 1, '
    '"reference": "The", "consensus": "A", "verdict": "consensus"}]}',
    "draft.tsv": "word\tverdict\nthe\taccept\n",
    "alternatives.norm.json": "{}",
    "tags.json": "{}",
}  # fmt: skip

OUT = "out"
Seen = tuple[int, str, dict[str, bytes]]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that all commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


def write_inputs(folder: Path) -> None:
    """Write the files that all commands read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in FILES.items():
            Path(name).write_text(text, "utf-8")
        for name in ("hyp.csv", "many-hyp.csv", "lists.csv"):
            lines = FILES[name].splitlines(keepends=True)
            fewer = name.replace("hyp", "fewer").replace("lists", "fewer-lists")
            Path(fewer).write_text("".join(line for line in lines if line[:3] != "u3,"), "utf-8")
        Path("audio").mkdir()
        choice_table(0, rows=24, references=12).write_csv("choices.tsv", separator="\t")
        for words in (
            "map a.vec b.vec --method procrustes --lexicon lexicon.tsv -o one.map",
            "score ref.csv hyp.csv --bootstrap 9 --out result",
            f"build {RUNS['build'].replace('out/gold', 'gold-set')}",
        ):
            assert main([*words.split(), "-q"]) == 0


def usual_run(command: str, option: str) -> str:
    """Return the arguments of the run of a command beside which an option is tried."""
    beside = BESIDE.get((command, option), BESIDE.get((ALL_COMMANDS, option), ""))
    return INSTEAD.get((command, option), f"{RUNS[command]} {beside}")


def value_of(command: str, option: str) -> str:
    """Return a value of an option of a command."""
    return OF_COMMANDS.get((command, option), VALUES[option])


def without_provenance(path: Path) -> bytes:
    """Return the content of a file that a command wrote, without what records the options."""
    if path.suffix != ".json":
        return path.read_bytes()
    content = json.loads(path.read_text("utf-8"))
    for name in ("provenance", "settings", "options", "checksum", "sha256", "files"):
        content.pop(name, None)
    return json.dumps(content, sort_keys=True).encode()


class Runs:
    """Runs of a command in a folder of their own."""

    def __init__(self, command: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.command, self.capsys = command, capsys
        self.known: dict[str, Seen] = {}
        self.notes: dict[str, str] = {}

    def run(self, words: str) -> tuple[Seen, str]:
        """Return what a run prints and writes, and its notes."""
        shutil.rmtree(OUT, ignore_errors=True)
        Path(OUT).mkdir()
        self.capsys.readouterr()
        try:
            code = main([self.command, *shlex.split(words)])
        except SystemExit as end:
            code = int(end.code or 0)
        printed = self.capsys.readouterr()
        files = {
            str(path): without_provenance(path)
            for path in sorted(Path(OUT).rglob("*"))
            if path.is_file()
        }
        return (code, printed.out, files), printed.err

    def fault(self, name: str) -> str:
        """Return what is wrong: the option has no effect and no note says so; or nothing."""
        flag = options_of(self.command)[name].flags_of(name)[-1]
        usual = usual_run(self.command, name)
        if usual not in self.known:
            self.known[usual], notes = self.run(usual)
            self.notes[usual] = notes
            if self.known[usual][0] not in (0, 1) and name not in CASES:
                return f"{usual}: {notes}"
        value = value_of(self.command, name)
        seen, notes = self.run(f"{usual} {flag} {value}")
        if seen[0] == 2:
            unknown = "usage:" in notes or notes == self.notes[usual]
            return f"{flag} {value}: {notes}" if unknown or not notes.strip() else ""
        if seen[0] not in (0, 1):
            return f"{flag} {value}: exit code {seen[0]}: {notes}"
        noted = re.search(rf"{flag} has no effect|no [a-z ]+ here uses {flag}\b", notes)
        if seen == self.known[usual] and not noted:
            return f"{flag} {value}: no effect, and no note says so"
        return ""


def test_every_option_has_a_value_here() -> None:
    known = {
        name
        for command in COMMANDS
        for name, option in options_of(command).items()
        if not option.positional
    }
    assert RUNS.keys() == COMMANDS.keys()
    assert VALUES.keys() | WITHOUT_RESULT.keys() == known
    assert not VALUES.keys() & WITHOUT_RESULT.keys()
    for command, name in (*OF_COMMANDS, *BESIDE, *IN_LARGER_FILES):
        assert name in (options_of(command) if command else VALUES)


@pytest.mark.parametrize("command", COMMANDS)
def test_options_change_the_result_or_are_refused_or_noted(
    command: str,
    inputs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "desk"
    shutil.copytree(inputs, folder)
    monkeypatch.chdir(folder)
    runs = Runs(command, capsys)
    tested = [
        name
        for name, option in options_of(command).items()
        if not option.positional
        and name not in WITHOUT_RESULT
        and (command, name) not in IN_LARGER_FILES
    ]
    faults = [fault for name in tested if (fault := runs.fault(name))]
    assert not faults, "\n".join(faults)
