"""People in run specifications: an agent that stands for a participant of a study, and can't be started."""

from typing import Any, TypeVar

from tumble.errors import TumbleError
from tumble.runs.given import Given

A = TypeVar("A")

PEOPLE = "people"
"""The name of the agent."""


class PeopleError(TumbleError):
    """People were asked to run like an agent."""


def people_class(base: type[A], method: str) -> type[A]:
    """A class of agents for logs of people: it has the study as its setting, and refuses to propose anything."""

    def create(self: Any, study: str = "") -> None:
        self.study = study

    def refuse(self: Any, *_: object, **__: object) -> None:
        raise PeopleError("people can't be run like an agent: they take part in a study (tumble study)")

    def given(self: Any) -> Given:
        return Given(tasks=("picture",), attempts=("status", "pictures"))

    members = {"__init__": create, method: refuse, "given": given, "__module__": __name__}
    return type("People", (base,), members)
