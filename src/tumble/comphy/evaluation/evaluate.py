"""Evaluates an agent on ComPhy: it trains, then answers the questions about sets; every answer goes into a run log."""

from pathlib import Path

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.inference import same_charges
from tumble.comphy.evaluation.answer_key import known_key, to_ask, to_learn_from
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
    """Has the agent answer the sets that the log lacks; agents don't share their work among `threads`."""
    agent: Agent = spec.make_agent()
    sets, root = spec.key(), Path(spec.data)
    key = {task_id(own.index): own for own in sets}
    counter = TaskCounter(progress, len(sets))
    if agent.learns:
        with attributing_errors(agent, "training"):
            agent.train(to_learn_from(root, known_key(spec.data, TRAIN).sets))
    attempt_tasks(
        agent,
        to_ask(root, sets),
        log,
        counter,
        attempt=lambda batch: [_answered(agent, task, key[task.id]) for task in batch],
        recall=lambda _, __: None,
        batch_size=1,
    )


def _answered(agent: Agent, task: Task, key: QuestionSet) -> Attempted[None]:
    """The answers to the questions about a set, marked."""
    with attributing_errors(agent, f"answering set {task.id}"):
        marks = mark(key, agent.answer(task))
        inferred = agent.infer_bodies(task)
    return Attempted(rows_of(marks, _right_properties(inferred, task)), None)


def _right_properties(inferred: tuple[Body, ...] | None, task: Task) -> str:
    """Which hidden properties are inferred correctly: masses, charges, both, neither; empty where none is inferred."""
    if inferred is None:
        return ""
    truth = task.load_videos().bodies
    masses = [body.mass for body in inferred] == [body.mass for body in truth]
    charges = same_charges(inferred, truth)
    return "both" if masses and charges else "masses" if masses else "charges" if charges else "neither"
