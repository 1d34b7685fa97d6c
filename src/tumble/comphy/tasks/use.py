"""What an agent uses of a task, which is recorded with its scores."""

from dataclasses import dataclass
from typing import Literal, get_args

Given = Literal["questions", "videos", "tracks", "truth"]
GIVEN: tuple[Given, ...] = get_args(Given)
"""What a task gives, from the least to the most: pictures only; looks, exact tracks and boxes of bodies in view, and
pictures; everything."""


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
