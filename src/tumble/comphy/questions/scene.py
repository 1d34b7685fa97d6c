"""A story as the one who asks sees it: what can be asked about, and in which words."""

from functools import cached_property

from tumble.comphy.questions.descriptions import Description
from tumble.comphy.questions.programs.facts import Happening
from tumble.comphy.questions.programs.interpreter import Executor
from tumble.comphy.questions.programs.story import Story
from tumble.comphy.questions.referring import minimal
from tumble.comphy.tasks.video_set import asks_masses
from tumble.draws import Draws

STATIC = ("color", "material", "shape")
MOTION_SHARE = 0.3
"""How often a body may be named by its motion, where that helps."""


class Scene:
    """What fillings look at."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.executor = Executor(story)
        self.asks_masses = asks_masses(story.bodies)
        self._names: dict[tuple[int, tuple[str, ...]], list[Description]] = {}
        self.asks_charges = any(body.is_charged for body in story.bodies)

    @cached_property
    def events(self) -> tuple[Happening, ...]:
        """The shown events, without start and end."""
        return self.executor.world.events[1:-1]

    @cached_property
    def looks(self) -> tuple[dict[str, str], ...]:
        """The words that fit each body: those for what can be seen, and for mass and charge."""
        return self.looks_at(None)

    def looks_at(self, frame: int | None) -> tuple[dict[str, str], ...]:
        """The same, with the words for motion of a frame; a body that is not in view then has none."""
        world = self.executor.world
        moves, seen = world.moves("null" if frame is None else frame), world.seen("null" if frame is None else frame)
        found = []
        for k, body in enumerate(self.story.bodies):
            words = {
                "color": body.color,
                "material": body.material,
                "shape": body.shape,
                "mass": "heavy" if body.is_heavy else "light",
                "charge": "charged" if body.is_charged else "uncharged",
            }
            if seen[k]:
                words["motion"] = "moving" if moves[k] else "stationary"
            found.append(words)
        return tuple(found)

    def name(self, body: int, draws: Draws, motion: bool = True) -> Description:
        """A minimal description that fits one body alone."""
        about = (*STATIC, "motion") if motion and draws.between(0.0, 1.0) < MOTION_SHARE else STATIC
        if (body, about) not in self._names:
            self._names[body, about] = [Description(**words) for words in minimal(self.looks, body, about)]
        return draws.one_of(self._names[body, about])
