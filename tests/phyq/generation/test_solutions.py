"""Every task is at rest, has a robust stored solution, and is not won by shots that ignore its rule."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule
from tumble.phyq.catalogue.tasks import task, task_ids
from tumble.phyq.catalogue.template import Template, read_accepted_draws, write_accepted_draws
from tumble.phyq.catalogue.templates import template, templates
from tumble.phyq.catalogue.trajectory import releases_to
from tumble.phyq.generation import generate, solutions
from tumble.phyq.generation.checks import (
    MOVES,
    NOT_WON_DIRECTLY,
    OUTLINE_POINTS,
    REASONS,
    direct_shots,
    faults,
    outline_shots,
    won_directly,
)
from tumble.phyq.generation.rule_check import following
from tumble.phyq.generation.search import Search, robust
from tumble.phyq.generation.solutions import (
    Solution,
    SolutionError,
    aim_of,
    perturbed,
    planned_shots,
    rounded,
    solution,
    solution_from_line,
    solution_to_line,
)
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator

SAMPLE = [f"{template_id}:097" for template_id in templates()]
PIG_ON_GROUND = Level(("red",), (Pig("small", 0.0, -3.26683),))


def invalid_tasks(task_ids: Sequence[str], is_robust: bool = True) -> list[str]:
    """Tasks that move, that direct shots win though they must not, or whose solutions do not win."""
    wrong = []
    for template_id, group in groupby(task_ids, key=lambda task_id: task_id.split(":")[0]):
        own = list(group)
        simulator = Simulator([task(task_id).level for task_id in own])
        stored = [solution(task_id) for task_id in own]
        pairs = [(k, found.shots) for k, found in enumerate(stored)]
        if is_robust:
            good = robust(simulator, pairs, [found.tolerance for found in stored])
        else:
            good = simulator.play(range(len(own)), [shots for _, shots in pairs]).won.tolist()
        found_faults = faults(template(template_id), simulator)
        by_rule = following(template(template_id), simulator, range(len(own)), [shots for _, shots in pairs])
        wrong += [
            f"{task_id}: {fault or 'its solution does not win by the rule'}"
            for task_id, fault, wins, follows in zip(own, found_faults, good, by_rule, strict=True)
            if fault or not wins or not follows
        ]
    return wrong


def test_each_task_has_a_solution() -> None:
    stored = solutions.solutions()
    assert list(stored) == task_ids()
    for task_id, found in stored.items():
        assert 0.05 <= found.tolerance <= 0.5, task_id
        assert 1 <= len(found.shots) <= len(template(task_id.split(":")[0]).base.birds), task_id
        assert all(rounded(shot) == shot for shot in found.shots), task_id


def test_a_sample_of_tasks_is_valid() -> None:
    assert invalid_tasks(SAMPLE, is_robust=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("template_id", templates())
def test_all_tasks_are_valid_and_their_solutions_robust(template_id: str) -> None:
    assert invalid_tasks(task_ids(template_id=template_id)) == []


def test_a_template_has_one_tolerance() -> None:
    for template_id in templates():
        assert len({solution(task_id).tolerance for task_id in task_ids(template_id=template_id)}) == 1


def test_lines_round_trip() -> None:
    shots = (Shot(38.25), Shot(-7.5, 0.85), Shot(60.0, 1.0, tap_ms=780.0), Shot(22.0, delay=10.0))
    line = solution_to_line("14.1:000", Solution(shots, 0.25))
    assert line == "14.1:000 0.25 38.25 -7.5,0.85 60,1,780 22,1,-,10"
    assert solution_from_line(line) == ("14.1:000", Solution(shots, 0.25))


def test_a_solution_that_is_not_stored_is_an_error() -> None:
    with pytest.raises(SolutionError, match=r"no solution of task '1\.1:100' is stored"):
        solution("1.1:100")


def test_angles_are_perturbed_alone_and_together() -> None:
    first, second = Shot(30.0), Shot(60.0, delay=2.0)
    angles = [tuple(shot.angle for shot in shots) for shots in perturbed((first, second), 0.5)]
    alone, together = [(29.5, 60.0), (30.5, 60.0), (30.0, 59.5), (30.0, 60.5)], [(29.5, 59.5), (30.5, 60.5)]
    assert angles == [(30.0, 60.0), *alone, *together]
    assert len(perturbed((first,), 0.5)) == 3
    assert all(shots[1].delay == 2.0 for shots in perturbed((first, second), 0.5))


def test_plans_hit_the_same_point_of_a_shifted_layout() -> None:
    low, high = releases_to((0.0, -3.0))
    for release in (low, high):
        shot = Shot(release.angle)
        flight = 1.0 if release is low else 3.0
        plan = (aim_of(shot, flight, (0.0, 0.0)),)
        assert planned_shots(plan, (0.0, 0.0)) == (rounded(shot),)
        moved = planned_shots(plan, (-1.5, 0.5))
        assert moved is not None
        (shot_there,) = moved
        expected = plan[0].point[0] - 1.5, plan[0].point[1] + 0.5
        assert shot_there.angle in [round(other.angle, 2) for other in releases_to(expected)]
        assert (shot_there.angle > 45.0) == (release is high)
    assert planned_shots(plan, (30.0, 0.0)) is None  # out of reach


def test_direct_shots_are_the_low_and_the_high_release() -> None:
    shots = direct_shots(PIG_ON_GROUND)
    assert [shot.angle for shot in shots] == [round(release.angle, 2) for release in releases_to((0.0, -3.26683))]
    assert won_directly(Simulator([PIG_ON_GROUND]), 3).tolist() == [True]


def test_direct_shots_cover_the_pigs_outline() -> None:
    shots = outline_shots(PIG_ON_GROUND)
    centre = direct_shots(PIG_ON_GROUND)
    assert shots[:2] == centre
    assert OUTLINE_POINTS < len(shots) <= 2 * (1 + OUTLINE_POINTS)
    low, high = ([shot.angle for shot in shots if (shot.angle > 45.0) == steep] for steep in (False, True))
    for angles, middle in zip((low, high), centre, strict=True):
        assert min(angles) < middle.angle < max(angles)


def test_a_pig_of_which_only_the_edge_is_free_is_won_directly() -> None:
    """A low wall hides the centre from the low shot, a roof from the high one; the upper edge can still be hit."""
    found = []
    for height in np.arange(-3.4, -2.8, 0.02).round(2).tolist():
        wall = (Platform(-0.6, height - 0.16, 0.0, 0.2, 0.5), Platform(0.3, -1.6, 0.0, 8.0, 0.3))
        level = Level(("red",), PIG_ON_GROUND.pigs, (), wall)
        simulator = Simulator([level])
        centre = simulator.play([0, 0], [(shot,) for shot in direct_shots(level)]).won.any()
        found.append((bool(centre), bool(won_directly(simulator, 3)[0])))
    assert (False, True) in found
    assert (True, False) not in found


def test_a_covered_pig_is_not_won_by_direct_shots() -> None:
    house = (Platform(-1.0, -2.5, 0.0, 0.5, 3.1), Platform(0.0, -1.4, 0.0, 4.0, 0.4))
    assert won_directly(Simulator([Level(("red",), PIG_ON_GROUND.pigs, (), house)]), 3).tolist() == [False]


def test_a_level_that_moves_is_rejected() -> None:
    falling = Level(("red",), PIG_ON_GROUND.pigs, (Block("square_small", "wood", 3.0, 0.0),))
    assert faults(template("1.4"), Simulator([falling, PIG_ON_GROUND])) == [MOVES, None]


def test_direct_shots_must_win_where_they_are_the_rule() -> None:
    two_birds = replace(PIG_ON_GROUND, birds=("red", "red"))
    behind_wall = replace(PIG_ON_GROUND, platforms=(Platform(-2.0, -2.2, 0.0, 0.5, 4.0),))
    under_roof = replace(PIG_ON_GROUND, platforms=(*behind_wall.platforms, Platform(0.0, -1.5, 0.0, 6.0, 0.4)))
    assert faults(template("1.4"), Simulator([two_birds, behind_wall, under_roof])) == [None, None, NOT_WON_DIRECTLY]


def test_the_search_solves_levels_and_shifts_plans() -> None:
    design = template("1.5")
    levels = [design.draw(number) for number in range(6)]
    search = Search(design, 0.5)
    first = search.solve(levels[:2])
    assert all(first)
    search.learn(levels[:2], [shots for shots in first if shots])
    played = search.played
    others = search.solve_by_plans(levels[2:])
    assert sum(shots is not None for shots in others) >= 3
    assert search.played - played <= 4 * 2 * 5, "two plans, five angles each"
    pairs = [(k, shots) for k, shots in enumerate([*first, *others]) if shots]
    assert all(robust(Simulator(levels), pairs, [0.5] * len(pairs)))


def test_the_search_keeps_only_solutions_that_follow_the_rule() -> None:
    levels = [template("1.5").draw(number) for number in range(2)]
    for killer, is_solved in (("bird", True), (("distractor", "fall"), False)):
        design = replace(template("1.5"), rule=Rule((Kill("pig 0", by=killer),)))
        search = Search(design, 0.5)
        solved = search.solve(levels)
        assert [shots is not None for shots in solved] == [is_solved] * 2
        if is_solved:
            assert following(design, Simulator(levels), [0, 1], [shots for shots in solved if shots]).all()


def test_a_solution_is_not_robust_if_a_perturbed_shot_misses() -> None:
    simulator = Simulator([PIG_ON_GROUND])
    (low, _) = direct_shots(PIG_ON_GROUND)
    assert robust(simulator, [(0, (low,))], [0.1]) == [True]
    assert robust(simulator, [(0, (low,))], [20.0]) == [False]


def test_generation_writes_accepted_draws_and_solutions(tmp_path: Path) -> None:
    (result,) = generate.generate_tasks(["1.4"], tasks=3, workers=1, folder=tmp_path / "made", data_folder=tmp_path)
    assert result.drawn == 3 + sum(result.rejected.values())
    assert list(result.rejected) == list(REASONS)
    stored = solutions.read_solutions(tmp_path)
    assert list(stored) == ["1.4:000", "1.4:001", "1.4:002"]
    accepted = {task_id: number for task_id, number in result.accepted.items() if number}
    assert read_accepted_draws(tmp_path) == accepted
    again = generate.generate_tasks(["1.4"], tasks=3, workers=1, folder=tmp_path / "made", data_folder=tmp_path)
    assert again == [result]
    levels = [template("1.4").draw(number, result.accepted[f"1.4:{number:03d}"]) for number in range(3)]
    pairs = [(k, found.shots) for k, found in enumerate(stored.values())]
    assert all(robust(Simulator(levels), pairs, [found.tolerance for found in stored.values()]))


def test_generation_keeps_other_templates_in_the_files(tmp_path: Path) -> None:
    kept = Solution((Shot(12.0),), 0.5)
    solutions.write_solutions(tmp_path, {"1.5:000": kept, "1.4:077": kept})
    write_accepted_draws(tmp_path, {"1.5:000": 4})
    generate.generate_tasks(["1.4"], tasks=1, workers=1, folder=tmp_path / "made", data_folder=tmp_path)
    assert list(solutions.read_solutions(tmp_path)) == ["1.4:000", "1.5:000"]
    assert read_accepted_draws(tmp_path)["1.5:000"] == 4


def test_a_changed_template_is_generated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (result,) = generate.generate_tasks(["1.4"], tasks=1, workers=1, folder=tmp_path, data_folder=tmp_path)
    other = Template("1.4", "", template("1.5").published, template("1.5").variation)
    monkeypatch.setattr(generate, "template", lambda _: other)
    (again,) = generate.generate_tasks(["1.4"], tasks=1, workers=1, folder=tmp_path, data_folder=tmp_path)
    assert again != result


@pytest.mark.slow
def test_generation_resumes_after_a_kill(tmp_path: Path) -> None:
    chosen = ["1.4", "1.5", "1.1"]
    code = (
        "from pathlib import Path; from tumble.phyq.generation.generate import generate_tasks; "
        f"generate_tasks({chosen}, 3, 'cpu', 1, Path({str(tmp_path / 'made')!r}), Path({str(tmp_path)!r}))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": "1"})
    for _ in range(600):
        if (tmp_path / "made" / "1.4" / "blocks" / "000000.json").exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {path: path.stat().st_mtime_ns for path in (tmp_path / "made").rglob("blocks/*.json")}
    assert tmp_path / "made" / "1.4" / "blocks" / "000000.json" in finished
    results = generate.generate_tasks(chosen, 3, "cpu", 1, tmp_path / "made", tmp_path)
    assert all(path.stat().st_mtime_ns == at for path, at in finished.items())
    assert results == generate.generate_tasks(chosen, 3, "cpu", 1, tmp_path / "elsewhere", tmp_path)
