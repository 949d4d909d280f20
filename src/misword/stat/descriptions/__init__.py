"""How results are shown: the headline and the tables of each kind, described once.

A description reads a `Result` alone, so that the page of a result folder shows the same cells as
the terminal and the notebook. `describe` finds it by the kind of the result. A kind that another
package adds needs no description; its part of the registry `report_kinds` makes its page.
"""

from __future__ import annotations

from importlib import import_module

from misword.core.types import Description

HERE = "misword.stat.descriptions"
# The module and the name of each description, by kind of result.
DESCRIPTIONS = {
    "agreement": (f"{HERE}.people", "AGREEMENT"),
    "alignment": (f"{HERE}.alignments", "ALIGNMENT"),
    "audit": (f"{HERE}.lexicons", "AUDIT"),
    "benchmark": (f"{HERE}.benchmark", "BENCHMARK"),
    "check": (f"{HERE}.checks", "CHECK"),
    "combination": (f"{HERE}.hypotheses", "COMBINATION"),
    "comparison": (f"{HERE}.comparison", "COMPARISON"),
    "corruption": (f"{HERE}.noise", "CORRUPTION"),
    "correlation": (f"{HERE}.people", "CORRELATION"),
    "downstream": (f"{HERE}.noise", "DOWNSTREAM"),
    "draft": (f"{HERE}.lexicons", "DRAFT"),
    "evaluation": (f"{HERE}.lexicons", "EVALUATION"),
    "fit": (f"{HERE}.people", "FIT"),
    "gate": (f"{HERE}.comparison", "GATE"),
    "gold-set": (f"{HERE}.lexicons", "GOLD_SET"),
    "learnt-noise": (f"{HERE}.noise", "LEARNT_NOISE"),
    "mbr": (f"{HERE}.hypotheses", "MINIMUM_RISK"),
    "oracle": (f"{HERE}.hypotheses", "ORACLE"),
    "realism": (f"{HERE}.noise", "REALISM"),
    "references": (f"{HERE}.references", "REFERENCES"),
    "rescored": (f"{HERE}.hypotheses", "RESCORED"),
    "robustness": (f"{HERE}.noise", "ROBUSTNESS"),
    "scores": (f"{HERE}.scores", "SCORES"),
    "segmentation": (f"{HERE}.alignments", "SEGMENTATION"),
    "severity-fit": (f"{HERE}.severity", "SEVERITY_FIT"),
    "system-tuning": (f"{HERE}.hypotheses", "SYSTEM_TUNING"),
    "translations": (f"{HERE}.lexicons", "TRANSLATIONS"),
    "tuning": (f"{HERE}.hypotheses", "TUNED_WEIGHTS"),
}


def describe(kind: str) -> Description:
    """Return the description of a kind of result."""
    module, name = DESCRIPTIONS[kind]
    found = getattr(import_module(module), name)
    assert isinstance(found, Description)
    return found
