"""Games and training steps with fixed seeds, as short records that can be compared.

Each function of CASES returns a Record of three parts:

    exact    whole numbers: moves, visits, outcomes, drawn samples.  Equal on every machine.
    numbers  losses and means.  Equal on every machine within a tolerance.
    bits     digests of float arrays.  Equal on machines of the same kind only.

All cases run in one thread and in fp32.  Weights come from numpy's generator: torch draws other bits on other CPUs.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from actors.self_play.self_play import SelfPlay, SelfPlayConfig
from gobang.evaluators.network import make_evaluator
from gobang.interfaces import Evaluator
from gobang.match import PlayedGame, paired, play_games
from gobang.network.architectures.architecture import fit
from gobang.network.checkpoint import Checkpoint, fresh_checkpoint, load_checkpoint, save_checkpoint
from gobang.network.spec import NetworkSpec
from gobang.openings import random_openings
from gobang.players.options import SearchOptions
from gobang.players.player import Player
from gobang.players.searching import SearchingPlayer
from gobang.players.spec import make_player, parse
from gobang.rules.position import Position
from gobang.run_folder import RunFolder
from gobang.search.trees.config import SearchConfig
from gobang.search.trees.search import Search, SearchResult
from gobang.types import RULES, SelfPlayGame, Variant
from learner.loop import train
from learner.replay.pool.memory_pool import MemoryPool
from learner.replay.pool.replay_pool import START
from learner.replay.window.samples import Samples, with_random_symmetry
from learner.replay.window.window import Window
from learner.run.config import read_config
from learner.run.presets import load_preset
from learner.training.trainer import Trainer, TrainerConfig
from learner.training.training_state import load_training_state
from learner.watching.budget import Budget

SMALL: Final = Variant.square(6, k=4)
THREE: Final = Variant.square(6, k=4, players=3)
BLOCKS: Final = NetworkSpec(
    features="players", options={"blocks": 1, "filters": 8, "head_filters": 4, "value_units": 8}, reply_head=True
)
LINES: Final = NetworkSpec(architecture="line_net", features="two", options={"filters": 8, "value_units": 8})
GAMES: Final = 4  # of self-play, in each case
STEPS: Final = 20  # of training, in each case
BATCH: Final = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """The result of one case; all parts can be written as JSON."""

    exact: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, list[float]] = field(default_factory=dict)
    bits: Mapping[str, str] = field(default_factory=dict)


def digest(*arrays: NDArray[Any]) -> str:
    """Return 16 hexadecimal digits that stand for the bytes of the arrays."""
    joined = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    return hashlib.sha256(joined).hexdigest()[:16]


def drawn_weights(spec: NetworkSpec, variant: Variant) -> Checkpoint:
    """Return weights that are the same bits on every machine."""
    random = np.random.default_rng(11)
    fresh = fresh_checkpoint(spec, variant)
    return replace(fresh, tensors={name: _drawn(fresh.tensors[name], random) for name in sorted(fresh.tensors)})


def _drawn(array: NDArray[Any], random: np.random.Generator) -> NDArray[Any]:
    if not np.issubdtype(array.dtype, np.floating):
        return array  # a batch norm's counter
    drawn = random.normal(0.0, 0.3, array.shape)
    return (1 + abs(drawn) if array.ndim == 1 else drawn).astype(np.float32)  # variances are positive


def block_evaluator(variant: Variant) -> Evaluator:
    """Return a block network that torch runs in fp32, in one thread."""
    return make_evaluator(drawn_weights(BLOCKS, variant), variant, backend="torch", precision="fp32", threads=1)


def line_evaluator(variant: Variant) -> Evaluator:
    """Return a network of line shapes, which runs in its own kernel."""
    return make_evaluator(drawn_weights(LINES, variant), variant)


def self_play_games(evaluator: Evaluator, variant: Variant, algorithm: str, games: int = GAMES) -> list[SelfPlayGame]:
    """Play games in lock step and return them as the pool gives them back."""
    temperature = {"temperature": 1.0, "temperature_plies": 8}
    search = SearchConfig(simulations=24, algorithm=algorithm, noise_fraction=0.25, considered=8, **temperature)
    config = SelfPlayConfig(search=search, games=4, opening_plies=3, cache_entries=256)
    pool = MemoryPool(variant)
    self_play = SelfPlay(variant, config, evaluator, pool, name="golden-1", seed=5)
    while pool.counters().games < games:
        self_play.step()
    return pool.read_since(START, games).games


def self_play_record(evaluator: Evaluator, variant: Variant, algorithm: str) -> Record:
    """Return moves and outcomes, with digests of the searched policies and chances."""
    games = self_play_games(evaluator, variant, algorithm)
    return Record(
        exact={"games": [{"moves": game.moves.tolist(), "outcome": int(game.outcome)} for game in games]},
        bits={"games": digest(*(a for g in games for a in (g.policy_point, g.policy_share, g.searched, g.surprise)))},
    )


def search_record(evaluator: Evaluator, variant: Variant, algorithm: str) -> Record:
    """Return moves and visit counts of a search of three positions, with a digest of the policy to learn."""
    positions = [Position(variant, moves) for moves in ([], [14, 15], [14, 15, 20, 21, 8])]
    config = SearchConfig(simulations=96, algorithm=algorithm, noise_fraction=0.25)
    result = Search(variant, config, evaluator, games=3, rng=np.random.default_rng(3)).run(positions)
    exact = {"moves": result.moves.tolist(), "visits": result.visits.tolist(), "evaluations": result.evaluations}
    return Record(
        exact={**exact, "proven": result.proven.tolist()}, bits={"policy": digest(result.policy, result.chances)}
    )


def analysis_record(player: Player) -> Record:
    """Return moves and visit counts of the search by which a player analyses positions, as on a clock."""
    assert isinstance(player, SearchingPlayer)
    results: list[SearchResult] = []
    for moves in ([], [14, 15], [14, 15, 20, 21, 8]):
        search = player.analyse(Position(SMALL, moves), 200)
        while search.step():
            pass
        results.append(search.result())
    return Record(
        exact={
            "moves": [int(each.moves[0]) for each in results],
            "visits": [each.visits[0].tolist() for each in results],
        },
        bits={"policy": digest(*(each.policy for each in results), *(each.chances for each in results))},
    )


def match_record(variant: Variant, one: Player, other: Player, *, openings: int = 1) -> Record:
    """Return moves and outcomes of games after random openings, each opening with exchanged seats."""
    drawn = random_openings(variant, plies=2, count=openings, seed=7)
    with closing(one), closing(other):
        games = play_games(variant, [one, other], paired(drawn, variant.players))
    return Record(exact={"games": [_played(game) for game in games]})


def _played(game: PlayedGame) -> dict[str, Any]:
    assert not game.record.note, game.record.note
    return {"moves": list(game.record.moves), "outcome": int(game.record.outcome)}


def player(text: str, variant: Variant) -> Player:
    """Return the player that a user names by this text."""
    return make_player(parse(text), variant, seed=13)


def block_player(variant: Variant, *, solver: bool) -> Player:
    """Return a player with a block network in torch; `net:` would run it in int8."""
    options = SearchOptions(sims=60, solver=solver)
    return SearchingPlayer("blocks", variant, options, block_evaluator(variant), seed=13)


def line_player(variant: Variant, *, solver: bool) -> Player:
    """Return `net:` with a file of weights of a line network, whose kernel grows the tree by itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.safetensors"
        save_checkpoint(path, drawn_weights(LINES, variant))
        return player(f"net:{path},sims=60,solver={'on' if solver else 'off'}", variant)


