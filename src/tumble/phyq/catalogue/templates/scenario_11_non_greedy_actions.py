"""Scenario 11, non-greedy actions: the shot that kills most pigs must not come first, it blocks the others."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Release, Rule
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import UnderLine, Variation, pig, point

TEMPLATES = (
    Template(
        "11.1",
        """Kill the medium pig first: once the small ones are dead, the planks on them fall and the medium pig sinks
        where birds do not reach it.

        Bodies
            birds: three, red
            medium pig: on the upright plank, below the funnel
            left pig, right pig: small, on the floor under the plank
            plank, upright plank: wood, one on the small pigs and on it the upright one
            floor: platform under the small pigs
            box: platforms left and right of the medium pig
            funnel: two platforms above the medium pig that lead birds down to it
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the top of the funnel, from -6.45 to 9.4
            y: of the top of the funnel, from 3.68 to 4, no higher than within reach

            The whole layout moves with the top of the funnel. The top of the funnel is within reach of shots with full
            stretch.

        Goal
            All three pigs die.

        Solvability
            Two birds fall through the funnel onto the medium pig, or one that is quick enough; the last bird kills both
            small pigs through the plank. After a first shot at the small pigs the medium one lies too low for the birds
            in the funnel.
        """,
        Level(
            birds=("red", "red", "red"),
            pigs=(
                Pig("medium", -2.82854, 1.95453, 356.8961),
                Pig("small", -3.03052, -0.77397, 1.07281),
                Pig("small", -2.53474, -0.77398, 1.07382),
            ),
            blocks=(
                Block("rect_medium", "wood", -2.79012, -0.44025, 359.9926),
                Block("rect_big", "wood", -2.79047, 0.61067, 88.98543),
            ),
            platforms=(
                Platform(-2.76, -1.1802, 0.0, 2.64437, 0.53185),
                Platform(-2.0189, 1.099, 0.0, 2.02607, 0.47058),
                Platform(-3.81, 1.6337, 0.0, 1.0, 2.02273),
                Platform(-3.5321, 1.091, 0.0, 1.87605, 0.44257),
                Platform(-1.68, 1.6753, 0.0, 1.0, 2.21516),
                Platform(-2.1258, 2.334, 0.0, 1.90571, 0.15514),
                Platform(-3.5746, 2.226, 0.0, 1.60543, 0.15438),
                Platform(-2.428, 4.153, 353.8483, 0.26966, 5.62671),
                Platform(-3.168, 3.695, 0.4309, 0.26516, 4.56783),
            ),
        ),
        Variation(point(-2.4, 5.8), UnderLine(x=(-6.45, 9.397), y=(3.68, 4.0))),
        rule=Rule((Kill("pig 0", by="bird"), Kill("pig 1")), (Kill("pig 0"), Kill("pig 2"))),
        in_reach=(point(-2.4, 5.8),),
        changes=(
            Change(
                "The boards above the medium pig reached 0.04 into its outline, which is ours; they are 0.06 higher.",
                platforms={
                    5: Platform(-2.1258, 2.394, 0.0, 1.90571, 0.15514),
                    6: Platform(-3.5746, 2.286, 0.0, 1.60543, 0.15438),
                },
            ),
            Change(
                "Hardly a bird fell through the funnel: its left wall stands 0.2 further left and leans out 6 degrees.",
                platforms={8: Platform(-3.368, 3.695, 6.0, 0.26516, 4.56783)},
            ),
        ),
    ),
    Template(
        "11.2",
        """Kill the single pig in front first: shots at the two others let stones fall that bury it.

        Bodies
            birds: two, red
            front pig: small, in the left trough
            lower pig, upper pig: small, one on the other in the right trough
            left floor, right floor, front wall, middle wall, right wall: platforms, the two troughs
            prop: rectangle of ice, upright on the middle wall
            stones: four planks of stone, in a stack on the prop
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the lower pig, from -6 to 1.56
            y: of the lower pig, from -0.94 to 1.5, no higher than within reach

            The whole layout moves with the lower pig. The front pig and the lower pig are within reach of shots with
            full stretch.

        Goal
            All three pigs die.

        Solvability
            The first bird goes over the front wall and kills the front pig, the second breaks the prop and kills the
            two others. A first shot at the two lets the stones fall on the front trough.
        """,
        Level(
            birds=("red", "red"),
            pigs=(
                Pig("small", -4.47036, -2.75492, 0.96991),
                Pig("small", -3.37983, -2.42029, 0.11458),
                Pig("small", -3.33953, -1.95685, 359.8539),
            ),
            blocks=(
                Block("rect_fat", "ice", -3.918, -1.74887, 91.00781),
                Block("rect_big", "stone", -4.01836, -1.26265, 2.10651),
                Block("rect_big", "stone", -4.0383, -1.06512, 2.11471),
                Block("rect_big", "stone", -4.05774, -0.8673, 2.11987),
                Block("rect_big", "stone", -4.05673, -0.66842, 2.12217),
            ),
            platforms=(
                Platform(-4.55, -3.22, 90.0, 0.715, 1.475),
                Platform(-4.93, -2.787, 0.0, 0.37037, 2.04137),
                Platform(-3.428, -2.868, 0.0, 1.03356, 0.6568),
                Platform(-3.928, -2.799, 0.0, 0.5527, 2.04117),
                Platform(-2.93, -2.604, 90.0, 1.46565, 0.51932),
            ),
        ),
        Variation(point(-3.379822, -2.420288), UnderLine(x=(-6.0, 1.558355), y=(-0.9386116, 1.5))),
        rule=Rule(
            (Kill("pig 0", by="bird 0"), Release("bird 1"), Kill("pig 1")),
            (Kill("pig 0", by="bird 0"), Release("bird 1"), Kill("pig 2")),
        ),
        in_reach=(pig(0), pig(1)),
        changes=(
            Change(
                "No shot reached the single pig: the wall before it is 0.35 lower, so that a flat shot gets in.",
                platforms={1: Platform(-4.93, -2.962, 0.0, 0.37037, 1.49449)},
            ),
            Change(
                "Birds got to the single pig after the fall of the stones: its trough is 0.21 narrower.",
                pigs={0: Pig("small", -4.36, -2.75492, 0.96991)},
                platforms={1: Platform(-4.72, -2.962, 0.0, 0.37037, 1.49449)},
            ),
        ),
    ),
    Template(
        "11.3",
        """Kill the single pig in the basket first: planks close the basket once the two others are shot at.

        Bodies
            birds: two, red
            left pig, right pig: small, on the left shelf
            basket pig: small, in the basket
            planks: two of stone, bridging the left and the right shelf above the basket
            left shelf, right shelf: platforms
            basket: platforms, a floor, two walls and two rims
            cover: platform above the two pigs
            circle: wood, on the cover
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the basket pig, from -6.15 to 4
            y: of the basket pig, from -3.17 to 0.3, no higher than within reach

            The whole layout moves with the basket pig. The basket pig is within reach of shots with full stretch.

        Goal
            All three pigs die.

        Solvability
            The first bird goes over the rim into the basket, the second hits the two pigs on the shelf. A first shot at
            the two pushes the planks over the basket.
        """,
        Level(
            birds=("red", "red"),
            pigs=(
                Pig("small", -7.71681, -0.34419, 3.87173),
                Pig("small", -8.19174, -0.34737, 1.01234),
                Pig("small", -6.1519, -2.8896, 1.1041),
            ),
            blocks=(
                Block("rect_big", "stone", -6.52717, -0.4766, -1e-05),
                Block("rect_big", "stone", -6.52752, -0.27748, 359.9926),
                Block("circle", "wood", -8.27, 0.65116, 0.13066),
            ),
            platforms=(
                Platform(-8.077, -0.694, 0.0, 1.90189, 0.345),
                Platform(-5.268, -0.694, 0.0, 1.0, 0.345),
                Platform(-6.22, -3.27, 90.0, 0.451, 2.06464),
                Platform(-6.74, -2.739, 0.0, 0.451, 2.09815),
                Platform(-5.7, -2.475, 0.0, 0.451, 2.9226),
                Platform(-8.246, 0.147, 0.0, 2.36667, 0.345),
                Platform(-5.836, -1.5, 0.0, 0.863, 0.15721),
                Platform(-6.88, -2.02, 0.0, 0.863, 0.15721),
            ),
        ),
        Variation(point(-6.1519, -2.8896), UnderLine(x=(-6.1519, 4.0), y=(-3.174598, 0.3))),
        rule=Rule(
            (Kill("pig 2", by="bird 0"), Release("bird 1"), Kill("pig 0")),
            (Kill("pig 2", by="bird 0"), Release("bird 1"), Kill("pig 1")),
        ),
        in_reach=(pig(2),),
    ),
    Template(
        "11.4",
        """Kill the single pig in the tunnel first: what falls with the two others closes the tunnel.

        Bodies
            birds: two, red
            left pig, right pig: small, on the upper floor
            tunnel pig: small, at the right end of the tunnel
            upright plank, upper plank: wood, with small circles under and between them, left of the two pigs
            tunnel floor, tunnel end, front wall, upper floor: platforms, the tunnel, which is open to the upper left
            roof, right wall, notch: platforms
            circles: of different sizes and materials, on the upper floor and on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of a point above the right end of the upper floor, from -0.89 to 9.4
            y: of a point above the right end of the upper floor, from -0.8 to 2.8, no higher than within reach

            The whole layout moves with that point. That point is within reach of shots with full stretch.

        Goal
            All three pigs die.

        Solvability
            The first bird enters the tunnel over the front wall and rolls to its end, the second hits the upright
            plank, which falls on the two others. A first shot at the two seldom leaves the tunnel open.
        """,
        Level(
            birds=("red", "red"),
            pigs=(
                Pig("small", -1.61011, 1.02668, 0.70401),
                Pig("small", 2.19004, -0.87392, 1.10644),
                Pig("small", -2.27996, 1.02767, 2.37319),
            ),
            blocks=(
                Block("rect_big", "wood", -3.14115, 2.16863, 89.99625),
                Block("rect_big", "wood", -3.08834, 3.63932, 359.7639),
                Block("circle_small", "wood", -3.12978, 1.01499, -0.00296),
                Block("circle_small", "wood", -1.03388, 1.0151, 0.04962),
                Block("circle_small", "wood", -3.13631, 3.33662, 359.9912),
                Block("circle", "wood", -3.97, 5.01006, 0.01875),
                Block("circle", "wood", 2.1, 1.18006, 0.02206),
                Block("circle", "stone", 0.81, 1.18006, 0.02206),
                Block("circle", "stone", -2.13, 5.01002, 0.0072),
                Block("circle", "ice", -0.43002, 5.01042, 0.13411),
            ),
            platforms=(
                Platform(-2.19, 4.3, 0.0, 7.459, 1.0),
                Platform(-0.16, 2.0892, 0.0, 1.0, 6.09809),
                Platform(-0.03, 0.47, 0.0, 9.82785, 1.0),
                Platform(2.78, -0.76, 0.0, 1.0, 3.05021),
                Platform(-0.725, -1.43, 0.0, 11.96723, 1.0),
                Platform(-4.61, -1.095, 0.0, 1.0, 2.05365),
                Platform(-3.04, 0.0605, 0.0, 0.437, 1.03239),
            ),
        ),
        Variation(point(2.820013, 1.026101), UnderLine(x=(-0.89, 9.397), y=(-0.7995539, 2.8))),
        rule=Rule(
            (Kill("pig 1", by="bird 0"), Release("bird 1"), Kill("pig 0")),
            (Kill("pig 1", by="bird 0"), Release("bird 1"), Kill("pig 2")),
        ),
        in_reach=(point(2.820013, 1.026101),),
        changes=(
            Change(
                "The upper plank tipped by 14 degrees at the start; it lies where it comes to rest.",
                pigs={
                    0: Pig("small", -1.61006, 1.02827, 0.3146),
                    1: Pig("small", 2.19012, -0.8714, 0.4972),
                    2: Pig("small", -2.27835, 1.03002, 1.3027),
                },
                blocks={
                    1: Block("rect_big", "wood", -3.06373, 3.63572, 345.4895),
                },
            ),
            Change(
                "No bird got into the tunnel below the notch: the wall before it is 0.25 lower.",
                platforms={5: Platform(-4.61, -1.22, 0.0, 1.0, 1.66302)},
            ),
        ),
    ),
    Template(
        "11.5",
        """Kill the single pig in the pit first: the circle under the two others rolls down and closes it.

        Bodies
            birds: two, red
            lower pig, upper pig: small, on the circle
            pit pig: small, in the pit
            circle: stone, at the top of the ramp
            pit: platforms, a floor, two walls and two rims
            left slope, ramp: platforms that lead down to the pit from both sides
            back wall, ramp end: platforms behind the circle
            frame: three platforms above the ramp
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the upper pig, from -3.91 to 9.4
            y: of the upper pig, from 2.03 to 4, no higher than within reach

            The whole layout moves with the upper pig. The upper pig and the pit pig are within reach of shots with full
            stretch.

        Goal
            All three pigs die.

        Solvability
            The first bird comes down the ramp, or over the left slope, into the pit; the second comes from above and
            kills the two on the circle. After a first shot at the two, the circle rolls down and closes the pit.
        """,
        Level(
            birds=("red", "red"),
            pigs=(
                Pig("small", -0.78367, 1.73284, 1.85782),
                Pig("small", -1.20842, 2.02951, 95.65165),
                Pig("small", -4.83005, -3.15362, 1.10262),
            ),
            blocks=(Block("circle", "wood", -0.84274, 1.12094, 180.7493),),
            platforms=(
                Platform(-6.718, -2.855, 25.17874, 3.79446, 0.702),
                Platform(-5.52, -2.91, 90.0, 2.42942, 0.702),
                Platform(-4.913, -3.6, 0.0, 2.64141, 0.65717),
                Platform(-4.28628, -2.941, 90.0, 2.42942, 0.702),
                Platform(-2.47353, -0.86246, 37.15821, 7.47826, 0.702),
                Platform(-0.26, 0.63406, 103.563, 0.7283, 1.26761),
                Platform(-0.32316, 2.01094, 101.9794, 5.00121, 0.67364),
                Platform(-4.27, 0.66, 69.00446, 5.25768, 0.36293),
                Platform(-2.44029, 1.91951, 169.0713, 4.42616, 0.33286),
                Platform(-2.98391, 0.37178, 214.8875, 7.25005, 0.33286),
                Platform(-4.362, -2.682, 0.0, 0.85886, 0.24381),
                Platform(-5.42, -2.682, 0.0, 0.85886, 0.24381),
            ),
        ),
        Variation(point(-1.20842, 2.02951), UnderLine(x=(-3.914959, 9.397), y=(2.02951, 4.0))),
        rule=Rule(
            (Kill("pig 2", by="bird 0"), Release("bird 1"), Kill("pig 0")),
            (Kill("pig 2", by="bird 0"), Release("bird 1"), Kill("pig 1")),
        ),
        in_reach=(pig(1), pig(2)),
        changes=(
            Change(
                "The pigs and the circle under them slid by 0.04 at the start; they lie where they come to rest.",
                pigs={
                    0: Pig("small", -0.79623, 1.73385, 2.1232),
                    1: Pig("small", -1.1687, 2.0222, 86.0818),
                    2: Pig("small", -4.82997, -3.15111, 0.4948),
                },
                blocks={
                    0: Block("circle", "wood", -0.84726, 1.11849, 181.5212),
                },
            ),
            Change(
                "The circle jammed on the walls of the pit, or birds knocked it off the rims: the left wall is 0.08 "
                "further left, and the gap between the rims 0.15 wider, so that the circle sinks into it.",
                platforms={
                    0: Platform(-6.798, -2.855, 25.17874, 3.79446, 0.702),
                    1: Platform(-5.6, -2.91, 90.0, 2.42942, 0.702),
                    10: Platform(-4.287, -2.682, 0.0, 0.85886, 0.24381),
                    11: Platform(-5.495, -2.682, 0.0, 0.85886, 0.24381),
                },
            ),
            Change(
                "Birds broke the circle of wood, which weighs as much: it is of stone.",
                blocks={0: Block("circle", "stone", -0.84726, 1.11849, 181.5212)},
            ),
        ),
    ),
)
