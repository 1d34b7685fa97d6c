"""Sequences of shots played on many levels at once, each with what came of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.level import Level

NO_SHOT = ()
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
    def motion(self) -> episode_views.Motion:
        """How everything moved, for agents that want "trajectory"."""
        return episode_views.motion(self._played(), self.row)

    @property
    def events(self) -> list[episode_views.Event]:
        """What happened, for agents that want "events"."""
        return episode_views.happened(self._played(), self.row)

    @property
    def end(self) -> episode_views.View:
        """What there was to see in the end; only while the attempt goes on."""
        return episode_views.end(self._played(), self.row)

    def _played(self) -> Episodes:
        if self.episodes is None:
            raise ValueError(f"an agent that looks at this has to want it: wants = ({', '.join(WANTS)})")
        return self.episodes


def untried(level: Level) -> Try:
    """An attempt without a shot."""
    return Try(NO_SHOT, "open", len(level.pigs), (), 0)


def try_shots(
    simulator: Simulator, numbers: Sequence[int], sequences: Sequence[Sequence[Shot]], wants: Collection[str] = ()
) -> list[Try]:
    """Plays each sequence on the level of the number beside it; of those that go on, how everything is in the end.

    What is given twice is played once.
    """
    levels = [simulator.worlds[number].level for number in numbers]
    wanted = list(zip(numbers, map(tuple, sequences), strict=True))
    once = list(dict.fromkeys((number, shots) for number, shots in wanted if shots))
    if not once:
        return [untried(level) for level in levels]
    goes_on = any(len(shots) < len(simulator.worlds[number].level.birds) for number, shots in once)
    seen = {*wants, *(("states",) if goes_on else ())}
    played = simulator.play([number for number, _ in once], [shots for _, shots in once], seen)
    found: dict[tuple[int, tuple[Shot, ...]], Try] = {}
    for row, (number, shots) in enumerate(once):
        status = str(played.status[row])
        kills = tuple(played.kills[row, : len(shots)].tolist())
        kept = played if wants or status == "open" else None
        pigs, steps = int(played.pigs_left[row]), int(played.steps[row])
        found[number, shots] = Try(shots, status, pigs, kills, steps, kept, row)
    return [found.get(key) or untried(level) for key, level in zip(wanted, levels, strict=True)]
