"""A plot of benchmark rows: one self-contained SVG, no library needed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from evals.rows import Row

WIDTH, LEFT, BAR, GAP = 760, 330, 22, 10


def write_plot(file: Path, rows: Sequence[Row]) -> None:
    """Write ratios and counts that have a goal as bars, with the goal as a line."""
    file.write_text(plot(rows), encoding="utf-8")


def plot(rows: Sequence[Row]) -> str:
    """Bars of the rows that have a bound, in order; value and bound are written beside each.

    Args:
        rows: any rows; those without a bound are left out, for they have no scale in common.
    """
    shown = [row for row in rows if row.gate.bound is not None]
    height = 50 + len(shown) * (BAR + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        "<title>Benchmark results beside their goals</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        '<text x="10" y="22" font-size="15">Results beside their goals (the line is the goal)</text>',
    ]
    for index, row in enumerate(shown):
        parts += _bar(row, 40 + index * (BAR + GAP))
    return "\n".join([*parts, "</svg>", ""])


def _bar(row: Row, top: int) -> list[str]:
    bound = row.gate.bound or 1.0
    room = WIDTH - LEFT - 110
    scale = room / max(row.value, bound, 1e-9)
    goal = LEFT + bound * scale
    colour = "#2a7f4f" if row.gate.meets(row.value) else "#b5432a"
    label = escape(f"{row.metric}, {row.source}")
    return [
        f'<text x="{LEFT - 8}" y="{top + 15}" text-anchor="end">{label}</text>',
        f'<rect x="{LEFT}" y="{top}" width="{row.value * scale:.1f}" height="{BAR}" fill="{colour}"/>',
        f'<line x1="{goal:.1f}" y1="{top - 3}" x2="{goal:.1f}" y2="{top + BAR + 3}" stroke="black" stroke-width="2"/>',
        f'<text x="{WIDTH - 104}" y="{top + 15}">{row.value:.2f} ({escape(str(row.gate.sense))} {bound:g})</text>',
    ]
