"""Where a run may lie: in a folder in which nothing is in its way, and from which no link leads out.

check_free(root, names)        # before the first start: none of the names is taken, and root is not somebody's project
check_links(root, names)       # before a later start: all that the run writes and removes is in root
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from gobang.errors import RunFolderUnusable

_PROJECT: Final = (".git", "pyproject.toml")  # at the top of somebody's work
_LONGEST_LOCK: Final = 32  # bytes


def check_free(root: Path, names: Iterable[Path]) -> None:
    """Raise RunFolderUnusable if a new run would write over something, or among the files of a project."""
    for name in _PROJECT:
        if os.path.lexists(root / name):
            inside = root / "runs" / "mine"
            raise RunFolderUnusable(f"{root} holds {name}, so it is a project: choose another --run, such as {inside}")
    found = [path.name for path in names if os.path.lexists(path)]
    if found:
        raise RunFolderUnusable(f"{root} holds {', '.join(found)}, but no run: choose another --run, or move them away")


def check_links(root: Path, names: Iterable[Path]) -> None:
    """Raise RunFolderUnusable if one of the names, or a file below it, is a link that leads out of root."""
    resolved = root.resolve()
    for path in names:
        for each in (path, *_below(path)):
            if each.is_symlink() and not each.resolve().is_relative_to(resolved):
                raise RunFolderUnusable(f"{each} links to a place outside the run: put what it links to in its place")


def check_lock(path: Path) -> None:
    """Raise RunFolderUnusable unless the file is empty or holds the number of a process, as locks of runs do."""
    is_small_file = path.is_file() and not path.is_symlink() and path.stat().st_size <= _LONGEST_LOCK
    if not (is_small_file and re.fullmatch(rb"\d*\s*", path.read_bytes())):
        raise RunFolderUnusable(f"{path} is not the lock of a run: choose another --run")


def _below(path: Path) -> Iterator[Path]:
    """All files and folders in a folder."""
    for folder, folders, files in os.walk(path):
        yield from (Path(folder) / name for name in (*folders, *files))
