"""The table of all named networks for docs/networks.md: `python -m gobang.bench.table`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from gobang.network.cost import cost
from gobang.network.presets import preset, preset_names
from gobang.types import Variant

SIZES: Final = (8, 11)


def render_table(positions_per_second: Mapping[str, float] | None = None) -> str:
    """Markdown: parameters on both boards and MFLOP on the smaller; a speed column where speeds are given."""
    header = ["Network", "Architecture", *(f"Parameters {size}x{size}" for size in SIZES), "MFLOP 8x8"]
    rows = [_row(name) for name in preset_names()]
    if positions_per_second is not None:
        header.append("Positions/s 8x8")
        for row in rows:
            row.append(f"{positions_per_second[row[0]]:,.0f}" if row[0] in positions_per_second else "")
    rule = ["---", "---", *("---:" for _ in header[2:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *rows))


def _row(name: str) -> list[str]:
    spec = preset(name)
    costs = [cost(spec, Variant.square(size, players=spec.players)) for size in SIZES]
    counts = [f"{entry.parameters / 1e6:.2f} M" for entry in costs]
    return [name, spec.architecture, *counts, f"{costs[0].flops / 1e6:.1f}"]


if __name__ == "__main__":
    sys.stdout.write(render_table() + "\n")
