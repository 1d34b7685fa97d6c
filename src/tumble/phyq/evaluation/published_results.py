"""The published results on Phy-Q; pass rates from 0 to 1.

From the data and logs of Xue et al. 2023. Humans: 19 players, each with (6 - attempts) / 5 for a task solved within
five attempts; mean and population standard deviation over players. Agents: the tasks 81 to 100 of the test templates
(broad) or of every template (local). Attempts that never finished count as failures. Pig Shooter was stopped at its
first pass, which overstates its rates.
"""

PAPER = "Xue et al. 2023"


def given(name: str) -> str:
    """What a published agent, or people, were given: agents that follow rules saw noisy outlines of objects."""
    if name in ("Random", "Human"):
        return "nothing" if name == "Random" else "picture; of attempts: status, pictures"
    if name.endswith(("Symbolic", "Image")):
        seen = "picture" if name.endswith("Image") else "outlines of objects as planes"
        return f"{seen}; trained with shots at training tasks"
    return "picture, noisy outlines of objects"


HUMAN = {
    1: (0.963157895, 0.113371891),
    2: (0.989473684, 0.03068922),
    3: (0.852631579, 0.160159201),
    4: (0.978947368, 0.052102605),
    5: (0.863157895, 0.152903569),
    6: (0.805263158, 0.208941403),
    7: (0.631578947, 0.238531983),
    8: (0.847368421, 0.190203274),
    9: (0.731578947, 0.183683456),
    10: (0.926315789, 0.090856192),
    11: (0.5, 0.217642875),
    12: (0.984210526, 0.036464228),
    13: (0.921052632, 0.139845582),
    14: (0.568421053, 0.271550386),
    15: (0.868421053, 0.122700455),
}
"""By scenario: mean pass rate and its standard deviation over players."""

BROAD = {
    "Pig Shooter": (
        0.872917,
        0.888333,
        0.008333,
        0.0,
        0.010526,
        0.0,
        0.0,
        0.0,
        0.0,
        0.014583,
        0.02,
        0.073889,
        0.03125,
        0.0,
        0.003125,
    ),
    "Datalab": (0.89, 0.95, 0.37, 0.0, 0.07, 0.0, 0.025, 0.12, 0.005, 0.0, 0.07, 0.22, 0.1, 0.0, 0.0),
    "Eagle's Wing": (
        0.615,
        0.9,
        0.33,
        0.045,
        0.09,
        0.063333,
        0.01,
        0.255,
        0.01,
        0.265,
        0.035,
        0.243333,
        0.035,
        0.07,
        0.0325,
    ),
    "Bambirds": (
        0.58,
        0.755,
        0.04,
        0.27,
        0.035,
        0.096667,
        0.005,
        0.05,
        0.03,
        0.08375,
        0.065,
        0.233333,
        0.29,
        0.03,
        0.1,
    ),
    "D-DDQN-Symbolic": (0.3, 0.35, 0.18, 0.025, 0.15, 0.233, 0.0, 0.075, 0.0, 0.275, 0.0, 0.075, 0.075, 0.0, 0.075),
    "D-DDQN-Image": (0.225, 0.15, 0.067, 0.025, 0.05, 0.0833, 0.0, 0.25, 0.0, 0.3, 0.0, 0.1833, 0.025, 0.0, 0.1375),
    "Relational-Symbolic": (0.375, 0.275, 0.3167, 0.0, 0.1, 0.15, 0.0, 0.35, 0.0, 0.225, 0.0, 0.1, 0.025, 0.0, 0.2),
    "Relational-Image": (0.05, 0.15, 0.1667, 0.025, 0.075, 0.1667, 0.0, 0.25, 0.05, 0.1, 0.0, 0.1, 0.0, 0.0, 0.2125),
    "Random": (
        0.085,
        0.134184,
        0.084694,
        0.019388,
        0.021429,
        0.017347,
        0.004592,
        0.066837,
        0.008673,
        0.057143,
        0.007,
        0.050667,
        0.0365,
        0.014286,
        0.033163,
    ),
}
"""By agent: broad generalisation in scenarios 1 to 15 (figure 4)."""

