"""The routes of PHYRE's pages."""

from time import sleep
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.tasks_by_id import solution, task_ids
from tumble.phyre.web.agent_results import LoggedRuns, sweep_results
from tumble.phyre.web.attempts import AttemptRequest, PersonAttempt, PhyreStudyPages, simulate_attempts
from tumble.phyre.web.editor import add_editor, check_task, known_task_record
from tumble.phyre.web.task_data import gallery, is_id, known_task, task_data, task_picture
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
