"""Scenario 14, adequate timing: the second shot has to come at the right time, while objects still move."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Release, Rule, Touch
from tumble.phyq.catalogue.template import Template

TEMPLATES = (
    Template(
        "14.1",
        """Set the two circles on the top rolling down the ramp; when the first has passed the prop, break the prop, so
        that the second falls to the lower pig.

        Bodies
            birds: two, red
            upper pig: small, beyond the end of the lower ramp
            lower pig: small, below the gap between the ramps
            left circle, right circle: small, of wood, on the ends of the balance
            balance: plank of wood on a pivot, under the covers
            covers: platforms above and beside the balance
            ramp, lower ramp: platforms, covered with planks of ice
            bridge, prop: ice, the bridge closes the gap between the ramps and rests on the prop
            other circles: two of wood, on the shelves left and right of the covers
            boards: platforms, all others
            distractors: up to three blocks or platforms on the ground

        Parameters
            Nothing but the distractors varies.

        Goal
            Both pigs die.

        Solvability
            The first bird falls between the covers onto the balance, and both circles roll down the ramp, one behind
            the other. The first crosses the bridge to the upper pig; the second bird is released while the circles
            roll, and breaks the prop, so that the second circle falls to the lower pig. If the prop breaks too early
            both circles fall, if it is left both roll on to the upper pig.
        """,
        Level(
            birds=("red", "red"),
            pigs=(
                Pig("small", 3.57045, -1.94461, 1.06033),
                Pig("small", 1.11898, -2.6861, 1.08957),
            ),
            blocks=(
                Block("rect_big", "wood", -7.20627, 4.67889, 359.8049),
                Block("circle_small", "wood", -6.27876, 4.99297, 359.0858),
                Block("circle_small", "wood", -8.1214, 4.98689, 177.4527),
                Block("rect_big", "ice", -1.77614, 0.06759, 334.2467),
                Block("rect_big", "ice", -3.4935, 0.89607, 334.2467),
                Block("rect_big", "ice", -5.36079, 1.79687, 334.2467),
                Block("rect_big", "ice", -7.12831, 2.64955, 334.2467),
                Block("rect_big", "ice", 1.63833, -1.24441, 336.6306),
                Block("rect_big", "ice", -8.96078, 3.53356, 334.2467),
                Block("rect_medium", "ice", -0.09855, -0.59427, 344.0433),
                Block("rect_big", "ice", -0.10351, -1.66932, 91.25578),
                Block("circle", "wood", -4.80397, 5.00914, 0.62008),
                Block("circle", "wood", -9.43875, 4.9965, 0.70826),
            ),
            platforms=(
                Platform(-5.4152, 1.604, 334.2467, 15.77073, 0.28237),
                Platform(1.5438, -1.4237, 336.6284, 3.22633, 0.28838),
                Platform(3.55581, -2.27811, 0.0, 0.10473, 0.30441),
                Platform(0.0889, -2.68051, 0.0, 0.54769, 0.16513),
                Platform(-7.2183, 4.4487, 90.0, 0.37477, 0.1566),
                Platform(-3.074, 4.5577, 90.0, 0.186, 7.59166),
                Platform(-9.3835, 4.544, 270.665, 0.18505, 2.13074),
                Platform(-8.0419, 5.5017, 90.0, 0.09759, 2.07086),
                Platform(-6.0137, 5.5017, 90.0, 0.16519, 1.88729),
                Platform(-7.437, 5.2996, 180.0, 0.16519, 0.76899),
                Platform(-8.755, 5.0663, 180.0, 0.14093, 1.45972),
                Platform(-6.6, 5.26, 179.5279, 0.16519, 0.90452),
                Platform(-5.4449, 5.04312, 180.0, 0.14935, 1.60125),
                Platform(-7.398, 4.0601, 90.0, 1.12402, 0.15952),
                Platform(-6.8095, 4.36523, 0.85941, 2.0092, 0.1867),
                Platform(-4.982, 3.1007, 312.8969, 5.5906, 0.13158),
                Platform(3.35845, -0.84482, 0.0, 1.67736, 0.16513),
                Platform(2.57, -1.7743, 154.7279, 0.13259, 0.53208),
                Platform(0.098, -2.1583, 0.0, 0.18813, 1.57294),
                Platform(1.08989, -2.96496, 0.0, 1.39413, 0.13361),
                Platform(-10.015, 4.1597, 90.0, 1.37444, 0.15953),
            ),
        ),
        None,
        rule=Rule(
            (
                Touch(("block 1", "block 2"), ("block 3", "block 4", "block 5", "block 6", "block 8")),
                Release("bird 1"),
                Touch("bird 1", "block 10"),
                Kill("pig 1", by=("block 1", "block 2")),
            ),
            (Touch(("block 1", "block 2"), "pig 0"), Kill("pig 0")),
        ),
    ),
    Template(
        "14.2",
        """Break the prop with the first bird, and shoot the second to the pig before the circle closes its way.

        Bodies
            birds: two, red
            pig: small, at the bottom of the shaft
            shaft: platforms, a floor, a left wall and a lip
            right wall, slope: platforms that lead down to the shaft
            circle: stone, on the plank
            plank: wood, on the prop and the ledge
            prop: upright plank of ice
            ledge, prop base: platforms
            ramp: platform that slopes from the prop down to the shaft
            upper ramp: platform above it
            squares: of stone, wood and ice, on the upper ramp
            distractors: up to three blocks or platforms on the ground

        Parameters
            Nothing but the distractors varies.

        Goal
            The pig dies.

        Solvability
            The first bird breaks the prop, the circle begins to roll, and the second bird is released at once, so that
            it reaches the shaft before the circle. A shot at the pig ends at the prop, and when everything is at rest
            the circle lies in the way.
        """,
        Level(
            birds=("red", "red"),
            pigs=(Pig("small", 0.12179, -2.03122, 2.54034),),
            blocks=(
                Block("rect_big", "wood", -4.01683, 1.22202, 356.461),
                Block("rect_big", "ice", -3.46847, 0.13039, 90.22057),
                Block("circle", "stone", -4.50657, 1.74007, 356.4897),
                Block("square_hole", "stone", -3.39405, 2.79645, 347.7379),
                Block("square_hole", "ice", 1.49748, 1.70513, 347.7378),
                Block("square_hole", "wood", -0.83645, 2.22584, 347.7379),
            ),
            platforms=(
                Platform(-2.05, 0.54, 347.4231, 3.94301, 0.29885),
                Platform(0.8132, -1.0793, 25.23731, 2.07484, 0.22853),
                Platform(-2.79, -0.881, 0.0, 1.72174, 0.22781),
                Platform(0.26, -1.4887, 0.0, 0.22504, 0.60974),
                Platform(-0.4087, -1.4358, 0.0, 0.17862, 3.08129),
                Platform(-0.0095, -2.3427, 91.43639, 0.22504, 1.36413),
                Platform(-3.4003, -0.90046, 91.43639, 0.22504, 1.03),
                Platform(-4.8158, 1.079, 180.0, 1.02062, 0.20158),
                Platform(1.36, -0.2657, 0.0, 0.23054, 1.95774),
                Platform(-1.2, 1.81, 347.4231, 10.46485, 0.2656),
            ),
        ),
        None,
        rule=Rule(
            (
                Touch("bird 0", "block 1"),
                Touch("block 0", "platform 0"),
                Release("bird 1"),
                Kill("pig 0", by="bird 1"),
            ),
            never=(Touch("block 2", ("platform 1", "platform 3", "platform 5", "pig 0")),),
        ),
    ),
)
