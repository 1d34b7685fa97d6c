"""The concept scores of a true scene: what a network that knows everything would give; to test and to find errors."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.body import Body, world_of_bodies
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.models.pcr.concept_scores import LIMIT, Altered, ConceptScores
from tumble.comphy.models.pcr.slots import COLLISION, END, IN, OUT, START, SlotLayout
from tumble.comphy.models.pcr.words import NONE, OPPOSITE, SAME, words_of
from tumble.comphy.questions.program import NULL
from tumble.comphy.questions.symbolic_scene import VISIBLE_KINDS, ProgramContext, SymbolicScene, shown_frame
from tumble.comphy.simulation.events import DIRECTIONS, Event

_KINDS = {"in": IN, "out": OUT, "collision": COLLISION}


def true_scores(scene: SymbolicScene, layout: SlotLayout) -> ConceptScores:
    """The scores of one true scene, [1, …]; events beyond the slots of the layout are left out."""
    context = ProgramContext(scene)
    frames, happens = _true_slots(scene, layout)
    count = len(scene.bodies)
    known = words_of(world_of_bodies(scene.bodies)).all
    words = np.zeros((layout.bodies, len(known)), bool)
    directions = np.zeros((layout.bodies, len(frames) + 1, len(DIRECTIONS)), bool)
    moving = np.zeros((layout.bodies, len(frames) + 1, 2), bool)
    moments: list[int | str] = [*map(shown_frame, frames), NULL]
    for place, moment in enumerate(moments):
        is_moving, is_visible = context.moving_in(moment), context.visible_in(moment)
        moving[:count, place, 0], moving[:count, place, 1] = is_moving, is_visible & ~is_moving
    for body, properties in enumerate(scene.bodies):
        words[body] = [word in properties.appearance for word in known]
        for place, moment in enumerate(moments):
            directions[body, place] = [context.direction(body, moment) == word for word in DIRECTIONS]
    heavy, relations = property_scores(scene.bodies, layout)
    return ConceptScores(
        present=torch.arange(layout.bodies)[None] < count,
        words=_sure(words),
        moving=_sure(moving[:, -1]),
        moving_at=_sure(moving[:, :-1]),
        direction=_sure(directions[:, -1]),
        direction_at=_sure(directions[:, :-1]),
        events=_sure(happens),
        frames=torch.tensor(frames)[None],
        heavy=heavy,
        relations=relations,
        future=collision_scores(scene.future_events, layout)[None],
    )


def property_scores(bodies: Sequence[Body], layout: SlotLayout) -> tuple[Tensor, Tensor]:
    """The scores of known properties: heavy [1, body], and log probabilities of relations [1, body, body, 3]."""
    heavy = np.zeros(layout.bodies, bool)
    heavy[: len(bodies)] = [body.is_heavy for body in bodies]
    charges = np.zeros(layout.bodies, int)
    charges[: len(bodies)] = [body.charge for body in bodies]
    products = np.outer(charges, charges) * (1 - np.eye(layout.bodies, dtype=int))
    relations = np.select([products > 0, products < 0], [SAME, OPPOSITE], NONE)
    sure = torch.nn.functional.one_hot(torch.from_numpy(relations).long(), 3) * LIMIT
    return _sure(heavy), sure.to(torch.float32).log_softmax(-1)[None]


def true_changes(scene: SymbolicScene, layout: SlotLayout) -> Altered:
    """The collisions of the true counterfactual worlds; none after a change that questions are not about."""
    worlds = torch.full((layout.bodies, len(CHANGES), len(layout.pairs)), -LIMIT)
    for body in range(len(scene.bodies)):
        for k, change in enumerate(CHANGES):
            worlds[body, k] = collision_scores(scene.altered_events.get(Alteration(body, change), ()), layout)

    def altered(body: Tensor, change: Tensor) -> Tensor:
        return worlds[body.argmax(-1), change]

    return altered


def _true_slots(scene: SymbolicScene, layout: SlotLayout) -> tuple[list[int], np.ndarray]:
    """The frame of each slot, and whether its event happens."""
    frames, happens = [0] * len(layout), np.zeros(len(layout), bool)
    numbers: dict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
    for event in scene.shown_events:
        if event.kind not in VISIBLE_KINDS:
            continue
        key = _KINDS[event.kind], event.bodies
        number = numbers[key]
        numbers[key] += 1
        if number < (layout.collisions if event.kind == "collision" else layout.passages):
            slot = layout.slot_of(*key, number)
            frames[slot], happens[slot] = event.frame, True
    for kind, frame in ((START, 0), (END, SHOWN_FRAMES)):
        slot = layout.kinds.index(kind)
        frames[slot], happens[slot] = frame, True
    return frames, happens


def collision_scores(events: tuple[Event, ...], layout: SlotLayout) -> Tensor:
    """[pair]: whether each pair collides."""
    colliding = {event.bodies for event in events if event.kind == "collision"}
    return torch.tensor([LIMIT if pair in colliding else -LIMIT for pair in layout.pairs])


def _sure(holds: np.ndarray) -> Tensor:
    """Scores [1, …] of what is known."""
    return torch.where(torch.from_numpy(holds), LIMIT, -LIMIT)[None]
