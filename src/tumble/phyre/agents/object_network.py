"""A network that sees objects instead of a picture: attention among the shapes of a scene and the placed balls.

Attention between two tokens depends on where they lie to each other, and on whether they belong to the same body.
It has the interface of `QNetwork`, without a scout.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.learning.hardware import full_precision
from tumble.phyre.agents.object_tokens import BODY, FEATURES, ball_tokens
from tumble.phyre.simulation.actions import MIN_RADIUS, SCALE

HEADS = 8
LAYERS = 4
UNITS = 256
"""Of a token, at width 1."""
RELATIONS = 6
"""Numbers that describe how two tokens lie to each other."""


class AttentionLayer(nn.Module):
    """Attention with a bias for each pair of tokens, and a layer of hidden units for each token."""

    def __init__(self, units: int) -> None:
        super().__init__()
        self.before_attention, self.before_hidden = nn.LayerNorm(units), nn.LayerNorm(units)
        self.projections, self.output = nn.Linear(units, 3 * units), nn.Linear(units, units)
        self.hidden = nn.Sequential(nn.Linear(units, 2 * units), nn.GELU(), nn.Linear(2 * units, units))

    def forward(self, tokens: Tensor, bias: Tensor) -> Tensor:
        """Tokens [n, tokens, units] and bias [n, heads, tokens, tokens]."""
        n, count, units = tokens.shape
        projected = self.projections(self.before_attention(tokens)).view(n, count, 3, HEADS, -1)
        query, key, value = projected.permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        tokens = tokens + self.output(attended.transpose(1, 2).reshape(n, count, units))
        result: Tensor = tokens + self.hidden(self.before_hidden(tokens))
        return result


class ObjectNetwork(nn.Module):
    """Scores actions on scenes given as tokens."""

    scale: Tensor
    scout = None

    def __init__(self, width: float = 1.0) -> None:
        super().__init__()
        units = max(HEADS, HEADS * round(UNITS * width / HEADS))
        self.embedding = nn.Sequential(nn.Linear(FEATURES - 1, units), nn.GELU(), nn.Linear(units, units))
        self.relation = nn.Sequential(nn.Linear(RELATIONS, 32), nn.GELU(), nn.Linear(32, HEADS))
        self.layers = nn.ModuleList(AttentionLayer(units) for _ in range(LAYERS))
        self.judge = nn.Linear(3 * units, 1)
        self.register_buffer("scale", torch.tensor(SCALE, dtype=torch.float32), persistent=False)

    def encode(self, tokens: Tensor) -> Tensor:
        """The tokens themselves: all that depends on them depends on the action as well."""
        return tokens

    def score(self, features: Tensor, actions: Tensor) -> Tensor:
        """Logits [n * m] of actions [n * m, numbers] on scenes [n, tokens, …], m for each in turn."""
        per_scene = len(actions) // len(features)
        balls = actions.view(len(actions), -1, 3) * self.scale
        balls = torch.cat([balls[..., :2], balls[..., 2:] + MIN_RADIUS], dim=2)
        scene = features.repeat_interleave(per_scene, dim=0)
        tokens = torch.cat([ball_tokens(balls), scene], dim=1)
        present = tokens[..., BODY] != 0.0
        with full_precision(tokens.device):
            bias = self.relation(_relations(tokens)).permute(0, 3, 1, 2)
        bias = bias.masked_fill(~present[:, None, None, :], -1e4)
        x = self.embedding(tokens[..., :BODY])
        for layer in self.layers:
            x = layer(x, bias)
        with full_precision(x.device):
            return self._judge(x.float(), tokens, present, balls.shape[1])

    def _judge(self, x: Tensor, tokens: Tensor, present: Tensor, balls: int) -> Tensor:
        """Logits from the balls, the goal's bodies and all tokens, each of these max-pooled."""
        in_goal = (tokens[..., 7] + tokens[..., 8]) > 0.0
        pooled = [
            x[:, :balls].amax(1),
            x.masked_fill(~in_goal.unsqueeze(2), -1e4).amax(1),
            x.masked_fill(~present.unsqueeze(2), -1e4).amax(1),
        ]
        logits: Tensor = self.judge(torch.cat(pooled, dim=1)).squeeze(1)
        return logits


def _relations(tokens: Tensor) -> Tensor:
    """float [n, tokens, tokens, RELATIONS]: how the second token lies to the first."""
    centre, axis, body = tokens[..., :2], tokens[..., 2:4], tokens[..., BODY]
    offset = centre.unsqueeze(1) - centre.unsqueeze(2)
    distance = offset.square().sum(-1, keepdim=True).add(1e-6).sqrt()
    along = (offset * axis.unsqueeze(2)).sum(-1, keepdim=True)
    across = offset[..., :1] * axis[..., 1].unsqueeze(2).unsqueeze(3) - offset[..., 1:] * axis[..., 0].unsqueeze(
        2
    ).unsqueeze(3)
    same = (body.unsqueeze(1) == body.unsqueeze(2)).float().unsqueeze(3)
    return torch.cat([4.0 * offset, 4.0 * distance, 16.0 * along, 16.0 * across, same], dim=3)