PHY_Q = {
    "Human": 100.0,
    "Pig Shooter": -1.6,
    "Datalab": 6.71,
    "Eagle's Wing": 12.11,
    "Bambirds": 13.59,
    "D-DDQN-Symbolic": 6.42,
    "D-DDQN-Image": 8.76,
    "Relational-Symbolic": 8.4,
    "Relational-Image": 6.05,
    "Random": 0.0,
}
"""The scores of these rates (figure 5)."""

PHY_Q_BY_PROTOCOL: dict[str, dict[str, float]] = {
    "Human": {"as people": 100.0},
    "Pig Shooter": {"first attempt": -3.64, "until the first pass": -1.6},
    "Datalab": {"first attempt": 8.17, "all attempts": 6.71},
    "Eagle's Wing": {"first attempt": 11.95, "all attempts": 12.11},
    "Bambirds": {"first attempt": 13.35, "all attempts": 13.59},
    "D-DDQN-Symbolic": {"first attempt": 6.42},
    "D-DDQN-Image": {"first attempt": 8.76},
    "Relational-Symbolic": {"first attempt": 8.4},
    "Relational-Image": {"first attempt": 6.05},
    "Random": {"all attempts": 0.0},
}
"""The scores by how attempts count (`metrics.PROTOCOLS`): those of figure 5 under the protocol that they were measured
with, and first attempts from the published logs of the agents that follow rules, the first that finished."""

SCALE = 13.575
"""Points of the Phy-Q score per standard deviation of humans."""

LOCAL = {
    "1.1": (0.4525, 0.13, 0.92, 0.745833),
    "1.2": (0.56, 0.15, 0.04, 0.709167),
    "1.3": (0.08, 0.0, 0.0, 0.0),
    "1.4": (0.57, 0.76, 0.95, 0.829167),
    "1.5": (0.59, 0.47, 0.83, 0.916667),
    "2.1": (0.85, 0.15, 0.98, 0.795833),
    "2.2": (0.74, 0.25, 0.4, 0.835),
    "2.3": (0.0, 0.0, 0.0, 0.029167),
    "2.4": (0.89, 0.97, 1.0, 0.876667),
    "2.5": (0.62, 0.83, 0.9, 0.9),
    "3.1": (0.05, 0.47, 0.47, 0.0),
    "3.2": (0.01, 0.02, 0.02, 0.025),
    "3.3": (0.05, 0.16, 0.01, 0.0),
    "3.4": (0.06, 0.36, 0.42, 0.0),
    "3.5": (0.04, 0.27, 0.26, 0.0),
    "3.6": (0.02, 0.36, 0.43, 0.025),
    "4.1": (0.46, 0.11, 0.0, 0.0),
    "4.2": (0.03, 0.06, 0.0, 0.0),
    "4.3": (0.26, 0.33, 0.29, 0.235),
    "4.4": (0.41, 0.04, 0.0, 0.0),
    "4.5": (0.13, 0.05, 0.0, 0.0),
    "5.1": (0.23, 0.48, 0.44, 0.0),
    "5.2": (0.0, 0.0, 0.02, 0.0),
    "5.3": (0.34, 0.27, 0.77, 0.0375),
    "5.4": (0.0, 0.18, 0.13, 0.0),
    "5.5": (0.07, 0.0, 0.01, 0.02),
    "6.1": (0.02, 0.08, 0.0, 0.0),
    "6.2": (0.13, 0.0, 0.0, 0.0),
    "6.3": (0.13, 0.15, 0.0, 0.0),
    "6.4": (0.0, 0.05, 0.0, 0.0),
    "6.5": (0.05, 0.0, 0.0, 0.0),
    "6.6": (0.24, 0.14, 0.0, 0.0),
    "7.1": (0.02, 0.02, 0.0, 0.0),
    "7.2": (0.01, 0.02, 0.0, 0.0),
    "7.3": (0.0, 0.03, 0.01, 0.0),
    "7.4": (0.01, 0.02, 0.05, 0.0),
    "7.5": (0.0, 0.0, 0.0, 0.0),
    "8.1": (0.04, 0.07, 0.0, 0.0),
    "8.2": (0.07, 0.0, 0.01, 0.016667),
    "8.3": (0.01, 0.3, 0.24, 0.0),
    "8.4": (0.09, 0.21, 0.0, 0.0),
    "9.1": (0.12, 0.06, 0.0, 0.01),
    "9.2": (0.01, 0.04, 0.11, 0.025),
    "9.3": (0.03, 0.0, 0.01, 0.0),
    "9.4": (0.03, 0.02, 0.0, 0.0),
    "10.1": (0.0, 0.03, 0.0, 0.0),
    "10.2": (0.005, 0.08, 0.0, 0.0),
    "10.3": (0.1125, 0.29, 0.0, 0.029167),
    "10.4": (0.055, 0.24, 0.0, 0.0),
    "11.1": (0.03, 0.0, 0.0, 0.0),
    "11.2": (0.01, 0.0, 0.01, 0.025),
    "11.3": (0.0, 0.0, 0.03, 0.027778),
    "11.4": (0.02, 0.0, 0.0, 0.0),
    "11.5": (0.11, 0.07, 0.14, 0.04),
    "12.1": (0.0, 0.02, 0.05, 0.058333),
    "12.2": (0.04, 0.1, 0.07, 0.0),
    "12.3": (0.32, 0.13, 0.18, 0.120833),
    "12.4": (0.63, 0.41, 0.38, 0.0725),
    "12.5": (0.01, 0.17, 0.17, 0.0),
    "12.6": (0.06, 0.15, 0.11, 0.149167),
    "13.1": (0.07, 0.03, 0.0, 0.0),
    "13.2": (0.05, 0.0, 0.03, 0.0),
    "13.3": (0.26, 0.12, 0.0, 0.02),
    "13.4": (0.3, 0.05, 0.2, 0.025),
    "13.5": (0.28, 0.02, 0.0, 0.0375),
    "14.1": (0.0, 0.0, 0.0, 0.0),
    "14.2": (0.03, 0.07, 0.0, 0.0),
    "15.1": (0.0, 0.01, 0.02, 0.0),
    "15.2": (0.03, 0.0, 0.0, 0.0),
    "15.3": (0.01, 0.011765, 0.0, 0.105263),
    "15.4": (0.165, 0.04, 0.0, 0.126667),
    "15.5": (0.0, 0.0, 0.0, 0.0),
    "15.6": (0.0, 0.0, 0.0, 0.0),
    "15.7": (0.14, 0.0, 0.0, 0.0125),
    "15.8": (0.26, 0.13, 0.0, 0.0),
}
"""By template: local generalisation of the agents in LOCAL_AGENTS (figure 24)."""

