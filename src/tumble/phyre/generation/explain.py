"""Which bodies mattered in an attempt, and by which contacts a placed ball led to the goal.

Whether a body mattered is decided by counterfactuals, all in one call of the engine: the attempt without it, and with
it held still from its first contact on. The chain of contacts is the quickest way by which the motion of a placed ball
can have reached the goal: each contact passes it on as soon as both bodies touch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble import engine
from tumble.phyre.catalogue.task import Task
from tumble.phyre.observation.words import body_name
from tumble.phyre.simulation.branches import roll_out
from tumble.phyre.simulation.interventions import Change, Intervention, Remove
from tumble.phyre.simulation.moment import Moment, Pair, pair_of
from tumble.phyre.simulation.session import MAX_STEPS, Session
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.scene import Scene

NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Outcome:
    """The end of a counterfactual attempt."""

    status: int
    """1 solved, -1 not solved."""
    steps: int


@dataclass(frozen=True)
class Effect:
    """What a body contributed to the outcome of an attempt."""

    body: int
    name: str
    removed: Outcome | None
    """The attempt without it; None for the bodies that the goal names."""
    first_contact: int | None
    """The step of its first contact; None if it touched nothing."""
    frozen: Outcome | None
    """The attempt with it held still from its first contact on; None for static bodies and those without contact."""
    mattered: bool
    """Whether one of the two has another status than the attempt."""


@dataclass(frozen=True)
class Contact:
    """A contact of two bodies."""

    begin: int
    """The first step in which they touch."""
    end: int | None
    """The step in which they part; None if they touch until the end."""
    bodies: Pair
    point: tuple[float, float]
    """Where they met, in pixels."""
    approach_speed: float
    """How fast they met, in m/s."""


@dataclass(frozen=True)
class Link:
    """A contact of the chain, by which motion passed from one body to another."""

    step: int
    """When it passed: as they met, or later, when the first body was reached."""
    source: int
    target: int
    point: tuple[float, float]


@dataclass(frozen=True)
class Explanation:
    """An attempt, what each body contributed to its outcome, and the chain of contacts to the goal."""

    task: Task
    status: int
    steps: int
    scene: Scene
    """The task's scene with the placed balls after its bodies."""
    trajectory: np.ndarray
    """float32 [steps + 1, bodies, (x, y, angle)]."""
    effects: tuple[Effect, ...]
    """One for each body, in order."""
    contacts: tuple[Contact, ...]
    """All contacts between bodies, by their begin."""
    chain: tuple[Link, ...]
    """From a placed ball to the goal's contact or, in an attempt that fails, to one of the goal's bodies; may be empty.
    """

    @property
    def solved(self) -> bool:
        return self.status == SOLVED

    @property
    def mattered(self) -> tuple[int, ...]:
        """The bodies that mattered."""
        return tuple(effect.body for effect in self.effects if effect.mattered)


def explain(
    task: Task | str,
    action: Sequence[float] | np.ndarray | None = None,
    *,
    device: str = "cpu",
    threads: int = 0,
) -> Explanation:
    """Simulates an attempt and finds out which bodies mattered and which contacts led to the goal."""
    session = Session(task, action, device=device, threads=threads)
    start = session.copy()
    session.step(MAX_STEPS)
    contacts = contacts_of(session.events)
    effects = _effects(session, start, contacts, engine.Options(device=device, threads=threads))
    return Explanation(
        task=session.task,
        status=session.state.status,
        steps=session.state.step,
        scene=session.scene,
        trajectory=session.trajectory,
        effects=effects,
        contacts=contacts,
        chain=_chain(session, contacts),
    )


def contacts_of(events: np.ndarray) -> tuple[Contact, ...]:
    """The contacts between bodies, from events of their shapes."""
    touching: dict[Pair, int] = {}
    open_contacts: dict[Pair, Contact] = {}
    found: list[Contact] = []
    for event in events:
        pair = pair_of(int(event["body_a"]), int(event["body_b"]))
        touching[pair] = touching.get(pair, 0) + (1 if event["begin"] else -1)
        if event["begin"] and touching[pair] == 1:
            x, y = map(float, event["point"])
            open_contacts[pair] = Contact(int(event["step"]), None, pair, (x, y), float(event["approach_speed"]))
        elif not event["begin"] and touching[pair] == 0:
            found.append(replace(open_contacts.pop(pair), end=int(event["step"])))
    found += open_contacts.values()
    return tuple(sorted(found, key=lambda contact: (contact.begin, contact.bodies)))


