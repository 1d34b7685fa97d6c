"""Scenario 4, falling: a block has to fall onto the pig."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.rule import Kill, Rule, Touch
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import InBox, UnderLine, Variation, block, pig, point

TEMPLATES = (
    Template(
        "4.1",
        """Blocks stand on floors one above the other: push the square on the lowest one, which falls onto the pig.

        Bodies
            bird: red
            pig: small, on the base between the post and the right wall
            base, post, step, right wall: platforms around the pig, the step on the post
            square: stone, on the step
            middle floor, upper floor, roof: platforms above the step
            roof blocks: a square of stone and a circle of wood, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -4.96 to 2.4
            y: of the pig, from -2.4 to 1, in the right half of x only up to -0.7

            The whole layout moves with the pig. The square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 30.0 to 52.8 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the square. The pig is killed by the square. Direct shots at the pig do not
            win. Random shots win with a chance of 4.6e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.06959, -3.25011, 1.1318),),
            blocks=(
                Block("square_hole", "stone", 2.04, -0.79106, 0.15232),
                Block("square_hole", "stone", 3.6524, 3.94593, 0.62779),
                Block("circle", "wood", 2.23, 3.93812),
            ),
            platforms=(
                Platform(2.07, -2.65, 0.0, 1.0, 2.792),
                Platform(1.487, -1.51, 0.0, 2.792, 1.0),
                Platform(2.41, 0.26, 0.0, 3.15, 0.73059),
                Platform(2.41, 1.76, 0.0, 3.15, 0.73059),
                Platform(2.942, 3.31, 0.0, 4.99766, 0.73059),
                Platform(4.31, -0.181, 90.0, 10.40514, 0.73059),
                Platform(3.162, -3.72, 0.0, 4.3722, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "4.2",
        """Blocks stand on floors one above the other: push the circle on the upper floor, which falls onto the pig.

        Bodies
            bird: red
            pig: small, on the base
            base, post, step: platforms around the pig, the step on the post
            lower floor, upper floor, roof: platforms above the step
            stop: upright platform under the right end of the roof
            circle: stone, on the upper floor
            roof blocks: a square of wood and a rectangle of ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -4.96 to 2.4
            y: of the pig, from -2.4 to 1, in the right half of x only up to -0.7

            The whole layout moves with the pig. The circle is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 49.2 to 70.0 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the circle (96 of 100) or the roof (4). The pig is killed by the circle.
            Direct shots at the pig do not win. Random shots win with a chance of 3.9e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 4.08979, -3.24924, 1.67654),),
            blocks=(
                Block("circle", "stone", 3.09001, 2.38392, 0.04204),
                Block("square_hole", "wood", 3.02, 3.87641, 0.3147),
                Block("rect_fat", "ice", 4.36, 3.67739, 2e-05),
            ),
            platforms=(
                Platform(2.05, -2.65, 0.0, 1.0, 2.792),
                Platform(1.487, -1.51, 0.0, 2.792, 1.0),
                Platform(2.68322, 0.216, 0.0, 2.39085, 0.73059),
                Platform(3.463, 3.24, 0.0, 4.8341, 0.73059),
                Platform(2.68, 1.76, 0.0, 2.39085, 0.73059),
                Platform(4.77, 2.401, 90.0, 2.63868, 0.73059),
                Platform(3.367, -3.72, 0.0, 5.2305, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "4.3",
        """Two circles lie on a shelf above two pigs: one shot has to push a circle down to each side.

        Bodies
            bird: red
            left pig, right pig: small, on the base left and right of the shelf
            left circle, right circle: stone, on the shelf
            shelf, base: platforms
            wall: upright platform left of the pigs
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the right pig, from -4.96 to 2.4
            y: of the right pig, from -2.4 to 1, in the right half of x only up to -0.7

            The whole layout moves with the right pig. The right circle and the left circle are within reach of shots
            with full stretch.

        Goal
            Both pigs die.

        Solvability
            The stored solutions have one shot at 25.3 to 82.9 degrees; they also win with angles changed by 0.1
            degrees. The bird first touches the left circle (67 of 100), the wall (19) or the right circle (14). The
            right pig is killed by the right circle (98 of 100) or the bird (2). The left pig is killed by the bird (70
            of 100) or the left circle (30). Direct shots at the pigs do not win. Random shots win with a chance of
            7.0e-3.
        """,
        Level(
            birds=("red",),
            pigs=(
                Pig("small", 4.10055, -3.21978, 0.86729),
                Pig("small", 2.37017, -3.21944, 0.63569),
            ),
            blocks=(
                Block("circle", "stone", 3.498, -1.33388, 359.8443),
                Block("circle", "stone", 2.61399, -1.33618, 0.24814),
            ),
            platforms=(
                Platform(1.35, -2.59, 0.0, 1.0, 2.74379),
                Platform(3.0651, -1.96, 0.0, 1.4292, 0.73059),
                Platform(3.019, -3.69, 0.0, 6.23846, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0), block(1)),
        rule=Rule(
            (Touch("bird", ("block 0", "block 1")), Kill("pig 0", by="block 0")),
            (Touch("bird", ("block 0", "block 1")), Kill("pig 1", by="block 1")),
        ),
    ),
    Template(
        "4.4",
        """The pig stands in a pit: push the circle on its edge in; those on the roof do not fall in.

        Bodies
            bird: red
            pig: small, in the pit
            base, left wall, right wall: platforms, the pit
            step: platform on the left wall
            circle: stone, on the step
            roof: platform on the right wall
            roof circles: two of stone, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the circle, from -8.75 to 1.55
            y: of the circle, from -0.59 to 1.23, no higher than within reach

            The whole layout moves with the circle. The circle is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 24.1 to 44.4 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the circle. The pig is killed by the circle. Direct shots at the pig do not
            win. Random shots win with a chance of 3.4e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -4.16029, -3.25005, 1.04858),),
            blocks=(
                Block("circle", "stone", -5.31003, -0.78992, 0.02643),
                Block("circle", "stone", -3.71001, 0.70413, 0.11035),
                Block("circle", "stone", -4.8, 0.70388, 0.03382),
            ),
            platforms=(
                Platform(-5.16, -2.64, 0.0, 1.0, 2.792),
                Platform(-5.743, -1.5, 0.0, 2.792, 1.0),
                Platform(-4.267, -3.72, 0.0, 3.75753, 0.73059),
                Platform(-3.393, -1.755, 0.0, 1.0, 5.484),
                Platform(-4.27, 0.08, 0.0, 3.75753, 0.73059),
            ),
        ),
        Variation(point(-5.31003, -0.7899181), UnderLine(x=(-8.747027, 1.549163), y=(-0.5899642, 1.23003))),
        in_reach=(block(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "4.5",
        """The pig stands in a pit: push the square on its edge in; the blocks on the roof do not fall in.

        Bodies
            bird: red
            pig: small, in the pit
            base, left wall, right wall: platforms, the pit
            step: platform on the left wall
            square: stone, on the step
            roof: platform on the right wall
            roof blocks: a circle of wood and a rectangle of ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -4.96 to 2.4
            y: of the pig, from -2.4 to 1, in the right half of x only up to -0.7

            The whole layout moves with the pig. The square is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 28.5 to 53.7 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the square (85 of 100) or the step (15). The pig is killed by the square.
            Direct shots at the pig do not win. Random shots win with a chance of 1.9e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 3.07367, -3.24984, 0.90737),),
            blocks=(
                Block("square_hole", "stone", 1.974, -0.79412, 90.19756),
                Block("circle", "wood", 3.61, 0.83812, 0.13074),
                Block("rect_fat", "ice", 2.53007, 0.64881, 359.9862),
            ),
            platforms=(
                Platform(2.054, -2.656, 0.0, 1.0, 2.792),
                Platform(1.491, -1.516, 0.0, 2.792, 1.0),
                Platform(2.98, 0.21, 0.0, 3.58155, 0.73059),
                Platform(3.814, -1.762, 0.0, 1.0, 5.52),
                Platform(2.947, -3.72, 0.0, 3.81077, 0.73059),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 2.397), y=(-2.4, 1.0), low_on="right")),
        in_reach=(block(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
)
