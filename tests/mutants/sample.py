"""Choose mutants: which places of a source file are worth a change, and which of them a seed draws.

A place is drawn by a digest of the seed and of its own line. A change elsewhere in the file leaves the sample as it is.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

Position = tuple[int, int]  # line from 1, column from 0

_NUMERIC: Final = {"Add", "Sub", "Mul", "FloorDiv", "BitOr", "BitAnd"}
_ORDERED: Final = {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"}
_IDENTITY: Final = {"Is", "IsNot"}
_WITHOUT_EFFECT: Final = ("dataclass", "kernel", "override", "abstractmethod", "runtime_checkable")  # decorators


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutant:
    """One change of one file, e.g. `Mutant(operator="core/NumberReplacer", occurrence=3, at=(12, 4), ...)`."""

    path: Path
    operator: str
    occurrence: int  # of the operator in the file
    at: Position
    line: str  # the source line before the change

    @property
    def family(self) -> str:
        """Return the kind of operator, e.g. "ReplaceBinaryOperator" for all that replace a plus or a minus."""
        return self.operator.partition("/")[2].partition("_")[0]


def is_sensible(operator: str) -> bool:
    """Return True if the operator makes changes that an engineer could make by mistake."""
    kind, _, change = operator.partition("/")[2].partition("_")
    old, _, new = change.partition("_")
    if kind == "ReplaceBinaryOperator":
        return new in _NUMERIC
    if kind == "ReplaceComparisonOperator":
        return (old in _ORDERED and new in _ORDERED) or (old in _IDENTITY and new in _IDENTITY)
    return True


def pruned(source: str) -> list[tuple[Position, Position]]:
    """Return the spans of a source text in which a change has no effect on behaviour.

    These are annotations, decorators such as `dataclass`, assertions, log messages, and imports for types only.
    """
    return list(_pruned(ast.parse(source)))


def _pruned(tree: ast.Module) -> Iterator[tuple[Position, Position]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield _span(node.annotation)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            yield _span(node.returns)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from (_span(part) for part in node.decorator_list if _name(part).endswith(_WITHOUT_EFFECT))
        is_types_only = isinstance(node, ast.If) and _name(node.test).endswith("TYPE_CHECKING")
        is_log = isinstance(node, ast.Call) and _name(node.func).lower().startswith(("_log.", "log."))
        if isinstance(node, ast.Assert) or is_types_only or is_log:
            yield _span(node)


def _span(node: ast.AST) -> tuple[Position, Position]:
    """Return start and end; the start takes in the @ of a decorator."""
    assert isinstance(node, ast.expr | ast.stmt)
    return (node.lineno, node.col_offset - 1), (node.end_lineno or 0, node.end_col_offset or 0)


def _name(node: ast.AST) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def is_within(at: Position, spans: Iterable[tuple[Position, Position]]) -> bool:
    """Return True if a position lies in one of the spans."""
    return any(start <= at < end for start, end in spans)


def drawn(mutants: Iterable[Mutant], seed: int) -> Iterator[Mutant]:
    """Yield one mutant of each place, in an order that depends on the seed and on the places' own lines only."""
    places: dict[tuple[Path, Position, str], list[Mutant]] = {}
    for mutant in mutants:
        places.setdefault((mutant.path, mutant.at, mutant.family), []).append(mutant)
    twins: Counter[str] = Counter()  # equal lines of one file
    ranked: dict[str, Mutant] = {}
    for (path, (_, column), family), choices in places.items():
        line = choices[0].line
        text = f"{seed} {path} {line.strip()} {column - len(line) + len(line.lstrip())} {family}"
        twins[text] += 1
        rank = sha256(f"{text} {twins[text]}".encode()).hexdigest()
        ranked[rank] = choices[int(rank, 16) % len(choices)]
    yield from (ranked[rank] for rank in sorted(ranked))