def drawn_samples(variant: Variant) -> tuple[Samples, np.random.Generator]:
    """Return a batch out of a window of self-play games, and the generator that drew it."""
    window, random = Window(variant, 10_000), np.random.default_rng(17)
    window.extend(self_play_games(line_evaluator(variant), variant, "gumbel", 8))
    return window.sample(BATCH, random), random


def training_record(spec: NetworkSpec, variant: Variant) -> Record:
    """Return the losses of some steps on a fixed batch, with a digest of the weights that come of them."""
    samples, random = drawn_samples(variant)
    trainer = Trainer(fit(spec, variant), TrainerConfig(precision="fp32", device="cpu"), seed=1)
    weights = drawn_weights(spec, variant).tensors
    trainer.set_weights(weights)
    reports = [trainer.step(with_random_symmetry(samples, random)) for _ in range(STEPS)]
    found = [report.losses for report in reports if report.losses]
    assert len(found) == STEPS
    learned = trainer.export_state()
    return Record(
        numbers={"loss": [each.total for each in found], "policy": [each.policy for each in found]},
        bits={
            "losses": digest(np.array([[each.total, each.policy, each.chances, each.l2] for each in found])),
            "weights": digest(*(learned[name] for name in sorted(learned))),
        },
    )


def symmetry_record(variant: Variant) -> Record:
    """Return the stones and replies of a batch whose positions are turned or mirrored at random."""
    samples, random = drawn_samples(variant)
    turned = with_random_symmetry(samples, random)
    boards = turned.boards
    return Record(
        exact={
            "cells": digest(boards.cells),
            "last_moves": boards.last_moves[:, 0].tolist(),
            "reply": turned.reply.tolist(),
            "likeliest": turned.policy.argmax(axis=1).tolist(),
        },
        bits={"policy": digest(turned.policy)},
    )


