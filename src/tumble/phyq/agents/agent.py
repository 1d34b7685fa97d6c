"""What an agent is.

First it may train. Then it gets test tasks, each with a number of attempts. An attempt is an episode: the agent is
asked for the next shot, given what it sees, until the level is won or its birds are gone. A file of one's own with such
a class works everywhere:

    class MyAgent(Agent):
        def propose(self, task, past, now):
            pig = next(thing for thing in now.things if thing.kind == "pig")
            return Shot(releases_to((pig.x, pig.y))[0].angle)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tumble.phyq import observe
from tumble.phyq.episodes import Episodes
from tumble.phyq.shots import Shot
from tumble.phyq.simulate import Simulator
from tumble.phyq.tasks import Task
from tumble.phyq.things import Thing

WANTS = ("trajectory", "events")
"""What an agent may see of its shots beside what came of them."""


@dataclass(frozen=True)
class Try:
    """Shots at a level, from its loading on, and what came of them."""

    shots: tuple[Shot, ...]
    status: str
    """won, lost, cap (time ran out) or open (birds are left)."""
    pigs_left: int
    kills: tuple[int, ...]
    """Pigs that died from each shot until the next."""
    steps: int
    episodes: Episodes | None = None
    """Where it was played, with what the agent wants: see `motion` and `events`."""
    row: int = 0

    @property
    def won(self) -> bool:
        return self.status == "won"

    @property
    def motion(self) -> observe.Motion:
        """How everything moved, for agents that want "trajectory"."""
        return observe.motion(self._played(), self.row)

    @property
    def events(self) -> list[observe.Event]:
        """What happened, for agents that want "events"."""
        return observe.happened(self._played(), self.row)

    @property
    def end(self) -> observe.View:
        """What there was to see in the end; only while the attempt goes on."""
        return observe.end(self._played(), self.row)

    def _played(self) -> Episodes:
        if self.episodes is None:
            raise ValueError(f"an agent that looks at this has to want it: wants = ({', '.join(WANTS)})")
        return self.episodes


@dataclass(frozen=True)
class Now:
    """What an agent sees when it is asked for a shot."""

    task: Task
    attempt: int
    """1 for the first."""
    so_far: Try | None = None
    """What came of the shots of this attempt; None before the first."""

    @property
    def shots(self) -> int:
        """How many there have been in this attempt."""
        return len(self.so_far.shots) if self.so_far else 0

    @property
    def birds(self) -> tuple[str, ...]:
        """Those that are left; the first sits on the sling."""
        return self.task.level.birds[self.shots :]

    @cached_property
    def view(self) -> observe.View:
        """Everything as it is now: `.things`, `.picture()`, `.symbolic()`, `.tensor()`."""
        return self.so_far.end if self.so_far else observe.start(self.task.level)

    @property
    def things(self) -> tuple[Thing, ...]:
        """Pigs, blocks, platforms and birds as they are now."""
        return self.view.things


Answer = Shot | Sequence[Shot] | None


class Agent:
    """Override `propose`, and of the others what is needed."""

    wants: tuple[str, ...] = ()
    """What it wants to see of its shots: "trajectory", "events"; without, how everything is after each."""
    looks_back: bool = True
    """Whether it goes by earlier attempts at a task; without, all are made side by side and `past` is empty."""
    learns_online: bool = False
    """Whether it learns from test tasks; they then come one after the other, in its order."""

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Learns from training tasks, which are the levels of the simulator, with as many shots as it likes."""

    def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """The order in which it attempts test tasks."""
        return tasks

    def propose(self, task: Task, past: Sequence[Try], now: Now) -> Answer:
        """The next shot; None ends the attempt, which then has failed.

        Several shots are made one after the other before it is asked again: only the second and later ones of an
        answer can have a `delay`, as things are at rest when an agent is asked.
        """
        raise NotImplementedError

    def learn(self, task: Task, past: Sequence[Try]) -> None:
        """Learns from a test task whose attempts are made; only where `learns_online`."""
