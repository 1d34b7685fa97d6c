"""What an agent uses of a task, which is recorded with its scores."""

from dataclasses import dataclass
from typing import Literal, get_args

Given = Literal["questions", "tracks", "videos", "truth"]
GIVEN: tuple[Given, ...] = get_args(Given)
"""What a task gives, from the least to the most: tracks include boxes; truth is everything."""


@dataclass
class Use:
    """The most that was asked for."""

    most: Given = "questions"

    def add(self, given: Given) -> None:
        """Records that something was asked for.

        >>> use = Use()
        >>> use.add("videos"), use.add("tracks"), use.most
        (None, None, 'videos')
        """
        self.most = max(self.most, given, key=GIVEN.index)
