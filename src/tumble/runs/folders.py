"""Where the tasks and data of run logs are looked for: beside the log, and in folders that a person named.

A log never says where anything is: it has the digest of its tasks, and a file or folder with that digest is looked for
in the folder of the log and in those given on the command line (`--data DIR`).
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tumble.runs.header import RunHeader
from tumble.runs.log import LogError

SHOWN_DIGITS = 16
"""Of a digest in the name of a file."""
MOST_WITHIN = 100
"""Folders within a folder that are looked at."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_named: list[Path] = []


def name_folders(places: Iterable[Path]) -> None:
    """Adds folders, given on the command line, in which tasks and data are looked for."""
    for place in places:
        if not place.is_dir():
            raise LogError(f"{place}: there is no such folder")
        if place not in _named:
            _named.append(place)


def folders_of(header: RunHeader) -> list[Path]:
    """The folders in which the tasks and data of a log are looked for."""
    own = [] if header.folder is None else [header.folder]
    return list(dict.fromkeys([*own, *_named]))


def digest_of(header: RunHeader, name: str) -> str:
    """A digest of a header; a LogError if it is none."""
    digest = header.digests.get(name)
    if digest is None or not _DIGEST.fullmatch(digest):
        raise LogError(f"its header has no digest {name}")
    return digest


def task_file_name(kind: str, digest: str) -> str:
    """The name of a file of tasks beside a log, as in tasks-3c06f30db40fc86c.json."""
    return f"{kind}-{digest[:SHOWN_DIGITS]}.json"


def task_file_of(header: RunHeader, kind: str, digest_name: str) -> Path:
    """The file with the tasks of a log; a LogError if none of the folders has it."""
    name = task_file_name(kind, digest_of(header, digest_name))
    folders = folders_of(header)
    found = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if found is None:
        where = ", ".join(map(str, folders)) or "any folder that was named"
        raise LogError(f"the tasks of this run, {name}, are not in {where}; name their folder with --data DIR")
    return found


def data_folders(header: RunHeader) -> Iterator[Path]:
    """Folders that may be the dataset of a log: those in which it is looked for, then the folders directly in these."""
    for folder in folders_of(header):
        within = sorted(place for place in folder.iterdir() if place.is_dir()) if folder.is_dir() else []
        yield from (folder, *within[:MOST_WITHIN])
