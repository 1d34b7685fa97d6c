"""Scenario 2, multiple forces: a big pig needs several direct hits; three birds are enough."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import AlongX, InBox, UnderLine, Variation, pig

TEMPLATES = (
    Template(
        "2.1",
        """A roof covers a big pig: hit it up to three times on the low trajectory.

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
            The stored solutions have two to three shots at 17.4 to 47.0, 19.1 to 47.0 and 26.6 to 47.0 degrees; they
            also win with angles changed by 0.5 degrees. The first bird first touches the pig (81 of 100), the left edge
            (13) or the roof (6). The second bird first touches the pig (92 of 100), the roof (6) or the left edge (2).
            The third bird is needed in 21 tasks and first touches the pig (16) or the roof (5). The pig is killed by
            the second bird (69 of 100), the third bird (21), hitting the right edge (4) or others (6). Random shots win
            with a chance of 1.6e-3.
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
    ),
    Template(
        "2.2",
        """A wall stands before a big pig: hit it up to three times, first on the high trajectory.

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
            The stored solutions have two to three shots at 57.9 to 79.0, 11.8 to 77.5 and 12.9 to 49.7 degrees; they
            also win with angles changed by 0.5 degrees. The first bird first touches the pig. The second bird first
            touches the pig (99 of 100) or the wall (1). The third bird is needed in 67 tasks and first touches the pig
            (65) or nothing (2). The pig is killed by the third bird (65 of 100), the second bird (11), hitting the
            ground (10) or others (14). Random shots win with a chance of 4.6e-3.
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
            The stored solutions have three shots at 39.5 to 49.5, 39.5 to 48.5 and 39.5 to 50.5 degrees, with a stretch
            of 0.64 to 0.89; they also win with angles changed by 0.5 degrees. The first bird first touches the pig. The
            second bird first touches the pig. The third bird is needed in 98 tasks and first touches the pig. The pig
            is killed by the third bird (97 of 100), the second bird (2) or hitting the floor (1). Random shots won none
            of 5,000 attempts.
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
    ),
    Template(
        "2.4",
        """A big pig stands on the ground: hit it up to three times on the low or the high trajectory.

        Bodies
            birds: three, red
            pig: big, on the ground
            boundary: tall platform at the right side of the world
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -8.96 to 8.4

            Only the pig moves. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one to three shots at -18.9 to 68.4, -20.6 to 76.2 and 1.2 to 36.6 degrees; they
            also win with angles changed by 0.5 degrees. The first bird first touches the pig. The second bird is needed
            in 52 tasks and first touches the ground (31), the pig (20) or a distractor (1). The third bird is needed in
            2 tasks and first touches the pig. The pig is killed by hitting the ground (60 of 100), the second bird
            (26), hitting a distractor (10) or others (4). A direct shot on the low or the high trajectory wins if every
            bird repeats it. Random shots win with a chance of 1.8e-1.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(Pig("big", 1.77664, -3.00706, 359.8405),),
            platforms=(Platform(17.86, 1.09, 0.0, 1.12164, 27.99809),),
        ),
        Variation(pig(0), AlongX((-8.96, 8.397)), moves="pig in x"),
        in_reach=(pig(0),),
        direct_shots_must_win=True,
    ),
    Template(
        "2.5",
        """A big pig stands on a platform: hit it up to three times on the low or the high trajectory.

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
            The stored solutions have one to three shots at 13.8 to 41.1, 18.5 to 62.0 and 43.0 degrees; they also win
            with angles changed by 0.5 degrees. The first bird first touches the pig (89 of 100) or the left edge (11).
            The second bird is needed in 37 tasks and first touches the pig (36) or the left edge (1). The third bird is
            needed in 1 task and first touches the pig. The pig is killed by hitting the ground (55 of 100), hitting a
            distractor (17), the second bird (12) or others (16). A direct shot on the low or the high trajectory wins
            if every bird repeats it. Random shots win with a chance of 3.0e-2.
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
    ),
)
