"""The agent that imagines shots: its budget, what it plans, and what it makes of attempts that failed."""

from collections.abc import Sequence

import numpy as np
import pytest

from tumble.phyq import agents
from tumble.phyq.agents.agent import AttemptState
from tumble.phyq.agents.imagination import Imagination, Position, shot_distances
from tumble.phyq.agents.simulation_agent import Search, Simulation
from tumble.phyq.catalogue.level import Level, Pig, Platform
from tumble.phyq.catalogue.tasks import Task, task
from tumble.phyq.simulation.attempt import Attempt, attempt_shots
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator, play
from tumble.runs.participant import AgentError

GROUND = -3.5 + 0.2377
ONE_PIG = Task("one:000", Level(("red",), (Pig("small", 0.0, GROUND),)))
SHELF = Platform(-6.0, 2.0, 0.0, 3.0, 0.4)
TWO_PIGS = Task(
    "two:000", Level(("red", "red"), (Pig("small", 4.0, GROUND), Pig("big", -6.0, 2.62)), platforms=(SHELF,))
)
WALLS = (Platform(-1.0, -2.5, 0.0, 0.4, 4.0), Platform(1.0, -2.5, 0.0, 0.4, 4.0), Platform(0.0, -1.0, 0.0, 4.0, 0.4))
OUT_OF_REACH = Task("far:000", Level(("red",), (Pig("small", 0.0, GROUND),), platforms=WALLS))


def attempt(agent: Simulation, tested: Task, past: Sequence[Attempt] = ()) -> tuple[Attempt, int]:
    """An attempt, and the number of proposals that it took."""
    simulator, current, proposals = Simulator([tested.level]), None, 0
    while current is None or current.status == "open":
        proposed = agent.propose(tested, past, AttemptState(tested, len(past) + 1, current))
        assert isinstance(proposed, tuple)
        shots = ((*current.shots,) if current else ()) + proposed
        (current,) = attempt_shots(simulator, [0], [shots])
        proposals += 1
    return current, proposals


def angles(*values: float) -> np.ndarray:
    return np.array([(value, 1.0, np.nan) for value in values])


def test_it_solves_a_level_and_repeats_what_won() -> None:
    agent = Simulation()
    first, _ = attempt(agent, ONE_PIG)
    second, _ = attempt(agent, ONE_PIG, [first])
    assert first.won
    assert second.shots == first.shots


def test_it_plans_several_birds_together() -> None:
    result, proposals = attempt(Simulation(), TWO_PIGS)
    assert result.won
    assert (len(result.shots), proposals) == (2, 1)


def test_with_a_noisy_model_it_looks_again_after_each_shot() -> None:
    result, proposals = attempt(Simulation(noise=0.2), TWO_PIGS)
    assert result.won
    assert (len(result.shots), proposals) == (2, 2)


@pytest.mark.parametrize("task_id", ["6.4:080", "15.6:080", "11.4:090"])
def test_it_solves_tasks_of_the_benchmark(task_id: str) -> None:
    """A bounce off a wall, a tap, and two birds of which the first must not hit the pig."""
    assert attempt(Simulation(), task(task_id))[0].won


@pytest.mark.slow
def test_it_shoots_the_second_bird_in_time() -> None:
    result, _ = attempt(Simulation(), task("14.2:084"))
    assert result.won
    assert result.shots[1].delay is not None


def test_it_imagines_no_more_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    launched = []
    shoot = Imagination.shoot

    def counted(self: Imagination, *arguments: object, **named: object) -> object:
        found = shoot(self, *arguments, **named)  # type: ignore[arg-type]
        launched.extend(len(trials) for trials in found)
        return found

    monkeypatch.setattr(Imagination, "shoot", counted)
    result, _ = attempt(Simulation(imagined=40), OUT_OF_REACH)
    assert not result.won
    assert sum(launched) == 40


def test_a_sequence_from_the_start_counts_for_all_its_shots() -> None:
    imagination = Imagination(Simulator([TWO_PIGS.level]), 10)
    (first,) = imagination.shoot([Position()], [angles(10.0, 20.0)])
    assert imagination.spent == 2
    (known,) = imagination.shoot([first.after(0)], [angles(30.0)])
    assert imagination.spent == 3
    (replayed,) = imagination.shoot([Position((Shot(10.0),))], [angles(30.0)])
    assert imagination.spent == 5
    assert known.label.tolist() == replayed.label.tolist()
    assert [len(part) for part in imagination.shoot([Position((Shot(10.0),))], [angles(*range(30, 40))])] == [2]
    assert imagination.shoot([Position()], [angles(*range(30, 40))])[0].points[:, 0].tolist() == [30.0]
    assert imagination.left == 0
    assert imagination.shoot([Position()], [angles(30.0)]) == []


def test_a_moving_world_continues_as_when_both_shots_are_played_together() -> None:
    imagination = Imagination(Simulator([TWO_PIGS.level]), 10)
    (moving,) = imagination.shoot([Position()], [angles(30.0)], wait=3.0)
    after = moving.after(0)
    assert after.delay is not None
    (continued,) = imagination.shoot([after], [angles(20.0)])
    whole = play(TWO_PIGS.level, [(*after.shots, Shot(20.0, delay=after.delay))], want=("states",))
    assert np.array_equal(continued.states.vecs, whole.states.vecs, equal_nan=True) if whole.states else False


def test_shots_near_failed_ones_are_not_planned_again() -> None:
    imagined = Simulator([ONE_PIG.level])
    first = Search(Imagination(imagined, 200), Position(), ("red",)).plan(angles())
    again = Search(Imagination(imagined, 200), Position(), ("red",), failed=[first.shots]).plan(angles())
    assert first.wins
    assert again.wins
    assert abs(again.shots[0].angle - first.shots[0].angle) > 0.5


def test_margins_are_widest_in_the_middle_of_what_wins() -> None:
    (trials,) = Imagination(Simulator([ONE_PIG.level]), 300).shoot([Position()], [angles(*np.arange(0.0, 80.0, 0.5))])
    margins = np.where(trials.won, trials.margins(), -1.0)
    best = int(margins.argmax())
    radius = int(margins[best] / 0.5)
    assert trials.won[best - radius : best + radius + 1].all()


def test_a_tap_is_far_from_no_tap() -> None:
    shots = np.array([(30.0, 1.0, np.nan), (31.0, 1.0, np.nan), (30.0, 1.0, 600.0), (30.0, 0.98, 540.0)])
    assert np.allclose(shot_distances(shots, shots)[0], [0.0, 1.0, 10.0, 10.0])
    assert shot_distances(shots, shots)[2, 3] == pytest.approx(1.0)


@pytest.mark.parametrize(("settings", "problem"), [({"imagined": 1}, "imagined must"), ({"noise": 1.5}, "noise must")])
def test_wrong_settings_are_refused(settings: dict[str, float], problem: str) -> None:
    with pytest.raises(AgentError, match=problem):
        agents.make("simulation", **settings)
