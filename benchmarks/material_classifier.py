"""Whether metal and rubber can be told apart in pictures of isolated bodies, by a logistic regression."""

from typing import NamedTuple

import numpy as np

from tumble.comphy.catalogue.body import COLORS, MATERIALS, SHAPES, Body
from tumble.comphy.catalogue.world import HALF_HEIGHTS, RADIUS
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer import Clip, Frames, Size, render_many

LUMINANCE = (0.2126, 0.7152, 0.0722)
QUANTILES = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
TABLE = np.array([(-3.0, -2.0), (3.0, 4.0)])
"""Opposite corners of a rectangle that contains all points of the table in view."""
MARGIN = 1.5 * RADIUS
"""Around a body, inside the view."""
TRAIN_SEED, TEST_SEEDS = 1, (11, 12, 13)
"""The look of metal was chosen with bodies of seeds 1 and 2, so the accuracy on those would be too high."""
NEWTON_STEPS, RIDGE = 30, 0.01


class Separation(NamedTuple):
    """Figures of one renderer."""

    accuracy: float
    """Share of the bodies of which the classifier names the material."""
    accuracies: dict[str, float]
    """The same by shape."""
    contrasts: dict[str, float]
    """By shape: mean contrast of metal divided by that of rubber. Contrast is the luminance's deviation by its mean."""


def separation(size: Size, count: int) -> Separation:
    """Trains on `count` bodies and tests on as many of each test seed, with random poses and colours."""
    train, _, train_is_metal = sample(size, count, TRAIN_SEED)
    samples = [sample(size, count, seed) for seed in TEST_SEEDS]
    test, shapes, is_metal = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    is_right = predict(train, train_is_metal, test) == is_metal
    contrast = test[:, 0]
    return Separation(
        float(is_right.mean()),
        {shape: float(is_right[shapes == shape].mean()) for shape in SHAPES},
        {
            shape: float(contrast[(shapes == shape) & is_metal].mean() / contrast[(shapes == shape) & ~is_metal].mean())
            for shape in SHAPES
        },
    )


def sample(size: Size, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Renders bodies one by one: features [body, feature], shapes [body], whether each is metal [body]."""
    random = np.random.default_rng(seed)
    bodies = [Body(str(random.choice(COLORS)), MATERIALS[k % 2], SHAPES[k // 2 % 3]) for k in range(count)]
    places, half = places_in_view(random, count), 0.5 * random.uniform(0.0, 2.0 * np.pi, count)
    clips = []
    for body, place, turn in zip(bodies, places, half, strict=True):
        position = np.array([[[*place, HALF_HEIGHTS[body.shape]]]])
        clips.append(Clip((body,), position, np.array([[[np.cos(turn), 0.0, 0.0, np.sin(turn)]]])))
    features = np.array([features_of(frames) for frames in render_many(clips, size, threads=1)])
    return features, np.array([body.shape for body in bodies]), np.array([body.material == "metal" for body in bodies])


def places_in_view(random: np.random.Generator, count: int) -> np.ndarray:
    """[body, 2]: random points of the table around which a body is whole in view."""
    around = MARGIN * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (0, 1)])
    places = random.uniform(*TABLE, (50 * count, 2))
    seen = CAMERA.sees(np.pad(places, ((0, 0), (0, 1)))[:, None] + around).all(axis=1)
    return np.asarray(places[seen][:count])


def features_of(frames: Frames) -> np.ndarray:
    """Contrast, histogram and gradients of the luminance inside the mask, all relative to its mean."""
    inside = frames.mask[0] == 1
    luminance = frames.rgb[0] @ np.array(LUMINANCE)
    luminance = luminance / luminance[inside].mean()
    across = np.abs(np.diff(luminance, axis=1))[inside[:, 1:] & inside[:, :-1]].mean()
    down = np.abs(np.diff(luminance, axis=0))[inside[1:] & inside[:-1]].mean()
    return np.array([luminance[inside].std(), *np.quantile(luminance[inside], QUANTILES), across, down])


def predict(features: np.ndarray, labels: np.ndarray, new: np.ndarray) -> np.ndarray:
    """bool [new]: labels of new rows by a logistic regression, fitted to the others with Newton's method."""
    middle, scale = features.mean(axis=0), features.std(axis=0)

    def design(rows: np.ndarray) -> np.ndarray:
        return np.pad((rows - middle) / scale, ((0, 0), (0, 1)), constant_values=1.0)

    rows, weights = design(features), np.zeros(features.shape[1] + 1)
    for _ in range(NEWTON_STEPS):
        share = 1.0 / (1.0 + np.exp(-np.clip(rows @ weights, -30.0, 30.0)))
        curvature = (rows * (share * (1.0 - share))[:, None]).T @ rows + RIDGE * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, rows.T @ (labels - share) - RIDGE * weights)
    return np.asarray(design(new) @ weights > 0.0)
