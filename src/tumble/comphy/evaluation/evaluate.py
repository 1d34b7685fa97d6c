"""Models answer questions into run logs."""

from pathlib import Path

from tumble.comphy.agents.inference import same_charges
from tumble.comphy.evaluation.answer_key import known_key, to_ask, to_learn_from
from tumble.comphy.evaluation.log_rows import rows_of, task_name
from tumble.comphy.evaluation.metrics import mark
from tumble.comphy.evaluation.run_spec import TRAIN, Experiment, check_unchanged, from_header
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.task import Task
from tumble.runs import log as run_log
from tumble.runs.agent_registry import asked as asking
from tumble.runs.log import Log
from tumble.runs.run import go_on
from tumble.runs.run_spec import Told


def run(experiment: Experiment, folder: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Runs an experiment, or goes on with it; models don't share their work among `threads`."""
    return _go_on(experiment, Path(folder) / experiment.file_name(), advance)


def resume(path: str | Path, advance: Told = lambda _, __: None, *, threads: int = 0) -> Log:
    """Goes on with a run that ended early; refuses where what it hangs on has changed since."""
    log = run_log.read(path)
    if log.finished:
        return log
    check_unchanged(log)
    return _go_on(from_header(log.header), log.path, advance)


def _go_on(experiment: Experiment, path: Path, advance: Told) -> Log:
    return go_on(path, experiment.header, lambda log: _evaluate(experiment, log, advance), advance)


def _evaluate(experiment: Experiment, log: Log, advance: Told) -> None:
    model, key, root = experiment.make_model(), experiment.key(), Path(experiment.data)
    if model.learns:
        with asking(model, "training"):
            model.train(to_learn_from(root, known_key(experiment.data, TRAIN).sets))
    for done, (asked, own) in enumerate(zip(to_ask(root, key), key, strict=True), start=1):
        if task_name(own.index) not in log.tasks:
            with asking(model, f"answering set {own.index:05d}"):
                marks = mark(own, model.answer(asked))
                inferred = model.infer_bodies(asked)
            log.add_task(task_name(own.index), rows_of(marks, _found(inferred, asked)))
        advance(done, len(key))
    log.finish()


def _found(inferred: tuple[Body, ...] | None, asked: Task) -> str:
    """Which hidden properties a model has right: masses, charges, both, neither; nothing where it infers none."""
    if inferred is None:
        return ""
    truth = asked.load_videos().bodies
    masses = [body.mass for body in inferred] == [body.mass for body in truth]
    charges = same_charges(inferred, truth)
    return "both" if masses and charges else "masses" if masses else "charges" if charges else "neither"
