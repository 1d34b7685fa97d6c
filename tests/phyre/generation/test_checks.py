"""Whether tasks are solvable and trivial, decided as in the paper's appendix B, and analyses that survive a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from math import comb, exp, log, log1p
from pathlib import Path

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.catalogue.task import MATERIAL
from tumble.phyre.generation import task_analysis
from tumble.phyre.generation.task_analysis import (
    Analysis,
    AnalysisError,
    Counts,
    chance_of_at_least,
    chance_of_at_most,
    is_trivial,
    one_ball_shares,
    stably_solves,
    verdict,
)
from tumble.phyre.simulation.actions import from_balls
from tumble.phyre.simulation.status import STABLY_SOLVED
from tumble.scene import Body, Circle, Scene, box


def shelf_task(task_id: str, tier: str, shelf_x: float = 50.0) -> phyre.Task:
    """A ball lies on a shelf; knocked off to the right, it comes to rest on the floor."""
    floor = Body((box(256.0, 5.0),), position=(128.0, -2.5), role="subject", **MATERIAL)
    walls = [Body((box(5.0, 256.0),), position=(x, 128.0), **MATERIAL) for x in (-2.5, 258.5)]
    shelf = Body((box(100.0, 5.0),), position=(shelf_x, 80.0), **MATERIAL)
    ball = Body((Circle(8.0),), position=(80.0, 90.5), dynamic=True, role="object", **MATERIAL)
    return phyre.Task(task_id, tier, Scene((floor, *walls, shelf, ball), units_per_metre=6.0), body=4, other=0)


def caged_task(task_id: str) -> phyre.Task:
    """No ball gets into the cage of the ball that should reach the floor."""
    task = shelf_task(task_id, "B")
    cage = [Body((box(*size),), position=at, **MATERIAL) for at, size in (((80, 110), (60, 5)), ((80, 85), (60, 5)))]
    bars = [Body((box(5, 30),), position=(x, 97.5), **MATERIAL) for x in (52.5, 107.5)]
    return phyre.Task(task.id, "B", task.scene.with_bodies(*cage, *bars), task.body, task.other)


KNOCKS = from_balls(np.array([[[72.0, 200.0, 12.0]]]))[0]
LEAVES = from_balls(np.array([[[200.0, 50.0, 8.0]]]))[0]
OVERLAPS = from_balls(np.array([[[80.0, 90.0, 8.0]]]))[0]


@pytest.mark.parametrize(
    "chance", [Fraction(1, 1000), Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)]
)
@pytest.mark.parametrize("attempts", [0, 1, 2, 7, 40])
def test_tails_are_the_binomial_sums(attempts: int, chance: Fraction) -> None:
    terms = [comb(attempts, k) * chance**k * (1 - chance) ** (attempts - k) for k in range(attempts + 1)]
    for successes in range(attempts + 1):
        at_least, at_most = float(sum(terms[successes:])), float(sum(terms[: successes + 1]))
        assert chance_of_at_least(successes, attempts, float(chance)) == pytest.approx(at_least, rel=1e-11, abs=1e-14)
        assert chance_of_at_most(successes, attempts, float(chance)) == pytest.approx(at_most, rel=1e-11, abs=1e-14)
    assert chance_of_at_most(-1, attempts, float(chance)) == 0.0
    assert chance_of_at_least(attempts + 1, attempts, float(chance)) == 0.0


def test_tails_of_many_rare_attempts() -> None:
    """The rule of three: 3 / p attempts without a success have a chance of e^-3. One success or more: the rest."""
    assert chance_of_at_most(0, 150_000, 2e-5) == pytest.approx(exp(-3.0), rel=1e-4)
    assert chance_of_at_least(1, 150_000, 2e-5) == pytest.approx(1.0 - exp(-3.0), rel=1e-4)
    assert chance_of_at_least(10_000, 30_000_000, 1e-6) == 0.0, "ten thousand where thirty are expected"
    assert chance_of_at_most(30_000_000, 30_000_000, 1e-6) == 1.0
    poisson = exp(-30.0) * sum(30.0**k / float(np.prod(np.arange(1.0, k + 1))) for k in range(21))
    assert chance_of_at_most(20, 30_000_000, 1e-6) == pytest.approx(poisson, rel=1e-4)


def test_tails_grow_and_fall_with_the_successes() -> None:
    upper = [chance_of_at_least(k, 50_000, 1e-3) for k in range(120)]
    lower = [chance_of_at_most(k, 50_000, 1e-3) for k in range(120)]
    assert upper == sorted(upper, reverse=True)
    assert lower == sorted(lower)
    assert all(0.0 <= chance <= 1.0 for chance in upper + lower)


def test_nothing_is_decided_before_ten_thousand_valid_attempts() -> None:
    assert verdict(Counts(not_solved=9_899, invalid=50_000, stable=100), 1e-5) == "undecided"
    assert verdict(Counts(not_solved=9_900, invalid=0, stable=100), 1e-5) == "solvable"
    assert verdict(Counts(not_solved=9_800, unstable=100, stable=100), 1e-5) == "solvable", "unstable ones are valid"


def test_solvable_as_soon_as_a_chance_of_p0_is_unlikely() -> None:
    """Two stable solutions decide as long as 1 - (1 - p)^n - n p (1 - p)^(n - 1) < 0.05: up to n of about 0.355 / p."""
    p = 1e-5
    too_lucky = [n for n in range(35_000, 36_000) if 1.0 - (1 - p) ** n - n * p * (1 - p) ** (n - 1) < 0.05]
    border = too_lucky[-1]
    assert border == pytest.approx(0.3554 / p, rel=1e-3)
    assert verdict(Counts(not_solved=border - 2, stable=2), p) == "solvable"
    assert verdict(Counts(not_solved=border - 1, stable=2), p) == "undecided"
    assert verdict(Counts(not_solved=10_000 - 1, stable=1), p) == "undecided", "one may be luck"
    assert verdict(Counts(not_solved=10_000, unstable=5_000), p) == "undecided", "unstable ones don't count"


def test_unsolvable_as_soon_as_a_chance_of_twice_p0_is_unlikely() -> None:
    """Without a stable solution that takes log(0.05) / log(1 - 2 p) valid attempts: 149,786 for a p0 of 1e-5."""
    border = int(log(0.05) / log1p(-2e-5))
    assert border + 1 == 149_786
    assert verdict(Counts(not_solved=border, invalid=10**6), 1e-5) == "undecided"
    assert verdict(Counts(not_solved=border + 1), 1e-5) == "unsolvable"
    assert verdict(Counts(not_solved=border + 1), 1e-6) == "undecided", "two balls need ten times as many"


def test_a_task_is_solvable_if_both_hypotheses_are_rejected() -> None:
    """The paper says so. 300 of 20,000 is far from 1 % (200) and from 2 % (400): standard deviations of 14 and 20."""
    assert chance_of_at_least(300, 20_000, 0.01) < 1e-6
    assert chance_of_at_most(300, 20_000, 0.02) < 1e-6
    assert verdict(Counts(not_solved=19_700, stable=300), 0.01) == "solvable"


def test_p0_is_the_papers() -> None:
    assert task_analysis.P0 == {"B": 1e-5, "2B": 1e-6}


def test_trivial_from_ten_percent_of_all_attempts_on() -> None:
    for tenth in (1, 3, 7, 1_000, 123_457, 33_000_000):
        rest = Counts(not_solved=4 * tenth, invalid=3 * tenth, unstable=2 * tenth)
        assert is_trivial(rest + Counts(stable=tenth))
        assert not is_trivial(rest + Counts(stable=tenth) + Counts(invalid=1)), "invalid ones count"
        assert not is_trivial(rest + Counts(stable=tenth - 1, unstable=1)), "unstable ones solve nothing"
    assert not is_trivial(Counts())


def test_counts_are_of_all_attempts() -> None:
    counts = task_analysis.count_statuses(np.array([-1, -1, 0, 2, 3, 3, 3, 0, 0, -1, -1], np.int8))
    assert counts == Counts(not_solved=4, invalid=3, unstable=1, stable=3)
    assert (counts.valid, counts.all) == (8, 11)
    assert counts + counts == Counts(8, 6, 2, 6)


def test_stably_solves_agrees_with_pairs() -> None:
    simulator = phyre.Simulator([shelf_task("90000:000", "B")], "B")
    np.testing.assert_array_equal(
        stably_solves(simulator, ["90000:000"] * 3, np.array([KNOCKS, LEAVES, OVERLAPS])), [True, False, False]
    )
    drawn = phyre.actions.fixed_set(phyre.TIERS["B"], 300)
    ids = ["90000:000"] * 300
    np.testing.assert_array_equal(stably_solves(simulator, ids, drawn), simulator.pairs(ids, drawn, stable=True) == 3)


SMALL_BATCH, SMALL_MIN_VALID = 20, 200
OWN = (shelf_task("90000:000", "2B"), shelf_task("90001:000", "B"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses that decide after few attempts."""
    monkeypatch.setattr(task_analysis, "BATCH_SIZE", SMALL_BATCH)
    monkeypatch.setattr(task_analysis, "MIN_VALID", SMALL_MIN_VALID)


