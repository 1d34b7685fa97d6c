"""Agents from users' files: how they are loaded, and what errors say."""

from pathlib import Path

import pytest
from attempted_tasks import LEFT, attempted, never
from user_agents import user_agent

from tumble import phyre
from tumble.phyre import agents
from tumble.phyre.agents import AgentError


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
