"""All registries of misword by kind; a registry is imported when it is first needed."""

from __future__ import annotations

from importlib import import_module

from misword.core.parts.contract import Part
from misword.core.parts.registry import Registry

# Where the registry of each kind is (`module:NAME`), in the order in which `misword parts` lists
# them. A new registry needs a line here to be listed and tested.
REGISTRIES = {
    "metrics": "misword.asr.metrics:METRICS",
    "views": "misword.asr.views:VIEWS",
    "costs": "misword.asr.costs:COSTS",
    "normalizers": "misword.text.normalizers:NORMALIZERS",
    "presets": "misword.asr.presets:PRESETS",
    "segmenters": "misword.text.segmenters:SEGMENTERS",
    "families": "misword.text.writing:FAMILIES",
    "analyzers": "misword.text.analyzers:ANALYZERS",
    "phonemizers": "misword.text.phonemizers:PHONEMIZERS",
    "encoders": "misword.embed.encoders:ENCODERS",
    "language_models": "misword.embed.language_models:LANGUAGE_MODELS",
    "checks": "misword.asr.checks:CHECKS",
    "downstreams": "misword.asr.downstreams:DOWNSTREAMS",
    "channels": "misword.noise.channels:CHANNELS",
    "formats": "misword.io.transcripts.formats:FORMATS",
    "dictionary_formats": "misword.io.dictionaries:DICTIONARY_FORMATS",
    "mappings": "misword.bli.methods:METHODS",
    "vector_formats": "misword.io.vectors:VECTOR_FORMATS",
    "retrievers": "misword.bli.retrievers:RETRIEVERS",
    "engines": "misword.core.engines:ENGINES",
    "flags": "misword.bli.flags:FLAGS",
}


def registry(kind: str) -> Registry[Part]:
    """Import and return the registry of a kind.

    >>> registry("metrics").load("wer").__name__
    'WER'
    """
    module, _, name = REGISTRIES[kind].partition(":")
    loaded: Registry[Part] = getattr(import_module(module), name)
    return loaded
