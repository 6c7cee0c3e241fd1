"""The tables of players and options, for the README and for `--help`."""

from __future__ import annotations

from gobang.players.declaration import OPTION, REST, Option, declarations
from gobang.players.registry import PLAYERS


def players_table() -> str:
    """Markdown: how each player is written and what it is."""
    return _markdown([("Player", "Meaning"), *((f"`{_form(name)}`", kind.meaning) for name, kind in PLAYERS.items())])


def options_table() -> str:
    """Markdown: every option with its players, its values, its default and its meaning."""
    rows: list[tuple[str, ...]] = [("Option", "Of", "Values", "Default", "Meaning")]
    for declared, names in _sharers().items():
        default = declared.show(declared.default) or "none"
        rows.append((f"`{declared.name}`", ", ".join(names), _values(declared), f"`{default}`", declared.meaning))
    return _markdown(rows)


def _sharers() -> dict[Option, list[str]]:
    """Which players have an option with the same values, default and meaning."""
    found: dict[Option, list[str]] = {}
    for name, kind in PLAYERS.items():
        for declared in declarations(kind.options):
            if declared.place == OPTION:
                found.setdefault(declared, []).append(name)
    return found


def _form(name: str) -> str:
    places = {declared.place: declared.name.upper() for declared in declarations(PLAYERS[name].options)}
    bare = [text for place, text in places.items() if place != OPTION]
    if not bare:
        return f"{name}[:key=value,...]" if OPTION in places else name
    return f"{name}[,key=value...]:{bare[0]}" if REST in places else f"{name}:{bare[0]}[,key=value...]"


def _values(declared: Option) -> str:
    if declared.type is bool:
        return "on, off"
    return ", ".join(declared.choices) or declared.domain().rpartition(", ")[2]


def _markdown(rows: list[tuple[str, ...]]) -> str:
    """A table whose columns are also aligned as plain text."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    rows = [rows[0], tuple("-" * width for width in widths), *rows[1:]]
    lines = (" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"| {line} |" for line in lines)
