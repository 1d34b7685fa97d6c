"""Writes the attempts of clients to run logs of the usual format."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from tumble.phyq.evaluation.log_rows import row_of
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.attempt import Attempt
from tumble.runs import log as run_log
from tumble.runs.log import Log, TaskUpdate


class Recorder:
    """Records attempts at the tasks of a specification, until the context that it is used as ends.

    An attempt belongs to the first run, by seed from that of the specification on, in which its task still lacks
    attempts. So several clients fill one run together, and what they play beyond it starts the next. Runs that exist
    are continued.
    """

    def __init__(self, spec: PhyQRunSpec, folder: Path) -> None:
        self.spec, self.folder = spec, folder
        self._index = {task_id: index for index, task_id in enumerate(spec.task_ids())}
        self._logs: list[Log] = []
        self._open = ExitStack()
        self.attempts = 0

    def __enter__(self) -> "Recorder":
        self._add_run()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def paths(self) -> list[Path]:
        """The logs."""
        return [log.path for log in self._logs]

    def record(self, task_id: str, attempt: Attempt) -> None:
        """Appends an attempt to the log of its run; finishes the log if it was the last."""
        log = next((log for log in self._logs if task_id not in log.tasks), None)
        while log is None:
            added = self._add_run()
            log = None if task_id in added.tasks else added
        number = len(log.open_tasks.get(task_id, ())) + 1
        done = number >= self.spec.attempts
        log.append([TaskUpdate(task_id, [row_of(number, attempt)], self._index[task_id], done)])
        self.attempts += 1
        if len(log.tasks) == len(self._index):
            log.finish()

    def _add_run(self) -> Log:
        """Opens the log of the next run; continues it if it exists."""
        spec = replace(self.spec, seed=self.spec.seed + len(self._logs))
        self.folder.mkdir(parents=True, exist_ok=True)
        spec.write_tasks(self.folder)
        log = self._open.enter_context(run_log.open_log(self.folder / spec.file_name(), spec.header()))
        self._logs.append(log)
        return log
