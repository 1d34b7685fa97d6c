"""Agents and how they are evaluated, on tasks whose outcomes are known."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from known_outcomes import KnownSimulator, at, task
from run_headers import header_of

from tumble import phyre
from tumble.phyre import agents
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.agents.mem import Mem, Memory
from tumble.phyre.agents.mem_online import MemOnline
from tumble.phyre.agents.optimal import Optimal
from tumble.phyre.agents.rand import Rand
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.evaluation.attempts import Attempts, OpenTask
from tumble.phyre.evaluation.evaluate import attempt_all
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.simulation.actions import action_set, placed_balls, valid
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.runs.log import Log, LogError, TaskUpdate, open_log, read
from tumble.runs.result import NO_PROPOSAL, ONLY_INVALID
from tumble.runs.run_spec import RunSpecError

LEFT = [task(f"left:{number:03d}") for number in range(6)]
RIGHT = [task(f"right:{number:03d}") for number in range(6)]


def on_its_side(task_id: str, column: int) -> bool:
    """What is placed left solves the tasks of one template, right those of the other."""
    return column < 60 if task_id.startswith("left") else column >= 196


def never(task_id: str, column: int) -> bool:
    return False


def attempted(
    agent: Agent,
    tasks: Sequence[Task],
    solves: Callable[[str, int], bool],
    folder: Path,
    attempts: int = 100,
    simulator: KnownSimulator | None = None,
) -> Log:
    """The log of a trained agent's attempts."""
    with open_log(folder / "a.jsonl", header_of()) as log:
        attempt_all(agent, tasks, simulator or KnownSimulator(tasks, solves), log, attempts)
    return log


def columns(rows: Sequence[dict[str, object]]) -> list[int]:
    """Where the balls of a log's rows were placed."""
    return placed_balls(np.array([row["action"] for row in rows]))[:, 0, 0].astype(int).tolist()


@dataclass
class Script(Agent):
    """Proposes given actions call by call, and records what it was given."""

    calls: list[np.ndarray | None]
    pasts: list[tuple[AttemptedAction, ...]] = field(default_factory=list)

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray | None:
        self.pasts.append(tuple(past))
        return self.calls.pop(0) if self.calls else NO_ACTIONS


# What counts as an attempt


def test_invalid_proposals_cost_nothing(tmp_path: Path) -> None:
    outside = np.array([[1.5, 0.5, 0.5], [np.nan, 0.5, 0.5], [0.0, 0.5, 1.0]])  # of the cube, and of the scene
    agent = Script([np.concatenate([outside, at(125, 130, 80, 90)]), at(127, 10)])
    log = attempted(agent, LEFT[:1], on_its_side, tmp_path, attempts=3)
    rows = log.tasks["left:000"]
    assert [(row["attempt"], row["status"]) for row in rows] == [(1, -1), (2, -1), (3, 1)]
    assert columns(rows) == [80, 90, 10]


def test_attempts_end_with_success_or_the_budget(tmp_path: Path) -> None:
    simulator = KnownSimulator([*LEFT[:1], *RIGHT[:1]], on_its_side)
    many = at(*range(40, 115))
    log = attempted(Rank(many), simulator.tasks, on_its_side, tmp_path, attempts=30, simulator=simulator)
    assert columns(log.tasks["left:000"]) == [40]
    assert columns(log.tasks["right:000"]) == list(range(40, 70))
    rolled_out = sum(task_id == "left:000" for task_id, _ in simulator.rolled_out)
    assert rolled_out <= 4  # a few are rolled out together, and what follows a success is dropped


class Rank(Agent):
    """Goes through a list."""

    def __init__(self, actions: np.ndarray) -> None:
        self.actions = actions

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        return NO_ACTIONS if past else self.actions


def test_an_agent_is_called_again_with_the_results_of_its_attempts(tmp_path: Path) -> None:
    agent = Script([at(70, 80), at(90), None])
    log = attempted(agent, LEFT[:1], on_its_side, tmp_path)
    assert columns(log.tasks["left:000"]) == [70, 80, 90]
    assert [len(past) for past in agent.pasts] == [0, 2, 3]
    assert [tried.attempt.status for tried in agent.pasts[2]] == [-1, -1, -1]
    assert log.tasks["left:000"][0]["steps"] == 321
    assert agent.pasts[2][0].attempt.steps == 0  # a store does not know them, and must not change what an agent sees


