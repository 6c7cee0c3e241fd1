"""The pages that people read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (".", "docs", "docs/**", ".github/**", "gobang/**")
PAGES = sorted({path for folder in FOLDERS for path in ROOT.glob(f"{folder}/*.md")})

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text(path: Path) -> str:
    return path.read_text(encoding="utf8")


def links(path: Path) -> Iterator[tuple[Path, str]]:
    """File and anchor of every link within the repository, pictures too."""
    for target in _LINK.findall(_FENCED.sub("", text(path))):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            yield (path.parent / file).resolve() if file else path, anchor


def anchors(path: Path) -> set[str]:
    """What the hosts of repositories make of the headings."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
