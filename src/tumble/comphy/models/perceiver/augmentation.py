"""Changes to rendered pictures that make them like decoded videos: coarse colours, quantisation, noise, blur."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 8
"""Pixels along each side of the blocks that are quantised."""
UNCHANGED = 0.15
"""Share of pictures that stay as they are."""
LARGEST_STEP = 14.0
"""Of the quantisation of brightness, of 255; H.264 at crf 18 has about 5 to 9."""
LARGEST_NOISE, LARGEST_GAIN, LARGEST_SHIFT = 2.5 / 255.0, 0.06, 0.03
BLURRED = 0.25
"""Share of pictures that are blurred a little."""
# Rows: brightness, blue and red difference of RGB from 0 to 1 (ITU-R BT.601).
TO_YUV = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))
FROM_YUV = np.linalg.inv(np.array(TO_YUV)).tolist()


def augment(pictures: Tensor) -> Tensor:
    """Changed pictures [frame, 3, height, width], values from 0 to 1, drawn with PyTorch's generator of the device."""
    count, device = len(pictures), pictures.device

    def draw(low: float, high: float, channels: int = 1) -> Tensor:
        return low + (high - low) * torch.rand((count, channels, 1, 1), device=device)

    changed = pictures * draw(1 - LARGEST_GAIN, 1 + LARGEST_GAIN) * draw(0.98, 1.02, 3)
    changed = changed + draw(-LARGEST_SHIFT, LARGEST_SHIFT)
    changed = torch.where(draw(0.0, 1.0) < BLURRED, _blurred(changed, draw(0.0, 0.5)), changed)
    changed = compress(changed.clamp(0.0, 1.0), draw(0.0, LARGEST_STEP) / 255.0)
    changed = changed + torch.randn_like(changed) * draw(0.0, LARGEST_NOISE)
    return torch.where(draw(0.0, 1.0) < UNCHANGED, pictures, changed.clamp(0.0, 1.0))


def compress(pictures: Tensor, steps: Tensor) -> Tensor:
    """Pictures as a video codec leaves them: colours at half the resolution, cosine coefficients in whole steps.

    `steps` are [frame, 1, 1, 1], of brightness; colours have steps one and a half times as large.
    """
    yuv = _mixed(pictures, TO_YUV)
    light = _quantised(yuv[:, :1], steps)
    colours = _quantised(functional.avg_pool2d(yuv[:, 1:], 2), 1.5 * steps)
    colours = functional.interpolate(colours, scale_factor=2, mode="bilinear", align_corners=False)
    return _mixed(torch.cat([light, colours], dim=1), FROM_YUV).clamp(0.0, 1.0)


def _mixed(pictures: Tensor, matrix: Sequence[Sequence[float]]) -> Tensor:
    """Pictures with other channels, each a row of the matrix."""
    channels = pictures.unbind(dim=1)
    return torch.stack([red * channels[0] + green * channels[1] + blue * channels[2] for red, green, blue in matrix], 1)


def _quantised(values: Tensor, steps: Tensor) -> Tensor:
    """Values [frame, channel, height, width] whose cosine coefficients in blocks are whole numbers of steps."""
    frames, channels, height, width = values.shape
    padded = functional.pad(values, (0, -width % BLOCK, 0, -height % BLOCK), mode="replicate")
    cosines = cosine_matrix(values.device)
    rows, columns = padded.shape[2] // BLOCK, padded.shape[3] // BLOCK
    blocks = padded.reshape(frames, channels, rows, BLOCK, columns, BLOCK).transpose(3, 4)
    steps = steps[..., None, None].clamp(min=1e-4)
    coefficients = torch.round(cosines @ blocks @ cosines.T / steps) * steps
    result = (cosines.T @ coefficients @ cosines).transpose(3, 4).reshape(frames, channels, *padded.shape[2:])
    return result[..., :height, :width]


def cosine_matrix(device: torch.device) -> Tensor:
    """[BLOCK, BLOCK]: the orthonormal discrete cosine transform."""
    k = torch.arange(BLOCK, device=device, dtype=torch.float32)
    matrix = torch.cos(math.pi / BLOCK * (k + 0.5) * k[:, None]) * math.sqrt(2.0 / BLOCK)
    matrix[0] /= math.sqrt(2.0)
    return matrix


def _blurred(pictures: Tensor, weights: Tensor) -> Tensor:
    """Pictures mixed with the mean of 3 x 3 pixels, by weights [frame, 1, 1, 1]."""
    around = functional.avg_pool2d(functional.pad(pictures, (1, 1, 1, 1), mode="replicate"), 3, 1)
    return pictures + weights * (around - pictures)
