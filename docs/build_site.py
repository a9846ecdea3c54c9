"""The documentation as web pages: `python docs/build_site.py FOLDER`, no request and no script in them.

Every Markdown file of `docs` and those beside the README become pages; what else they link to within the project is
copied. A link to a file or a heading that there is not is an error, so that the pages cannot rot.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from jinja2 import Environment
from markdown_it import MarkdownIt
from markdown_it.token import Token

PROJECT = Path(__file__).resolve().parent.parent
PAGE = Environment(autoescape=True).from_string("""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title><style>
:root { color-scheme: light dark; }
body { font: 1rem/1.55 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 84rem; }
main { max-width: 64rem; min-width: 0; }
@media (min-width: 60rem) { body { display: grid; grid-template-columns: 14rem 1fr; gap: 2rem; } }
nav { font-size: .9rem; } nav ul { list-style: none; padding: 0; } nav [aria-current] { font-weight: bold; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; } code { font-size: .9em; }
p code, li code, td code { overflow-wrap: anywhere; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid #8886; padding: .3rem .5rem; text-align: left; vertical-align: top; }
</style></head><body><nav aria-label="Pages"><ul>
{% for link, name, here in pages -%}
<li><a href="{{ link }}"{% if here %} aria-current="page"{% endif %}>{{ name }}</a></li>
{% endfor %}</ul></nav><main>{{ body|safe }}</main></body></html>
""")


def sources(project: Path) -> list[PurePosixPath]:
    """The Markdown files that become pages: the project's own, then those of `docs`, without the examples' law."""
    first = [PurePosixPath(f"{name}.md") for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")]
    rest = sorted(PurePosixPath(file.relative_to(project).as_posix()) for file in (project / "docs").rglob("*.md"))
    return first + [one for one in rest if one.parent.name != "examples" or one.name == "README.md"]


def page_of(source: PurePosixPath) -> PurePosixPath:
    """The page of a Markdown file; a README is the index of its folder."""
    return source.parent / "index.html" if source.name == "README.md" else source.with_suffix(".html")


def slug(heading: str) -> str:
    """A heading's anchor, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def heading_text(tokens: list[Token], position: int) -> str:
    """The words of the heading that opens at a position, without their mark-up."""
    return "".join(one.content for one in tokens[position + 1].children or [] if one.type in {"text", "code_inline"})


def build(project: Path, folder: Path) -> list[str]:
    """Write the pages.

    Args:
        project: the checkout.
        folder: where to; made where it is missing.

    Returns:
        What is wrong with links, a line each. The pages are written nevertheless.
    """
    markdown = MarkdownIt("commonmark").enable("table")
    pages = {one: markdown.parse((project / one).read_text(encoding="utf-8")) for one in sources(project)}
    anchors: dict[PurePosixPath, list[str]] = {}
    for source, tokens in pages.items():
        found = anchors.setdefault(source, [])
        for position, token in enumerate(tokens):
            if token.type == "heading_open":
                name = slug(heading_text(tokens, position))
                token.attrSet("id", name if name not in found else f"{name}-{found.count(name)}")
                found.append(name)
    titles = {source: heading_text(tokens, 0) or source.stem for source, tokens in pages.items()}
    problems: list[str] = []
    for source, tokens in pages.items():
        for token in (inner for outer in tokens for inner in outer.children or []):
            href = str(token.attrGet("href") or token.attrGet("src") or "")
            if href and not re.match(r"[a-z]+:", href):
                problems += [f"{source}: {one}" for one in _relink(project, folder, source, token, href, anchors)]
        page = page_of(source)
        listed = [
            (_relative(page_of(one), page), titles[one], one == source)
            for one in pages
            if one.parent.name != "decisions" or one.name == "README.md" or one == source
        ]
        target = folder / page
        target.parent.mkdir(parents=True, exist_ok=True)
        body = markdown.renderer.render(tokens, markdown.options, {})
        target.write_text(PAGE.render(title=titles[source], pages=listed, body=body), encoding="utf-8")
    return problems


def _relink(
    project: Path, folder: Path, source: PurePosixPath, token: Token, href: str, anchors: dict[PurePosixPath, list[str]]
) -> list[str]:
    """Point a link of a Markdown file at its page; returns what is wrong with it."""
    path, _, fragment = unquote(href).partition("#")
    named = PurePosixPath(os.path.normpath(source.parent / path)) if path else source
    if (project / named).is_dir():
        named /= "README.md"
    if not (project / named).is_file():
        return [f"there is no {href}"]
    if named in anchors:
        if fragment and fragment not in anchors[named]:
            return [f"{named} has no heading {fragment}"]
        link = page_of(named)
    else:
        link = named
        (folder / named).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project / named, folder / named)
    relative = _relative(link, page_of(source)) if path else ""
    token.attrSet("href" if token.attrGet("href") else "src", f"{relative}{'#' if fragment else ''}{fragment}")
    return []


def _relative(page: PurePosixPath, seen_from: PurePosixPath) -> str:
    return PurePosixPath(os.path.relpath(page, seen_from.parent)).as_posix()


if __name__ == "__main__":
    wrong = build(PROJECT, Path(sys.argv[1]))
    sys.stderr.writelines(f"{one}\n" for one in wrong)
    sys.exit(1 if wrong else 0)
