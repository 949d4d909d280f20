"""The readers of misword as fuzz targets: each is called with the arguments of a case."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz.cases import Case
from fuzz.mutation import mutated
from fuzz.own_file_mutation import mutated_own_files
from fuzz.seeds import OWN, RESPONSES
from misword.core.errors import MiswordError

Seeds = dict[str, bytes]
SUFFIXES = ("kaldi", "trn", "stm", "ctm", "csv", "tsv", "jsonl", "nlp", "srt", "vtt")
TEXT_FORMATS = (*[""] * 20, *SUFFIXES, "lines")
TRANSCRIPTS = (
    *(f"{side}.{suffix}" for side in ("ref", "hyp") for suffix in ("txt", *SUFFIXES)), "nbest.csv",
    "nbest.json", "moses.txt", "srilm.nbest", "counts.nbest", "vosk.json",
    "google.json",
    *(f"{name}.json" for name in RESPONSES),
    "both.jsonl", "ref.txt.gz", "ref.txt.bz2", "ref.txt.xz", "ref.txt.zst",
)  # fmt: skip
DICTIONARIES = ("d.tei", "d.dix", "wiktextract.jsonl", "lexicon.tsv")
VECTORS = (
    "a.vec", "glove.txt", "a.vec.gz", "a.bin", "words.bin", "ngrams.bin", "pruned.bin", "a.npz",
    "a.kv",
)  # fmt: skip
VECTOR_FORMATS = ("", "", "", "word2vec", "glove", "fasttext", "word2vec-binary", "npz", "gensim")


def read_transcript(path: str, role: str, format: str) -> None:
    from misword.io.transcripts import read

    transcript = read.read_transcript(path, role=role, input_format=format or None)  # type: ignore[arg-type]
    transcript.numbered.rows()


def read_corpus(reference: str, hypothesis: str) -> None:
    from misword.io.transcripts import read

    read.read_corpus(reference, hypothesis, missing="skip")


def read_metadata(reference: str, hypothesis: str, metadata: str) -> None:
    from misword.io.transcripts import read

    read.read_corpus(reference, hypothesis, metadata=[metadata])


def read_sidecars(reference: str, hypothesis: str, verbalizations: str, tags: str) -> None:
    from misword.io.transcripts import read

    read.read_corpus(reference, hypothesis, alternatives_from=verbalizations, tags_from=tags)


def read_lexicon(path: str) -> None:
    from misword.io import lexicons

    lexicons.read_lexicon(path)


def read_dictionary(path: str, keep_going: str) -> None:
    from misword.io.dictionaries import read

    with suppress(MiswordError):  # each direction by itself
        read.read_dictionary(path, "en", "fr", keep_going=bool(keep_going))
    read.read_dictionary(path, "fr", "en", reverse=True, keep_going=bool(keep_going))


def read_stardict(path: str, index: str, text: str) -> None:
    read_dictionary(path, "yes")


def read_dictd(path: str, text: str) -> None:
    read_dictionary(path, "yes")


def read_sts(path: str) -> None:
    from misword.io import judgements

    judgements.read_sts(path)


def read_triplets(path: str) -> None:
    from misword.io import judgements

    judgements.read_triplets(path)


def read_vectors(path: str, format: str) -> None:
    from misword.embed.vectors.words import WordVectors

    vectors = WordVectors.open(path, vector_format=format or None, keep=not format)
    with suppress(KeyError):  # a word whose vector is zero has no neighbours
        vectors.neighbors(vectors.words[0], 2)
    vectors.find(["unknown", "The"])
    vectors.units(["unknown", "the"])


def read_rules(path: str) -> None:
    from misword.text.normalizers.rules import Rules

    Rules(file=path)


def read_glm(path: str) -> None:
    from misword.text.normalizers.sclite import Glm

    Glm(file=path)


def read_keywords(path: str) -> None:
    from misword.asr.entities import spans

    spans.read_keywords(path)


def read_equivalents(path: str) -> None:
    from misword.asr.forgiving.equivalents import read_equivalents

    read_equivalents(path)


def read_result(path: str) -> None:
    from misword.io import results

    results.read_result(path)


def read_mapping(path: str) -> None:
    from misword.bli.mapping import Mapping

    Mapping.read(path).mapped("source")


def read_noise(path: str) -> None:
    from misword.noise.learnt_noise import LearntNoise

    LearntNoise.read(path)


def read_error_model(path: str) -> None:
    from misword.noise.channels import model_cache

    model_cache._read(Path(path), ["cat", "mat", "the"])


def verify(path: str) -> None:
    from misword.cli.commands.files.verify import own_objects

    for found in own_objects(Path(path)):
        found.verify()


READERS: dict[str, Callable[..., None]] = {
    function.__name__: function
    for function in (
        read_transcript, read_corpus, read_metadata, read_sidecars, read_lexicon, read_dictionary,
        read_stardict, read_dictd, read_sts,
        read_triplets, read_vectors, read_rules, read_glm, read_equivalents, read_keywords,
        read_result, read_mapping, read_noise, read_error_model, verify,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, the seeds of its inputs, the further words of its call, and how often it is drawn.

    `inputs` has a tuple of seeds for each file that the reader takes.
    """

    reader: str
    inputs: tuple[tuple[str, ...], ...]
    more: tuple[tuple[str, ...], ...] = ()
    weight: int = 2


