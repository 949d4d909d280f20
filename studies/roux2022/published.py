"""The cells of Tables 1 to 3 of Bañeras-Roux et al. 2022."""

from __future__ import annotations

# In the order of Table 2.
METRICS = (
    "wer", "cer", "dposer", "uposer", "ler", "lcer", "semdist", "bertscore", "ember",
)  # fmt: skip
SEMANTIC = ("semdist", "bertscore", "ember")
TITLES = {
    "wer": "WER", "cer": "CER", "dposer": "dPOSER", "uposer": "uPOSER", "ler": "LER",
    "lcer": "LCER", "semdist": "SemDist", "bertscore": "BERTScore", "ember": "EmbER",
}  # fmt: skip

CONTENTS = {
    "Table 1": "correlations between nine metrics",
    "Table 2": "nine metrics before and after rescoring",
    "Table 3": "semantic distance by part of speech",
}

# Pearson's correlation x 100, the lower triangle.
TABLE_1 = {
    "cer": {"wer": 89.34},
    "ler": {"wer": 88.08, "cer": 88.49},
    "lcer": {"wer": 87.10, "cer": 98.31, "ler": 91.40},
    "dposer": {"wer": 92.96, "cer": 90.02, "ler": 92.70, "lcer": 89.51},
    "uposer": {"wer": 90.40, "cer": 90.58, "ler": 93.69, "lcer": 90.81, "dposer": 97.95},
    "ember": {
        "wer": 96.51, "cer": 91.51, "ler": 86.57, "lcer": 88.78, "dposer": 91.00, "uposer": 88.98,
    },
    "semdist": {
        "wer": 71.81, "cer": 64.78, "ler": 62.22, "lcer": 62.60, "dposer": 65.33, "uposer": 64.13,
        "ember": 75.73,
    },
    "bertscore": {
        "wer": 74.63, "cer": 74.27, "ler": 72.60, "lcer": 73.00, "dposer": 74.09, "uposer": 74.25,
        "ember": 84.51, "semdist": 63.35,
    },
}  # fmt: skip

# Base, rescored, and the relative change as printed.
TABLE_2 = {
    "wer": (15.45, 13.24, -14.3),
    "cer": (8.57, 7.70, -10.2),
    "dposer": (14.59, 12.51, -14.3),
    "uposer": (12.22, 10.79, -11.7),
    "ler": (14.35, 12.08, -15.8),
    "lcer": (8.78, 8.00, -8.8),
    "semdist": (7.89, 7.18, -9.0),
    "bertscore": (9.12, 8.38, -8.1),
    "ember": (12.33, 10.79, -12.5),
}
# The printed LER after rescoring, 12.08, is a misprint: only with 12.81 is WER the metric that
# gains most, as the text says.
LER_RESCORED = 12.81

# Mean distance x 100 of a reference word and the word of the hypothesis: base, rescored.
TABLE_3 = {
    "INTJ": (14.07, 10.45),
    "CCONJ": (9.83, 6.82),
    "VERB": (6.10, 4.20),
    "ADJ": (5.08, 3.41),
    "AUX": (4.66, 3.27),
    "PRON": (5.37, 4.12),
    "SCONJ": (3.51, 2.43),
    "PROPN": (6.72, 5.82),
    "NOUN": (3.34, 2.57),
    "ADV": (3.23, 2.49),
    "ADP": (2.90, 2.25),
    "DET": (2.95, 2.42),
    "NUM": (2.96, 2.62),
}
# The last column of Table 3, as printed.
TABLE_3_REDUCTIONS = {
    "INTJ": -3.63,
    "CCONJ": -3.01,
    "VERB": -1.90,
    "ADJ": -1.67,
    "AUX": -1.39,
    "PRON": -1.25,
    "SCONJ": -1.08,
    "PROPN": -0.90,
    "NOUN": -0.77,
    "ADV": -0.74,
    "ADP": -0.65,
    "DET": -0.53,
    "NUM": -0.34,
}
