"""Check the shape of the source tree: who imports whom, what stays at home, how long a file gets.

usage: structure.py [ROOT]

Prints a table of sizes, then every violation, and exits 1 if there is one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PACKAGES: Final = ("gobang", "actors", "learner", "evaluator")
SHARED: Final = "gobang"  # what every package may import besides itself
# Who joins the packages.
COMPOSITION_ROOTS: Final = ("learner.run", "learner.loop")

# Rooms of which the lower know nothing of the higher, lowest first.  Those of one row are blind to each other.
LAYERS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "gobang": (
        ("errors", "version", "disk", "child_exec", "machine", "numbers", "files"),
        ("children",),
        ("options", "packages", "run_place", "json_text"),
        ("types", "versions"),
        ("interfaces", "reports"),
        ("settings", "run_folder", "run_log", "progress", "compiling", "command_line"),
        ("rules",),
        ("features",),
        ("search", "network"),
        ("evaluators", "critic"),
        ("openings",),
        ("players",),
        ("match", "sgf"),
        ("benchmarks",),
        ("commands",),
        ("analysis",),
        ("gomocup", "terminal", "web", "bench", "export", "warm"),
        ("cli",),
    ),
    "gobang.search": (("threats",), ("trees", "depth", "proof")),
    "actors": (("wire",), ("server", "self_play", "standins"), ("factories", "remote"), ("bench",)),
    "learner": (
        ("replay", "watching", "self_teaching"),
        ("training",),
        ("run", "distillation"),
        ("loop", "paper"),
        ("launch", "pull", "doctor", "web", "critic", "distill"),
    ),
    "evaluator": (
        ("statistics",),
        ("matches", "truth", "balance"),
        ("judging",),
        ("report",),
        ("tournaments",),
        ("experiments",),
        ("match", "tournament", "versions", "openings", "exact", "gate_odds"),
    ),
}

# A framework stays in the packages named first and in modules whose last name stands second.
HOMES: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "ray": ((), ("cluster", "remote", "supervisor", "telemetry")),
    "redis": ((), ("redis_pool", "redis_server", "redis_writer")),
    "numba": (("gobang.rules", "gobang.search", "gobang.features", "gobang.evaluators", "learner.replay"), ()),
    "torch": (("gobang.network", "gobang.bench"), ("trainer", "losses", "learning_rate")),
    "openvino": (("gobang.network",), ()),
    "onnxruntime": (("gobang.network",), ()),
    "matplotlib": ((), ("drawing",)),
    "aiohttp": (("gobang.web",), ()),
}
# Who may know rules by name: the rules, what declares them, and the codes of a foreign protocol.
RULE_NAMES: Final = ("freestyle", "standard", "renju", "caro")
RULES_BY_NAME: Final = ("gobang.rules", "gobang.types", "gobang.players.gomocup_text")
# What stands for a rule's name; gobang.rules.rule answers instead.
NAMED_RULES: Final = tuple(f"gobang.rules.geometry.{name.upper()}" for name in RULE_NAMES)
RULE_HOMES: Final = ("gobang.rules.renju",)
TERMINAL: Final = (
    "cli",
    "bench",
    "launch",
    "__main__",
    "pull",
    "critic",
    "distill",
    "match",
    "exact",
    "versions",
    "tournament",
    "openings",
    "gate_odds",
    "doctor",
    "terminal",
    "warm",
    "search",
    "threats",
    "network",
    "alone",
    "memory",
)
# Whoever starts a process does it through gobang.children, so that none outlives its parent.
PROCESS_HOMES: Final = ("gobang.children", "gobang.child_exec")
STARTERS: Final = tuple(f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call", "check_output"))
UNTIED: Final = ("os.fork", "os.forkpty", "os.system", "os.popen", "get_context")
UNTIED_BEGINNINGS: Final = ("os.spawn", "os.posix_spawn", "multiprocessing.", "subprocess.getoutput", "pty.")
MOST_LINES: Final = 450
LONG_FUNCTION: Final = 60
MARKER_LINES: Final = 3  # a package's __init__ with nothing but a docstring is no file to measure

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Named = (ast.ClassDef, *Function)


@dataclass(frozen=True, kw_only=True, slots=True)
class Import:
    """One imported name, e.g. `Import(target="gobang.types.Variant", at_load=True, for_types=False)`."""

    target: str
    at_load: bool  # runs when the module is loaded: neither in a function nor for types only
    for_types: bool  # stands under `if TYPE_CHECKING`


@dataclass(frozen=True, kw_only=True, slots=True)
class Module:
    """A source file, e.g. `Module(name="gobang.types", ...)`."""

    name: str
    lines: int
    tree: ast.Module
    imports: tuple[Import, ...]


def read_modules(root: Path) -> list[Module]:
    """Every module of the packages under `root`."""
    return [_read(path, root) for package in PACKAGES for path in sorted((root / package).rglob("*.py"))]


def _read(path: Path, root: Path) -> Module:
    parts = path.relative_to(root).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts)
    text = path.read_text(encoding="utf8")
    tree = ast.parse(text, filename=str(path))
    imports = tuple(_imports(tree, name if is_package else name.rpartition(".")[0]))
    return Module(name=name, lines=len(text.splitlines()), tree=tree, imports=imports)


def _imports(tree: ast.Module, package: str) -> Iterator[Import]:
    in_functions = {
        id(node) for function in ast.walk(tree) if isinstance(function, Function) for node in _all(function)
    }
    for_types = {id(node) for block in ast.walk(tree) if _is_type_checking(block) for node in _all(block)}
    for node in ast.walk(tree):
        typing_only = id(node) in for_types
        at_load = not typing_only and id(node) not in in_functions
        for target in _targets(node, package):
            yield Import(target=target, at_load=at_load, for_types=typing_only)


def _all(node: ast.AST) -> list[ast.AST]:
    return list(ast.walk(node))


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _targets(node: ast.AST, package: str) -> list[str]:
    """Full names of what one statement imports; a wildcard ends in a star."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        above = package.split(".")
        base = ".".join([*above[: len(above) - node.level + 1], *([base] if base else [])])
    return [f"{base}.{alias.name}" for alias in node.names]