TARGETS = (
    Target("read_transcript", (TRANSCRIPTS,), (("hypothesis", "reference"), TEXT_FORMATS), 30),
    # Each read of a Parquet file starts a process.
    Target("read_transcript", (("ref.parquet",),), (("reference",), ("",)), 1),
    Target("read_corpus", (("ref.stm",), ("hyp.ctm", "hyp.stm")), weight=3),
    Target("read_corpus", (("both.jsonl",), ("both.jsonl",)), weight=1),
    Target("read_corpus", (("ref.txt",), ("beams.tsv",)), weight=1),
    Target(
        "read_metadata", (("ref.csv", "ref.trn"), ("hyp.csv",), ("meta.csv", "utt2spk")), weight=4
    ),
    Target("read_sidecars", (("ref.nlp",), ("hyp.nlp",), ("norm.json",), ("wer_tag.json",))),
    Target("read_lexicon", (("lexicon.tsv", "lexicon.csv", "lexicon.txt"),), weight=3),
    Target("read_dictionary", (DICTIONARIES,), (("", "yes"),), 12),
    Target("read_stardict", (("f.ifo",), ("f.idx",), ("f.dict.dz",)), weight=4),
    Target("read_dictd", (("e.index",), ("e.dict.dz",)), weight=3),
    Target("read_sts", (("sts.tsv", "sts-b.csv", "sick.txt"),), weight=3),
    Target("read_triplets", (("triplets.tsv",),)),
    Target("read_vectors", (VECTORS,), (VECTOR_FORMATS,), 15),
    Target("read_rules", (("rules.txt",),), weight=1),
    Target("read_glm", (("rules.glm",),)),
    Target("read_equivalents", (("equivalents.txt",),), weight=1),
    Target("read_keywords", (("keywords.tsv",),), weight=1),
)
OWN_READERS = {
    "ab.map": "read_mapping",
    "noise.json": "read_noise",
    "model.npz": "read_error_model",
    "converted": "read_vectors",
    "converted-ngrams": "read_vectors",
}


def reader_case(random: Random, seeds: Seeds) -> Case:
    """Return the call of a reader with changed inputs."""
    if random.random() < 0.35:
        return own_file_case(random, seeds)
    target = random.choices(TARGETS, [target.weight for target in TARGETS])[0]
    names = [random.choice(choices) for choices in target.inputs]
    files = {}
    for name in names:
        changed = random.random() < 1 / len(names) + 0.2
        others = [seeds[other] for other in target.inputs[0]]
        files[name] = mutated(seeds[name], random, others) if changed else seeds[name]
    words = [*names, *(random.choice(choices) for choices in target.more)]
    if len(names) == 1 and random.random() < 0.2:  # the content decides the format
        words[0] = "input"
        files = {"input": files[names[0]]}
    return Case(target.reader, words, files)


def own_file_case(random: Random, seeds: Seeds) -> Case:
    """Return the reading of changed files of misword."""
    name = random.choice(OWN)
    files = mutated_own_files(files_of(name, seeds), random)
    reader = OWN_READERS.get(name, "read_result")
    if random.random() < 0.2:
        reader = "verify"
    words = [name, ""] if reader == "read_vectors" else [name]
    if name == "ab.map":
        files |= {vectors: seeds[vectors] for vectors in ("a.vec", "b.vec")}
    return Case(reader, words, files)


def files_of(name: str, seeds: Seeds) -> Seeds:
    """Return a file, or the files of a folder."""
    return {
        path: data for path, data in seeds.items() if path == name or path.startswith(f"{name}/")
    }


def run_reader(case: Case) -> str:
    """Call a reader; return what is wrong: an error that is not a `MiswordError`, or nothing."""
    try:
        READERS[case.target](*case.words)
    except MiswordError:
        return ""
    except BaseException as error:  # panics of polars are no `Exception`
        import traceback

        return "".join(traceback.format_exception(error))
    return ""
