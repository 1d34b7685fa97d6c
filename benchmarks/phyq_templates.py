"""Which shots win the 75 template levels, and whether these are at rest.

    python benchmarks/phyq_templates.py

For each template: how far pieces move and turn while the level settles; wins among the 180 discrete shots, without a
tap and, for birds with a power, with the best of five tap times; what direct shots at each pig do; and, where there is
more than one bird, wins among pairs of shots (a third bird repeats the second), with delays for scenario 14.
"""

import numpy as np
from table import Results

from tumble.phyq.simulation import simulator as simulate
from tumble.phyq.simulation.shots import Shot, table_of
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.templates import templates
from tumble.phyq.tasks.trajectory import DISCRETE_ANGLES, releases_to

TAPS = (0.3, 0.5, 0.65, 0.8, 0.95)
PAIRED = np.arange(8.0, 84.0, 2.0)
WAITS = {14: (np.nan, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0)}


def single_wins(simulator: simulate.Simulator, level: Level) -> str:
    """Wins among the discrete shots."""
    every = np.zeros(len(DISCRETE_ANGLES), int)
    plain = simulator.play(every, table_of(DISCRETE_ANGLES))
    text = f"{plain.won.sum()}"
    if level.birds[0] != "red":
        tapped = [simulator.play(every, table_of(DISCRETE_ANGLES, tap_shares=share)) for share in TAPS]
        best = max(range(len(TAPS)), key=lambda k: tapped[k].won.sum())
        text += f", tapped at {TAPS[best]:.0%} of the flight {tapped[best].won.sum()}"
    if len(level.pigs) > 1 and not plain.won.any():
        text += f" (at most {(len(level.pigs) - plain.pigs_left).max()} of {len(level.pigs)} pigs)"
    return text


def direct_shots(simulator: simulate.Simulator, level: Level) -> str:
    """Results of the low and the high shot at the centre of each pig."""
    results = []
    for number, pig in enumerate(level.pigs):
        releases = releases_to((pig.x, pig.y))
        episodes = simulator.play([0] * len(releases), [[Shot(release.angle)] for release in releases])
        body = simulator.worlds[0].of_role("pig")[number]
        outcome = np.where(episodes.won, "wins", np.where(episodes.died[:, body] > 0, "kills it", "misses"))
        results.append(" and ".join(outcome) if len(releases) else "out of reach")
    return "; ".join(results)


def pair_wins(simulator: simulate.Simulator, level: Level, scenario: int) -> str:
    """Wins among pairs of angles, by delay."""
    first, second = (grid.ravel() for grid in np.meshgrid(PAIRED, PAIRED))
    angles = np.stack([first, *[second] * (len(level.birds) - 1)], axis=-1)
    counts = []
    for wait in WAITS.get(scenario, (np.nan,)):
        delays = np.full(angles.shape, np.nan)
        delays[:, 1:] = wait
        won = int(simulator.play(np.zeros(len(angles), int), table_of(angles, delays=delays)).won.sum())
        counts.append(f"{won} at rest" if np.isnan(wait) else f"{won} after {wait:.0f} s")
    return f"pairs of {len(PAIRED)} angles: {', '.join(counts)}"


def main() -> None:
    results = Results(f"Phy-Q's template levels, {simulate.physics_id()}")
    for name, design in templates().items():
        level = design.base
        simulator = simulate.Simulator([level])
        settled = simulator.settle()
        rest = "at rest" if settled.at_rest[0] else f"moves {settled.moved[0]:.2f}, turns {settled.turned[0]:.2f}"
        notes = [rest, f"direct shots: {direct_shots(simulator, level)}"]
        if len(level.birds) > 1:
            notes.append(pair_wins(simulator, level, design.scenario))
        results.add(name, single_wins(simulator, level), note="; ".join(notes))
    results.finish("phyq-templates")


if __name__ == "__main__":
    main()
