"""Perceptions with noise, made of exact tracks."""

from dataclasses import replace

import numpy as np

from tumble.comphy.catalogue.video_set import VideoSet
from tumble.comphy.dataset.observe import observe_videos
from tumble.comphy.models.perceiver.perceive import perception_of
from tumble.comphy.models.perceiver.perception import PerceivedVideo, Perception

PIXELS = 0.7


def noisy_perception(videos: VideoSet) -> Perception:
    """Centres with noise of PIXELS and yaws with 4 degrees, while the perceiver claims half of that."""
    exact, draws = perception_of(observe_videos(videos)), np.random.default_rng(videos.index)

    def noisy(video: PerceivedVideo) -> PerceivedVideo:
        return replace(
            video,
            centres=video.centres + draws.normal(0.0, PIXELS, video.centres.shape) / (240.0, 160.0),
            yaws=video.yaws + np.radians(draws.normal(0.0, 4.0, video.yaws.shape)),
            errors=np.full(video.seen.shape, PIXELS / 2.0),
        )

    return Perception(exact.appearances, noisy(exact.target), tuple(map(noisy, exact.references)))


def hidden(video: PerceivedVideo, body: int, frames: slice) -> PerceivedVideo:
    """The video, with a body that is not detected in some frames."""
    seen, centres, yaws = video.seen.copy(), video.centres.copy(), video.yaws.copy()
    seen[frames, body], centres[frames, body], yaws[frames, body] = False, np.nan, np.nan
    return replace(video, seen=seen, centres=centres, yaws=yaws)


def swapped(video: PerceivedVideo, frames: slice) -> PerceivedVideo:
    """The video, in some frames of which the tracks of the first two bodies are swapped."""
    order = [1, 0, *range(2, len(video.members))]
    seen, centres = video.seen.copy(), video.centres.copy()
    seen[frames], centres[frames] = video.seen[frames][:, order], video.centres[frames][:, order]
    return replace(video, seen=seen, centres=centres)
