"""A session: an attempt that is simulated piece by piece, looked at, changed and branched, and saved as JSON.

The JSON has what is needed to simulate the session again, and a digest to tell that it is the same.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tumble import engine
from tumble.bounded import BoundError, check_json
from tumble.phyre.catalogue import task_json, tasks_by_id
from tumble.phyre.catalogue.task import Task, TemplateError, tier_named
from tumble.phyre.simulation.actions import as_actions, placed_balls
from tumble.phyre.simulation.attempt import SimulationError, ball_at
from tumble.phyre.simulation.branches import Branches, Plan, Planned, branches_from, first_states, roll_out, statuses_of
from tumble.phyre.simulation.interventions import Intervention, intervention_from_record
from tumble.phyre.simulation.moment import Moment, moment_from, pair_of
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import NOT_SOLVED
from tumble.scene import Body, Circle, Scene

MOST_MEMORY = 1 << 24
"""Bytes that the values of a session may take."""


class SavedEntry(BaseModel):
    """Interventions that were made together, and after which step."""

    model_config = ConfigDict(extra="forbid")

    step: int = Field(ge=0)
    interventions: list[dict[str, Any]]


class SavedSession(BaseModel):
    """A session as it is written."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = 1
    physics: str
    task: str | dict[str, Any]
    """The id of a task of the templates, or a user-defined task."""
    action: list[float] | None
    max_steps: int = Field(ge=1)
    history: list[SavedEntry]
    step: int = Field(ge=0)
    digest: str


