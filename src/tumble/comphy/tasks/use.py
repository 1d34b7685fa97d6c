"""What an agent uses of a task, which is recorded with its scores."""

from dataclasses import dataclass
from typing import Literal, get_args

Given = Literal["questions", "videos", "tracks", "truth"]
GIVEN: tuple[Given, ...] = get_args(Given)
"""What a task gives, from the least to the most: the questions alone; pictures; looks, exact tracks and boxes of bodies
in view (and pictures); everything. A model that was trained with labels such as masks or masses used the truth."""
NamedGiven = Given | Literal[""]
"""What was given, or nothing if it is not known or there was no training."""


@dataclass
class Use:
    """The most that was asked for."""

    most: Given = "questions"

    def add(self, given: Given) -> None:
        """Records that something was asked for.

        >>> use = Use()
        >>> use.add("tracks"), use.add("videos"), use.most
        (None, None, 'tracks')
        """
        self.most = max(self.most, given, key=GIVEN.index)