def loop_record(network: NetworkSpec) -> Record:
    """Return what a short run of `gobang train --in-process` comes to: its games, matches, counters and weights."""
    config = read_config(load_preset("tiny"))
    with tempfile.TemporaryDirectory() as root, contextlib.redirect_stdout(io.StringIO()):
        values = train(replace(config, network=network), Path(root), Budget(games=24))
        folder, pool = RunFolder(Path(root)), MemoryPool(config.game)
        pool.set_state(load_training_state(folder.pool))
        played = pool.read_since(START, 100).games
        matches = [json.loads(line) for line in folder.games.read_text().splitlines()]
        best = load_checkpoint(folder.weights / "best.safetensors").tensors
    counters = ("games", "positions", "step", "version", "best", "window", "evaluations", "keeps_value", "takes_win")
    return Record(
        exact={
            "games": [game.moves.tolist() for game in played],
            "matches": [[game["match"], game["number"], *game["moves"]] for game in matches],
            "counters": {name: values[name] for name in counters},
        },
        numbers={"loss": [values["loss"]], "surprise": [values["surprise"]]},
        bits={"best": digest(*(best[name] for name in sorted(best)))},
    )


def _rule_case(rule: str) -> Callable[[], Record]:
    variant = Variant(height=9, width=9, k=5, rule=rule)
    one, other = "alphabeta:nodes=400", "rollout:sims=40,solver=on"
    return lambda: match_record(variant, player(one, variant), player(other, variant))


CASES: Final[Mapping[str, Callable[[], Record]]] = {
    "self_play_blocks_puct": lambda: self_play_record(block_evaluator(SMALL), SMALL, "puct"),
    "self_play_blocks_gumbel": lambda: self_play_record(block_evaluator(SMALL), SMALL, "gumbel"),
    "self_play_lines_puct": lambda: self_play_record(line_evaluator(SMALL), SMALL, "puct"),
    "self_play_lines_gumbel": lambda: self_play_record(line_evaluator(SMALL), SMALL, "gumbel"),
    "self_play_three_players": lambda: self_play_record(block_evaluator(THREE), THREE, "gumbel"),
    "search_blocks_puct": lambda: search_record(block_evaluator(SMALL), SMALL, "puct"),
    "search_blocks_gumbel": lambda: search_record(block_evaluator(SMALL), SMALL, "gumbel"),
    "search_lines_puct": lambda: search_record(line_evaluator(SMALL), SMALL, "puct"),
    "search_lines_ucb1": lambda: search_record(line_evaluator(SMALL), SMALL, "ucb1"),
    "search_three_players": lambda: search_record(block_evaluator(THREE), THREE, "puct"),
    "analysis_blocks": lambda: analysis_record(block_player(SMALL, solver=False)),
    "analysis_lines": lambda: analysis_record(line_player(SMALL, solver=False)),
    "analysis_lines_solver": lambda: analysis_record(line_player(SMALL, solver=True)),
    "net_blocks": lambda: match_record(SMALL, block_player(SMALL, solver=False), block_player(SMALL, solver=True)),
    "net_lines": lambda: match_record(SMALL, line_player(SMALL, solver=False), line_player(SMALL, solver=True)),
    "rollout": lambda: match_record(SMALL, player("rollout:sims=100", SMALL), player("rollout:sims=50", SMALL)),
    "rollout_three_players": lambda: match_record(THREE, player("rollout:sims=60", THREE), player("random", THREE)),
    "alphabeta": lambda: match_record(SMALL, player("alphabeta:depth=3", SMALL), player("alphabeta:nodes=300", SMALL)),
    **{f"rule_{rule}": _rule_case(rule) for rule in RULES},
    "training_blocks": lambda: training_record(BLOCKS, SMALL),
    "training_lines": lambda: training_record(LINES, SMALL),
    "loop_blocks": lambda: loop_record(BLOCKS),
    "loop_lines": lambda: loop_record(LINES),
    "symmetries": lambda: symmetry_record(SMALL),
}


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute in one thread, and leave its settings as they were."""
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(state)


def record(name: str) -> Record:
    """Play or train one case of CASES."""
    with one_thread():
        return CASES[name]()
