"""PHYRE's agents, by name."""

from tumble.phyre.agents.agent import Agent
from tumble.runs.participant import AgentError, AgentRegistry, settings_of

__all__ = ["AGENTS", "REGISTRY", "Agent", "AgentError", "class_of", "make", "settings_of"]

AGENTS = {
    "rand": "rand:Rand",
    "mem": "mem:Mem",
    "mem-o": "mem:MemOnline",
    "optimal": "optimal:Optimal",
    "dqn": "dqn:Dqn",
    "dqn-o": "dqn_online:DqnOnline",
    "explorer": "explorer.agent:Explorer",
    "explorer-o": "explorer.agent:ExplorerOnline",
    "bandit": "bandit:Bandit",
    "reinforce": "policy:Reinforce",
    "ppo": "policy:Ppo",
}
"""Module and class of each agent."""

REGISTRY = AgentRegistry(__name__, AGENTS, Agent, "propose(self, task, past)")
make, class_of = REGISTRY.make, REGISTRY.class_of