LOCAL_AGENTS = ("Bambirds", "Eagle's Wing", "Datalab", "Pig Shooter")

LOCAL_MEANS = {
    "Bambirds": 0.1536,
    "Datalab": 0.1481,
    "Eagle's Wing": 0.1367,
    "Pig Shooter": 0.1051,
    "D-DDQN-Symbolic": 0.33,
    "D-DDQN-Image": 0.24,
    "Relational-Symbolic": 0.33,
    "Relational-Image": 0.24,
}
"""By agent: local generalisation, mean over templates (figure 4b); of learning agents only the means of both symbolic
and of both image agents are known, in whole per cent."""

COMPETITION = {"Bambirds": 0.2727, "Eagle's Wing": 0.2, "Datalab": 0.2, "Pig Shooter": 0.0}
"""Pass rates on levels of the AIBIRDS competition (table 2)."""

HUMAN_ATTEMPTS = {
    1: (1.1579, 14.4),
    2: (1.0526, 9.1),
    3: (1.6842, 26.4),
    4: (1.1053, 12.9),
    5: (1.6579, 21.0),
    6: (1.9211, 30.9),
    7: (2.6053, 26.8),
    8: (1.7105, 21.3),
    9: (2.3421, 28.1),
    10: (1.3684, 17.3),
    11: (3.3684, 38.6),
    12: (1.0789, 6.8),
    13: (1.3684, 14.7),
    14: (2.9737, 54.5),
    15: (1.6184, 14.3),
}
"""By scenario: attempts of people until they passed, at most five, and seconds that they thought about a task."""
