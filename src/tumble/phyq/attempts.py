"""Sequences of shots played on many levels at once, each with what came of it."""

from collections.abc import Collection, Sequence

from tumble.phyq.agents.agent import Try
from tumble.phyq.level import Level
from tumble.phyq.shots import Shot
from tumble.phyq.simulate import Simulator

NO_SHOT = ()


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
