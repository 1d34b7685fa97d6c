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
    """Plays each sequence on the level of the number beside it; of those that go on, how everything is in the end."""
    levels = [simulator.worlds[number].level for number in numbers]
    tries = [untried(level) for level in levels]
    rows = [k for k, shots in enumerate(sequences) if shots]
    if not rows:
        return tries
    goes_on = any(len(sequences[k]) < len(levels[k].birds) for k in rows)
    wanted = {*wants, *(("states",) if goes_on else ())}
    played = simulator.play([numbers[k] for k in rows], [sequences[k] for k in rows], wanted)
    for row, k in enumerate(rows):
        status = str(played.status[row])
        kills = tuple(played.kills[row, : len(sequences[k])].tolist())
        kept = played if wants or status == "open" else None
        shots = tuple(sequences[k])
        tries[k] = Try(shots, status, int(played.pigs_left[row]), kills, int(played.steps[row]), kept, row)
    return tries
