"""The two tiers: how many balls an action places."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tier:
    """How many balls an action places; it has three numbers for each."""

    name: str
    balls: int

    @property
    def numbers(self) -> int:
        return 3 * self.balls


TIERS = {"B": Tier("B", 1), "2B": Tier("2B", 2)}
