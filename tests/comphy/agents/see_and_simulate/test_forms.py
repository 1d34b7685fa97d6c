"""Forms of objects are told by their boxes."""

from dataclasses import replace

from div_set import BODIES, div_set

from tumble.comphy.agents.see_and_simulate.measure import estimated_forms
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.perceiver.perceive import perception_of


def test_forms_are_those_of_the_most_similar_boxes() -> None:
    bodies = tuple(replace(body, form=form) for body, form in zip(BODIES, (3, 11, 20), strict=True))
    perception = perception_of(observe_videos(replace(div_set(), bodies=bodies)))
    found = estimated_forms(replace(perception, forms=()))
    assert found[:2] == (3, 11)  # bottles of different forms may be as large
    assert perception.forms == (3, 11, 20)