@pytest.mark.usefixtures("small")
def test_a_task_for_two_balls_is_analysed_with_one_ball_too(tmp_path: Path) -> None:
    finished: list[Analysis] = []
    found = task_analysis.analyse(OWN, tmp_path / "analyses.json", on_finished=finished.append)
    assert set(found) == {("90000:000", "2B"), ("90000:000", "B"), ("90001:000", "B")}
    assert sorted(finished, key=lambda one: (one.task, one.tier)) == [found[key] for key in sorted(found)]
    for (task_id, tier), analysis in found.items():
        counts = analysis.counts
        assert (analysis.task, analysis.tier, analysis.verdict, analysis.trivial) == (task_id, tier, "solvable", False)
        assert counts.all == SMALL_BATCH * analysis.batches
        assert counts.valid >= SMALL_MIN_VALID
        task = next(task for task in OWN if task.id == task_id)
        simulator = phyre.Simulator([phyre.Task(task_id, tier, task.scene, task.body, task.other)], tier)
        assert simulator.pairs([task_id], [analysis.solution], stable=True) == STABLY_SOLVED
    assert one_ball_shares(found) == {"90000": 1.0}


@pytest.mark.usefixtures("small")
def test_a_task_that_nothing_solves_is_unsolvable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.98^200 = 0.018 is below 0.05: 200 failures refute a chance of 2 %."""
    monkeypatch.setitem(task_analysis.P0, "B", 0.01)
    (found,) = task_analysis.analyse([caged_task("90002:000")], tmp_path / "analyses.json").values()
    assert (found.verdict, found.counts.stable, found.counts.unstable, found.solution) == ("unsolvable", 0, 0, ())


@pytest.mark.usefixtures("small")
def test_a_file_keeps_all_analyses_and_none_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "analyses.json"
    apart = {**task_analysis.analyse(OWN[:1], path), **task_analysis.analyse(OWN[1:], path)}
    content = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("nothing is left to simulate")

    monkeypatch.setattr(phyre.Simulator, "pairs", fail)
    finished: list[Analysis] = []
    assert task_analysis.analyse(OWN, path, on_finished=finished.append) == apart
    assert finished == []
    assert path.read_bytes() == content


def test_the_share_of_tasks_that_one_ball_solves() -> None:
    """Of four tasks of a template, one is solvable with a ball; of another template's two, one is undecided."""
    yes, no, unknown = Counts(not_solved=10_000, stable=99), Counts(not_solved=200_000), Counts(not_solved=5, stable=5)
    one_ball = {
        "00101:000": yes,
        "00101:001": no,
        "00101:002": no,
        "00101:003": no,
        "00102:000": yes,
        "00102:001": unknown,
    }
    analyses = {(task, "B"): Analysis(task, "B", "", 1, counts) for task, counts in one_ball.items()}
    analyses |= {(task, "2B"): Analysis(task, "2B", "", 1, yes) for task in one_ball}
    analyses["00000:000", "B"] = Analysis("00000:000", "B", "", 1, yes)
    assert one_ball_shares(analyses) == {"00101": 0.25, "00102": 0.5}