def read_session(text: str) -> SavedSession:
    """The session of a JSON text; raises a SimulationError that names the field that is wrong."""
    try:
        check_json(text.encode("utf-8", "surrogatepass"), MOST_MEMORY)
        _check_names(text)
        return SavedSession.model_validate_json(text)
    except BoundError as error:
        raise SimulationError(f"this is no saved session: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "JSON text"
        raise SimulationError(f"this is no saved session: {field}: {first['msg']}") from None


def _check_names(text: str) -> None:
    """Raises a BoundError for fields that a session does not have, of which Pydantic would list every one."""
    try:
        record = json.loads(text)
    except ValueError:
        return  # Pydantic says why
    history = record.get("history") if isinstance(record, dict) else ()
    for part in (record, *(history if isinstance(history, list) else ())):
        if isinstance(part, dict) and len(part) > len(SavedSession.model_fields):
            raise BoundError(f"{len(part)} fields in an object; there are {', '.join(SavedSession.model_fields)}")


def task_record(task: Task) -> str | dict[str, Any]:
    """A task as its id, or whole where no template makes it."""
    try:
        if tasks_by_id.task(task.id) == task:
            return task.id
    except TemplateError:
        pass
    record: dict[str, Any] = json.loads(task_json.write_own([task]))[0]
    return record


def task_from_record(record: str | dict[str, Any]) -> Task:
    """The task of a record."""
    if isinstance(record, str):
        return tasks_by_id.task(record)
    return next(iter(task_json.read_own([record]).values()))


MAX_STEPS = engine.Options().max_steps
"""Steps of an attempt."""
Condition = Callable[[Moment], bool]


@dataclass(frozen=True)
class Entry:
    """Interventions that were made together, and after which step."""

    step: int
    interventions: tuple[Intervention, ...]


class Session:
    """An attempt at a task that can be stopped, changed and branched at any step.

    `task` is a Task or an id, `action` the balls to place at the start (None for none). It ends when the goal has held
    for 3 s, or after `max_steps`. Where nothing is changed, its bits are those of `Simulator.simulate`, however it is
    divided. `device` ("cpu" or "cuda") and `threads` (0: all cores) change no result.

    >>> session = Session("00003:001", [0.607, 0.729, 0.544])
    >>> session.step(60).step
    60
    """

    def __init__(
        self,
        task: Task | str,
        action: Sequence[float] | np.ndarray | None = None,
        *,
        device: str = "cpu",
        threads: int = 0,
        max_steps: int = MAX_STEPS,
    ) -> None:
        if not isinstance(task, Task | str):
            raise SimulationError(f"a session takes a task or its id, not {task!r}")
        _check_steps("max_steps", max_steps)
        self.task = tasks_by_id.task(task) if isinstance(task, str) else task
        self.action = None if action is None else np.array(action, float)
        self.max_steps = int(max_steps)
        self._options = engine.Options(max_steps=0, device=device, threads=threads)
        scene = _start_scene(self.task, self.action)
        rollouts = first_states(self.task, scene, self._options)
        assert rollouts.states is not None
        self._moment = moment_from(scene, rollouts.states, NOT_SOLVED)
        self._history: list[Entry] = []
        self._poses: list[np.ndarray] = [self._moment.poses]
        self._events: list[np.ndarray] = [rollouts.events]

    @property
    def state(self) -> Moment:
        """The world as it is now."""
        return self._moment

    @property
    def scene(self) -> Scene:
        """The bodies of the world: those of the task, the placed balls, and what was added since."""
        return self._moment.scene

    @property
    def over(self) -> bool:
        """Whether the goal was reached or all steps were made."""
        return self._moment.solved or self._moment.step >= self.max_steps

    @property
    def history(self) -> tuple[Entry, ...]:
        """The interventions so far."""
        return tuple(self._history)

    @property
    def trajectory(self) -> np.ndarray:
        """float32 [steps + 1, bodies, (x, y, angle)]: poses after every step, NaN where a body was absent."""
        result = np.full((len(self._poses), len(self.scene.bodies), 3), np.nan, np.float32)
        for frame, poses in zip(result, self._poses, strict=True):
            frame[: len(poses)] = poses
        return result

    @property
    def events(self) -> np.ndarray:
        """engine.EVENT [n]: contacts that began or ended so far."""
        return np.concatenate(self._events)

    @property
    def masses(self) -> np.ndarray:
        """float [bodies]: the masses in kg, infinite for static bodies."""
        metres = self.scene.units_per_metre
        return np.array(
            [_area(body) * body.density / metres**2 if body.dynamic else np.inf for body in self.scene.bodies]
        )

    def step(self, steps: int = 1) -> Moment:
        """Simulates a number of steps, fewer where the session ends before; returns the state then."""
        _check_steps("steps", steps)
        self._check_not_over()
        planned = self._roll_out((), min(int(steps), self.max_steps - self._moment.step))
        self._take_over(planned.rollouts, self.scene)
        return self._moment

    def until(self, condition: Condition | None = None, *, touching: tuple[int | str, int | str] | None = None) -> bool:
        """Simulates until a condition holds after a step, or until the end; returns whether it held.

        The condition is a function of the `Moment`, or that two bodies touch.
        """
        if (condition is None) == (touching is None):
            raise SimulationError("until takes either a condition or touching=(body, body)")
        if touching is not None:
            a, b = (self._moment.index(body) for body in touching)
            condition = _touches(a, b)
        assert condition is not None
        self._check_not_over()
        for moment in self._future():
            if condition(moment):
                self.step(moment.step - self._moment.step)
                return True
        self.step(self.max_steps - self._moment.step)
        return False

    def intervene(self, *interventions: Intervention) -> Moment:
        """Changes the world before its next step; returns the changed state. See `interventions` for what can be done.

        The interventions of one call are made one after the other, and where bodies may be is checked at the end.
        """
        self._check_not_over()
        planned = self._roll_out(interventions, 0)
        self._take_over(planned.rollouts, planned.scenes[0])
        self._history.append(Entry(self._moment.step, interventions))
        return self._moment

    def branch(
        self,
        plans: Sequence[Plan],
        steps: int | None = None,
        *,
        final: bool = False,
        stride: int = 0,
        events: bool = False,
    ) -> Branches:
        """What would happen from here after each of many lists of interventions, in one call of the engine.

        Branches end after `steps` steps (None: when the session would). The session stays as it is. `final` keeps their
        ends, `stride` poses every `stride` steps, `events` their contacts.
        """
        self._check_not_over()
        left = self.max_steps - self._moment.step
        if steps is not None and not 1 <= steps <= left:
            raise SimulationError(f"steps must be from 1 to the {left} that are left, not {steps!r}")
        if not len(plans):
            raise SimulationError("branch needs at least one list of interventions; [] for no change")
        options = replace(self._options, max_steps=left if steps is None else int(steps), stride=stride, events=events)
        here = np.zeros(len(plans), int)
        return branches_from(roll_out(self.task, [self._moment], here, plans, options, keep_states=final))

    def copy(self) -> "Session":
        """A session at the same moment that goes its own way."""
        other = object.__new__(Session)
        other.__dict__.update(self.__dict__)
        other._history, other._poses, other._events = list(self._history), list(self._poses), list(self._events)
        return other

    def replay(self) -> "Session":
        """Simulates the session again from the start, with the same interventions after the same steps."""
        other = Session(
            self.task,
            self.action,
            device=self._options.device,
            threads=self._options.threads,
            max_steps=self.max_steps,
        )
        other._replay(self._history, self._moment.step)
        return other

    def to_json(self) -> str:
        """The session as JSON: task, action, interventions with their steps, and a digest of the state now."""
        history = [
            SavedEntry(step=entry.step, interventions=[each.record() for each in entry.interventions])
            for entry in self._history
        ]
        return SavedSession(
            physics=engine.physics_id(),
            task=task_record(self.task),
            action=None if self.action is None else self.action.tolist(),
            max_steps=self.max_steps,
            history=history,
            step=self._moment.step,
            digest=self.digest(),
        ).model_dump_json()

    @staticmethod
    def from_json(text: str, *, device: str = "cpu", threads: int = 0) -> "Session":
        """Simulates again what `to_json` wrote; a SimulationError if the bits are not the same."""
        saved = read_session(text)
        session = Session(
            task_from_record(saved.task), saved.action, device=device, threads=threads, max_steps=saved.max_steps
        )
        entries = [
            Entry(entry.step, tuple(map(intervention_from_record, entry.interventions))) for entry in saved.history
        ]
        session._replay(entries, saved.step)
        if session.digest() != saved.digest:
            raise SimulationError(
                f"the session does not repeat: its state after step {saved.step} differs from the saved one, "
                f"which was simulated with {saved.physics}; this is {engine.physics_id()}"
            )
        return session

    def digest(self) -> str:
        """A hash of the state: poses, velocities and sleep of all bodies, to the bit."""
        moment = self._moment
        assert moment.awake is not None
        parts = [
            np.array([moment.step, moment.status], "<i4"),
            moment.poses.astype("<f4"),
            moment.velocities.astype("<f4"),
        ]
        whole = b"".join(np.nan_to_num(part, nan=-1e30).tobytes() for part in parts) + moment.awake.tobytes()
        return hashlib.sha256(whole).hexdigest()[:32]

    def _check_not_over(self) -> None:
        if self.over:
            how = "solved" if self._moment.solved else "over"
            raise SimulationError(f"the session is {how} after {self._moment.step} steps: start a new one")

    def _roll_out(self, plan: Plan, steps: int, keep_states: bool = True) -> Planned:
        """Rolls out this session's world alone, with everything that a session records."""
        options = replace(self._options, max_steps=steps, stride=1, velocities=True, events=True, threads=1)
        return roll_out(self.task, [self._moment], np.zeros(1, int), [plan], options, keep_states)

    def _take_over(self, rollouts: engine.Rollouts, scene: Scene) -> None:
        """Goes on from the end of a rollout of this session's world."""
        assert rollouts.states is not None
        first = self._moment.step
        self._moment = moment_from(scene, rollouts.states, int(statuses_of(rollouts)[0]))
        made = self._moment.step - first
        self._poses[first:] = list(rollouts.poses[0, : made + 1, : len(scene.bodies)])
        self._events.append(rollouts.events)

    def _future(self) -> Iterator[Moment]:
        """The moments after each step to come, without intervention."""
        rollouts = self._roll_out((), self.max_steps - self._moment.step, keep_states=False).rollouts
        now, bodies = self._moment, len(self.scene.bodies)
        steps = int(rollouts.steps[0]) - now.step
        assert now.states is not None
        counts: dict[tuple[int, int], int] = {}
        for a, b in now.states.touching_pairs(0).tolist():
            counts[pair_of(a, b)] = counts.get(pair_of(a, b), 0) + 1
        at = 0
        for k in range(1, steps + 1):
            while at < len(rollouts.events) and rollouts.events[at]["step"] <= now.step + k:
                event = rollouts.events[at]
                pair = pair_of(int(event["body_a"]), int(event["body_b"]))
                counts[pair] = counts.get(pair, 0) + (1 if event["begin"] else -1)
                at += 1
            contacts = frozenset(pair for pair, count in counts.items() if count > 0)
            status = int(statuses_of(rollouts)[0]) if k == steps else NOT_SOLVED
            poses, velocities = rollouts.poses[0, k, :bodies], rollouts.velocities[0, k, :bodies]
            yield Moment(self.scene, now.step + k, poses, velocities, contacts, status)

    def _replay(self, entries: Sequence[Entry], step: int) -> None:
        for entry in entries:
            if entry.step > self._moment.step:
                self.step(entry.step - self._moment.step)
            self.intervene(*entry.interventions)
        if step > self._moment.step:
            self.step(step - self._moment.step)


def _start_scene(task: Task, action: np.ndarray | None) -> Scene:
    """The scene of a task with the balls that an action places; raises a SimulationError for an invalid action."""
    if action is None:
        return task.scene
    table = as_actions([action], tier_named(task.tier))
    if not Simulator([task], task.tier).valid([task.id], table)[0]:
        raise SimulationError(f"the action is invalid: a ball leaves the scene of task {task.id} or overlaps something")
    return task.scene.with_bodies(*(ball_at(x, y, radius) for x, y, radius in placed_balls(table)[0]))


def _check_steps(name: str, steps: object) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
        raise SimulationError(f"{name} must be a whole number from 1 on, not {steps!r}")


def _touches(a: int, b: int) -> Condition:
    pair = pair_of(a, b)
    return lambda moment: pair in moment.contacts


def _area(body: Body) -> float:
    """The area of a body's shapes in square pixels."""
    total = 0.0
    for shape in body.shapes:
        if isinstance(shape, Circle):
            total += math.pi * shape.radius**2
        else:
            x, y = np.array(shape.vertices).T
            total += 0.5 * float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return total
