"""CPL's network: a property network and a dynamics network."""

from torch import nn

from tumble.comphy.catalogue.world import PLAIN, named_world
from tumble.comphy.models.graph.dynamics import DynamicsNetwork
from tumble.comphy.models.graph.property_network import PropertyNetwork


class CplNetwork(nn.Module):
    """Both networks, trained together from labels."""

    def __init__(
        self,
        property_hidden: int,
        property_channels: int,
        dropout: float,
        dynamics_hidden: int,
        property_blind: bool,
        world: str = PLAIN.name,
    ) -> None:
        super().__init__()
        self.world = named_world(world)
        shapes = len(self.world.shapes)
        self.properties = PropertyNetwork(property_hidden, property_channels, dropout, shapes)
        self.dynamics = DynamicsNetwork(dynamics_hidden, property_blind, shapes)
