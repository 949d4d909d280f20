"""How to cite what a result was made with: BibTeX entries by metric and by method."""

from __future__ import annotations

from misword.core.types import Result
from misword.report.reading import metrics, table, unique
from misword.report.wording import is_number

ENTRIES = {
    "levenshtein1966": """@article{levenshtein1966,
  author = {Levenshtein, Vladimir I.},
  title = {Binary codes capable of correcting deletions, insertions, and reversals},
  journal = {Soviet Physics Doklady},
  volume = {10},
  number = {8},
  pages = {707--710},
  year = {1966}
}""",
    "morris2004": """@inproceedings{morris2004,
  author = {Morris, Andrew C. and Maier, Viktoria and Green, Phil},
  title = {From {WER} and {RIL} to {MER} and {WIL}: improved evaluation measures for connected
           speech recognition},
  booktitle = {Interspeech},
  year = {2004}
}""",
    "le2016": """@inproceedings{le2016,
  author = {Le, Ngoc-Tien and Servan, Christophe and Lecouteux, Benjamin and Besacier, Laurent},
  title = {Better Evaluation of {ASR} in Speech Translation Context Using Word Embeddings},
  booktitle = {Interspeech},
  year = {2016}
}""",
    "roux2022": """@inproceedings{roux2022,
  author = {Ba{\\~n}eras Roux, Thibault and Rouvier, Mickael and Wottawa, Jane and Dufour, Richard},
  title = {Qualitative Evaluation of Language Model Rescoring in Automatic Speech Recognition},
  booktitle = {Interspeech},
  doi = {10.21437/Interspeech.2022-10931},
  year = {2022}
}""",
    "hats2023": """@inproceedings{hats2023,
  author = {Ba{\\~n}eras-Roux, Thibault and Wottawa, Jane and Rouvier, Mickael and Merlin, Teva and
            Dufour, Richard},
  title = {{HATS}: An Open Data Set Integrating Human Perception Applied to the Evaluation of
           Automatic Speech Recognition Metrics},
  booktitle = {Text, Speech, and Dialogue},
  year = {2023}
}""",
    "kim2021": """@inproceedings{kim2021,
  author = {Kim, Suyoun and Arora, Abhinav and Le, Duc and Yeh, Ching-Feng and Fuegen, Christian and
            Kalinli, Ozlem and Seltzer, Michael L.},
  title = {Semantic Distance: A New Metric for {ASR} Performance Analysis Towards Spoken Language
           Understanding},
  booktitle = {Interspeech},
  year = {2021}
}""",
    "zhang2020": """@inproceedings{zhang2020,
  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and
            Artzi, Yoav},
  title = {{BERTScore}: Evaluating Text Generation with {BERT}},
  booktitle = {International Conference on Learning Representations},
  year = {2020}
}""",
    "voleti2019": """@inproceedings{voleti2019,
  author = {Voleti, Rohit and Liss, Julie M. and Berisha, Visar},
  title = {Investigating the Effects of Word Substitution Errors on Sentence Embeddings},
  booktitle = {ICASSP},
  year = {2019}
}""",
    "wieting2016": """@inproceedings{wieting2016,
  author = {Wieting, John and Bansal, Mohit and Gimpel, Kevin and Livescu, Karen},
  title = {Towards Universal Paraphrastic Sentence Embeddings},
  booktitle = {International Conference on Learning Representations},
  year = {2016}
}""",
    "arora2017": """@inproceedings{arora2017,
  author = {Arora, Sanjeev and Liang, Yingyu and Ma, Tengyu},
  title = {A Simple but Tough-to-Beat Baseline for Sentence Embeddings},
  booktitle = {International Conference on Learning Representations},
  year = {2017}
}""",
    "ethayarajh2018": """@inproceedings{ethayarajh2018,
  author = {Ethayarajh, Kawin},
  title = {Unsupervised Random Walk Sentence Embeddings: A Strong but Simple Baseline},
  booktitle = {Workshop on Representation Learning for NLP},
  year = {2018}
}""",
    "mu2017": """@inproceedings{mu2017,
  author = {Mu, Jiaqi and Bhat, Suma and Viswanath, Pramod},
  title = {Representing Sentences as Low-Rank Subspaces},
  booktitle = {ACL},
  year = {2017}
}""",
    "conneau2017": """@inproceedings{conneau2017,
  author = {Conneau, Alexis and Kiela, Douwe and Schwenk, Holger and Barrault, Lo{\\"i}c and
            Bordes, Antoine},
  title = {Supervised Learning of Universal Sentence Representations from Natural Language Inference
           Data},
  booktitle = {EMNLP},
  year = {2017}
}""",
    "reimers2019": """@inproceedings{reimers2019,
  author = {Reimers, Nils and Gurevych, Iryna},
  title = {Sentence-{BERT}: Sentence Embeddings using {Siamese} {BERT}-Networks},
  booktitle = {EMNLP},
  year = {2019}
}""",
    "yang2020": """@inproceedings{yang2020,
  author = {Yang, Yinfei and Cer, Daniel and Ahmad, Amin and Guo, Mandy and Law, Jax and
            Constant, Noah and Hernandez Abrego, Gustavo and Yuan, Steve and Tar, Chris and
            Sung, Yun-Hsuan and Strope, Brian and Kurzweil, Ray},
  title = {Multilingual Universal Sentence Encoder for Semantic Retrieval},
  booktitle = {ACL: System Demonstrations},
  year = {2020}
}""",
    "bisani2004": """@inproceedings{bisani2004,
  author = {Bisani, Maximilian and Ney, Hermann},
  title = {Bootstrap estimates for confidence intervals in {ASR} performance evaluation},
  booktitle = {ICASSP},
  year = {2004}
}""",
    "gillick1989": """@inproceedings{gillick1989,
  author = {Gillick, Larry and Cox, Stephen J.},
  title = {Some statistical issues in the comparison of speech recognition algorithms},
  booktitle = {ICASSP},
  year = {1989}
}""",
    "conneau2018": """@inproceedings{conneau2018,
  author = {Conneau, Alexis and Lample, Guillaume and Ranzato, Marc'Aurelio and Denoyer, Ludovic and
            J{\\'e}gou, Herv{\\'e}},
  title = {Word Translation Without Parallel Data},
  booktitle = {International Conference on Learning Representations},
  year = {2018}
}""",
    "kementchedjhieva2019": """@inproceedings{kementchedjhieva2019,
  author = {Kementchedjhieva, Yova and Hartmann, Mareike and S{\\o}gaard, Anders},
  title = {Lost in Evaluation: Misleading Benchmarks for Bilingual Dictionary Induction},
  booktitle = {EMNLP-IJCNLP},
  year = {2019}
}""",
    "denisova2023": """@inproceedings{denisova2023,
  author = {Denisov{\\'a}, Michaela and Rychl{\\'y}, Pavel},
  title = {Evaluation of the Cross-lingual Embedding Models from the Lexicographic Perspective},
  booktitle = {Electronic Lexicography in the 21st Century (eLex)},
  year = {2023}
}""",
    "holm1979": """@article{holm1979,
  author = {Holm, Sture},
  title = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979}
}""",
}
OF_METRICS = {
    "bertscore": ("zhang2020",),
    "cer": ("levenshtein1966",),
    "dposer": ("roux2022",),
    "ember": ("roux2022",),
    "lcer": ("roux2022",),
    "ler": ("roux2022",),
    "mer": ("morris2004",),
    "per": ("hats2023",),
    "semdist": ("kim2021",),
    "uposer": ("roux2022",),
    "wer": ("levenshtein1966",),
    "wer-e": ("le2016",),
    "wer-s": ("le2016",),
    "wil": ("morris2004",),
}
OF_ENCODERS = {
    "infersent": ("conneau2017",),
    "mean": ("wieting2016",),
    "mean-stop": ("wieting2016",),
    "sif": ("arora2017",),
    "subspace": ("mu2017",),
    "transformer": ("reimers2019",),
    "use": ("yang2020",),
    "usif": ("ethayarajh2018",),
}


