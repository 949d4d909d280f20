"""Whole inputs of every kind, from which fuzzed inputs are made by mutation."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import pickle
import shutil
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType

import numpy as np

from arpa import ARPA
from dictionary_files import (
    DIX_ENTRIES,
    write_dictd,
    write_dix,
    write_stardict,
    write_tei,
    write_wiktextract,
)
from fasttext_file import fasttext_bin

WORDS = ["the", "cat", "sat", "on", "mat", "été", "don't", "20"]
MATRIX = np.arange(24, dtype=np.float32).reshape(8, 3) % 5 + 1
REFERENCE = [
    "the cat sat",
    "on the mat",
    "",
    "été { 20 / twenty / @ } don't",
    "Mr. Cat, sat; on 3.5%",
]
HYPOTHESIS = ["the hat sat", "on mat the", "um", "ete twenty do not", "mister cat sat on"]


def transcripts(texts: list[str], side: str) -> dict[str, str]:
    """Return the texts in each text format of transcripts, by the name of the file."""
    ids = [f"s{i % 2}-u{i}" for i in range(len(texts))]
    pairs = list(zip(ids, texts, strict=True))
    words = [(i, word) for i, text in enumerate(texts) for word in text.split()]
    plain = [(i, word) for i, word in words if not set(word) & set("{}/@|")]
    return {
        f"{side}.txt": "".join(f"{text}\n" for text in texts),
        f"{side}.kaldi": "".join(f"{utt} {text}\n" for utt, text in pairs),
        f"{side}.trn": "".join(f"{text} ({utt})\n" for utt, text in pairs),
        f"{side}.stm": ";; comment\n"
        + "".join(f"call 1 s1 {i} {i + 1} <o,f0> {t}\n" for i, t in enumerate(texts)),
        f"{side}.ctm": "".join(
            f"call 1 {i}.{n % 9} 0.1 {w} 0.9\n" for n, (i, w) in enumerate(plain)
        ),
        f"{side}.csv": "utt,text,speaker,age\n"
        + "".join(f'{utt},"{text}",{utt[:2]},{len(text)}\n' for utt, text in pairs),
        f"{side}.tsv": "path\tsentence\tgender\n"
        + "".join(f"{utt}\t{text}\tf\n" for utt, text in pairs),
        f"{side}.jsonl": "".join(
            f'{{"audio_filepath": "{utt}", "text": "{text}", "duration": 1.5}}\n'
            for utt, text in pairs
        ),
        f"{side}.nlp": "token|speaker|ts|endTs|punctuation|case|tags|wer_tags\n"
        + "".join(f"{word}|1|{i}.0|{i}.5|,|LC|['0:YEAR']|['5']\n" for i, word in plain),
        f"{side}.srt": "".join(
            f"{i + 1}\n00:00:0{i},000 --> 00:00:0{i},900\n<i>{text or 'x'}</i>\n\n"
            for i, text in enumerate(texts)
        ),
        f"{side}.vtt": "WEBVTT\n\nNOTE a\n\n"
        + "".join(
            f"00:0{i}.000 --> 00:0{i}.900 align:left\n<v Anna>{text or 'x'} &amp; y\n\n"
            for i, text in enumerate(texts)
        ),
    }


# What recognisers write, with all that a reader looks at.
RESPONSES = {
    "aws": '{"results": {"items": [{"start_time": "0.5", "end_time": "0.9", "alternatives": '
    '[{"confidence": "0.9", "content": "the"}], "type": "pronunciation", "speaker_label": "a"}, '
    '{"alternatives": [{"content": "."}], "type": "punctuation"}], "speaker_labels": '
    '{"segments": [{"speaker_label": "b", "items": [{"start_time": "0.5"}]}]}}}',
    "speechmatics": '{"results": [{"alternatives": [{"content": "the", "confidence": 0.9, '
    '"speaker": "UU"}], "start_time": 0.1, "end_time": 0.2, "attaches_to": "next"}, '
    '{"alternatives": [{"content": "cat"}]}]}',
    "speechmatics-old": '{"speakers": [{"name": "F", "time": "0.5", "duration": "2"}], "words": '
    '[{"name": "the", "time": "0.5", "duration": "0.2", "confidence": "1"}, '
    '{"name": ".", "time": "0.7", "duration": "0.2"}]}',
    "ibm": '{"results": [{"alternatives": [{"transcript": "the cat ", "timestamps": '
    '[["the", 0.1, 0.5], ["cat", 0.5, 1]], "word_confidence": [["the", 1], ["cat", 0.5]]}]}], '
    '"speaker_labels": [{"from": 0.1, "to": 0.5, "speaker": 2}]}',
    "google-words": '{"results": [{"alternatives": [{"transcript": "the cat", "words": '
    '[{"startTime": "0.5s", "endTime": "1s", "word": "the", "confidence": 0.0}, '
    '{"word": "cat"}]}]}, {"alternatives": [{"words": [{"word": "the", "speakerTag": 1}, '
    '{"word": "cat", "speakerTag": 2}]}]}]}',
    "deepgram": '{"results": {"channels": [{"alternatives": [{"transcript": "The cat.", "words": '
    '[{"word": "the", "start": 0.5, "end": 0.7, "speaker": 0, "punctuated_word": "The"}, '
    '{"word": "cat", "start": 1, "end": 2, "confidence": 0.9, "punctuated_word": "cat."}]}]}]}}',
    "assemblyai": '{"text": "The cat.", "audio_url": "a", "words": [{"text": "The", "start": 250, '
    '"end": 650, "confidence": 0.9, "speaker": "A"}, {"text": "cat.", "start": 7, "end": 9}]}',
    "whisper": '{"text": " the cat", "segments": [{"start": 0.0, "end": 2.0, "text": " the cat", '
    '"words": [{"word": " the", "start": 0, "end": 1, "probability": 0.5}, {"word": " cat", '
    '"start": 1, "end": 2}]}, {"start": 2, "end": 3, "text": " sat", "speaker": "A"}]}',
    "whisper-cpp": '{"transcription": [{"offsets": {"from": 0, "to": 900}, "text": " the cat", '
    '"tokens": [{"text": "[_BEG_]", "p": 1}, {"text": " the", "offsets": {"from": 0, "to": 5}, '
    '"p": 0.5}, {"text": " c"}, {"text": "at", "offsets": {"to": 9}}]}]}',
    "azure": '{"recognizedPhrases": [{"channel": 0, "speaker": 1, "nBest": [{"confidence": 0.9, '
    '"lexical": "the cat", "words": [{"word": "the", "offsetInTicks": 5000000.0, '
    '"durationInTicks": 2500000}, {"word": "cat", "confidence": 1}]}]}]}',
    "rev": '{"speakers": [{"id": 0, "name": "Anna"}], "monologues": [{"speaker": 0, "elements": '
    '[{"type": "text", "value": "Hi", "ts": 0.25, "end_ts": 0.5}, {"type": "punct", "value": ", "},'
    ' {"type": "text", "value": "cat", "ts": "00:00:01,500"}]}]}',
    "bbc": '{"retval": {"words": [{"start": 1.5, "end": 2, "word": "the", "punct": "The"}]}, '
    '"segmentation": {"segments": [{"start": 0, "duration": 9, "speaker": {"@id": "S0"}}]}}',
    "segments": '[{"session_id": "s", "speaker": "A", "start_time": 0, "end_time": "1.5", '
    '"words": "the cat"}, {"session_id": "s", "words": "sat"}]',
}
# The lines of a file of vectors.
LINES = "".join(
    f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, MATRIX.tolist(), strict=True)
)
TEXTS = {
    **transcripts(REFERENCE, "ref"),
    **transcripts(HYPOTHESIS, "hyp"),
    "both.jsonl": '{"text": "the cat", "pred_text": "a cat", "lang": "en"}\n' * 3,
    "nbest.csv": "utt,rank,hyp\n"
    + "".join(f"s{i % 2}-u{i},{n},{t}\n" for i, t in enumerate(HYPOTHESIS) for n in (2, 1)),
    "nbest.json": '[{"input": ["the cat", "a cat"], "output": "the cat"}, '
    '{"input": ["sat"], "output": "sat"}]',
    "beams.tsv": "the cat\t-1.5\na cat\t-2e3\n" * 5,
    "moses.txt": "".join(
        f"{i} ||| {t} ||| LM= -1 TM= 2 -3 ||| -4.5\n" for i, t in enumerate(HYPOTHESIS)
    ),
    "srilm.nbest": "NBestList1.0\n(-100) <s> the cat </s>\n(-2e2) a cat\n",
    "counts.nbest": "-10.5 -2 2 the cat\n-11 -1.5 1 cat\n",
    "vosk.json": '{"alternatives": [{"text": "the cat", "confidence": 9.5}, {"text": "a"}]}',
    "google.json": '{"results": [{"alternatives": [{"transcript": "the", "confidence": 0.5}]}]}',
    **{f"{name}.json": content for name, content in RESPONSES.items()},
    "utt2spk": "".join(f"s{i % 2}-u{i} s{i % 2}\n" for i in range(5)),
    "meta.csv": "utt,dialect,snr\n" + "".join(f"s{i % 2}-u{i},d{i % 2},{i}.5\n" for i in range(5)),
    "norm.json": '{"0": {"candidates": [{"verbalization": ["twenty", "twenty"]}]}}',
    "wer_tag.json": '{"5": {"entity_type": "TIME"}}',
    "triplets.tsv": "reference\thypA\tnbrA\thypB\tnbrB\n" + "the cat\ta cat\t3\tthe hat\t1\n" * 4,
    "sts.tsv": "2.5\tthe cat sat\tthe hat sat\n4\ton the mat\ton mat the\n" * 3,
    "sts-b.csv": "main\tf\t2012\t1\t2.5\tthe cat\ta cat\n" * 2 + "main\tf\t2012\t2\t4.0\tmat\ton\n",
    "sick.txt": "pair_ID\tsentence_A\tsentence_B\tscore\n1\tthe cat\ta cat\t4.5\n2\ton\tmat\t1\n",
    "lists.jsonl": '{"word": "cat", "candidates": ["chat", "chien"]}\n' * 2,
    "lexicon.tsv": "the\tle\ncat\tchat\nsat\tassis\ncat\tchatte\n",
    "lexicon.csv": "source,target,group\nthe,le,a\ncat,chat,b\n",
    "lexicon.txt": "the le\ncat chat\nmat tapis\n",
    "a.vec": f"8 3\n{LINES}",
    "b.vec": "5 3\nle 1 2 3\nchat 4 5 1\nassis 2 3 4\nsur 5 1 2\ntapis 3 4 5\n",
    "glove.txt": LINES,
    "rules.txt": '# rules\n[*]\n(\\w+)n\'t => \\1 not\n[fr]\n"é" => e\n- => " "\n',
    "rules.glm": ';; rules\n* name "x"\n[um] => / [ ] __ [ ]\n'
    "can't => {cannot / can not} / [ ] __ [ ]\nA => B / C __ D\n",
    "equivalents.txt": "gonna / going to\ndon't / do not / dont\n",
    "words.txt": "the\ncat\nmat\n",
    "keywords.tsv": "term\tclass\n# note\nthe cat\tANIMAL\nmat\tTHING\nsat\n",
    "tagged.csv": "utt,text,entities\na1,the cat sat,O B-ANIMAL O\n"
    'a2,on the mat,"[[3, 9, ""X""]]"\n',
    "lm.arpa": ARPA,
}
# Commands that write the files of misword.
COMMANDS = (
    "map a.vec b.vec --method procrustes --lexicon lexicon.tsv -o ab.map",
    "score ref.csv hyp.csv --metrics wer,cer --by speaker --bootstrap 20 --out scored",
    "compare ref.csv hyp.csv nbest.csv --bootstrap 20 --out compared",
    "evaluate ab.map lexicon.tsv --k 1,2 --bootstrap 20 --out evaluated",
    "translate ab.map the cat --k 2 --out translated",
    "corrupt ref.csv --wer 0.3 --channel uniform -o noisy.csv --out corrupted",
    "corrupt words.txt --wer 0.9 --channel phonetic:vocabulary=corpus --lang en -o noisy.txt",
    "learn-noise ref.csv hyp.csv -o noise.json",
    "realism ref.csv hyp.csv --channels uniform --bootstrap 20 --out judged",
    "check ref.csv hyp.csv --out checked",
    "vectors convert a.vec --out converted",
    "vectors convert ngrams.bin --out converted-ngrams",
)
# Files and folders that these commands write.
OWN = (
    "ab.map", "noise.json", "model.npz", "scored", "compared", "evaluated", "translated",
    "corrupted", "judged", "checked", "converted", "converted-ngrams",
)  # fmt: skip


def write_seeds(folder: Path) -> None:
    """Write all seeds into a folder. It becomes the current folder of the process."""
    from misword.cli.main import main

    os.chdir(folder)
    for name, text in TEXTS.items():
        Path(name).write_bytes(text.encode())
    for name, data in binary_seeds().items():
        Path(name).write_bytes(data)
    write_dictionaries()
    for command in COMMANDS:
        if main([*command.split(), "-q"]):
            raise RuntimeError(f"a seed cannot be made: misword {command}")
    models = sorted(Path(os.environ["MISWORD_CACHE"], "hearing").iterdir())
    shutil.copy(models[0], "model.npz")


def write_dictionaries() -> None:
    """Write a dictionary of each format into the current folder."""
    write_tei(Path("d.tei"))
    write_dix(Path("d.dix"), DIX_ENTRIES)
    translations = [{"lang_code": "fr", "word": "chat", "sense": "a"}, {"code": "fr", "word": "b"}]
    cat = {"word": "cat", "lang_code": "en", "pos": "noun", "translations": translations}
    write_wiktextract(Path("wiktextract.jsonl"), cat, {**cat, "word": "mat"})
    write_dictd(Path("e"), {"cat": "cat /kæt/ <n>\n1. chat\n2. b, c (d)\n", "mat": "mat\ntapis\n"})
    write_stardict(Path("f"), [("cat", b"<b>cat</b><ol><li>chat</li></ol>"), ("mat", b"a")], "h")


def read_seeds(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder and of the folders in it, by their paths."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def binary_seeds() -> dict[str, bytes]:
    """Return inputs that are no text: Parquet, compressed files, vectors."""
    import polars as pl
    import zstandard

    made = {}
    for side, texts in (("ref", REFERENCE), ("hyp", HYPOTHESIS)):
        table = BytesIO()
        columns = {"id": list("abcde"), "text": texts, "n": range(5), "x": [0.5, None, 1, 2, 3]}
        pl.DataFrame(columns).write_parquet(table)
        made[f"{side}.parquet"] = table.getvalue()
    lines = TEXTS["ref.txt"].encode()
    halves = lines[:20], lines[20:]
    made["ref.txt.gz"] = b"".join(gzip.compress(half, mtime=0) for half in halves)
    made["ref.txt.bz2"] = b"".join(map(bz2.compress, halves))
    made["ref.txt.xz"] = b"".join(map(lzma.compress, halves))
    made["ref.txt.zst"] = b"".join(map(zstandard.compress, halves))
    made["a.vec.gz"] = gzip.compress(TEXTS["a.vec"].encode(), mtime=0)
    return made | vector_seeds()


def vector_seeds() -> dict[str, bytes]:
    """Return vectors in the binary formats."""
    encoded = [word.encode() for word in WORDS]
    rows = zip(encoded, MATRIX, strict=True)
    binary = b"8 3\n" + b"".join(word + b" " + row.tobytes() + b"\n" for word, row in rows)
    archive, arrays = BytesIO(), {"words": np.array(WORDS), "vectors": MATRIX}
    np.savez(archive, allow_pickle=True, **arrays)
    ngrams = np.arange(60, dtype=np.float32).reshape(20, 3)
    return {
        "a.bin": binary,
        "words.bin": fasttext_bin(encoded, MATRIX),
        "ngrams.bin": fasttext_bin(encoded, ngrams, grams=(2, 3, 12)),
        "pruned.bin": fasttext_bin(encoded, ngrams[:10], grams=(2, 3, 12), pruned=[(1, 0), (5, 1)]),
        "a.npz": archive.getvalue(),
        "a.kv": gensim_vectors(),
    }


def gensim_vectors() -> bytes:
    """Return vectors as gensim writes them; the module stands for gensim's."""
    name = "gensim.models.keyedvectors"
    before = {key: sys.modules.get(key) for key in ("gensim", "gensim.models", name)}
    module = ModuleType(name)
    made = type("KeyedVectors", (), {"__module__": name})
    module.KeyedVectors = made  # type: ignore[attr-defined]
    sys.modules |= {key: ModuleType(key) for key in before} | {name: module}
    vectors = made()
    vars(vectors).update(index_to_key=WORDS, vectors=MATRIX, vector_size=3)
    data = pickle.dumps(vectors, 4)
    for key, old in before.items():
        del sys.modules[key]
        if old is not None:
            sys.modules[key] = old
    return data
