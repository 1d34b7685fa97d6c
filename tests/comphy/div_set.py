"""Sets of the div world for tests of models: objects that slide along straight lines, and a few questions."""

from dataclasses import replace

import numpy as np
from sample_questions import factual
from sample_set import motion, video_set

from tumble.comphy.catalogue.body import HEAVY, Body, Motion, yaw_quaternions
from tumble.comphy.catalogue.task import CORRECT, WRONG, Choice, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Reference, Stage, VideoSet
from tumble.comphy.catalogue.world import REFERENCE_FRAMES, TARGET_FRAMES
from tumble.comphy.models.data.packed_sets import PackedSets, pack_sets

BODIES = (
    Body("red", "wood", "mug", HEAVY, form=958),
    Body("blue", "ceramic", "chair", form=1),
    Body("gray", "metal", "bottle", form=45),
)
STAGE = Stage("planks", "window", 5)
RED, CHAIR = ("objects", "red", "filter_color", "unique"), ("objects", "chair", "filter_shape", "unique")
WORDS = {
    "color": ("objects", "mug", "filter_shape", "unique", "query_color"),
    "shape": (*RED, "query_shape"),
    "material": (*CHAIR, "query_material"),
    "heavy": ("objects", "wood", "filter_material", "filter_heavy", "count"),
}


def upright(bodies: int, frames: int, seed: int) -> Motion:
    """Objects that slide near the middle of the picture and keep their headings."""
    moved = motion(bodies, frames, seed)
    headings = np.random.default_rng(seed).uniform(-3.0, 3.0, bodies)
    return replace(
        moved,
        positions=moved.positions * (0.4, 0.4, 1.0),
        orientations=np.broadcast_to(yaw_quaternions(headings), (frames, bodies, 4)).round(6),
        in_view=np.ones((frames, bodies), bool),
    )


def div_set(index: int = 3) -> VideoSet:
    """A set of three objects on a stage."""
    references = tuple(
        Reference(one.members, upright(len(one.members), REFERENCE_FRAMES, 9 * index + k))
        for k, one in enumerate(video_set().references)
    )
    target = upright(len(BODIES), TARGET_FRAMES, index)
    return VideoSet(index, 1, "mass", BODIES, target, references, {}, stage=STAGE)


def div_questions(index: int = 3) -> QuestionSet:
    """Factual questions, one about the future and one about a change, with two options each."""
    answers = {"color": "red", "shape": "mug", "material": "ceramic", "heavy": "1"}
    asked = [
        factual(k, f"What is the {name} of the red wood mug?", " ".join(program), answers[name])
        for k, (name, program) in enumerate(WORDS.items())
    ]
    collides = ("events", *RED, "filter_collision", *CHAIR, "filter_collision", "unique")
    bottle = (
        "events",
        *RED,
        "filter_collision",
        "objects",
        "bottle",
        "filter_shape",
        "unique",
        "filter_collision",
        "unique",
    )
    options = (
        Choice(0, "The red mug collides with the chair", collides, CORRECT),
        Choice(1, "The red mug collides with the bottle", bottle, WRONG),
    )
    change = ("all_events", *RED, "counterfact_lighter", "filter_counterfact", "belong_to")
    future = ("unseen_events", "belong_to")
    asked.append(Question(4, "predictive", "", "What will happen next?", future, None, options))
    text = "What would happen if the red mug were lighter?"
    asked.append(Question(5, "counterfactual", "", text, change, None, options))
    return QuestionSet(index, tuple(asked))


def packed_div(count: int = 2) -> PackedSets:
    """Some sets, packed."""
    return pack_sets([(div_set(index), div_questions(index)) for index in range(count)])
