"""How often random shots win Phy-Q's tasks, and what the stored solutions do: the figures in templates' descriptions.

    python benchmarks/phyq_chances.py                                 on this machine's CPU, 20 minutes on two cores
    python benchmarks/phyq_chances.py --attempts 200 --device cuda    on its GPU

The chance of a template is the share of attempts of the agent `random` that win, over the template's 100 tasks. Beside
it stand, over the stored solutions of these tasks, the pieces that each bird touches first and what kills each pig.
"""

import argparse
from collections import Counter

import warp as wp
from table import Results

from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.agents.random_shots import RandomShots
from tumble.phyq.generation.causes import EpisodeRecord
from tumble.phyq.generation.solutions import solution
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE, task
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import templates

BATCH = 10
"""Attempts at each task that are played in one call."""


def random_shots(one: Task, attempt: int) -> list[Shot]:
    """The shots of the agent `random` in an attempt, one for each bird."""
    shots: list[Shot] = []
    for _ in one.level.birds:
        current = Attempt(tuple(shots), "open", 0, (), 0) if shots else None
        shots.append(RandomShots().propose(one, (), AttemptState(one, attempt, current)))
    return shots


def chance(tasks: list[Task], simulator: Simulator, attempts: int) -> float:
    """The share of random attempts that win."""
    won = 0
    for first in range(1, attempts + 1, BATCH):
        numbers = range(first, min(first + BATCH, attempts + 1))
        pairs = [(k, random_shots(one, number)) for k, one in enumerate(tasks) for number in numbers]
        won += int(simulator.play([k for k, _ in pairs], [shots for _, shots in pairs]).won.sum())
    return won / (attempts * len(tasks))


def what_solutions_do(design: Template, simulator: Simulator) -> str:
    """First contacts of birds and causes of pigs' deaths in the stored solutions, with the number of tasks."""
    shots = [solution(design.task_id(number)).shots for number in range(TASKS_PER_TEMPLATE)]
    episodes = simulator.play(range(len(shots)), shots, ("events",))
    birds, pigs = len(design.base.birds), len(design.base.pigs)
    first = [Counter(first_contact(design, episodes, row, bird) for row in range(len(shots))) for bird in range(birds)]
    kills = [Counter(cause_of_death(design, episodes, row, pig) for row in range(len(shots))) for pig in range(pigs)]
    parts = [f"bird {bird} first touches {counted(counts)}" for bird, counts in enumerate(first)]
    return "; ".join([*parts, *(f"pig {pig} is killed by {counted(counts)}" for pig, counts in enumerate(kills))])


def counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def first_contact(design: Template, episodes: Episodes, row: int, bird: int) -> str:
    """What a bird touches first."""
    if bird >= episodes.shots_used[row]:
        return "(not used)"
    record = EpisodeRecord(episodes, row, design.base)
    body = record.world.first_bird + bird
    own = record.hits[(record.hits["body"] == body) | (record.hits["other"] == body)]
    return record.names[int(own[0]["body"]) + int(own[0]["other"]) - body] if len(own) else "nothing"


def cause_of_death(design: Template, episodes: Episodes, row: int, pig: int) -> str:
    """What killed a pig, as rules have it."""
    record = EpisodeRecord(episodes, row, design.base)
    names = record.cause_names(int(record.world.of_role("pig")[pig]))
    return names[0] if names else "nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attempts", type=int, default=50, help="random attempts at each task")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    arguments = parser.parse_args()
    device = "" if arguments.device == "cpu" else str(wp.get_device(arguments.device).name)
    results = Results(f"Phy-Q's templates, {arguments.attempts} random attempts at each task, {physics_id()}", device)
    for key, design in templates().items():
        tasks = [task(design.task_id(number)) for number in range(TASKS_PER_TEMPLATE)]
        simulator = Simulator([one.level for one in tasks], arguments.device)
        note = what_solutions_do(design, simulator)
        results.add(key, f"{chance(tasks, simulator, arguments.attempts):.1e}", note=note)
    results.finish("phyq-chances")


if __name__ == "__main__":
    main()
