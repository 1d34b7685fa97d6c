"""Arrays of a device as NumPy arrays."""

from typing import Any

import numpy as np
import warp as wp


def to_host(array: Any) -> np.ndarray:
    """The content of a Warp array, after the work of its device's current stream.

    Unlike `array.numpy()`, it does not wait for other streams, nor do these wait for it.
    """
    if array.device.is_cpu or array.size == 0:
        return np.asarray(array.numpy())
    copy = wp.empty(array.shape, dtype=array.dtype, device="cpu")
    wp.copy(copy, array)
    wp.synchronize_stream(array.device.stream)
    return np.asarray(copy.numpy())
