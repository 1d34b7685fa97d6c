"""Agents that play Phy-Q's levels, by the names under which the command line knows them."""

from tumble.phyq.agents.agent import Agent
from tumble.runs.agent_registry import AgentError, AgentRegistry, settings_of

__all__ = ["AGENTS", "REGISTRY", "Agent", "AgentError", "class_of", "make", "settings_of"]

AGENTS = {
    "random": "random_shots:RandomShots",
    "pig_shooter": "pig_shooter:PigShooter",
    "datalab_style": "datalab_style:DatalabStyle",
    "eagles_wing_style": "eagles_wing_style:EaglesWingStyle",
    "bambirds_style": "bambirds_style:BambirdsStyle",
}
"""Where each agent of ours is: module and class."""

REGISTRY = AgentRegistry(__name__, AGENTS, Agent, "propose(self, task, past, now)")
make, class_of = REGISTRY.make, REGISTRY.class_of
