"""What the trainings of the baselines that see tracks share: MAC and ALOE.

Words that texts of a set use are guessed from the looks of its objects; this needs no label, and teaches early which
objects "red" and "cube" may mean.
"""

from abc import abstractmethod

from torch import Tensor

from tumble.comphy.models.baselines.baseline import BaselineNetwork, BaselineTraining, Batch
from tumble.comphy.models.baselines.frame_encoder import Videos
from tumble.comphy.models.baselines.heads import Scores
from tumble.comphy.models.baselines.scene_tokens import SceneTokens
from tumble.comphy.models.baselines.tracks import Tracks

PLACE_NOISE = 0.003
"""Standard deviation of the noise of places in tracks, as augmentation; a picture is 2 wide."""


class TrackNetwork(BaselineNetwork):
    """A network over tokens of objects and pairs."""

    scene: SceneTokens

    @abstractmethod
    def answer(self, tracks: Videos, words: Tensor, lengths: Tensor) -> Scores:
        """Scores of texts about sets with these packed tracks."""


class TrackTraining(BaselineTraining):
    """The training of such a network."""

    network: TrackNetwork

    def draw_videos(self, versions: Tensor, rows: Tensor, mirrored: bool) -> Videos:
        """Packed tracks of sets in some versions, with noise, mirrored or not."""
        config, pictures = self.config, self.bank.pictures(versions, rows)

        def change(packed: Tensor, frames: int) -> Tensor:
            return Tracks.unpacked(packed, frames).changed(mirrored, config.noise, PLACE_NOISE).packed

        references = None if pictures.references is None else change(pictures.references, config.reference_frames)
        return Videos(change(pictures.target, config.frames), references)

    def losses(self, step: int, progress: float) -> dict[str, Tensor]:
        batch = self.draw_batch()
        scores = self.network.answer(batch.videos, batch.words, batch.lengths)
        return self.answer_losses(scores, batch, progress)

    def answer_losses(self, scores: Scores, batch: Batch, progress: float) -> dict[str, Tensor]:
        """The losses of the scores of a batch, and that of the words which its sets use."""
        losses = super().answer_losses(scores, batch, progress)
        return {**losses, "used words": self.network.scene.word_loss(batch.videos, batch.used_words)}
