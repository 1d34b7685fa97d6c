"""Evaluates an agent on ComPhy: it trains, then answers the questions about sets; answers are written to a run log.

The score of `shown`, what the video alone answers, is shown beside every other score.
"""

from collections.abc import Sequence
from pathlib import Path

from tumble.comphy import agents
from tumble.comphy.agents.agent import Agent
from tumble.comphy.catalogue.task import QuestionSet, Task, Use, task_id
from tumble.comphy.evaluation.answer_key import cached_key, evaluation_tasks, training_tasks, true_target
from tumble.comphy.evaluation.metrics import ConceptCounts, Mark, correct_properties, count_concepts, mark
from tumble.comphy.evaluation.result import rows_of
from tumble.comphy.evaluation.run_spec import TRAIN, ComPhyRunSpec
from tumble.errors import TumbleError
from tumble.runs.evaluate import Attempted, ProgressCallback, TaskCounter, attempt_tasks
from tumble.runs.log import Log
from tumble.runs.participant import attributing_errors


def evaluate(spec: ComPhyRunSpec, log: Log, progress: ProgressCallback, threads: int = 0) -> None:
    """Has the agent answer the sets that are not yet in the log; `threads` has no effect.

    A set whose files can't be read is left out: it has no rows, and the log says why.
    """
    agent: Agent = spec.make_agent()
    sets, root = spec.key(), Path(spec.folder)
    key = {task_id(questions.index): questions for questions in sets}
    counter = TaskCounter(progress, len(sets))
    trained = train(agent, spec) if agent.learns else agent.trained_with

    def attempt(task: Task) -> Attempted[None]:
        try:
            with attributing_errors(agent, f"answering set {task.id}"):
                marks = mark(key[task.id], agent.answer(task))
                inferred, explanation = agent.infer_bodies(task), agent.explain(task)
        except TumbleError as error:
            if task.fault is None or task.fault not in (error, error.__cause__):
                raise
            return Attempted([], None, given_up=f"unreadable files: {task.fault}")
        given = task.use.most
        truth = None if inferred is None and explanation is None else true_target(root, key[task.id].index)
        properties, concepts = "", ConceptCounts()
        if truth is not None:
            perception = explanation.perception if explanation else None
            properties = "" if inferred is None else correct_properties(inferred, truth, perception)
            concepts = ConceptCounts() if explanation is None else count_concepts(explanation, truth)
        return Attempted(rows_of(marks, properties, given, trained, str(concepts)), None)

    attempt_tasks(
        agent, evaluation_tasks(root, sets, agent.uses_truth), log, counter, attempt, recall=lambda _, __: None
    )


def train(agent: Agent, spec: ComPhyRunSpec) -> str:
    """Trains an agent on the train split; returns the most that it asked for."""
    use = Use()
    with attributing_errors(agent, "training"):
        agent.train(training_tasks(Path(spec.folder), cached_key(spec.folder, TRAIN).sets, agent.uses_truth, use))
    return use.most


SHOWN = "shown"
"""The agent's name."""


def shown_marks(root: Path, sets: Sequence[QuestionSet]) -> tuple[list[Mark], list[str]]:
    """The marks of `shown` on these questions, and messages about sets that can't be read, which are left out."""
    agent = agents.make(SHOWN)
    marks: list[Mark] = []
    unreadable = []
    for questions, task in zip(sets, evaluation_tasks(root, sets), strict=True):
        try:
            marks += mark(questions, agent.answer(task))
        except TumbleError as error:
            if error is not task.fault:
                raise
            unreadable.append(f"set {task.id}: {error}")
    return marks, unreadable
