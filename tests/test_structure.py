import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def check(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci" / "structure.py"), str(root)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_this_tree_keeps_the_rules():
    result = check(ROOT)
    assert result.returncode == 0, result.stdout


def test_allowed_imports_pass(tmp_path):
    files = {
        "gobang/types.py": "x = rule == 'renju'\n",
        "gobang/rules/renju.py": "from gobang.rules.geometry import RENJU\n",
        "gobang/cli.py": "x = Variant(rule='renju')\n",
        "gobang/rules/board.py": "import numba\nfrom gobang.types import EMPTY\n",
        "gobang/interfaces.py": "if TYPE_CHECKING:\n    from gobang.rules.board import Board\n",
        "actors/self_play/self_play.py": "from gobang.rules import board\nfrom . import outbox\n",
        "actors/remote.py": "def _load():\n    import ray\n    from actors.self_play import self_play\n",
        "learner/run/players.py": "import actors.self_play.self_play, evaluator.judging\n",
        "learner/launch.py": "import learner.run.players\nprint()\n",
        "gobang/warm.py": "subprocess.run(tied(['true']))\nProcessPoolExecutor(2, mp_context=PROCESSES)\n",
    }
    result = check(write(tmp_path, files))
    found = [line for line in result.stdout.splitlines() if "violation" in line and "a table of" not in line]
    assert not found, result.stdout


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"actors/wire/a.py": "import learner.b\n"}, "actors.wire.a imports learner.b"),
        ({"learner/training/a.py": "import actors.b\n"}, "only learner.run, learner.loop join"),
        ({"gobang/types.py": "from evaluator import stats\n"}, "gobang.types imports evaluator.stats"),
        ({"gobang/rules/board.py": "from ..search import tree\n"}, "gobang.rules.board imports gobang.search.tree"),
        ({"gobang/search/trees/tree.py": "import gobang.network.spec\n"}, "not in a layer below"),
        ({"learner/replay/a.py": "import learner.training.trainer\n"}, "not in a layer below"),
        ({"gobang/helpers.py": ""}, "gobang.helpers stands in no layer"),
        ({"learner/training.py": ""}, "learner.watching stands in a table of .ci/structure.py and does not exist"),
        ({"gobang/players/net.py": "def _load():\n    import torch.nn\n"}, "gobang.players.net imports torch"),
        ({"gobang/searching.py": "from numba import njit\n"}, "gobang.searching imports numba"),
        ({"gobang/warm.py": "subprocess.run(['true'])\n"}, "gobang.warm:1: starts a process that may stay behind"),
        ({"gobang/warm.py": "x = [asyncio.create_subprocess_exec(*words)]\n"}, "starts a process"),
        ({"gobang/warm.py": "multiprocessing.get_context('spawn')\n"}, "starts a process"),
        ({"gobang/warm.py": "ProcessPoolExecutor(2)\n"}, "starts a process"),
        (
            {"actors/bench.py": "import actors.b\n", "actors/b.py": "from . import bench\n"},
            "cycle among actors.b, actors.bench",
        ),
        (
            {"gobang/search/a.py": "from gobang.rules.geometry import RENJU\n"},
            "a imports gobang.rules.geometry.RENJU: ask",
        ),
        (
            {"learner/a.py": "def _f():\n    from gobang.rules.renju import forbidden\n"},
            "imports gobang.rules.renju.forb",
        ),
        ({"gobang/search/a.py": "x = game.rule != 'renju'\n"}, "gobang.search.a:1: depends on a rule's name"),
        ({"actors/a.py": "x = game.rule in ('renju', 'standard')\n"}, "actors.a:1: depends on a rule's name"),
        ({"actors/a.py": "x = {'freestyle': 0}[rule]\n"}, "actors.a:1: depends on a rule's name"),
        ({"actors/a.py": "x = geometry.rule == tables.RENJU\n"}, "actors.a:1: depends on a rule's name"),
        ({"actors/a.py": "from gobang.types import *\n"}, "imports gobang.types.*"),
        ({"actors/a.py": "try:\n    pass\nexcept:\n    pass\n"}, "actors.a:3: a bare except"),
        ({"actors/a.py": "print(1)\n"}, "actors.a:1: print"),
        ({"actors/a.py": "#\n" * 451}, "actors.a: 451 lines"),
        ({"actors/a.py": "class A:\n    '''A.'''\n    def go(self): ...\n"}, "actors.a.A.go has no docstring"),
    ],
)
def test_each_rule_finds_its_violation(tmp_path, files, message):
    result = check(write(tmp_path, files))
    assert result.returncode == 1
    assert message in result.stdout


def test_the_table_counts_lines(tmp_path):
    function = "def _count():\n" + "    x = 1\n" * 60
    table = check(write(tmp_path, {"actors/a.py": function, "tests/test_a.py": "#\n" * 30})).stdout
    assert "max 61" in table
    assert "100.0 %" in table
    assert "0.49 of 61 lines" in table
