"""What recognisers write: words, times, speakers, channels and confidences, written out by hand.

The files of AWS, IBM, Speechmatics (the older form) and the BBC are real ones. The others are
written from the documentation of the services and programs, because no file may be kept here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from misword.core.errors import InputError
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript

Write = Callable[[str, str | bytes], Path]

AWS = {
    "jobName": "call",
    "status": "COMPLETED",
    "results": {
        "transcripts": [{"transcript": "Good morning. Yes?"}],
        "channel_labels": {
            "channels": [
                {"channel_label": "ch_0", "items": [{"start_time": "0.0", "end_time": "0.4"}]},
                {"channel_label": "ch_1", "items": [{"start_time": "1.5", "end_time": "2.0"}]},
            ]
        },
        "speaker_labels": {"speakers": 2, "segments": []},
        "items": [
            {
                "start_time": "0.0",
                "end_time": "0.4",
                "alternatives": [{"confidence": "0.99", "content": "Good"}],
                "type": "pronunciation",
                "speaker_label": "spk_0",
            },
            {
                "start_time": "0.4",
                "end_time": "0.9",
                "alternatives": [{"confidence": "0.5", "content": "morning"}],
                "type": "pronunciation",
                "speaker_label": "spk_0",
            },
            {"alternatives": [{"confidence": "0.0", "content": "."}], "type": "punctuation"},
            {
                "start_time": "1.5",
                "end_time": "2.0",
                "alternatives": [{"confidence": "1.0", "content": "Yes"}],
                "type": "pronunciation",
                "speaker_label": "spk_1",
            },
            {"alternatives": [{"confidence": "0.0", "content": "?"}], "type": "punctuation"},
        ],
    },
}
SPEECHMATICS = {
    "format": "2.9",
    "metadata": {"type": "transcription"},
    "results": [
        {
            "alternatives": [{"confidence": 1.0, "content": "¿", "speaker": "S1"}],
            "start_time": 0.1, "end_time": 0.1, "type": "punctuation", "attaches_to": "next",
        },
        {
            "alternatives": [{"confidence": 0.9, "content": "Qué", "speaker": "S1"}],
            "start_time": 0.1, "end_time": 0.5, "type": "word",
        },
        {
            "alternatives": [{"confidence": 1.0, "content": "?", "speaker": "S1"}],
            "start_time": 0.5, "end_time": 0.5, "type": "punctuation", "attaches_to": "previous",
            "is_eos": True,
        },
        {
            "alternatives": [{"confidence": 0.8, "content": "nada", "speaker": "UU"}],
            "start_time": 1.0, "end_time": 1.5, "type": "word", "channel": "right",
        },
    ],
}  # fmt: skip
GOOGLE = {
    "results": [
        {
            "alternatives": [
                {
                    "transcript": "hello there",
                    "confidence": 0.9,
                    "words": [
                        {"startTime": "0s", "endTime": "1.200s", "word": "hello"},
                        {"startTime": "1.200s", "endTime": "1.5s", "word": "there"},
                    ],
                }
            ],
            "languageCode": "en-us",
        },
        {
            "alternatives": [
                {
                    "transcript": " yes",
                    "words": [{"startTime": "2s", "endTime": "2.5s", "word": "yes"}],
                }
            ]
        },
        {
            "alternatives": [
                {
                    "words": [
                        {"startTime": "0s", "endTime": "1.200s", "word": "hello", "speakerTag": 1},
                        {"startTime": "1.2s", "endTime": "1.5s", "word": "there", "speakerTag": 1},
                        {"startTime": "2s", "endTime": "2.5s", "word": "yes", "speakerTag": 2},
                    ]
                }
            ]
        },
    ]
}
DEEPGRAM = {
    "metadata": {"channels": 1},
    "results": {
        "channels": [
            {
                "alternatives": [
                    {
                        "transcript": "Life moves, fast.",
                        "confidence": 0.99,
                        "words": [
                            {"word": "life", "start": 0.5, "end": 0.7, "confidence": 0.9,
                             "speaker": 0, "punctuated_word": "Life"},
                            {"word": "moves", "start": 0.7, "end": 1.0, "confidence": 0.8,
                             "speaker": 0, "punctuated_word": "moves,"},
                            {"word": "fast", "start": 1.5, "end": 1.9, "confidence": 0.7,
                             "speaker": 1, "punctuated_word": "fast."},
                        ],
                    }
                ]
            }
        ]
    },
}  # fmt: skip
ASSEMBLYAI = {
    "id": "6rlr37h7h4-9b0b-4a0e-8a0b-1b3b",
    "status": "completed",
    "audio_url": "https://example.org/a.mp3",
    "text": "Smoke from fires.",
    "words": [
        {"text": "Smoke", "start": 250, "end": 650, "confidence": 0.97, "speaker": "A"},
        {"text": "from", "start": 730, "end": 1022, "confidence": 0.99, "speaker": "A"},
        {"text": "fires.", "start": 1076, "end": 1466, "confidence": 0.5, "speaker": None},
    ],
    "utterances": None,
}
IBM = {
    "result_index": 0,
    "results": [
        {
            "final": True,
            "alternatives": [
                {
                    "transcript": "hi you ",
                    "confidence": 0.9,
                    "timestamps": [["hi", 0.0, 0.5], ["you", 0.5, 1.0]],
                    "word_confidence": [["hi", 0.9], ["you", 0.4]],
                },
                {"transcript": "high you "},
            ],
        }
    ],
    "speaker_labels": [
        {"from": 0.0, "to": 0.5, "speaker": 2, "confidence": 0.5, "final": False},
        {"from": 0.5, "to": 1.0, "speaker": 1, "confidence": 0.5, "final": True},
    ],
}
OPENAI_WHISPER = {
    "text": " So it is. Well,",
    "language": "en",
    "segments": [
        {
            "id": 0, "seek": 0, "start": 0.0, "end": 2.0, "text": " So it is.", "tokens": [1],
            "temperature": 0.0, "avg_logprob": -0.2, "compression_ratio": 1.2,
            "no_speech_prob": 0.1,
            "words": [
                {"word": " So", "start": 0.0, "end": 0.5, "probability": 0.5},
                {"word": " it", "start": 0.5, "end": 1.0, "probability": 0.6},
                {"word": " is.", "start": 1.0, "end": 2.0, "probability": 0.7},
            ],
        },
        {"id": 1, "seek": 0, "start": 2.0, "end": 3.0, "text": " Well,", "tokens": [2]},
    ],
}  # fmt: skip
WHISPERX = {
    "segments": [
        {
            "start": 0.1, "end": 1.0, "text": " In 2020 we", "speaker": "SPEAKER_00",
            "words": [
                {"word": "In", "start": 0.1, "end": 0.2, "score": 0.9, "speaker": "SPEAKER_00"},
                {"word": "2020"},
                {"word": "we", "start": 0.8, "end": 1.0, "score": 0.8, "speaker": "SPEAKER_01"},
            ],
        }
    ],
    "word_segments": [],
    "language": "en",
}  # fmt: skip
FASTER_WHISPER = [
    {"id": 1, "start": 0.0, "end": 1.5, "text": " a b", "words": [
        {"start": 0.0, "end": 0.7, "word": " a", "probability": 0.9},
        {"start": 0.7, "end": 1.5, "word": " b", "probability": 0.8}]},
    {"id": 2, "start": 1.5, "end": 2.0, "text": " c", "words": None},
]  # fmt: skip
WHISPER_CPP = {
    "systeminfo": "AVX = 1",
    "model": {"type": "base"},
    "params": {"model": "models/ggml-base.bin", "language": "en", "translate": False},
    "result": {"language": "en"},
    "transcription": [
        {
            "timestamps": {"from": "00:00:00,000", "to": "00:00:01,500"},
            "offsets": {"from": 0, "to": 1500},
            "text": " Hello, world",
            "tokens": [
                {"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}, "id": 50364, "p": 0.9},
                {"text": " Hel", "offsets": {"from": 0, "to": 300}, "id": 1, "p": 0.4},
                {"text": "lo", "offsets": {"from": 300, "to": 500}, "id": 2, "p": 0.6},
                {"text": ",", "offsets": {"from": 500, "to": 600}, "id": 3, "p": 0.8},
                {"text": " world", "offsets": {"from": 600, "to": 1500}, "id": 4, "p": 1.0},
            ],
        },
        {
            "timestamps": {"from": "00:00:01,500", "to": "00:00:02,000"},
            "offsets": {"from": 1500, "to": 2000},
            "text": " bye",
        },
    ],
}
AZURE = {
    "source": "https://example.org/a.wav",
    "durationInTicks": 30000000,
    "combinedRecognizedPhrases": [{"channel": 0, "lexical": "hello it is two", "display": "x"}],
    "recognizedPhrases": [
        {
            "recognitionStatus": "Success",
            "channel": 0,
            "speaker": 1,
            "offset": "PT0.5S",
            "offsetInTicks": 5000000.0,
            "nBest": [
                {
                    "confidence": 0.9,
                    "lexical": "hello it",
                    "itn": "hello it",
                    "maskedITN": "hello it",
                    "display": "Hello, it.",
                    "words": [
                        {"word": "hello", "offset": "PT0.5S", "duration": "PT0.25S",
                         "offsetInTicks": 5000000.0, "durationInTicks": 2500000.0,
                         "confidence": 0.8},
                        {"word": "it", "offset": "PT1S", "duration": "PT0.1S",
                         "offsetInTicks": 10000000.0, "durationInTicks": 1000000.0,
                         "confidence": 0.7},
                    ],
                }
            ],
        },
        {
            "recognitionStatus": "Success",
            "channel": 1,
            "speaker": 2,
            "nBest": [{"confidence": 0.9, "lexical": "is two", "display": "Is 2."}],
        },
    ],
}  # fmt: skip
AZURE_FAST = {
    "durationMilliseconds": 2000,
    "combinedPhrases": [{"text": "Good afternoon."}],
    "phrases": [
        {
            "channel": 0, "speaker": 1, "offsetMilliseconds": 960, "durationMilliseconds": 640,
            "text": "Good afternoon.", "locale": "en-US", "confidence": 0.93,
            "words": [
                {"text": "Good", "offsetMilliseconds": 960, "durationMilliseconds": 240},
                {"text": "afternoon.", "offsetMilliseconds": 1200, "durationMilliseconds": 400},
            ],
        }
    ],
}  # fmt: skip
REV = {
    "speakers": [{"id": 0, "name": "Anna"}, {"id": 1, "name": None}],
    "monologues": [
        {
            "speaker": 0,
            "elements": [
                {"type": "text", "value": "Hi", "ts": 0.25, "end_ts": 0.5, "confidence": 0.9},
                {"type": "punct", "value": ", "},
                {"type": "text", "value": "I", "ts": 0.75, "confidence": 0.8},
                {"type": "punct", "value": "-"},
                {"type": "text", "value": "am", "ts": 1.0, "end_ts": 1.5},
                {"type": "punct", "value": "."},
            ],
        },
        {
            "speaker": 1,
            "spans": [
                {"type": "text", "value": "Yes", "ts": "00:01:02,500", "endTs": "00:01:03,000"},
            ],
        },
    ],
}
BBC = {
    "action": "audio-transcribe",
    "retval": {
        "status": True,
        "words": [
            {"start": 13.02, "confidence": 0.68, "end": 13.17, "word": "there", "punct": "There",
             "index": 0},
            {"start": 20.0, "confidence": 0.61, "end": 20.5, "word": "is", "punct": "is.",
             "index": 1},
        ],
    },
    "segmentation": {
        "segments": [
            {"@type": "Segment", "start": 13.01, "duration": 6.75, "speaker": {"@id": "S12"}},
        ]
    },
}  # fmt: skip
VOSK = {
    "result": [
        {"conf": 0.9, "end": 1.0, "start": 0.5, "word": "one"},
        {"conf": 0.8, "end": 1.5, "start": 1.0, "word": "two"},
    ],
    "text": "one two",
}
# Word, begin, end, confidence, speaker, channel, segment.
Row = tuple[str, float | None, float | None, float | None, str | None, str | None, int | None]
DOCUMENTED: dict[str, tuple[str, Any, list[Row]]] = {
    "aws": (
        "aws",
        AWS,
        [
            ("Good", 0.0, 0.4, 0.99, "spk_0", "ch_0", 0),
            ("morning.", 0.4, 0.9, 0.5, "spk_0", None, 1),
            ("Yes?", 1.5, 2.0, 1.0, "spk_1", "ch_1", 2),
        ],
    ),
    "speechmatics": (
        "speechmatics",
        SPEECHMATICS,
        [("¿Qué?", 0.1, 0.5, 0.9, "S1", None, 0), ("nada", 1.0, 1.5, 0.8, None, "right", 1)],
    ),
    "google": (
        "google",
        GOOGLE,
        [
            ("hello", 0.0, 1.2, None, "1", None, 0),
            ("there", 1.2, 1.5, None, "1", None, 0),
            ("yes", 2.0, 2.5, None, "2", None, 1),
        ],
    ),
    "deepgram": (
        "deepgram",
        DEEPGRAM,
        [
            ("Life", 0.5, 0.7, 0.9, "0", None, 0),
            ("moves,", 0.7, 1.0, 0.8, "0", None, 0),
            ("fast.", 1.5, 1.9, 0.7, "1", None, 0),
        ],
    ),
    "assemblyai": (
        "assemblyai",
        ASSEMBLYAI,
        [
            ("Smoke", 0.25, 0.65, 0.97, "A", None, 0),
            ("from", 0.73, 1.022, 0.99, "A", None, 0),
            ("fires.", 1.076, 1.466, 0.5, None, None, 1),
        ],
    ),
    "ibm": (
        "ibm",
        IBM,
        [("hi", 0.0, 0.5, 0.9, "2", None, 0), ("you", 0.5, 1.0, 0.4, "1", None, 0)],
    ),
    "openai-whisper": (
        "whisper",
        OPENAI_WHISPER,
        [
            ("So", 0.0, 0.5, 0.5, None, None, 0),
            ("it", 0.5, 1.0, 0.6, None, None, 0),
            ("is.", 1.0, 2.0, 0.7, None, None, 0),
            ("Well,", 2.0, 3.0, None, None, None, 1),
        ],
    ),
    "whisperx": (
        "whisper",
        WHISPERX,
        [
            ("In", 0.1, 0.2, 0.9, "SPEAKER_00", None, 0),
            ("2020", None, None, None, "SPEAKER_00", None, 0),
            ("we", 0.8, 1.0, 0.8, "SPEAKER_01", None, 0),
        ],
    ),
    "faster-whisper": (
        "whisper",
        FASTER_WHISPER,
        [
            ("a", 0.0, 0.7, 0.9, None, None, 0),
            ("b", 0.7, 1.5, 0.8, None, None, 0),
            ("c", 1.5, 2.0, None, None, None, 1),
        ],
    ),
    "whisper.cpp": (
        "whisper",
        WHISPER_CPP,
        [
            ("Hello,", 0.0, 0.6, 0.6, None, None, 0),
            ("world", 0.6, 1.5, 1.0, None, None, 0),
            ("bye", 1.5, 2.0, None, None, None, 1),
        ],
    ),
    "azure": (
        "azure",
        AZURE,
        [
            ("hello", 0.5, 0.75, 0.8, "1", "0", 0),
            ("it", 1.0, 1.1, 0.7, "1", "0", 0),
            ("is", None, None, None, "2", "1", 1),
            ("two", None, None, None, "2", "1", 1),
        ],
    ),
    "azure-fast": (
        "azure",
        AZURE_FAST,
        [
            ("Good", 0.96, 1.2, None, "1", "0", 0),
            ("afternoon.", 1.2, 1.6, None, "1", "0", 0),
        ],
    ),
    "rev": (
        "rev",
        REV,
        [
            ("Hi,", 0.25, 0.5, 0.9, "Anna", None, 0),
            ("I-am.", 0.75, 1.5, 0.8, "Anna", None, 0),
            ("Yes", 62.5, 63.0, None, "1", None, 1),
        ],
    ),
    "bbc-kaldi": (
        "bbc-kaldi",
        BBC,
        [
            ("There", 13.02, 13.17, 0.68, "S12", None, 0),
            ("is.", 20.0, 20.5, 0.61, None, None, 1),
        ],
    ),
    "vosk": (
        "vosk",
        VOSK,
        [("one", 0.5, 1.0, 0.9, None, None, None), ("two", 1.0, 1.5, 0.8, None, None, None)],
    ),
}


def read(path: Path, role: Any = "hypothesis") -> Transcript:
    return read_transcript(path, role=role)


def rows(found: Transcript) -> list[tuple[Any, ...]]:
    assert found.words is not None
    return found.words.select(
        "word", "begin", "end", "confidence", "speaker", "channel", "segment"
    ).rows()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", DOCUMENTED)
def test_words_of_documented_responses(name: str, indent: int | None, write: Write) -> None:
    expected_format, response, expected = DOCUMENTED[name]
    found = read(write("call.json", json.dumps(response, indent=indent)))
    assert found.format == expected_format
    assert rows(found) == [
        tuple(pytest.approx(value) if type(value) is float else value for value in row)
        for row in expected
    ]
    assert found.frame.select("utt", "text").rows() == [
        ("call", " ".join(row[0] for row in expected))
    ]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_responses_are_references_too(name: str, write: Write) -> None:
    path = write("call.json", json.dumps(DOCUMENTED[name][1]))
    if name == "ibm":  # it has two alternatives
        with pytest.raises(InputError, match="where references are expected"):
            read(path, "reference")
        return
    corpus, _ = read_corpus(path, write("other.txt", "x\ny\n"), segments="as-they-are")
    assert corpus.references["text"].item() == " ".join(row[0] for row in DOCUMENTED[name][2])
    assert corpus.hypotheses["text"].to_list() == ["x y"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_folders_of_responses(name: str, write: Write, tmp_path: Path) -> None:
    for utt in "ab":
        write(f"ref/{utt}.txt", "x\n")
        write(f"hyp/{utt}.json", json.dumps(DOCUMENTED[name][1], indent=1))
    corpus, _ = read_corpus(tmp_path / "ref", tmp_path / "hyp")
    words = corpus.words_of("hyp")
    assert words is not None
    assert words["utt"].to_list() == [u for u in "ab" for _ in DOCUMENTED[name][2]]
    assert words["recording"].to_list() == words["utt"].to_list()


def test_real_output_of_aws(shared: Path) -> None:
    found = read(shared / "recognisers/todayinfocus.sample.json")
    content = json.loads((shared / "recognisers/todayinfocus.sample.json").read_text())
    words = rows(found)
    assert found.format == "aws"
    (shown,) = content["results"]["transcripts"]
    assert [row[0] for row in words] == shown["transcript"].split()
    assert words[0] == ("Today", 5.24, 5.85, 0.9999, "spk_0", None, words[0][6])
    assert ("disasters.", 10.51, 11.07, 1.0, "spk_0", None) in [row[:6] for row in words]


def test_real_output_of_ibm(shared: Path) -> None:
    found = read(shared / "recognisers/ibmTedTalkTranscript.sample.json")
    words = rows(found)
    assert found.format == "ibm"
    assert words[0] == ("there", 13.04, 13.23, 0.902, "1", None, 0)
    assert words[5] == ("ten", 14.13, 14.35, 1.0, "1", None, 0)
    assert len(words) == 1780  # as many as `speaker_labels`
    assert {row[4] for row in words} >= {"1"}
    assert words[-1][2] == 705.94


def test_real_output_of_the_older_speechmatics(shared: Path) -> None:
    found = read(shared / "recognisers/speechmaticsTedTalkTranscript.sample.json")
    words = rows(found)
    assert found.format == "speechmatics"
    assert words[0][:5] == ("There", 13.05, pytest.approx(13.23), 1.0, "F4")
    assert words[20][:5] == ("down.", 19.17, pytest.approx(19.53), 1.0, "F4")
    assert words[21][0] == "It"
    content = json.loads(
        (shared / "recognisers/speechmaticsTedTalkTranscript.sample.json").read_text()
    )
    signs = sum(word["name"] == "." for word in content["words"])
    assert len(words) == 1896 - signs


def test_segments_of_the_bbc_without_words_are_refused(shared: Path) -> None:
    with pytest.raises(InputError, match="segments of speakers without any words"):
        read(shared / "recognisers/bbcKaldiSpeakerSegments.sample.json")


SEGLST = [
    {"session_id": "s1", "speaker": "A", "start_time": "0.5", "end_time": 1.5, "words": "a b"},
    {"session_id": "s1", "speaker": "B", "start_time": 1.0, "end_time": 2.0, "words": ""},
    {"session_id": "s2", "speaker": "A", "start_time": 0, "end_time": 1, "words": "c"},
    {"session_id": "s2", "speaker": "A", "start_time": 0, "end_time": 1, "words": "d"},
]


@pytest.mark.parametrize("lines", [False, True])
def test_seglst(lines: bool, write: Write) -> None:
    content = "\n".join(map(json.dumps, SEGLST)) if lines else json.dumps(SEGLST, indent=2)
    found = read(write("a.json", content))
    assert found.format == "seglst"
    assert found.frame.drop("line").rows() == [
        ("s1-A-0.5-1.5", "a b", "s1", "A", 0.5, 1.5), ("s1-B-1.0-2.0", "", "s1", "B", 1.0, 2.0),
        ("s2-A-0-1-1", "c", "s2", "A", 0.0, 1.0), ("s2-A-0-1-2", "d", "s2", "A", 0.0, 1.0),
    ]  # fmt: skip
    assert rows(found) == [
        ("a", 0.5, 1.5, None, "A", None, 0), ("b", 0.5, 1.5, None, "A", None, 0),
        ("c", 0.0, 1.0, None, "A", None, 0), ("d", 0.0, 1.0, None, "A", None, 1),
    ]  # fmt: skip


def test_seglst_is_joined_by_session(write: Write) -> None:
    path = write("a.seglst.json", json.dumps(SEGLST))
    corpus, _ = read_corpus(path, path, join="recording")
    assert corpus.references.select("utt", "text").rows() == [("s1", "a b"), ("s2", "c d")]


@pytest.mark.parametrize("name", ["a.rttm", "a.txt", "a.stm"])
def test_rttm_is_refused_because_it_has_no_words(name: str, write: Write) -> None:
    path = write(name, "SPEAKER call 1 0.50 1.25 <NA> <NA> anna <NA> <NA>\n" * 3)
    with pytest.raises(InputError, match="segments of speakers and no words"):
        read(path)


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ({**AWS, "results": {"items": [{"alternatives": []}]}}, "without 'content'"),
        ({"results": {"items": [3]}}, "'items' is not a list of objects"),
        ({"results": [{"alternatives": [{"content": "a"}], "start_time": "x"}]}, "is not a number"),
        ({"results": [{"alternatives": [{"content": "a"}], "start_time": [1]}]}, "not a number"),
        ({"monologues": [{"elements": [{"value": None}]}]}, "without 'value'"),
        ({"segments": [{"start": 0, "end": 1, "text": "\ud800"}]}, "half of a surrogate pair"),
        ({"segments": [{"start": 0, "end": 1, "text": "a\0"}]}, "NUL character"),
        ({"segments": [{"start": float("nan"), "end": 1, "text": "a"}]}, "not a finite number"),
        ({"segments": [{"start": 10**400, "end": 1, "text": "a"}]}, "not a number"),
        ({**IBM, "results": [{"alternatives": [{"transcript": "a", "timestamps": [["a"]]}]}]},
         "lists of 3"),
        ([*SEGLST, {"session_id": "x"}], "without 'words'"),
        ([*SEGLST, 3], "a segment is no object"),
        ([*SEGLST, {"words": "x"}], "without 'session_id'"),
    ],
)  # fmt: skip
def test_wrong_responses(response: Any, message: str, write: Write) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(write("a.json", json.dumps(response)))
    assert "a.json" in (caught.value.where or "")


def test_a_file_cut_in_half_is_refused(write: Write) -> None:
    for _, response, _ in DOCUMENTED.values():
        content = json.dumps(response, indent=1)
        with pytest.raises(InputError):
            read(write("a.json", content[: len(content) // 2]))
