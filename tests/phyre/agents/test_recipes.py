"""The recommended settings: every setting of PHYRE can be trained with them, from what the package has."""

from typing import Any

import pytest

pytest.importorskip("torch")

from tiny_dqn import TINY

from tumble import phyre
from tumble.phyre import agents
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.recipes import EVALUATION, NETWORK_AGENTS, TRAINING, recommended
from tumble.phyre.catalogue.tasks_by_id import SETTINGS

SMALL: dict[str, Any] = {**TINY, "updates": 1, "ranked": 20}
TASKS = {"B": ("00000:000", "00001:003"), "2B": ("00100:000", "00101:003")}


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        *(pytest.param(setting, "explorer", marks=pytest.mark.slow) for setting in SETTINGS),
        ("ball_within_template", "explorer-o"),
        ("two_balls_cross_template", "explorer-o"),
    ],
)
def test_a_network_can_be_trained_and_used(setting: str, name: str) -> None:
    tier = SETTINGS[setting].tier
    tasks = [phyre.task(task_id) for task_id in TASKS[tier]]
    settings = {**recommended(setting, name), **{key: SMALL[key] for key in SMALL if key != "fusion"}}
    agent = agents.make(name, **settings)
    agent.train(tasks, phyre.Simulator(tasks))
    assert len(agent.propose(tasks[0], ())) == 1


def test_there_are_settings_for_all_agents_that_learn() -> None:
    assert set(TRAINING) == set(EVALUATION) == set(SETTINGS)
    for setting in SETTINGS:
        for name in NETWORK_AGENTS:
            known = agents.settings_of(agents.class_of(name))
            assert set(recommended(setting, name)) <= set(known)
    with pytest.raises(AgentError, match="no recommended settings of 'rand'"):
        recommended("ball_cross_template", "rand")
    with pytest.raises(AgentError, match="no recommended settings for 'ball'"):
        recommended("ball", "dqn")


@pytest.mark.parametrize(("online", "offline"), [("dqn-o", "dqn"), ("explorer-o", "explorer")])
def test_within_templates_nothing_is_learned_online(online: str, offline: str) -> None:
    for setting in SETTINGS:
        settings = recommended(setting, online)
        agent = agents.make(online, **settings)
        if setting.endswith("cross_template"):
            assert agent.learns_online
        else:
            assert not agent.learns_online
            shared = {name: value for name, value in settings.items() if name not in ("updates_online", "remembers")}
            assert shared == recommended(setting, offline)
