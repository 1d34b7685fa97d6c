"""Features of objects as the original defines them: positions are those of centres of mass."""

import math

import numpy as np

from tumble.engine.math.mass import inverse_mass, polygon_mass
from tumble.phyre.compat.simulation import FeaturizedObjects
from tumble.phyre.observation import view
from tumble.scene import Body, Polygon, Scene


def featurize(scene: Scene, features: np.ndarray, placed: int) -> FeaturizedObjects:
    """Features [steps, objects, 14] of `view.features`, with positions moved from bodies' origins to their centres.

    `placed` is the number of balls that the user placed, the scene's last bodies.
    """
    moved = features.copy()
    for k, index in enumerate(view.objects(scene)):
        x, y = centre_of_mass(scene.bodies[index])
        if x or y:
            angle = 2.0 * math.pi * features[:, k, 2]
            c, s = np.cos(angle), np.sin(angle)
            moved[:, k, 0] += (x * c - y * s) / scene.width
            moved[:, k, 1] += (x * s + y * c) / scene.width
    return FeaturizedObjects(moved, placed)


def initial_objects(scene: Scene) -> FeaturizedObjects:
    """The objects of a scene at its start."""
    return featurize(scene, view.features(scene)[None], 0)


def centre_of_mass(body: Body) -> tuple[float, float]:
    """x and y of the centre of mass in pixels from the body's origin; only a jar's is elsewhere than its origin."""
    if view.kind(body) != "jar":
        return 0.0, 0.0
    outlines = [np.array(shape.vertices, np.float32) for shape in body.shapes if isinstance(shape, Polygon)]
    _, _, x, y = inverse_mass([polygon_mass(outline, np.float32(1.0)) for outline in outlines])
    return float(x), float(y)
