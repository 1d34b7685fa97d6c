"""A task: a level with an id, and the template and scenario that it belongs to."""

from dataclasses import dataclass

from tumble.phyq.tasks.level import Level


@dataclass(frozen=True)
class Task:
    """A level to solve; user-defined levels have no template and no scenario."""

    id: str
    level: Level
    template: str = ""
    scenario: int = 0
    checked: bool = False
    """Whether it is known to be at rest, solvable by its template's rule, and not won by shots that ignore the rule."""
