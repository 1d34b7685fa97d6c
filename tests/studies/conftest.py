"""Closes the stores that tests open."""

from collections.abc import Iterator
from typing import Any

import pytest

from tumble.studies.database import Database


@pytest.fixture(autouse=True)
def closed_databases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    opened: list[Database] = []
    create = Database.__init__

    def remember(self: Database, *arguments: Any) -> None:
        create(self, *arguments)
        opened.append(self)

    monkeypatch.setattr(Database, "__init__", remember)
    yield
    for database in opened:
        database.close()
