"""misword: when a machine gets a word wrong, how wrong is it?

A public name is imported from its module when it is first used, so that `import misword` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from misword.core.lazy import short_waits
from misword.core.version import __version__

if TYPE_CHECKING:
    from misword.asr.align import Aligned, align
    from misword.asr.benchmark.bench import Benchmark, bench
    from misword.asr.checking.check import CheckResult, check
    from misword.asr.combine import Combination, combine
    from misword.asr.comparison.compare import Comparison, compare
    from misword.asr.comparison.correlate import Correlations, correlate
    from misword.asr.comparison.gate import GateResult, gate
    from misword.asr.nbest.mbr import MinimumRisk, mbr
    from misword.asr.nbest.oracle import Oracle, oracle
    from misword.asr.nbest.rescore import Rescored, rescore
    from misword.asr.nbest.tune import Tuning, tune
    from misword.asr.nbest.tune_systems import SystemTuning, tune_systems
    from misword.asr.people.agree import Agreement, agree
    from misword.asr.people.fit import Fit, fit
    from misword.asr.references.references import References, references
    from misword.asr.score import load, score
    from misword.asr.segment import Segmentation, segment
    from misword.asr.single_rates import cer, wer
    from misword.bli.audit import audit
    from misword.bli.auditing.result import Audit
    from misword.bli.build import build
    from misword.bli.building.result import GoldSet
    from misword.bli.draft import Draft, draft_lexicon
    from misword.bli.evaluate import evaluate
    from misword.bli.evaluation.result import Evaluation
    from misword.bli.map import map_vectors
    from misword.bli.mapping import Mapping
    from misword.bli.translate import translate
    from misword.core.types import Corpus
    from misword.embed.vectors.training import train_vectors
    from misword.embed.vectors.words import WordVectors
    from misword.io.dictionaries.entries import Dictionary
    from misword.io.dictionaries.read import read_dictionary
    from misword.io.lexicons import Lexicon, read_lexicon
    from misword.io.shards import Shards
    from misword.io.shards.source import shards
    from misword.io.transcripts.read import read_corpus
    from misword.noise.corrupt import corrupt, corrupt_file
    from misword.noise.corruption.result import Corruption
    from misword.noise.learn import learn_noise
    from misword.noise.realism import Realism, realism
    from misword.noise.robust import Downstream, Robustness, robust, task_robustness
    from misword.stat.scores import Scores
    from misword.stat.tallies.tally import Tally
    from misword.text.normalizers import normalizer

_MODULES = {
    "Agreement": "misword.asr.people.agree",
    "Aligned": "misword.asr.align",
    "Audit": "misword.bli.auditing.result",
    "Benchmark": "misword.asr.benchmark.bench",
    "CheckResult": "misword.asr.checking.check",
    "Combination": "misword.asr.combine",
    "Comparison": "misword.asr.comparison.compare",
    "Corpus": "misword.core.types",
    "Correlations": "misword.asr.comparison.correlate",
    "Corruption": "misword.noise.corruption.result",
    "Dictionary": "misword.io.dictionaries.entries",
    "Downstream": "misword.noise.robust",
    "Draft": "misword.bli.draft",
    "Evaluation": "misword.bli.evaluation.result",
    "Fit": "misword.asr.people.fit",
    "GateResult": "misword.asr.comparison.gate",
    "GoldSet": "misword.bli.building.result",
    "Lexicon": "misword.io.lexicons",
    "Mapping": "misword.bli.mapping",
    "MinimumRisk": "misword.asr.nbest.mbr",
    "Oracle": "misword.asr.nbest.oracle",
    "Realism": "misword.noise.realism",
    "References": "misword.asr.references.references",
    "Rescored": "misword.asr.nbest.rescore",
    "Robustness": "misword.noise.robust",
    "Scores": "misword.stat.scores",
    "Segmentation": "misword.asr.segment",
    "Shards": "misword.io.shards",
    "SystemTuning": "misword.asr.nbest.tune_systems",
    "Tally": "misword.stat.tallies.tally",
    "Tuning": "misword.asr.nbest.tune",
    "WordVectors": "misword.embed.vectors.words",
    "agree": "misword.asr.people.agree",
    "align": "misword.asr.align",
    "audit": "misword.bli.audit",
    "bench": "misword.asr.benchmark.bench",
    "build": "misword.bli.build",
    "cer": "misword.asr.single_rates",
    "check": "misword.asr.checking.check",
    "combine": "misword.asr.combine",
    "compare": "misword.asr.comparison.compare",
    "correlate": "misword.asr.comparison.correlate",
    "corrupt": "misword.noise.corrupt",
    "corrupt_file": "misword.noise.corrupt",
    "draft_lexicon": "misword.bli.draft",
    "evaluate": "misword.bli.evaluate",
    "fit": "misword.asr.people.fit",
    "gate": "misword.asr.comparison.gate",
    "learn_noise": "misword.noise.learn",
    "load": "misword.asr.score",
    "map_vectors": "misword.bli.map",
    "mbr": "misword.asr.nbest.mbr",
    "normalizer": "misword.text.normalizers",
    "oracle": "misword.asr.nbest.oracle",
    "read_corpus": "misword.io.transcripts.read",
    "read_dictionary": "misword.io.dictionaries.read",
    "read_lexicon": "misword.io.lexicons",
    "realism": "misword.noise.realism",
    "references": "misword.asr.references.references",
    "rescore": "misword.asr.nbest.rescore",
    "robust": "misword.noise.robust",
    "score": "misword.asr.score",
    "segment": "misword.asr.segment",
    "shards": "misword.io.shards.source",
    "task_robustness": "misword.noise.robust",
    "train_vectors": "misword.embed.vectors.training",
    "translate": "misword.bli.translate",
    "tune": "misword.asr.nbest.tune",
    "tune_systems": "misword.asr.nbest.tune_systems",
    "wer": "misword.asr.single_rates",
}

__all__ = [
    "Agreement",
    "Aligned",
    "Audit",
    "Benchmark",
    "CheckResult",
    "Combination",
    "Comparison",
    "Corpus",
    "Correlations",
    "Corruption",
    "Dictionary",
    "Downstream",
    "Draft",
    "Evaluation",
    "Fit",
    "GateResult",
    "GoldSet",
    "Lexicon",
    "Mapping",
    "MinimumRisk",
    "Oracle",
    "Realism",
    "References",
    "Rescored",
    "Robustness",
    "Scores",
    "Segmentation",
    "Shards",
    "SystemTuning",
    "Tally",
    "Tuning",
    "WordVectors",
    "__version__",
    "agree",
    "align",
    "audit",
    "bench",
    "build",
    "cer",
    "check",
    "combine",
    "compare",
    "correlate",
    "corrupt",
    "corrupt_file",
    "draft_lexicon",
    "evaluate",
    "fit",
    "gate",
    "learn_noise",
    "load",
    "map_vectors",
    "mbr",
    "normalizer",
    "oracle",
    "read_corpus",
    "read_dictionary",
    "read_lexicon",
    "realism",
    "references",
    "rescore",
    "robust",
    "score",
    "segment",
    "shards",
    "task_robustness",
    "train_vectors",
    "translate",
    "tune",
    "tune_systems",
    "wer",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'misword' has no attribute {name!r}")
    with short_waits():
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
