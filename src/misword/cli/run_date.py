"""The date of a run, which its result records and the report shows."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from misword.core.errors import OptionError

VARIABLE = "SOURCE_DATE_EPOCH"


def run_date() -> str:
    """Return the date of today, such as `2026-11-18`.

    The environment variable SOURCE_DATE_EPOCH sets another date, in seconds since 1970 (UTC). With
    it, a command that is run on another day writes the same bytes.

    Reference: https://reproducible-builds.org/specs/source-date-epoch/
    """
    seconds = os.environ.get(VARIABLE, "").strip()
    if not seconds:
        return date.today().isoformat()
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise OptionError(
            f"{VARIABLE} is {seconds!r}, which is no time",
            fix=f"set it to seconds since 1970, or unset {VARIABLE}",
        ) from None
