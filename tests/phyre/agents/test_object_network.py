"""The network that sees objects: its tokens, and what its scores may depend on."""

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from tumble import phyre  # noqa: E402
from tumble.phyre.agents.object_network import ObjectNetwork  # noqa: E402
from tumble.phyre.agents.object_tokens import BODY, mirrored_tokens, tokens_of  # noqa: E402
from tumble.scene import Body, Circle, Polygon, Shape  # noqa: E402

CPU = torch.device("cpu")
TASK = "00003:001"  # a jar, a bar, a wall


def mirrored_body(body: Body) -> Body:
    def turned(shape: Shape) -> Shape:
        if isinstance(shape, Circle):
            return Circle(shape.radius, (-shape.centre[0], shape.centre[1]))
        return Polygon(tuple((-x, y) for x, y in reversed(shape.vertices)))

    x, y = body.position
    return replace(body, position=(256.0 - x, y), angle=-body.angle, shapes=tuple(map(turned, body.shapes)))


@pytest.mark.parametrize("task_id", [TASK, "00009:010", "00100:000"])
def test_mirrored_tokens_are_those_of_the_mirrored_scene(task_id: str) -> None:
    task = phyre.task(task_id)
    bodies = tuple(mirrored_body(body) for body in task.scene.bodies)
    other = replace(task, scene=replace(task.scene, bodies=bodies))
    turned, expected = mirrored_tokens(tokens_of([task], CPU)), tokens_of([other], CPU)
    torch.testing.assert_close(turned, expected, atol=2e-5, rtol=0.0)


def test_scores_do_not_depend_on_order_or_padding_but_on_the_goal() -> None:
    torch.manual_seed(0)
    network = ObjectNetwork(width=0.125).eval()
    tokens, actions = tokens_of([phyre.task(TASK)], CPU), torch.rand(4, 3)
    count = int((tokens[0, :, BODY] != 0).sum())
    with torch.inference_mode():
        scores = network.score(tokens, actions)
        assert scores.unique().numel() == 4
        order = torch.randperm(count)
        torch.testing.assert_close(network.score(tokens[:, order], actions), scores, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(network.score(tokens[:, :count], actions), scores, atol=1e-5, rtol=1e-4)
        alone = torch.cat([network.score(tokens, action[None]) for action in actions])
        torch.testing.assert_close(alone, scores, atol=1e-5, rtol=1e-4)
        swapped = tokens.clone()
        swapped[..., [7, 8]] = tokens[..., [8, 7]]
        assert not torch.allclose(network.score(swapped, actions), scores, atol=1e-3)
