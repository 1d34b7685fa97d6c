"""A set and questions written by hand, for tests that need no physics."""

import numpy as np

from tumble.comphy.catalogue.body import DECIMALS, HEAVY, Body, Collision, Motion
from tumble.comphy.catalogue.task import CORRECT, WRONG, Choice, Question, QuestionSet
from tumble.comphy.catalogue.video_set import Reference, VideoSet, alterations
from tumble.comphy.catalogue.world import REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.observation.camera import CAMERA

BODIES = (
    Body("red", "rubber", "cube", mass=HEAVY),
    Body("blue", "metal", "sphere"),
    Body("gray", "metal", "cylinder"),
)


def motion(bodies: int, frames: int, seed: int) -> Motion:
    """Bodies that slide along straight lines and turn randomly, with two collisions."""
    draws = np.random.default_rng(seed)
    velocities = np.tile(draws.normal(0.0, 0.7, (bodies, 3)) * (1, 1, 0), (frames, 1, 1))
    starts = draws.uniform(-2.0, 2.0, (bodies, 3)) * (1, 1, 0) + (0, 0, 0.2)
    positions = starts + np.arange(frames)[:, None, None] / 25.0 * velocities
    orientations = draws.normal(size=(frames, bodies, 4))
    orientations /= np.linalg.norm(orientations, axis=-1, keepdims=True)
    return Motion(
        positions=np.round(positions, DECIMALS),
        orientations=np.round(orientations, DECIMALS),
        velocities=np.round(velocities, DECIMALS),
        angular_velocities=np.round(draws.normal(size=(frames, bodies, 3)), DECIMALS),
        in_view=CAMERA.sees(np.round(positions, DECIMALS)),
        collisions=(Collision(33, 0, 1), Collision(341, 0, 1)),
    )


def video_set(index: int = 7) -> VideoSet:
    """A mass set of three bodies."""
    members = ((0, 1), (2, 1), (0, 2), (1, 0, 2))
    return VideoSet(
        index=index,
        seed=1,
        family="mass",
        bodies=BODIES,
        target=motion(3, TARGET_FRAMES, index),
        references=tuple(
            Reference(members[k], motion(len(members[k]), REFERENCE_FRAMES, 100 * index + k))
            for k in range(REFERENCE_COUNT)
        ),
        altered={change: motion(3, SHOWN_FRAMES, 50 + k) for k, change in enumerate(alterations(BODIES))},
    )


def question_set(index: int = 7) -> QuestionSet:
    """A question of each kind."""
    options = (
        Choice(0, "The red cube and the blue sphere would collide", ("all_events", "unique"), CORRECT),
        Choice(1, "The gray cylinder would collide with the blue sphere", ("all_events", "unique"), WRONG),
    )
    return QuestionSet(
        index,
        (
            Question(0, "factual", "object_count", "How many heavy cubes are there?", ("objects", "count"), "1"),
            Question(1, "predictive", "next", "What will happen next?", ("unseen_events", "belong_to"), None, options),
            Question(2, "counterfactual", "lighter", "If …?", ("counterfact_lighter", "belong_to"), None, options[:1]),
        ),
    )
