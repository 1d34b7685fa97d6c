"""A set that is played on the page: it is generated from the seed and the number in its address."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tumble.comphy.dataset.settings import Settings
from tumble.comphy.generation.make_set import NoSetError, make_set
from tumble.comphy.questions.ask import ask_block
from tumble.comphy.questions.programs.interpreter import Interpreter
from tumble.comphy.questions.programs.symbolic_scene import symbolic_scene
from tumble.comphy.tasks.question import Question, QuestionSet
from tumble.comphy.tasks.video_set import VideoSet
from tumble.comphy.tasks.world import PLAIN, ObjectWorld, named_world
from tumble.web.errors import WebError

SET_ID = r"(?:(div)-)?(0|[1-9][0-9]{0,4})-([0-9]{5})"
"""A seed and the number of a set, as in 1-00042; before them a world other than the plain one, as in div-1-00042."""


class SetKey(NamedTuple):
    """What a set is generated from."""

    seed: int
    number: int
    world: str = PLAIN.name

    def __str__(self) -> str:
        world = "" if self.world == PLAIN.name else f"{self.world}-"
        return f"{world}{self.seed}-{self.number:05d}"

    def neighbour(self, step: int) -> "SetKey":
        """Another set of the same seed; the first one follows the last.

        >>> str(SetKey(1, 0).neighbour(-1))
        '1-99999'
        """
        return self._replace(number=(self.number + step) % 100_000)


@dataclass(frozen=True, eq=False)
class PlayedSet:
    """A set with the questions that `tumble comphy show` asks about it: those of a set alone, with test options."""

    key: SetKey
    videos: VideoSet
    questions: QuestionSet

    @property
    def world(self) -> ObjectWorld:
        """The world of the set, whose words answers are made of."""
        return named_world(self.key.world)

    @cached_property
    def interpreter(self) -> Interpreter:
        """Runs programs on the true scene."""
        return Interpreter(symbolic_scene(self.videos))

    def question(self, number: int) -> Question:
        """A question by its id; a WebError with status 404 if there is none."""
        if not 0 <= number < len(self.questions.questions):
            raise WebError(404, f"set {self.key} has {len(self.questions.questions)} questions, counted from 0")
        return self.questions.questions[number]


def is_id(text: str) -> bool:
    """Whether a text is the address of a set."""
    return re.fullmatch(SET_ID, text, re.ASCII) is not None


def known_key(text: str) -> SetKey:
    """The seed and number of an address; a WebError with status 404 if it is none."""
    found = re.fullmatch(SET_ID, text, re.ASCII)
    if found is None:
        raise WebError(404, "no such set: an address is a seed and a number of five digits, as in 1-00042")
    return SetKey(int(found[2]), int(found[3]), found[1] or PLAIN.name)


def make_played(key: SetKey) -> PlayedSet:
    """Generates a set and asks questions about it; the same ones everywhere."""
    try:
        videos = make_set(key.number, seed=key.seed, world=key.world)
    except NoSetError as error:
        raise WebError(404, f"set {key} can't be generated; take the next one") from error
    made = PlayedSet(key, videos, QuestionSet(key.number, ()))
    options = Settings(1, key.seed, None, world=key.world).option_settings("test")
    (questions,) = ask_block({key.number: made.interpreter.scene}, key.seed, options)
    return PlayedSet(key, videos, questions)
