"""Channels from their specs: `voleti:n=500`, or a weighted sum `0.7*voleti+0.3*uniform`."""

from __future__ import annotations

import re

from misword.core.context import Context
from misword.core.errors import OptionError
from misword.noise.channels import CHANNELS, Channel
from misword.noise.channels.mixture import Mixture

AUTO = "auto"
# A number and a star before a channel. A plus separates two channels only where such a weight
# follows, so that file names may have a plus.
WEIGHT = r"\d*\.?\d+(?:[eE]-?\d+)?\s*\*"


def choose_channel(channel: str | Channel, context: Context) -> Channel:
    """Return the channel of a spec, after checking that it can be used in the context.

    `auto` is `voleti` if the context has word vectors, otherwise `phonetic`.

    >>> choose_channel("auto", Context("en")).name
    'phonetic'
    """
    if channel == AUTO:
        channel = "phonetic" if context.source is None else "voleti"
    part = create_channel(channel) if isinstance(channel, str) else channel
    part.check(context)
    return part


def create_channel(spec: str) -> Channel:
    """Return the channel of a spec, or the mixture of several channels with weights.

    In a sum each channel has a weight, `0.7*voleti:n=500+0.3*uniform`; the weights are divided by
    their sum. Commas separate the options of a channel, as in every spec.

    >>> create_channel("uniform")
    Uniform(vocabulary='corpus', size=30000)
    >>> create_channel("3*uniform+1*uniform:size=9").weights
    (0.75, 0.25)
    """
    terms = [term.strip() for term in re.split(rf"\+(?=\s*{WEIGHT})", spec)]
    if len(terms) == 1 and not re.match(WEIGHT, terms[0]):
        return _create_one(terms[0])
    channels, weights = [], []
    for term in terms:
        if not (weight := re.match(WEIGHT, term)):
            raise OptionError(
                f"the channel {term!r} of a sum has no weight",
                fix="give each its own: 0.7*voleti+0.3*uniform",
            )
        weights.append(float(weight[0].rstrip("* ")))
        channels.append(_create_one(term[weight.end() :].strip()))
    total = sum(weights)
    if total <= 0:
        raise OptionError("the weights of a sum add up to 0", fix="give some channel a weight")
    return Mixture(tuple(channels), tuple(weight / total for weight in weights))


def _create_one(spec: str) -> Channel:
    """Create one channel; a plus in its name, as in `voleti+uniform`, is an error."""
    if "+" in spec.partition(":")[0]:
        raise OptionError(
            f"no weights in {spec!r}", fix="give each channel its own: 0.7*voleti+0.3*uniform"
        )
    return CHANNELS.create(spec)
