"""What a person can do with a run, as commands to type."""

from __future__ import annotations

from shlex import quote

from gobang.command_line import typed
from gobang.features import ALL_PLAYERS
from gobang.players.runs import NoSuchVersion, find_version
from gobang.rules.geometry import geometry
from gobang.rules.rule import forbids_points
from gobang.run_folder import RunFolder
from gobang.types import Variant
from learner.run.config import RunConfig
from learner.run.machine import machine_name


def play_command(game: Variant, folder: RunFolder) -> str:
    """Plays against the version that the run's name stands for whenever it is typed."""
    default = RunConfig().game
    size = f"{game.width}" if game.height == game.width else f"{game.height}x{game.width}"
    words = [f"{typed('play')} --player {quote(f'net:{folder.root}')} --size {size}"]
    words += [f"--k {game.k}"] * (game.k != default.k) + [f"--rule {game.rule}"] * (game.rule != default.rule)
    words += [f"--players {game.players}"] * (game.players != default.players)
    return " ".join(words)


def facts(config: RunConfig, folder: RunFolder) -> dict[str, str]:
    """Return the words of the run's summary, which stand beside its numbers."""
    play = play_command(config.game, folder)
    return {"run": str(folder.root), "game": str(config.game), "machine": machine_name(), "play": play}


def blindness(config: RunConfig) -> str:
    """A warning for a network that cannot tell the others apart, or not who may not play where, else nothing."""
    features, players = config.network.features, config.game.players
    if forbids_points(geometry(config.game)) and features == "two":
        return "the network is not told who is black, who has forbidden points; network.features=three tells it"
    if players == 2 or features in ALL_PLAYERS:
        return ""
    telling = ALL_PLAYERS[0]
    return f"the network sees the stones of {players - 1} others alike; network.features={telling} tells them apart"


def farewell(game: Variant, folder: RunFolder, resumed: str) -> list[str]:
    """Return lines for the end of a run or a lead-in; `resumed` is what follows `--run` in the command that goes on."""
    try:
        version = find_version(folder)
    except NoSuchVersion:
        return ["nothing has been learned, and nothing is kept"]
    root = quote(str(folder.root))
    return [
        f"to play against version {version}: {play_command(game, folder)}",
        f"curves and annotated games: {typed('report')} --run {root}",
        f"to go on: {typed('train')} --run {resumed}",
    ]
