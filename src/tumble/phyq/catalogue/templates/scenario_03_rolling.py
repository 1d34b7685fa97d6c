"""Scenario 3, rolling: a round block or the bird has to roll along a surface into the pig."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Touch
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import BeyondLine, InBox, Offset, Variation, block, pig, platform, point

TEMPLATES = (
    Template(
        "3.1",
        """The pig at the foot of a long ramp is out of reach: let the bird roll down the ramp.

        Bodies
            bird: red
            pig: small, on the foot
            top, ramp, foot: platforms, the ramp slopes down to the right
            lid: platform above the ramp, parallel to it
            awning: platform above the upper end of the lid
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -2.4 to 4
            x: of the pig, from 3.4 to 10.4 if y is above 0.8, else from 10.4 to 14.4

            awning: moves further in x by -1.7 to 1

            The whole layout moves with the pig. The top is within reach of shots with full stretch, and the pig is out
            of reach.

        Goal
            The pig dies.

        Solvability
            The bird flies in between the top and the awning, or lands on the top where the awning leaves it open, and
            rolls down under the lid into the pig. Direct shots at the pig do not win. A few birds win that touch the
            lid or the awning on their way in.
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
        Variation(
            pig(0),
            BeyondLine(y=(-2.4, 4.0), near=10.397, far=14.397, back=7.0),
            offsets=(Offset((platform(4),), x=(-1.7, 1.0)),),
        ),
        in_reach=(platform(0),),
        out_of_reach=(pig(0),),
        changes=(
            Change(
                "A lid and an awning leave only the upper end of the ramp open, so that the bird has to roll down the"
                " ramp instead of landing beside the pig, and no angle serves all tasks.",
                added=(
                    Platform(11.0942, 0.6015, 347.3037, 10.0, 0.4688),
                    Platform(7.8, 1.7, 0.0, 6.875, 0.4688),
                ),
            ),
        ),
        variation_change="Published: all pieces move together. Ours: the awning moves further on its own, so that"
        " different angles lead in.",
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
            The bird flies in under the roof and hits the circle, which rolls into the pig and kills it. Direct shots at
            the pig do not win.
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
            y: of the pig, from -2.4 to 1

            The whole layout moves with the pig. The circle is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird flies in between the top and the roof and hits the circle, which rolls down the ramp and kills the
            pig. Direct shots at the pig do not win. Sometimes the bird kills the pig itself; such shots are not
            accepted as solutions.
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
        Variation(pig(0), InBox(x=(-4.96, 9.397), y=(-2.4, 1.0))),
        in_reach=(block(0),),
        variation_change="Published: pig at y -2.4 to -1, in the left half of x only up to -1.7. Ours: up to 1"
        " everywhere, because at the published heights one angle wins most tasks.",
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
    ),
    Template(
        "3.4",
        """The pig far along a flat platform is out of reach: let the bird roll to it.

        Bodies
            bird: red
            pig: small, on the floor
            floor: long platform
            lid: long platform above the floor, which covers the pig
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -1.6 to 4
            x: of the pig, from 3.4 to 10.4 if y is above 1.2, else from 10.4 to 14.4

            floor: moves further in x by -5 to 2
            lid: moves further in x by -4.8 to 0.8

            The whole layout moves with the pig. The left part of the floor is within reach of shots with full
            stretch, and the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The bird lands on the floor left of the lid and rolls under it into the pig. Direct shots at the pig do not
            win.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 7.96007, 2.18943, 1.10985),),
            platforms=(Platform(8.617, 1.69832, 0.0, 25.08973, 0.797),),
        ),
        Variation(
            pig(0),
            BeyondLine(y=(-1.6, 4.0), near=10.397, far=14.397, back=7.0),
            offsets=(Offset((platform(0),), x=(-5.0, 2.0)), Offset((platform(1),), x=(-4.8, 0.8))),
        ),
        in_reach=(point(1.1, 2.1),),
        out_of_reach=(pig(0),),
        changes=(
            Change(
                "A lid over the pig and part of the floor: the bird has to land well before the pig and roll to it.",
                added=(Platform(8.5, 3.453, 0.0, 17.1875, 0.625),),
            ),
        ),
        variation_change="Published: pig at y -2.4 to 4, floor and pig move together. Ours: y from -1.6, because flat"
        " shots win below, and the floor and the lid move further, each on its own, because otherwise every angle near"
        " that of the longest flight wins.",
        rule=Rule((Touch("bird", "platform 0"), Kill("pig 0", by="bird"))),
        fixed_angle_cap=0.3,
    ),
    Template(
        "3.5",
        """The pig is out of reach: make the circle before it roll along the floor into it.

        Bodies
            bird: red
            pig: small, on the floor
            circle: wood, on the floor left of the pig
            floor: long platform
            lid: platform above the circle and the pig, too low for a bird to pass over the circle
            distractors: up to three blocks or platforms on the ground

        Parameters
            y: of the pig, from -1.6 to 4
            x: of the pig, from 4.4 to 11.4 if y is above 1.2, else from 10.4 to 11.4

            floor: moves further in x by -3 to 1
            lid: moves further in x by -3 to 0.8
            circle: moves further in x by -1.5 to 0.6

            The whole layout moves with the pig. The left part of the floor is within reach of shots with full stretch,
            and the pig is out of reach.

        Goal
            The pig dies.

        Solvability
            The bird lands on the floor left of the lid, rolls on and hits the circle, which rolls into the pig. Direct
            shots at the pig do not win.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", 4.83019, 2.12922, 1.0447),),
            blocks=(Block("circle", "wood", 2.91, 2.28309, 0.0115),),
            platforms=(Platform(3.386, 1.63801, 0.0, 15.6568, 0.797),),
        ),
        Variation(
            pig(0),
            BeyondLine(y=(-1.6, 4.0), near=11.397, far=10.397, back=7.0),
            offsets=(
                Offset((platform(0),), x=(-3.0, 1.0)),
                Offset((platform(1),), x=(-3.0, 0.8)),
                Offset((block(0),), x=(-1.5, 0.6)),
            ),
        ),
        in_reach=(point(0.0, 2.1),),
        out_of_reach=(pig(0),),
        changes=(
            Change(
                "A lid over the circle and the pig, since birds bounced over the circle onto the pig.",
                added=(Platform(5.0, 3.143, 0.0, 10.625, 0.625),),
            ),
        ),
        variation_change="Published: pig at y -2.4 to 4, all pieces move together. Ours: y from -1.6, because flat"
        " shots win below, and the floor, the lid and the circle move further, each on its own, because otherwise"
        " every angle near that of the longest flight wins.",
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
        fixed_angle_cap=0.3,
    ),
    Template(
        "3.6",
        """The pig at the foot of a ramp is out of reach: hit the circle at the top, so that it rolls down.

        Bodies
            bird: red
            pig: small, on the foot
            top, ramp, foot: platforms, the ramp slopes down to the right
            circle: stone, on the top
            roof: platform above the ramp and the pig
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from 2 to 12.4
            y: of the pig, from -2.4 to 3.5
            roof: moves further in x by -1.7 to 0.3

            The whole layout moves with the pig. The circle is within reach of shots with full stretch, and the pig is
            out of reach.

        Goal
            The pig dies.

        Solvability
            The bird hits the circle from the left, or from above where the roof leaves it open, and the circle rolls
            down the ramp and kills the pig. Direct shots at the pig do not win. Sometimes the bird kills the pig
            itself; such shots are not accepted as solutions.
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
        Variation(
            pig(0),
            InBox(x=(2.0, 12.397), y=(-2.4, 3.5)),
            offsets=(Offset((platform(3),), x=(-1.7, 0.3)),),
        ),
        in_reach=(block(0),),
        out_of_reach=(pig(0),),
        changes=(
            Change(
                "A roof as in 3.3, since birds landed on the ramp and rolled into the pig without the circle.",
                added=(Platform(9.85, 0.525, 0.0, 11.7188, 0.5469),),
            ),
        ),
        variation_change="Published: pig at y -2.4 to -1 and x 6.4 to 12.4. Ours: also further up and left, as far as"
        " the pig is out of reach and the circle within, and the roof moves further on its own, because otherwise one"
        " angle wins every task.",
        rule=Rule((Touch("bird", "block 0"), Kill("pig 0", by="block 0"))),
        fixed_angle_cap=0.3,
    ),
)