def test_proposing_the_same_invalid_actions_again_gives_up(tmp_path: Path) -> None:
    class Stubborn(Agent):
        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            return at(125)

    log = attempted(Stubborn(), LEFT[:2], never, tmp_path)
    assert log.tasks == {"left:000": [], "left:001": []}
    assert log.given_up == {"left:000": ONLY_INVALID, "left:001": ONLY_INVALID}
    assert read(log.path).given_up == log.given_up


def test_a_task_is_given_up_by_proposing_nothing(tmp_path: Path) -> None:
    log = attempted(Script([at(80), None, at(10)]), LEFT[:2], on_its_side, tmp_path)
    assert log.given_up == {"left:000": NO_PROPOSAL}
    assert [len(rows) for rows in log.tasks.values()] == [1, 1]


@pytest.mark.parametrize(("value", "text"), [(np.nan, "nan"), (1.5, "1.5"), (-0.25, "-0.25")])
def test_constant_actions_outside_the_unit_cube_are_an_error(tmp_path: Path, value: float, text: str) -> None:
    class Outside(Agent):
        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            return np.full((7, 3), [0.5, value, 0.5])

    why = rf"Outside: for task left:000 it proposed the same 7 actions twice, all .* as in \[0.5, {text}, 0.5\]"
    with pytest.raises(AgentError, match=why):
        attempted(Outside(), LEFT[:1], never, tmp_path)


def test_endless_invalid_proposals_are_an_error(tmp_path: Path) -> None:
    class Unlucky(Agent):
        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            return at(np.random.default_rng().uniform(121, 134))

    with pytest.raises(AgentError, match="1,000 times in a row it proposed only invalid actions for task left"):
        attempted(Unlucky(), LEFT[:1], never, tmp_path)


def test_actions_of_another_shape_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match=r"for task left:000 it proposed an array of shape \[3\]; .*\[n, 3\]"):
        attempted(Script([at(50)[0]]), LEFT[:1], never, tmp_path)


def test_an_agent_sees_what_it_wants(tmp_path: Path) -> None:
    known = [phyre.task("00000:000")]

    class Curious(Rank):
        wants = ("observations", "states")

        def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
            self.past = past
            return super().propose(task, past)

    agent = Curious(phyre.actions.sample_valid(known[0].scene, TIERS["B"], 2, np.random.default_rng(0)))
    simulator = phyre.Simulator(known, "B")
    with open_log(tmp_path / "a.jsonl", header_of()) as log:
        attempt_all(agent, known, simulator, log, 3)
    (first, *_) = agent.past
    assert first.attempt.observations is not None
    assert first.attempt.observations.shape[1:] == (256, 256)
    assert first.attempt.states is not None
    assert first.attempt.steps > 0


# RAND, MEM, MEM-O, OPTIMAL


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


# Agents that learn online


class Backwards(MemOnline):
    """Begins with the last task."""

    def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
        return tasks[::-1]


def test_an_online_agent_chooses_its_order(tmp_path: Path) -> None:
    agent = Backwards(ranked=60)
    agent.train(LEFT, KnownSimulator(LEFT, on_its_side))
    log = attempted(agent, RIGHT, on_its_side, tmp_path)
    assert list(log.tasks) == [known.id for known in RIGHT[::-1]]


def test_an_order_has_each_task_once(tmp_path: Path) -> None:
    class Forgetful(Backwards):
        def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
            return tasks[1:]

    with pytest.raises(AgentError, match="`order` must return each task exactly once"):
        attempted(Forgetful(), RIGHT, on_its_side, tmp_path)


