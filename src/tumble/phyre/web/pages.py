"""PHYRE's pages: their routes, and what agents reached at a task, to compare a person with."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any

import numpy as np
from fastapi import APIRouter
from starlette.responses import Response

from tumble.errors import TumbleError
from tumble.phyre.agents.mem import Memory
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, TIERS
from tumble.phyre.catalogue.tasks_by_id import FOLDS, Fold, fold, solution, task_ids
from tumble.phyre.evaluation.brief_log import dqn_results
from tumble.phyre.evaluation.result import PhyreResult, result_of
from tumble.phyre.simulation.shipped_sweeps import shipped_store
from tumble.phyre.simulation.status import INVALID, NOT_SOLVED, SOLVED
from tumble.phyre.simulation.sweep_files import OtherSweepError
from tumble.phyre.web.attempts import AttemptRequest, PersonAttempt, PhyreStudyPages, simulate_attempts
from tumble.phyre.web.editor import add_editor, check_task, known_task_record
from tumble.phyre.web.task_data import gallery, is_id, known_task, published_ids, task_data, task_picture
from tumble.runs.log import logs_in
from tumble.studies.study import StudyTasks
from tumble.web.pages import PageServices, WebPages
from tumble.web.responses import (
    Prepared,
    StaticFiles,
    WebError,
    add_task_files,
    add_task_pages,
    json_file,
    json_response,
)

WITHIN = {"B": "ball_within_template", "2B": "two_balls_within_template"}
"""The setting in which MEM knows other tasks of the same template, by tier."""
_LOADING = Lock()
"""So that what takes a second to load is loaded once, however many ask for it at the start."""


def sweep_results(task_id: str) -> dict[str, Any]:
    """Results from the package's sweep of 1,000 random actions; empty where it lacks the task or has other physics."""
    tier = known_task(task_id).tier
    if task_id not in published_ids():
        return {}
    with _LOADING:
        return _sweep_results(task_id, tier)


def _sweep_results(task_id: str, tier: str) -> dict[str, Any]:
    try:
        statuses = _swept(tier, [task_id])[0]
    except OtherSweepError:
        return {}
    agents = [{"agent": "RAND", "solved_at": solved_at(statuses), "note": "one fixed set of random actions"}]
    number = next((k for k in range(FOLDS) if task_id in _test_ids(WITHIN[tier], k)), None)
    if number is not None:
        order = _mem_ranking(WITHIN[tier], number, task_id.partition(":")[0])
        note = f"trained on other tasks of this template, fold {number}"
        agents.append({"agent": "MEM", "solved_at": solved_at(statuses[order]), "note": note})
    for result in dqn_results().get(task_id, ()):
        known = "templates" if "cross" in result.setting else "tasks of this template"
        note = f"trained on other {known}, fold {result.fold}"
        agents.append({"agent": "DQN", "solved_at": result.solved_at, "note": note})
    return {
        "valid": int((statuses != INVALID).sum()),
        "solving": int((statuses == SOLVED).sum()),
        "attempts": MAX_ATTEMPTS,
        "agents": agents,
    }


def solved_at(statuses: np.ndarray) -> int | None:
    """The attempt that solves, if actions are tried in this order and invalid ones do not count; None above 100.

    >>> solved_at(np.array([-1, 0, 0, 1]))
    2
    """
    tried = statuses[statuses != INVALID][:MAX_ATTEMPTS]
    solving = np.flatnonzero(tried == SOLVED)
    return int(solving[0]) + 1 if len(solving) else None


def _swept(tier: str, ids: Sequence[str]) -> np.ndarray:
    """int8 [tasks, actions]: the statuses of the sweep on some tasks."""
    rows, table = _sweep(tier)
    return np.asarray(table[[rows[task_id] for task_id in ids]])


@cache
def _sweep(tier: str) -> tuple[dict[str, int], np.ndarray]:
    """The row of each task, and the statuses of a whole sweep, int8 [tasks, actions]."""
    store = shipped_store(tier)
    return {task_id: k for k, task_id in enumerate(store.task_ids)}, store.statuses(store.task_ids)


@lru_cache(maxsize=2 * FOLDS)
def _fold(setting: str, number: int) -> Fold:
    return fold(setting, number)


