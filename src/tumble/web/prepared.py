"""A cache of values that take a while to make: each is made once, in a thread."""

from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.concurrency import run_in_threadpool

from tumble.web.json_text import json_bytes
from tumble.web.static_files import MEDIA_TYPES, StoredFile

T = TypeVar("T")
MOST = 8192


class Prepared(Generic[T]):
    """Values by key; the oldest are dropped when there are too many."""

    def __init__(self, make: Callable[[str], T], most: int = MOST) -> None:
        self._make = make
        self._most = most
        self._made: dict[str, T] = {}

    async def get(self, key: str) -> T:
        """What belongs to a key; raises what making it raises."""
        found = self._made.get(key)
        if found is None:
            found = await run_in_threadpool(self._make, key)
            self._made[key] = found
            if len(self._made) > self._most:
                del self._made[next(iter(self._made))]
        return found


def json_file(value: object) -> StoredFile:
    """A value as JSON."""
    return StoredFile.of(json_bytes(value), MEDIA_TYPES["json"])
