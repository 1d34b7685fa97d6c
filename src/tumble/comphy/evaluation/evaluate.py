"""Evaluates an agent on ComPhy: it trains, then answers the questions about sets; answers are written to a run log."""

from dataclasses import dataclass
from pathlib import Path

from tumble.comphy.agents.agent import Asked, Model
from tumble.comphy.agents.inference import same_charges
from tumble.comphy.evaluation.answer_key import cached_key, evaluation_tasks, training_tasks
from tumble.comphy.evaluation.log_rows import rows_of, task_id
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.evaluation.run_spec import TRAIN, ComPhyRunSpec
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.question import QuestionSet
from tumble.runs.agent_registry import attributing_errors
from tumble.runs.evaluate import Attempted, TaskCounter, attempt_tasks
from tumble.runs.log import Log
from tumble.runs.run import ProgressCallback


@dataclass(frozen=True)
class _SetTask:
    """The questions about a set with and without answers."""

    key: QuestionSet
    asked: Asked

    @property
    def id(self) -> str:
        return task_id(self.key.index)


def evaluate(spec: ComPhyRunSpec, log: Log, progress: ProgressCallback, threads: int = 0) -> None:
    """Has the agent answer the sets that are not yet in the log; `threads` has no effect."""
    agent: Model = spec.make_agent()
    key, root = spec.key(), Path(spec.data)
    counter = TaskCounter(progress, len(key))
    if agent.learns:
        with attributing_errors(agent, "training"):
            agent.train(training_tasks(root, cached_key(spec.data, TRAIN).sets))
    tasks = [_SetTask(questions, asked) for questions, asked in zip(key, evaluation_tasks(root, key), strict=True)]
    attempt_tasks(
        agent,
        tasks,
        log,
        counter,
        attempt=lambda batch: [_answer(agent, task) for task in batch],
        recall=lambda _, __: None,
        batch_size=1,
    )


def _answer(agent: Model, task: _SetTask) -> Attempted[None]:
    """Has the agent answer the questions about a set, and marks the answers."""
    with attributing_errors(agent, f"answering set {task.id}"):
        marks = mark(task.key, agent.answer(task.asked))
        inferred = agent.properties(task.asked)
    return Attempted(rows_of(marks, _correct_properties(inferred, task.asked)), None)


def _correct_properties(inferred: tuple[Body, ...] | None, asked: Asked) -> str:
    """The hidden properties that were inferred correctly: masses, charges, both or neither; empty without inference."""
    if inferred is None:
        return ""
    truth = asked.look().bodies
    masses = [body.mass for body in inferred] == [body.mass for body in truth]
    charges = same_charges(inferred, truth)
    return "both" if masses and charges else "masses" if masses else "charges" if charges else "neither"
