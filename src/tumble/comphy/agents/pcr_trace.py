"""PCR's scores in words: the steps of a program, and the concepts that it predicts."""

import numpy as np
import torch

from tumble.comphy.agents.explanation import Concepts
from tumble.comphy.models.pcr.executor import answers
from tumble.comphy.models.pcr.network import LAYOUT
from tumble.comphy.models.pcr.operators import Mass, Scores, Value, Weights
from tumble.comphy.models.pcr.question_table import Asked
from tumble.comphy.models.pcr.reason import Understanding
from tumble.comphy.models.pcr.slots import COLLISION, END, IN, OUT, START
from tumble.comphy.questions.interpreter import Step

_KIND_NAMES = {IN: "in", OUT: "out", COLLISION: "collision", START: "start", END: "end"}


def trace_steps(found: Understanding, one: Asked) -> tuple[Step, ...]:
    """The steps of a program in words, each with its result."""
    return tuple(Step(operation, _text(found, one, value)) for operation, value in found.trace(one))


def visible_concepts(found: Understanding) -> Concepts:
    """What the network believes about the shown frames."""
    scores, count = found.scenes.scores, len(found.kept)
    happens = (scores.events[0] > 0).tolist()
    slots = [k for k in range(len(LAYOUT)) if happens[k]]
    entered, left = ({LAYOUT.members[k][0] for k in slots if LAYOUT.kinds[k] == kind} for kind in (IN, OUT))
    moving = (scores.moving[0, :count] > 0).numpy()
    return Concepts(
        moving[:, 0],
        moving[:, 1],
        np.array([body in entered for body in range(count)]),
        np.array([body in left for body in range(count)]),
        frozenset((LAYOUT.members[k][0], LAYOUT.members[k][1]) for k in slots if LAYOUT.kinds[k] == COLLISION),
    )


def _text(found: Understanding, one: Asked, value: Value) -> str:
    if isinstance(value, Scores | Weights):
        chosen = value.values[0] > (0.0 if isinstance(value, Scores) else 0.5)
        names = [_name(found, value.of, k) for k in torch.nonzero(chosen).flatten().tolist()]
        return ", ".join(name for name in names if name) or "none"
    if isinstance(value, Mass):
        return "heavy" if float(value.heavy[0]) > 0 else "light"
    return answers(one.compiled.skeleton, value)[0]


def _name(found: Understanding, of: str, number: int) -> str:
    if of == "body":
        return str(found.bodies[number]) if number < len(found.bodies) else ""
    members = LAYOUT.pairs[number] if of == "pair" else LAYOUT.members[number]
    bodies = " and ".join(str(found.bodies[k]) for k in members if k < len(found.bodies))
    if of == "pair":
        return f"collision of {bodies}"
    frame = int(found.scenes.scores.frames[0, number])
    kind = _KIND_NAMES[LAYOUT.kinds[number]]
    return f"{kind} of {bodies} at frame {frame}" if bodies else kind
