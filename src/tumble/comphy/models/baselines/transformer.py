"""A layer of a transformer."""

from torch import Tensor, nn
from torch.nn import functional


class TransformerLayer(nn.Module):
    """Attention between all tokens and a network for each, both normalised before."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.inputs = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.each = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Tokens [text, token, width]; mask [text, 1, 1, token]: which are present, or a bias of the attention."""
        parts = self.inputs(self.norms[0](tokens)).unflatten(-1, (3, self.heads, -1)).movedim(1, 3)
        query, key, value = parts.unbind(dim=1)
        mask = mask.to(query.dtype) if mask.is_floating_point() else mask
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        tokens = tokens + self.dropout(self.output(found.transpose(1, 2).flatten(2)))
        return tokens + self.dropout(self.each(self.norms[1](tokens)))  # type: ignore[no-any-return]
