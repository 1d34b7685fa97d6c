"""RAND, MEM, MEM-O and OPTIMAL, on tasks whose outcomes are known."""

from pathlib import Path

import numpy as np
from attempted_tasks import LEFT, RIGHT, attempted, columns, never, on_its_side
from known_outcomes import KnownSimulator, task

from tumble import phyre
from tumble.phyre.agents.mem import Mem, MemOnline, Memory
from tumble.phyre.agents.optimal import Optimal
from tumble.phyre.agents.rand import Rand
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.simulation.actions import action_set, valid


def test_rand_draws_independently_for_each_task_and_seed() -> None:
    one, other = phyre.task("00000:000"), phyre.task("00001:000")
    drawn = Rand(seed=3).propose(one, ())
    assert valid(one.scene, drawn).all()
    assert len(np.unique(drawn, axis=0)) == len(drawn) == 100
    np.testing.assert_array_equal(Rand(seed=3).propose(one, ()), drawn)
    assert not np.array_equal(Rand(seed=4).propose(one, ()), drawn)
    assert not np.array_equal(Rand(seed=3).propose(other, ())[:5], drawn[:5])


def test_rand_with_a_fixed_set_tries_the_same_on_every_task(tmp_path: Path) -> None:
    log = attempted(Rand(ranked=40, action_set=1), [*LEFT[:1], *RIGHT[:1]], never, tmp_path)
    tried = [[row["action"] for row in rows] for rows in log.tasks.values()]
    assert tried[0] == tried[1]
    allowed = [a.tolist() for a in action_set(TIERS["B"], 80)[40:] if int(a[0] * 255) not in range(120, 136)]
    assert tried[0] == allowed


def test_mem_ranks_by_the_share_of_training_tasks_that_an_action_solved() -> None:
    memory = Memory(solved=np.array([0.0, 3.0, 1.0, 1.0]), failed=np.array([5.0, 3.0, 0.0, 0.0]))
    np.testing.assert_allclose(memory.scores, [0.0, 3 / 7, 1 / 2, 1 / 2])
    assert memory.ranking().tolist() == [2, 3, 1, 0]


def test_mem_ranks_for_each_template_that_it_knows(tmp_path: Path) -> None:
    agent = Mem(ranked=60)
    agent.train([*LEFT[:4], *RIGHT[:2]], KnownSimulator([*LEFT[:4], *RIGHT[:2]], on_its_side))
    unknown = task("other:000")
    log = attempted(agent, [LEFT[5], RIGHT[5], unknown], on_its_side, tmp_path, attempts=5)
    assert columns(log.tasks["left:005"])[0] < 60
    assert columns(log.tasks["right:005"])[0] >= 196
    assert columns(log.tasks["other:000"])[0] < 60  # over all training tasks, of which more are of the left
    assert [len(log.tasks[known]) for known in ("left:005", "right:005")] == [1, 1]


def test_mem_online_learns_from_what_it_tried(tmp_path: Path) -> None:
    """Trained on the left, tested on the right: the first task takes long, those after it one attempt."""
    train = KnownSimulator(LEFT, on_its_side)
    tried = {}
    for name, agent in {"mem": Mem(ranked=60), "mem-o": MemOnline(ranked=60, weight=10.0)}.items():
        agent.train(LEFT, train)
        log = attempted(agent, RIGHT, on_its_side, tmp_path / name)
        tried[name] = [len(rows) for rows in log.tasks.values()]
    assert tried["mem"][0] > 10
    assert tried["mem"] == [tried["mem"][0]] * 6
    assert tried["mem-o"] == [tried["mem"][0], 1, 1, 1, 1, 1]


def test_with_a_light_weight_training_counts_for_more(tmp_path: Path) -> None:
    agent = MemOnline(ranked=60, weight=0.01)
    agent.train(LEFT, KnownSimulator(LEFT, on_its_side))
    log = attempted(agent, RIGHT[:2], on_its_side, tmp_path)
    lefts = [sum(column < 60 for column in columns(rows)) for rows in log.tasks.values()]
    assert lefts[0] == lefts[1] > 5  # what solved in training still comes first, though it failed a moment ago
    assert columns(log.tasks["right:001"])[-2] < 60 <= columns(log.tasks["right:001"])[-1]


def test_optimal_solves_at_once_what_its_set_can_solve(tmp_path: Path) -> None:
    tasks = [LEFT[0], RIGHT[0], task("hard:000")]

    def solves(task_id: str, column: int) -> bool:
        return not task_id.startswith("hard") and on_its_side(task_id, column)

    simulator = KnownSimulator(tasks, solves)
    agent = Optimal(ranked=60)
    agent.show_solutions(simulator)
    log = attempted(agent, tasks, solves, tmp_path, attempts=7)
    assert [len(rows) for rows in log.tasks.values()] == [1, 1, 7]
    assert [rows[-1]["status"] for rows in log.tasks.values()] == [1, 1, -1]
