"""What the explorer's search does alone: the explorer of PHYRE without a network, on validation tasks.

    python benchmarks/phyre_search.py [--setting two_balls_cross_template] [--fold 0 3 7 9] [--limit 64]
        [--set view=10 --set reach=8] [--name "smaller scales"]
    python benchmarks/phyre_search.py --every-template    on all templates, of which a fifth is left out at a time
    python benchmarks/phyre_search.py --documented [--every-template]    the rows of docs/research/phyre-search.md

All candidates have the same score, but for what is added to those of solutions that are carried over. So its settings
can be compared on a CPU, in a minute or two. The default folds are those whose validation tasks, across templates of
two balls, have templates on which networks know nothing. No fold has validation tasks of templates 00102, 00103, 00106,
00109, 00116, 00117 and 00122. `--every-template` has, and gives two means over templates: a plain one, and one in which
each counts as often as it is in a test fold.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from phyre_folds import check_settings
from table import Results

from tumble import engine
from tumble.cli.options import single_settings
from tumble.phyre.agents.explorer.agent import Explorer
from tumble.phyre.agents.recipes import ONE_BALL_PRIORS, SEARCH, TWO_BALLS_PRIORS
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, Task
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS, published_tasks, template_of
from tumble.phyre.evaluation.evaluate import Attempts
from tumble.phyre.evaluation.metrics import auccess
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.variations import generator_for
from tumble.phyre.models.network import Features
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.progress import bar

ACTIONS = 10_000
"""Random actions among the candidates."""
GROUPS, EVERY_TASK = 5, 9
"""With --every-template: groups of templates, and every n-th task of these."""
NOISE = 1e-3
"""The largest difference of scores, so that the order of candidates is random."""
SMALL: dict[str, Any] = {"view": 10.0, "reach": 8.0, "hope": 16.0, "offspring": 60}
VARIANTS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "view 10": {"view": 10.0},
    "view 10, reach 8, hope 16, 60 offspring": SMALL,
    "the same, half of the solutions by kind, typical 0.3": SEARCH,
    "the same, transfer 0.5": {**SEARCH, "transfer": 0.5},
    "the same, another seed": {**SEARCH, "transfer": 0.5, "seed": 1},
    "small scales, solutions by kind, transfer 0.25, prior 4": {**SEARCH, "transfer": 0.25, "prior": 4.0},
    "the same, cost 0.2": {**SEARCH, "transfer": 0.25, "prior": 4.0, "cost": 0.2},
}
"""Those of the documentation."""
ON_EVERY_TEMPLATE = list(VARIANTS)[-2:]
"""Those that it has with --every-template, too."""


class SearchOnly(Explorer):
    """An explorer that knows nothing of actions but how they ended, and solutions of training tasks."""

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.torch_device = torch.device("cpu")
        self.actions = action_set(simulator.tier, ACTIONS)
        self.searches.clear()
        self.remember(tasks, training_pool.shipped(simulator.tier.name, mutated=4))

    def encode_all(self, tasks: Sequence[Task]) -> list[Features]:
        return [[torch.zeros(1)] for _ in tasks]

    def best(self, task: Task, features: Features, count: int) -> tuple[np.ndarray, np.ndarray]:
        valid = np.flatnonzero(self.ranked_table().valid(task.scene))
        rows = generator_for(f"search/{task.id}").permutation(valid)[:count]
        return self.actions[rows], self.scores(features, self.actions[rows])

    def scores(self, features: Features, actions: np.ndarray) -> np.ndarray:
        return NOISE * np.random.default_rng(len(actions)).random(len(actions))

    def scores_by_task(
        self, features: Sequence[Features], actions: Sequence[np.ndarray], most: int
    ) -> list[np.ndarray]:
        return [self.scores(own, some) for own, some in zip(features, actions, strict=True)]


def validated(setting: str, fold: int, limit: int | None, settings: dict[str, Any]) -> dict[str, int | None]:
    """By validation task of a fold: the attempt that solved it."""
    spec = PhyreRunSpec("explorer", setting, fold, split="validation", limit=limit)
    return solved_at(spec.training_tasks(), spec.tasks_to_attempt(), settings, f"Validation tasks of fold {fold}")


def solved_at(
    training_tasks: Sequence[Task], tasks: Sequence[Task], settings: dict[str, Any], label: str
) -> dict[str, int | None]:
    """By task: the attempt that solved it."""
    simulator = Simulator(tasks, tasks[0].tier)
    agent = SearchOnly(**settings, pooled=True)
    agent.train(training_tasks, simulator)
    attempts = Attempts(agent, simulator, MAX_ATTEMPTS)
    every = [attempts.start(task, []) for task in tasks]
    with bar(label, len(every)) as advance:
        while running := [one for one in every if not one.is_over]:
            attempts.make_round(running)
            advance(sum(one.is_over for one in running))
    return {one.task.id: len(one.past) if one.is_solved else None for one in every}


def measure_every_template(results: Results, setting: str, name: str, given: dict[str, Any]) -> None:
    """Adds the row of a variant on all templates."""
    tasks = list(published_tasks(SETTINGS[setting].tier).values())
    templates = generator_for("every template").permutation(sorted({template_of(task.id) for task in tasks}))
    scores: dict[str, float] = {}
    for group in range(GROUPS):
        left_out = set(templates[group::GROUPS].tolist())
        others = [task for task in tasks if template_of(task.id) not in left_out]
        own = [task for task in tasks if template_of(task.id) in left_out][::EVERY_TASK]
        found = solved_at(others, own, with_prior(setting, given), f"Templates left out, {group + 1} of {GROUPS}")
        for template in left_out:
            scores[template] = 100 * auccess([k for task_id, k in found.items() if template_of(task_id) == template])
    tested = Counter(
        template
        for fold in range(FOLDS)
        for template in {template_of(task_id) for task_id in PhyreRunSpec("explorer", setting, fold).task_ids()}
    )
    as_tested = sum(scores[template] * times for template, times in tested.items()) / tested.total()
    each = " ".join(f"{template}: {score:.0f}" for template, score in sorted(scores.items()))
    note = f"each as often as in the test folds: {as_tested:.1f}; {each}"
    results.add(f"{setting}, every template, {name}", f"{np.mean(list(scores.values())):.1f}", note=note)


def with_prior(setting: str, given: dict[str, Any]) -> dict[str, Any]:
    """Settings with the tier's prior, if they have none."""
    priors = ONE_BALL_PRIORS if SETTINGS[setting].tier == "B" else TWO_BALLS_PRIORS
    return {"prior": priors["prior"], **given}


