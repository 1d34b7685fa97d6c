"""Names of files, modules and addresses in the text fields of inputs, and what an input makes this process open or run.

What an input says is data: it never names what is opened or run. The canary is a folder of files that must not be
touched: code that leaves a mark when it runs, a pickle that would, tasks, a log, a dataset. `watched` tells of every
file that is opened outside the folders that are given, and of whatever is run or connected to.
"""

import json
import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from mutation import arrays_of, npz, unpacked

CANARY = Path(tempfile.gettempdir()) / f"tumble-fuzz-canary-{os.getuid()}"
MARK = CANARY / "it-ran"
CODE = f"""
open({str(MARK)!r}, "w").close()
from tumble.phyre.agents.agent import Agent
PARAMETERS = {{"k": [1, 2]}}
def build(builder, k):
    raise SystemExit
class Evil(Agent):
    def propose(self, task, past):
        raise SystemExit
"""
PICKLE = b"c__builtin__\neval\n(S'open(%s, \"w\")'\ntR." % repr(str(MARK)).encode()

_TEXT = re.compile(rb'"([^"\\\r\n<>]{1,200})"')
_RUN = re.compile(rb"[\w ./:-]{6,}")


def make_canary() -> None:
    """Writes the canary's files, if they are not there yet."""
    MARK.unlink(missing_ok=True)
    if (CANARY / "done").exists():
        return
    (CANARY / "data").mkdir(parents=True, exist_ok=True)
    for name, content in (
        ("evil.py", CODE.encode()),
        ("__init__.py", CODE.encode()),
        ("net.pt", PICKLE),
        ("tasks.json", b"[]"),
        ("level.json", b"{}"),
        ("run.jsonl", b"{}\n"),
        ("data/dataset.json", b"{}"),
        ("secret.txt", b"secret"),
        ("done", b""),
    ):
        (CANARY / name).write_bytes(content)


NAMES = (
    str(CANARY / "evil.py"),
    f"{CANARY / 'evil.py'}:Evil",
    f"{os.path.relpath(CANARY)}/evil.py",
    f"{os.path.relpath(CANARY)}/evil.py:Evil",
    f"./../../../../../../../../..{CANARY}/evil.py:Evil",
    str(CANARY / "net.pt"),
    str(CANARY / "tasks.json"),
    str(CANARY / "level.json"),
    str(CANARY / "run.jsonl"),
    str(CANARY / "data"),
    str(CANARY),
    f"{CANARY}/",
    str(CANARY / "secret.txt"),
    f"file://{CANARY}/tasks.json",
    "http://127.0.0.1:9/tasks.json",
    "s3://bucket/tasks.json",
    "../../../../../../../../etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "evil:Evil",
    "os:system",
    "os.system",
    f"{CANARY.name}.evil:Evil",
    "~/.bashrc",
    f"`touch {MARK}`",
    f"$(touch {MARK})",
    f"__import__('pathlib').Path({str(MARK)!r}).touch()",
)
"""Files, folders, modules and addresses as a text may name them."""


def named_value(rng: Random, value: Any) -> Any:
    """A copy of a JSON value with a name in one, some or all of its texts."""
    name, pick = rng.choice(NAMES), rng.random()
    places = _texts(value)
    if not places:
        return value
    chosen = set(places if pick < 0.2 else rng.sample(places, min(len(places), rng.choice((1, 1, 1, 2, 3)))))
    return _replaced(value, chosen, name, ())