def directions(modules: list[Module]) -> Iterator[str]:
    """Imports between packages, and between the rooms of one, that go the wrong way."""
    for module in modules:
        package = module.name.split(".")[0]
        for imported in module.imports:
            top = imported.target.split(".")[0]
            if top in PACKAGES and top not in (package, SHARED) and not _is_in(module.name, COMPOSITION_ROOTS):
                yield f"{module.name} imports {imported.target}: only {', '.join(COMPOSITION_ROOTS)} join packages"
        for house, rows in LAYERS.items():
            yield from _wrong_ways(module, house, {room: row for row, rooms in enumerate(rows) for room in rooms})


def _wrong_ways(module: Module, house: str, rows: dict[str, int]) -> Iterator[str]:
    """Imports of a module from rooms of its own row or a higher one; `rows` are those of the house."""
    room = _room(module.name, house)
    if not room:
        return
    if room not in rows:
        yield f"{module.name}: {house}.{room} stands in no layer; give it a row in LAYERS of .ci/structure.py"
        return
    for imported in module.imports:
        other = _room(imported.target, house)
        if other in rows and other != room and rows[other] >= rows[room] and not imported.for_types:
            yield f"{module.name} imports {imported.target}: not in a layer below its own"


def _room(name: str, house: str) -> str:
    """The part of a name behind that of its house, e.g. "trees"; empty if it is elsewhere."""
    return name.removeprefix(f"{house}.").split(".")[0] if name.startswith(f"{house}.") else ""


