"""A leaderboard that can be checked: a static page made from run logs, each of which is replayed on the way."""

from typing import TYPE_CHECKING

from tumble.lazy import lazy_exports

if TYPE_CHECKING:
    from tumble.leaderboard.build import Built, LeaderboardError, build_site

__all__ = ["Built", "LeaderboardError", "build_site"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {"Built": "build:Built", "LeaderboardError": "build:LeaderboardError", "build_site": "build:build_site"},
)
