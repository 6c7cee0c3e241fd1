"""Networks of a run, named by its folder: `runs/8x8-1@12`, `runs/8x8-1@latest`, `runs/8x8-1@best`, `runs/8x8-1`.

Without a version it is the best, once that has beaten another and as long as it is not old; before
and after that it is the newest.  Version 0 has beaten nobody.  A version is old when more than half
of all came after it: then the judge is behind, and the newest is stronger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gobang.errors import InvalidSpec, nearest
from gobang.numbers import read_whole
from gobang.run_folder import RunFolder, weights_path, weights_versions
from gobang.versions import BEST, FIRST_VERSION, LATEST, NO_VERSION

AT: Final = "@"  # between the folder and the version


class NoSuchVersion(InvalidSpec):
    """The run has no weights under that name."""


def settled(name: str) -> str:
    """The name with the version's number in it where it names a run, e.g. "runs/8x8-1@12"; any other as it is."""
    root, at, which = _parted(name)
    if not at and not Path(name).is_dir():
        return name
    return f"{root}{AT}{find_version(_run(root), which)}"


def run_weights(name: str) -> Path | None:
    """The file of a run's weights; None if the name is not that of a run."""
    root, at, which = _parted(settled(name))
    return weights_path(RunFolder(Path(root)), int(which)) if at else None


def find_version(folder: RunFolder, which: str = "") -> int:
    """The version that "latest", "best", a number or nothing stands for now; raises NoSuchVersion."""
    versions = weights_versions(folder)
    if not versions:
        raise NoSuchVersion(f"{folder.root} has no weights yet")
    best, newest = _best(folder, versions), versions[-1]
    known = {LATEST: newest, BEST: best, "": newest if is_beaten(best, newest) else best}
    number = read_whole(which, FIRST_VERSION)
    version = known.get(which, NO_VERSION) if number is None else number
    if version not in versions:
        meant = "" if number is not None or which in known else f"; {nearest(which, [LATEST, BEST])} or a number"
        raise NoSuchVersion(f"{folder.root} has no version {which[:40]!r} among its {versions[0]} to {newest}{meant}")
    return version


def is_beaten(best: int, newest: int) -> bool:
    """Whether the newest version is to be taken for stronger than the best."""
    return best <= 0 or 2 * best < newest


def _best(folder: RunFolder, versions: list[int]) -> int:
    try:
        best = folder.read_best()
    except (OSError, ValueError, LookupError, TypeError):
        return NO_VERSION
    return best if best in versions else NO_VERSION


def _parted(name: str) -> tuple[str, str, str]:
    """Folder, "@" and version; "@" is empty where the name has no version, as in that of a file."""
    root, at, which = name.rpartition(AT)
    is_plain = not at or Path(name).exists() or "/" in which
    return (name, "", "") if is_plain else (root, at, which)


def _run(root: str) -> RunFolder:
    folder = RunFolder(Path(root))
    if not folder.config.exists():
        runs = [str(path.parent) for path in folder.root.parent.glob("*/config.yaml")]
        raise InvalidSpec(f"{root} is not the folder of a run; {nearest(root, runs)}")
    return folder