@pytest.mark.parametrize("kind", [MemOnline, Backwards])
def test_a_resumed_online_agent_learns_again_what_it_had_learned(tmp_path: Path, kind: type[MemOnline]) -> None:
    def hard(task_id: str, column: int) -> bool:
        return column % 7 == int(task_id[-1]) % 3  # so that what was learned before decides

    def evaluate(folder: Path) -> Log:
        agent = kind(ranked=60)
        agent.train(LEFT, KnownSimulator(LEFT, hard))
        return attempted(agent, RIGHT, hard, folder)

    whole = evaluate(tmp_path / "whole")
    for kept in range(6):
        folder = tmp_path / str(kept)
        with open_log(folder / "a.jsonl", header_of()) as log:
            for task_id, rows in list(whole.tasks.items())[:kept]:
                log.add_task(task_id, [{**row} for row in rows])
        resumed = evaluate(folder)
        assert (resumed.tasks, list(resumed.tasks)) == (whole.tasks, list(whole.tasks))


def test_a_log_of_another_order_is_not_gone_on_with(tmp_path: Path) -> None:
    with open_log(tmp_path / "a.jsonl", header_of()) as log:
        log.add_task("right:003", [])
    agent = MemOnline(ranked=60)
    agent.train(LEFT, KnownSimulator(LEFT, on_its_side))
    with pytest.raises(LogError, match="another order"):
        attempted(agent, RIGHT, on_its_side, tmp_path)


# Runs that were killed


class Drawn(Agent):
    """Proposes three actions at a time, which depend on the task and on what it has attempted."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        self.calls.append((task.id, len(past)))
        return at(*np.random.default_rng([int(task.id[-3:]), len(past)]).integers(0, 110, 3))


class Stateful(Drawn):
    """Draws from one generator, so that it proposes something else if it is called again."""

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        super().propose(task, past)
        return at(*np.random.default_rng(len(self.calls)).integers(140, 250, 3))


def rarely(task_id: str, column: int) -> bool:
    return column % 13 == int(task_id[-3:]) % 5


@pytest.mark.parametrize("online", [False, True])
def test_a_run_killed_at_any_line_is_resumed_to_the_same_content(tmp_path: Path, online: bool) -> None:
    class Own(Drawn):
        learns_online = online

    whole = attempted(Own(), [*LEFT, *RIGHT], rarely, tmp_path / "whole", attempts=17)
    lines = whole.path.read_bytes().splitlines(keepends=True)
    assert [len(rows) for rows in whole.tasks.values()] != [17] * 12  # some are solved
    for kept in range(1, len(lines) + 1, 5):
        folder = tmp_path / str(kept)
        folder.mkdir()
        (folder / "a.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept % len(lines)][:20])
        simulator = KnownSimulator([*LEFT, *RIGHT], rarely)
        with open_log(folder / "a.jsonl", header_of()) as log:
            logged = {task: len(rows) for task, rows in log.open_tasks.items()}
            attempt_all(Own(), simulator.tasks, simulator, log, 17)
            log.finish()
        assert log.tasks == whole.tasks
        assert list(log.tasks) == [task.id for task in simulator.tasks]
        for task_id, rows in logged.items():  # what is in the log is not rolled out again
            new = sum(rolled_out == task_id for rolled_out, _ in simulator.rolled_out)
            assert new <= len(whole.tasks[task_id]) - rows + 2  # and two proposals after the one that solved it


def test_an_agent_that_proposes_something_else_continues_from_its_attempts(tmp_path: Path) -> None:
    with open_log(tmp_path / "a.jsonl", header_of()) as log:
        row = {"attempt": 1, "action": at(100)[0].tolist(), "status": -1, "steps": 9}
        log.append([TaskUpdate("left:000", [row])])
    agent = Stateful()
    log = attempted(agent, LEFT[:1], never, tmp_path, attempts=6)
    assert columns(log.tasks["left:000"])[0] == 100
    assert [row["attempt"] for row in log.tasks["left:000"]] == [1, 2, 3, 4, 5, 6]
    assert agent.calls == [("left:000", 0), ("left:000", 1), ("left:000", 4)]


class Sleeper(Rank):
    """Takes long to propose."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        time.sleep(self.seconds)
        return at(20 + len(past))


