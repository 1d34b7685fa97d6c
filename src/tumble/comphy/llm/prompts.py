"""The texts of prompts: the rules of the world, what the videos show, and a question.

What is the same for all questions about a set comes before the question, so that providers can cache it.
"""

import math

from tumble.comphy.catalogue.body import HEAVY, LIGHT
from tumble.comphy.catalogue.task import Question
from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    DIV,
    FRAMES_PER_SECOND,
    PLAIN,
    RADIUS,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    TARGET_FRAMES,
    ObjectWorld,
)
from tumble.comphy.llm.answers import LETTERS, answer_form
from tumble.comphy.llm.settings import PuzzleSettings
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import APART_FRAMES, MOVING_SPEED
from tumble.comphy.simulation.laws import RESTITUTION

PROMPT_VERSION = "comphy-1"
"""Changes whenever any byte of a prompt changes, in any mode."""

_SHOWN_SECONDS = SHOWN_FRAMES // FRAMES_PER_SECOND
_NEXT_SECONDS = (TARGET_FRAMES - SHOWN_FRAMES) // FRAMES_PER_SECOND
_BODIES = {
    PLAIN.name: f"""\
- Bodies are cubes (side {2 * CUBE_HALF_SIZE:g} units), spheres and cylinders (radius {RADIUS:g}), of rubber or metal. \
They slide upright on the table, spheres roll. Color and material have no effect on motion.
- Cubes and cylinders slow down until they rest, spheres slow down less. Bodies that collide part with about \
{RESTITUTION:g} of their closing speed.
""",
    DIV.name: f"""\
- Bodies are everyday objects: {", ".join(DIV.shapes)}. They are 0.2 to 0.6 units wide and high, of \
{", ".join(DIV.materials)}. They slide upright on the table. Color and material have no effect on motion.
- Bodies slow down until they rest. Bodies that collide part with about {RESTITUTION:g} of their closing speed.
""",
}
"""What is said about bodies and how they move, by the name of a world."""
_RULES = f"""\
You watch short videos of a few bodies on a table and answer a question about them. The target video lasts \
{_SHOWN_SECONDS} s; the reference videos, {REFERENCE_FRAMES // FRAMES_PER_SECOND} s each, show some of the same bodies \
from other starts.

The world
{{bodies}}- Two properties can't be seen, only inferred from motion, and are the same in all videos:
  mass: one body may be heavy (mass {HEAVY}), all others are light (mass {LIGHT}); the lighter one of two bodies that \
collide is deflected more;
  charge: two bodies may be charged, all others are uncharged; equal charges repel and opposite charges attract each \
other, with a force that falls with the square of the distance.

Words of the questions
- The video is the target video. A body is in view while its center is in the picture. It enters or exits the scene \
when it comes into view or leaves it, after the first frame.
- Two bodies collide when they touch in view, having been apart for {APART_FRAMES / FRAMES_PER_SECOND:g} s or more.
- A body moves at a time if it is in view and faster than {MOVING_SPEED:g} units/s, and is stationary if it is in \
view and slower. Without a time: a moving body moves at some time of the video, a stationary one at none.
- Left, right, up and down are directions in the picture; up is away from the camera.
- What happens next: in the {_NEXT_SECONDS} s after the end of the target video.
- If a body were heavier (mass {HEAVY}), lighter (mass {LIGHT}), uncharged or oppositely charged (the other sign): the \
{_SHOWN_SECONDS} s of the target video again from the same start, with this one change.
- An option is correct if it answers the question: if this asks what would not happen, the events that would not.

You may think before you answer. The last thing that you write must be one JSON object as the question asks for."""


def system_text(world: ObjectWorld = PLAIN) -> str:
    """The rules of a world, the words of the questions, and how to answer."""
    return _RULES.replace("{bodies}", _BODIES[world.name])


def tracks_text(settings: PuzzleSettings) -> str:
    """What tables of tracks mean."""
    distance, height = math.hypot(*CAMERA.position[:2]), CAMERA.position[2]
    return (
        f"Tracks of the bodies in view, every {settings.every / FRAMES_PER_SECOND:g} s: time in s; then x and y of "
        "each body's center on the table, in units: x to the right in the picture, y away from the camera, 0 0 in the "
        f"middle of the picture. The camera is above 0 -{distance:.2f}, at height {height:.2f}. A dash: not in view."
    )


def pictures_text() -> str:
    """What the pictures are."""
    return "Frames of the videos, evenly spaced from the first to the last, with the time below each."


def question_text(question: Question, world: ObjectWorld = PLAIN) -> str:
    """A question about a set of a world with its options, and what an answer looks like."""
    options = [f"{letter}: {choice.text}" for letter, choice in zip(LETTERS, question.choices, strict=False)]
    return "\n".join([f"Question: {question.text}", *options, answer_form(question, world)])