def citations(result: Result) -> list[str]:
    """Entries for misword, the metrics and the methods of a result."""
    keys = [key for label in metrics(result) for key in OF_METRICS.get(label.partition(":")[0], ())]
    for label in result.provenance.get("encoders", ()):
        keys += OF_ENCODERS.get(str(label).partition(":")[0], ())
    entries = [ENTRIES[key] for key in unique([*keys, *_methods(result)])]
    return [_misword(str(result.provenance.get("misword", ""))), *entries]


def _methods(result: Result) -> list[str]:
    """Papers behind intervals, tests and tables that are there."""
    found = []
    summary, differences = table(result, "summary"), table(result, "differences")
    if summary is not None and any(is_number(low) for low in summary["low"]):
        found.append("bisani2004")
    if differences is not None:
        found += ["bisani2004", "holm1979"]
        tested = "p_mapsswe" in differences.columns
        if tested and any(is_number(p) for p in differences["p_mapsswe"]):
            found.append("gillick1989")
    if table(result, "slices") is not None or table(result, "contrast") is not None:
        found.append("roux2022")
    if table(result, "downstream") is not None:
        found.append("le2016")
    if result.kind == "agreement":
        found.append("hats2023")
    if result.kind == "evaluation":
        found += ["conneau2018", "kementchedjhieva2019", "denisova2023", "bisani2004"]
        found += ["holm1979"] if table(result, "compared") is not None else []
    if result.kind == "robustness":
        found.append("voleti2019")
    return found


def _misword(version: str) -> str:
    told = f",\n  version = {{{version}}}" if version else ""
    return f"@software{{misword,\n  title = {{misword}}{told}\n}}"
