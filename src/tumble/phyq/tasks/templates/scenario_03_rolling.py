"""Scenario 3, rolling: a round block or the bird has to roll along a surface into the pig."""

from tumble.phyq.tasks.level import Block, Level, Pig, Platform
from tumble.phyq.tasks.rule import Kill, Rule, Touch
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.variation import BeyondLine, InBox, Variation, block, pig, platform, point

TEMPLATES = (
    Template(
        "3.1",
        """The pig at the foot of a long ramp is out of reach: let the bird roll down the ramp.

        Bodies
            bird: red
            pig: small, on the foot
            top, ramp, foot: platforms, the ramp slopes down to the right
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -2.4 to 4
            x: of the pig, from 3.4 to 10.4 if y is above 0.8, else from 10.4 to 14.4

            The whole layout moves with the pig. The top is within reach of shots with full stretch, and the pig is out
            of reach.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 38.2 to 69.3 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the ramp (62 of 100) or the top (38). The pig is killed by the bird. Direct
            shots at the pig do not win. Random shots win with a chance of 1.6e-1.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 13.59018, -0.83393, 1.05323),),
            platforms=(
                Platform(5.4013, 0.3062, 0.0, 2.95107, 0.58481),
                Platform(9.76, -0.47, 347.3037, 11.10249, 0.58928),
                Platform(13.7488, -1.2552, 0.0, 1.78453, 0.57848),
            ),
        ),
        Variation(pig(0), BeyondLine(y=(-2.4, 4.0), near=10.397, far=14.397, back=7.0)),
        in_reach=(platform(0),),
        out_of_reach=(pig(0),),
        rule=Rule((Touch("bird", "platform 1"), Kill("pig 0", by="bird"))),
    ),
    Template(
        "3.2",
        """A roof covers the pig: hit the circle beside it, so that it rolls along the floor into the pig.

        Bodies
            bird: red
            pig: small, on the floor
            floor, roof: platforms below and above the pig
            circle: wood, on the floor left of the pig
            roof blocks: a circle of wood and two rectangles of stone and ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -4.96 to 6.4
            y: of the pig, from -2.4 to 2, in the left half of x only up to -0.2

            The whole layout moves with the pig. The circle is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 9.2 to 44.0 degrees; they also win with angles changed by 0.5 degrees.
            The bird first touches the circle. The pig is killed by the circle. Direct shots at the pig do not win.
            Random shots win with a chance of 2.7e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 2.25284, 1.43511, 1.02941),),
            blocks=(
                Block("circle", "wood", -0.38129, 1.59293, 0.05739),
                Block("circle", "wood", 0.81, 3.09986, 0.13058),
                Block("rect_fat", "stone", 2.44, 2.91252, 2e-05),
                Block("rect_fat", "ice", -0.68, 2.91252, 2e-05),
            ),
            platforms=(
                Platform(3.08586, 0.94387, 0.0, 13.3754, 0.797),
                Platform(0.88986, 2.45388, 0.0, 6.556, 0.797),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 6.397), y=(-2.4, 2.0), low_on="left")),
        in_reach=(block(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "3.3",
        """A long roof covers the pig: hit the circle at the top of the ramp, so that it rolls down into the pig.

        Bodies
            bird: red
            pig: small, on the foot
            top, ramp, foot: platforms, the ramp slopes down to the right
            circle: wood, on the top
            roof: platform above all of them
            roof blocks: three circles and two rectangles of different materials, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -4.96 to 9.4
            y: of the pig, from -2.4 to -1, in the left half of x only up to -1.7

            The whole layout moves with the pig. The circle is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 29.5 to 67.3 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the circle. The pig is killed by the circle (97 of 100) or the bird (3).
            Direct shots at the pig do not win. Random shots win with a chance of 3.2e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 2.97528, -2.81054, 1.11023),),
            blocks=(
                Block("circle", "wood", -2.3967, -0.275, 0.00721),
                Block("circle", "stone", -2.42, 0.83726),
                Block("circle", "ice", 0.7, 0.84199),
                Block("circle", "wood", 4.35, 0.83729, 0.00886),
                Block("rect_tiny", "stone", -0.95, 0.55726),
                Block("rect_tiny", "wood", 2.92, 0.55524),
            ),
            platforms=(
                Platform(-2.361, -0.863, 0.0, 1.62243, 0.60727),
                Platform(0.44, -2.05, 333.177, 8.3941, 0.60069),
                Platform(3.667, -3.245, 0.0, 4.09501, 0.61991),
                Platform(1.011, 0.344, 0.0, 12.24512, 0.32269),
            ),
        ),
        Variation(pig(0), InBox(x=(-4.96, 9.397), y=(-2.4, -1.0), low_on="left")),
        in_reach=(block(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "3.4",
        """The pig far along a flat platform is out of reach: let the bird roll to it.

        Bodies
            bird: red
            pig: small, on the floor
            floor: long platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -2.4 to 4
            x: of the pig, from 3.4 to 10.4 if y is above 0.8, else from 10.4 to 14.4

            The whole layout moves with the pig. The left end of the floor is within reach of shots with full stretch,
            and the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 30.3 to 64.7 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the floor. The pig is killed by the bird. Direct shots at the pig do not
            win. Random shots win with a chance of 1.5e-1.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 7.96007, 2.18943, 1.10985),),
            platforms=(Platform(8.617, 1.69832, 0.0, 25.08973, 0.797),),
        ),
        Variation(pig(0), BeyondLine(y=(-2.4, 4.0), near=10.397, far=14.397, back=7.0)),
        in_reach=(point(1.1, 2.1),),
        out_of_reach=(pig(0),),
        rule=Rule((Touch("bird", "platform 0"), Kill("pig 0", by="bird"))),
    ),
    Template(
        "3.5",
        """The pig is out of reach: make the circle before it roll along the floor into it.

        Bodies
            bird: red
            pig: small, on the floor
            circle: wood, on the floor left of the pig
            floor: long platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -2.4 to 4
            x: of the pig, from 4.4 to 11.4 if y is above 0.8, else from 10.4 to 11.4

            The whole layout moves with the pig. The left end of the floor is within reach of shots with full stretch,
            and the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 29.5 to 59.4 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the floor. The pig is killed by the circle (60 of 100) or the bird (40).
            Direct shots at the pig do not win. Random shots win with a chance of 8.7e-2.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 4.83019, 2.12922, 1.0447),),
            blocks=(Block("circle", "wood", 2.91, 2.28309, 0.0115),),
            platforms=(Platform(3.386, 1.63801, 0.0, 15.6568, 0.797),),
        ),
        Variation(pig(0), BeyondLine(y=(-2.4, 4.0), near=11.397, far=10.397, back=7.0)),
        in_reach=(point(-1.1, 2.1),),
        out_of_reach=(pig(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "3.6",
        """The pig at the foot of a ramp is out of reach: hit the circle at the top, so that it rolls down.

        Bodies
            bird: red
            pig: small, on the foot
            top, ramp, foot: platforms, the ramp slopes down to the right
            circle: stone, on the top
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -2.4 to -1
            x: of the pig, from 6.4 to 9.4 if y is above -1.7, else from 9.4 to 12.4

            The whole layout moves with the pig. The circle is within reach of shots with full stretch, and the pig is
            out of reach.

        Goal
            The pig dies.

        Solvability
            The stored solutions have one shot at 41.7 to 54.8 degrees; they also win with angles changed by 0.5
            degrees. The bird first touches the circle (74 of 100) or the ramp (26). The pig is killed by the circle (70
            of 100) or the bird (30). Direct shots at the pig do not win. Random shots win with a chance of 1.6e-1.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 11.29, -2.81, 1.19775),),
            blocks=(Block("circle", "stone", 5.89477, -0.27758, 0.00727),),
            platforms=(
                Platform(5.95376, -0.872, 0.0, 1.62243, 0.63875),
                Platform(8.75476, -2.05011, 333.177, 8.3941, 0.60069),
                Platform(11.3748, -3.2379, 0.0, 1.03822, 0.59601),
            ),
        ),
        Variation(pig(0), BeyondLine(y=(-2.4, -1.0), near=9.397, far=12.397, back=3.0)),
        in_reach=(block(0),),
        out_of_reach=(pig(0),),
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
)
