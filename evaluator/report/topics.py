"""The plots of the report: the metrics that each shows, and how to read it."""

from __future__ import annotations

from typing import Final

from evaluator.report.plots import Topic

_SHARE: Final = (0.0, 1.0)

LEARNING: Final = (
    Topic(
        name="keeps-value",
        title="Moves that keep the value",
        unit="share of positions",
        metrics={"keeps_value": "with search", "keeps_value_policy": "policy alone"},
        bounds=_SHARE,
        caption="In positions whose exact value a solver knows: how often the chosen move keeps it, found by the "
        "search or taken from the policy alone. 1 is perfect play.",
    ),
    Topic(
        name="simple",
        title="Simple questions",
        unit="share",
        metrics={
            "takes_win": "takes a win in one",
            "blocks": "blocks one",
            "alike": "the same in every view of the board",
            "random_black": "score against random moves, as black",
            "random_white": "as white",
        },
        bounds=_SHARE,
        caption="What the newest network's likeliest move does without a search. In a game the solver of threats never "
        "misses a win in one or a block, so that the network need not know of them.",
    ),
    Topic(
        name="losses",
        title="Losses",
        unit="nats",
        metrics={"loss": "total", "loss_policy": "policy", "loss_outcome": "chances", "loss_reply": "reply"},
        caption="Cross-entropies on the samples of training; the policy's cannot fall below the entropy of what the "
        "search teaches. A rise when simulations grow is no fault: the targets have changed.",
    ),
    Topic(
        name="value-error",
        title="Squared error of the value",
        unit="squared utility",
        metrics={"value_mse": ""},
        caption="Between expected and taught utility, which run from -1 to 1. Lower is better.",
    ),
    Topic(
        name="accuracy",
        title="Outcome foretold",
        unit="share of samples",
        metrics={
            "accuracy_opening": "first third of the game",
            "accuracy_middle": "second third",
            "accuracy_end": "last third",
        },
        bounds=_SHARE,
        caption="How often the likeliest outcome is the one that came. Ends of games are easy; openings rise only as "
        "far as play is predictable.",
    ),
    Topic(
        name="entropy",
        title="Entropy of the policy",
        unit="nats",
        metrics={"entropy": ""},
        caption="How undecided the network is: the logarithm of the number of points when it knows nothing. "
        "Near zero early in a run means that it explores no more.",
    ),
    Topic(
        name="kl",
        title="KL divergence of a step",
        unit="nats",
        metrics={"kl": ""},
        logarithmic=True,
        caption="By how much one training step changes the policy, on a logarithmic scale. The adaptive schedule of "
        "the learning rate steers by it; with other schedules a rise is a warning.",
    ),
    Topic(
        name="learning-rate",
        title="Learning rate",
        unit="",
        metrics={"learning_rate": ""},
        caption="Of the last step.",
    ),
    Topic(
        name="gradient",
        title="Gradient",
        unit="norm",
        metrics={"gradient_norm": ""},
        caption="Length of the gradient before it was cut; spikes are batches that surprised the network.",
    ),
)

PLAYING: Final = (
    Topic(
        name="games-per-second",
        title="Games per second",
        unit="games/s",
        metrics={"games_per_s": ""},
        caption="Games of self-play stored in the pool. It falls when games get longer and when simulations grow.",
    ),
    Topic(
        name="evaluations-per-second",
        title="Speed",
        unit="per second",
        metrics={"evaluations_per_s": "positions that the networks answered", "positions_per_s": "positions stored"},
        logarithmic=True,
        caption="Of self-play; matches of the judge do not count. The distance of the two is what a move costs in "
        "evaluations. Logarithmic scale.",
    ),
    Topic(
        name="simulations",
        title="Simulations per move",
        unit="simulations",
        metrics={"simulations": ""},
        caption="By schedule, and more when the ladder stands still.",
    ),
    Topic(
        name="game-length",
        title="Length of games",
        unit="moves",
        metrics={"game_length": ""},
        caption="Mean of the last minute. Games get short while attack is learned and long once defence is.",
    ),
    Topic(
        name="black-score",
        title="Score of black in self-play",
        unit="points per game",
        metrics={"black_score": ""},
        bounds=_SHARE,
        caption="Draws count half. What the first move is worth at the present strength.",
    ),
    Topic(
        name="staleness",
        title="Staleness of the samples",
        unit="versions",
        metrics={"age": ""},
        caption="How many versions lie between the weights that played a sample and the newest, on average. "
        "It grows with the window.",
    ),
    Topic(
        name="reuse",
        title="Reuse",
        unit="samples per position",
        metrics={"reuse": ""},
        caption="How often each stored position has been drawn for training so far; the limiter holds it there.",
    ),
    Topic(
        name="window",
        title="Replay window",
        unit="positions",
        metrics={"window": "sampled from", "window_limit": "limit"},
        caption="The positions that training draws from.",
    ),
)