def measure(
    results: Results, setting: str, folds: Sequence[int], limit: int | None, name: str, given: dict[str, Any]
) -> None:
    """Adds the row of a variant."""
    given = with_prior(setting, given)
    by_fold = [validated(setting, fold, limit, given) for fold in folds]
    scores = [100 * auccess(list(one.values())) for one in by_fold]
    solved = 100 * np.mean([attempt is not None for one in by_fold for attempt in one.values()])
    each = "; ".join(f"fold {fold} {score:.1f}" for fold, score in zip(folds, scores, strict=True))
    note = f"{each}; {solved:.0f} % solved; {sum(map(len, by_fold))} validation tasks; prior {given['prior']}"
    results.add(f"{setting}, {name}", f"{np.mean(scores):.1f}", note=note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setting", default="two_balls_cross_template", choices=list(SETTINGS))
    parser.add_argument("--fold", nargs="+", type=int, default=[0, 3, 7, 9])
    parser.add_argument("--limit", type=int, default=64, help="tasks of a fold, spread over its templates")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="given")
    parser.add_argument("--name", default="as given")
    parser.add_argument("--every-template", action="store_true", help="tasks of all templates instead of folds'")
    parser.add_argument("--documented", action="store_true", help="the rows of the documentation, kept as results")
    arguments = parser.parse_args()
    results = Results(f"The explorer without a network, {engine.physics_id()}")
    if arguments.documented and arguments.every_template:
        for name in ON_EVERY_TEMPLATE:
            measure_every_template(results, arguments.setting, name, VARIANTS[name])
        results.finish("phyre-search-templates")
    elif arguments.documented:
        for setting in ("ball_cross_template", "two_balls_cross_template"):
            for name, given in VARIANTS.items():
                measure(results, setting, arguments.fold, arguments.limit, name, given)
        results.finish("phyre-search")
    else:
        given = single_settings(arguments.given)
        check_settings(given, ["explorer"])
        if arguments.every_template:
            measure_every_template(results, arguments.setting, arguments.name, given)
        else:
            measure(results, arguments.setting, arguments.fold, arguments.limit, arguments.name, given)


if __name__ == "__main__":
    main()
