"""The published results on ComPhy; accuracies in percent.

From Chen et al. 2024 (arXiv 2408.02687): tables 3 and 5 are on the test split, 6 and 7 on the validation split.
Counterfactual test questions mostly have four options, predictive ones two; validation questions nearly always have
two, so accuracies per question can be compared only for the same numbers of options.
"""

from typing import NamedTuple

PAPER = "Chen et al. 2024"


class Accuracies(NamedTuple):
    """A row of a table; None if the paper has no value."""

    factual: float | None
    predictive_per_option: float
    predictive_per_question: float
    counterfactual_per_option: float
    counterfactual_per_question: float


TABLE_3 = {
    "Random": Accuracies(29.7, 51.9, 22.6, 49.7, 9.1),
    "Frequent": Accuracies(30.9, 56.2, 25.7, 50.3, 8.7),
    "Blind-LSTM": Accuracies(39.0, 57.9, 28.7, 55.7, 12.5),
    "CNN-LSTM": Accuracies(46.6, 59.5, 29.8, 58.6, 14.6),
    "HCRN": Accuracies(47.3, 62.7, 32.7, 58.6, 14.2),
    "MAC": Accuracies(68.6, 60.2, 32.2, 60.2, 16.0),
    "ALOE": Accuracies(54.3, 65.9, 35.2, 65.4, 20.8),
    "CNN-LSTM (Ref)": Accuracies(41.9, 59.6, 29.4, 57.2, 12.8),
    "MAC (Ref)": Accuracies(65.8, 60.2, 30.7, 60.3, 14.3),
    "ALOE (Ref)": Accuracies(57.7, 67.9, 37.1, 67.9, 22.2),
    "ALPRO": Accuracies(45.2, 56.9, 27.2, 53.7, 14.4),
    "GPT-4V": Accuracies(42.2, 60.7, 47.1, 51.1, 8.9),
    "Gemini": Accuracies(37.7, 46.5, 22.7, 49.2, 6.3),
    "Human": Accuracies(90.6, 88.0, 75.9, 80.0, 52.9),
}
"""Baselines, large models, and humans on sampled questions."""

TABLE_5 = {
    "CPL-DPI": Accuracies(None, 73.3, 50.8, 61.1, 16.6),
    "CPL": Accuracies(80.5, 75.3, 56.4, 68.3, 29.1),
    "PCR": Accuracies(76.0, 80.0, 62.0, 70.0, 29.0),
}
"""Neuro-symbolic models."""

TABLE_6 = {
    "PCR w/o R": Accuracies(68.7, 52.0, 28.1, 54.9, 28.0),
    "PCR w/o CI": Accuracies(70.3, 51.2, 24.4, 54.0, 28.0),
    "PCR": Accuracies(78.3, 75.0, 56.5, 70.5, 50.2),
}
"""PCR without references (R) and without counterfactual imagination (CI), on the validation split."""


TABLE_8 = {
    "Random": Accuracies(1.8, 50.1, 22.9, 48.1, 24.0),
    "Frequent": Accuracies(15.7, 50.0, 0.0, 50.0, 0.0),
    "Blind-LSTM": Accuracies(43.2, 50.3, 25.0, 49.2, 23.2),
    "CNN-LSTM": Accuracies(49.6, 52.8, 29.9, 55.7, 29.7),
    "HCRN": Accuracies(51.5, 56.3, 34.1, 51.9, 30.1),
    "MAC": Accuracies(51.7, 50.4, 28.9, 51.9, 26.3),
    "ALOE": Accuracies(46.9, 52.4, 29.0, 51.5, 28.6),
    "CNN-LSTM (Ref)": Accuracies(49.7, 51.4, 23.3, 55.6, 30.5),
    "MAC (Ref)": Accuracies(50.6, 51.9, 33.3, 50.8, 25.2),
    "ALOE (Ref)": Accuracies(48.6, 51.2, 26.1, 52.9, 27.2),
    "ALPRO": Accuracies(47.1, 51.8, 28.9, 52.6, 28.4),
    "GPT-4o-mini": Accuracies(42.5, 50.0, 29.2, 58.8, 30.7),
    "Gemini": Accuracies(34.2, 50.3, 25.7, 49.4, 30.6),
    "PCR": Accuracies(68.4, 58.3, 34.9, 60.3, 32.8),
    "Human": Accuracies(88.6, 82.9, 73.7, 88.2, 78.9),
}
"""On ComPhy-DIV, the diverse split, where every predictive and counterfactual question has two options: the published
Frequent is right about half of the options and about no question, so one option of each question is correct."""
DIV_ANSWERS = 175
"""Of the diverse split, as the paper counts them."""


class ConceptAccuracies(NamedTuple):
    """A row of table 7."""

    color: float
    shape: float
    material: float
    moving: float
    stationary: float
    enters: float
    leaves: float
    collision: float
    mass: float
    charge: float

    @property
    def by_concept(self) -> dict[str, float]:
        """Accuracies by the names of concepts in the paper, in its order."""
        return {{"enters": "in", "leaves": "out"}.get(name, name): value for name, value in self._asdict().items()}


TABLE_7 = {
    "PCR w/o R": ConceptAccuracies(91.0, 91.8, 92.8, 83.3, 85.2, 85.6, 81.8, 86.8, 79.5, 45.0),
    "PCR w/o CI": ConceptAccuracies(91.9, 89.1, 94.0, 82.6, 84.9, 86.3, 81.4, 89.0, 80.8, 44.8),
    "PCR": ConceptAccuracies(96.3, 96.8, 97.1, 81.5, 86.0, 85.5, 70.3, 88.0, 86.8, 68.1),
}
"""Accuracy of concepts, on the validation split."""

BLIND = ("Random", "Frequent", "Blind-LSTM")
WITH_LABELS = ("CPL-DPI", "CPL")


def given_to(name: str) -> str:
    """What a published model was given, in the words of `log_rows.given_of`.

    >>> given_to("CPL")
    'videos, trained with truth'
    """
    if name in BLIND:
        return "questions"
    return "videos, trained with truth" if name in WITH_LABELS else "videos"


TEST_OPTIONS = {"predictive": {2: 761, 3: 11, 4: 206}, "counterfactual": {2: 600, 3: 375, 4: 5572}}
"""The number of published test questions by number of options, counted in a published submission; 25 more
counterfactual ones have no options."""

QUESTION_MIX = {"factual": 41_933, "predictive": 7_506, "counterfactual": 50_405}
"""Questions of each kind in the whole dataset."""

NAMES = {
    "random": "Random",
    "frequent": "Frequent",
    "blind-lstm": "Blind-LSTM",
    "cnn-lstm": "CNN-LSTM",
    "hcrn": "HCRN",
    "mac": "MAC",
    "aloe": "ALOE",
    "cnn-lstm-ref": "CNN-LSTM (Ref)",
    "mac-ref": "MAC (Ref)",
    "aloe-ref": "ALOE (Ref)",
    "cpl-dpi": "CPL-DPI",
    "cpl": "CPL",
    "pcr": "PCR",
}
"""Names in tables 3 and 5, by agent."""
ABLATIONS = {
    "pcr-without-references": "PCR w/o R",
    "pcr-without-imagination": "PCR w/o CI",
    "pcr-without-curriculum": "",
    "pcr": "PCR",
}
"""Names in tables 6 and 7, by agent; empty if the paper has no such row."""
