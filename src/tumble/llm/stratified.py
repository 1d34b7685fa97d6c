"""The order in which tasks are posed to a model: any number of the first ones is spread over the templates."""

import random
from collections.abc import Callable, Sequence


def stratified(ids: Sequence[str], template_of: Callable[[str], str], seed: int = 0) -> list[str]:
    """All tasks in turns: one of each template, then a second one of each, and so on.

    With seed 0 templates and their tasks keep their order, so that the first n are those that `runs.task_limit.spread`
    takes for a limit of n; other seeds shuffle the templates, and the tasks of each.

    >>> stratified(["a1", "a2", "a3", "b1", "b2", "c1"], lambda name: name[0])
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']
    """
    groups: dict[str, list[str]] = {}
    for task_id in ids:
        groups.setdefault(template_of(task_id), []).append(task_id)
    ordered = list(groups.values())
    if seed:
        rng = random.Random(seed)
        for group in ordered:
            rng.shuffle(group)
        rng.shuffle(ordered)
    rounds = max(map(len, ordered), default=0)
    return [group[k] for k in range(rounds) for group in ordered if k < len(group)]
