"""Scenario 2, multiple forces: a big pig needs several direct hits; three birds are enough."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Touch
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import AlongX, InBox, UnderLine, Variation, pig

SEVERAL_HITS = Rule(
    (Touch("bird 0", "pig 0"), Touch(("bird 1", "bird 2"), "pig 0"), Kill("pig 0", by=("bird 1", "bird 2")))
)
"""The first bird hits the pig, and a later one kills it."""

TEMPLATES = (
    Template(
        "2.1",
        """A roof covers a big pig: hit it two or three times on the low trajectory.

        Bodies
            birds: three, red
            pig: big, on the floor between the edges
            floor, left edge, right edge: platforms, the edges a little higher than the floor
            roof: platform above the pig
            square: stone, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -8 to 4
            y: of the pig, from -1.4 to 2, in the left half of x only up to 0.3

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The birds fly in under the roof on the low trajectory and hit the pig one after the other; the roof stops
            the high trajectory. A single hit is enough only if the pig then falls hard.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -0.81774, -1.73675, 359.8833),),
            blocks=(Block("square_hole", "stone", -0.94944, -0.12221, 0.42717),),
            platforms=(
                Platform(-0.911, -2.474, 0.0, 2.93211, 0.763),
                Platform(-0.92, -0.77, 0.0, 2.089, 0.763),
                Platform(0.026, -2.319, 0.0, 1.0, 1.2587),
                Platform(-1.685, -2.317, 0.0, 1.0, 1.2587),
            ),
        ),
        Variation(pig(0), InBox(x=(-8.0, 4.0), y=(-1.4, 2.0), low_on="left")),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
        rule=Rule(*SEVERAL_HITS.sequences, never=(Touch("bird", "platform 1"),)),
    ),
    Template(
        "2.2",
        """A wall stands before a big pig: hit it two or three times, first on the high trajectory.

        Bodies
            birds: three, red
            pig: big, on the floor between the edges
            floor, left edge, right edge: platforms, the edges a little higher than the floor
            wall: upright platform left of the pig
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -5 to 4.5
            y: of the pig, from -2.4 to 2.5, in the left half of x only up to 0.05

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The birds fly over the wall and hit the pig one after the other; where the pig stands low, the wall stops
            the low trajectory. A single hit is enough only if the pig then falls hard.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -0.8513, -1.73459, 359.2603),),
            platforms=(
                Platform(-0.8406, -2.474, 0.0, 2.02193, 0.763),
                Platform(-4.31, -1.93, 90.0, 2.50634, 0.763),
                Platform(0.069, -2.342, 0.0, 1.0, 1.1863),
                Platform(-1.71, -2.342, 0.0, 1.0, 1.1863),
            ),
        ),
        Variation(pig(0), InBox(x=(-5.0, 4.5), y=(-2.4, 2.5), low_on="left")),
        in_reach=(pig(0),),
        rule=SEVERAL_HITS,
    ),
    Template(
        "2.3",
        """A big pig is in a cup under a roof: hit it three times with less than full stretch.

        Bodies
            birds: three, red
            pig: big, in the cup
            floor, left wall, right wall: platforms, the cup
            roof: platform high above the cup
            circles, triangle: two small circles of wood and a triangle of ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -5 to 1
            y: of the pig, from -2.4 to 0, no higher than within reach

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The birds fly in between the cup and the roof with less than full stretch and hit the pig one after the
            other. Shots with full stretch hit the roof or the walls of the cup, or fly past.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -3.45, -2.38884, 359.8212),),
            blocks=(
                Block("circle_small", "wood", -4.66, 1.20435),
                Block("circle_small", "wood", -2.5, 1.20305, 0.0109),
                Block("triangle_hole", "ice", -3.51, 1.37726),
            ),
            platforms=(
                Platform(-3.617, -3.042, 0.0, 2.79102, 0.49384),
                Platform(-3.595, 0.82, 0.0, 4.68643, 0.49384),
                Platform(-4.38, -2.386, 90.0, 2.49079, 0.49384),
                Platform(-2.65, -2.389, 90.0, 2.49079, 0.49384),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-5.0, 1.0), y=(-2.4, 0.0))),
        in_reach=(pig(0),),
        rule=SEVERAL_HITS,
    ),
    Template(
        "2.4",
        """A big pig stands on the ground between two kerbs: hit it two or three times on the low or the high
        trajectory.

        Bodies
            birds: three, red
            pig: big, on the ground
            kerbs: low platforms left and right of the pig
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -8.96 to 8.4

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The birds hit the pig one after the other; a direct shot on the low or the high trajectory wins if every
            bird repeats it. A single hit is enough only if the bird or something else then hits the pig again.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", 1.77664, -3.00706, 359.8405),),
            platforms=(Platform(17.86, 1.09, 0.0, 1.12164, 27.99809),),
        ),
        Variation(pig(0), AlongX((-8.96, 8.397)), moves="all in x"),
        in_reach=(pig(0),),
        changes=(
            Change(
                "Birds that skid along the ground from anywhere hit the pig, so a low platform stands on both sides "
                "of it. The boundary at the right side of the world, which no part of the rule needs, is left out.",
                platforms={0: None},
                added=(Platform(0.877, -3.375, 0.0, 0.4, 0.7), Platform(2.677, -3.375, 0.0, 0.4, 0.7)),
            ),
        ),
        variation_change="Published: only the pig moves. Ours: the platforms beside it move with it.",
        direct_shots_must_win=True,
        rule=SEVERAL_HITS,
    ),
    Template(
        "2.5",
        """A big pig stands on a platform: hit it two or three times on the low or the high trajectory.

        Bodies
            birds: three, red
            pig: big, on the floor between the edges
            floor, left edge, right edge: platforms, the edges a little higher than the floor
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -8 to 4
            y: of the pig, from -1.4 to 2, in the left half of x only up to 0.3

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The birds hit the pig one after the other; a direct shot on the low or the high trajectory wins if every
            bird repeats it. A single hit is enough only if the pig then falls hard.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", -0.76, -1.73274, 359.6578),),
            platforms=(
                Platform(-0.862, -2.474, 0.0, 2.089, 0.763),
                Platform(0.06, -2.343, 0.0, 1.0, 1.179),
                Platform(-1.66, -2.343, 0.0, 1.0, 1.179),
            ),
        ),
        Variation(pig(0), InBox(x=(-8.0, 4.0), y=(-1.4, 2.0), low_on="left")),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
        rule=SEVERAL_HITS,
    ),
)
