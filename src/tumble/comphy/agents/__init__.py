"""Models that answer ComPhy's questions, by the names under which the command line knows them."""

from tumble.comphy.agents.agent import Asked, Model, ModelError
from tumble.runs.agent_registry import AgentShelf, settings_of

__all__ = ["MODELS", "SHELF", "Asked", "Model", "ModelError", "class_of", "make", "settings_of"]

MODELS = {
    "oracle": "oracle:Oracle",
    "random": "random_answers:Random",
    "frequent": "frequent:Frequent",
    "blind-lstm": "blind_lstm:BlindLSTM",
    "simulation": "simulation:Simulation",
}
"""Where each model of ours is: module and class."""

SHELF = AgentShelf(__name__, MODELS, Model, "answer(self, asked)")
make, class_of = SHELF.make, SHELF.class_of
