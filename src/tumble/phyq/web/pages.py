"""The routes of Phy-Q's pages; in studies, levels without what would help, and shots with their motion."""

from collections.abc import Sequence
from dataclasses import asdict
from time import sleep
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from tumble.errors import TumbleError
from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.tasks import task_ids
from tumble.phyq.catalogue.templates import templates
from tumble.phyq.evaluation.study_tasks import PhyQStudyTasks
from tumble.phyq.generation.solutions import solution
from tumble.phyq.simulation.attempt import STATUS_CODES, attempt_of, shots_of
from tumble.phyq.web.attempts import (
    AttemptRequest,
    LevelRequest,
    PersonAttempt,
    answer_of,
    play_attempts,
    simulate_attempts,
    simulate_own,
)
from tumble.phyq.web.editor import add_editor, level_file
from tumble.phyq.web.level_data import (
    gallery_data,
    is_task_id,
    known_task,
    level_data,
    own_levels_data,
    read_level,
    task_data,
    task_picture,
)
from tumble.studies.study import Outcome
from tumble.web.pages import PageServices, StudyAttempt, StudyPages, WebPages
from tumble.web.responses import Prepared, StaticFiles, add_task_files, add_task_pages, json_file, json_response


class PhyQStudyPages(StudyPages):
    """Levels of a study's tasks. Neither the scenario nor its rule is told."""

    def __init__(self, tasks: PhyQStudyTasks) -> None:
        self._tasks = tasks

    def task(self, task_id: str) -> dict[str, Any]:
        return level_data(self._tasks.task(task_id).level)

    def outcomes(self, attempts: Sequence[StudyAttempt]) -> Sequence[Outcome | TumbleError]:
        asked = [self._asked(one) for one in attempts]
        return [self._outcome(one, made) for one, made in zip(asked, play_attempts(asked), strict=True)]

    def _asked(self, attempt: StudyAttempt) -> PersonAttempt:
        shots = shots_of(attempt.action)
        return PersonAttempt(self._tasks.task(attempt.task_id).level, shots, len(shots) - 1)

    def _outcome(self, asked: PersonAttempt, made: Any) -> Outcome | TumbleError:
        if isinstance(made, TumbleError):
            return made
        episodes, row = made
        result = attempt_of(episodes, row, asked.shots)
        shown = answer_of(episodes, row, asked)
        if isinstance(shown, TumbleError):
            return shown
        further = self._tasks.further_of(result)
        return Outcome(STATUS_CODES[result.status], result.steps, result.won, result.status == "open", further, shown)


YIELD_SECONDS = 0.002
"""Between two tasks that are built in advance."""
MOST_OWN = 64
"""Own levels that are kept."""
OWN = "own"
"""In place of a task's id: a level that the person brought."""


class Pages(WebPages):
    """Levels by scenario, a page for each task and for own levels, and the shots that are made there."""

    title = PHYQ.title
    summary = "Draw the slingshot so that all pigs die: 15 rules of physics, 75 kinds of level."
    picture = "/pictures/square.svg"
    package = "tumble.phyq.web"
    body_bytes = 512 * 1024

    def router(self, services: PageServices) -> APIRouter:
        router = APIRouter()
        static = StaticFiles(self.package)
        add_editor(router, services, static)
        add_task_pages(router, PHYQ.name, static, lambda name: name == OWN or is_task_id(name))
        of_task = {
            "": Prepared(lambda task_id: json_file(task_data(task_id))),
            "file": Prepared(lambda task_id: json_file(level_file(task_id))),
            "solution": Prepared(lambda task_id: json_file(_solution(task_id))),
        }
        add_task_files(router, Prepared(lambda _: json_file(gallery_data())), Prepared(task_picture), of_task)
        _add_physics(router, services)
        return router

    def study(self, tasks: PhyQStudyTasks) -> PhyQStudyPages:
        return PhyQStudyPages(tasks)

    def warm_up(self) -> None:
        """Loads tasks and compiles the physics, so that the first shot is as quick as the others."""
        task_id = task_ids()[0]
        simulate_attempts([PersonAttempt(known_task(task_id).level, solution(task_id).shots)])
        for key in templates():
            known_task(f"{key}:000")
            sleep(YIELD_SECONDS)  # others come first


def _add_physics(router: APIRouter, services: PageServices) -> None:
    """Adds what is simulated. Levels are built before that, so that nobody waits for it in the queue."""
    tasks, own_levels = Prepared(known_task), Prepared(read_level, MOST_OWN)

    @router.post("/api/attempts")
    async def attempt(asked: AttemptRequest) -> Response:
        shots = tuple(shot.shot() for shot in asked.shots)
        if asked.level is None:
            one = PersonAttempt((await tasks.get(asked.task or "")).level, shots, asked.from_shot)
            made = await services.physics.submit(simulate_attempts, one)
        else:
            one = PersonAttempt(await own_levels.get(asked.level), shots, asked.from_shot)
            made = await services.physics.submit(simulate_own, one, slow=True)
        return Response(made, media_type="application/json")

    @router.post("/api/levels")
    async def own_level(asked: LevelRequest) -> Response:
        level = await own_levels.get(asked.text)
        made = await services.physics.submit(own_levels_data, level, slow=True)
        return json_response(made)


def _solution(task_id: str) -> dict[str, Any]:
    known_task(task_id)
    found = solution(task_id)
    shots = [{name: value for name, value in asdict(shot).items() if value is not None} for shot in found.shots]
    return {"task": task_id, "tolerance": found.tolerance, "shots": shots}
