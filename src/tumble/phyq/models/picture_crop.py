"""How the released code cuts pictures: the middle three quarters of both sides, after exchanging rows and columns."""

from torch import Tensor
from torch.nn import functional


def cropped(x: Tensor, crop: bool, transposed: bool) -> Tensor:
    """Pictures [n, channels, 120, 160], cut and stretched to the same size again; unchanged if neither is asked for."""
    if not crop and not transposed:
        return x
    rows, columns = x.shape[2:]
    seen = x.transpose(2, 3) if transposed else x
    if crop:
        top, left = (seen.shape[2] - rows * 3 // 4) // 2, (seen.shape[3] - columns * 3 // 4) // 2
        seen = seen[:, :, top : top + rows * 3 // 4, left : left + columns * 3 // 4]
    return functional.interpolate(seen, (rows, columns), mode="bilinear", align_corners=False)
