"""Make mutants with cosmic-ray, with one operator of our own: a statement that is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Keyword

from tests.mutants.sample import Mutant, drawn, is_sensible, is_within, pruned


class RemoveStatement(Operator):
    """An operator that replaces a call, a raise, a del, or an assignment to an attribute or an item with `pass`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Yield start and end of a statement that can be left out."""
        if node.type == "simple_stmt" and _has_effect(node.children[0]):
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Return the statement with `pass` in its place."""
        old = node.children[0]
        node.children[0] = Keyword("pass", old.start_pos, prefix=old.get_first_leaf().prefix)
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return what the operator makes of three lines."""
        return (Example("run()\n", "pass\n"), Example("a.b = 1\n", "pass\n"), Example("raise ValueError\n", "pass\n"))


def _has_effect(statement: Any) -> bool:
    if statement.type == "expr_stmt":
        return bool(statement.children[0].type == "atom_expr")
    return statement.type in ("atom_expr", "raise_stmt", "del_stmt", "await")


cosmic_ray.plugins.OPERATOR_PROVIDERS["own"] = {"RemoveStatement": RemoveStatement}


def sample(root: Path, paths: list[Path], number: int, seed: int) -> Iterator[tuple[Mutant, str]]:
    """Yield at most `number` mutants of the files, each with the text of the mutated file."""
    everything = [mutant for path in paths for mutant in _mutants(path, (root / path).read_text(encoding="utf8"))]
    for mutant in drawn(everything, seed):
        if number == 0:
            return
        source = (root / mutant.path).read_text(encoding="utf8")
        text = mutate_code(source, cosmic_ray.plugins.get_operator(mutant.operator)(), mutant.occurrence)
        if text is not None and _is_another_program(source, text):
            number -= 1
            yield mutant, text


def _mutants(path: Path, source: str) -> Iterator[Mutant]:
    nodes, lines, spans = list(ast_nodes(get_ast(source))), source.splitlines(), pruned(source)
    for name in filter(is_sensible, cosmic_ray.plugins.operator_names()):
        operator_class = cosmic_ray.plugins.get_operator(name)
        if operator_class.arguments():
            continue  # they need names of variables
        operator = operator_class()
        starts = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, at in enumerate(starts):
            if not is_within(at, spans):
                yield Mutant(path=path, operator=name, occurrence=occurrence, at=at, line=lines[at[0] - 1])


def _is_another_program(source: str, mutated: str) -> bool:
    """Return True if the mutated text is valid Python and differs in more than its layout."""
    try:
        return ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False
