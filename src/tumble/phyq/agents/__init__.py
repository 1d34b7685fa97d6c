"""Phy-Q's agents, by name."""

from tumble.phyq.agents.agent import Agent
from tumble.runs.participant import AgentError, AgentRegistry, settings_of

__all__ = ["AGENTS", "REGISTRY", "Agent", "AgentError", "class_of", "make", "settings_of"]

AGENTS = {
    "random": "random_shots:RandomShots",
    "pig_shooter": "pig_shooter:PigShooter",
    "datalab_style": "datalab_style:DatalabStyle",
    "eagles_wing_style": "datalab_style:EaglesWingStyle",
    "bambirds_style": "bambirds_style:BambirdsStyle",
    "dddqn-symbolic": "q_learner:DddqnSymbolic",
    "dddqn-image": "q_learner:DddqnImage",
    "relational-symbolic": "q_learner:RelationalSymbolic",
    "relational-image": "q_learner:RelationalImage",
    "shot-ranker": "shot_ranker:ShotRanker",
    "simulation": "simulation_agent:Simulation",
    "sb3": "sb3:StableBaselines",
}
"""Module and class of each agent."""

REGISTRY = AgentRegistry(__name__, AGENTS, Agent, "propose(self, task, past, state)")
make, class_of = REGISTRY.make, REGISTRY.class_of
