"""The HTML report of a run: one self-contained file with a plot a suite, gains and losses, and every row."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from evals.rows import Row

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #d8dee4; padding: 2px 8px; text-align: left; }
td.n { text-align: right; } tr.fail td { background: #ffebe9; } tr.goal td { background: #fff8c5; }
svg { display: block; margin: .6rem 0; max-width: 100%; } .gain { color: #116329; } .loss { color: #a40e26; }
@media print { details { display: block; } }
"""
_WIDTH, _LEFT, _RIGHT, _LINE = 1_000, 330, 60, 18
_MOST_DOTS = 60  # lines of one plot; the rows table has all


def write_report(rows: Sequence[Row], notes: Sequence[str], about: str, file: Path) -> None:
    """Write the report.

    Args:
        rows: of all suites, beside their accepted values.
        notes: what was left out, and why.
        about: one line on the run (seed, size, sources).
        file: where to; its folder is made.

    Raises:
        OSError: the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(report_html(rows, notes, about), encoding="utf-8")


def report_html(rows: Sequence[Row], notes: Sequence[str], about: str) -> str:
    """The report as one HTML document: no script, no remote asset, every text escaped."""
    failed = [row for row in rows if row.regression]
    moved = [row for row in rows if row.gain]
    verdict = f"{len(failed)} hard regressions" if failed else "every hard gate is met"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Lexscope evaluation</title>',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<style>{_STYLE}</style></head><body><h1>Lexscope evaluation: {escape(verdict)}</h1>",
        f"<p>{escape(about)}. {len(rows)} rows. Lines in the plots are 95 % Wilson intervals, the short bar is the "
        "gate, the hollow mark the accepted value.</p>",
    ]
    if failed:
        parts += ["<h2>Hard regressions</h2><ul>"]
        parts += [f"<li>{escape(f'{row.suite} {row.source} {row.metric}: {row.regression}')}</li>" for row in failed]
        parts += ["</ul>"]
    parts += ["<h2>Gains and losses against the accepted baseline</h2>", _moves(moved)]
    for suite in dict.fromkeys(row.suite for row in rows):
        own = [row for row in rows if row.suite == suite]
        parts += [f"<h2>{escape(suite)}</h2>", *_plots(own), f"<details><summary>{len(own)} rows</summary>"]
        parts += [_table(own), "</details>"]
    if notes:
        parts += ["<h2>Notes</h2><ul>", *(f"<li>{escape(note)}</li>" for note in notes), "</ul>"]
    return "".join([*parts, "</body></html>\n"])


def _moves(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>No value differs from its accepted one.</p>"
    lines = [
        f'<tr><td>{escape(row.suite)}</td><td>{escape(row.source)}</td><td>{escape(row.metric)}</td><td class="n">'
        f'{row.baseline:.4f}</td><td class="n">{row.value:.4f}</td><td class="n {"gain" if row.gain > 0 else "loss"}">'
        f"{row.gain:+.4f} {'gain' if row.gain > 0 else 'loss'}</td></tr>"
        for row in sorted(rows, key=lambda one: one.gain or 0.0)
        if row.gain is not None and row.baseline is not None
    ]
    head = "<tr><th>suite</th><th>source</th><th>metric</th><th>accepted</th><th>now</th><th>change</th></tr>"
    return f"<table>{head}{''.join(lines)}</table>"


def _table(rows: Sequence[Row]) -> str:
    head = "".join(
        f"<th>{name}</th>" for name in ("source", "metric", "value", "n", "95 %", "gate", "accepted", "verdict")
    )
    lines: list[str] = []
    for row in rows:
        kind = "fail" if row.regression else "" if row.gate.meets(row.value) else "goal"
        interval = "" if row.low is None or row.high is None else f"{row.low:.4f}..{row.high:.4f}"
        accepted = "" if row.baseline is None else f"{row.baseline:.4f}"
        verdict = {"fail": "FAIL", "goal": "below goal"}.get(kind, "")
        cells = (row.source, row.metric, f"{row.value:.4f}", f"{row.n}", interval, str(row.gate), accepted, verdict)
        figures = {2, 3, 4, 6}
        body = "".join(
            f"<td{' class=n' if place in figures else ''}>{escape(cell)}</td>" for place, cell in enumerate(cells)
        )
        lines.append(f"<tr class={kind}>{body}</tr>" if kind else f"<tr>{body}</tr>")
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _plots(rows: Sequence[Row]) -> list[str]:
    """One plot a source; of many sources, those with the worst values first."""
    out: list[str] = []
    for source in dict.fromkeys(row.source for row in rows):
        own = [row for row in rows if row.source == source and 0 <= row.value <= 1]
        if len(own) > 1:
            out.append(f"<h3>{escape(source)}</h3>{_plot(own)}")
    return out


def _plot(rows: Sequence[Row]) -> str:
    """Values with their intervals on one scale from the smallest bound to the largest."""
    shown = rows[:_MOST_DOTS]
    edges = [edge for row in shown for edge in (row.low, row.high, row.value, row.gate.bound) if edge is not None]
    least, most = min(edges), max(edges)
    span = (most - least) or 1.0
    height = _LINE * (len(shown) + 1) + 8

    def at(value: float) -> float:
        return _LEFT + (value - least) / span * (_WIDTH - _LEFT - _RIGHT)

    lines = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" font-size="12">'
        f"<title>{escape(shown[0].source)}: values with 95 % intervals</title>"
        f'<text x="{_LEFT}" y="12" fill="#57606a">{least:.3f}</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="12" text-anchor="end" fill="#57606a">{most:.3f}</text>'
    ]
    for place, row in enumerate(shown, start=1):
        y = _LINE * place + 8
        colour = "#cf222e" if row.regression else "#0969da" if row.gate.meets(row.value) else "#9a6700"
        lines.append(f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(row.metric)}</text>')
        if row.low is not None and row.high is not None:
            lines.append(f'<path d="M{at(row.low):.1f} {y}H{at(row.high):.1f}" stroke="{colour}" stroke-width="2"/>')
        if row.gate.bound is not None:
            lines.append(f'<path d="M{at(row.gate.bound):.1f} {y - 6}v12" stroke="#57606a"/>')
        if row.baseline is not None and least <= row.baseline <= most:
            lines.append(f'<circle cx="{at(row.baseline):.1f}" cy="{y}" r="5" fill="none" stroke="#57606a"/>')
        lines.append(f'<circle cx="{at(row.value):.1f}" cy="{y}" r="3" fill="{colour}"/>')
        lines.append(f'<text x="{_WIDTH - _RIGHT + 8}" y="{y + 4}" fill="#57606a">n {row.n}</text>')
    left = len(rows) - len(shown)
    more = f"<p>{left} more rows stand in the table.</p>" if left else ""
    return "".join([*lines, "</svg>", more])
