"""Forms of objects are told by their boxes."""

from dataclasses import replace

import numpy as np
from div_set import BODIES, div_set

from tumble.comphy.agents.see_and_simulate.forms import estimated_forms
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.data.outline_points import outline_points
from tumble.comphy.models.perceiver.from_observation import perception_of


def test_forms_of_about_the_same_size_are_found() -> None:
    bodies = tuple(replace(body, form=form) for body, form in zip(BODIES, (3, 11, 20), strict=True))
    perception = perception_of(observe_videos(replace(div_set(), bodies=bodies)))
    found = estimated_forms(replace(perception, forms=()))
    for body, form in zip(bodies, found, strict=True):
        assert (
            np.abs(np.ptp(outline_points(body.shape, form) - outline_points(body.shape, body.form), axis=0)).max() < 0.1
        )
    assert perception.forms == (3, 11, 20)
