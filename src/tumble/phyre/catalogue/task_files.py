"""Task files of all formats, recognised by their content.

- the published tasks as JSON, and user-defined tasks as JSON, see `task_json`;
- the original binary file, see `task_binary`.

All are written too, and may be compressed with xz or lzma. A user-defined template is a Python file, recognised by
its suffix `.py`: only `load_named` runs it, for files that a person names in the command that runs them.
"""

import lzma
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tumble.bounded import BoundError, decompressed, json_value, read_bytes, without_collection
from tumble.errors import TumbleError, error_with_line
from tumble.phyre.catalogue import task_binary, task_json, template
from tumble.phyre.catalogue.task import Task, TaskError, TemplateError
from tumble.phyre.catalogue.task_json import by_id, read_published, write_published
from tumble.scene import SceneError
from tumble.scene.files import whole_file

TEMPLATE_TASKS = 100
"""How many tasks of a user-defined template are loaded."""
LARGE = 1 << 20
MOST_CONTENT = 1 << 24, 2, 48
"""Bytes that a compressed file may unpack to; further ones for each of its bytes; and for each above LARGE, as large
files that honest programs write hold more. All published tasks take 12 MB."""
MOST_MEMORY = 200 << 20, 16, 800
"""Bytes that the values of JSON may take, likewise; those of the published tasks take 180 MiB."""
MOST_WORK = 960_000, 0.08, 4.0
"""What may be built of the bodies of a file (`_work`), likewise; the published tasks are 940,000."""

FORMATS: dict[str, Callable[[Iterable[Task]], str | bytes]] = {
    "own": task_json.write_own,
    "published": write_published,
    "binary": task_binary.write_binary,
}
"""The formats that can be written: Tumble's JSON, and the published JSON and binary files."""

UNKNOWN_FORMAT = "neither JSON nor Thrift's binary protocol, plain or compressed with xz or lzma"


class TaskFileError(TaskError):
    """A file that holds no tasks, or damaged ones."""


def load_named(path: str | Path) -> dict[str, Task]:
    """All tasks of a file that a person named, by id; a template is run, and gives its first 100 tasks."""
    file = Path(path)
    return _from_template(file) if file.suffix == ".py" else load(file)


def load(path: str | Path) -> dict[str, Task]:
    """All tasks of a file of data, by id."""
    file = Path(path)
    if file.suffix == ".py":
        raise TaskFileError(f"{path}: a program, not a file of tasks; commands run a template only if they name it")
    try:
        raw = _content(file)
        with without_collection():
            return _parse(_decompressed(raw), len(raw))
    except RecursionError:
        raise TaskFileError(f"{path}: it is nested too deeply") from None
    except (TumbleError, SceneError) as error:
        raise TaskFileError(f"{path}: {error}") from None
    except OSError as error:
        raise TaskFileError(f"{path}: {error.strerror or error}") from None


def save(path: str | Path, tasks: Mapping[str, Task] | Iterable[Task], format: str = "own") -> None:
    """Writes tasks to a file that `load` reads, whole or not at all; `format` is one of FORMATS.

    A task is read back equal if the bodies of its goal, and no others, have the roles "object" and "subject". The
    published formats hold only what published tasks have, so names of bodies are lost; a task that has more is refused.
    A file whose name ends in .xz or .lzma is compressed.
    """
    try:
        if format not in FORMATS:
            raise TaskError(f"no format {format!r}; there are {', '.join(FORMATS)}")
        content = FORMATS[format](tasks.values() if isinstance(tasks, Mapping) else tasks)
        raw = content.encode() if isinstance(content, str) else content
        kind = {".xz": lzma.FORMAT_XZ, ".lzma": lzma.FORMAT_ALONE}.get(Path(path).suffix)
        with whole_file(path) as temporary:
            temporary.write_bytes(raw if kind is None else lzma.compress(raw, kind))
    except (TumbleError, SceneError) as error:
        raise TaskFileError(f"{path}: {error}") from None
    except OSError as error:
        raise TaskFileError(f"{path}: {error.strerror or error}") from None


def _content(file: Path) -> bytes:
    if not file.is_file():
        raise TaskError("not a file, but a folder; give a file of tasks" if file.exists() else "no such file")
    return read_bytes(file)


def _decompressed(raw: bytes) -> bytes:
    if _is_json(raw) or _is_binary(raw):
        return raw
    try:
        return decompressed(raw, int(_most(MOST_CONTENT, len(raw))))
    except BoundError as error:
        raise TaskError(f"{UNKNOWN_FORMAT} ({error})") from None


def _parse(content: bytes, size: int) -> dict[str, Task]:
    """The tasks of the content of a file of a size."""
    if _is_binary(content):
        return task_binary.read_binary(content, size)
    if not _is_json(content):
        raise TaskError(UNKNOWN_FORMAT)
    try:
        text = content.decode("utf-8-sig")
        document = json_value(text, int(_most(MOST_MEMORY, size)), _object, finite=False)
    except BoundError:
        raise
    except ValueError as error:
        raise TaskError(f"damaged JSON: {error}") from None
    if not document:
        raise TaskError("expected an object with a task for each id, or a list of tasks; it is empty")
    if _work(document) > _most(MOST_WORK, size):
        raise TaskError(
            "it has too many tasks, bodies and corners for a file of its size; divide it into several files"
        )
    if isinstance(document, list):
        return task_json.read_own(document)
    if "bodies" in document:
        raise TaskError("this is a scene; a task is an object with id, tier, goal and scene")
    if any(name in document for name in task_json.OWN_FIELDS):
        return task_json.read_own([document])
    return read_published(document)


def _most(bounds: tuple[float, float, float], size: int) -> float:
    """What a file of a size may take."""
    base, each, later = bounds
    return base + each * size + later * max(0, size - LARGE)


def _work(document: Any) -> int:
    """How much is to be built of the tasks of a document, in units of a corner's share of the time, about 3 µs."""
    work = 0
    for record in document.values() if isinstance(document, dict) else document:
        scene = record.get("scene", record) if isinstance(record, dict) else None
        work += 12
        for body in _records(scene, "bodies"):
            work += 8
            for shape in _records(body, "shapes"):
                work += 2 + len(_records(shape, "vertices"))
    return work


def _records(record: Any, name: str) -> list[Any]:
    """The list that a field of a record should have; empty where it has none."""
    value = record.get(name) if isinstance(record, dict) else None
    return value if isinstance(value, list) else []


def _is_json(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def _is_binary(content: bytes) -> bool:
    """Whether it begins like a struct whose first field is a list."""
    return content[:1] == b"\x0f"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise TaskError(f"{name!r} is given twice")
    return record


def _from_template(file: Path) -> dict[str, Task]:
    """The first tasks of a user-defined template; errors in its code name the line."""
    try:
        design = template.load_template(file)
    except TemplateError as error:
        raise TaskFileError(str(error)) from error.__cause__
    try:
        tasks = list(design.first_tasks(TEMPLATE_TASKS))
    except (Exception, SystemExit) as error:
        raise TaskFileError(error_with_line(error, file)) from error
    if not tasks:
        raise TaskFileError(f"{file}: the template has no tasks: build rejects every combination of PARAMETERS")
    return by_id(tasks)