def _effects(
    session: Session, start: Session, contacts: Sequence[Contact], options: engine.Options
) -> tuple[Effect, ...]:
    """The effect of each body; all counterfactuals are rolled out in one call."""
    task, scene, base = session.task, session.scene, session.state
    first = {body: _first_contact(body, contacts) for body in range(len(scene.bodies))}
    moments: list[Moment] = [start.state]
    worlds: list[tuple[int, str, int, list[Intervention]]] = []  # body, how, moment, plan
    for body in first:
        if body not in (task.body, task.other):
            worlds.append((body, "removed", 0, [Remove(body)]))
    for step in sorted({step for body, step in first.items() if step is not None and scene.bodies[body].dynamic}):
        if step >= base.step:
            continue
        if step > start.state.step:
            start.step(step - start.state.step)
        for body in (body for body, other in first.items() if other == step and scene.bodies[body].dynamic):
            worlds.append((body, "frozen", len(moments), [Change(body, dynamic=False)]))
        moments.append(start.state)
    moment_of = np.array([moment for _, _, moment, _ in worlds], int)
    rollouts = roll_out(task, moments, moment_of, [plan for _, _, _, plan in worlds], options).rollouts
    outcomes: dict[tuple[int, str], Outcome] = {}
    for (body, how, _, _), verdict, steps in zip(
        worlds, rollouts.verdicts.tolist(), rollouts.steps.tolist(), strict=True
    ):
        # worlds that start later are rolled out beyond the end of an attempt
        solved = verdict == 1 and steps <= MAX_STEPS
        outcomes[body, how] = Outcome(SOLVED if solved else NOT_SOLVED, min(steps, MAX_STEPS))
    return tuple(
        Effect(
            body=body,
            name=body_name(scene, body),
            removed=outcomes.get((body, "removed")),
            first_contact=first[body],
            frozen=outcomes.get((body, "frozen")),
            mattered=any(
                (body, how) in outcomes and outcomes[body, how].status != base.status for how in ("removed", "frozen")
            ),
        )
        for body in first
    )


def _first_contact(body: int, contacts: Sequence[Contact]) -> int | None:
    return next((contact.begin for contact in contacts if body in contact.bodies), None)


def _chain(session: Session, contacts: Sequence[Contact]) -> tuple[Link, ...]:
    """The quickest chain of contacts from a placed ball to the goal."""
    task, scene = session.task, session.scene
    reached, links = _spread(scene, contacts)
    goal_step = session.state.step - session.state.held + 1 if session.state.solved else NEVER
    ends = [body for body in (task.body, task.other) if body in reached and reached[body] <= goal_step]
    if not ends:
        return ()
    end = min(ends, key=lambda body: reached[body])
    chain: list[Link] = []
    body = end
    while body in links:
        chain.append(links[body])
        body = links[body].source
    chain.reverse()
    if session.state.solved and not (chain and {chain[-1].source, chain[-1].target} == {task.body, task.other}):
        other = task.other if end == task.body else task.body
        chain.append(Link(goal_step, end, other, _goal_point(session, contacts, goal_step)))
    return tuple(chain)


def _spread(scene: Scene, contacts: Sequence[Contact]) -> tuple[dict[int, int], dict[int, Link]]:
    """The step in which the motion of the placed balls can first have reached each body, and the contact by which.

    A contact from b to e passes it on in step max(b, t) if its source was reached in step t before e; only dynamic
    bodies pass it on.
    """
    reached = {k: 0 for k, body in enumerate(scene.bodies) if body.role == "placed"}
    links: dict[int, Link] = {}
    changed = True
    while changed:
        changed = False
        for contact in contacts:
            for source, target in (contact.bodies, contact.bodies[::-1]):
                step = max(contact.begin, reached.get(source, NEVER))
                if not scene.bodies[source].dynamic or step >= (NEVER if contact.end is None else contact.end):
                    continue
                if step < reached.get(target, NEVER):
                    reached[target] = step
                    links[target] = Link(step, source, target, contact.point)
                    changed = True
    return reached, links


def _goal_point(session: Session, contacts: Sequence[Contact], step: int) -> tuple[float, float]:
    """Where the goal's bodies touched when the goal began to hold; between their origins if balls were only near."""
    task = session.task
    pair = pair_of(task.body, task.other)
    found = [contact for contact in contacts if contact.bodies == pair and contact.begin <= step]
    if found:
        return found[-1].point
    x, y, _ = session.trajectory[step, [task.body, task.other]].mean(axis=0).tolist()
    return x, y
