"""Which tasks a run with a limit attempts: as many of each group as possible, chosen without randomness."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def spread(items: Sequence[T], limit: int | None, group_of: Callable[[T], Hashable]) -> list[T]:
    """At most `limit` items, spread over their groups, in their order; all of them if there is no limit.

    First one item of each group is taken, in the order in which the groups appear, then a second one of each, and so
    on. A limit of n covers min(n, groups) groups, with counts that differ by at most 1 until groups are used up.

    >>> spread(["a1", "a2", "a3", "b1", "b2", "c1"], 4, lambda name: name[0])
    ['a1', 'a2', 'b1', 'c1']
    """
    if limit is None:
        return list(items)
    seen: dict[Hashable, int] = {}
    groups: dict[Hashable, int] = {}
    ranks = []
    for k, item in enumerate(items):
        group = group_of(item)
        round_number = seen[group] = seen.get(group, -1) + 1
        ranks.append((round_number, groups.setdefault(group, len(groups)), k))
    return [items[k] for k in sorted(k for *_, k in sorted(ranks)[:limit])]
