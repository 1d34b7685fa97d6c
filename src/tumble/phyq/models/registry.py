"""The learners by name: what `tumble phyq train` can train."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from tumble.learning.settings import TrainingError


@dataclass(frozen=True)
class Entry:
    """A learner: module and class of its settings, and settings that differ from the defaults."""

    place: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def load(self) -> type:
        """The class of its settings."""
        module, name = self.place.split(":")
        found: type = getattr(import_module(f"tumble.phyq.models.{module}"), name)
        return found


LEARNERS = {
    "dddqn-symbolic": Entry("q_networks:DddqnSymbolicConfig"),
    "dddqn-image": Entry("q_networks:DddqnImageConfig"),
    "relational-symbolic": Entry("q_networks:RelationalSymbolicConfig"),
    "relational-image": Entry("q_networks:RelationalConfig"),
}


def entry(name: str) -> Entry:
    """The learner of a name."""
    if name not in LEARNERS:
        raise TrainingError(f"no learner {name!r} to train; there are {', '.join(LEARNERS)}")
    return LEARNERS[name]
