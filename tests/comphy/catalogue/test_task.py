"""What a task gives: only what can be seen, unless an agent declares that it uses the truth; what it asked for."""

import gc
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from generated_dataset import made, made_div
from sample_questions import question_set
from sample_set import video_set

from tumble.comphy.catalogue.body import HEAVY, Body, Motion
from tumble.comphy.catalogue.task import AgentInputError, Observation, Task, Use
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import REFERENCE_FRAMES, SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.dataset.json_files import DataError
from tumble.comphy.dataset.load import open_dataset
from tumble.comphy.dataset.observe import observe_stored, observe_videos, stored_pictures

ARRAYS = ("positions", "orientations", "velocities", "angular_velocities")


def reachable(root: object) -> list[Any]:
    """Every object that can be reached from one, through attributes, containers and closures, but not modules."""
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in found or isinstance(value, (type, ModuleType, str, int, float)):
            continue
        found[id(value)] = value
        if isinstance(value, FunctionType):
            waiting += [cell.cell_contents for cell in value.__closure__ or ()]
            waiting += list(value.__defaults__ or ())
        else:
            waiting += gc.get_referents(value)
            waiting += list(getattr(value, "__dict__", {}).values())
    return list(found.values())


def motions_of(videos: VideoSet) -> list[Motion]:
    return [videos.target, *(reference.motion for reference in videos.references)]


def tracks_of(observation: Observation) -> list[Motion]:
    return [observation.target.track, *(reference.track for reference in observation.references)]


@pytest.mark.parametrize("stored", [False, True])
def test_states_are_seen_only_in_view_and_in_the_shown_frames(stored: bool) -> None:
    videos = open_dataset(made()).example(0).videos if stored else video_set()
    observation = observe_stored(open_dataset(made()), 0) if stored else observe_videos(videos)
    assert [tuple(one) for one in observation.appearances] == [body.appearance for body in videos.bodies]
    assert [one.members for one in observation.references] == [one.members for one in videos.references]
    assert observation.target.track.frames == SHOWN_FRAMES
    assert all(track.frames == REFERENCE_FRAMES for track in tracks_of(observation)[1:])
    assert any((~motion.in_view).any() for motion in motions_of(videos)), "nothing is out of view"
    for track, motion in zip(tracks_of(observation), motions_of(videos), strict=True):
        in_view = motion.in_view[: track.frames]
        assert (track.in_view == in_view).all()
        for name in ARRAYS:
            seen, true = getattr(track, name), getattr(motion, name)[: track.frames]
            assert (seen[in_view] == true[in_view]).all()
            assert np.isnan(seen[~in_view]).all()
        frames = [collision.step // STEPS_PER_FRAME for collision in motion.collisions]
        assert track.collisions == tuple(
            collision
            for collision, frame in zip(motion.collisions, frames, strict=True)
            if frame < track.frames and in_view[frame, collision.first] and in_view[frame, collision.second]
        )


@pytest.mark.parametrize("stored", [False, True])
def test_nothing_hidden_can_be_reached_from_an_observation(stored: bool) -> None:
    """Not even through the functions that read boxes, pictures and references."""
    data = open_dataset(made())
    index = next(index for index in data.indices() if any(body.is_heavy for body in data.example(index).videos.bodies))
    videos = data.example(index).videos if stored else video_set()
    assert any(body.mass == HEAVY or body.charge for body in videos.bodies)
    task = Task(question_set(), lambda: observe_stored(data, index) if stored else observe_videos(videos))
    observation = task.observe()
    assert len(observation.references) == 4
    assert observation.target.boxes.shape[0] == SHOWN_FRAMES
    del task
    found = reachable(observation)
    assert any(isinstance(value, Motion) for value in found), "the search finds nothing"
    assert not any(isinstance(value, VideoSet) for value in found)
    assert not any(value.mass == HEAVY or value.charge for value in found if isinstance(value, Body))
    future = videos.target.positions[SHOWN_FRAMES:]
    assert all(value.frames <= SHOWN_FRAMES for value in found if isinstance(value, Motion))
    for value in found:
        if isinstance(value, np.ndarray) and value.ndim == 3 and value.shape[1:] == future.shape[1:]:
            assert not (value[:, None] == future[None, :1]).all(axis=(-1, -2)).any()


def test_mutating_an_observation_changes_nothing_else() -> None:
    videos = video_set()
    expected = [getattr(motion, name).copy() for motion in motions_of(videos) for name in (*ARRAYS, "in_view")]
    observation = observe_videos(videos)
    for track in tracks_of(observation):
        for name in (*ARRAYS, "in_view"):
            getattr(track, name)[...] = 0
    observation.target.boxes[...] = 7
    actual = [getattr(motion, name) for motion in motions_of(videos) for name in (*ARRAYS, "in_view")]
    assert all((one == other).all() for one, other in zip(actual, expected, strict=True))
    assert (observe_videos(videos).target.boxes != 7).any()


@pytest.mark.parametrize("root", [made, made_div])
def test_boxes_and_pictures_are_those_of_the_dataset(root: Callable[[], Path]) -> None:
    data = open_dataset(root())
    example, observation = data.example(1), observe_stored(data, 1)
    assert (observation.target.boxes == example.tracks()).all()
    assert (observation.references[2].boxes == example.tracks(2)).all()
    assert (observation.target.frames() == example.frames()).all()
    assert (observation.references[3].frames() == example.frames(3)).all()


def test_a_set_without_videos_says_so() -> None:
    observation = observe_videos(video_set())
    with pytest.raises(DataError, match="there are no pictures"):
        observation.target.frames()
    assert (observation.target.boxes[~observation.target.track.in_view] == -1.0).all()


def test_the_truth_is_given_only_on_declaration() -> None:
    with pytest.raises(AgentInputError, match="must declare `uses_truth = True`"):
        Task(question_set(), truth=video_set).truth()
    assert Task(question_set(), truth=video_set, allows_truth=True).truth().index == 7
    with pytest.raises(AgentInputError, match="set 00007: there are only its questions"):
        Task(question_set()).observe()
    with pytest.raises(AgentInputError, match="set 00007: there are no videos"):
        Task(question_set()).videos()


def test_the_most_that_was_asked_for_is_recorded() -> None:
    data = open_dataset(made())
    readers = (lambda: observe_stored(data, 1)), video_set, (lambda: stored_pictures(data, 1))
    task = Task(question_set(), *readers, allows_truth=True)
    assert task.use.most == "questions"
    assert [len(pictures) for pictures in task.videos()] == [SHOWN_FRAMES] + [REFERENCE_FRAMES] * 4
    assert task.use.most == "videos"
    observation = task.observe()
    assert observation.references[0].boxes.shape[-1] == 4
    observation.references[0].frames()
    assert task.use.most == "tracks"
    task.truth()
    task.observe()
    assert task.use.most == "truth"


def test_tasks_for_training_share_a_record() -> None:
    use = Use()
    tasks = [Task(question_set(k), lambda: observe_videos(video_set()), use=use) for k in range(3)]
    tasks[1].observe()
    assert use.most == "tracks"


def test_an_error_of_reading_is_kept_with_the_task() -> None:
    def damaged() -> Observation:
        raise DataError("damaged")

    task = Task(question_set(), damaged)
    with pytest.raises(DataError) as caught:
        task.observe()
    assert task.fault is caught.value