@pytest.fixture
def finished(small: None, tmp_path: Path) -> Path:
    path = tmp_path / "analyses.json"
    task_analysis.analyse(OWN[1:], path)
    return path


def _damaged(path: Path) -> dict[str, bytes]:
    whole = path.read_bytes()
    record = json.loads(whole)
    (analysis,) = record["analyses"]

    def with_analysis(**changes: object) -> bytes:
        return json.dumps({**record, "analyses": [{**analysis, **changes}]}).encode()

    return {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "no text": b"\xff\xfe" + whole,
        "a list": b"[1, 2]",
        "another format": json.dumps({**record, "format": "tumble-phyre-analysis-0"}).encode(),
        "no physics": json.dumps({k: v for k, v in record.items() if k != "physics"}).encode(),
        "analyses of text": json.dumps({**record, "analyses": ["90001:000"]}).encode(),
        "analyses of nothing": json.dumps({**record, "analyses": None}).encode(),
        "an unknown field": with_analysis(mood="good"),
        "counts of text": with_analysis(counts={**analysis["counts"], "stable": "many"}),
        "negative counts": with_analysis(counts={**analysis["counts"], "stable": -1}),
        "no counts": with_analysis(counts=None),
        "batches of text": with_analysis(batches="3"),
        "no solution": with_analysis(solution=None),
    }


