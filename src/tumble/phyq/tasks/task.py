"""What a task is: a level under an id, and the template and scenario it belongs to."""

from dataclasses import dataclass

from tumble.phyq.tasks.level import Level


@dataclass(frozen=True)
class Task:
    """A level to solve; one's own levels belong to no template and no scenario."""

    id: str
    level: Level
    template: str = ""
    scenario: int = 0