@lru_cache(maxsize=2 * FOLDS)
def _test_ids(setting: str, number: int) -> frozenset[str]:
    return frozenset(_fold(setting, number).test)


@lru_cache(maxsize=1024)
def _mem_ranking(setting: str, number: int, template: str) -> np.ndarray:
    """int [actions]: the order in which MEM tries the actions of the sweep on tasks of a template."""
    known = [one for one in _fold(setting, number).train_for_test if one.startswith(f"{template}:")]
    statuses = _swept(known_task(known[0]).tier, known)
    solved, failed = ((statuses == status).sum(axis=0).astype(float) for status in (SOLVED, NOT_SOLVED))
    return Memory(solved, failed).ranking()


class LoggedRuns:
    """Results of the run logs in a folder, read when they are first asked for."""

    def __init__(self, folder: Path | None, benchmark: str) -> None:
        self._folder = folder
        self._benchmark = benchmark
        self._results: list[PhyreResult] | None = None
        self._lock = Lock()

    def results(self, task_id: str) -> list[dict[str, Any]]:
        """For each run that has finished the task: who, and at which attempt it was solved."""
        with self._lock:
            if self._results is None:
                self._results = self._read()
        return [
            {
                "agent": result.agent,
                "solved_at": result.solved_at[task_id],
                "note": f"{result.setting}, fold {result.fold}, seed {result.spec.seed}",
            }
            for result in self._results
            if task_id in result.solved_at
        ]

    def _read(self) -> list[PhyreResult]:
        if self._folder is None:
            return []
        logs, _ = logs_in([self._folder], brief=True)
        results = []
        for log in logs:
            with suppress(TumbleError):  # a log of another version; `tumble runs list` says what is wrong with it
                if log.header.benchmark == self._benchmark:
                    results.append(result_of(log))
        return results


YIELD_SECONDS = 0.01
"""Between two tasks that are built in advance."""


class Pages(WebPages):
    """A gallery, a page for each task, and the attempts that are made there."""

    title = PHYRE.title
    summary = "Place one or two balls so that two bodies come to touch, and stay in touch."
    picture = "/pictures/00020:000.svg"
    package = "tumble.phyre.web"
    body_bytes = 64 * 1024

    def router(self, services: PageServices) -> APIRouter:
        router = APIRouter()
        runs, tasks = LoggedRuns(services.runs, PHYRE.name), Prepared(known_task)
        static = StaticFiles(self.package)
        add_editor(router, services, static)
        add_task_pages(router, PHYRE.name, static, is_id)
        of_task = {
            "": Prepared(lambda task_id: json_file(task_data(task_id))),
            "file": Prepared(lambda task_id: json_file(known_task_record(task_id))),
            "solution": Prepared(lambda task_id: json_file(_solution(task_id))),
            "agents": Prepared(lambda task_id: json_file(_agents(task_id, runs))),
        }
        add_task_files(router, Prepared(lambda _: json_file(gallery())), Prepared(task_picture), of_task)

        @router.post("/api/attempts")
        async def attempt(asked: AttemptRequest) -> Response:
            await tasks.get(asked.task)  # built here, so that nobody waits for it in the queue of physics
            made = await services.physics.submit(simulate_attempts, PersonAttempt(asked.task, tuple(asked.action)))
            return json_response(made)

        return router

    def study(self, tasks: StudyTasks) -> PhyreStudyPages:
        return PhyreStudyPages()

    def warm_up(self) -> None:
        """Loads tasks and compiles the physics, so that the first click is as quick as the others."""
        for tier in TIERS:
            task_id = task_ids(tier)[0]
            action = solution(task_id)
            assert action is not None
            simulate_attempts([PersonAttempt(task_id, tuple(action.tolist()))])
            sweep_results(task_id)
            check_task(known_task(task_id))
        for task_id in task_ids():
            known_task(task_id)
            sleep(YIELD_SECONDS)  # others come first


def _solution(task_id: str) -> dict[str, Any]:
    known_task(task_id)
    action = solution(task_id)
    if action is None:
        raise WebError(404, f"no solution of task {task_id} is stored")
    return {"task": task_id, "action": action.tolist()}


def _agents(task_id: str, runs: LoggedRuns) -> dict[str, Any]:
    known_task(task_id)
    return {"task": task_id, "sweep": sweep_results(task_id), "runs": runs.results(task_id)}
