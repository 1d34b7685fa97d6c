"""The page of a model's answers: its tracks, properties, predictions, and where its programs went wrong."""

from dataclasses import replace
from functools import cache
from html import unescape

import numpy as np

from tumble.comphy.agents.agent import Explanation
from tumble.comphy.agents.oracle import answers_from_scene, shown_scene
from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.task import Appearance, QuestionSet
from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.generation.make_set import make_set
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.questions.ask import SPLIT_OPTIONS, ask_block
from tumble.comphy.questions.interpreter import Interpreter, Step
from tumble.comphy.questions.symbolic_scene import SymbolicScene, symbolic_scene
from tumble.comphy.report.inspection_figures import PredictedWorld, draw_tracks, projected_video
from tumble.comphy.report.inspection_page import Inspected, inspection_page
from tumble.report import page
from tumble.report.document import Document, Table


@cache
def made() -> tuple[VideoSet, QuestionSet]:
    videos = make_set(42, "charge", 1)
    (questions,) = ask_block({42: symbolic_scene(videos)}, 1, SPLIT_OPTIONS["test"])
    return videos, questions


def inspected(scene: SymbolicScene, explanation: Explanation) -> Inspected:
    videos, questions = made()
    marks = {one.question: one for one in mark(questions, answers_from_scene(scene, questions))}
    return Inspected("model", "videos", videos, questions, marks, explanation)


def tables(document: Document) -> dict[str, list[Table]]:
    found: dict[str, list[Table]] = {}
    for part in document.parts:
        if isinstance(part, Table):
            found.setdefault(part.caption.partition(";")[0], []).append(part)
    return found


def video_of(motion: Motion, members: tuple[int, ...], order: tuple[int, ...], frames: int) -> PerceivedVideo:
    """A true video, with bodies numbered in another order."""
    own = projected_video(motion.positions[:frames], motion.in_view[:frames])
    return replace(own, members=tuple(order.index(body) for body in members))


def test_the_truth_has_no_difference() -> None:
    scene = symbolic_scene(made()[0])
    document = inspection_page(inspected(scene, Explanation(scene.bodies, scene=scene)))
    text = unescape(page.html(document))
    assert "first difference" not in text
    assert "should be" not in text
    assert all(not row[-1] for row in tables(document)["True and inferred properties"][0].rows)


def test_wrong_charges_are_marked_and_the_step_that_they_change_is_named() -> None:
    scene = shown_scene(observe_videos(made()[0]))
    own = inspected(scene, Explanation(scene.bodies, scene=scene))
    document = inspection_page(own)
    (properties,) = tables(document)["True and inferred properties"]
    assert [row[-1] for row in properties.rows].count("charge") == 2
    steps = [row for table in tables(document)["Program"] for row in table.rows]
    first = [row for row in steps if row[-1] == "first difference"]
    assert first
    steps_about_hidden = ("charge", "counterfact", "opposite", "same", "unseen_events", "filter_mass", "heavy", "light")
    assert all(any(word in str(row[0]) for word in steps_about_hidden) for row in first)
    assert not all(one.all_correct for one in own.marks.values())
    assert "should be" in unescape(page.html(document))


def test_traces_of_a_model_that_runs_programs_itself() -> None:
    videos, questions = made()
    scene = symbolic_scene(videos)
    factual = next(question for question in questions.questions if question.kind == "factual")
    steps = Interpreter(scene).trace(factual.program)
    wrong = (*steps[:-1], Step(steps[-1].token, "nonsense"))
    document = inspection_page(inspected(scene, Explanation(traces={(factual.id, None): wrong})))
    (table,) = tables(document)["Program"]
    assert [row[-1] for row in table.rows][-1] == "first difference"
    assert table.rows[-1][1] == "nonsense"


def test_bodies_and_predictions_in_another_order_and_tracks_over_the_videos() -> None:
    videos, _ = made()
    order = tuple(reversed(range(len(videos.bodies))))
    target = video_of(videos.target, tuple(range(len(order))), order, SHOWN_FRAMES)
    references = tuple(video_of(one.motion, one.members, order, one.motion.frames) for one in videos.references)
    looks = tuple(Appearance(*videos.bodies[k].appearance) for k in order)
    motions = {None: videos.target.positions[:, order, :2]}
    explanation = Explanation(
        tuple(videos.bodies[k] for k in order), Perception(looks, target, references), motions=motions
    )
    frames = [np.full((5, 32, 48, 3), 90, np.uint8)] * 5
    document = inspection_page(replace(inspected(symbolic_scene(videos), explanation), frames=frames))
    found = tables(document)
    assert all(not row[-1] for row in found["True and inferred properties"][0].rows)
    (perception,) = found["Perception"]
    assert {row[3] for row in perception.rows} <= {"0.00", "-"}
    (errors,) = (tables for name, tables in found.items() if name.startswith("Mean distance"))
    assert [row[0] for row in errors[0].rows] == ["the target"]
    assert {str(cell) for cell in errors[0].rows[0][1:]} == {"0.00"}
    assert page.html(document).count("<video") == 5


def test_overlays_are_drawn_where_a_body_is() -> None:
    positions = np.tile((0.0, 0.0, 0.2), (4, 1, 1))
    frames = np.full((4, 160, 240, 3), 100, np.uint8)
    drawn = draw_tracks(frames, projected_video(positions, np.ones((4, 1), bool)), [Appearance("red", "metal", "cube")])
    x, y = (CAMERA.project(positions[0, 0])[:2] * (480, 320)).astype(int)
    assert drawn.shape == (4, 320, 480, 3)
    assert tuple(drawn[2, y, x]) == (0xAD, 0x23, 0x23)
    assert (drawn[2, :100] == 100).all()


def test_errors_of_predictions_leave_out_what_is_not_predicted() -> None:
    true = np.zeros((4, 2, 3))
    predicted = np.full((3, 2, 2), np.nan)
    predicted[:2, 0] = (3.0, 4.0)
    errors = PredictedWorld("", true, predicted).errors()
    assert errors[0] == 5.0
    assert np.isnan(errors[1])
