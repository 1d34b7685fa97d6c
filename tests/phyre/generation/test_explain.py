"""Explanations: counterfactuals of each body, and the chain of contacts, in a scene whose causes are known."""

from dataclasses import replace

import numpy as np
import pytest

from tumble import engine, phyre
from tumble.phyre.catalogue.task import MATERIAL
from tumble.phyre.generation.explain import contacts_of
from tumble.scene import Body, Circle, box


def ball(x: float, y: float, radius: float, name: str, role: str = "", **fields: object) -> Body:
    return Body((Circle(radius),), (x, y), dynamic=True, name=name, role=role, **{**MATERIAL, **fields})  # type: ignore


def relay() -> phyre.Task:
    """A ball dropped on the left end of a row: it hits a middle ball, which pushes the green ball onto the pad.

    The shelf carries all three, the bystander lies elsewhere.
    """
    base = phyre.task("00000:000").scene
    walls = base.bodies[:4]
    bodies = (
        *walls,
        Body((box(150.0, 6.0),), (95.0, 100.0), name="shelf"),
        ball(130.0, 113.0, 10.0, "middle"),
        ball(158.0, 113.0, 10.0, "green", "object"),
        Body((box(100.0, 6.0),), (220.0, 3.0), name="pad", role="subject"),
        ball(30.0, 10.0, 10.0, "bystander"),
        Body((box(6.0, 60.0),), (140.0, 30.0), name="left rim"),
        Body((box(60.0, 6.0),), (40.0, 135.0), angle=-0.6, name="ramp"),
    )
    return phyre.Task("relay:000", "B", replace(base, bodies=bodies), 6, 7)


ACTION = phyre.actions.from_balls(np.array([[[40.0, 160.0, 12.0]]]))[0]


@pytest.fixture(scope="module")
def explanation() -> phyre.Explanation:
    return phyre.explain(relay(), ACTION)


def test_who_mattered(explanation: phyre.Explanation) -> None:
    assert explanation.solved
    names = {explanation.effects[body].name for body in explanation.mattered}
    assert {"the placed ball", "the shelf", "the ramp"} <= names
    assert not names & {"the bystander", "the left wall", "the top wall"}
    of = {effect.name: effect for effect in explanation.effects}
    assert of["the green"].removed is None
    assert of["the top wall"].removed == phyre.explain(relay(), ACTION).effects[2].removed
    assert of["the placed ball"].removed is not None
    still = phyre.Simulator([relay()], "B").rollout(relay())
    assert (of["the placed ball"].removed.status, of["the placed ball"].removed.steps) == (still.status, still.steps)


def test_the_chain_of_contacts(explanation: phyre.Explanation) -> None:
    names = [explanation.scene.bodies[link.source].name or "placed" for link in explanation.chain]
    names.append(explanation.scene.bodies[explanation.chain[-1].target].name)
    assert names == ["placed", "middle", "green", "pad"]
    steps = [link.step for link in explanation.chain]
    assert steps == sorted(steps)
    assert steps[-1] == explanation.steps - 179


def test_a_failing_attempt() -> None:
    """A ball on the floor touches nothing of the chain; nothing that is removed makes it solve."""
    failing = phyre.explain(relay(), phyre.actions.from_balls(np.array([[[60.0, 20.0, 4.0]]]))[0])
    assert not failing.solved
    assert failing.chain == ()
    assert failing.mattered == ()


def test_contacts_of_shapes_are_contacts_of_bodies() -> None:
    """Two shapes of body 2 touch body 1 at overlapping times: one contact, from the first begin to the last end."""
    events = np.zeros(4, engine.EVENT)
    events["step"] = [3, 5, 8, 9]
    events["begin"] = [True, True, False, False]
    events["body_a"], events["body_b"] = 2, 1
    (contact,) = contacts_of(events)
    assert (contact.begin, contact.end, contact.bodies) == (3, 9, (1, 2))