def test_a_damaged_file_is_rejected_and_not_changed(finished: Path) -> None:
    for name, content in _damaged(finished).items():
        finished.write_bytes(content)
        with pytest.raises(AnalysisError, match=r"analyses\.json is not a file of analyses .*; use another file"):
            task_analysis.analyse(OWN[1:], finished)
        assert finished.read_bytes() == content, name


def test_a_folder_is_no_analysis(small: None, tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="is not a file of analyses"):
        task_analysis.analyse(OWN[1:], tmp_path)


def test_an_analysis_with_other_physics_is_rejected(finished: Path) -> None:
    record = json.loads(finished.read_text())
    finished.write_text(json.dumps({**record, "physics": "moon"}))
    with pytest.raises(AnalysisError, match="made with physics moon, this is"):
        task_analysis.analyse(OWN[1:], finished)


def test_an_analysis_of_a_different_task_with_the_same_id_is_rejected(finished: Path) -> None:
    content = finished.read_bytes()
    with pytest.raises(AnalysisError, match="has a different task with the id 90001:000; use another file"):
        task_analysis.analyse([shelf_task("90001:000", "B", shelf_x=51.0)], finished)
    assert finished.read_bytes() == content


def batches_in(path: Path) -> int:
    """Batches in a file, which must be complete at every moment."""
    return sum(job["batches"] for job in json.loads(path.read_text())["analyses"]) if path.exists() else 0


def child(path: Path, *options: str) -> "subprocess.Popen[bytes]":
    """An analysis in a child process; see the end of this file."""
    return subprocess.Popen([sys.executable, __file__, str(path), *options])


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_an_analysis_that_was_killed_ends_with_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = time.perf_counter()
    expected = task_analysis.analyse(OWN, tmp_path / "expected.json")
    duration = time.perf_counter() - begun
    path = tmp_path / "analyses.json"
    in_all = batches_in(tmp_path / "expected.json")

    assert child(path, "2").wait() == -signal.SIGKILL, "while it writes the file for the third time"
    assert batches_in(path) == 2 * len(expected)
    before = batches_in(path)
    process = child(path)
    while batches_in(path) == before and process.poll() is None:
        time.sleep(0.001)
    time.sleep(np.random.default_rng(time.time_ns()).uniform(0.0, duration / 6))
    process.kill()
    assert process.wait() == -signal.SIGKILL
    left = in_all - batches_in(path)
    assert 0 < left < in_all - before

    made = []
    pairs = phyre.Simulator.pairs

    def counting(*arguments: object, **named: object) -> np.ndarray:
        made.append(1)
        return pairs(*arguments, **named)

    monkeypatch.setattr(phyre.Simulator, "pairs", counting)
    assert task_analysis.analyse(OWN, path) == expected
    assert len(made) == left, "no batch is repeated"
    assert path.read_bytes() == (tmp_path / "expected.json").read_bytes()


def _kill_in_write(number: int) -> None:
    """Kills the process when it is about to rename a finished file for the `number`-th time, counted from 0."""
    replace, seen = Path.replace, []

    def replacing(self: Path, target: Path) -> Path:
        seen.append(target)
        if len(seen) > number:
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(self, target)

    Path.replace = replacing


if __name__ == "__main__":
    task_analysis.BATCH_SIZE, task_analysis.MIN_VALID = SMALL_BATCH, SMALL_MIN_VALID
    if len(sys.argv) > 2:
        _kill_in_write(int(sys.argv[2]))
    task_analysis.analyse(OWN, sys.argv[1])
