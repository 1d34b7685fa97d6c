"""Models that answer ComPhy's questions, by the names under which the command line knows them."""

from tumble.comphy.agents.agent import Asked, Model, ModelError
from tumble.runs.agent_registry import AgentRegistry, settings_of

__all__ = ["MODELS", "REGISTRY", "Asked", "Model", "ModelError", "class_of", "make", "settings_of"]

MODELS = {
    "oracle": "oracle:Oracle",
    "random": "random_answers:Random",
    "frequent": "frequent:Frequent",
    "blind-lstm": "blind_lstm:BlindLSTM",
    "simulation": "simulation:Simulation",
}
"""Where each model of ours is: module and class."""

REGISTRY = AgentRegistry(__name__, MODELS, Model, "answer(self, asked)")
make, class_of = REGISTRY.make, REGISTRY.class_of
