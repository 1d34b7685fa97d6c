"""Scenario 5, sliding: a block that is not round has to slide along a surface into the pig."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import AlongX, OnLine, UnderLine, Variation, block, pig, point

TEMPLATES = (
    Template(
        "5.1",
        """The pig is behind a square at the edge of reach: push the square along the floor into it.

        Bodies
            bird: red
            pig: small, on the floor
            square: wood, on the floor just left of the pig
            floor: platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the square, from -6.51 to 9.46
            y: of the square, the highest that is within reach at x

            The whole layout moves with the square. The square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 31.8 to 75.8 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the square (98 of 100) or the floor (2). The pig is killed by the square.
            Direct shots at the pig do not win. Random shots win with a chance of 1.3e-1.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.09, 1.54929, 0.80327),),
            blocks=(Block("square_hole", "wood", 2.44, 1.71176, 0.23635),),
            platforms=(Platform(2.107, 1.02, 0.0, 6.68104, 0.91),),
        ),
        Variation(point(2.44, 1.71176), OnLine()),
        in_reach=(block(0),),
    ),
    Template(
        "5.2",
        """A roof covers the pig: push the square at the top of the ramp, so that it slides down into the pig.

        Bodies
            bird: red
            pig: small, on the foot
            top, ramp, foot: platforms, the ramp slopes down to the right
            square: wood, on the top
            roof: platform above all of them
            roof blocks: a circle and a square of stone, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the square, from -4.96 to 9.4
            y: of the square, from -1.4 up to the highest point within reach

            The whole layout moves with the square. The square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 15.7 to 56.0 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the square. The pig is killed by the square. Direct shots at the pig do not
            win. Random shots win with a chance of 1.3e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 0.63123, -2.70276, 0.67404),),
            blocks=(
                Block("square_hole", "wood", -1.51509, -1.64602, 180.0916),
                Block("circle", "stone", 0.65, -0.21),
                Block("square_hole", "stone", -1.47, -0.19852, 0.06414),
            ),
            platforms=(
                Platform(-1.61, -2.841, 0.0, 1.00001, 2.47803),
                Platform(-0.527, -2.819, 334.8416, 3.25774, 1.09148),
                Platform(0.69, -3.26, 0.0, 1.358, 1.0),
                Platform(-0.331, -0.79, 0.0, 4.842, 0.593),
            ),
        ),
        Variation(point(-1.51509, -1.64602), UnderLine(x=(-4.96, 9.397), y=(-1.4, 100.0))),
        in_reach=(block(0),),
    ),
    Template(
        "5.3",
        """A roof covers the pig: push the square before it along the floor into it.

        Bodies
            bird: red
            pig: small, on the floor
            square: wood, on the floor just left of the pig
            floor, roof: platforms
            roof squares: of wood and ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the square, from -4.96 to 9.4
            y: of the square, from -2.4 up to the highest point within reach

            The whole layout moves with the square. The square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 30.4 to 63.5 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the square. The pig is killed by the square. Direct shots at the pig do not
            win. Random shots win with a chance of 8.3e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -4.95496, 0.85957, 1.09294),),
            blocks=(
                Block("square_hole", "wood", -5.59846, 1.02442, 0.1793),
                Block("square_hole", "wood", -5.61, 3.03123, 0.31474),
                Block("square_hole", "ice", -4.43, 3.03435, 0.06726),
            ),
            platforms=(
                Platform(-5.034, 0.33227, 0.0, 3.0933, 0.91),
                Platform(-5.047, 2.34, 0.0, 3.13681, 0.91),
            ),
        ),
        Variation(point(-5.59846, 1.02442), UnderLine(x=(-4.96, 9.397), y=(-2.4, 100.0))),
        in_reach=(block(0),),
    ),
    Template(
        "5.4",
        """The pig on the ground is out of reach: push the square before it along the ground into it.

        Bodies
            bird: red
            pig: small
            square: wood, left of the pig
            floor: platform level with the ground, under both
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from 10.4 to 13

            The whole layout moves with the pig. The left end of the floor is within reach of shots with full stretch,
            and the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 37.9 to 43.3 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the floor. The pig is killed by the square (98 of 100) or the bird (2).
            Direct shots at the pig do not win. Random shots win with a chance of 2.0e-1.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 10.15666, -3.2211, 0.29287),),
            blocks=(Block("square_hole", "wood", 9.45391, -3.05816, 0.04581),),
            platforms=(Platform(8.787, -3.78, 0.0, 5.70293, 1.0),),
        ),
        Variation(pig(0), AlongX((10.397, 13.0)), moves="all in x"),
        in_reach=(point(7.0, -3.4),),
        out_of_reach=(pig(0),),
    ),
    Template(
        "5.5",
        """A roof covers the pig on the ground: push the square before it along the ground into it.

        Bodies
            bird: red
            pig: small, on the ground
            square: wood, on the ground left of the pig
            roof: platform above both
            roof blocks: a square and on it a small circle, both of stone, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -6.96 to 9.4

            The whole layout moves with the pig. The square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at -15.8 to 32.1 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the ground (97 of 100) or a distractor (3). The pig is killed by the square.
            Direct shots at the pig do not win. Random shots win with a chance of 1.1e-1.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -5.27, -3.26384, 1.05128),),
            blocks=(
                Block("square_hole", "wood", -6.05875, -3.09997, 0.31475),
                Block("square_hole", "stone", -5.8, -1.00877, 0.31472),
                Block("circle_small", "stone", -5.80004, -0.39979, 0.11267),
            ),
            platforms=(Platform(-5.77, -1.7, 0.0, 3.95562, 0.91),),
        ),
        Variation(pig(0), AlongX((-6.96, 9.397)), moves="all in x"),
        in_reach=(block(0),),
    ),
)
