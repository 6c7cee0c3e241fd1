"""The tables of players and options, for docs/players.md and for `--help`."""

from __future__ import annotations

from gobang.options import Option
from gobang.players.registry import PLAYERS


def players_table() -> str:
    """Markdown: how each player is written and what it is."""
    return _markdown([("Player", "Meaning"), *((f"`{_form(name)}`", kind.meaning) for name, kind in PLAYERS.items())])


def options_table() -> str:
    """Markdown: every option with its players, its values, its default and its meaning."""
    rows: list[tuple[str, ...]] = [("Option", "Of", "Values", "Default", "Meaning")]
    for declared, names in _sharers().items():
        default = declared.show(declared.default)
        rows.append((f"`{declared.name}`", ", ".join(names), declared.values(), f"`{default}`", declared.meaning))
    return _markdown(rows)


def _sharers() -> dict[Option, list[str]]:
    """The players that share an option: the same values, default and meaning."""
    found: dict[Option, list[str]] = {}
    for name, kind in PLAYERS.items():
        for declared in kind.pairs:
            found.setdefault(declared, []).append(name)
    return found


def _form(name: str) -> str:
    bare, pairs = PLAYERS[name].bare, PLAYERS[name].pairs
    if bare is None:
        return f"{name}[:key=value,...]" if pairs else name
    return f"{name}[,key=value...]:{bare.name.upper()}" if bare.rest else f"{name}:{bare.name.upper()}[,key=value...]"


def _markdown(rows: list[tuple[str, ...]]) -> str:
    """A table whose columns are also aligned as plain text."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    rows = [rows[0], tuple("-" * width for width in widths), *rows[1:]]
    lines = (" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"| {line} |" for line in lines)
