"""Find install lines that would fetch a stranger's package from an index.

The distribution is called `gobang-zero`.  The name `gobang` on the public index belongs to another project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.wheel.environments import ROOT, source_files

STRANGER = "gobang"
_INSTALLERS = r"(?:python3? -m )?(?:pip3?|pipx|uv(?: pip| tool)?) (?:install|upgrade|download|wheel|add|run|inject)"
_INSTALL = re.compile(rf"(?:\b{_INSTALLERS}|\buvx)\b([^\n|`;&]*)")
# Wherever it stands: an extra of the stranger's name.
_WITH_EXTRA = re.compile(rf"(?<![\w.-]){STRANGER}\[[\w, {{}}]+\]")
_TABLE = re.compile(r"^\| install \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)
_SOURCES = ("--spec", "--from", "--with", "-p", "--package")  # options whose value is a distribution
_RUNS = ("uvx", "pipx run", "uv tool run")  # whose first word is a distribution and whose others are not


def strangers(text: str) -> list[str]:
    """Return the parts of a text that name the stranger's package as a distribution."""
    lines = [match.group(0).strip() for match in _INSTALL.finditer(text) if _installs_stranger(match)]
    rows = [row for table in _TABLE.findall(text) for row in table.splitlines() if f"| `{STRANGER}` |" in row]
    return [*lines, *_WITH_EXTRA.findall(text), *rows]


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text of every file that people or machines read install lines from; tests hold bad ones."""
    for name in source_files():
        data = (ROOT / name).read_bytes()
        if not name.startswith("tests/") and b"\0" not in data:
            yield name, data.decode("utf8", errors="replace")


def _installs_stranger(match: re.Match[str]) -> bool:
    command, words = match.group(0), _words(match.group(1))
    if command.startswith(_RUNS):
        return _is_stranger(_distribution_run(words))
    return any(map(_is_stranger, words))


def _words(arguments: str) -> list[str]:
    """Return the arguments without quotes and without a comment at the end."""
    return [word.strip("'\",.:()") for word in re.sub(r"\s#.*", "", arguments).split()]


def _distribution_run(words: list[str]) -> str:
    """Return what `pipx run` or `uvx` fetches: the value of --spec or --from, else the first word."""
    for option, value in pairwise(words):
        if option in _SOURCES:
            return value
    return next((word for word in words if not word.startswith("-")), "")


def _is_stranger(word: str) -> bool:
    """Return True for `gobang` with or without an extra or a version; False for paths and other names."""
    return re.fullmatch(rf"{STRANGER}(?:\[.*\])?(?:[=<>~!@].*)?", word, re.IGNORECASE) is not None
