"""Task files of all kinds, told apart by their content.

- the published tasks as JSON, see `published_json`;
- the original binary file, see `published_binary`;
- tasks of one's own as JSON, see `own_tasks`; `save` writes these;
- a template of one's own: a Python file, by its name ending in `.py`, see `template`.

All but the last may be packed with xz or lzma.
"""

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tumble.phyre.tasks import template
from tumble.phyre.tasks.files import own_json, published_binary, published_json
from tumble.phyre.tasks.files.fields import about, by_id
from tumble.phyre.tasks.task import Task
from tumble.scene.files import whole_file

TEMPLATE_TASKS = 100
"""How many tasks of a template of one's own are taken."""
LARGEST_CONTENT = 1 << 28
"""Bytes that a packed file may unpack to; the published tasks take a tenth of it."""
UNPACKING_MEMORY = 1 << 28

KINDS = "neither JSON nor Thrift's binary protocol, plain or packed with xz or lzma"


class TaskFileError(ValueError):
    """A file that holds no tasks, or damaged ones."""


def load(path: str | Path) -> dict[str, Task]:
    """All tasks of a file, by id; of a template the first 100."""
    file = Path(path)
    try:
        return _of_template(file) if file.suffix == ".py" else _read(_unpacked(_content(file)))
    except RecursionError:
        raise TaskFileError(f"{path}: it is nested too deeply") from None
    except ValueError as error:
        raise TaskFileError(f"{path}: {error}") from error.__cause__  # where a template's own code went wrong
    except OSError as error:
        raise TaskFileError(f"{path}: {error.strerror or error}") from None


def save(path: str | Path, tasks: Mapping[str, Task] | Iterable[Task]) -> None:
    """Write tasks to a JSON file that `load` reads, whole or not at all.

    A task comes back equal if the bodies of its goal, and no others, have the roles "object" and "subject".
    """
    try:
        text = own_json.write(tasks.values() if isinstance(tasks, Mapping) else tasks)
        with whole_file(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    except ValueError as error:
        raise TaskFileError(f"{path}: {error}") from None
    except OSError as error:
        raise TaskFileError(f"{path}: {error.strerror or error}") from None


def _content(file: Path) -> bytes:
    if not file.is_file():
        raise ValueError("not a file, it takes a file of tasks" if file.exists() else "no such file")
    return file.read_bytes()


def _unpacked(raw: bytes) -> bytes:
    if _is_json(raw) or _is_binary(raw):
        return raw
    unpacker = lzma.LZMADecompressor(memlimit=UNPACKING_MEMORY)
    try:
        content = unpacker.decompress(raw, LARGEST_CONTENT + 1)
    except lzma.LZMAError as error:
        raise ValueError(f"{KINDS} ({error})") from None
    if len(content) > LARGEST_CONTENT:
        raise ValueError(f"it unpacks to more than {LARGEST_CONTENT >> 20} MiB")
    if not unpacker.eof:
        raise ValueError(f"{KINDS} (it is empty or has lost its end)")
    if unpacker.unused_data.strip(b"\0"):
        raise ValueError("something else follows the packed tasks")
    return content


def _read(content: bytes) -> dict[str, Task]:
    if _is_binary(content):
        return published_binary.read(content)
    if not _is_json(content):
        raise ValueError(KINDS)
    with about("damaged JSON"):
        document = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_object)
    if not document:
        raise ValueError("expected an object with a task for each id, or a list of tasks; it is empty")
    if isinstance(document, list):
        return own_json.read(document)
    if "bodies" in document:
        raise ValueError("this is a scene; a task is an object with id, tier, goal and scene")
    if any(name in document for name in own_json.FIELDS):
        return own_json.read([document])
    return published_json.read(document)


def _is_json(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


def _is_binary(content: bytes) -> bool:
    """Whether it begins like a struct whose first field is a list."""
    return content[:1] == b"\x0f"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{name!r} is given twice")
    return record


def _of_template(file: Path) -> dict[str, Task]:
    try:
        tasks = list(_first_tasks(template.load(file)))
    except template.TemplateError as error:
        raise ValueError(str(error).removeprefix(f"{file}: ")) from error.__cause__
    except (Exception, SystemExit) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if not tasks:
        raise ValueError("the template has no tasks: build rejects every combination of PARAMETERS")
    return by_id(tasks)


def _first_tasks(design: template.Template) -> Iterator[Task]:
    for number in range(TEMPLATE_TASKS):
        try:
            yield design.task(number)
        except template.TemplateError:  # there are no more
            return
