"""The losses of the perceiver."""

import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.models.perceiver.network import CELL, BodyOutput, DenseOutput
from tumble.comphy.models.perceiver.targets import Targets

NEAR_MISS = 4.0
"""Exponent by which heat near a centre is forgiven."""
LOG_ERROR_RANGE = (-4.0, 4.0)
SMALLEST_ERROR = 0.05
"""Pixels by which errors are softened: nearly exact centres must not decide the likelihood."""
SUBPIXEL = 0.25
"""Pixels below which the loss of a distance is quadratic."""


def heat_loss(heat: Tensor, targets: Targets) -> Tensor:
    """Focal loss of a heat map, per body: 1 is wanted at centres, less is forgiven around them."""
    logits, wanted = heat.float(), targets.heat
    share = torch.sigmoid(logits)
    is_centre = wanted == 1.0
    found = -functional.logsigmoid(logits) * (1.0 - share) ** 2
    wrong = -functional.logsigmoid(-logits) * share**2 * (1.0 - wanted) ** NEAR_MISS
    loss = torch.where(is_centre, found, wrong * ~targets.ignored)
    return loss.sum() / is_centre.sum().clamp(min=1)


def mask_losses(output: DenseOutput, targets: Targets) -> dict[str, Tensor]:
    """Losses of the foreground, and of the vectors to the centres of bodies, in cells."""
    shows = targets.labels > 0
    foreground = functional.binary_cross_entropy_with_logits(output.foreground.float(), shows.float())
    # The middle of a cell is a corner of four pixels; the label of one of them stands for the cell.
    labels = targets.labels[:, CELL // 2 :: CELL, CELL // 2 :: CELL].long()
    at = (labels - 1).clamp(min=0).flatten(1)
    centres = targets.places.centres.gather(1, at[..., None].expand(-1, -1, 2)).reshape(*labels.shape, 2)
    rows, columns = (torch.arange(size, device=labels.device) + 0.5 for size in labels.shape[1:])
    middles = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), dim=-1)
    errors = output.to_centre.float().permute(0, 2, 3, 1) - (centres - middles)
    inside = labels > 0
    distance = functional.smooth_l1_loss(errors, torch.zeros_like(errors), reduction="none", beta=0.25).sum(dim=-1)
    return {"foreground": foreground, "to centre": (distance * inside).sum() / inside.sum().clamp(min=1)}


def body_losses(
    output: BodyOutput, targets: Targets, frames: Tensor, bodies: Tensor, cells: Tensor
) -> dict[str, Tensor]:
    """Losses of what is said of some bodies, in pixels, from cells [body, 2] at or near theirs.

    All are means over the wanted ones of the given bodies, that is, of `bodies` in `frames`.
    """
    weights = targets.wanted[frames, bodies].float()
    count = weights.sum().clamp(min=1)
    middles = cells + 0.5
    places = targets.places

    def mean(values: Tensor, among: Tensor | None = None) -> Tensor:
        if among is None:
            return (values * weights).sum() / count
        return (values * weights * among).sum() / (weights * among).sum().clamp(min=1)

    errors = CELL * (output.offset - (places.centres[frames, bodies] - middles))
    sides = middles.repeat(1, 2)
    box_errors = CELL * (output.box - (targets.boxes[frames, bodies] - sides))
    turned = places.has_yaw[frames, bodies].float()
    looks = places.looks[frames, bodies].clamp(min=0)
    losses = {
        "centre": mean(_distance(errors)),
        "error": mean(_error_likelihood(output.log_error, errors.detach())),
        "box": mean(_distance(box_errors)),
        "yaw": mean((output.yaw - places.yaws[frames, bodies]).square().sum(dim=-1), turned),
    }
    for k, (name, logits) in enumerate(
        {"color": output.color, "material": output.material, "shape": output.shape}.items()
    ):
        losses[name] = mean(functional.cross_entropy(logits, looks[:, k], reduction="none"))
    return losses


def _distance(errors: Tensor) -> Tensor:
    """[body]: the sum of smoothed absolute errors [body, coordinate]."""
    return functional.smooth_l1_loss(errors, torch.zeros_like(errors), reduction="none", beta=SUBPIXEL).sum(dim=-1)


def _error_likelihood(log_error: Tensor, errors: Tensor) -> Tensor:
    """[body]: negative log likelihood of errors [body, 2] as of a normal distribution with this standard deviation."""
    log_error = log_error.clamp(*LOG_ERROR_RANGE)
    variance = torch.exp(2.0 * log_error)
    return log_error + 0.25 * (errors.square() + SMALLEST_ERROR**2).sum(dim=-1) / variance
