"""Tracks and identities from detections made by hand."""

import numpy as np

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.perceiver.identities import find_bodies
from tumble.comphy.models.perceiver.targets import look_counts
from tumble.comphy.models.perceiver.tracking import Detections, link_tracks, without_duplicates

RED, BLUE, GREEN = 6, 14, 20
"""Indices of looks."""


def detections(
    frames: list[int], centres: list[tuple[float, float]], looks: list[int], sure: float = 6.0
) -> Detections:
    """Detections of given looks, each more probable by `sure` nats than any other."""
    count = len(frames)
    order = np.argsort(frames, kind="stable")
    logits = np.zeros((count, int(np.prod(look_counts(PLAIN)))))
    logits[np.arange(count), looks] = sure
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    places = np.array(centres, float).reshape(count, 2)
    boxes = np.concatenate([places - 10.0, places + 10.0], axis=1)
    found = Detections(
        np.array(frames), np.ones(count, np.float32), places, np.full(count, 0.5), boxes, np.zeros(count), logs
    )
    return found.part(order)


def test_bodies_that_cross_keep_their_tracks() -> None:
    frames = range(30)
    going = [(20.0 + 4 * k, 80.0) for k in frames]
    coming = [(140.0 - 4 * k, 82.0) for k in frames]
    found = detections([*frames, *frames], [*going, *coming], [RED] * 30 + [BLUE] * 30)
    tracks = link_tracks(found)
    assert [len(track) for track in tracks] == [30, 30]
    for track in tracks:
        assert len(set(found.looks[track.detections].argmax(axis=1))) == 1


def test_a_body_that_is_hidden_for_long_is_joined_by_its_looks() -> None:
    frames = [*range(20), *range(45, 60)]
    centres = [(20.0 + 3 * k, 60.0) for k in frames]
    tracks = link_tracks(detections(frames, centres, [RED] * len(frames)))
    assert len(tracks) == 2
    bodies = find_bodies(tracks)
    assert [body.look for body in bodies] == [RED]
    assert bodies[0].detections == len(frames)


def test_identities_hold_over_videos_and_wrong_detections_are_dropped() -> None:
    first = detections(
        [*range(10), *range(10), 4],
        [(30.0, 40.0)] * 10 + [(90.0, 90.0)] * 10 + [(200.0, 20.0)],
        [RED] * 10 + [BLUE] * 10 + [1],
    )
    # The blue body is once taken for a green one; a third body is seen only in the second video.
    second = detections(
        [*range(8), *range(8)], [(30.0, 40.0)] * 8 + [(150.0, 90.0)] * 8, [BLUE] * 4 + [GREEN] + [BLUE] * 3 + [47] * 8
    )
    bodies = find_bodies([*link_tracks(first, 0), *link_tracks(second, 1)])
    assert [body.look for body in bodies] == [RED, BLUE, 47]
    assert [sorted({track.video for track in body.tracks}) for body in bodies] == [[0], [0, 1], [1]]
    assert bodies[1].detections == 18


def test_duplicates_go_and_touching_bodies_stay() -> None:
    found = detections([0, 0, 0, 1], [(50.0, 50.0), (53.0, 50.0), (50.0, 59.0), (51.0, 50.0)], [RED, BLUE, BLUE, RED])
    found.scores[:] = (0.9, 0.5, 0.8, 0.4)
    kept = without_duplicates(found)
    assert kept.frames.tolist() == [0, 0, 1]
    np.testing.assert_allclose(kept.centres[:, 1], [50, 59, 50])


def test_no_detections_give_no_bodies() -> None:
    assert find_bodies(link_tracks(detections([], [], []))) == []
