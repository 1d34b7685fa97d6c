"""A server that is really killed while it records attempts loses none, and counts none twice."""

import random
from pathlib import Path

import pytest
import study_kills as kills
from study_files import TOML

OPEN_NUMBERS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from study_files import NumberTasks
from tumble.studies.store import Store
from tumble.studies.study import read_study
store = Store(read_study(sys.argv[1]), NumberTasks())
"""
LATE = """
real, waiting = store.attempt, []

def attempt(code, move, simulate):
    while waiting:
        real(*waiting.pop(0))
    if move.attempt == 1 and move.part == 1:
        waiting.append((code, move))
        return type("Made", (), {"outcome": simulate(store.order(0)[move.position], move.action)})
    return real(code, move, simulate)

store.attempt = attempt
"""
"""Returns results before they are stored: what a store must not do."""
WITHOUT_CONSENT = TOML.replace('consent = "Do you agree?"', "")


def choose(task: str, draw: random.Random) -> list[float | None]:
    """A number that solves the task, or not, or needs a second part."""
    return [draw.choice((0.05, 0.2, 0.3, 0.4, 0.9)) + 0.01 * draw.random()]


def run(folder: Path, number: int, opening: str = OPEN_NUMBERS) -> tuple[kills.Participants, dict[str, object]]:
    return kills.run_study(folder, WITHOUT_CONSENT, choose, number, seed=3, people=1, opening=opening)


def test_attempts_survive_kills(tmp_path: Path) -> None:
    _, reference = run(tmp_path / "whole", 0)
    killed, found = run(tmp_path / "killed", 6)
    assert killed.server.kills.total() == 6
    assert kills.problems_of(killed, found, reference) == []
    assert len(found["parts"]) > 8  # type: ignore[arg-type]


def test_a_store_that_returns_results_too_soon_is_found_out(tmp_path: Path) -> None:
    _, reference = run(tmp_path / "whole", 0)
    killed, found = run(tmp_path / "late", 3, OPEN_NUMBERS + LATE)
    assert any("lost" in problem for problem in kills.problems_of(killed, found, reference))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(kills.STUDIES))
def test_attempts_at_real_tasks_survive_kills(tmp_path: Path, name: str) -> None:
    toml = kills.STUDIES[name].format(tasks=2)
    _, reference = kills.run_study(tmp_path / "whole", toml, kills.choose_for(name), 0, seed=1)
    killed, found = kills.run_study(tmp_path / "killed", toml, kills.choose_for(name), 6, seed=1)
    assert killed.server.kills.total() >= 5
    assert kills.problems_of(killed, found, reference) == []


@pytest.mark.slow
def test_attempts_over_http_survive_kills_of_the_server(tmp_path: Path) -> None:
    toml = kills.STUDIES["phyre"].format(tasks=2)
    _, reference = kills.run_study(tmp_path / "whole", toml, kills.choose_for("phyre"), 0, seed=1)
    killed, found = kills.run_study(tmp_path / "killed", toml, kills.choose_for("phyre"), 3, seed=1, over_http=True)
    assert killed.server.kills.total() == 3
    assert kills.problems_of(killed, found, reference) == []
