"""The accuracy of concepts: whole for the truth, lower for every error, and no better by calling all bodies light."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tumble.comphy.agents.agent import Concepts, Explanation
from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body
from tumble.comphy.catalogue.video_set import Family, VideoSet
from tumble.comphy.evaluation.metrics import (
    CONCEPTS,
    ConceptCounts,
    TrueTarget,
    correct_properties,
    count_concepts,
    total_counts,
)
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.questions.symbolic_scene import symbolic_scene


@cache
def made(family: Family) -> VideoSet:
    return make_set(3, family, seed=5)


def truth_of(videos: VideoSet) -> TrueTarget:
    return TrueTarget(videos.bodies, videos.target)


@pytest.mark.parametrize("family", ["mass", "charge"])
def test_the_truth_is_right_about_everything(family: Family) -> None:
    videos = made(family)
    counts = count_concepts(Explanation(videos.bodies, scene=symbolic_scene(videos)), truth_of(videos))
    assert tuple(counts.counts) == CONCEPTS
    assert all(count.accuracy == 100.0 for count in counts.counts.values())
    assert counts.counts["collision"].positive > 0
    assert counts.family == family


def test_calling_all_bodies_light_is_half_right_at_best() -> None:
    videos = made("mass")
    light = tuple(replace(body, mass=LIGHT) for body in videos.bodies)
    mass = count_concepts(Explanation(light), truth_of(videos)).counts["mass"]
    assert mass.accuracy == 100.0 * (len(light) - 1) / len(light)
    assert mass.balanced == 50.0
    assert correct_properties(light, truth_of(videos)) == "charges"


def test_charges_are_right_up_to_a_common_sign() -> None:
    videos = made("charge")
    opposite = tuple(replace(body, charge=-body.charge) for body in videos.bodies)
    assert count_concepts(Explanation(opposite), truth_of(videos)).counts["charge"].accuracy == 100.0
    assert correct_properties(opposite, truth_of(videos)) == "both"
    charged = next(k for k, body in enumerate(videos.bodies) if body.is_charged)
    one_wrong = tuple(
        replace(body, charge=-body.charge if k == charged else body.charge) for k, body in enumerate(opposite)
    )
    assert count_concepts(Explanation(one_wrong), truth_of(videos)).counts["charge"].accuracy < 100.0
    assert correct_properties(one_wrong, truth_of(videos)) == "masses"


def test_bodies_are_found_in_any_order_and_missing_ones_are_wrong() -> None:
    videos = made("mass")
    backwards = tuple(reversed(videos.bodies))
    assert correct_properties(backwards, truth_of(videos)) == "both"
    assert correct_properties(backwards[1:], truth_of(videos)) == "neither"
    counts = count_concepts(Explanation(backwards[1:]), truth_of(videos)).counts
    assert counts["color"] == (len(backwards) - 1, len(backwards), 0, 0)
    extra = (*backwards, Body("purple", "rubber", "cube", mass=HEAVY))
    assert correct_properties(extra, truth_of(videos)) == "charges"


def test_beliefs_of_models_without_a_scene_are_in_the_order_of_their_bodies() -> None:
    videos = made("mass")
    explained = Explanation(videos.bodies, scene=symbolic_scene(videos))
    true = explained.visible_concepts()
    assert true is not None
    last = len(videos.bodies) - 1
    backwards = Concepts(
        *(values[::-1] for values in (true.moving, true.stationary, true.enters, true.leaves)),
        frozenset((last - second, last - first) for first, second in true.collisions),
    )
    own = Explanation(tuple(reversed(videos.bodies)), concepts=backwards)
    assert count_concepts(own, truth_of(videos)).counts == count_concepts(explained, truth_of(videos)).counts
    none = replace(backwards, collisions=frozenset(), moving=np.zeros_like(backwards.moving))
    counts = count_concepts(replace(own, concepts=none), truth_of(videos)).counts
    assert counts["collision"].correct_positive == 0
    assert counts["moving"].accuracy < 100.0


def test_counts_are_read_back_from_their_text() -> None:
    videos = made("charge")
    counts = count_concepts(Explanation(videos.bodies, scene=symbolic_scene(videos)), truth_of(videos))
    assert ConceptCounts.of_text(str(counts)) == counts
    assert ConceptCounts.of_text("") == ConceptCounts()
    assert total_counts([counts, counts])["color"].total == 2 * len(videos.bodies)


def test_a_model_without_bodies_has_no_counts() -> None:
    assert count_concepts(Explanation(), truth_of(made("mass"))) == ConceptCounts()
