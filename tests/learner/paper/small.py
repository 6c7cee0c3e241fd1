"""A training of the works' loop that takes a second."""

from gobang.network.spec import NetworkSpec
from gobang.types import Variant
from learner.paper.config import PaperConfig

SMALL = PaperConfig(
    game=Variant.square(3, k=3),
    network=NetworkSpec(architecture="conv3_shortcut", options={"filters": 4}, features="two", scalar_value=True),
    simulations=8,
    games_at_once=3,
    batch=32,
    window=500,
)
