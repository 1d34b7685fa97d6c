"""The session of a client: answers its requests one by one, with its own game."""

import asyncio
from collections.abc import Callable
from typing import Protocol

import numpy as np

from tumble.phyq.server import wire
from tumble.phyq.server.game import Game, GameState, Played, ground_truth_text
from tumble.phyq.server.wire import Code, Request, RequestedShot, cartesian_shot, polar_shot, shot_of_sequence
from tumble.phyq.simulation import episode_views
from tumble.phyq.simulation.attempt import Attempt, attempt_of
from tumble.phyq.simulation.shots import Shot

DONE, REFUSED = wire.bytes_of(1), wire.bytes_of(0)
NO_LIMIT = 0
FAST = (Code.FAST_SHOOT, Code.FAST_SHOOT_POLAR, Code.FAST_SEQUENCE)


class Simulation(Protocol):
    """Simulates shots."""

    async def play(self, level: int, shots: list[Shot], stride: int = 0) -> Played:
        """Simulates shots on the level of an index; with `stride`, poses are recorded."""


class Session:
    """Answers the requests of a client.

    `ended` is called with the number of a level and an attempt at it that is won, lost, or given up after a shot.
    """

    def __init__(
        self,
        game: Game,
        simulation: Simulation,
        ended: Callable[[int, Attempt], None],
        best_scores: dict[int, int],
        noise: np.random.Generator,
    ) -> None:
        self.game, self._simulation, self._ended = game, simulation, ended
        self._best_scores = best_scores
        """Of all clients, by level."""
        self._noise = noise

    async def reply(self, request: Request) -> bytes:
        """The reply to a request, as it is sent."""
        code, numbers, game = request.code, request.numbers, self.game
        if code in (Code.SHOOT, Code.SHOOT_POLAR, Code.FAST_SHOOT, Code.FAST_SHOOT_POLAR):
            return await self._shoot(self._requested(code, *numbers), code in FAST)
        if code in (Code.SHOOT_SEQUENCE, Code.FAST_SEQUENCE):
            shots = [shot_of_sequence(*shot) for shot in request.shots]
            return b"".join([await self._shoot(shot, code in FAST) for shot in shots])
        if code is Code.SHOOT_AND_RECORD:
            return await self._shoot_and_record(*numbers)
        if code in (Code.LOAD_LEVEL, Code.RESTART_LEVEL, Code.LOAD_NEXT_LEVEL):
            return await self._load(code, *numbers)
        if code in (Code.ZOOM_OUT, Code.ZOOM_IN, Code.CLICK, Code.SPEED):
            return DONE
        if code in (Code.NOVELTY_LIKELIHOOD, Code.NOVELTY_DESCRIPTION):
            return DONE
        if code is Code.CONFIGURE:
            competes = numbers[1] == 0
            return wire.bytes_of(0, NO_LIMIT, min(len(game.levels), 255) if competes else 0)
        if code is Code.READY_FOR_NEW_SET:
            game.ready_for_new_set()
            return wire.words(NO_LIMIT, NO_LIMIT, len(game.levels), game.attempts) + wire.bytes_of(0, 0, 0)
        if code is Code.NOVELTY_INFO:
            return wire.words(0)
        if code is Code.LEVEL_COUNT:
            return wire.words(len(game.levels))
        if code is Code.CURRENT_LEVEL:
            return wire.words(game.number)
        await self._simulate()
        return self._observation(code)

    def _observation(self, code: Code) -> bytes:
        """The reply to a question about the state of the game, whose shots are simulated."""
        game = self.game
        if code is Code.STATE:
            return wire.bytes_of(game.state)
        if code is Code.SCORE:
            return wire.words(game.score)
        if code is Code.BEST_SCORES:
            return wire.words(*self._by_level(self._best_scores))
        if code is Code.MY_SCORES:
            return wire.words(len(game.levels), *self._by_level(game.scores))
        picture = b""
        if code in (Code.SCREENSHOT, Code.TRUTH_AND_SCREENSHOT, Code.NOISY_TRUTH_AND_SCREENSHOT):
            picture = wire.screenshot(game.view.picture())
        if code is Code.SCREENSHOT:
            return picture
        noisy = code in (Code.NOISY_TRUTH, Code.NOISY_TRUTH_AND_SCREENSHOT)
        return wire.sized(ground_truth_text(game.view, self._noise) if noisy else game.truth) + picture

    def _by_level(self, scores: dict[int, int]) -> list[int]:
        return [scores.get(number, 0) for number in range(1, len(self.game.levels) + 1)]

    def _requested(self, code: Code, first: int, second: int, release_ms: int, tap_ms: int) -> RequestedShot:
        if code in (Code.SHOOT, Code.FAST_SHOOT) or not self.game.number:
            return cartesian_shot(first, second, release_ms, tap_ms)
        return polar_shot(first, second, release_ms, tap_ms, self.game.level.rest_point)

    async def _shoot(self, requested: RequestedShot, fast: bool, stride: int = 0) -> bytes:
        """Shoots; a fast shot is simulated when something else than a further shot is asked for."""
        if not self.game.add_shot(requested):
            return REFUSED
        if not fast:
            await self._simulate(stride)
        return DONE

    async def _shoot_and_record(self, x: int, y: int, release_ms: int, tap_ms: int, stride: int) -> bytes:
        """Shoots, and replies with the ground truth after every `stride` steps, or at the end if there is none."""
        shot = cartesian_shot(x, y, release_ms, tap_ms)
        done = await self._shoot(shot, False, max(stride, 0)) == DONE
        await self._simulate()
        recorded = await asyncio.to_thread(self._recorded) if done and stride > 0 else []
        texts = recorded or [self.game.truth]
        return wire.words(len(texts)) + b"".join(map(wire.sized, texts))

    def _recorded(self) -> list[bytes]:
        """The ground truth at the poses that were recorded since the last release."""
        assert self.game.played is not None
        episodes, row = self.game.played.episodes, self.game.played.row
        release = episodes.released[row, len(self.game.shots) - 1] - episodes.start[row]
        motion = episode_views.motion(episodes, row)
        frames = np.flatnonzero(episodes.frames[: len(motion.poses)] > release)
        return [ground_truth_text(motion.view(int(frame))) for frame in frames] if release >= 0 else []

    async def _simulate(self, stride: int = 0) -> None:
        """Simulates the shots that are not simulated yet."""
        game = self.game
        if not game.waits_for_simulation:
            return
        game.apply(await self._simulation.play(game.number - 1, game.shots, stride))
        if game.state is GameState.WON:
            self._best_scores[game.number] = max(self._best_scores.get(game.number, 0), game.score)
        if game.state is not GameState.PLAYING:
            self._end_attempt()

    def _end_attempt(self) -> None:
        assert self.game.played is not None
        self._ended(self.game.number, attempt_of(self.game.played.episodes, self.game.played.row, self.game.shots))

    async def _load(self, code: Code, number: int = 0) -> bytes:
        """Loads a level; an attempt in progress is given up, and counts if there was a shot."""
        game = self.game
        if code is Code.RESTART_LEVEL:
            number = game.number
        if code is not Code.LOAD_NEXT_LEVEL and not 1 <= number <= len(game.levels):
            return REFUSED
        await self._simulate()
        if game.is_open:
            self._end_attempt()
        if code is Code.LOAD_NEXT_LEVEL:
            return wire.words(game.load_next())
        return wire.bytes_of(game.load(number))
