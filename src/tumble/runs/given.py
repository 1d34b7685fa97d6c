"""What a participant was given: of its tasks, of its attempts, and in training.

It is part of the header of every run log and stands beside every score. An agent's class declares it, as agents of a
user's file can do, too; of those that do not, a log says what their interface could have shown them.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

OfTasks = Literal[
    "template",
    "text",
    "questions",
    "picture",
    "videos",
    "boxes",
    "tracks",
    "shapes and states",
    "platforms and masses",
    "exact physics",
    "truth",
    "solutions",
]
"""What was given of a task before the first attempt.

| word | what it is |
| --- | --- |
| template | from which template the task is |
| text | a description in words |
| questions | questions without their answers |
| picture, videos | pixels |
| boxes | a box and a kind for each visible body |
| tracks | looks, exact positions and boxes of bodies in view, by frame |
| shapes and states | exact shapes, positions and velocities of all bodies |
| platforms and masses | also what can't be moved, and what bodies weigh |
| exact physics | a simulator of the task with the true constants |
| truth | all of it, hidden properties included |
| solutions | actions that solve the task |
"""
OfAttempts = Literal["status", "pictures", "states", "contacts", "distances"]
"""What was given of the participant's own attempts: whether they solved; pictures, exact states or contacts of their
course; exact distances between bodies."""
InTraining = Literal[
    "simulated actions",
    "mutations",
    "stored solutions",
    "questions",
    "videos",
    "tracks",
    "truth",
]
"""What was given of training tasks: outcomes of actions on them; the same on variants of them; solutions that come with
the package; or, where there are questions, what their answers and labels were made from."""


class Given(BaseModel):
    """What a participant was given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: tuple[OfTasks, ...] = ()
    attempts: tuple[OfAttempts, ...] = ()
    training: tuple[InTraining, ...] = ()
    actions_per_task: int | None = None
    """Actions on each training task whose outcomes it learned from; None where it is not known, or there were none."""
    learns_online: bool = False
    """Whether it learned from test tasks that it had attempted before."""
    declared: bool = True
    """Whether its class says this; if not, it is what the interface could have shown it."""

    @property
    def is_oracle(self) -> bool:
        """Whether it was given what it is asked for, so that it bounds others and is not ranked with them."""
        return "solutions" in self.tasks or "truth" in self.tasks

    @property
    def text(self) -> str:
        """In words, for tables.

        >>> Given(tasks=("picture",), attempts=("status",), training=("simulated actions",), actions_per_task=1000).text
        'picture; of attempts: status; trained with simulated actions (1,000 a task)'
        >>> Given().text
        'nothing'
        """
        parts = [", ".join(self.tasks)] if self.tasks else []
        parts += [f"of attempts: {', '.join(self.attempts)}"] if self.attempts else []
        if self.training:
            count = "" if self.actions_per_task is None else f" ({self.actions_per_task:,} a task)"
            trained = [f"{name}{count if name == 'simulated actions' else ''}" for name in self.training]
            parts.append(f"trained with {', '.join(trained)}")
        parts += ["learns from earlier test tasks"] if self.learns_online else []
        if not self.declared:
            return f"not declared, at most: {'; '.join(parts)}" if parts else "not known"
        return "; ".join(parts) or "nothing"


UNDECLARED = Given(declared=False)
