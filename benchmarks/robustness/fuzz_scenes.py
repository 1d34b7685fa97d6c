"""Scenes: files that are read and written back, and random worlds that are rolled out."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from fuzz_kind import Files, Finding, Kind, Tally, expect, expect_finite, judge
from mutation import mutated_json

from tumble import engine
from tumble.errors import TumbleError
from tumble.scene import Scene, from_json, initial_poses, load, save, to_json
from tumble.scene.samples import SAMPLES

STEPS, STRIDE = 120, 20


def number(rng: Random, low: float, high: float) -> float:
    """A number of a usual size, or rarely of any size."""
    if rng.random() < 0.9:
        return rng.uniform(low, high)
    return rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-6.0, 9.0)


def size(rng: Random) -> float:
    """A positive number of a usual size, or rarely of any size."""
    return rng.uniform(0.05, 20.0) if rng.random() < 0.9 else 10.0 ** rng.uniform(-5.9, 8.9)


def random_scene(rng: Random) -> dict[str, Any]:
    """A scene as JSON: bodies of all shapes, which may overlap, fall, collide or fly apart."""
    bodies = [_body(rng) for _ in range(rng.randrange(1, 9))]
    scene: dict[str, Any] = {"version": 1, "bodies": bodies}
    if rng.random() < 0.5:
        scene["units_per_metre"] = size(rng)
    if rng.random() < 0.3:
        scene["gravity"] = [number(rng, -20.0, 20.0), number(rng, -20.0, 20.0)]
    return scene


def _body(rng: Random) -> dict[str, Any]:
    body: dict[str, Any] = {
        "shapes": [_shape(rng) for _ in range(1 if rng.random() < 0.7 else rng.randrange(2, 5))],
        "position": [number(rng, -30.0, 30.0), number(rng, -30.0, 30.0)],
        "angle": number(rng, -4.0, 4.0),
        "dynamic": rng.random() < 0.7,
    }
    optional: dict[str, Any] = {
        "velocity": [number(rng, -50.0, 50.0), number(rng, -50.0, 50.0)],
        "angular_velocity": number(rng, -30.0, 30.0),
        "density": size(rng),
        "friction": abs(number(rng, 0.0, 2.0)),
        "restitution": abs(number(rng, 0.0, 1.5)),
        "gravity_scale": number(rng, -2.0, 2.0),
        "linear_damping": abs(number(rng, 0.0, 5.0)),
        "angular_damping": abs(number(rng, 0.0, 5.0)),
        "bullet": rng.random() < 0.5,
        "layer": rng.randrange(65536),
        "mask": rng.randrange(65536),
        "dormant": rng.random() < 0.2,
    }
    return {**body, **{name: value for name, value in optional.items() if rng.random() < 0.3}}


def _shape(rng: Random) -> dict[str, Any]:
    x, y = (number(rng, -3.0, 3.0), number(rng, -3.0, 3.0)) if rng.random() < 0.4 else (0.0, 0.0)
    if rng.random() < 0.4:
        return {"type": "circle", "radius": size(rng), "centre": [x, y]}
    wide, tall = size(rng), size(rng)
    count = rng.choice((3, 4, 4, 4, 5, 8, 16))
    turn = rng.uniform(0.0, math.tau)
    corners = [turn + math.tau * (k + rng.uniform(-0.3, 0.3)) / count for k in range(count)]
    return {"type": "polygon", "vertices": [[x + wide * math.cos(a), y + tall * math.sin(a)] for a in corners]}


class SceneFiles(Kind):
    """Scenes as JSON, sampled or random, mutated: read, checked and written back."""

    name, share = "scenes", 200
    batch = 1000

    def prepare(self, folder: Path) -> None:
        self.samples = [json.loads(to_json(make())) for make in SAMPLES.values()]
        self.samples = [scene for scene in self.samples if len(scene["bodies"]) < 30]

    def make(self, rng: Random) -> Files:
        scene = rng.choice(self.samples) if rng.random() < 0.3 else random_scene(rng)
        return {"scene.json": mutated_json(rng, scene)}

    def use(self, folder: Path) -> None:
        scene = load(folder / "scene.json")
        present = [not body.dormant for body in scene.bodies]
        expect_finite(initial_poses(scene)[present], "poses")
        save(scene, folder / "copy.json")
        expect(load(folder / "copy.json") == scene, "it is read back differently")


class Worlds(Kind):
    """Random scenes of all sizes, rolled out together."""

    name, share = "worlds", 120
    batch = 500

    def make(self, rng: Random) -> Files:
        return {"scene.json": json.dumps(random_scene(rng)).encode()}

    def check(self, seed: int, first: int, count: int, folder: Path) -> Tally:
        tally = Tally()
        scenes: list[tuple[int, Scene]] = []
        for own in range(first, first + count):
            text = self.make(Random(f"{seed}/{self.name}/{own}"))["scene.json"]
            assert isinstance(text, bytes)
            refused = Tally()
            judge(self.name, own, lambda text=text, own=own: scenes.append((own, from_json(text.decode()))), refused)
            refused.accepted = 0
            tally.add(refused)
        self._roll_out(scenes, tally)
        return tally

    def _roll_out(self, scenes: Sequence[tuple[int, Scene]], tally: Tally) -> None:
        if not scenes:
            return
        options = engine.Options(max_steps=STEPS, stride=STRIDE, velocities=True, events=True, threads=1)
        try:
            rollouts = engine.rollout(engine.each([scene for _, scene in scenes]), options=options)
        except TumbleError:
            if len(scenes) > 1:  # it names one world; the others are rolled out without it
                half = len(scenes) // 2
                self._roll_out(scenes[:half], tally)
                self._roll_out(scenes[half:], tally)
                return
            judge(self.name, scenes[0][0], lambda: _rolled_out(scenes[0][1], options), tally)
            return
        for k, (own, scene) in enumerate(scenes):
            problem = _problem(scene, rollouts, k)
            if problem:
                tally.findings.append(Finding(self.name, own, problem))
            else:
                tally.accepted += 1


def _rolled_out(scene: Scene, options: engine.Options) -> None:
    engine.rollout(engine.each([scene]), options=options)


def _problem(scene: Scene, rollouts: engine.Rollouts, world: int) -> str:
    """What is wrong with the rollout of a world; empty if nothing is."""
    present = np.array([not body.dormant for body in scene.bodies], bool)
    if rollouts.verdicts[world] != 0 or rollouts.steps[world] != STEPS:
        return f"verdict {rollouts.verdicts[world]} after {rollouts.steps[world]} steps"
    for name in ("poses", "velocities"):
        values = getattr(rollouts, name)[world][:, : len(scene.bodies)][:, present]
        if not np.isfinite(values).all():
            return f"NaN or infinite {name}"
    events = rollouts.events[rollouts.events["world"] == world]
    for name in ("point", "normal", "approach_speed", "impulse"):
        if not np.isfinite(events[name]).all():
            return f"NaN or infinite {name} of a contact"
    return ""


KINDS: tuple[Kind, ...] = (SceneFiles(), Worlds())
