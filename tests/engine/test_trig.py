"""Sine and cosine as the engine computes them outside kernels."""

import numpy as np

from tumble.engine.state.geometry import exact_sine_cosine


def test_sine_and_cosine_outside_kernels() -> None:
    """Far closer than single precision tells apart."""
    angles = np.linspace(-10.0, 10.0, 4001)
    sine, cosine = exact_sine_cosine(angles)
    np.testing.assert_allclose(sine, np.sin(angles), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(cosine, np.cos(angles), rtol=0.0, atol=1e-12)
