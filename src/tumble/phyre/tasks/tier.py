"""The two tiers: how many balls an action places."""

from dataclasses import dataclass

from tumble.checks import is_a
from tumble.phyre.tasks.errors import TaskError


@dataclass(frozen=True)
class Tier:
    """A tier, "B" or "2B"; an action has three numbers (x, y, radius) for each of its balls."""

    name: str
    balls: int

    @property
    def numbers(self) -> int:
        """How many numbers an action has."""
        return 3 * self.balls


TIERS = {"B": Tier("B", 1), "2B": Tier("2B", 2)}


def tier_named(name: str) -> Tier:
    """The tier of a name; a TaskError if there is none."""
    if not is_a(str, name) or name not in TIERS:
        raise TaskError(f"no tier {name!r}; there are {', '.join(TIERS)}")
    return TIERS[name]


def as_tier(tier: Tier | str) -> Tier:
    """A tier, given itself or by its name."""
    return tier if isinstance(tier, Tier) else tier_named(tier)