def _is_in(name: str, packages: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def tables(modules: list[Module]) -> Iterator[str]:
    """Names in the tables of this file that stand for nothing in the tree."""
    names = {module.name for module in modules}
    rooms = [f"{house}.{room}" for house, rows in LAYERS.items() for row in rows for room in row]
    homes = [package for packages, _ in HOMES.values() for package in packages]
    for name in (*rooms, *homes, *COMPOSITION_ROOTS, *RULES_BY_NAME, *RULE_HOMES):
        if name not in names:
            yield f"{name} stands in a table of .ci/structure.py and does not exist"
    last_names = {name.rpartition(".")[2] for name in names}
    for name in (*(name for _, names in HOMES.values() for name in names), *TERMINAL):
        if name not in last_names:
            yield f"no module is called {name}, which stands in a table of .ci/structure.py"


def confinement(modules: list[Module]) -> Iterator[str]:
    """Frameworks outside their homes."""
    for module in modules:
        for imported in module.imports:
            framework = imported.target.split(".")[0]
            if framework not in HOMES:
                continue
            packages, names = HOMES[framework]
            at_home = _is_in(module.name, packages)
            if not at_home and module.name.rpartition(".")[2] not in names:
                yield f"{module.name} imports {framework}: its homes are {', '.join(packages + names)}"


def rule_names(modules: list[Module]) -> Iterator[str]:
    """Branches on a rule's name, and tables by it, outside the modules that may know rules by name."""
    for module in modules:
        if _is_in(module.name, RULES_BY_NAME):
            continue
        for imported in module.imports:
            if _is_in(imported.target, NAMED_RULES + RULE_HOMES):
                yield f"{module.name} imports {imported.target}: ask gobang.rules.rule"
        for node in ast.walk(module.tree):
            if any(_names_rule(part) for part in _compared(node)):
                yield f"{module.name}:{node.lineno}: depends on a rule's name; ask gobang.rules.rule"  # type: ignore[attr-defined]


def _compared(node: ast.AST) -> list[ast.AST | None]:
    """What a comparison, a case or a table's keys compare with."""
    if isinstance(node, ast.Compare):
        return [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
    if isinstance(node, ast.MatchValue):
        return [node.value]
    return list(node.keys) if isinstance(node, ast.Dict) else []


def _names_rule(node: ast.AST | None) -> bool:
    if isinstance(node, ast.Attribute):  # a constant reached through its module
        return node.attr in {name.rpartition(".")[2] for name in NAMED_RULES}
    return isinstance(node, ast.Constant) and node.value in RULE_NAMES


def cycles(modules: list[Module]) -> Iterator[str]:
    """Modules that cannot be loaded without each other; what a function or a type imports does not count."""
    names = {module.name for module in modules}
    edges = {
        module.name: {_module_of(i.target, names) for i in module.imports if i.at_load} - {module.name, ""}
        for module in modules
    }
    while leaves := {name for name, needed in edges.items() if not needed & edges.keys()}:
        edges = {name: needed for name, needed in edges.items() if name not in leaves}
    while tops := edges.keys() - {name for needed in edges.values() for name in needed}:
        edges = {name: needed for name, needed in edges.items() if name not in tops}
    if edges:
        yield f"import cycle among {', '.join(sorted(edges))}"


def _module_of(target: str, names: set[str]) -> str:
    while target and target not in names:
        target = target.rpartition(".")[0]
    return target


def children(modules: list[Module]) -> Iterator[str]:
    """Yield calls that start a process which would not end with this one."""
    for module in modules:
        if module.name in PROCESS_HOMES:
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and not _is_tied(node):
                yield f"{module.name}:{node.lineno}: starts a process that may stay behind; see gobang.children"


def _is_tied(call: ast.Call) -> bool:
    """Return True for a call that starts no process, or one of a command line made by `tied`."""
    name = ast.unparse(call.func)
    if name == "ProcessPoolExecutor":
        return any(ast.unparse(keyword) == "mp_context=PROCESSES" for keyword in call.keywords)
    if name in UNTIED or name.startswith(UNTIED_BEGINNINGS):
        return False
    if name in STARTERS or name.rpartition(".")[2].startswith("create_subprocess"):
        return bool(call.args) and ast.unparse(call.args[0]).lstrip("*").startswith("tied(")
    return True


def habits(modules: list[Module]) -> Iterator[str]:
    """Wildcard imports, bare excepts, prints, overlong files and public names without a docstring."""
    for module in modules:
        at_terminal = module.name.rpartition(".")[2] in TERMINAL
        if module.lines > MOST_LINES:
            yield f"{module.name}: {module.lines} lines, at most {MOST_LINES}; look for its second subject"
        for imported in module.imports:
            if imported.target.endswith(".*"):
                yield f"{module.name} imports {imported.target}: name what is imported"
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                yield f"{module.name}:{node.lineno}: a bare except; name the exceptions"
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "print" and not at_terminal:
                yield f"{module.name}:{node.lineno}: print in a module that does not talk to a terminal"
        for name in _undocumented(module.tree):
            yield f"{module.name}.{name} has no docstring"


def _undocumented(scope: ast.Module | ast.ClassDef) -> Iterator[str]:
    for node in scope.body:
        if not isinstance(node, Named) or node.name.startswith("_"):
            continue
        if ast.get_docstring(node) is None:
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (f"{node.name}.{name}" for name in _undocumented(node))


def table(modules: list[Module], test_lines: int) -> str:
    """Sizes of files and functions, and how much test there is for each line of source."""
    sizes = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, Function)
    ]
    files = [module.lines for module in modules if module.lines > MARKER_LINES]
    long = sum(size > LONG_FUNCTION for size in sizes)
    source_lines = sum(module.lines for module in modules)
    return "\n".join(
        (
            f"file lines       p50 {_quantile(files, 0.5)}  p90 {_quantile(files, 0.9)}  max {max(files, default=0)}",
            f"function lines   p50 {_quantile(sizes, 0.5)}  p90 {_quantile(sizes, 0.9)}  max {max(sizes, default=0)}",
            f"functions over {LONG_FUNCTION} lines   {100 * long / max(1, len(sizes)):.1f} %",
            f"test : source    {test_lines / max(1, source_lines):.2f} of {source_lines} lines",
        )
    )


def _quantile(values: list[int], share: float) -> int:
    return sorted(values)[int((len(values) - 1) * share)] if values else 0


def main(arguments: list[str]) -> int:
    """Check the tree at the root that was given, or the one this file belongs to."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    modules = read_modules(root)
    tests = sum(len(path.read_text(encoding="utf8").splitlines()) for path in (root / "tests").rglob("*.py"))
    print(table(modules, tests))
    violations = [
        text
        for rule in (directions, tables, confinement, rule_names, children, cycles, habits)
        for text in rule(modules)
    ]
    for text in violations:
        print(f"violation: {text}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
