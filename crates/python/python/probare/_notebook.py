"""How results look in a notebook: small tables that take their colours from the page, light or dark.

Every text of others is escaped; nothing of it can run.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from probare._results import Results, Summary

ROWS_SHOWN = 10
"""Rows that a notebook shows."""

MARKS = {
    "matched": ("✓", "good"),
    "missing": ("✗", "bad"),
    "unsupported": ("!", "bad"),
    "compared": ("≈", "plain"),
    "unverified": ("≈", "plain"),
    "contradicted": ("✗", "bad"),
    "asked": ("?", "plain"),
    "ran": ("▸", "plain"),
    "note": ("·", "plain"),
}
"""A sign and a colour for each kind of evidence."""

# The class is named twice, so that it counts for more than the styles of the notebook. Lines and marks are made of the
# colour of the text, so that they can be read on white and on black.
STYLE = """<style>
.probare.probare table { border-collapse: collapse; color: inherit; background: none; margin: 0 0 .6em; font-size: .9em; }
.probare.probare tr, .probare.probare th, .probare.probare td { color: inherit; background: none; }
.probare.probare th, .probare.probare td { border: 0; border-bottom: 1px solid color-mix(in srgb, currentColor 22%, transparent);
  padding: .2em .7em; text-align: left; vertical-align: top; }
.probare.probare th { font-weight: 600; }
.probare.probare .number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.probare.probare td.none { opacity: .55; }
.probare.probare .bad { color: color-mix(in srgb, #e0342b 75%, currentColor); }
.probare.probare .good { color: color-mix(in srgb, #1f9d4d 75%, currentColor); }
.probare.probare .mark { display: inline-block; border-radius: .3em; padding: 0 .35em; margin: .1em .25em .1em 0; max-width: 32em;
  overflow-wrap: anywhere; background: color-mix(in srgb, currentColor 12%, transparent); }
.probare.probare summary { cursor: pointer; }
.probare.probare p { margin: .2em 0; opacity: .75; }
</style>"""


def page(inner: str) -> str:
    """What a notebook shows."""
    return f'{STYLE}<div class="probare">{inner}</div>'


def summary(told: Summary) -> str:
    """Means and counts, a line for each metric; below them what the run has to say: why cases have no score, gates, sources."""
    words = ("metric", "mean", "95 % interval", "scored", "not applicable", "failed")
    head = "".join(f'<th class="{"number" if word != "metric" else ""}">{word}</th>' for word in words)
    body = []
    for metric in told.values():
        mean = "–" if metric.mean is None else f"{metric.mean:.4g}"
        ends = "–" if metric.interval is None else f"{metric.interval.low:.4g} to {metric.interval.high:.4g}"
        cells = "".join(f'<td class="number">{cell}</td>' for cell in (mean, ends, metric.scored, metric.not_applicable))
        failed = f'<td class="number{" bad" if metric.failed else ""}">{metric.failed}</td>'
        body.append(f"<tr><td>{escape(metric.name)}</td>{cells}{failed}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{''.join(map(_remark, told.remarks))}"


def _remark(line: str) -> str:
    colour = ' class="bad"' if line.partition(":")[0] in ("failed", "lost", "incomplete") else ""
    return f"<p{colour}>{escape(line)}</p>"


def rows(results: Results) -> str:
    """The first rows, with the evidence behind each value."""
    head = "".join(f"<th>{escape(name)}</th>" for name in results.metrics)
    body = "".join(
        f"<tr><td>{escape(row['id'])}</td>{''.join(_cell(told) for told in row['scores'].values())}</tr>"
        for row in results[:ROWS_SHOWN]
    )
    left = len(results) - ROWS_SHOWN
    more = f"<p>and {left} more</p>" if left > 0 else ""
    return f"<table><thead><tr><th>id</th>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(told: dict[str, Any]) -> str:
    """A result with its evidence behind a fold."""
    if "not_applicable" in told:
        return f'<td class="none" title="{escape(told["not_applicable"])}">–</td>'
    if "error" in told:
        return f'<td class="bad">{escape(told["kind"])}: {escape(told["error"])}</td>'
    value = [f"{told['value']:.4g}"] if "value" in told else []
    shown = escape(" ".join([*value, *([told["label"]] if told.get("label") else [])]))
    evidence = told.get("evidence")
    if not evidence:
        return f"<td>{shown}</td>"
    marks = "".join(_mark(piece) for piece in evidence)
    return f"<td><details><summary>{shown}</summary>{marks}</details></td>"


def _mark(piece: dict[str, Any]) -> str:
    """A piece of evidence: a sign for its kind, its words, and where they stand."""
    sign, colour = MARKS.get(piece["kind"], ("·", "plain"))
    return f'<span class="mark {colour}" title="{escape(evidence_lines([piece])[0])}">{sign} {escape(piece["text"])}</span>'


def evidence_lines(evidence: Sequence[dict[str, Any]]) -> list[str]:
    """Evidence in words, a line for each piece."""
    lines = []
    for piece in evidence:
        place = ""
        if "field" in piece:
            item = (f"[{piece['index']}]" if "index" in piece else "") + piece.get("path", "")
            place = f" {piece['field']}{item} {piece['start']}:{piece['end']}"
        text = f" {piece['text']!r}" if piece.get("text") else ""
        note = f" ({piece['note']})" if piece.get("note") else ""
        lines.append(f"{piece['kind']}{place}{text}{note}")
    return lines
