"""An answer in a notebook: its figures in a line, its rows in tables."""
from __future__ import annotations

import html
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Iterable, List

if TYPE_CHECKING:
    from ._answer import Answer

ROWS_MAX = 200  # more than a notebook's reader scrolls through; `rows()` has them all
TITLES = {"pods": "Pods", "nodes": "Nodes", "steps": "Steps", "replicas": "Replicas",
          "findings": "Findings"}


def amount(value: Decimal, currency: str) -> str:
    """At least cents, and no zeros after them."""
    text = f"{value:f}"
    whole, _, part = text.partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')} {currency}".rstrip()


def parts(answer: "Answer") -> List[str]:
    """The figures that apply, in words."""
    known = answer.figures
    said = []
    if known.cost is not None:
        least = "at least " if known.unpriced else ""
        said.append(f"{least}{amount(known.cost, known.currency)} per hour")
    if known.saving is not None:
        said.append(f"saves {amount(known.saving, known.currency)} per hour")
    if known.gap is not None:
        said.append(f"at most {known.gap:.2%} above the cheapest" if known.gap else "the cheapest")
    if known.nodes:
        said.append(f"{known.nodes} node{'s' * (known.nodes != 1)}")
    if known.pods:
        of = "replicas" if answer.verb == "divide" else "pods"
        said.append(f"{known.placed} of {known.pods} {of} placed")
    return said


def cell(value: Any) -> str:
    """One value, harmless as HTML."""
    if value is None:
        return "<td></td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else ''}</td>"
    side = ' style="text-align:right"' if isinstance(value, (int, float)) else ""
    return f"<td{side}>{html.escape(str(value))}</td>"


def table(title: str, rows: List[dict]) -> str:
    """Rows under their names; columns without a value are left out."""
    shown = rows[:ROWS_MAX]
    columns = [name for name in rows[0] if any(row[name] not in (None, False) for row in shown)]
    head = "".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in columns)
    body = "".join("<tr>" + "".join(cell(row[name]) for name in columns) + "</tr>"
                   for row in shown)
    more = len(rows) - len(shown)
    note = f"<p>{more} more</p>" if more else ""
    return (f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{note}")


def notes(texts: Iterable[str]) -> str:
    """A list of remarks, if there are any."""
    items = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def page(answer: "Answer") -> str:
    """All of it."""
    head = f"<p><b>{html.escape(answer.verb)}</b>: {html.escape('; '.join(parts(answer)))}</p>"
    problem = [] if answer.ok else [str(answer.problem)]
    tables = "".join(table(TITLES[what], rows) for what in TITLES for rows in [answer.rows(what)]
                     if rows)
    return f"<div>{head}{notes(problem)}{tables}{notes(answer.warnings)}</div>"
