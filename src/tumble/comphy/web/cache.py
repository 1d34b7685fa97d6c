"""An LRU cache of values that are made asynchronously; a value is never made twice at the same time."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Cache(Generic[T]):
    """Values by key; `size` is how much one counts towards `most`."""

    def __init__(self, most: int, size: Callable[[T], int] = lambda _: 1) -> None:
        self._most, self._size = most, size
        self._values: OrderedDict[object, T] = OrderedDict()
        self._making: dict[object, asyncio.Task[T]] = {}
        self.total = 0
        """The sizes of all values."""

    async def get(self, key: object, make: Callable[[], Awaitable[T]]) -> T:
        """The value of a key; raises what making it raises."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        task = self._making.get(key)
        if task is None:
            task = self._making[key] = asyncio.ensure_future(self._make(key, make))
        return await asyncio.shield(task)

    async def _make(self, key: object, make: Callable[[], Awaitable[T]]) -> T:
        try:
            value = await make()
        finally:
            del self._making[key]
        self._values[key] = value
        self.total += self._size(value)
        while self.total > self._most and len(self._values) > 1:
            self.total -= self._size(self._values.popitem(last=False)[1])
        return value
