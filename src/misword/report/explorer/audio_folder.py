"""A folder with audio files, which are found by the names of utterances or recordings."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from misword.core.errors import OptionError
from misword.io.files.sources import PathLike

# Formats that browsers play; of two files in one folder, the first suffix decides.
SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".webm", ".mp4")


@dataclass(frozen=True, slots=True)
class AudioFolder:
    """The audio files of a folder and its folders, by their names without folder and suffix."""

    path: Path
    files: dict[str, list[Path]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: PathLike) -> AudioFolder:
        """List the files; raise if there is no such folder or no audio in it."""
        check_audio_folder(path)
        files: dict[str, list[Path]] = {}
        for root, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names, key=_preference):
                if name.lower().endswith(SUFFIXES):
                    same = files.setdefault(PurePath(name).stem, [])
                    if not same or same[-1].parent != Path(root):
                        same.append(Path(root, name))
        if not files:
            raise OptionError(
                "no audio files in this folder",
                where=os.fspath(path),
                fix=f"formats that browsers play: {', '.join(SUFFIXES)}",
            )
        return cls(Path(path), files)

    def find(self, name: str) -> Path | str | None:
        """Return the file of a name; a message if two folders have it, None if there is none.

        The name may have a suffix or folders in front, as the paths of manifests do. If several
        folders have a file of this name, those folders decide.
        """
        plain = PurePath(name.replace("\\", "/"))
        is_file = plain.name.lower().endswith(SUFFIXES)
        found = self.files.get(plain.stem if is_file else plain.name, [])
        if len(found) > 1:
            ends = [path for path in found if path.parent.parts[-1:] == plain.parts[-2:-1]]
            found = ends if len(ends) == 1 else found
        if len(found) > 1:
            first, second, *_ = (path.relative_to(self.path).as_posix() for path in found)
            return f"There are several audio files of this name: {first}, {second}."
        return found[0] if found else None


def check_audio_folder(path: PathLike) -> None:
    """Raise if there is no such folder."""
    if not os.path.isdir(path):
        raise OptionError(
            "no such folder", where=os.fspath(path), fix="name the folder with the audio files"
        )


def _preference(name: str) -> tuple[str, int]:
    """Return the place of a file among those of one folder: by name, then by suffix."""
    plain = PurePath(name)
    suffix = plain.suffix.lower()
    return plain.stem, SUFFIXES.index(suffix) if suffix in SUFFIXES else len(SUFFIXES)
