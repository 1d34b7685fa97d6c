"""PHYRE's runs as calls, to be made side by side."""

from pathlib import Path

from tumble.phyre.experiment import Experiment, from_header, resume, run
from tumble.phyre.results import Result, result_of
from tumble.runs.log import Log
from tumble.runs.side_by_side import Call


def begun(experiment: Experiment, folder: Path) -> Call[Result]:
    """A run of an experiment into a folder."""
    return Call(experiment.title, experiment.task_count(), run, (experiment, folder), result_of)


def resumed(log: Log) -> Call[Result]:
    """A run that ended early."""
    return Call(from_header(log.header).title, int(log.header["task_count"]), resume, (log.path,), result_of)
