"""The cells of Tables 1 to 6 of Denisová and Rychlý 2023."""

from __future__ import annotations

from typing import NamedTuple

CONTENTS = {
    "Table 1": "recall with few and with many words loaded",
    "Table 2": "recall before and after lemmatisation",
    "Table 3": "recall on two EN-KO lexicons",
    "Table 4": "recall by part of speech",
    "Table 5": "precision and recall at 1, 5, 10, FastText vectors",
    "Table 6": "precision and recall at 1, 5, 10, SketchEngine vectors",
    "Figure 1": "words near *bone* among 10,000 words",
    "Figure 2": "words near *bone* among all words",
    "Figure 3": "occurrences of Estonian words without a vector",
    "Figure 4": "occurrences of Czech words without a vector",
    "Figure 5": "parts of speech of ET-SK",
    "Figure 6": "parts of speech of CZ-SK",
    "Figure 7": "parts of speech of MUSE's EN-KO",
    "Figure 8": "parts of speech of the own EN-KO",
}
NO_VECTORS = "its FastText and SketchEngine vectors are not here"

SYSTEMS = ("MUSE-S", "MUSE-I", "MUSE-U", "VecMap-S", "VecMap-I", "VecMap-U", "FastText")
PAIRS = ("ET-SK", "CZ-SK", "EN-KO")
K_VALUES = (1, 5, 10)
VECTORS = {5: "FastText", 6: "SketchEngine"}

# Pairs and headwords of the gold lexicons, and headwords out of the vocabulary by table.
GOLD = {"ET-SK": (1500, 1454), "CZ-SK": (1497, 1158), "EN-KO": (1851, 1427)}
UNKNOWN = {
    5: {"ET-SK": 331, "CZ-SK": 11, "EN-KO": 0},
    6: {"ET-SK": 40, "CZ-SK": 5, "EN-KO": 0},
}
# Of the second gold lexicon of Table 3.
SKETCH_ENGINE_PAIRS = 1156

