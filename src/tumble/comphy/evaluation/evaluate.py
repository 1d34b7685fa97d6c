"""Evaluates an agent on ComPhy: it trains, then answers the questions about sets; answers are written to a run log."""

from pathlib import Path

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.inference import same_charges
from tumble.comphy.evaluation.answer_key import cached_key, evaluation_tasks, training_tasks
from tumble.comphy.evaluation.log_rows import rows_of
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.evaluation.run_spec import TRAIN, ComPhyRunSpec
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.task import Task, task_id
from tumble.runs.agent_registry import attributing_errors
from tumble.runs.evaluate import Attempted, TaskCounter, attempt_tasks
from tumble.runs.log import Log
from tumble.runs.run import ProgressCallback


def evaluate(spec: ComPhyRunSpec, log: Log, progress: ProgressCallback, threads: int = 0) -> None:
    """Has the agent answer the sets that are not yet in the log; `threads` has no effect."""
    agent: Agent = spec.make_agent()
    sets, root = spec.key(), Path(spec.data)
    key = {task_id(questions.index): questions for questions in sets}
    counter = TaskCounter(progress, len(sets))
    if agent.learns:
        with attributing_errors(agent, "training"):
            agent.train(training_tasks(root, cached_key(spec.data, TRAIN).sets))
    attempt_tasks(
        agent,
        evaluation_tasks(root, sets),
        log,
        counter,
        attempt=lambda task: _answer(agent, task, key[task.id]),
        recall=lambda _, __: None,
    )


def _answer(agent: Agent, task: Task, key: QuestionSet) -> Attempted[None]:
    """Has the agent answer the questions about a set, and marks the answers."""
    with attributing_errors(agent, f"answering set {task.id}"):
        marks = mark(key, agent.answer(task))
        inferred = agent.infer_bodies(task)
    return Attempted(rows_of(marks, _correct_properties(inferred, task)), None)


def _correct_properties(inferred: tuple[Body, ...] | None, task: Task) -> str:
    """The hidden properties that were inferred correctly: masses, charges, both or neither; empty without inference."""
    if inferred is None:
        return ""
    truth = task.load_videos().bodies
    masses = [body.mass for body in inferred] == [body.mass for body in truth]
    charges = same_charges(inferred, truth)
    return "both" if masses and charges else "masses" if masses else "charges" if charges else "neither"