def largest_round(agent: Agent, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """The largest number of tasks that are attempted together."""
    sizes = []
    make_round = Attempts.make_round

    def counted(self: Attempts, open_tasks: Sequence[OpenTask]) -> list[float]:
        sizes.append(len(open_tasks))
        return make_round(self, open_tasks)

    monkeypatch.setattr(Attempts, "make_round", counted)
    attempted(agent, [*LEFT, *RIGHT], never, folder, attempts=3)
    return max(sizes)


def test_a_slow_agent_attempts_one_task_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert largest_round(Sleeper(0.0), tmp_path / "quick", monkeypatch) >= 4
    assert largest_round(Sleeper(0.04), tmp_path / "slow", monkeypatch) == 1


# User-defined agents

USER_AGENT = """
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.agents.agent import Agent
from tumble.phyre.tasks.tier import TIERS
{above}

@dataclass
class Mine(Agent):
    spread: float = 0.5

    def train(self, tasks, simulator):
        {train}

    def propose(self, task, past):
        {propose}

class NoAgent:
    pass

class Silent(Agent):
    pass
"""
DRAW = "return sample_valid(task.scene, TIERS[task.tier], 2, np.random.default_rng(len(past)))"


def user_agent(folder: Path, above: str = "", train: str = "pass", propose: str = DRAW, name: str = "my_agent") -> str:
    path = folder / f"{name}.py"
    path.write_text(USER_AGENT.format(above=above, train=train, propose=propose))
    return f"{path}:Mine"


def test_a_user_file_is_an_agent(tmp_path: Path) -> None:
    (tmp_path / "my_helper.py").write_text("HALF = 0.5")
    name = user_agent(tmp_path, above="from my_helper import HALF")
    agent = agents.make(name, spread=0.25)
    assert agent.spread == 0.25  # type: ignore[attr-defined]
    assert len(agent.propose(phyre.task("00000:000"), ())) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "kind", "why"),
    [
        ({"above": "1 +"}, "Mine", "bad.py, line 8: SyntaxError: invalid syntax"),
        ({"above": "import nowhere_at_all"}, "Mine", "bad.py, line 8: ModuleNotFoundError: No module named"),
        ({"above": "raise SystemExit"}, "Mine", "bad.py, line 8: SystemExit"),
        ({}, "Nobody", "bad.py has no Nobody"),
        ({}, "NoAgent", "NoAgent must be a class that derives from tumble.phyre.agents.agent.Agent"),
        ({}, "Silent", r"Silent must have a method propose\(self, task, past\)"),
    ],
)
def test_errors_say_why_a_file_has_no_agent(tmp_path: Path, change: dict[str, str], kind: str, why: str) -> None:
    name = user_agent(tmp_path, name="bad", **change).replace("Mine", kind)
    with pytest.raises(AgentError, match=why):
        agents.class_of(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("memory", "no agent 'memory'; there are rand, mem"),
        ("nowhere.py:Mine", "nowhere.py: no such Python file"),
        ("mem.py", "no agent 'mem.py'"),
    ],
)
def test_an_unknown_agent_is_named(name: str, why: str) -> None:
    with pytest.raises(AgentError, match=why):
        agents.class_of(name)


def test_settings_that_an_agent_does_not_have_are_named(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="agent mem has no setting 'weight'; it has ranked, action_set"):
        agents.make("mem", weight=3)
    with pytest.raises(AgentError, match="has no setting 'speed'; it has spread"):
        agents.make(user_agent(tmp_path), speed=3)


def test_errors_of_a_user_defined_agent_name_the_line(tmp_path: Path) -> None:
    agent = agents.make(user_agent(tmp_path, propose="return past[0].action"))
    with pytest.raises(AgentError, match=r"Mine failed proposing for task left:000: .*my_agent.py, line 18: IndexErr"):
        attempted(agent, LEFT[:1], never, tmp_path / "runs")


@pytest.mark.parametrize("exit_call", ["raise SystemExit", "import sys; sys.exit(0)"])
def test_an_agent_that_exits_is_an_error(tmp_path: Path, exit_call: str) -> None:
    agent = agents.make(user_agent(tmp_path, propose=exit_call))
    with pytest.raises(AgentError, match=r"Mine failed proposing for task left:000: .*my_agent.py, line 18: SystemEx"):
        attempted(agent, LEFT[:1], never, tmp_path / "runs")


def test_errors_while_an_agent_is_created_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "from tumble.phyre.agents.agent import Agent\n\nclass Mine(Agent):\n    def __init__(self):\n"
        "        raise SystemExit\n    def propose(self, task, past): ...\n"
    )
    with pytest.raises(AgentError, match=r"can't be created: .*own.py, line 5: SystemExit"):
        agents.make(f"{path}:Mine")