# Recall at 10 of ET-SK, CZ-SK, EN-KO with 50,000 words, then with 300,000 to 400,000.
TABLE_1 = {
    "FastText": """
19.33 57.84 39.97 27.86 68.73 29.98
19.26 57.91 39.00 25.80 68.73 23.17
19.80 58.58 36.46 24.46 69.13 24.58
20.73 58.24 50.51 34.93 69.73 49.00
21.00 59.05 41.59 34.73 71.87 33.98
21.20 58.98 36.35 33.53 71.94 29.76
20.60 57.51 50.40 31.93 67.93 51.91
""",
    "SketchEngine": """
20.00 70.94 31.01 42.40 78.95 34.14
19.40 71.00 28.41 38.93 79.02 29.65
18.80 71.00 26.14 34.80 79.02 25.33
20.33 70.67 32.52 51.86 79.02 35.44
19.20 71.00 28.63 46.00 80.09 29.87
18.86 70.67 21.93 44.80 80.09 12.42
21.06 70.54 26.90 49.33 78.28 37.60
""",
}
# Recall at 10 as it is and lemmatised: ET-SK and CZ-SK with FastText, then with SketchEngine.
TABLE_2 = """
27.86 29.40 68.73 70.80 42.40 45.00 78.95 79.75
25.80 27.86 68.73 70.94 38.93 42.60 79.02 79.89
24.46 28.80 69.13 71.20 34.80 41.93 79.02 79.82
34.93 35.93 69.73 71.74 51.86 52.93 79.02 79.82
34.73 36.06 71.87 72.94 46.00 50.86 80.09 80.96
33.53 35.20 71.94 73.01 44.80 50.26 80.09 80.96
31.93 32.06 67.93 70.14 49.33 50.53 78.28 79.09
"""
# Recall at 10 of EN-KO: MUSE's lexicon with FastText and SketchEngine, then SketchEngine's.
TABLE_3 = """
29.98 34.14 20.58 31.83
23.17 29.65 19.89 24.56
24.58 25.33 19.37 23.18
49.00 35.44 29.41 36.24
33.98 29.87 23.44 25.25
29.76 12.42 22.31 15.22
51.91 37.60 28.37 37.80
"""
# Recall at 10 of VecMap-S: FastText and SketchEngine of ET-SK, CZ-SK, EN-KO.
TABLE_4 = {
    "nouns": (31.89, 48.54, 76.87, 86.21, 48.46, 50.00),
    "adjectives": (48.21, 63.09, 73.07, 77.97, 47.19, 43.82),
    "verbs": (35.52, 64.47, 63.48, 67.30, 35.00, 21.66),
    "adverbs": (41.37, 56.32, 70.00, 81.11, 75.00, 37.50),
    "numerals": (61.11, 77.77, 81.81, 81.81, 25.00, 25.00),
    "pronouns, proper nouns": (62.50, 75.00, 80.00, 100.00, 51.00, 34.25),
    "others": (25.00, 37.50, 69.56, 100.00, 43.55, 39.26),
}
# Precision/recall of ET-SK, CZ-SK, EN-KO at 1, at 5 and at 10.
TABLES_5_AND_6 = {
    5: """
15.06/14.60 62.00/47.96 15.06/11.61 6.05/24.00 17.02/65.33
  6.08/23.44 3.61/27.86 8.96/68.73 3.88/29.98
12.10/11.73 62.52/48.36 12.61/9.72 5.21/20.66 16.95/65.06
  4.77/18.42 3.34/25.80 8.96/68.73 3.00/23.17
10.11/9.80 63.38/49.03 13.03/10.04 5.21/20.66 16.95/65.06
  4.84/18.69 3.17/24.46 9.01/69.13 3.18/24.58
21.52/20.86 61.22/47.36 31.18/24.04 7.95/31.35 17.15/65.86
  10.94/42.19 4.53/34.93 9.09/69.73 6.35/49.00
18.70/18.13 65.63/50.76 19.83/15.28 7.66/30.40 17.73/68.06
  7.31/28.20 4.50/34.73 9.37/71.78 4.40/33.98
16.29/15.80 65.63/50.76 15.76/12.15 7.23/28.66 17.75/68.13
  6.36/24.52 4.35/33.53 9.38/71.94 3.86/29.76
17.05/16.63 59.93/46.35 31.74/24.44 7.02/27.86 16.55/63.52
  11.46/44.19 4.14/31.93 8.85/67.93 6.73/51.91
""",
    6: """
25.51/24.73 72.88/56.37 18.78/14.47 7.96/37.73 19.82/76.41
  7.17/27.66 4.48/42.40 10.24/78.95 4.42/34.14
22.55/21.86 72.62/56.17 12.89/9.94 7.24/34.33 19.80/76.35
  6.16/23.77 4.11/38.93 10.25/79.02 3.84/29.65
19.60/19.00 72.71/56.24 10.44/8.04 6.52/30.93 19.82/75.41
  5.26/20.31 3.68/34.80 10.25/79.02 3.28/25.33
32.11/31.13 72.19/55.84 21.30/16.42 9.74/46.20 19.68/75.88
  7.61/29.33 5.48/51.86 10.25/79.02 4.59/35.44
24.33/23.60 72.36/55.97 13.66/10.53 8.35/39.60 19.91/76.75
  6.12/23.60 4.86/46.00 10.39/80.09 3.87/29.87
24.20/23.46 72.45/56.04 2.91/3.78 8.17/38.73 19.91/76.75
  2.27/8.75 4.73/44.80 10.39/80.09 1.61/12.42
28.74/27.86 72.79/56.31 22.21/17.12 9.01/42.73 19.67/75.81
  8.08/31.17 5.21/49.33 10.16/78.28 4.87/37.60
""",
}


class Cell(NamedTuple):
    """A cell of Table 5 or 6: the precision and recall of one system."""

    table: int
    system: str
    languages: str
    k: int


# What is printed, and the correction of one digit, or of two that changed places, that follows.
MISPRINTS = {
    Cell(5, "VecMap-S", "ET-SK", 5): ("7.95/31.35", "7.95/31.53"),
    Cell(5, "FastText", "ET-SK", 1): ("17.05/16.63", "17.05/16.53"),
    Cell(5, "VecMap-I", "CZ-SK", 10): ("9.37/71.78", "9.37/71.87"),
    Cell(5, "FastText", "EN-KO", 1): ("31.74/24.44", "31.74/24.47"),
    Cell(6, "MUSE-U", "CZ-SK", 5): ("19.82/75.41", "19.82/76.41"),
    Cell(6, "VecMap-U", "EN-KO", 1): ("2.91/3.78", "3.78/2.91"),
    Cell(6, "VecMap-I", "ET-SK", 1): ("24.33/23.60", "24.34/23.60"),
}


def rows_of(text: str) -> dict[str, list[str]]:
    """Return the cells of each system, in the order of the systems.

    >>> rows_of(TABLE_3)["FastText"]
    ['51.91', '37.60', '28.37', '37.80']
    """
    return dict(
        zip(SYSTEMS, map(str.split, text.replace("\n  ", " ").strip().split("\n")), strict=True)
    )


def numbers(text: str) -> dict[str, list[float]]:
    """Return the numbers of each system."""
    return {system: [float(cell) for cell in cells] for system, cells in rows_of(text).items()}


def cells() -> dict[Cell, str]:
    """Return all cells of Tables 5 and 6: precision/recall."""
    return {
        Cell(number, system, languages, k): values.pop(0)
        for number, text in TABLES_5_AND_6.items()
        for system, values in rows_of(text).items()
        for k in K_VALUES
        for languages in PAIRS
    }
