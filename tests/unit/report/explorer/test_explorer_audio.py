"""The audio files of utterances: how they are found, and what the page says of each."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

import numpy as np
import pytest

import misword
from misword.cli.main import main
from misword.core.errors import OptionError
from misword.core.types import Result
from misword.io.results import read_result
from misword.report import render
from misword.report.explorer.audio import Audio, AudioFolder, AudioPlaces, find_audio


def touched(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def scored(ids: list[str], options: dict[str, Any] | None = None, **metadata: Any) -> Result:
    texts = ["a b"] * len(ids)
    scores = misword.score(texts, texts, "wer", ids=ids, metadata=metadata or None)
    return scores.result({"options": options or {}}, bootstrap=0)


def found(result: Result, folder: Path | None = None, page: Path | None = None) -> Audio:
    ids = result.tables["utterances"]["utt"].to_list()
    places = AudioPlaces(None if folder is None else AudioFolder.of(folder), page)
    audio = find_audio(result, ids, places)
    assert audio is not None
    return audio


def of_each(audio: Audio, key: str) -> list[str]:
    return [audio.sources[code][key] for code in audio.codes]


def test_files_named_as_utterances(tmp_path: Path) -> None:
    """In any folder below; wav before mp3; times of a recording do not apply to them."""
    folder = tmp_path / "a b"
    touched(folder / "x" / "u1.wav", folder / "x" / "u1.mp3", folder / "ü#2.FLAC")
    touched(folder / "u3.txt")
    result = scored(["u1", "ü#2", "u3"], begin=[1.0, 2.0, 3.0], end=[2.0, 3.0, 4.0])
    audio = found(result, folder, tmp_path)
    assert of_each(audio, "kind") == ["file", "file", "problem"]
    assert of_each(audio, "url")[:2] == ["a%20b/x/u1.wav", "a%20b/%C3%BC%232.FLAC"]
    assert of_each(audio, "text")[2] == f"There is no audio file for u3 in {folder}."
    assert np.isnan(audio.begin[:2]).all()


def test_parts_of_recordings(tmp_path: Path) -> None:
    """Utterances of stm references: the file has the name of the recording."""
    touched(tmp_path / "audio" / "talk.wav")
    page = tmp_path / "pages" / "deep"
    result = scored(["t-1", "t-2"], file=["talk", "talk"], begin=[0.5, 12.25], end=[2.0, 15.0])
    audio = found(result, tmp_path / "audio", page)
    assert of_each(audio, "url") == ["../../audio/talk.wav"] * 2
    assert len(audio.sources) == 1
    assert (audio.begin.tolist(), audio.end.tolist()) == ([0.5, 12.25], [2.0, 15.0])


def test_the_column_of_manifests(tmp_path: Path) -> None:
    """Relative paths start from the folder of the manifest; offset and duration are the part."""
    touched(tmp_path / "data" / "clips" / "1.wav", tmp_path / "far.wav")
    named = ["clips/1.wav", str(tmp_path / "far.wav"), "clips/none.wav", None,
             "https://example.org/a.wav", "s3://bucket/a.wav", (tmp_path / "far.wav").as_uri(),
             "x" * 5000 + ".wav", "clips/\0.wav"]  # fmt: skip
    ids = [f"u{number}" for number in range(len(named))]
    times = [1.5, 0.0, *[None] * 7]
    options = {"reference": str(tmp_path / "data" / "manifest.json")}
    result = scored(ids, options, audio_filepath=named, offset=times, duration=[2.0] * 9)
    audio = found(result, page=tmp_path / "data")
    assert of_each(audio, "kind") == [
        "file", "file", "problem", "problem", "link", "problem", "file", "problem", "problem"
    ]  # fmt: skip
    assert of_each(audio, "url")[:2] == ["clips/1.wav", "../far.wav"]
    assert of_each(audio, "url")[6] == "../far.wav"
    texts = of_each(audio, "text")
    assert texts[2] == "There is no audio file clips/none.wav."
    assert texts[3] == "No audio file is named for this utterance."
    assert texts[4] == "https://example.org/a.wav"
    assert texts[5] == "The audio is at s3://bucket/a.wav, which this page cannot play."
    assert len(texts[7]) < 400
    np.testing.assert_array_equal(audio.begin[:3], [1.5, 0.0, np.nan])
    np.testing.assert_array_equal(audio.end[:3], [3.5, 2.0, np.nan])
    assert audio.count("problem") == 5


def test_ids_that_are_files(tmp_path: Path) -> None:
    """In manifests without another id, the path is the id. Ids of no files are not audio."""
    touched(tmp_path / "1.wav")
    audio = found(scored([str(tmp_path / "1.wav"), "2.wav"]))
    assert of_each(audio, "url")[0] == (tmp_path / "1.wav").as_uri()
    assert of_each(audio, "kind") == ["file", "problem"]
    assert find_audio(scored(["a.wav", "b"]), ["a.wav", "b"], AudioPlaces()) is None
    moved = found(scored(["/elsewhere/1.wav"]), tmp_path, tmp_path)
    assert of_each(moved, "url") == ["1.wav"]


def test_two_files_of_one_name(tmp_path: Path) -> None:
    """The folder in the id decides; otherwise the page says that there are two."""
    touched(tmp_path / "clean" / "u.wav", tmp_path / "noisy" / "u.wav")
    audio = found(scored(["u", "noisy/u.wav", "../../u"]), tmp_path, tmp_path)
    assert of_each(audio, "kind") == ["problem", "file", "problem"]
    assert "several audio files of this name: clean/u.wav, noisy/u.wav" in of_each(audio, "text")[0]
    assert of_each(audio, "url")[1] == "noisy/u.wav"


def resolved(url: str, page: Path) -> Path:
    """Return the file that a browser opens for an address on a page in a folder."""
    joined = urljoin(f"{page.as_uri()}/page.html", url)
    assert joined.startswith("file:///")
    return Path(url2pathname(urlsplit(joined).path))


# Names that try to leave the folder of the audio: `{secret}` is a file outside, `{out}` is audio.
LEAVING = [
    *(
        "../secret.txt",
        "../out.wav",
        "x/../../out.wav",
        "{secret}",
        "{out}",
        "./u.wav/../../out.wav",
    ),
    *("..%2fsecret.txt", "..%2Fout.wav", "%2e%2e/out.wav", "..\\out.wav", "file://{out}"),
    *("file://{secret}", "file://host{out}", "file:///../../..{secret}", "file:{out}", "link.wav"),
    *("linked/out.wav", "loop/loop/u.wav", "javascript:alert(1).wav", "javascript://x/%0aalert(1)"),
    *(
        "data:audio/wav,x.wav",
        "//host/out.wav",
        "\\\\host\\out.wav",
        "u.wav\n../out.wav",
        "~/out.wav",
    ),
    *('"><script>.wav', "u.wav?x", "u.wav#t=1", "u.wav\0../out.wav", "CON.wav", ".", "..", "/", ""),
]


@pytest.fixture
def leaving(tmp_path: Path) -> tuple[Path, list[str]]:
    """A folder of audio with links that lead out of it, and the names."""
    folder, secret, out = tmp_path / "audio", tmp_path / "secret.txt", tmp_path / "out.wav"
    odd = [folder / name for name in ("javascript:alert(1).wav", '"><script>.wav', "u.wav#t=1")]
    touched(folder / "u.wav", secret, out, folder / "%2e%2e" / "v.wav", *odd)
    (folder / "link.wav").symlink_to(out)
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    return folder, [name.format(secret=secret, out=out) for name in LEAVING]


@pytest.mark.parametrize("column", [True, False])
def test_no_name_leads_out_of_the_folder_of_the_audio(
    leaving: tuple[Path, list[str]], column: bool
) -> None:
    """Files are looked for by name alone, in the folder that the user named."""
    folder, names = leaving
    ids = [f"id{n}" for n in range(len(names))] if column else [f"{n} {x}" for n, x in
                                                              enumerate(names)]  # fmt: skip
    result = scored(ids, audio_filepath=names) if column else scored(ids, file=names)
    audio = found(result, folder, folder.parent)
    for name, source in zip(names, (audio.sources[code] for code in audio.codes), strict=True):
        if source["kind"] == "file":
            assert folder in resolved(source["url"], folder.parent).parents, name
        else:
            assert (source["kind"], source["url"]) == ("problem", ""), name


def test_a_column_names_audio_files_only(leaving: tuple[Path, list[str]]) -> None:
    """A manifest may name audio anywhere on the disk, but no other file."""
    folder, names = leaving
    result = scored([f"id{n}" for n in range(len(names))], {"reference": str(folder / "m.json")},
                    audio_filepath=names)  # fmt: skip
    audio = found(result, page=folder)
    kinds = dict(zip(names, of_each(audio, "kind"), strict=True))
    for name, source in zip(names, (audio.sources[code] for code in audio.codes), strict=True):
        if source["kind"] == "file":
            path = resolved(source["url"], folder)
            assert path.suffix == ".wav", name
            assert path.is_file(), name
            assert not set(source["url"]) & set("\"'<>:?#\\ "), name
    assert kinds[str(folder.parent / "out.wav")] == "file"
    assert {kinds[name] for name in names if name.endswith(".txt")} == {"problem"}
    assert "<script>.wav" not in render([result], path=folder / "r.html")


def test_wrong_folders(tmp_path: Path) -> None:
    for folder, what in ((tmp_path / "none", "no such folder"), (tmp_path, "no audio files")):
        with pytest.raises(OptionError, match=what):
            AudioFolder.of(folder)


def test_the_policy_allows_media_only_for_audio(tmp_path: Path) -> None:
    touched(tmp_path / "u.wav")
    notes: list[str] = []
    result = scored(["u", "v"])
    assert "media-src" not in render([result])
    page = render([result], audio=tmp_path, path=tmp_path / "r.html", note=notes.append)
    assert "media-src 'self' file:;" in page
    assert notes == ["no audio file for 1 of 2 utterances; the report names them"]
    bare = Result("scores", {"summary": result.tables["summary"]}, result.provenance)
    render([bare], audio=tmp_path, note=notes.append)
    assert notes[1:] == ["the audio is not used: no result here has an explorer of utterances"]
    links = scored(["u"], audio_filepath=["https://example.org/u.wav"])
    assert "media-src" not in render([links])


def timed_page(tmp_path: Path, files: dict[str, str], *more: str) -> dict[str, Any]:
    """The audio data of a page of ctm files, made by the command."""
    (tmp_path / "call.wav").write_bytes(b"")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    report = tmp_path / "page.html"
    names = [str(tmp_path / name) for name in files]
    assert main(["score", *names, "--report", str(report), "--audio", str(tmp_path), *more]) == 0
    block = re.search(r'id="r0-data-utterances">(.*?)</script>', report.read_text(), re.DOTALL)
    assert block is not None
    found: dict[str, Any] = json.loads(block[1])["audio"]
    return found


def tenths(audio: dict[str, Any]) -> list[int]:
    packed = audio["words"]["tenths"]
    return list(np.frombuffer(b64decode(packed["data"]), packed["type"]).tolist())


REFERENCE = "call 1 0.0 0.4 so\ncall 1 0.5 0.4 we\ncall 1 12.3 0.2 go\n"
HYPOTHESIS = "call 1 0.1 0.4 so\ncall 1 0.4 0.1 uh\ncall 1 12.4 0.2 go\n"


def test_audio_knows_when_the_words_of_references_begin(tmp_path: Path) -> None:
    """In tenths of a second plus 1, since 0 is an unknown time."""
    audio = timed_page(tmp_path, {"ref.ctm": REFERENCE, "hyp.ctm": HYPOTHESIS})
    assert tenths(audio) == [1, 6, 124]


def test_audio_takes_the_times_of_the_words_of_a_system(tmp_path: Path) -> None:
    """A word that the system has not has the time of the word after it in the hypothesis."""
    files = {"ref.trn": "so we all go (call-1)\n", "hyp.ctm": HYPOTHESIS.replace("uh", "we")}
    assert tenths(timed_page(tmp_path, files)) == [2, 5, 125, 125]


def test_times_of_words_are_kept_in_result_folders(tmp_path: Path) -> None:
    for name, text in (("ref.ctm", REFERENCE), ("hyp.ctm", HYPOTHESIS)):
        (tmp_path / name).write_text(text)
    names = [str(tmp_path / name) for name in ("ref.ctm", "hyp.ctm")]
    assert main(["score", *names, "--out", str(tmp_path / "out")]) == 0
    begins = read_result(tmp_path / "out").tables["word_begins"]
    assert begins.select("side", "place", "begin").rows() == [
        ("reference", 0, 0.0), ("reference", 1, 0.5), ("reference", 2, 12.3),
    ]  # fmt: skip


def test_texts_without_times_have_none(tmp_path: Path) -> None:
    files = {"ref.trn": "so we go (call)\n", "hyp.trn": "so go (call)\n"}
    assert "words" not in timed_page(tmp_path, files)
