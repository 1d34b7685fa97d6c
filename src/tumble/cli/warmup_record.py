"""What was compiled before, so that a repeated `tumble warmup` is quick.

A file in Warp's cache lists the module folders of everything that was compiled, by a digest of all source files: what
has changed since is compiled again, and so is what was removed from the cache or is damaged.
"""

import hashlib
import json
import platform
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tumble.scene.files import whole_file
from tumble.scene.warp_setup import is_intact

FILE = "tumble-warmup.json"


class WarmupRecord:
    """The record in a cache folder, for this machine and these sources."""

    def __init__(self, cache_folder: Path) -> None:
        self._folder, self._path = cache_folder, cache_folder / FILE
        self._machine = f"{platform.node()} {platform.machine()} {platform.python_version()}"

    def has(self, title: str, sources: Iterable[Path]) -> bool:
        """Whether a part was compiled from these sources, and all its modules are in the cache, undamaged."""
        folders = self._read().get(self._key(title, sources))
        return folders is not None and all(is_intact(self._folder / folder) for folder in folders)

    def add(self, title: str, sources: Iterable[Path], folders: Iterable[str]) -> None:
        """Records the module folders of a part."""
        content = {**self._read(), self._key(title, sources): sorted(folders)}
        with whole_file(self._path) as partial:
            partial.write_text(json.dumps(content, indent=1), encoding="utf-8")

    def _key(self, title: str, sources: Iterable[Path]) -> str:
        digests = [source_digest(path) for path in sources]
        return hashlib.sha256("\n".join([self._machine, title, *digests]).encode()).hexdigest()[:16]

    def _read(self) -> dict[str, list[str]]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # absent or damaged: everything is compiled again
        return content if isinstance(content, dict) else {}


@cache
def source_digest(path: Path) -> str:
    """A digest of a source file, or of all in a folder."""
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        digest.update(f"{file.relative_to(path)}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def package_of(module: str) -> Path:
    """The folder of a module's top-level package, or the module's own file where there is no such folder."""
    top = sys.modules[module.partition(".")[0]]
    if top.__file__ and Path(top.__file__).name == "__init__.py":
        return Path(top.__file__).parent
    return Path(str(sys.modules[module].__file__))
