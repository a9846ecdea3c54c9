"""The dump as one self-contained HTML file.

The template sees untrusted text only through `_finalize`, which escapes it and writes out what cannot be seen; links
and ids are made of positions, never of text.
"""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import date
from functools import cache
from importlib.resources import files
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from rag.answering.answer import LEVELS
from rag.jurisdictions.places import place_name
from rag.telemetry.review.pictures import Arrow, TreeNode, arrows, tree
from rag.telemetry.review.unseen import UNSEEN, written_out
from rag.telemetry.review.view import View, build_view
from rag.telemetry.review.words import ACTION_WORDS, force_words, join_words, search_note
from rag.telemetry.trace import Trace
from rag.verification.model import Level


def render_html(trace: Trace) -> str:
    """One self-contained HTML document: no script, no remote asset, no link but to its own parts."""
    css, source = style("dump.css")
    template = environment().get_template("dump.html.j2")
    return template.render(**shown_trace(trace), css=css, style_source=source, reading=False)


def shown_trace(trace: Trace, prefix: str = "") -> dict[str, object]:
    """What the template `trace.html.j2` asks for beside `reading`: whether there is a reader to link to.

    Args:
        prefix: what every id begins with where several traces are on one page: `p1-`, `p2-` ...
    """
    view = build_view(trace)
    within = f"Part {prefix.strip('p-')}: " if prefix else ""
    return {
        "view": view, "trace": trace, "context": trace.context, "actions": ACTION_WORDS, "read_link": read_link,
        "with_urns": with_urns, "scope_picture": _scope_picture(view, prefix, within),
        "shadow_picture": _shadow_picture(trace, within), "p": prefix, "within": within,
    }  # fmt: skip


def _scope_picture(view: View, prefix: str, within: str) -> Markup:
    defined = view.trace.context.definitions if view.trace.context else []
    terms = {definition.urn: f"“{definition.term}”" for definition in reversed(defined)}
    nodes = [
        TreeNode(
            item.depth,
            item.block.heading or terms.get(item.block.urn) or view.name_of(item.block.urn),
            item.block.role.replace("_", " "),
            f"role-{item.block.role}",
            f"#{prefix}block-{item.number}",
        )
        for item in view.tree
    ]
    return tree(f"{within}The scope of this answer: every block under what contains it, with its role", nodes)


def _shadow_picture(trace: Trace, within: str) -> Markup:
    """Which definition of a term holds, and which wider ones it shadows; empty where none is shadowed."""
    pairs = [
        Arrow(f"{definition.term}: {_end_of(definition.urn)}", _end_of(urn), "shadowed", "shadow")
        for definition in (trace.context.definitions if trace.context else [])
        for urn in definition.shadows
    ]
    return arrows(f"{within}Which definition shadows which", pairs, "shadows")


def _end_of(urn: str) -> str:
    """The part of a URN that tells it from its neighbours."""
    return ":".join(urn.split(":")[-3:])


def read_link(urn: str, at_date: date | None = None) -> str:
    """The address at which the web application shows a provision."""
    return f"/read?{urlencode({'reference': urn} | ({'at_date': at_date.isoformat()} if at_date else {}))}"


def mark_unseen(text: str) -> Markup:
    """The text escaped for HTML; what `visible` writes out is set apart from law that has such words itself."""
    out = Markup()
    position = 0
    for found in UNSEEN.finditer(text):
        out += escape(text[position : found.start()])
        out += Markup('<span class="unseen">{}</span>').format(written_out(found[0]))
        position = found.end()
    return out + escape(text[position:])


def _finalize(value: object) -> object:
    """Every expression of the template passes here; what is not yet safe mark-up is made visible and escaped."""
    if value is None:
        raise TypeError("the template prints a value that may be missing")
    return mark_unseen(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _urn_markup(text: str) -> Markup:
    """A URN that may break after its colons; copying it gives it whole."""
    return Markup(":<wbr>").join(mark_unseen(part) for part in text.split(":"))


_URN = re.compile(r"urn:lex:[a-z0-9-]+(?::[a-z0-9~_-][a-z0-9._~-]*)+(?<![.])")


def with_urns(message: str) -> list[tuple[str, str]]:
    """A message as the words before each URN in it and the URN; at last the words after all, with an empty one."""
    out: list[tuple[str, str]] = []
    position = 0
    for found in _URN.finditer(message):
        out.append((message[position : found.start()], found[0]))
        position = found.end()
    return [*out, (message[position:], "")]


@cache
def environment() -> Environment:
    """Loads the templates of the dump and of the web application."""
    made = Environment(
        loader=PackageLoader("rag", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        urn=_urn_markup, force=force_words, words=join_words, level=_level_words, score=_score, place=place_name,
        note=search_note,
    )  # fmt: skip
    return made


def _level_words(level: Level) -> str:
    return LEVELS[level]


def _score(value: float) -> str:
    return f"{value:.4f}"


@cache
def style(*names: str) -> tuple[Markup, str]:
    """Style sheets of the templates' folder as one, and the policy source that admits it and no other."""
    css = "".join((files("rag") / "templates" / name).read_text(encoding="utf-8") for name in names)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode("ascii")
    return Markup(css), f"sha256-{digest}"  # noqa: S704 - files of this package, not data
