"""Scenario 1, single force: the pig has to be destroyed by one force, a direct hit of the bird."""

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.rule import Kill, Rule, Touch
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import LeftOfLine, UnderLine, Variation, pig

TEMPLATES = (
    Template(
        "1.1",
        """A roof covers the pig: hit it on the low trajectory.

        Bodies
            bird: red
            pig: small, on the floor
            floor, roof: platforms below and above the pig
            circle: wood, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -7 to 6
            y: of the pig, from -2.83 to 4, no higher than within reach

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird flies in between floor and roof on the low trajectory and hits the pig.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.85426, -1.99274, 1.07692),),
            blocks=(Block("circle", "wood", -0.93016, -0.59547, 359.8677),),
            platforms=(
                Platform(-0.862, -2.474, 0.0, 2.089, 0.763),
                Platform(-0.89, -1.23, 0.0, 2.089, 0.763),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-7.0, 6.0), y=(-2.829752, 4.0))),
        in_reach=(pig(0),),
        changes=(
            Change(
                "The roof is higher, so that a low shot with the errors of the published agents hits the pig, and"
                " longer to the left, so that high shots do not.",
                blocks={0: Block("circle", "wood", -0.93016, 0.05453, 359.8677)},
                platforms={1: Platform(-1.09, -0.58, 0.0, 2.714, 0.763)},
            ),
        ),
        rule=Rule((Kill("pig 0", by="bird"),), never=(Touch("bird", ("ground", "platform", "distractor")),)),
    ),
    Template(
        "1.2",
        """A wall stands before the pig: hit it on the high trajectory.

        Bodies
            bird: red
            pig: small, on the floor
            floor: platform
            wall: upright platform left of the pig
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -7 to 6
            y: of the pig, from -2.83 to 4, no higher than within reach

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            The bird flies over the wall on the high trajectory and hits the pig.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.85426, -1.99274, 1.07692),),
            platforms=(
                Platform(-0.862, -2.474, 0.0, 2.089, 0.763),
                Platform(-2.5, -1.85, 90.0, 2.32715, 0.763),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-7.0, 6.0), y=(-2.829752, 4.0))),
        in_reach=(pig(0),),
        rule=Rule((Kill("pig 0", by="bird"),), never=(Touch("bird", ("ground", "platform", "distractor")),)),
    ),
    Template(
        "1.3",
        """The pig is in a cup under a roof: a shot with less than full stretch falls in steeply enough.

        Bodies
            bird: red
            pig: small, in the cup
            floor, left wall, right wall: platforms, the cup
            roof: platform high above the cup
            circles: three small ones of wood, stone and ice, on the roof
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -5 to 1
            y: of the pig, from -2.4 to 0, no higher than within reach

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            With less than full stretch, the bird flies under the roof, comes down into the cup, against its walls or
            not, and hits the pig. In many tasks a narrow range of angles wins with full stretch too.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -3.50998, -2.64784, 1.15368),),
            blocks=(
                Block("circle_small", "wood", -3.69, 1.20304, 0.00745),
                Block("circle_small", "stone", -2.64001, 1.20309, 0.03393),
                Block("circle_small", "ice", -4.73001, 1.20309, 0.03393),
            ),
            platforms=(
                Platform(-3.617, -3.042, 0.0, 2.79102, 0.49384),
                Platform(-3.595, 0.82, 0.0, 4.68643, 0.49384),
                Platform(-4.38, -2.507, 90.0, 2.1128, 0.49384),
                Platform(-2.65, -2.51, 90.0, 2.1128, 0.49384),
            ),
        ),
        Variation(pig(0), UnderLine(x=(-5.0, 1.0), y=(-2.4, 0.0))),
        in_reach=(pig(0),),
        rule=Rule((Kill("pig 0", by="bird"),), never=(Touch("bird", ("ground", "platform 1", "distractor")),)),
    ),
    Template(
        "1.4",
        """The pig stands on the ground: hit it on the low or the high trajectory.

        Bodies
            bird: red
            pig: small, on the ground
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -9.96 to 9.4, no further than within reach

            Only the pig moves. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            A direct shot on the low or the high trajectory wins. Birds that bounce or roll along the ground can win
            too.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.00044, -3.26683, 1.21353),),
        ),
        Variation(pig(0), LeftOfLine(x=(-9.96, 9.397), height=-3.263795), moves="pig in x"),
        in_reach=(pig(0),),
        rule=Rule((Kill("pig 0", by="bird"),), never=(Touch("bird", ("ground", "distractor")),)),
        direct_shots_must_win=True,
    ),
    Template(
        "1.5",
        """The pig stands on a platform: hit it on the low or the high trajectory.

        Bodies
            bird: red
            pig: small, on the floor
            floor: platform
            distractors: up to three blocks or platforms on the ground

        Parameters
            x: of the pig, from -7 to 6
            y: of the pig, from -2.83 to 4, no higher than within reach

            The whole layout moves with the pig. The pig is within reach of shots with full stretch.

        Goal
            The pig dies.

        Solvability
            A direct shot on the low or the high trajectory wins.
        """,
        Level(
            birds=("red",),
            pigs=(Pig("small", -0.85426, -1.99274, 1.07692),),
            platforms=(Platform(-0.862, -2.474, 0.0, 2.089, 0.763),),
        ),
        Variation(pig(0), UnderLine(x=(-7.0, 6.0), y=(-2.829752, 4.0))),
        in_reach=(pig(0),),
        rule=Rule((Kill("pig 0", by="bird"),), never=(Touch("bird", ("ground", "platform", "distractor")),)),
        direct_shots_must_win=True,
    ),
)
