"""The order of tasks for a participant, a pure function of the study's seed and the participant's number."""

from collections.abc import Sequence
from hashlib import sha256


def task_order(ids: Sequence[str], order: str, seed: int, participant: int) -> list[str]:
    """The tasks in the order in which a participant attempts them.

    >>> [task_order("abcd", "rotated", 0, participant) for participant in (0, 1)]
    [['a', 'b', 'c', 'd'], ['b', 'c', 'd', 'a']]
    >>> task_order("abcd", "shuffled", 1, 0) == task_order("abcd", "shuffled", 1, 0)
    True
    """
    if order == "listed":
        return list(ids)
    if order == "rotated":
        first = participant % len(ids)
        return [*ids[first:], *ids[:first]]
    return sorted(ids, key=lambda task_id: sha256(f"{seed} {participant} {task_id}".encode()).hexdigest())