def _texts(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all texts in a value, and of values that are missing, which may be texts."""
    if isinstance(value, str) or value is None:
        return [place]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    return [found for key, item in items for found in _texts(item, (*place, key))]


def _replaced(value: Any, places: set[tuple[Any, ...]], name: str, place: tuple[Any, ...]) -> Any:
    if place in places:
        return name
    if isinstance(value, dict):
        return {key: _replaced(item, places, name, (*place, key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(item, places, name, (*place, k)) for k, item in enumerate(value)]
    return value


def named_bytes(rng: Random, data: bytes) -> bytes:
    """A copy of a file with names in its texts: values of JSON, else what is quoted, else words, in their length."""
    if data[:1] in b"{[ \n" and len(data) < 200_000:
        try:
            return json.dumps(named_value(rng, json.loads(data))).encode()
        except (ValueError, RecursionError):
            pass
    name = rng.choice(NAMES).encode()
    everywhere = rng.random() < 0.2
    found = list(_TEXT.finditer(data))
    if found:
        chosen = found if everywhere else [rng.choice(found)]
        for match in reversed(chosen):
            data = data[: match.start(1)] + name + data[match.end(1) :]
        return data
    runs = list(_RUN.finditer(data))
    for match in runs if everywhere else rng.sample(runs, min(1, len(runs))):
        length = match.end() - match.start()
        data = data[: match.start()] + name[-length:].rjust(length, b"/") + data[match.end() :]
    return data


def named_file(rng: Random, name: str, raw: bytes) -> bytes:
    """A copy of a file with names in its texts, also of one that is packed, of arrays, or of lines of JSON."""
    name, content, pack = unpacked(name, raw)
    if name.endswith(".npz"):
        arrays = arrays_of(content)
        texts = [key for key in sorted(arrays) if arrays[key].dtype.kind == "U" and arrays[key].size]
        if texts:
            key = rng.choice(texts)
            others = named_value(rng, arrays[key].reshape(-1).tolist())
            return npz({**arrays, key: np.array(others).reshape(arrays[key].shape)})
    if not name.endswith(".json") and content[:1] == b"{" and b"\n" in content.rstrip(b"\n"):
        head, _, body = content.partition(b"\n")
        return pack(json.dumps(named_value(rng, json.loads(head))).encode() + b"\n" + body)
    return pack(named_bytes(rng, content))


class Watch:
    """What this process has opened, run and connected to while it was watched."""

    def __init__(self) -> None:
        self.allowed: tuple[str, ...] = ()
        self.writable: tuple[str, ...] = ()
        self.is_on = False
        self.found: list[str] = []

    def hook(self, event: str, details: tuple[Any, ...]) -> None:
        """Takes an audit event."""
        if not self.is_on:
            return
        if event == "open":
            self._opened(*details)
        elif event == "import":
            if str(details[0]).partition(".")[0] in ("evil", CANARY.name) or _in_canary(details[1]):
                self._note(f"imports {details[0]}")
        elif event == "exec":
            if _in_canary(getattr(details[0], "co_filename", "")):
                self._note(f"runs {details[0].co_filename}")
        elif event in ("os.system", "subprocess.Popen", "os.posix_spawn", "os.exec", "pty.spawn", "pickle.find_class"):
            self._note(f"{event} {str(details)[:80]}")
        elif event in ("socket.connect", "socket.getaddrinfo", "urllib.Request"):
            self._note(f"{event} {str(details)[-80:]}")
        elif event in ("os.listdir", "os.scandir") and _in_canary(details[0]):
            self._note(f"lists {details[0]}")
        elif event in ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "shutil.rmtree", "os.chmod", "os.truncate"):
            for path in details[:2]:
                if isinstance(path, str | os.PathLike) and not _within(path, self.writable):
                    self._note(f"{event} {path}")

    def _opened(self, path: object, mode: str | None, flags: int) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return  # of a file that is open
        writes = any(letter in (mode or "") for letter in "wax+") or bool(flags & (os.O_WRONLY | os.O_RDWR))
        if not _within(path, self.writable if writes else self.allowed):
            self._note(f"{'writes' if writes else 'reads'} {os.fsdecode(path)[:120]}")

    def _note(self, text: str) -> None:
        """Notes what happened, and where in the package."""
        frame, where = sys._getframe(), ""
        while frame is not None and not where:
            if "/tumble/" in frame.f_code.co_filename:
                where = f" at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            frame = frame.f_back  # type: ignore[assignment]
        if len(self.found) < 20:
            self.found.append(text + where)


def _absolute(path: Any) -> str:
    """A path from the root; links are not followed, which would open them."""
    return os.path.abspath(os.fsdecode(path))  # noqa: PTH100 (pathlib leaves the dots in)


def _in_canary(path: object) -> bool:
    return isinstance(path, str | bytes | os.PathLike) and _absolute(path).startswith(str(CANARY))


def _within(path: Any, folders: tuple[str, ...]) -> bool:
    """Whether a path is in one of some folders; what is named there by a link is, too."""
    return _absolute(path).startswith(folders) and not _in_canary(path)


_WATCH = Watch()
_FOLDERS = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), str(Path(__file__).resolve().parents[1])]
_SYSTEM = ("/proc/", "/sys/", "/dev/null", "/dev/urandom", "/dev/shm/", "/usr/share/", "/usr/lib", "/lib", "/etc/ld.so")
_SYSTEM += ("/etc/localtime", "/etc/mime.types", "/etc/fonts", "/etc/nsswitch", "/etc/inputrc")
_CACHES = (str(Path.home() / ".cache"), str(Path.home() / ".config"), os.environ.get("WARP_CACHE_PATH", "/dev/null"))


@contextmanager
def watched(*folders: Path) -> Iterator[list[str]]:
    """Watches this process; the list is of what it did outside the package, Python, caches and the given folders.

    Only the given folders and caches may be written.
    """
    if not _WATCH.allowed:
        import tumble

        sys.addaudithook(_WATCH.hook)
        package = str(Path(tumble.__file__).resolve().parent)
        _WATCH.allowed = (*_FOLDERS, package, *_SYSTEM, *_CACHES)
    base = _WATCH.allowed
    own = tuple(str(folder.resolve()) for folder in folders)
    _WATCH.found = found = []
    _WATCH.allowed, _WATCH.writable, _WATCH.is_on = (*base, *own), (*own, *_CACHES, "/dev/null"), True
    try:
        yield found
    finally:
        _WATCH.is_on, _WATCH.allowed = False, base
        if MARK.exists():
            MARK.unlink()
            found.append("the canary ran")
