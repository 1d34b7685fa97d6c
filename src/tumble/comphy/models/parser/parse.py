"""The learned parser: programs of texts, in batches, by the trained network."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from tumble.comphy.catalogue.task import Choice, Kind, Program, Question
from tumble.comphy.catalogue.world import named_world
from tumble.comphy.models.parser.network import Encoded, ParserNetwork
from tumble.comphy.models.parser.tokens import END, UNKNOWN, Vocabulary, padded, program_of
from tumble.comphy.models.parser.training import ParserConfig, ParserTraining
from tumble.comphy.models.shipped import checkpoint_path
from tumble.comphy.questions.parser import ParseError
from tumble.comphy.questions.program import ProgramError, Type, check_program
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import load_network

BATCH = 256
"""Texts that are parsed together."""
BEAM = 8
"""Programs that are followed for a text of which the most likely program is not well formed."""
LENGTH_MARGIN = 8
"""Tokens by which a program may be longer than the longest one in training."""
ANSWERS = frozenset(Type) - {Type.OBJECTS, Type.EVENTS, Type.MASSES, Type.FRAME, Type.ORDER, Type.CHANGE, Type.NULL}
"""What programs of factual questions and options may give: answers, or the event or object of an option."""


class LearnedParser:
    """Translates questions and options to programs."""

    def __init__(self, network: ParserNetwork, vocabulary: Vocabulary, longest: int) -> None:
        self.network, self.vocabulary, self.longest = network.eval(), vocabulary, longest + LENGTH_MARGIN
        self.world = network.world

    @classmethod
    def load(cls, checkpoint: str | Path = "", device: torch.device | str = "cpu") -> "LearnedParser":
        """The parser of a checkpoint; without one, the parser that comes with the package."""
        path = checkpoint_path(ParserTraining.name, checkpoint)
        content = load_network(path, ParserTraining.name)
        try:
            vocabulary = Vocabulary(tuple(content["extra"]["words"]))
            config = ParserConfig(**content["config"])
            network = ParserNetwork(config.shape, len(vocabulary), named_world(config.world))
            network.load_state_dict({name: value.float() for name, value in content["network"].items()})
            longest = int(content["extra"]["longest"])
        except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
            raise TrainingError(f"{path}: not a checkpoint of this version's parser ({type(error).__name__})") from None
        return cls(network.to(device), vocabulary, longest)

    def programs(self, texts: Sequence[str]) -> list[Program]:
        """The program of each text; an error where none that is well formed is likely."""
        different = sorted(set(texts), key=lambda text: (len(text), text))
        found: dict[str, Program] = {}
        for start in range(0, len(different), BATCH):
            part = different[start : start + BATCH]
            found.update(zip(part, self._parse(part), strict=True))
        return [found[text] for text in texts]

    def question(self, text: str, choices: Sequence[str] = ()) -> Question:
        """The question of a text, with the given options, without an answer; its family is not known."""
        program, *options = self.programs([text, *choices])
        numbered = enumerate(zip(choices, options, strict=True))
        own_choices = tuple(Choice(number, option, own, None) for number, (option, own) in numbered)
        return Question(0, kind_of(program), "", text, program, choices=own_choices)

    def unknown_words(self, text: str) -> list[str]:
        """The words of a text that the parser does not know."""
        return self.vocabulary.unknown(text)

    @torch.inference_mode()
    def _parse(self, texts: Sequence[str]) -> list[Program]:
        numbers = [self.vocabulary.numbers(text) or [UNKNOWN] for text in texts]
        words = torch.from_numpy(padded(numbers)).long().to(self._device)
        encoded = self.network.encode(words, torch.tensor([len(own) for own in numbers]))
        programs = [program_of(row, self.network.world) for row in self._greedy(encoded).tolist()]
        for k, program in enumerate(programs):
            if not is_well_formed(program):
                programs[k] = self._best_well_formed(texts[k], encoded.repeated(torch.tensor([k], device=self._device)))
        return programs

    def _greedy(self, encoded: Encoded) -> Tensor:
        """int64 [text, place]: the most likely token at each place, given those before it."""
        token = torch.full((len(encoded.keys), 1), END, device=self._device)
        ended = torch.zeros_like(token, dtype=torch.bool)
        tokens, state = [], None
        for _ in range(self.longest + 1):
            logits, state = self.network.decode(encoded, token, state)
            token = logits.argmax(dim=-1)
            tokens.append(token)
            ended |= token <= END
            if bool(ended.all()):
                break
        return torch.cat(tokens, dim=1)

    def _best_well_formed(self, text: str, encoded: Encoded) -> Program:
        """The most likely program of one text that is well formed, among those that a beam search finds."""
        beams = torch.zeros((1, 0), dtype=torch.long, device=self._device)
        scores = torch.zeros(1, device=self._device)
        token, state = torch.full((1, 1), END, device=self._device), None
        found: list[tuple[float, Program]] = []
        for _ in range(self.longest + 1):
            logits, state = self.network.decode(encoded.repeated(token.new_zeros(len(token))), token, state)
            assert state is not None
            totals = scores[:, None] + logits[:, -1].log_softmax(dim=-1)
            scores, places = totals.flatten().topk(min(BEAM, totals.numel()))
            rows, tokens = places // totals.shape[1], places % totals.shape[1]
            beams = torch.cat([beams[rows], tokens[:, None]], dim=1)
            ended = tokens <= END
            found += [
                (float(scores[k]), program_of(beams[k].tolist(), self.network.world))
                for k in ended.nonzero().flatten().tolist()
            ]
            rows, beams, scores = rows[~ended], beams[~ended], scores[~ended]
            if not len(beams) or len(found) >= BEAM:
                break
            token = beams[:, -1:]
            state = (
                (state[0][0][:, rows], state[0][1][:, rows]),
                (state[1][0][:, rows], state[1][1][:, rows]),
            )
        well_formed = [(score, program) for score, program in found if is_well_formed(program)]
        if not well_formed:
            unknown = ", ".join(self.unknown_words(text))
            note = f"; it does not know these words: {unknown}" if unknown else ""
            raise ParseError(f"can't parse {text!r}: the learned parser finds no well-formed program{note}")
        return max(well_formed)[1]

    @property
    def _device(self) -> torch.device:
        return self.network.output.weight.device


def is_well_formed(program: Program) -> bool:
    """Whether a program is that of a factual question or an option, or, after an option's, of a multiple choice."""
    for stack, results in (((), ANSWERS), ((Type.EVENT,), (Type.YES_NO,))):
        try:
            if check_program(program, stack) in results:
                return True
        except ProgramError:
            continue
    return False


def kind_of(program: Program) -> Kind:
    """The kind of question that has this program."""
    if "unseen_events" in program:
        return "predictive"
    return "counterfactual" if {"filter_counterfact", "counterfact_events"} & set(program) else "factual"
