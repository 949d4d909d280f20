"""A small n-gram model in an ARPA file, with probabilities that can be added by hand."""

from __future__ import annotations

from pathlib import Path

# Decimal logarithms. After a word without the bigram, the back-off weight of the word is added.
ARPA = """\
\\data\\
ngram 1=6
ngram 2=4

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.3
-0.8\t</s>
-0.5\tthe\t-0.2
-0.7\tcat\t-0.1
-0.9\tsat\t-0.2

\\2-grams:
-0.2\t<s> the
-0.3\tthe cat
-0.4\tcat sat
-0.1\tsat </s>

\\end\\
"""


def write_arpa(path: Path, *, unknown: bool = True) -> Path:
    """Write the model, on request without a probability of unknown words."""
    text = ARPA if unknown else ARPA.replace("-1.0\t<unk>\n", "").replace("1=6", "1=5")
    path.write_text(text, encoding="utf-8")
    return path
