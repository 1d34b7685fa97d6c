"""`tumble comphy inspect`: the page of a model's answers about a set."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from tumble.cli.option_values import agents_with_settings
from tumble.comphy.agents import REGISTRY, Agent
from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.cli.lookup import find_set
from tumble.comphy.dataset.load import Dataset
from tumble.comphy.dataset.observe import observe_stored, stored_pictures
from tumble.comphy.dataset.question_files import without_answers
from tumble.comphy.evaluation.evaluate import train
from tumble.comphy.evaluation.log_rows import given_text
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.evaluation.rendered_videos import SIZE
from tumble.comphy.evaluation.run_spec import ComPhyRunSpec
from tumble.comphy.observation.set_videos import render_videos
from tumble.comphy.observation.video import decode_video
from tumble.comphy.report.inspection_page import Inspected, inspection_page
from tumble.comphy.tasks.task import Task
from tumble.comphy.tasks.video_set import VideoSet
from tumble.errors import TumbleError
from tumble.output import check_target, plural, print_line, reports_errors, spinner
from tumble.report import page
from tumble.runs.agent_registry import attributing_errors
from tumble.runs.header import agent_label


@reports_errors
def inspect(folder: Path, number: str, model: str, out: Path, settings: Sequence[str], device: str) -> None:
    """Has a model answer the questions about a set, and writes the page."""
    check_target(out, ".html", ".htm")
    models = list(agents_with_settings(REGISTRY, model, settings))
    if len(models) != 1:
        raise TumbleError(f"a page is about one model with one value of each setting, not {len(models)}")
    loaded = find_set(number, folder, 0, None)
    assert loaded.data is not None
    questions = loaded.questions()
    if not questions.questions:
        raise TumbleError(f"{folder}: there are no questions about set {number}")
    name, values = models[0]
    agent: Agent = REGISTRY.make(name, **values)
    trained = train(agent, ComPhyRunSpec(name, str(folder.resolve()), settings=values)) if agent.learns else ""
    pictures = _pictures(loaded.data, loaded.videos, device)
    observe = partial(observe_stored, loaded.data, loaded.videos.index)
    task = Task(without_answers(questions), observe, lambda: loaded.videos, pictures, agent.uses_truth)
    with spinner(f"{name} answers …"), attributing_errors(agent, f"answering set {task.id}"):
        marks = mark(questions, agent.answer(task))
        explanation = agent.explain(task)
    given = given_text(task.use.most, trained or agent.trained_with)
    by_question = {one.question: one for one in marks}
    explained = explanation or Explanation()
    inspected = Inspected(agent_label(name), given, loaded.videos, questions, by_question, explained, pictures())
    page.write(inspection_page(inspected), out)
    correct = sum(one.all_correct for one in marks)
    print_line(f"Set {task.id}: {correct} of {plural(len(marks), 'question')} right. Written to {out}.")


def _pictures(data: Dataset, videos: VideoSet, device: str) -> Callable[[], tuple[np.ndarray, ...]]:
    """Reads the pictures of a set; rendered, encoded and decoded if the dataset has none."""
    if data.has_videos:
        return partial(stored_pictures, data, videos.index)
    return lambda: tuple(decode_video(mp4) for mp4 in render_videos(videos, SIZE, device))