# Run specifications

SHELF = '''"""A ball lies on a shelf."""
from tumble.phyre.tasks.shapes import ball, bar
ID = "shelf"
TIER = "B"
PARAMETERS = {"height": (0.3, 0.4, 0.5, 0.6)}

def build(world, height):
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    shelf = world.static(bar(0.3), "shelf", left=0.3, bottom=height)
    world.goal(world.dynamic(ball(0.1), "ball", cx=shelf.cx, bottom=shelf.top), floor)
'''


@pytest.mark.parametrize("store", [None, "none"])
def test_an_agent_trains_with_a_simulator_that_has_no_test_task(tmp_path: Path, store: str | None) -> None:
    look_at_test_tasks = (
        "import numpy as np\n"
        "        from tumble import phyre\n"
        "        test = phyre.fold('ball_within_template', 0, phyre.task_ids('B')).test\n"
        "        assert len(tasks) == 2000 and not {task.id for task in tasks} & set(test)\n"
        "        assert {task.id for task in simulator.tasks} == {task.id for task in tasks}\n"
        "        for look in (simulator.sweep, simulator.pairs, simulator.outcomes, simulator.attempts):\n"
        "            try:\n"
        "                action = [[0.5, 0.5, 0.1]]\n"
        "                look(action, test[:1]) if look == simulator.sweep else look(test[:1], action)\n"
        "            except ValueError:\n"
        "                continue\n"
        "            raise AssertionError(f'{look} simulated a test task')"
    )
    mine = PhyreRunSpec(
        user_agent(tmp_path, train=look_at_test_tasks), "ball_within_template", limit=1, attempts=2, store=store
    )
    log = PHYRE.run(mine, tmp_path / "runs")
    assert log.finished
    assert len(log.tasks) == 1


def test_a_run_on_user_defined_tasks(tmp_path: Path) -> None:
    path = tmp_path / "shelf.py"
    path.write_text(SHELF)
    known = formats.load(path)
    mine = PhyreRunSpec(user_agent(tmp_path), "ball_within_template", tasks=str(path), limit=3, attempts=8)
    log = PHYRE.run(mine, tmp_path / "runs")
    assert list(log.tasks) == list(known)[:3]
    assert log.header.digests["tasks_sha256"]
    assert log.header.task_count == 3
    rows = list(log.rows())
    assert rows
    again = phyre.Simulator(known.values(), "B").pairs([row["task"] for row in rows], [row["action"] for row in rows])
    assert again.tolist() == [row["status"] for row in rows]
    with pytest.raises(RunSpecError, match="task shelf:000 is of tier B, but the setting needs tier 2B"):
        PHYRE.run(PhyreRunSpec("rand", "two_balls_within_template", tasks=str(path)), tmp_path / "runs")
    assert len(list((tmp_path / "runs").iterdir())) == 1  # the rejected run left no file


def test_another_version_of_agent_or_tasks_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "shelf.py"
    path.write_text(SHELF)
    mine = PhyreRunSpec(user_agent(tmp_path), "ball_within_template", tasks=str(path))
    first = mine.file_name()
    assert PhyreRunSpec(mine.agent, mine.setting, tasks=str(path), store="none", device="cuda").file_name() == first
    user_agent(tmp_path, train="return")
    second = mine.file_name()
    path.write_text(SHELF.replace("0.6)", "0.65)"))
    assert len({first, second, mine.file_name()}) == 3


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"setting": "ball"}, "no setting 'ball'; there are ball_cross_template"),
        ({"split": "train"}, "no split 'train'; there are test, validation"),
        ({"fold": 10}, "no fold 10; there are 0 to 9"),
        ({"attempts": 0}, "attempts must be 1 or more, not 0"),
        ({"limit": 0}, "limit must be 1 or more, not 0"),
    ],
)
def test_invalid_specifications_are_rejected(change: dict[str, object], why: str) -> None:
    with pytest.raises(RunSpecError, match=why):
        PhyreRunSpec(**{"agent": "mem", "setting": "ball_cross_template", **change})  # type: ignore[arg-type]
