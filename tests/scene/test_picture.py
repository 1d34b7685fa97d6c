"""Colour pictures and animations, opened again as any viewer would."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tumble.scene import (
    PALETTE,
    Body,
    Circle,
    Scene,
    box,
    initial_poses,
    rasterize,
    render_rgb,
    save_animation,
    save_image,
)

SCENE = Scene(
    (
        Body((Circle(20.0),), (60.0, 200.0), dynamic=True, role="object"),
        Body((box(120.0, 8.0),), (100.0, 80.0), -0.3),
    ),
    width=256.0,
    height=256.0,
)


def falling(frames: int) -> np.ndarray:
    """The ball goes down by two units from frame to frame."""
    poses = np.repeat(initial_poses(SCENE)[np.newaxis], frames, axis=0)
    poses[:, 0, 1] -= 2.0 * np.arange(frames)
    return poses


def test_render_is_the_raster_in_colour() -> None:
    np.testing.assert_array_equal(render_rgb(SCENE), PALETTE[rasterize(SCENE)])
    assert render_rgb(SCENE, falling(3), size=(20, 30)).shape == (3, 20, 30, 3)


def test_a_smooth_pixel_is_the_mean_of_the_finer_ones() -> None:
    fine = PALETTE[rasterize(SCENE, size=(256, 384))].reshape(64, 4, 96, 4, 3).astype(float).mean(axis=(1, 3))
    smooth = render_rgb(SCENE, size=(64, 96), smooth=4)
    assert smooth.shape == (64, 96, 3)
    assert np.abs(smooth - fine).max() <= 0.5 + 1e-9
    assert len(np.unique(smooth.reshape(-1, 3), axis=0)) > 7, "edges are blends"


def test_smooth_batches_are_their_pictures() -> None:
    poses = falling(2)
    pictures = render_rgb(SCENE, poses, size=(32, 32), smooth=2)
    for picture, pose in zip(pictures, poses, strict=True):
        np.testing.assert_array_equal(picture, render_rgb(SCENE, pose, size=(32, 32), smooth=2))


def test_an_impossible_smoothness_is_refused() -> None:
    with pytest.raises(ValueError, match="smooth must be at least 1, got 0"):
        render_rgb(SCENE, smooth=0)
    with pytest.raises(ValueError, match="at most 4096 pixels"):
        render_rgb(SCENE, size=(5000, 10), smooth=4)


def test_a_saved_image_shows_the_scene(tmp_path: Path) -> None:
    save_image(tmp_path / "scene.png", SCENE, size=(128, 128))
    with Image.open(tmp_path / "scene.png") as image:
        assert (image.format, image.size) == ("PNG", (128, 128))
        assert image.convert("RGB").getpixel((30, 28)) == tuple(PALETTE[2]), "the ball is at the upper left"
        assert image.convert("RGB").getpixel((120, 120)) == (255, 255, 255)
    assert [file.name for file in tmp_path.iterdir()] == ["scene.png"]


@pytest.mark.parametrize(("width", "height", "pixels"), [(840.0, 480.0, (512, 293)), (5.0, 10.0, (256, 512))])
def test_a_saved_image_has_the_shape_of_the_view(
    tmp_path: Path, width: float, height: float, pixels: tuple[int, int]
) -> None:
    save_image(tmp_path / "scene.png", Scene((), width, height))
    with Image.open(tmp_path / "scene.png") as image:
        assert image.size == pixels


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".GIF"])
@pytest.mark.parametrize("frames", [1, 9])
def test_an_animation_has_all_its_frames(tmp_path: Path, suffix: str, frames: int) -> None:
    path = tmp_path / f"scene{suffix}"
    save_animation(path, SCENE, falling(frames), fps=30.0, size=(64, 64))
    with Image.open(path) as image:
        assert image.format == suffix[1:].upper()
        assert image.size == (64, 64)
        assert getattr(image, "n_frames", 1) == frames
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_an_animation_shows_the_poses_and_lasts_as_long_as_asked(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scene{suffix}"
    poses = falling(9)
    save_animation(path, SCENE, poses, fps=30.0, size=(64, 64))
    duration = 0
    with Image.open(path) as image:
        for k, pose in enumerate(poses):
            image.seek(k)
            picture = np.asarray(image.convert("RGB")).astype(int)
            duration += image.info["duration"]
            expected = render_rgb(SCENE, pose, size=(64, 64), smooth=4).astype(int)
            assert np.abs(picture - expected).max() <= 12, "half a step between two of the twelve blends"
            assert (picture[expected.min(axis=-1) == 255] == 255).all(), "the background is white"
    assert duration == 300


@pytest.mark.parametrize(("name", "allowed"), [("a.jpg", ".png"), ("a", ".png"), ("a.gif", ".png")])
def test_another_kind_of_image_is_refused(tmp_path: Path, name: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=rf"{name}: the name of this file must end in \{allowed}"):
        save_image(tmp_path / name, SCENE)
    assert not list(tmp_path.iterdir())


def test_another_kind_of_animation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.mp4: the name of this file must end in \.gif or \.webp"):
        save_animation(tmp_path / "a.mp4", SCENE, falling(2))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("fps", [0.0, -1.0, 51.0, float("nan")])
def test_an_impossible_speed_is_refused(tmp_path: Path, fps: float) -> None:
    with pytest.raises(ValueError, match=r"fps of a \.gif file must be greater than 0 and at most 50"):
        save_animation(tmp_path / "a.gif", SCENE, falling(2), fps=fps)


def test_the_number_of_pictures_must_fit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"an animation needs poses .* got \[0, 2, 3\]"):
        save_animation(tmp_path / "a.gif", SCENE, falling(0))
    with pytest.raises(ValueError, match=r"an animation needs poses .* got \[2, 3\]"):
        save_animation(tmp_path / "a.gif", SCENE, initial_poses(SCENE))
    with pytest.raises(ValueError, match="save_image draws one picture"):
        save_image(tmp_path / "a.png", SCENE, falling(2))
    assert not list(tmp_path.iterdir())


def test_a_failure_on_the_way_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        save_animation(tmp_path / "a.gif", SCENE, falling(2), size=(8, 8))
    assert not list(tmp_path.iterdir())
