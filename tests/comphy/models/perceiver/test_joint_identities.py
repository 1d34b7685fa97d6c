"""Bodies of sets of the div world, from detections made by hand."""

from dataclasses import replace

import numpy as np

from tumble.comphy.catalogue.world import DIV
from tumble.comphy.models.perceiver.identities import (
    MOST_MATERIALS,
    MOST_SHAPES,
    Evidence,
    SetBody,
    find_bodies,
    find_bodies_jointly,
    likely_looks,
)
from tumble.comphy.models.perceiver.targets import look_counts
from tumble.comphy.models.perceiver.tracking import Detections, Track, link_tracks

COUNTS = look_counts(DIV)


def look(color: str, material: str, shape: str) -> int:
    words = DIV.colors.index(color), DIV.materials.index(material), DIV.shapes.index(shape)
    return int(np.ravel_multi_index(words, COUNTS))


WOOD_BOWL, RUBBER_BOWL = look("red", "wood", "bowl"), look("red", "rubber", "bowl")
MUG, CHAIR = look("blue", "metal", "mug"), look("green", "metal", "chair")


def still(
    body: int, x: float, frames: int, sure: float = 0.9, score: float = 0.9
) -> tuple[int, float, int, float, float]:
    """A body at rest, each of whose attributes is seen with a probability."""
    return body, x, frames, sure, score


def video(*bodies: tuple[int, float, int, float, float]) -> Detections:
    frames, scores, centres, looks = [], [], [], []
    for body, x, count, sure, score in bodies:
        parts = [np.full(number, (1.0 - sure) / (number - 1)) for number in COUNTS]
        for part, word in zip(parts, np.unravel_index(body, COUNTS), strict=True):
            part[word] = sure
        joint = np.log(parts[0][:, None, None] * parts[1][:, None] * parts[2]).ravel()
        for frame in range(count):
            frames.append(frame), scores.append(score), centres.append((x, 80.0)), looks.append(joint)
    places = np.array(centres).reshape(-1, 2)
    order = np.argsort(frames, kind="stable")
    boxes = np.concatenate([places - 10.0, places + 10.0], axis=1)
    found = Detections(
        np.array(frames, np.int64),
        np.array(scores, np.float32),
        places,
        np.full(len(frames), 0.5),
        boxes,
        np.zeros(len(frames)),
        np.array(looks).reshape(len(frames), int(np.prod(COUNTS))),
    )
    return found.part(order)


def tracks_of(videos: list[Detections]) -> list[Track]:
    return [track for number, one in enumerate(videos) for track in link_tracks(one, number)]


def bodies_of(videos: list[Detections]) -> list[SetBody]:
    return find_bodies_jointly(tracks_of(videos), videos, DIV)


def test_a_material_that_is_wrong_in_all_frames_of_a_video_does_not_make_a_body() -> None:
    target = video(still(RUBBER_BOWL, 60.0, 125), still(MUG, 150.0, 125))
    references = [video(still(WOOD_BOWL, 80.0, 50), still(MUG, 180.0, 50)), video(still(WOOD_BOWL, 80.0, 50))]
    bodies = bodies_of([target, *references])
    assert [body.look for body in bodies] == sorted([WOOD_BOWL, MUG])
    assert {track.video for track in bodies[0].tracks} == {0, 1, 2}
    assert len(find_bodies(tracks_of([target, *references]))) == 3


def test_bodies_seen_at_the_same_time_stay_apart() -> None:
    videos = [video(still(RUBBER_BOWL, 60.0, 40), still(WOOD_BOWL, 150.0, 40)) for _ in range(3)]
    assert [body.look for body in bodies_of(videos)] == sorted([RUBBER_BOWL, WOOD_BOWL])


def test_unsure_detections_of_the_floor_make_no_body() -> None:
    floor = still(CHAIR, 200.0, 9, score=0.4)
    videos = [video(still(MUG, 60.0, 125), floor), video(still(MUG, 90.0, 50), floor)]
    assert [body.look for body in bodies_of(videos)] == [MUG]


def test_no_detections_give_no_bodies() -> None:
    assert bodies_of([video(), video()]) == []


def test_looks_are_different_and_of_few_shapes_and_materials() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        evidence = [Evidence(tuple(random.normal(0.0, 2.0, count) for count in COUNTS)) for _ in range(5)]
        evidence[4] = evidence[0]
        looks = likely_looks(evidence, DIV)
        _, materials, shapes = np.unravel_index(looks, COUNTS)
        assert len(set(looks)) == 5
        assert len(set(materials)) <= MOST_MATERIALS
        assert len(set(shapes)) <= MOST_SHAPES


def test_the_surest_looks_are_kept_where_a_set_has_too_many_materials() -> None:
    materials = [np.eye(5)[k] * (3.0 if k < 3 else 1.0) for k in range(4)]
    materials[3][0] = 0.5
    evidence = [Evidence((np.zeros(8), material, np.eye(13)[0])) for material in materials]
    chosen = np.unravel_index(likely_looks(evidence, DIV), COUNTS)[1]
    assert chosen.tolist() == [0, 1, 2, 0]


def test_a_track_within_a_gap_of_another_one_joins_its_body_by_where_it_is() -> None:
    target = video(still(MUG, 100.0, 60), still(CHAIR, 200.0, 60))
    gap = (target.frames >= 30) & (target.frames < 40) & (target.centres[:, 0] == 100.0)
    bucket = video(still(look("blue", "metal", "bucket"), 0.0, 1)).looks
    swapped = replace(target, looks=np.where(gap[:, None], bucket, target.looks))
    long, short, other = (Track(0) for _ in range(3))
    for at, frame in enumerate(target.frames.tolist()):
        chosen = other if target.centres[at, 0] == 200.0 else short if gap[at] else long
        chosen.add(at, frame, target.centres[at], swapped.looks[at])
    reference = video(still(MUG, 50.0, 50), still(CHAIR, 150.0, 50))
    bodies = find_bodies_jointly([long, short, other, *link_tracks(reference, 1)], [swapped, reference], DIV)
    assert [body.look for body in bodies] == sorted([MUG, CHAIR])
    assert [body.detections for body in bodies if body.look == MUG] == [110]


def test_a_frame_in_which_a_body_is_seen_twice_is_counted_once() -> None:
    target, reference = video(still(MUG, 100.0, 60), still(MUG, 104.0, 60)), video(still(MUG, 60.0, 50))
    first, second = Track(0), Track(0)
    for at, frame in enumerate(target.frames.tolist()):
        if target.centres[at, 0] == 100.0 and frame < 42:
            first.add(at, frame, target.centres[at], target.looks[at])
        if target.centres[at, 0] == 104.0 and frame >= 40:
            second.add(at, frame, target.centres[at], target.looks[at])
    (body,) = find_bodies_jointly([first, second, *link_tracks(reference, 1)], [target, reference], DIV)
    assert sorted(frame for track in body.tracks if track.video == 0 for frame in track.frames) == list(range(60))


def test_a_body_is_not_in_a_reference_by_a_few_detections() -> None:
    videos = [video(still(MUG, 60.0, 125)), video(still(MUG, 90.0, 50)), video(still(MUG, 90.0, 3))]
    (body,) = bodies_of(videos)
    assert {track.video for track in body.tracks} == {0, 1}
